// SPDX-License-Identifier: BSD-2-Clause
#include "own_cost.h"
#include "recorder/host/util.h"

void xtr_own_cost_now(struct xtr_own_cost *c, const struct xtr_bpf *b)
{
	*c = (struct xtr_own_cost){ .at = xtr_now(), .cpu = xtr_cpu_ns() };
	for (uint32_t i = 0; i < b->n_cpus; i++) {
		const volatile struct xtr_cpu *cpu = &b->cpus[i];

		c->runs += cpu->runs;
		c->timed += cpu->timed;
		c->timed_ns += cpu->timed_ns;
	}
}

void xtr_own_cost_between(struct xtr_recorder_cost *out, const struct xtr_own_cost *before,
			  const struct xtr_own_cost *now)
{
	uint64_t timed = now->timed - before->timed;

	out->elapsed_ns = now->at - before->at;
	out->cpu_ns = now->cpu - before->cpu;
	out->bpf_run_cnt = now->runs - before->runs;
	out->bpf_timed_cnt = timed;
	out->bpf_run_ns = 0;
	if (timed)
		out->bpf_run_ns = (uint64_t)((unsigned __int128)(now->timed_ns - before->timed_ns) *
					     out->bpf_run_cnt / timed);
}
