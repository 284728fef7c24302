/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs and their hardware fences. A job is named by its queue's life and lrc_seqno, from exec (it
 * is pushed to the scheduler) until it is freed. It has ended when all its hardware fences are
 * signalled: those that its thread created with its number before exec (one for each engine of a
 * parallel queue), or the one at its pointer. Where the trace has no events for signals, being
 * freed is the latest that the end can be.
 *
 * The jobs of one queue execute one after the other, but its engine serves other queues too:
 * between run and signal is an upper bound of execution. Time of a class of engines is the union of
 * these.
 */
#include "xe_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

#define NONE XTR_MAP_NONE

static uint64_t pointer_key(uint32_t dev)
{
	return dev;
}

static void unlink_job(struct xe *x, uint32_t i)
{
	struct xe_job *j = &x->job[i];

	if (j->prev != NONE)
		x->job[j->prev].next = j->next;
	else
		x->head = j->next;
	if (j->next != NONE)
		x->job[j->next].prev = j->prev;
	else
		x->tail = j->prev;
}

static void job_free(struct xe *x, uint32_t i)
{
	struct xe_job *j = &x->job[i];
	const struct xe_queue *q = &x->queue[j->queue];

	for (uint32_t k = 0; k < j->n_ctx; k++)
		if (xtr_map_index(&x->by_fence, j->ctx[k], j->seqno) == i)
			xtr_map_del(&x->by_fence, j->ctx[k], j->seqno);
	xtr_map_del(&x->by_seqno, j->queue, j->seqno);
	if (j->pointer && xtr_map_index(&x->by_pointer, j->pointer, pointer_key(q->dev)) == i)
		xtr_map_del(&x->by_pointer, j->pointer, pointer_key(q->dev));
	unlink_job(x, i);
	j->next = x->free_jobs;
	x->free_jobs = i;
}

static int64_t job_new(struct xe *x, uint32_t queue, uint32_t seqno)
{
	struct xe_job *j;
	uint32_t i;

	if (!x->job)
		x->job = calloc(XE_JOBS_MAX, sizeof(*x->job));
	if (!x->job)
		return -ENOMEM;
	if (x->free_jobs == NONE && x->n_jobs == XE_JOBS_MAX) {
		if (x->job[x->head].counted && !x->job[x->head].done)
			x->queue[x->job[x->head].queue].open++;
		x->evicted++;
		job_free(x, x->head);
	}
	i = x->free_jobs;
	if (i != NONE)
		x->free_jobs = x->job[i].next;
	else
		i = x->n_jobs++;
	j = &x->job[i];
	*j = (struct xe_job){ .queue = queue, .seqno = seqno, .next = NONE, .prev = x->tail };
	if (x->tail != NONE)
		x->job[x->tail].next = i;
	else
		x->head = i;
	x->tail = i;
	return xtr_map_put(&x->by_seqno, queue, seqno, i) ? -ENOMEM : (int64_t)i;
}

/* --- hardware fences -------------------------------------------------------------------------- */

static int claim(struct xe *x, struct xe_fence *f, uint32_t i)
{
	struct xe_job *j = &x->job[i];

	f->used = false;
	j->ctx[j->n_ctx++] = f->ctx;
	j->fences++;
	return xtr_map_put(&x->by_fence, f->ctx, f->seqno, i) ? -ENOMEM : 0;
}

/* The fences that the job's thread has just created for it. */
static int claim_fences(struct xe *x, uint32_t i, uint32_t dev, uint32_t tid)
{
	const struct xe_job *j = &x->job[i];
	int err = 0;

	for (uint32_t k = 0; k < XE_FENCES_MAX && j->n_ctx < XE_WIDTH_MAX && !err; k++) {
		struct xe_fence *f = &x->fence[k];

		if (f->used && f->dev == dev && f->seqno == j->seqno &&
		    (f->tid == tid || (f->pointer && f->pointer == j->pointer)))
			err = claim(x, f, i);
	}
	return err;
}

static int set_pointer(struct xe *x, uint32_t i, uint64_t pointer)
{
	struct xe_job *j = &x->job[i];

	if (!pointer || j->pointer)
		return 0;
	j->pointer = pointer;
	return xtr_map_put(&x->by_pointer, pointer, pointer_key(x->queue[j->queue].dev), i)
		       ? -ENOMEM
		       : 0;
}

/* --- the end of a job ------------------------------------------------------------------------- */

/* No later interval can begin before the first run of a job that is open. */
static uint64_t horizon(const struct xe *x)
{
	uint64_t first = x->now;

	for (uint32_t i = x->head; i != NONE; i = x->job[i].next)
		if (!x->job[i].done && x->job[i].run_ns && x->job[i].run_ns < first)
			first = x->job[i].run_ns;
	return first;
}

static int count_time(struct xe *x, struct xe_queue *q, const struct xe_job *j, uint64_t ts)
{
	struct xe_class *c = &x->device[q->dev].class[xe_class_index(q->class)];
	uint64_t from = j->run_ns > q->prev_done ? j->run_ns : q->prev_done;
	int err = xtr_hist_add_within(&q->residence, ts - j->run_ns, &x->hist_left);

	q->busy_ns += ts - from;
	q->done++;
	c->jobs++;
	c->residence_ns += ts - j->run_ns;
	if (!err && xtr_busy_full(&c->busy))
		xtr_busy_forget(&c->busy, horizon(x));
	return err ? err : xtr_busy_add(&c->busy, j->run_ns, ts);
}

static int job_done(struct xe *x, uint32_t i, uint64_t ts)
{
	struct xe_job *j = &x->job[i];
	struct xe_queue *q = &x->queue[j->queue];
	int err = 0;

	if (j->done)
		return 0;
	j->done = true;
	if (j->counted && j->run_ns)
		err = count_time(x, q, j, ts);
	else if (j->counted)
		q->open++;
	if (ts > q->prev_done)
		q->prev_done = ts;
	return err;
}

static int on_signal(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		     uint32_t dev, bool inside)
{
	uint64_t ctx = xtr_bind_u64(b, 1, ev), seqno = xtr_bind_u64(b, 2, ev);
	uint32_t i = xtr_map_index(&x->by_fence, ctx, seqno);
	struct xe_job *j;

	if (i != NONE) {
		xtr_map_del(&x->by_fence, ctx, seqno);
		j = &x->job[i];
		return --j->fences ? 0 : job_done(x, i, ev->ts);
	}
	i = xtr_map_index(&x->by_pointer, xtr_bind_u64(b, 3, ev), pointer_key(dev));
	if (i == NONE || x->job[i].fences) {
		x->orphans += inside;
		return 0;
	}
	return job_done(x, i, ev->ts);
}

int xe_fence_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   uint32_t kind, bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);

	if (dev < 0)
		return (int)dev;
	if (kind == XE_FENCE_TRY) {
		x->try_signals += inside;
		return 0;
	}
	if (kind == XE_FENCE_SIGNAL)
		return on_signal(x, b, ev, (uint32_t)dev, inside);
	x->fence[x->next_fence++ % XE_FENCES_MAX] = (struct xe_fence){
		.used = true,
		.dev = (uint32_t)dev,
		.tid = ev->tid,
		.ctx = xtr_bind_u64(b, 1, ev),
		.seqno = (uint32_t)xtr_bind_u64(b, 2, ev),
		.pointer = xtr_bind_u64(b, 3, ev),
	};
	return 0;
}

/* --- events of jobs --------------------------------------------------------------------------- */

static int64_t job_get(struct xe *x, uint32_t queue, const struct xtr_bind *b,
		       const struct xtr_event *ev, bool inside)
{
	uint32_t seqno = (uint32_t)xtr_bind_u64(b, 3, ev);
	int64_t i = xtr_map_index(&x->by_seqno, queue, seqno);

	if (i == NONE) {
		i = job_new(x, queue, seqno);
		if (i >= 0)
			x->job[i].counted = inside;
	}
	if (i >= 0 && set_pointer(x, (uint32_t)i, xtr_bind_u64(b, 4, ev)))
		return -ENOMEM;
	return i;
}

static int on_exec(struct xe *x, struct xe_queue *q, const struct xtr_bind *b,
		   const struct xtr_event *ev, bool inside)
{
	uint32_t queue = (uint32_t)(q - x->queue);
	uint32_t old = xtr_map_index(&x->by_seqno, queue, xtr_bind_u64(b, 3, ev));
	const struct xtr_task *task =
		x->o->tables ? xtr_tables_task(x->o->tables, ev->tid, ev->ts) : NULL;
	int64_t i;

	if (old != NONE && x->job[old].exec_ns)
		job_free(x, old); /* its end was lost */
	if (task && !q->process) {
		q->process = xtr_process_of(task);
		q->comm = task->comm;
	}
	i = job_get(x, queue, b, ev, inside);
	if (i < 0)
		return (int)i;
	x->job[i].exec_ns = ev->ts;
	return claim_fences(x, (uint32_t)i, q->dev, ev->tid);
}

static int on_run(struct xe *x, struct xe_queue *q, const struct xtr_bind *b,
		  const struct xtr_event *ev, bool inside)
{
	int64_t i = job_get(x, (uint32_t)(q - x->queue), b, ev, inside);
	struct xe_job *j;

	if (i < 0)
		return (int)i;
	j = &x->job[i];
	if (j->run_ns)
		return 0; /* handed over again after a reset */
	j->run_ns = ev->ts;
	if (j->exec_ns && j->counted)
		return xtr_hist_add_within(&q->wait, ev->ts - j->exec_ns, &x->hist_left);
	return 0;
}

static int on_free(struct xe *x, struct xe_queue *q, const struct xtr_bind *b,
		   const struct xtr_event *ev)
{
	uint32_t i = xtr_map_index(&x->by_seqno, (uint64_t)(q - x->queue), xtr_bind_u64(b, 3, ev));
	const struct xe_job *j = i != NONE ? &x->job[i] : NULL;
	int err = 0;

	if (!j)
		return 0;
	if (!j->done && !x->has_signals) {
		err = job_done(x, i, ev->ts);
	} else if (!j->done && j->counted) {
		q->unsignaled++;
		if (j->run_ns && ev->ts - j->run_ns < XE_INSTANT_NS && !q->instant++)
			q->instant_ns = j->run_ns;
	}
	job_free(x, i);
	return err;
}

/* A queue of which all is over has no jobs: they are those of the next with its number. */
static struct xe_queue *queue_of_job(struct xe *x, const struct xtr_bind *b,
				     const struct xtr_event *ev, uint32_t kind, int *ret)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint32_t gt = (uint32_t)xtr_bind_u64(b, 1, ev), guc = (uint32_t)xtr_bind_u64(b, 2, ev), i;
	struct xe_queue *q;

	*ret = dev < 0 ? (int)dev : 0;
	if (dev < 0)
		return NULL;
	q = xe_queue_of(x, (uint32_t)dev, gt, guc, ev, ret);
	if (!q || !q->ended || (kind != XE_JOB_CREATE && kind != XE_JOB_EXEC))
		return q;
	i = (uint32_t)(q - x->queue);
	xtr_map_del(&x->by_guc, (uint64_t)dev << 32 | gt, guc);
	q = xe_queue_of(x, (uint32_t)dev, gt, guc, ev, ret);
	if (q)
		q->older = i;
	return q;
}

int xe_job_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		 bool inside)
{
	int err;
	struct xe_queue *q = queue_of_job(x, b, ev, kind, &err);

	if (!q) {
		if (!err && inside && !x->rest.job[kind]++)
			x->rest.job_first_ns[kind] = ev->ts;
		return err;
	}
	if (inside && !q->job[kind]++)
		q->job_first_ns[kind] = ev->ts;
	switch (kind) {
	case XE_JOB_EXEC:
		return on_exec(x, q, b, ev, inside);
	case XE_JOB_RUN:
		return on_run(x, q, b, ev, inside);
	case XE_JOB_FREE:
		return on_free(x, q, b, ev);
	case XE_JOB_SET_ERROR:
		if (inside && !q->first_error)
			q->first_error = (int32_t)xtr_bind_s64(b, 5, ev);
		return 0;
	default:
		return 0;
	}
}

void xe_jobs_finish(struct xe *x)
{
	for (uint32_t i = x->head; i != NONE; i = x->job[i].next)
		if (x->job[i].counted && !x->job[i].done)
			x->queue[x->job[i].queue].open++;
	for (uint32_t i = 0; i < x->n_queues; i++)
		x->device[x->queue[i].dev].class[xe_class_index(x->queue[i].class)].queues++;
}
