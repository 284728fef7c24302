/* SPDX-License-Identifier: BSD-2-Clause */
#include "budget.h"
#include "recorder/groups/sample.h"
#include "recorder/groups/select.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdio.h>

uint32_t xtr_budget_parse(const char *text)
{
	double share = xtr_sample_share(text);
	uint32_t ppm = (uint32_t)(share * 1e6 + 0.5);

	return share > 0 && !ppm ? 1 : ppm;
}

int xtr_budget_apply(struct xtr_selection *s, const char *text, struct xtr_record_err *err)
{
	s->budget = text ? xtr_budget_parse(text) : 0;
	if (text && !s->budget) {
		err->code = -EINVAL;
		err->kind = XTR_FAIL_USAGE;
		snprintf(err->what, sizeof(err->what),
			 "--budget: '%.120s' is not a share of the machine, such as 1%%", text);
		snprintf(err->hint, sizeof(err->hint),
			 "a share is given as N%% or 1/N, more than nothing and less than all");
		return -EINVAL;
	}
	for (size_t i = 0; s->budget && i < s->n_generics; i++)
		xtr_generic_find_job(s->generics[i]);
	for (size_t i = 0; s->budget && i < s->n_probes; i++)
		xtr_probe_whole(s->probes[i]);
	return 0;
}

void xtr_budget_law_init(struct xtr_budget_law *b, uint32_t ppm)
{
	*b = (struct xtr_budget_law){ .ppm = ppm, .patience = XTR_BUDGET_PATIENCE };
}

static void step_down(struct xtr_budget_law *b, uint64_t ppm)
{
	bool back = b->raised;

	if (back && b->patience < XTR_BUDGET_PATIENCE_MAX)
		b->patience *= 2;
	b->raised = false;
	b->quiet = 0;
	if (back || b->level >= XTR_BUDGET_LAST) {
		b->level += b->level < XTR_BUDGET_COUNTED;
		return;
	}
	for (; ppm > b->ppm && b->level < XTR_BUDGET_LAST; ppm /= 2)
		b->level++;
}

static void step_up(struct xtr_budget_law *b)
{
	b->level--;
	b->raised = true;
	b->quiet = b->held = 0;
}

uint32_t xtr_budget_next(struct xtr_budget_law *b, uint64_t ppm)
{
	if (ppm > b->ppm) {
		step_down(b, ppm);
		return b->level;
	}
	if (b->raised && ++b->held >= b->patience) {
		b->raised = false;
		b->patience = XTR_BUDGET_PATIENCE;
	}
	b->quiet = ppm < b->ppm / 2 ? b->quiet + 1 : 0;
	if (b->level && b->quiet >= b->patience)
		step_up(b);
	return b->level;
}

uint64_t xtr_budget_ppm(const struct xtr_recorder_cost *c, uint32_t cpus, uint64_t mean_ns)
{
	unsigned __int128 cost = c->cpu_ns, all = (unsigned __int128)c->elapsed_ns * cpus;

	cost += c->bpf_timed_cnt ? c->bpf_run_ns : (unsigned __int128)c->bpf_run_cnt * mean_ns;
	if (!all)
		return 0;
	cost = cost * 1000000 / all;
	return cost > UINT32_MAX ? UINT32_MAX : (uint64_t)cost;
}

/* --- own cost --------------------------------------------------------------------------------- */

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
