// SPDX-License-Identifier: BSD-2-Clause
#include "func_attach.h"
#include "probe_attach.h"
#include "probe_load.h"
#include "util.h"

#include <errno.h>
#include <linux/perf_event.h>

/* One probe of the kernel's own making, by address. Bit 0 of config: a return probe. */
static int attach_pmu(struct xtr_bpf *b, int pmu, const struct xtr_probe_target *t, bool ret,
		      uint32_t cookie)
{
	struct perf_event_attr attr = { .type = (uint32_t)pmu,
					.size = sizeof(attr),
					.config = ret,
					.kprobe_func = t->addr ? 0 : (uintptr_t)t->symbol,
					.kprobe_addr = t->addr };

	return xtr_probe_attach_perf(
		b, &attr, xtr_probe_prog_fd(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY), cookie);
}

static int attach_function(struct xtr_bpf *b, struct xtr_probe *p, uint32_t i, int pmu)
{
	int err = xtr_probe_bpf_set(b, i, p);

	for (size_t k = 0; k < p->n_targets && !err; k++) {
		err = attach_pmu(b, pmu, &p->targets[k], false, i);
		if (!err && p->want_ret)
			err = attach_pmu(b, pmu, &p->targets[k], true, i);
	}
	p->attach = "kprobe";
	p->state = XTR_PROVIDER_ATTACHED;
	if (err)
		xtr_probe_say(p, XTR_PROVIDER_REFUSED, "%s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

int xtr_funcs_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	int pmu = xtr_probe_pmu("kprobe"), err = 0;

	for (uint32_t i = 0; i < sel->n_probes && !err; i++) {
		struct xtr_probe *p = sel->probes[i];

		if (p->kind != XTR_PROBE_FUNC || p->why[0])
			continue;
		if (pmu < 0)
			xtr_probe_say(p, XTR_PROVIDER_MISSING, "this kernel has no kprobes");
		else
			err = attach_function(b, p, i, pmu);
	}
	return err;
}
