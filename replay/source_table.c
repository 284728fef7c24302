/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a row of the table and an event to steps of jobs. One struct table for each row of which the
 * section has events that tell of jobs:
 *
 *   source_rings.c    rings and devices as the events name them
 *   source_jobs.c     jobs between their first event and their end
 *   source_submits.c  submissions that have no name yet
 *   source_clock.c    the hardware's clock beside the trace's
 *   source_spans.c    what the rings of one engine executed lately
 */
#include "bind.h"
#include "field.h"
#include "source_clock.h"
#include "source_jobs.h"
#include "source_rings.h"
#include "source_spans.h"
#include "source_submits.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Made-up contexts: of row r from MADE_UP(r) on, for 2^33 of its contexts and rings. */
#define MADE_UP(row) (XTR_SOURCE_CONTEXT + ((uint64_t)(row) + 1) * (1ull << 33))
#define OF_A_RING    (1ull << 32)

/*
 * The hardware's fence and the scheduler's that follows from it are signalled in one call chain
 * (dma_fence_signal, drm_sched_job_done): less lies between them than this.
 */
#define CHAIN_NS 20000u
/* A hardware clock that is laid beside the trace's is right up to this. */
#define CLOCK_NS 50000u
/* Times of the hardware's own clock that are further apart are those of two batches, or broken. */
#define TAKEN_MAX_NS 3600000000000ull

/* A switch is told of by an interrupt's handler, or a worker of the firmware's log. */
#define SWITCH_TOLD_NS 1000000000u

#define CPUS 64u

/* The last fence of the hardware that was signalled on a CPU. */
struct hw_fence {
	uint64_t ts;
	uint32_t stream, tid, timeline;
};

/* What a ring executes, and since when. */
struct switched {
	uint64_t key[2], since;
	bool on;
};

struct table {
	const struct source_row *row;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_bind bind[SOURCE_EVENTS_MAX];
	struct source_rings rings;
	struct source_jobs jobs;
	struct source_submits submits;
	struct source_clock clock, ends; /* learnt from readings, and from ends */
	struct source_spans spans;
	struct hw_fence hw[CPUS];
	struct switched current[SOURCE_RINGS_KEPT]; /* of ACT_SWITCH */
	uint64_t number;                            /* of jobs that have none */
	bool queues, runs;
};

/* The event of a role, which is a row's index and that of the event in it. */
#define ROLE(row, event) ((uint32_t)(row)*SOURCE_EVENTS_MAX + (uint32_t)(event))

#define ROLE_LEFT_OUT UINT32_MAX

struct tables {
	struct table **of_row; /* source_n_rows; NULL: the section has nothing of it */
};

/* --- names ------------------------------------------------------------------------------------ */

static size_t row_index(const struct table *t)
{
	return (size_t)(t->row - source_rows);
}

/* What an event says of a job: the driver's name for it, and the model's. */
struct name {
	uint64_t key[2], ctx, seqno;
	bool numbered; /* else it gets a number when it begins */
};

static struct name name_of(struct table *t, const struct xtr_bind *b, const struct xtr_event *ev,
			   uint32_t ring)
{
	uint64_t ctx = xtr_bind_u64(b, SF_CTX, ev), seqno = xtr_bind_u64(b, SF_SEQNO, ev);
	struct name n = { .numbered = xtr_bind_has(b, SF_SEQNO) };

	if (t->row->fences) { /* fences' own events have the low 32 bits of both */
		n.ctx = ctx;
		n.seqno = seqno;
		n.key[0] = (uint32_t)ctx;
		n.key[1] = (uint32_t)seqno;
		return n;
	}
	n.key[0] = xtr_bind_has(b, SF_CTX) ? (uint32_t)ctx : OF_A_RING | ring;
	n.key[1] = n.numbered ? (uint32_t)seqno : xtr_bind_u64(b, SF_ADDR, ev);
	n.ctx = MADE_UP(row_index(t)) + n.key[0];
	n.seqno = seqno;
	return n;
}

/* The job that the event names; SOURCE_JOBS_NONE: nothing is known of it. */
static uint32_t known(struct table *t, const struct name *n)
{
	return source_jobs_find(&t->jobs, n->key[0], n->key[1]);
}

static struct xtr_job_step *step(const struct table *t, struct xtr_job_steps *out,
				 enum xtr_step_kind kind, const struct source_job *j,
				 const struct xtr_event *ev)
{
	struct xtr_job_step *s = xtr_steps_add(out, kind);

	s->r.ctx = j->ctx;
	s->r.seqno = j->seqno;
	s->r.ring = t->rings.ring[j->ring].id;
	s->r.tid = ev->tid;
	s->r.stream = ev->stream;
	s->by_thread = t->row->by_thread;
	s->flags = t->row->fences ? 0 : XTR_FLAG_KEY_INFERRED;
	return s;
}

static int64_t new_job(struct table *t, const struct name *n, uint32_t ring)
{
	int64_t i = source_jobs_new(&t->jobs, n->key[0], n->key[1], ring);
	struct source_job *j;

	if (i < 0)
		return i;
	j = &t->jobs.job[i];
	j->ctx = n->ctx;
	j->seqno = n->numbered ? n->seqno : ++t->number;
	return i;
}

/* --- the ways of a job ------------------------------------------------------------------------ */

struct seen { /* one event, and what it is of */
	const struct source_event *e;
	const struct xtr_bind *b;
	const struct xtr_event *ev;
	struct xtr_job_steps *out;
	uint32_t ring;
	struct name name;
	uint32_t job; /* or SOURCE_JOBS_NONE */
};

static uint32_t submitter(const struct seen *v)
{
	uint64_t tid;

	return xtr_bind_get(v->b, SF_TID, v->ev, &tid) ? (uint32_t)tid : v->ev->tid;
}

static void say_queued(const struct table *t, const struct seen *v, const struct source_job *j)
{
	struct xtr_job_step *s = step(t, v->out, XTR_STEP_QUEUE, j, v->ev);

	s->r.tid = submitter(v);
	s->r.stack = xtr_field_stack_id(xtr_field_own_stack(v->b->desc), v->ev->rec, v->ev->size);
}

/* A reading of the hardware's clock, taken at `at` or before. 0: the event has none. */
static uint64_t read_clock(struct table *t, const struct seen *v)
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
		at = sec < at && at - sec < CLOCK_NS ? sec : at;
	}
	source_clock_sample(&t->clock, hw, at);
	return hw;
}

static uint8_t number_of_ring(const struct seen *v)
{
	uint64_t n = v->e->ring;

	if (v->e->ring == SOURCE_RING_FIELD)
		n = xtr_bind_u64(v->b, SF_RING, v->ev);
	return n < SOURCE_RINGS_MAX ? (uint8_t)n : SOURCE_RINGS_MAX;
}

static bool submission_of(struct table *t, const struct seen *v, struct source_submit *from)
{
	bool by_addr = xtr_bind_has(v->b, SF_ADDR);

	return source_submits_take(&t->submits, by_addr, xtr_bind_u64(v->b, SF_ADDR, v->ev),
				   number_of_ring(v), from) ||
	       (by_addr && source_submits_of(&t->submits, from));
}

static void say_run(struct table *t, const struct seen *v, uint32_t i)
{
	struct source_job *j = &t->jobs.job[i];
	struct xtr_job_step *s =
		step(t, v->out, j->run_ns ? XTR_STEP_HANDED : XTR_STEP_RUN, j, v->ev);
	struct source_submit from;

	j->run_hw_ns = read_clock(t, v);
	if (j->run_ns) {
		j->run_ns = v->ev->ts;
		return;
	}
	j->run_ns = v->ev->ts;
	if (t->row->submits && submission_of(t, v, &from)) {
		s->queued_ns = from.ts;
		s->r.tid = from.tid;
		s->r.stack = from.stack;
	}
}

static int begin(struct table *t, struct seen *v)
{
	int64_t i = new_job(t, &v->name, v->ring);

	if (i < 0)
		return (int)i;
	v->job = (uint32_t)i;
	return 0;
}

static int on_submit(struct table *t, struct seen *v)
{
	const struct source_submit s = {
		.ts = v->ev->ts,
		.addr = xtr_bind_u64(v->b, SF_ADDR, v->ev),
		.by_addr = xtr_bind_has(v->b, SF_ADDR),
		.tid = submitter(v),
		.ring = v->e->ring,
		.stack = xtr_field_stack_id(xtr_field_own_stack(v->b->desc), v->ev->rec,
					    v->ev->size),
	};

	source_submits_add(&t->submits, &s);
	return 0;
}

static int on_queue(struct table *t, struct seen *v)
{
	int err = begin(t, v);

	if (err)
		return err;
	say_queued(t, v, &t->jobs.job[v->job]);
	if (!t->runs)
		say_run(t, v, v->job);
	return 0;
}

/* Where the event tells who submitted, that is worth as much as an event for it. */
static int on_run(struct table *t, struct seen *v)
{
	int err = v->job == SOURCE_JOBS_NONE ? begin(t, v)
					     : source_jobs_move(&t->jobs, v->job, v->ring);
	const struct source_job *j;

	if (err)
		return err;
	j = &t->jobs.job[v->job];
	if (!j->run_ns && !t->queues && xtr_bind_has(v->b, SF_TID))
		say_queued(t, v, j);
	say_run(t, v, v->job);
	return 0;
}

/* A job of which nothing was seen but this. */
static struct source_job unseen(struct table *t, const struct seen *v)
{
	return (struct source_job){ .ctx = v->name.ctx,
				    .seqno = v->name.numbered ? v->name.seqno : ++t->number,
				    .ring = v->ring };
}

static int on_done(struct table *t, struct seen *v)
{
	struct source_job unknown = unseen(t, v);

	step(t, v->out, XTR_STEP_DONE, v->job == SOURCE_JOBS_NONE ? &unknown : &t->jobs.job[v->job],
	     v->ev);
	if (v->job != SOURCE_JOBS_NONE)
		source_jobs_forget(&t->jobs, v->job);
	return 0;
}

/* --- measured jobs ---------------------------------------------------------------------------- */

struct measured {
	uint64_t start, end, active; /* ns: of the hardware's clock, mapped; how long */
};

/* What the event says by the hardware's clock. False: nothing, or nothing that can be. */
static bool hw_times(const struct table *t, const struct seen *v, struct measured *w)
{
	const struct source_row *row = t->row;
	uint64_t elapsed, active;

	*w = (struct measured){ .start = xtr_bind_u64(v->b, SF_START, v->ev),
				.end = xtr_bind_u64(v->b, SF_END, v->ev) };
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

	return end >= w->end - w->start && end <= now + CLOCK_NS &&
	       (!j || !j->run_ns || start + CLOCK_NS >= j->run_ns);
}

/*
 * The end on the trace's clock. Some kernels read another counter for start and end than for the
 * readings, or the clock has stood still with the hardware's power off (sources: msm, a6xx_gpu.c):
 * so by readings, by that of this job alone, or by what ends have told of the clock. What none of
 * them fits ended by now.
 */
static uint64_t place_end(struct table *t, const struct source_job *j, const struct measured *w,
			  uint64_t now)
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

static int on_measured(struct table *t, struct seen *v)
{
	struct source_job unknown = unseen(t, v);
	bool told = v->job != SOURCE_JOBS_NONE;
	struct source_job *j = told ? &t->jobs.job[v->job] : &unknown;
	struct xtr_job_step *s;
	struct measured w;
	uint64_t others;

	if (!hw_times(t, v, &w)) { /* by now it had ended: the hardware did not say when */
		s = step(t, v->out, XTR_STEP_DONE, j, v->ev);
		s->flags |= XTR_FLAG_LATE;
		if (told)
			source_jobs_forget(&t->jobs, v->job);
		return 0;
	}
	others = xtr_bind_has(v->b, SF_ACTIVE)
			 ? 0
			 : source_spans_add(&t->spans, j->ring, w.start, w.end);
	s = step(t, v->out, XTR_STEP_MEASURED, j, v->ev);
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

/* --- fences and counters ---------------------------------------------------------------------- */

/* A job's fence was signalled: right behind the hardware's, which is when the job ended. */
static int on_fence(struct table *t, struct seen *v)
{
	const struct hw_fence *hw = &t->hw[v->ev->stream % CPUS];
	const struct source_job *j;
	struct xtr_job_step *s;
	int32_t error = (int32_t)xtr_bind_s64(v->b, SF_ERROR, v->ev);

	if (v->job == SOURCE_JOBS_NONE) { /* the hardware's */
		t->hw[v->ev->stream % CPUS] = (struct hw_fence){
			.ts = v->ev->ts,
			.stream = v->ev->stream,
			.tid = v->ev->tid,
			.timeline = (uint32_t)xtr_bind_u64(v->b, SF_TIMELINE, v->ev),
		};
		return 0;
	}
	j = &t->jobs.job[v->job];
	s = step(t, v->out, !j->run_ns && error && t->runs ? XTR_STEP_FAILED : XTR_STEP_DONE, j,
		 v->ev);
	s->r.error = error;
	s->result_known = xtr_bind_has(v->b, SF_ERROR);
	if (hw->ts && hw->stream == v->ev->stream && hw->tid == v->ev->tid && hw->ts >= j->run_ns &&
	    v->ev->ts - hw->ts < CHAIN_NS &&
	    hw->timeline == (uint32_t)xtr_bind_u64(v->b, SF_TIMELINE, v->ev))
		s->ended_ns = hw->ts;
	source_jobs_forget(&t->jobs, v->job);
	return 0;
}

/*
 * The ring executes in order and has executed this job: it ends now, or, where that was told by
 * somebody who looked later, had ended; those before it had.
 */
static int on_reached(struct table *t, struct seen *v)
{
	uint32_t i = SOURCE_JOBS_NONE;

	while (v->job != SOURCE_JOBS_NONE && i != v->job && v->out->n + 1 < XTR_STEPS_MAX) {
		struct xtr_job_step *s;

		i = source_jobs_oldest(&t->jobs, t->jobs.job[v->job].ring);
		s = step(t, v->out, XTR_STEP_DONE, &t->jobs.job[i], v->ev);
		if (i != v->job || v->e->act == ACT_SEEN)
			s->flags |= XTR_FLAG_LATE;
		source_jobs_forget(&t->jobs, i);
	}
	return 0;
}

/* The driver forgets the job: it had ended. */
static int on_gone(struct table *t, struct seen *v)
{
	if (v->job == SOURCE_JOBS_NONE)
		return 0;
	step(t, v->out, XTR_STEP_DONE, &t->jobs.job[v->job], v->ev)->flags |= XTR_FLAG_LATE;
	source_jobs_forget(&t->jobs, v->job);
	return 0;
}

/* --- switches and slots ----------------------------------------------------------------------- */

/* The time of the switch: drivers may have told of it by a clock that only looks like the trace's.
 */
static uint64_t switched_at(const struct seen *v)
{
	uint64_t at = 0, sec;

	if (!xtr_bind_get(v->b, SF_START, v->ev, &at) && xtr_bind_get(v->b, SF_SEC, v->ev, &sec) &&
	    sec < UINT64_MAX / 2000000000)
		at = sec * 1000000000 + xtr_bind_u64(v->b, SF_USEC, v->ev) * 1000;
	if (!at || at > v->ev->ts || v->ev->ts - at > SWITCH_TOLD_NS)
		return v->ev->ts;
	return at;
}

static int on_switch(struct table *t, struct seen *v)
{
	struct switched *now = &t->current[v->ring];
	uint64_t at = switched_at(v);
	uint32_t before =
		now->on ? source_jobs_find(&t->jobs, now->key[0], now->key[1]) : SOURCE_JOBS_NONE;
	struct xtr_job_step *s;
	int err;

	if (before != SOURCE_JOBS_NONE && before == v->job)
		return 0;
	if (before != SOURCE_JOBS_NONE) {
		s = step(t, v->out, XTR_STEP_MEASURED, &t->jobs.job[before], v->ev);
		s->start_ns = now->since;
		s->ended_ns = at > now->since ? at : now->since;
		source_jobs_forget(&t->jobs, before);
	}
	now->on = xtr_bind_u64(v->b, SF_SEQNO, v->ev) || xtr_bind_u64(v->b, SF_CTX, v->ev);
	if (!now->on)
		return 0;
	err = on_run(t, v);
	now->since = at;
	now->key[0] = v->name.key[0];
	now->key[1] = v->name.key[1];
	return err;
}

/*
 * Arm's mali_linux_trace.h: kind << 24 | slot << 16, kind 1 start, 2 stop. A slot has a second job
 * waiting in it, and executes in order. What is stopped is the oldest, as old drivers do not tell.
 */
static int on_slot(struct table *t, struct seen *v)
{
	uint32_t kind = (uint32_t)xtr_bind_u64(v->b, SF_RING, v->ev) >> 24, i;
	int err = 0;

	if (kind == 1) {
		v->name.key[0] = OF_A_RING | v->ring;
		v->name.key[1] = ++t->number;
		v->name.ctx = MADE_UP(row_index(t)) + v->name.key[0];
		v->name.seqno = t->number;
		v->name.numbered = true;
		err = begin(t, v);
		if (!err)
			say_queued(t, v, &t->jobs.job[v->job]);
		if (!err)
			say_run(t, v, v->job);
	} else if (kind == 2) {
		i = source_jobs_oldest(&t->jobs, v->ring);
		if (i == SOURCE_JOBS_NONE)
			return 0;
		step(t, v->out, XTR_STEP_DONE, &t->jobs.job[i], v->ev);
		source_jobs_forget(&t->jobs, i);
	}
	return err;
}

/* --- the source ------------------------------------------------------------------------------- */

static bool is_in(const char *list, const char *text, size_t n)
{
	for (; list && *list; list += strcspn(list, "|"), list += *list == '|')
		if (strcspn(list, "|") == n && !memcmp(list, text, n))
			return true;
	return false;
}

static struct table *table_of(void *self, uint32_t role)
{
	return ((struct tables *)self)->of_row[role / SOURCE_EVENTS_MAX];
}

/* Of fences its own; all else is the driver's. */
static bool table_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	const struct xtr_event ev = { .rec = rec, .size = size };
	const struct source_event *e;
	const struct xtr_bind *b;
	const char *driver;
	struct table *t;
	struct name name;
	size_t n;

	if (role == ROLE_LEFT_OUT)
		return true;
	t = table_of(self, role);
	e = &t->row->event[role % SOURCE_EVENTS_MAX];
	b = &t->bind[role % SOURCE_EVENTS_MAX];
	if (!e->field[SF_DRIVER])
		return true;
	driver = xtr_bind_text(b, SF_DRIVER, &ev, t->tables, &n);
	if (driver && is_in(t->row->hw_fence, driver, n))
		return true;
	if (e->act != ACT_FENCE || (driver && !is_in(t->row->job_fence, driver, n)))
		return false;
	name = name_of(t, b, &ev, 0);
	return known(t, &name) != SOURCE_JOBS_NONE;
}

static int table_event(void *self, uint32_t role, const struct xtr_event *ev,
		       struct xtr_job_steps *out)
{
	static int (*const acts[])(struct table *, struct seen *) = {
		[ACT_SUBMIT] = on_submit,   [ACT_QUEUE] = on_queue,       [ACT_RUN] = on_run,
		[ACT_DONE] = on_done,       [ACT_MEASURED] = on_measured, [ACT_FENCE] = on_fence,
		[ACT_REACHED] = on_reached, [ACT_SEEN] = on_reached,      [ACT_GONE] = on_gone,
		[ACT_SWITCH] = on_switch,   [ACT_SLOT] = on_slot,
	};
	struct seen v = { .ev = ev, .out = out, .job = SOURCE_JOBS_NONE };
	struct table *t;
	int64_t ring;

	if (role == ROLE_LEFT_OUT)
		return 0;
	t = table_of(self, role);
	v.e = &t->row->event[role % SOURCE_EVENTS_MAX];
	v.b = &t->bind[role % SOURCE_EVENTS_MAX];
	ring = v.e->act == ACT_FENCE ? 0 : source_rings_of(&t->rings, v.e, v.b, ev);
	if (ring < 0)
		return (int)ring;
	v.ring = (uint32_t)ring;
	v.name = name_of(t, v.b, ev, v.ring);
	v.job = known(t, &v.name);
	return acts[v.e->act](t, &v);
}

/* --- open and close --------------------------------------------------------------------------- */

static void table_free(struct table *t)
{
	if (!t)
		return;
	source_rings_free(&t->rings);
	source_jobs_free(&t->jobs);
	free(t);
}

static void table_close(void *self)
{
	struct tables *all = self;

	for (size_t i = 0; all->of_row && i < source_n_rows; i++)
		table_free(all->of_row[i]);
	free(all->of_row);
	free(all);
}

/* The fields without which an event names no job. */
static bool names_job(const struct source_row *row, const struct source_event *e,
		      const struct xtr_bind *b)
{
	if (e->act == ACT_SUBMIT)
		return true;
	if (row->fences)
		return b->slot[SF_CTX].width && b->slot[SF_SEQNO].width;
	return b->slot[SF_SEQNO].width || b->slot[SF_ADDR].width || e->act == ACT_SLOT;
}

static bool bind_events(struct table *t)
{
	bool any = false;

	for (size_t i = 0; i < SOURCE_EVENTS_MAX && t->row->event[i].event; i++) {
		const struct source_event *e = &t->row->event[i];
		struct xtr_bind_spec spec = { .event = e->event };

		memcpy(spec.fields, e->field, sizeof(e->field));
		xtr_bind_event(&t->bind[i], t->meta, &spec);
		if (t->bind[i].desc && !names_job(t->row, e, &t->bind[i]))
			t->bind[i].desc = NULL;
		if (!t->bind[i].desc)
			continue;
		any |= !e->field[SF_DRIVER]; /* fences alone are no jobs of this driver */
		t->queues |= e->act == ACT_QUEUE;
		t->runs |= e->act == ACT_RUN || e->act == ACT_SWITCH || e->act == ACT_SLOT;
	}
	return any;
}

static int table_new(struct table **out, const struct source_row *row,
		     const struct xtr_source_env *env)
{
	struct table *t = calloc(1, sizeof(*t));
	int err = 0;

	if (!t)
		return -ENOMEM;
	t->row = row;
	t->meta = env->meta;
	t->tables = env->tables;
	source_jobs_init(&t->jobs);
	if (bind_events(t))
		err = source_rings_init(&t->rings, row, env, t->runs);
	else
		table_free(t), t = NULL;
	for (size_t i = 0; t && !err && i < SOURCE_EVENTS_MAX; i++)
		err = xtr_source_bind(env, t->bind[i].desc, ROLE(row - source_rows, i));
	if (err) {
		table_free(t);
		t = NULL;
	}
	*out = t;
	return err;
}

/*
 * Does the section have the scheduler's own events of jobs, from queue to done? The scheduler of
 * Linux 4.16 to 5.9 has none for run: there a driver's own tell more.
 */
static bool has_scheduler(const struct xtr_meta *meta)
{
	return xtr_meta_event(meta, XTR_EV_JOB_RUN);
}

/* What a scheduler without run tells of the jobs that the row tells of, too, is left out. */
static int leave_out_scheduler(struct tables *all, const struct xtr_source_env *env)
{
	static const uint32_t types[] = { XTR_EV_JOB_QUEUE, XTR_EV_JOB_DONE, XTR_EV_JOB_WAIT_DEP };
	bool runs = false;
	int err = 0;

	for (size_t i = 0; i < source_n_rows; i++)
		runs |= all->of_row[i] && source_rows[i].scheduler && all->of_row[i]->runs;
	for (size_t i = 0; runs && !err && i < sizeof(types) / sizeof(types[0]); i++)
		err = xtr_source_bind(env, xtr_meta_event(env->meta, types[i]), ROLE_LEFT_OUT);
	return err;
}

static int table_open(void **self, const struct xtr_source_env *env)
{
	struct tables *all = calloc(1, sizeof(*all));
	bool scheduler = has_scheduler(env->meta);
	int err = 0;

	if (!all)
		return -ENOMEM;
	*self = all; /* closed by the caller, whatever happened */
	all->of_row = calloc(source_n_rows, sizeof(*all->of_row));
	if (!all->of_row)
		return -ENOMEM;
	for (size_t i = 0; i < source_n_rows && !err; i++)
		if (!(source_rows[i].scheduler && scheduler))
			err = table_new(&all->of_row[i], &source_rows[i], env);
	return err ? err : leave_out_scheduler(all, env);
}

const struct xtr_job_source xtr_source_table = {
	.name = "table",
	.open = table_open,
	.close = table_close,
	.takes = table_takes,
	.event = table_event,
};
