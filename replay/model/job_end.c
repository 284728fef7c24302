/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a job. What reports it (the scheduler's done event, or the finished fence's signal)
 * may come long after the hardware's fence was signalled: where that happens before the scheduler
 * has added its callback, drm_sched_main (since 6.8: drm_sched_run_job_work) itself reports the
 * job, in the thread that ran it, whenever that goes on (drivers/gpu/drm/scheduler/sched_main.c).
 * So reports come in another order than ends.
 */
#include "engine.h"

/* What a report takes: less is the ordinary way from the signal to the callback. */
static bool is_late(uint64_t age)
{
	return age > XTR_REPORT_NS;
}

uint64_t job_end_of(const struct xtr_model *m, struct slot *s, const struct xtr_gpu_record *r)
{
	struct xtr_job *j = &s->job;
	uint64_t end = m->now;

	if (r->hw_told && r->flags & XTR_JOB_HW_FENCE) {
		j->error = r->error;
		j->result_known = true;
	}
	if (r->hw_told && !(r->flags & XTR_JOB_HW_FENCE)) {
		j->flags |= XTR_FLAG_NO_FENCE;
		return end;
	}
	if (!r->hw_told || !(r->flags & XTR_JOB_HW_SIGNALED)) {
		if (s->run_tid && r->tid == s->run_tid)
			j->flags |= XTR_FLAG_BY_WORKER;
		return end;
	}
	if (is_late(r->hw_age))
		j->flags |= XTR_FLAG_LATE_REPORT;
	end = r->hw_age < end ? end - r->hw_age : 0;
	/* A driver may hand over a fence that is signalled already: nothing is left to execute. */
	return later(end, j->run_ns);
}

static struct xtr_job_name name_of(const struct slot *s)
{
	return (struct xtr_job_name){ s->job.ctx, s->job.seqno };
}

/* What ended before it on its ring and on its device. */
static void set_previous(struct slot *s, const struct xtr_ends *ring, const struct xtr_ends *dev)
{
	const struct xtr_end *on_ring = xtr_ends_before(ring, s->job.done_ns);
	const struct xtr_end *on_dev = xtr_ends_before(dev, s->job.done_ns);

	if (on_ring) {
		s->prev_done = s->batch_base = on_ring->ns;
		s->prev_late = on_ring->late;
		s->job.prev = on_ring->job;
	} else if (ring->forgotten) { /* anything up to its end */
		s->prev_done = s->batch_base = s->job.done_ns;
		s->prev_late = true;
	}
	if (on_dev) {
		s->job.floor_ns = on_dev->ns;
		s->job.floor = on_dev->job;
	} else if (dev->forgotten) {
		s->job.floor_ns = s->job.done_ns;
	}
}

static void finish_job(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t stream)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_model_device *dev = &m->rings.dev[ring->device];
	const struct xtr_end end = { ts, name_of(s), s->job.flags & XTR_FLAG_BY_WORKER };

	s->job.done_ns = ts;
	s->job.stream = stream;
	set_previous(s, &ring->ends, &dev->ends);
	xtr_ends_add(&ring->ends, &end);
	xtr_ends_add(&dev->ends, &end);
}

/* Jobs that were run before this one on its ring and are not done: it overtook them. */
static void overtake(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t stream)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	uint32_t older;

	if (!s->on_ring)
		return;
	while ((older = ring->run_head) != i) {
		m->slot[older].overtaken_at = ts;
		m->slot[older].overtaken_on = stream;
		m->slot[older].job.flags |= XTR_FLAG_OVERTAKEN;
		m->slot[older].job.overtaker = name_of(s);
		/* Its done may be what was lost: it is not taken to stay for ever. */
		if (ring->by_client && xtr_gaps_overlap(&m->gaps, m->slot[older].job.run_ns, ts))
			share_leave(m, older);
		s->job.flags |= XTR_FLAG_OVERTOOK;
		s->job.overtook = name_of(&m->slot[older]);
		s->n_overtook++;
		run_list_del(m, older);
	}
}

/* It was reported after a younger job, but had ended before it: nothing was overtaken. */
static void not_overtaken(struct xtr_model *m, uint32_t i)
{
	struct xtr_job *j = &m->slot[i].job;
	uint32_t k = slot_find(m, j->overtaker.ctx, j->overtaker.seqno);

	if (k != NONE && m->slot[k].n_overtook && !--m->slot[k].n_overtook) {
		m->slot[k].job.flags &= ~(uint32_t)XTR_FLAG_OVERTOOK;
		m->slot[k].job.overtook = (struct xtr_job_name){ 0 };
	}
	j->flags &= ~(uint32_t)XTR_FLAG_OVERTAKEN;
	j->overtaker = (struct xtr_job_name){ 0 };
	m->slot[i].overtaken_at = 0;
}

/* Did these two jobs of a ring complete in one interrupt? first: ended first. */
static bool together(const struct slot *first, const struct slot *second)
{
	return second->job.done_ns - first->job.done_ns < XTR_BATCH_NS && first->job.run_ns &&
	       second->job.run_ns && second->job.run_ns <= first->job.done_ns;
}

static void join_batch(struct slot *first, struct slot *second)
{
	if (!(first->job.flags & XTR_FLAG_BATCH))
		first->job.flags |= XTR_FLAG_BATCH | XTR_FLAG_BATCH_FIRST;
	second->job.flags |= XTR_FLAG_BATCH;
	second->batch_base = first->batch_base;
}

/* Did this job complete in the interrupt that completed the ring's job before it? */
static void batch(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct slot *last = ring->last != NONE ? &m->slot[ring->last] : NULL;

	if (last && s->ring && last->job.stream == s->job.stream && together(last, s))
		join_batch(last, s);
	ring->last = i;
}

/*
 * It ended before others of its ring that were reported before it. Those that are still held learn
 * of it; those that were handed out were `overtook`, which is bounded.
 */
static void put_between(struct xtr_model *m, uint32_t i)
{
	struct slot *s = &m->slot[i], *other;

	if (s->overtaken_at >= s->job.done_ns)
		not_overtaken(m, i);
	for (uint32_t k = m->held.tail; k != NONE; k = m->slot[k].prev) {
		other = &m->slot[k];
		if (other->ring != s->ring || !other->job.done_ns)
			continue;
		if (other->job.done_ns < s->job.done_ns) {
			if (together(other, s))
				join_batch(other, s);
			break;
		}
		if (together(s, other))
			join_batch(s, other);
		if (other->prev_done > s->job.done_ns)
			continue;
		other->prev_done = s->job.done_ns;
		other->job.prev = name_of(s);
		other->prev_late = false;
		if (!(other->job.flags & XTR_FLAG_BATCH))
			other->batch_base = s->job.done_ns;
	}
}

void job_ended(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t stream)
{
	struct slot *s = &m->slot[i];
	bool between = ts < xtr_ends_last(&m->rings.ring[s->ring].ends)->ns;

	if (s->job.run_ns)
		overtake(m, i, ts, stream);
	finish_job(m, i, ts, stream);
	if (between)
		put_between(m, i);
	else if (s->job.run_ns)
		batch(m, i);
	slot_hold(m, i);
}
