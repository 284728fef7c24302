/* SPDX-License-Identifier: BSD-2-Clause */
#include "piece_border.h"
#include "engine.h"
#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The scheduler of Linux 6.1 does not give a job's fence the error of the hardware's, that of 6.12
 * does (drm_sched_fence_finished). A kernel in between is taken for one that does not.
 */
static bool keeps_errors_back(const struct xtr_meta *meta)
{
	const struct xtr_system *sys = xtr_meta_system(meta);
	unsigned int major, minor;

	return sys && sys->release && sscanf(sys->release, "%u.%u", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 12));
}

/* What an imported trace lacks. */
static void look_at_meta(struct xtr_model *m, const struct xtr_meta *meta)
{
	const struct xtr_event_desc *fence = xtr_meta_event(meta, XTR_EV_FENCE_SIGNALED);
	const char *keys = xtr_meta_config_str(meta, "job-keys");

	m->no_error_in_fence = fence && !xtr_event_field(fence, "error");
	m->error_kept_back = keeps_errors_back(meta);
	m->keys_inferred = keys && !strcmp(keys, "inferred");
	border_init(m, meta);
}

static const uint32_t job_types[] = {
	XTR_EV_JOB_QUEUE,    XTR_EV_JOB_RUN,           XTR_EV_JOB_DONE,
	XTR_EV_JOB_WAIT_DEP, XTR_EV_JOB_UNSCHEDULABLE, XTR_EV_FENCE_SIGNALED,
};
/* Run and done tell whether a ring completes jobs in order, the errors excuse it. */
static const uint32_t order_types[] = { XTR_EV_JOB_RUN, XTR_EV_JOB_DONE, XTR_EV_FENCE_SIGNALED };

static bool has_type(const uint32_t *types, size_t n, uint32_t type)
{
	size_t i;

	for (i = 0; i < n && types[i] != type; i++)
		;
	return i < n;
}

/* Built-in types, and what job sources need: for the verdict too, as their jobs have no names else.
 */
static int list_types(struct xtr_model *m)
{
	static const struct {
		const uint32_t *type;
		size_t n;
	} own[2] = { { job_types, sizeof(job_types) / sizeof(job_types[0]) },
		     { order_types, sizeof(order_types) / sizeof(order_types[0]) } };
	size_t n;
	const uint32_t *more = xtr_job_sources_types(m->sources, &n);

	for (size_t k = 0; k < 2; k++) {
		m->types[k] = malloc((own[k].n + n) * sizeof(uint32_t));
		if (!m->types[k])
			return -ENOMEM;
		memcpy(m->types[k], own[k].type, own[k].n * sizeof(uint32_t));
		m->n_types[k] = own[k].n;
		for (size_t i = 0; i < n; i++)
			if (!has_type(own[k].type, own[k].n, more[i]))
				m->types[k][m->n_types[k]++] = more[i];
	}
	return 0;
}

const uint32_t *xtr_model_types(const struct xtr_model *m, bool order, size_t *n)
{
	*n = m->n_types[order];
	return m->types[order];
}

bool xtr_model_takes(const struct xtr_model *m, const struct xtr_event *ev)
{
	if (ev->gap)
		return true;
	return has_type(job_types, sizeof(job_types) / sizeof(job_types[0]), ev->type) ||
	       xtr_job_sources_take(m->sources, ev->type, ev->rec, ev->size);
}

int xtr_model_new(struct xtr_model **out, const struct xtr_model_opts *opts)
{
	struct xtr_model *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->o = *opts;
	if (!m->o.max_open)
		m->o.max_open = XTR_MAX_OPEN;
	m->free_slots = m->free_deps = NONE;
	m->open = m->held = m->all = (struct slot_list){ NONE, NONE };
	if (opts->meta)
		look_at_meta(m, opts->meta);
	err = xtr_rings_init(&m->rings, opts->meta, opts->tables)
		      ?: xtr_job_sources_open(&m->sources, opts->meta, opts->tables, &m->rings);
	m->told = xtr_job_sources_told(m->sources);
	if (!err)
		err = list_types(m);
	if (err) {
		xtr_model_free(m);
		return err;
	}
	*out = m;
	return 0;
}

void xtr_model_free(struct xtr_model *m)
{
	if (!m)
		return;
	xtr_job_sources_close(m->sources);
	xtr_rings_free(&m->rings);
	xtr_map_free(&m->jobs);
	xtr_map_free(&m->on_hw);
	free(m->types[0]);
	free(m->types[1]);
	xtr_map_free(&m->waiters);
	xtr_gaps_free(&m->gaps);
	free(m->slot);
	free(m->dep);
	free(m);
}

static __attribute__((noinline)) int64_t find_ring(struct xtr_model *m, uint32_t id)
{
	uint32_t n = m->rings.n;
	int64_t i = xtr_rings_get(&m->rings, id);
	uint32_t old;

	if (i >= 0 && m->rings.n > n && m->o.verdict) {
		old = xtr_map_index(&m->o.verdict->rings.by_id, id, 0);
		if (old != NONE)
			m->rings.ring[i].verdict = xtr_ring_measure(&m->o.verdict->rings.ring[old]);
	}
	return i;
}

int64_t xtr_model_ring_index(struct xtr_model *m, uint32_t id)
{
	int64_t i = xtr_rings_cached(&m->rings, id);

	return i >= 0 ? i : find_ring(m, id);
}

/*
 * The slot for an event that begins a stage of a job. A job that has passed this stage already is
 * another one, with the same fence: close it.
 */
static int64_t begin_stage(struct xtr_model *m, const struct xtr_gpu_record *r, int64_t ring,
			   bool passed, uint32_t found)
{
	if (ring < 0)
		return ring;
	if (found != NONE && !passed && m->slot[found].state == SLOT_OPEN)
		return found;
	if (found != NONE && m->slot[found].state == SLOT_OPEN) {
		m->slot[found].job.flags |= XTR_FLAG_RECYCLED;
		m->counts.recycled++;
		slot_hold(m, found);
	}
	return slot_new(m, r, (uint32_t)ring, found);
}

void job_submitter(struct xtr_model *m, struct xtr_job *j, const struct xtr_gpu_record *r,
		   uint64_t ts)
{
	const struct xtr_task *task = xtr_task_cache_get(&m->tasks, m->o.tables, r->tid, ts);

	j->queue_ns = ts;
	j->tid = r->tid;
	j->stack = r->stack;
	if (task) {
		j->pid = task->pid;
		j->nth = task->nth;
		j->comm = task->comm;
	}
}

int job_queued(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	uint32_t found = slot_find(m, r->ctx, r->seqno);
	int64_t i = begin_stage(m, r, ring_index(m, r->ring), found != NONE, found);
	struct xtr_job *j;

	if (i < 0)
		return (int)i;
	slot_place(m, (uint32_t)i, PLACE_QUEUED);
	j = &m->slot[i].job;
	j->client_id = r->client_id;
	j->client_known = r->flags & XTR_JOB_CLIENT_KNOWN;
	j->prio = r->prio;
	j->prio_known = r->prio_known;
	j->kthread = r->flags & XTR_JOB_KTHREAD;
	job_submitter(m, j, r, m->now);
	return 0;
}

/* The ring of a job that others may wait for: not each event of it names one. */
static uint32_t ring_id_of(const struct xtr_model *m, const struct slot *s)
{
	return m->rings.ring[s->ring].id;
}

/* The ring in the run event is where the job really goes: entities may move between schedulers. */
int job_run(struct xtr_model *m, const struct xtr_gpu_record *r, const struct xtr_job_step *from)
{
	uint32_t found = slot_find(m, r->ctx, r->seqno);
	bool passed = found != NONE && m->slot[found].job.run_ns;
	int64_t ring = ring_index(m, r->ring);
	int64_t i = begin_stage(m, r, ring, passed, found);
	struct slot *s;

	if (i < 0)
		return (int)i;
	s = &m->slot[i];
	s->job.others |= !!(r->flags & XTR_JOB_OTHERS);
	wait_end(m, (uint32_t)i, m->now, 0);
	s->job.run_ns = m->now;
	if (from) { /* before others look at its client (shared_hardware.c) */
		step_client(&s->job, from);
		s->job.flags |= from->flags;
	}
	/* Where it moves to another ring, that one's depth changes only once it is there. */
	if (r->ring && s->ring != (uint32_t)ring) {
		slot_place(m, (uint32_t)i, PLACE_NOWHERE);
		s->ring = (uint32_t)ring;
	}
	slot_place(m, (uint32_t)i, PLACE_ON_HW);
	run_list_add(m, (uint32_t)i);
	wait_wake(m, r->ctx, r->seqno, m->now, true, ring_id_of(m, s));
	if (!from)
		s->run_tid = r->tid;
	return 0;
}

/* scheduler: its event, which tells when the hardware ended; else that was now. */
static int done(struct xtr_model *m, const struct xtr_gpu_record *r, bool scheduler)
{
	int64_t i = slot_find(m, r->ctx, r->seqno);
	uint32_t ring_id;
	int64_t ring;

	if (i != NONE && m->slot[i].state == SLOT_HELD) {
		m->counts.duplicates += !m->slot[i].sourced;
		m->slot[i].sourced = false;
		return 0;
	}
	if (i == NONE) {
		ring = ring_index(m, r->ring);
		if (ring < 0)
			return (int)ring;
		i = slot_new(m, r, (uint32_t)ring, NONE);
		if (i < 0)
			return (int)i;
	}
	m->slot[i].job.others |= !!(r->flags & XTR_JOB_OTHERS);
	ring_id = ring_id_of(m, &m->slot[i]);
	job_ended(m, (uint32_t)i, scheduler ? job_end_of(m, &m->slot[i], r) : m->now, r->stream);
	wait_wake(m, r->ctx, r->seqno, m->now, false, ring_id);
	return 0;
}

int job_done(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	return done(m, r, false);
}

static int on_done(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	return done(m, r, true);
}

static int on_run(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	return job_run(m, r, NULL);
}

/*
 * The finished fence's own signal follows its done event. Without one, the done event is missing
 * (the signal then tells when), or the job was killed in the queue: completed with an error, never
 * run.
 */
static int on_signaled(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	uint32_t i = slot_find(m, r->ctx, r->seqno);
	struct slot *s = i != NONE ? &m->slot[i] : NULL;
	uint32_t ring_id = s ? ring_id_of(m, s) : 0;

	if (s && (r->error || !s->job.result_known)) { /* the hardware's fence may know better */
		s->job.error = r->error;
		s->job.result_known = r->error || !(m->no_error_in_fence || m->error_kept_back);
	}
	if (s && s->state == SLOT_OPEN) {
		if (!s->job.run_ns && (r->error || m->no_error_in_fence))
			s->job.flags |= XTR_FLAG_KILLED;
		else
			s->job.flags |= XTR_FLAG_FENCE_DONE;
		if (s->job.flags & XTR_FLAG_KILLED) {
			s->job.done_ns = m->now;
			s->job.stream = r->stream;
			slot_hold(m, i);
		} else {
			job_ended(m, i, job_end_of(m, s, r), r->stream);
		}
	}
	wait_wake(m, r->ctx, r->seqno, m->now, false, ring_id);
	return 0;
}

static int on_wait(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	int64_t i = slot_find(m, r->ctx, r->seqno);
	int64_t ring;

	if (i == NONE) {
		ring = ring_index(m, r->ring);
		if (ring < 0)
			return (int)ring;
		i = slot_new(m, r, (uint32_t)ring, NONE);
		if (i < 0)
			return (int)i;
	}
	return wait_begin(m, (uint32_t)i, r, m->now);
}

/* Hand out held jobs whose fence's signal would have come by now; note when to look again. */
static int release_held(struct xtr_model *m)
{
	int err = 0;

	while (!err && m->held.head != NONE) {
		const struct slot *s = &m->slot[m->held.head];

		if (s->job.done_ns && m->now - s->held_ns <= XTR_HOLD_NS && !m->ended)
			break;
		err = slot_release(m);
	}
	m->due = UINT64_MAX;
	if (m->held.head != NONE)
		m->due = xtr_sat_add(m->slot[m->held.head].held_ns, XTR_HOLD_NS + 1);
	return err;
}

/* 1: the event was a job source's. */
static int source_event(struct xtr_model *m, const struct xtr_event *ev)
{
	struct xtr_job_steps steps;
	int ret = xtr_job_sources_event(m->sources, ev, &steps), err = 0;

	for (size_t i = 0; ret == 1 && i < steps.n && !err; i++)
		err = job_step(m, &steps.step[i]);
	return err ? err : ret;
}

/* Jobs that are due, and job sources. 0: the event is still to be handled; -errno; 1: it is not. */
static __attribute__((noinline)) int before(struct xtr_model *m, const struct xtr_event *ev)
{
	int err = m->now >= m->due || m->ended ? release_held(m) : 0;

	if (!err && m->sources)
		err = source_event(m, ev);
	return err ? err : m->told;
}

/*
 * An event of the scheduler or of fences, of a type that is known when this is compiled: nothing
 * about it is asked twice. Handlers take m->now for its time: it never goes back, so no time is
 * negative.
 */
static inline __attribute__((always_inline)) int scheduler_event(
	struct xtr_model *m, const struct xtr_event *ev, uint32_t type,
	int (*handler)(struct xtr_model *, const struct xtr_gpu_record *))
{
	struct xtr_gpu_record r;
	int got = xtr_gpu_record_as(ev, type, &r), err = 0;

	if ((type == XTR_EV_JOB_QUEUE || type == XTR_EV_JOB_RUN) && m->o.step && got == 1)
		err = m->o.step(m->o.ctx, &r, ev->ts);
	if (err)
		return err;
	if (ev->ts > m->now)
		m->now = ev->ts;
	if (m->now >= m->due || m->sources || m->ended || m->told)
		err = before(m, ev);
	if (err)
		return err < 0 ? err : m->stopped;
	if (got != 1) {
		m->counts.malformed++;
		return 0;
	}
	return handler(m, &r) ?: m->stopped;
}

#define SCHEDULER_EVENT(name, type, handler)                                     \
	static int name##_event(struct xtr_model *m, const struct xtr_event *ev) \
	{                                                                        \
		return scheduler_event(m, ev, XTR_EV_##type, handler);           \
	}

SCHEDULER_EVENT(queue, JOB_QUEUE, job_queued)
SCHEDULER_EVENT(run, JOB_RUN, on_run)
SCHEDULER_EVENT(done, JOB_DONE, on_done)
SCHEDULER_EVENT(wait_dep, JOB_WAIT_DEP, on_wait)
SCHEDULER_EVENT(unschedulable, JOB_UNSCHEDULABLE, on_wait)
SCHEDULER_EVENT(signaled, FENCE_SIGNALED, on_signaled)

static int (*const scheduler_events[])(struct xtr_model *, const struct xtr_event *) = {
	[XTR_EV_JOB_QUEUE] = queue_event,
	[XTR_EV_JOB_RUN] = run_event,
	[XTR_EV_JOB_DONE] = done_event,
	[XTR_EV_JOB_WAIT_DEP] = wait_dep_event,
	[XTR_EV_JOB_UNSCHEDULABLE] = unschedulable_event,
	[XTR_EV_FENCE_SIGNALED] = signaled_event,
};

int job_record(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	static int (*const handlers[])(struct xtr_model *, const struct xtr_gpu_record *) = {
		[XTR_EV_JOB_QUEUE] = job_queued,      [XTR_EV_JOB_RUN] = on_run,
		[XTR_EV_JOB_DONE] = on_done,          [XTR_EV_JOB_WAIT_DEP] = on_wait,
		[XTR_EV_JOB_UNSCHEDULABLE] = on_wait, [XTR_EV_FENCE_SIGNALED] = on_signaled,
	};
	bool counts = r->type == XTR_EV_JOB_QUEUE || r->type == XTR_EV_JOB_RUN;
	int err = counts && m->o.step ? m->o.step(m->o.ctx, r, m->now) : 0;

	return err ?: handlers[r->type](m, r);
}

/* Gaps, and events that only tell the time, or something to a job source. */
static int other_event(struct xtr_model *m, const struct xtr_event *ev)
{
	int err;

	if (ev->ts > m->now)
		m->now = ev->ts;
	if (ev->gap)
		return xtr_gaps_add(&m->gaps, ev->gap->first, ev->gap->last);
	err = before(m, ev);
	return err < 0 ? err : err ? m->stopped : 0;
}

int xtr_model_event(struct xtr_model *m, const struct xtr_event *ev)
{
	if (ev->type < sizeof(scheduler_events) / sizeof(scheduler_events[0]) &&
	    scheduler_events[ev->type])
		return scheduler_events[ev->type](m, ev);
	return other_event(m, ev);
}

uint64_t xtr_model_due(const struct xtr_model *m)
{
	return m->due;
}

void xtr_model_passed(struct xtr_model *m, uint64_t ts)
{
	if (ts > m->now)
		m->now = ts;
}

int xtr_model_advance(struct xtr_model *m, uint64_t ts)
{
	xtr_model_passed(m, ts);
	return m->now >= m->due ? release_held(m) : 0;
}

int xtr_model_finish(struct xtr_model *m)
{
	int err;

	m->ended = true;
	border_ends(m);
	err = release_held(m);
	while (!err && m->open.head != NONE) {
		slot_hold(m, m->open.head);
		err = release_held(m);
	}
	return err;
}

const struct xtr_model_counts *xtr_model_counts(const struct xtr_model *m)
{
	return &m->counts;
}

size_t xtr_model_n_rings(const struct xtr_model *m)
{
	return m->rings.n;
}

const struct xtr_model_ring *xtr_model_ring(const struct xtr_model *m, size_t i)
{
	return i < m->rings.n ? &m->rings.ring[i] : NULL;
}

const struct xtr_model_ring *xtr_model_ring_by_id(const struct xtr_model *m, uint32_t id)
{
	uint32_t i = xtr_map_index(&m->rings.by_id, id, 0);

	return i != NONE ? &m->rings.ring[i] : NULL;
}

size_t xtr_model_n_devices(const struct xtr_model *m)
{
	return m->rings.n_dev;
}

const struct xtr_model_device *xtr_model_device(const struct xtr_model *m, size_t i)
{
	return i < m->rings.n_dev ? &m->rings.dev[i] : NULL;
}

uint64_t xtr_model_horizon(const struct xtr_model *m)
{
	return m->all.head != NONE ? m->slot[m->all.head].first_ns : m->now;
}
