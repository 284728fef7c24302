/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs, and whether a CPU made them late: the threads that submitted, ran and completed them. Which
 * thread ran a job is the thread of its run event; the time before is divided among causes when the
 * job is settled, as only then its dependencies are known.
 */
#include "cpu_impl.h"
#include "analysis/core/ring_text.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

static void remove_job(struct cpu *c, uint32_t i)
{
	struct cpu_job *j = &c->job[i];

	if (j->prev != NONE)
		c->job[j->prev].next = j->next;
	else
		c->first_job = j->next;
	if (j->next != NONE)
		c->job[j->next].prev = j->prev;
	else
		c->last_job = j->prev;
	xtr_map_del(&c->by_job, j->ctx, j->seqno);
	j->next = c->free_job;
	c->free_job = i;
}

static int64_t slot(struct cpu *c)
{
	uint32_t i, cap = c->cap_jobs ? c->cap_jobs * 2 : 64;
	struct cpu_job *more;

	if (c->free_job == NONE && c->n_jobs == CPU_JOBS_MAX)
		remove_job(c, c->first_job);
	i = c->free_job;
	if (i != NONE) {
		c->free_job = c->job[i].next;
		return i;
	}
	if (c->n_jobs == c->cap_jobs) {
		more = reallocarray(c->job, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->job = more;
		c->cap_jobs = cap;
	}
	return c->n_jobs++;
}

/* NULL: there is none, or no memory (*ret). */
static struct cpu_job *job_of(struct cpu *c, uint64_t ctx, uint64_t seqno, bool make, int *ret)
{
	uint32_t at = xtr_map_index(&c->by_job, ctx, seqno);
	int64_t i;

	*ret = 0;
	if (at != NONE && !make)
		return &c->job[at];
	if (!make)
		return NULL;
	if (at != NONE)
		remove_job(c, at);
	i = slot(c);
	if (i < 0 || xtr_map_put(&c->by_job, ctx, seqno, (uint32_t)i)) {
		*ret = -ENOMEM;
		return NULL;
	}
	c->job[i] =
		(struct cpu_job){ .ctx = ctx, .seqno = seqno, .prev = c->last_job, .next = NONE };
	if (c->last_job != NONE)
		c->job[c->last_job].next = (uint32_t)i;
	else
		c->first_job = (uint32_t)i;
	c->last_job = (uint32_t)i;
	return &c->job[i];
}

static bool is_kthread(const struct cpu *c, uint32_t tid, uint64_t ts)
{
	const struct xtr_task *task =
		tid && c->o->tables ? xtr_tables_task(c->o->tables, tid, ts) : NULL;

	return task && task->flags & XTR_TASK_KTHREAD;
}

/* The submitter waited for a CPU since it was woken, or since it queued its last job. */
static void queued(struct cpu_job *j, struct cpu_thread *t, const struct xtr_runq_thread *q,
		   const struct xtr_event *ev)
{
	uint64_t from = q->woken_ns > t->last_queue_ns ? q->woken_ns : t->last_queue_ns;
	struct xtr_runq_span s[XTR_RUNQ_SPANS];
	uint32_t n = xtr_runq_spans(q, from, ev->ts, s);

	j->queue_ns = ev->ts;
	j->queue_tid = ev->tid;
	j->submit_known = true;
	j->submit_ns = xtr_runq_spans_ns(s, n);
	j->submit_by = xtr_runq_holder_of(s, n);
	t->last_queue_ns = ev->ts;
	t->roles |= CPU_SUBMITS;
}

static void run(struct cpu_job *j, struct cpu_thread *t, const struct xtr_runq_thread *q,
		const struct xtr_event *ev)
{
	j->run_ns = ev->ts;
	j->run_tid = ev->tid;
	j->n_spans = xtr_runq_spans(q, j->queue_ns, ev->ts, j->span);
	t->roles |= CPU_RUNS;
}

/* A thread that was woken to complete it: the wait of that wake-up, if it came after the run. */
static void done(struct cpu_job *j, struct cpu_thread *t, const struct xtr_runq_thread *q,
		 const struct xtr_event *ev)
{
	const struct xtr_runq_span *last =
		q->n_spans ? &q->span[(q->n_spans - 1) % XTR_RUNQ_SPANS] : NULL;

	t->roles |= CPU_COMPLETES;
	j->done_known = true;
	if (!last || last->from < j->run_ns || last->to > ev->ts)
		return;
	j->done_ns = last->to - last->from;
	j->done_by = last->by;
}

int cpu_job_event(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev,
		  bool in_handler)
{
	const struct xtr_runq_thread *q;
	struct cpu_thread *t;
	struct cpu_job *j;
	int err;

	if (!ev->tid || !c->knows_sched)
		return 0;
	if (b->role == CPU_EV_DONE && (in_handler || !is_kthread(c, ev->tid, ev->ts)))
		return 0;
	t = cpu_thread(c, ev->tid, &err);
	if (!t)
		return err;
	if (b->role == CPU_EV_WAIT) {
		t->roles |= CPU_WAITS;
		return 0;
	}
	j = job_of(c, xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev), b->role == CPU_EV_QUEUE,
		   &err);
	if (!j)
		return err;
	q = &c->queue.thread[t - c->thread];
	if (b->role == CPU_EV_QUEUE)
		queued(j, t, q, ev);
	else if (b->role == CPU_EV_RUN)
		run(j, t, q, ev);
	else
		done(j, t, q, ev);
	return 0;
}

/* --- rings ------------------------------------------------------------------------------------ */

static int64_t ring_of(struct cpu *c, const struct xtr_model_ring *ring)
{
	uint32_t i = xtr_map_index(&c->by_ring, ring->id, 0);
	uint32_t cap = c->cap_rings ? c->cap_rings * 2 : 16;
	struct cpu_ring *more;

	if (i != NONE)
		return i;
	if (c->n_rings == CPU_RINGS_MAX)
		return CPU_RINGS_MAX;
	if (c->n_rings == c->cap_rings) {
		more = reallocarray(c->ring, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->ring = more;
		c->cap_rings = cap;
	}
	if (xtr_map_put(&c->by_ring, ring->id, 0, c->n_rings))
		return -ENOMEM;
	i = c->n_rings++;
	c->ring[i] = (struct cpu_ring){ .id = ring->id, .limit = ring->limit };
	xtr_ring_text(ring, "(unknown)", c->ring[i].name, sizeof(c->ring[i].name));
	return i;
}

/* Jobs of the ring on the hardware at this moment, of those that were done before this one. */
static uint32_t on_hardware(const struct cpu_ring *r, uint64_t ts)
{
	uint32_t n = r->n < CPU_RING_JOBS ? r->n : CPU_RING_JOBS, busy = 0;

	for (uint32_t i = 0; i < n; i++)
		busy += r->job[i].from <= ts && ts < r->job[i].to;
	return busy;
}

/* --- lateness --------------------------------------------------------------------------------- */

static int by_time(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static enum cpu_cause cause_at(const struct cpu_job *j, const struct cpu_ring *r, uint64_t ts)
{
	uint32_t limit = r->limit ? r->limit : 1;

	for (uint32_t i = 0; i < j->n_spans; i++)
		if (j->span[i].from <= ts && ts < j->span[i].to)
			return CPU_CAUSE_CPU;
	return on_hardware(r, ts) >= limit ? CPU_CAUSE_GPU : CPU_CAUSE_OTHER;
}

/* Divide the time from ready to run: between two bounds of stretches the cause is one. */
static void divide(const struct cpu_job *j, const struct cpu_ring *r, struct cpu_late *late)
{
	uint64_t at[2 * (XTR_RUNQ_SPANS + CPU_RING_JOBS) + 2];
	uint32_t n = 0, jobs = r->n < CPU_RING_JOBS ? r->n : CPU_RING_JOBS;

	at[n++] = late->ready_ns;
	at[n++] = late->run_ns;
	for (uint32_t i = 0; i < j->n_spans; i++) {
		at[n++] = j->span[i].from;
		at[n++] = j->span[i].to;
	}
	for (uint32_t i = 0; i < jobs; i++) {
		at[n++] = r->job[i].from;
		at[n++] = r->job[i].to;
	}
	qsort(at, n, sizeof(*at), by_time);
	for (uint32_t i = 0; i + 1 < n; i++)
		if (at[i] >= late->ready_ns && at[i + 1] <= late->run_ns)
			late->ns[cause_at(j, r, at[i])] += at[i + 1] - at[i];
	for (uint32_t i = 0; i < CPU_CAUSES; i++)
		if (late->ns[i] > late->ns[late->cause])
			late->cause = i;
}

static void keep(struct cpu *c, const struct cpu_late *late)
{
	uint64_t ns = late->run_ns - late->ready_ns;
	uint32_t i = c->n_list;

	if (i == c->o->top && (!i || ns <= c->list[i - 1].run_ns - c->list[i - 1].ready_ns))
		return;
	if (i < c->o->top)
		c->n_list++;
	else
		i--;
	for (; i && c->list[i - 1].run_ns - c->list[i - 1].ready_ns < ns; i--)
		c->list[i] = c->list[i - 1];
	c->list[i] = *late;
}

/* Who had the CPU while the job was ready and the thread that ran it waited. */
static void add_holder(struct cpu *c, const struct cpu_job *one, uint64_t ready)
{
	struct xtr_runq_span s[XTR_RUNQ_SPANS];
	struct xtr_runq_holder by;
	uint32_t n = 0;

	for (uint32_t i = 0; i < one->n_spans; i++) {
		s[n] = one->span[i];
		n += xtr_runq_cut(&s[n], ready, one->run_ns);
	}
	by = xtr_runq_holder_of(s, n);
	cpu_holder_late(c, &by, xtr_runq_spans_ns(s, n));
}

static void add_late(struct cpu *c, const struct cpu_job *one, uint32_t ring, uint64_t ready)
{
	struct cpu_late late = { .ctx = one->ctx,
				 .seqno = one->seqno,
				 .ready_ns = ready,
				 .run_ns = one->run_ns,
				 .ring = ring,
				 .tid = one->run_tid };

	divide(one, &c->ring[ring], &late);
	c->late++;
	for (unsigned int i = 0; i < CPU_CAUSES; i++)
		c->late_ns[i] += late.ns[i];
	if (late.cause == CPU_CAUSE_CPU)
		add_holder(c, one, ready);
	if (late.cause == CPU_CAUSE_CPU && !c->late_by[CPU_CAUSE_CPU])
		c->late_first = (struct cpu_name){ one->ctx, one->seqno };
	if (late.cause == CPU_CAUSE_CPU && c->late_by[CPU_CAUSE_CPU] < XTR_FINDING_EVENTS_MAX + 1)
		c->late_at_ns[c->late_by[CPU_CAUSE_CPU]] = late.run_ns;
	c->late_by[late.cause]++;
	keep(c, &late);
}

static int add_sum(struct cpu *c, struct cpu_sum *s, const struct cpu_job *one, uint64_t ns,
		   const struct xtr_runq_holder *by, uint64_t ts)
{
	s->n++;
	if (ns > CPU_LATE_NS) {
		cpu_holder_late(c, by, ns);
		if (!s->late)
			s->first = (struct cpu_name){ one->ctx, one->seqno };
		if (s->late < XTR_FINDING_EVENTS_MAX + 1)
			s->at_ns[s->late] = ts;
		s->late++;
		s->late_ns += ns;
	}
	return xtr_hist_add(&s->time, ns);
}

/* A job can be run when it is queued and the fences that it waited for are signalled. */
static uint64_t ready_ns(const struct xtr_job *j)
{
	uint64_t ready = j->queue_ns;

	for (uint32_t i = 0; i < j->n_deps; i++)
		if (j->deps[i].until_ns > ready)
			ready = j->deps[i].until_ns;
	return ready < j->run_ns ? ready : j->run_ns;
}

static int judge(struct cpu *c, const struct xtr_job *j, const struct cpu_job *one, uint32_t ring)
{
	uint64_t ready;
	int err = 0;

	if (one->submit_known)
		err = add_sum(c, &c->submit, one, one->submit_ns, &one->submit_by, one->queue_ns);
	if (!err && one->done_known && j->done_ns)
		err = add_sum(c, &c->complete, one, one->done_ns, &one->done_by, j->done_ns);
	if (err || !j->queue_ns || !j->run_ns || one->run_ns != j->run_ns)
		return err;
	ready = ready_ns(j);
	c->jobs++;
	if (j->run_ns - ready > CPU_LATE_NS)
		add_late(c, one, ring, ready);
	return xtr_hist_add(&c->ready, j->run_ns - ready);
}

int cpu_job_settled(struct cpu *c, const struct xtr_job *j)
{
	uint32_t i = xtr_map_index(&c->by_job, j->ctx, j->seqno);
	int64_t ring = ring_of(c, j->ring);
	struct cpu_ring *r;
	int err = 0;

	if (ring < 0 || ring == CPU_RINGS_MAX)
		return ring < 0 ? (int)ring : 0;
	if (i != NONE && j->flags & XTR_FLAG_GAP)
		c->jobs_lost++;
	else if (i != NONE)
		err = judge(c, j, &c->job[i], (uint32_t)ring);
	if (i != NONE)
		remove_job(c, i);
	r = &c->ring[ring];
	if (xtr_job_resided(j))
		r->job[r->n++ % CPU_RING_JOBS] =
			(struct xtr_runq_span){ .from = j->run_ns, .to = j->done_ns };
	return err;
}
