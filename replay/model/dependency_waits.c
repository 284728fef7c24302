/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dependency waits. A scheduler looks at a job's dependencies one after the other and stops at each
 * that is not signalled, so a job waits for at most one fence at a time. A wait begins with
 * `unschedulable` (since 6.17), or with `wait_dep` whose fence was not signalled yet (until 6.16),
 * and ends when the fence signals, the next wait begins, or the job runs, whichever is first.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>

#define DEPS_MAX (1u << 20) /* in all open jobs together */

/* What the job really waits for. */
struct target {
	uint64_t ctx, seqno; /* finished fence */
	bool scheduled;      /* only until that job is run */
	bool over;           /* does not block (any more) */
};

/*
 * The kernel drops dependencies on the entity's own fences, whose order the queue keeps anyway
 * (drm_sched_entity_add_dependency_cb). Each entity has two contexts: scheduled = c, finished = c
 * + 1.
 */
static bool own_fence(uint64_t ctx, uint64_t dep_ctx)
{
	return dep_ctx == ctx || dep_ctx + 1 == ctx;
}

/*
 * A dependency may name either fence of a job. On one scheduler the kernel waits only until the
 * other job is scheduled; before 6.17 the event still names the finished fence then.
 */
static struct target resolve(const struct xtr_model *m, const struct slot *s,
			     const struct xtr_gpu_record *r)
{
	struct target t = { .ctx = r->dep_ctx, .seqno = r->dep_seqno };
	uint32_t dep;

	if (r->flags & XTR_JOB_DEP_SCHEDULED) {
		t.ctx++;
		t.scheduled = true;
	}
	dep = slot_find(m, t.ctx, t.seqno);
	if (dep == NONE && !t.scheduled) {
		dep = slot_find(m, t.ctx + 1, t.seqno);
		if (dep != NONE) {
			t.ctx++;
			t.scheduled = true;
		}
	}
	if (dep == NONE)
		return t;
	if (m->slot[dep].ring == s->ring && s->ring)
		t.scheduled = true;
	t.over = m->slot[dep].state == SLOT_HELD || (t.scheduled && m->slot[dep].job.run_ns);
	return t;
}

static int64_t dep_alloc(struct xtr_model *m)
{
	uint32_t i = m->free_deps;

	if (i != NONE) {
		m->free_deps = m->dep[i].next;
		return i;
	}
	if (m->n_deps == m->cap_deps) {
		uint32_t cap = m->cap_deps ? m->cap_deps * 2 : 256;
		struct dep_node *d;

		if (cap > DEPS_MAX)
			return NONE;
		d = realloc(m->dep, (size_t)cap * sizeof(*d));
		if (!d)
			return -ENOMEM;
		m->dep = d;
		m->cap_deps = cap;
	}
	return m->n_deps++;
}

/* Remember the wait in the job's list, if there is room. */
static int dep_add(struct xtr_model *m, struct slot *s, const struct target *t, uint64_t ts)
{
	int64_t d = s->job.n_deps < XTR_JOB_DEPS_MAX ? dep_alloc(m) : NONE;

	s->job.n_waits++;
	s->wait_dep = NONE;
	if (d < 0)
		return (int)d;
	if (d == NONE) {
		s->job.flags |= XTR_FLAG_MORE_DEPS;
		return 0;
	}
	m->dep[d] = (struct dep_node){
		.dep = { .ctx = t->ctx,
			 .seqno = t->seqno,
			 .from_ns = ts,
			 .scheduled = t->scheduled },
		.next = NONE,
	};
	if (s->last_dep != NONE)
		m->dep[s->last_dep].next = (uint32_t)d;
	else
		s->deps = (uint32_t)d;
	s->last_dep = s->wait_dep = (uint32_t)d;
	s->job.n_deps++;
	return 0;
}

int wait_add(struct xtr_model *m, uint32_t i, const struct xtr_dep *d)
{
	struct slot *s = &m->slot[i];
	const struct target t = { .ctx = d->ctx, .seqno = d->seqno, .scheduled = d->scheduled };
	int err = dep_add(m, s, &t, d->from_ns);

	if (!err && s->wait_dep != NONE)
		m->dep[s->wait_dep].dep = *d;
	s->wait_dep = NONE;
	return err;
}

static int waiters_add(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	uint32_t head = xtr_map_index(&m->waiters, s->wait_ctx, s->wait_seqno);

	if (xtr_map_put(&m->waiters, s->wait_ctx, s->wait_seqno, i))
		return -ENOMEM;
	s->wait_prev = NONE;
	s->wait_next = head;
	if (head != NONE)
		m->slot[head].wait_prev = i;
	s->waiting = true;
	return 0;
}

static void waiters_del(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];

	if (s->wait_next != NONE)
		m->slot[s->wait_next].wait_prev = s->wait_prev;
	if (s->wait_prev != NONE)
		m->slot[s->wait_prev].wait_next = s->wait_next;
	else if (s->wait_next != NONE) /* replaces a key that is there: cannot fail */
		xtr_map_put(&m->waiters, s->wait_ctx, s->wait_seqno, s->wait_next);
	else
		xtr_map_del(&m->waiters, s->wait_ctx, s->wait_seqno);
	s->waiting = false;
}

int wait_begin(struct xtr_model *m, uint32_t i, const struct xtr_gpu_record *r, uint64_t ts)
{
	struct slot *s = &m->slot[i];
	struct target t;
	int err;

	if (r->type == XTR_EV_JOB_WAIT_DEP && (r->flags & XTR_JOB_DEP_SIGNALED))
		return 0;
	if (s->state != SLOT_OPEN || s->job.run_ns || own_fence(r->ctx, r->dep_ctx))
		return 0;
	t = resolve(m, s, r);
	if (s->waiting && s->wait_ctx == t.ctx && s->wait_seqno == t.seqno)
		return 0;
	wait_end(m, i, ts, 0);
	if (t.over)
		return 0;
	err = dep_add(m, s, &t, ts);
	if (err)
		return err;
	s->wait_ctx = t.ctx;
	s->wait_seqno = t.seqno;
	s->wait_from = ts;
	s->wait_scheduled = t.scheduled;
	return waiters_add(m, i);
}

void wait_end(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t blocker_ring)
{
	struct slot *s = &m->slot[i];
	struct xtr_dep *d;

	if (!s->waiting)
		return;
	waiters_del(m, i);
	s->job.dep_wait_ns += ts - s->wait_from;
	if (s->wait_dep == NONE)
		return;
	d = &m->dep[s->wait_dep].dep;
	d->until_ns = ts;
	d->ring_id = blocker_ring;
}

void wait_wake_all(struct xtr_model *m, uint64_t ctx, uint64_t seqno, uint64_t ts,
		   bool scheduled_only, uint32_t ring_id)
{
	uint32_t i = xtr_map_index(&m->waiters, ctx, seqno), next;

	for (; i != NONE; i = next) {
		next = m->slot[i].wait_next;
		if (m->slot[i].wait_scheduled || !scheduled_only)
			wait_end(m, i, ts, ring_id);
	}
}

void wait_collect(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	uint32_t next, n = 0;

	for (uint32_t d = s->deps; d != NONE; d = next) {
		next = m->dep[d].next;
		m->scratch[n++] = m->dep[d].dep;
		m->dep[d].next = m->free_deps;
		m->free_deps = d;
	}
	s->deps = NONE;
	s->job.deps = m->scratch;
}
