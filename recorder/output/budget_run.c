/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A step is told of in three ways: the event xtr:budget, a gap in the losses over the time in which
 * events are left out, and what a salvager needs to write that gap (persistent.h).
 */
#include "recorder/drain/budget.h"
#include "recorder/attach/attach.h"
#include "sink.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <unistd.h>

#define SETTLED_NS NS_PER_MS /* after a step, for programs that have begun before it */

static uint64_t filtered(const struct xtr_bpf *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < (size_t)b->n_cpus * b->n_slots; i++)
		sum += __atomic_load_n(&b->counts[i].filtered, __ATOMIC_RELAXED);
	return sum;
}

static int put(struct xtr_sink *s, struct xtr_rec_budget *r)
{
	struct xtr_batch b = {
		.recs = (const uint8_t *)r, .len = sizeof(*r), .n = 1, .lost_total = s->lost_0
	};
	int err;

	r->h.type = XTR_EV_BUDGET;
	r->h.size = sizeof(*r);
	r->budget = s->budget.law.ppm;
	r->filtered = filtered(s->bpf);
	if (s->flight)
		s->flight->own = true;
	err = xtr_writer_events(s->writer, &b);
	if (s->flight)
		s->flight->own = false;
	return err;
}

int xtr_budget_start(struct xtr_sink *s)
{
	struct xtr_budget *b = &s->budget;
	struct xtr_rec_budget r = { .h.ts = xtr_now() };
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*b = (struct xtr_budget){ .on = s->sel->budget };
	if (!b->on)
		return 0;
	b->cpus = n > 0 ? (uint32_t)n : 1;
	xtr_budget_law_init(&b->law, s->sel->budget);
	xtr_own_cost_now(&b->began, s->bpf);
	b->last = b->began;
	b->next = b->last.at + XTR_BUDGET_EVERY_NS;
	return put(s, &r);
}

static int add_gap(struct xtr_sink *s, uint64_t last)
{
	const struct xtr_gap gap = { XTR_STREAM_NONE, s->budget.since, last, 0 };

	return s->budget.since ? xtr_loss_add_gap(s->loss, &gap) : 0;
}

int xtr_budget_gap(struct xtr_sink *s)
{
	uint64_t now = xtr_now();
	int err = add_gap(s, now);

	if (s->budget.since && !err)
		s->budget.since = now;
	return err;
}

int xtr_budget_state(struct xtr_sink *s)
{
	struct xtr_rec_budget r = { .h.ts = xtr_now(),
				    .before = s->budget.law.level,
				    .level = s->budget.law.level };
	int err = xtr_budget_gap(s);

	return err || !s->budget.on ? err : put(s, &r);
}

/* From now on; what is left out from then on is in the gap that begins here. */
static int step(struct xtr_sink *s, uint32_t before, struct xtr_rec_budget *r)
{
	struct xtr_budget *b = &s->budget;
	uint64_t *kept = &s->keep->head->left_out_since;
	int err;

	b->steps++;
	r->before = before;
	r->level = b->law.level;
	r->h.ts = xtr_now();
	if (!b->since) {
		b->since = r->h.ts;
		__atomic_store_n(kept, b->since, __ATOMIC_SEQ_CST);
	}
	xtr_bpf_budget(s->bpf, b->law.level);
	err = add_gap(s, xtr_now() + SETTLED_NS);
	b->since = b->law.level ? r->h.ts : 0;
	err = err ?: put(s, r) ?: xtr_writer_loss(s->writer);
	if (!err && !b->law.level)
		__atomic_store_n(kept, 0, __ATOMIC_SEQ_CST);
	return err;
}

uint64_t xtr_budget_spent(const struct xtr_budget *b, const struct xtr_own_cost *now)
{
	struct xtr_recorder_cost all = { 0 };

	xtr_own_cost_between(&all, &b->began, now);
	return b->on ? xtr_budget_ppm(&all, b->cpus, 0) : 0;
}

int xtr_budget_look(struct xtr_sink *s, uint64_t now)
{
	struct xtr_budget *b = &s->budget;
	struct xtr_recorder_cost cost = { 0 }, all = { 0 };
	uint32_t before = b->law.level;
	struct xtr_own_cost spent;
	struct xtr_rec_budget r = { 0 };
	uint64_t ppm;

	if (!b->on || now < b->next)
		return 0;
	xtr_own_cost_now(&spent, s->bpf);
	xtr_own_cost_between(&cost, &b->last, &spent);
	xtr_own_cost_between(&all, &b->began, &spent);
	ppm = xtr_budget_ppm(&cost, b->cpus,
			     all.bpf_timed_cnt ? all.bpf_run_ns / all.bpf_run_cnt : 0);
	b->last = spent;
	b->next = spent.at + XTR_BUDGET_EVERY_NS;
	if (xtr_budget_next(&b->law, ppm) == before)
		return 0;
	r.share = (uint32_t)ppm;
	r.elapsed = cost.elapsed_ns;
	return step(s, before, &r);
}
