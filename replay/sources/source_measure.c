/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of which the hardware tells start and end, by a clock of its own as a rule. */
#include "source_act.h"

/* More from start to end than this is of two batches, or broken. */
#define TAKEN_MAX_NS 3600000000000ull

uint64_t source_read_clock(struct source_table *t, const struct source_seen *v)
{
	uint64_t ticks, sec, part, at = v->ev->ts, hw;

	if (!t->row->tick_den || !xtr_bind_get(v->b, SF_TICKS, v->ev, &ticks) || !ticks)
		return 0;
	hw = source_ticks_ns(ticks, t->row->tick_num, t->row->tick_den);
	if (xtr_bind_get(v->b, SF_SEC, v->ev, &sec) && sec < UINT64_MAX / 2000000000) {
		part = xtr_bind_has(v->b, SF_NSEC) ? xtr_bind_u64(v->b, SF_NSEC, v->ev)
						   : xtr_bind_u64(v->b, SF_USEC, v->ev) * 1000;
		sec = sec * 1000000000 + part;
		/* It may be of another clock than the trace's. */
		at = sec < at && at - sec < SOURCE_CLOCK_NS ? sec : at;
	}
	source_clock_sample(&t->clock, hw, at);
	return hw;
}

struct measured {
	uint64_t start, end, active; /* ns: of the hardware's clock, mapped; how long */
};

/* What the event says by the hardware's clock. False: nothing, or nothing that can be. */
static bool hw_times(const struct source_table *t, const struct source_seen *v, struct measured *w)
{
	const struct source_row *row = t->row;
	uint64_t elapsed, active;

	*w = (struct measured){ .start = xtr_bind_u64(v->b, SF_START, v->ev),
				.end = xtr_bind_u64(v->b, SF_END, v->ev) };
	if (!xtr_bind_has(v->b, SF_END) &&
	    __builtin_add_overflow(w->start, xtr_bind_u64(v->b, SF_ELAPSED, v->ev), &w->end))
		return false;
	if (!w->end || !w->start || w->end < w->start)
		return false;
	if (row->tick_den) {
		w->start = source_ticks_ns(w->start, row->tick_num, row->tick_den);
		w->end = source_ticks_ns(w->end, row->tick_num, row->tick_den);
	}
	if (xtr_bind_get(v->b, SF_ELAPSED, v->ev, &elapsed) && elapsed && elapsed <= w->end)
		w->start = w->end - elapsed;
	if (w->end < w->start || w->end - w->start > TAKEN_MAX_NS)
		return false;
	w->active = w->end - w->start;
	if (xtr_bind_get(v->b, SF_ACTIVE, v->ev, &active) && active && row->tick_den) {
		active = source_ticks_ns(active, row->tick_num, row->tick_den);
		w->active = active < w->active ? active : w->active;
	}
	return true;
}

/* Where the clocks are laid so, did it start after it was run, and end before it was told? */
static bool fits(const struct source_job *j, const struct measured *w, uint64_t end, uint64_t now)
{
	uint64_t start = end - (w->end - w->start);

	return end >= w->end - w->start && end <= now + SOURCE_CLOCK_NS &&
	       (!j || !j->run_ns || start + SOURCE_CLOCK_NS >= j->run_ns);
}

/*
 * The end on the trace's clock. Some kernels read another counter for start and end than for the
 * readings, or the clock has stood still with the hardware's power off (sources: msm, a6xx_gpu.c):
 * so by readings, by that of this job alone, or by what ends have told of the clock. What none of
 * them fits ended by now.
 */
static uint64_t place_end(struct source_table *t, const struct source_job *j,
			  const struct measured *w, uint64_t now)
{
	uint64_t end;

	if (!t->row->tick_den)
		return w->end < now ? w->end : now;
	if (w->end < t->ends.last_hw && t->ends.last_hw - w->end > 1000000000)
		t->ends = (struct source_clock){ 0 };
	source_clock_sample(&t->ends, w->end, now);
	if (source_clock_map(&t->clock, w->end, &end) && fits(j, w, end, now))
		return end < now ? end : now;
	if (j && j->run_hw_ns && w->end >= j->run_hw_ns) {
		end = j->run_ns + (w->end - j->run_hw_ns);
		if (fits(j, w, end, now))
			return end < now ? end : now;
	}
	if (source_clock_map(&t->ends, w->end, &end) && fits(j, w, end, now))
		return end < now ? end : now;
	return now;
}

/* It had the engine for so much less than from start to end that another one had it meanwhile. */
static bool was_interrupted(const struct measured *w)
{
	uint64_t taken = w->end - w->start;

	return taken - w->active > 2000 && taken - w->active > taken / 100;
}

int source_measured(struct source_table *t, struct source_seen *v)
{
	struct source_job unknown = source_unseen(t, v);
	bool told = v->job != SOURCE_JOBS_NONE;
	struct source_job *j = told ? &t->jobs.job[v->job] : &unknown;
	struct xtr_job_step *s;
	struct measured w;
	uint64_t others;

	if (t->joined && !told)
		return 0;
	if (!hw_times(t, v, &w) && t->joined) {
		source_jobs_forget(&t->jobs, v->job);
		return 0;
	}
	if (!hw_times(t, v, &w)) { /* by now it had ended: the hardware did not say when */
		s = source_step(t, v->out, XTR_STEP_DONE, j, v->ev);
		s->flags |= XTR_FLAG_LATE;
		if (told)
			source_jobs_forget(&t->jobs, v->job);
		return 0;
	}
	others = xtr_bind_has(v->b, SF_ACTIVE)
			 ? 0
			 : source_spans_add(&t->spans, j->ring, w.start, w.end);
	s = source_step(t, v->out, XTR_STEP_MEASURED, j, v->ev);
	s->ended = t->joined;
	s->flags = t->joined ? 0 : s->flags;
	s->ended_ns = place_end(t, told ? j : NULL, &w, v->ev->ts);
	s->start_ns = s->ended_ns > w.end - w.start ? s->ended_ns - (w.end - w.start) : 1;
	w.active -= others < w.active ? others : w.active;
	if (was_interrupted(&w)) {
		s->flags |= others ? XTR_FLAG_SHARED : XTR_FLAG_PREEMPTED;
		s->active_ns = w.active;
	}
	if (told)
		source_jobs_forget(&t->jobs, v->job);
	return 0;
}
