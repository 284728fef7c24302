/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A uprobe sits on a file, not on a process: programs that start later or load the library later
 * are recorded too. It stays where it is when this process gives up its privileges. All of a file
 * are attached at once where the kernel can; else, and where it refuses one of them, one by one.
 */
#include "api_attach.h"
#include "attach.h"
#include "function_load.h"
#include "recorder/groups/api.h"
#include "recorder/host/caps.h"
#include "recorder/host/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- uprobe multi ----------------------------------------------------------------------------- */

/*
 * libbpf 1.1 does not know these attachments, so the programs are loaded a second time from the
 * instructions that it has made, and the system call is made here.
 */

/* include/uapi/linux/bpf.h of Linux 6.6 */
#define TRACE_UPROBE_MULTI  ((enum bpf_attach_type)48)
#define UPROBE_MULTI_RETURN 1

struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t n, uprobe_flags, pid, pad;
};

/*
 * Load the program for entries, or for returns, as one for such attachments. Its descriptor is the
 * caller's; -errno: this kernel has none.
 */
static int xtr_uprobe_multi_load(const struct xtr_bpf *b, bool ret)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = TRACE_UPROBE_MULTI);
	const struct bpf_program *p = xtr_probe_program(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY);
	int fd;

	if (!p)
		return -ENOENT;
	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, ret ? "xtr_api_ret" : "xtr_api_entry",
			   "Dual BSD/GPL", bpf_program__insns(p), bpf_program__insn_cnt(p), &opts);
	return fd < 0 ? -errno : fd;
}

/*
 * Attach it at n offsets of the file, each with its cookie. Returns the attachment's descriptor, or
 * -errno: then nothing is attached.
 */
static int xtr_uprobe_multi_attach(int prog, bool ret, const char *path, const uint64_t *offsets,
				   const uint64_t *cookies, uint32_t n)
{
	const struct link_create attr = {
		.prog_fd = (uint32_t)prog,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.n = n,
		.uprobe_flags = ret ? UPROBE_MULTI_RETURN : 0,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

/* --- api attach ------------------------------------------------------------------------------- */

#define KERNEL_ENOTSUPP 524 /* include/linux/errno.h */

/* A place of a function. */
struct place {
	struct xtr_probe *probe;
	const struct xtr_probe_target *target;
	uint32_t cookie;
};

struct places {
	struct place *v;
	size_t n;
	uint64_t *offsets, *cookies; /* as the kernel takes them */
	int prog[2];                 /* of entries and returns; -1: one by one */
	int pmu;
};

static int by_file(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->target->path, y->target->path);
}

/* The functions that are to be attached, file by file. */
static int gather(struct xtr_bpf *b, struct places *p, const struct xtr_selection *sel)
{
	size_t n = 0;

	for (size_t i = 0; i < sel->n_probes; i++)
		n += sel->probes[i]->n_targets;
	p->v = calloc(n + 1, sizeof(*p->v));
	p->offsets = calloc(n + 1, sizeof(*p->offsets));
	p->cookies = calloc(n + 1, sizeof(*p->cookies));
	if (!p->v || !p->offsets || !p->cookies)
		return -ENOMEM;
	for (uint32_t i = 0; i < sel->n_probes; i++) {
		struct xtr_probe *probe = sel->probes[i];
		int err;

		if (probe->kind != XTR_PROBE_API || probe->why[0])
			continue;
		err = xtr_probe_bpf_set(b, i, probe);
		if (err)
			return err;
		for (size_t k = 0; k < probe->n_targets; k++)
			p->v[p->n++] = (struct place){ probe, &probe->targets[k], i };
	}
	qsort(p->v, p->n, sizeof(*p->v), by_file);
	return 0;
}

static const char *reason(int err)
{
	switch (err) {
	case -KERNEL_ENOTSUPP:
		return "the kernel can put no probe on its first instruction";
	case -EMFILE:
		return "too many open files (ulimit -n)";
	default:
		return xtr_perf_why(err);
	}
}

/* Bit 0 of config: a return probe (the PMU's format/retprobe). */
static int attach_one(struct xtr_bpf *b, const struct places *p, const struct place *at, bool ret)
{
	struct perf_event_attr attr = { .type = (uint32_t)p->pmu,
					.size = sizeof(attr),
					.config = ret,
					.uprobe_path = (uintptr_t)at->target->path,
					.probe_offset = at->target->addr };
	int prog = xtr_probe_prog_fd(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY), err;

	if (at->probe->why[0])
		return 0;
	err = prog < 0 ? prog : xtr_probe_attach_perf(b, &attr, prog, at->cookie);
	if (err)
		xtr_probe_say(at->probe, XTR_PROVIDER_REFUSED, "%s", reason(err));
	return err == -ENOMEM ? err : 0;
}

/* One half of the n functions of a file. */
static int attach_half(struct xtr_bpf *b, const struct places *p, const struct place *v, size_t n,
		       bool ret)
{
	uint32_t wanted = 0;
	int err = 0, fd;

	for (size_t i = 0; i < n; i++) {
		if (ret && !v[i].probe->want_ret)
			continue;
		p->offsets[wanted] = v[i].target->addr;
		p->cookies[wanted++] = v[i].cookie;
	}
	if (!wanted)
		return 0;
	fd = p->prog[ret] < 0 ? -1
			      : xtr_uprobe_multi_attach(p->prog[ret], ret, v[0].target->path,
							p->offsets, p->cookies, wanted);
	if (fd >= 0)
		return xtr_bpf_hold(b, fd);
	for (size_t i = 0; i < n && !err; i++) {
		if (!ret || v[i].probe->want_ret) {
			v[i].probe->attach = "uprobe";
			err = attach_one(b, p, &v[i], ret);
		}
	}
	return err;
}

static int attach_all(struct xtr_bpf *b, struct places *p)
{
	size_t n;
	int err = 0;

	for (size_t i = 0; i < p->n; i++) {
		p->v[i].probe->state = XTR_PROVIDER_ATTACHED;
		p->v[i].probe->attach = "uprobe.multi";
	}
	for (size_t i = 0; i < p->n && !err; i += n) {
		for (n = 1; i + n < p->n && by_file(&p->v[i], &p->v[i + n]) == 0; n++)
			;
		err = attach_half(b, p, &p->v[i], n, false) ?: attach_half(b, p, &p->v[i], n, true);
	}
	return err;
}

static int note_problems(struct xtr_bpf *b, const struct xtr_api *a)
{
	for (size_t i = 0; i < a->n_problems; i++) {
		if (!xtr_bpf_result(b, 0, a->problems[i].name, "uprobe", a->problems[i].name,
				    XTR_PROVIDER_MISSING, a->problems[i].why))
			return -ENOMEM;
	}
	return 0;
}

static void say_no_uprobes(const struct places *p)
{
	for (size_t i = 0; i < p->n; i++)
		xtr_probe_say(p->v[i].probe, XTR_PROVIDER_MISSING, "this kernel has no uprobes");
}

int xtr_api_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	struct places p = { .pmu = xtr_probe_pmu("uprobe") };
	int err;

	if (!sel->apis)
		return 0;
	err = gather(b, &p, sel);
	if (!err && p.pmu < 0) {
		say_no_uprobes(&p);
	} else if (!err && p.n) {
		p.prog[0] = xtr_uprobe_multi_load(b, false);
		p.prog[1] = xtr_uprobe_multi_load(b, true);
		err = attach_all(b, &p);
		for (int i = 0; i < 2; i++) {
			if (p.prog[i] >= 0)
				close(p.prog[i]); /* attachments hold it */
		}
	}
	free(p.v);
	free(p.offsets);
	free(p.cookies);
	return err ? err : note_problems(b, xtr_apis_api(sel->apis));
}
