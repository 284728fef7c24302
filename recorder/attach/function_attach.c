// SPDX-License-Identifier: BSD-2-Clause
#include "function_attach.h"
#include "api_attach.h"
#include "attach.h"
#include "func_attach.h"
#include "function_load.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The link holds the event, which counts on one CPU but runs its program on all. */
int xtr_probe_attach_perf(struct xtr_bpf *b, const struct perf_event_attr *attr, int prog_fd,
			  uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), link;

	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog_fd, fd, BPF_PERF_EVENT, &opts);
	link = link < 0 ? -errno : link;
	close(fd);
	return link < 0 ? link : xtr_bpf_hold(b, link);
}

static int note(struct xtr_bpf *b, struct xtr_probe *p)
{
	struct xtr_hook_result *r;

	r = xtr_bpf_result(b, p->entry.desc.type, p->name, p->attach,
			   p->target ? p->target : p->name, p->state, p->why);
	if (!r)
		return -ENOMEM;
	r->info.module = p->module;
	if (p->state == XTR_PROVIDER_ATTACHED)
		p->entry.desc.provider = r->info.id;
	if (p->state == XTR_PROVIDER_ATTACHED && !p->no_ret)
		p->ret.desc.provider = r->info.id;
	return 0;
}

int xtr_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	int n = 0, rc;

	rc = xtr_funcs_attach(b, sel);
	if (!rc)
		rc = xtr_api_probes_attach(b, sel);
	if (rc)
		return rc;
	for (size_t i = 0; i < sel->n_probes; i++) {
		rc = note(b, sel->probes[i]);
		if (rc)
			return rc;
		n += sel->probes[i]->state == XTR_PROVIDER_ATTACHED;
	}
	return n;
}
