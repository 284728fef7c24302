/* SPDX-License-Identifier: BSD-2-Clause */
/* What an event of a row means for a job (enum source_act): from the event to steps. */
#include "source_act.h"
#include "replay/event/field.h"

#include <string.h>

/* Made-up contexts: of row r from MADE_UP(r) on, for 2^33 of its contexts and rings. */
#define MADE_UP(row) (XTR_SOURCE_CONTEXT + ((uint64_t)(row) + 1) * (1ull << 33))
#define OF_A_RING    (1ull << 32)

/*
 * The hardware's fence and the scheduler's that follows from it are signalled in one call chain
 * (dma_fence_signal, drm_sched_job_done): less lies between them than this.
 */
#define CHAIN_NS 20000u
/* Older jobs of a ring that are looked at when one is run. */
#define PASSED_LOOK 256u
/* A switch is told of by an interrupt's handler, or a worker of the firmware's log. */
#define SWITCH_TOLD_NS 1000000000u

/* --- names ------------------------------------------------------------------------------------ */

static size_t row_index(const struct source_table *t)
{
	return (size_t)(t->row - source_rows);
}

struct source_name source_name_of(const struct source_table *t, const struct xtr_bind *b,
				  const struct xtr_event *ev, uint32_t ring)
{
	uint64_t ctx = xtr_bind_u64(b, SF_CTX, ev), seqno = xtr_bind_u64(b, SF_SEQNO, ev);
	struct source_name n = { .numbered = xtr_bind_has(b, SF_SEQNO) };

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

uint32_t source_known(const struct source_table *t, const struct source_name *n)
{
	return source_jobs_find(&t->jobs, n->key[0], n->key[1]);
}

struct xtr_job_step *source_step(const struct source_table *t, struct xtr_job_steps *out,
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

static int64_t new_job(struct source_table *t, const struct source_name *n, uint32_t ring)
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

static uint32_t submitter(const struct source_seen *v)
{
	uint64_t tid;

	return xtr_bind_get(v->b, SF_TID, v->ev, &tid) ? (uint32_t)tid : v->ev->tid;
}

static void say_queued(const struct source_table *t, const struct source_seen *v,
		       const struct source_job *j)
{
	struct xtr_job_step *s = source_step(t, v->out, XTR_STEP_QUEUE, j, v->ev);

	s->r.tid = submitter(v);
	s->r.stack = xtr_field_stack_id(xtr_field_own_stack(v->b->desc), v->ev->rec, v->ev->size);
}

static uint8_t number_of_ring(const struct source_seen *v)
{
	uint64_t n = v->e->ring;

	if (v->e->ring == SOURCE_RING_FIELD)
		n = xtr_bind_u64(v->b, SF_RING, v->ev);
	return n < SOURCE_RINGS_MAX ? (uint8_t)n : SOURCE_RINGS_MAX;
}

static bool submission_of(struct source_table *t, const struct source_seen *v,
			  struct source_submit *from)
{
	bool by_addr = xtr_bind_has(v->b, SF_ADDR);

	return source_submits_take(&t->submits, by_addr, xtr_bind_u64(v->b, SF_ADDR, v->ev),
				   number_of_ring(v), from) ||
	       (by_addr && source_submits_of(&t->submits, from));
}

static void say_run(struct source_table *t, const struct source_seen *v, uint32_t i)
{
	struct source_job *j = &t->jobs.job[i];
	struct xtr_job_step *s =
		source_step(t, v->out, j->run_ns ? XTR_STEP_HANDED : XTR_STEP_RUN, j, v->ev);
	struct source_submit from;

	j->run_hw_ns = source_read_clock(t, v);
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

/*
 * Contexts are the scheduler's entities, which are queues (drm_sched_entity.c): those of the same
 * context that were queued before were run, unseen. What there is no step for is told next time.
 */
static void pass_older(struct source_table *t, const struct source_seen *v, uint32_t i)
{
	uint64_t ctx = t->jobs.job[i].key[0];
	uint32_t n = 0;

	for (i = t->jobs.job[i].ring_prev; i != SOURCE_JOBS_NONE && n < PASSED_LOOK; n++) {
		struct source_job *j = &t->jobs.job[i];

		if (v->out->n + 1 == XTR_STEPS_MAX)
			break;
		if (j->key[0] == ctx && !j->run_ns && !j->passed) {
			j->passed = true;
			source_step(t, v->out, XTR_STEP_PASSED, j, v->ev);
		}
		i = j->ring_prev;
	}
}

static int begin(struct source_table *t, struct source_seen *v)
{
	int64_t i = new_job(t, &v->name, v->ring);

	if (i < 0)
		return (int)i;
	v->job = (uint32_t)i;
	return 0;
}

static int on_submit(struct source_table *t, struct source_seen *v)
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

static int on_queue(struct source_table *t, struct source_seen *v)
{
	int err = t->joined ? 0 : begin(t, v);

	if (t->joined || err)
		return err;
	say_queued(t, v, &t->jobs.job[v->job]);
	if (!t->runs)
		say_run(t, v, v->job);
	return 0;
}

/*
 * drm_sched_run_job_work calls the driver's run_job() right behind its own event, in which the
 * driver's event comes: both are of one job.
 */
static int join(struct source_table *t, struct source_seen *v)
{
	struct source_joint *k = &t->joint[v->ev->tid % SOURCE_JOINTS];
	struct source_job *j;
	int err;

	if (!k->tid || k->tid != v->ev->tid)
		return 0;
	err = begin(t, v);
	if (err)
		return err;
	j = &t->jobs.job[v->job];
	j->ctx = k->ctx;
	j->seqno = k->seqno;
	j->run_ns = v->ev->ts;
	j->run_hw_ns = source_read_clock(t, v);
	k->tid = 0;
	return 0;
}

/* Where the event tells who submitted, that is worth as much as an event for it. */
static int run_alone(struct source_table *t, struct source_seen *v)
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
	if (t->row->fences)
		pass_older(t, v, v->job);
	return 0;
}

static int on_run(struct source_table *t, struct source_seen *v)
{
	return t->joined ? join(t, v) : run_alone(t, v);
}

struct source_job source_unseen(struct source_table *t, const struct source_seen *v)
{
	return (struct source_job){ .ctx = v->name.ctx,
				    .seqno = v->name.numbered ? v->name.seqno : ++t->number,
				    .ring = v->ring };
}

static int on_done(struct source_table *t, struct source_seen *v)
{
	struct source_job unknown = source_unseen(t, v);

	source_step(t, v->out, XTR_STEP_DONE,
		    v->job == SOURCE_JOBS_NONE ? &unknown : &t->jobs.job[v->job], v->ev);
	if (v->job != SOURCE_JOBS_NONE)
		source_jobs_forget(&t->jobs, v->job);
	return 0;
}

/* --- fences and counters ---------------------------------------------------------------------- */

/* A job's fence was signalled: right behind the hardware's, which is when the job ended. */
static int on_fence(struct source_table *t, struct source_seen *v)
{
	const struct source_hw_fence *hw = &t->hw[v->ev->stream % SOURCE_CPUS];
	const struct source_job *j;
	struct xtr_job_step *s;
	int32_t error = (int32_t)xtr_bind_s64(v->b, SF_ERROR, v->ev);

	if (v->job == SOURCE_JOBS_NONE) { /* the hardware's */
		t->hw[v->ev->stream % SOURCE_CPUS] = (struct source_hw_fence){
			.ts = v->ev->ts,
			.stream = v->ev->stream,
			.tid = v->ev->tid,
			.timeline = (uint32_t)xtr_bind_u64(v->b, SF_TIMELINE, v->ev),
		};
		return 0;
	}
	j = &t->jobs.job[v->job];
	s = source_step(t, v->out, !j->run_ns && error && t->runs ? XTR_STEP_FAILED : XTR_STEP_DONE,
			j, v->ev);
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
static int on_reached(struct source_table *t, struct source_seen *v)
{
	uint32_t i = SOURCE_JOBS_NONE;

	while (v->job != SOURCE_JOBS_NONE && i != v->job && v->out->n + 1 < XTR_STEPS_MAX) {
		struct xtr_job_step *s;

		i = source_jobs_oldest(&t->jobs, t->jobs.job[v->job].ring);
		s = source_step(t, v->out, XTR_STEP_DONE, &t->jobs.job[i], v->ev);
		if (i != v->job || v->e->act == ACT_SEEN)
			s->flags |= XTR_FLAG_LATE;
		source_jobs_forget(&t->jobs, i);
	}
	return 0;
}

/* The driver forgets the job: it had ended. */
static int on_gone(struct source_table *t, struct source_seen *v)
{
	if (v->job == SOURCE_JOBS_NONE)
		return 0;
	source_step(t, v->out, XTR_STEP_DONE, &t->jobs.job[v->job], v->ev)->flags |= XTR_FLAG_LATE;
	source_jobs_forget(&t->jobs, v->job);
	return 0;
}

/* --- switches and slots ----------------------------------------------------------------------- */

/* The time of the switch: drivers may have told of it by a clock that only looks like the trace's.
 */
static uint64_t switched_at(const struct source_seen *v)
{
	uint64_t at = 0, sec;

	if (!xtr_bind_get(v->b, SF_START, v->ev, &at) && xtr_bind_get(v->b, SF_SEC, v->ev, &sec) &&
	    sec < UINT64_MAX / 2000000000)
		at = sec * 1000000000 + xtr_bind_u64(v->b, SF_USEC, v->ev) * 1000;
	if (!at || at > v->ev->ts || v->ev->ts - at > SWITCH_TOLD_NS)
		return v->ev->ts;
	return at;
}

static int on_switch(struct source_table *t, struct source_seen *v)
{
	struct source_switched *now = &t->current[v->ring];
	uint64_t at = switched_at(v);
	uint32_t before =
		now->on ? source_jobs_find(&t->jobs, now->key[0], now->key[1]) : SOURCE_JOBS_NONE;
	struct xtr_job_step *s;
	int err;

	if (before != SOURCE_JOBS_NONE && before == v->job)
		return 0;
	if (before != SOURCE_JOBS_NONE) {
		s = source_step(t, v->out, XTR_STEP_MEASURED, &t->jobs.job[before], v->ev);
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
static int on_slot(struct source_table *t, struct source_seen *v)
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
		source_step(t, v->out, XTR_STEP_DONE, &t->jobs.job[i], v->ev);
		source_jobs_forget(&t->jobs, i);
	}
	return err;
}

int source_act(struct source_table *t, struct source_seen *v)
{
	static int (*const acts[])(struct source_table *, struct source_seen *) = {
		[ACT_SUBMIT] = on_submit,   [ACT_QUEUE] = on_queue,
		[ACT_RUN] = on_run,         [ACT_DONE] = on_done,
		[ACT_FENCE] = on_fence,     [ACT_MEASURED] = source_measured,
		[ACT_REACHED] = on_reached, [ACT_SEEN] = on_reached,
		[ACT_GONE] = on_gone,       [ACT_SWITCH] = on_switch,
		[ACT_SLOT] = on_slot,
	};

	return acts[v->e->act](t, v);
}
