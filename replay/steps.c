/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of job sources (job_source.h), as the model takes them. */
#include "engine.h"

/* The slot of the job while it has not ended, NULL if there is none. */
static struct slot *open_slot(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	uint32_t i = slot_find(m, r->ctx, r->seqno);

	return i != NONE && m->slot[i].state == SLOT_OPEN ? &m->slot[i] : NULL;
}

static void set_result(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);

	if (i == NONE)
		return;
	m->slot[i].job.flags |= s->flags;
	if (!s->result_known)
		return;
	m->slot[i].job.error = s->r.error;
	m->slot[i].job.result_known = true;
}

static int tell(struct xtr_model *m, const struct xtr_job_step *s, uint32_t type)
{
	struct xtr_gpu_record r = s->r;
	int64_t ring = xtr_model_ring_index(m, r.ring);

	if (ring < 0 || !m->o.step)
		return ring < 0 ? (int)ring : 0;
	r.type = type;
	r.job_count = m->rings.ring[ring].queued;
	return m->o.step(m->o.ctx, &r, m->now);
}

static int on_queue(struct xtr_model *m, const struct xtr_job_step *s)
{
	int ret = tell(m, s, XTR_EV_JOB_QUEUE);
	struct slot *slot;

	if (!ret)
		ret = job_queued(m, &s->r);
	slot = open_slot(m, &s->r);
	if (ret || !slot)
		return ret;
	slot->job.submit_ns = s->submit_ns;
	slot->job.flags |= s->flags;
	return 0;
}

static int on_requeue(struct xtr_model *m, const struct xtr_job_step *s)
{
	struct slot *slot = open_slot(m, &s->r);

	if (!slot)
		return 0;
	step_client(&slot->job, s);
	if (slot->job.queue_ns && !slot->job.run_ns)
		slot->job.queue_ns = m->now;
	return 0;
}

static int on_run(struct xtr_model *m, const struct xtr_job_step *s)
{
	int ret = job_run(m, &s->r, s);

	return ret ? ret : tell(m, s, XTR_EV_JOB_RUN);
}

static int on_handed(struct xtr_model *m, const struct xtr_job_step *s)
{
	struct slot *slot = open_slot(m, &s->r);
	struct xtr_job_step run = *s;

	if (slot)
		run.r.ring = m->rings.ring[slot->ring].id;
	if (!slot || !slot->job.run_ns)
		return on_run(m, &run);
	slot->job.run_ns = m->now;
	if (slot->on_ring) { /* the list is in order of run */
		run_list_del(m, (uint32_t)(slot - m->slot));
		run_list_add(m, (uint32_t)(slot - m->slot));
	}
	return 0;
}

/* It was never run, and never will be. */
static void kill(struct xtr_model *m, uint32_t i, const struct xtr_job_step *s)
{
	struct xtr_job *j = &m->slot[i].job;

	j->flags |= XTR_FLAG_KILLED;
	j->done_ns = m->now;
	j->stream = s->r.stream;
	slot_hold(m, i);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
}

static int on_failed(struct xtr_model *m, const struct xtr_job_step *s)
{
	const struct slot *slot = open_slot(m, &s->r);

	if (slot && !slot->job.run_ns)
		kill(m, (uint32_t)(slot - m->slot), s);
	set_result(m, s);
	return 0;
}

static int on_signaled(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	bool open = i != NONE && m->slot[i].state == SLOT_OPEN;
	int ret;

	if (open && !m->slot[i].job.run_ns && s->r.error)
		return on_failed(m, s);
	set_result(m, s);
	if (!open && (i != NONE || !s->opens)) {
		wait_wake(m, s->r.ctx, s->r.seqno, m->now, false,
			  i != NONE ? m->rings.ring[m->slot[i].ring].id : 0);
		return 0;
	}
	ret = job_done(m, &s->r);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	if (!ret && i != NONE)
		m->slot[i].job.flags |= XTR_FLAG_FENCE_DONE;
	set_result(m, s);
	return ret;
}

/* The job ended with its fence's signal a moment ago: this is when, unless another ended since. */
static void date_done(struct xtr_model *m, struct slot *s)
{
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_model_device *dev = &m->rings.dev[ring->device];

	if (ring->prev.ctx != s->job.ctx || ring->prev.seqno != s->job.seqno ||
	    dev->prev.ctx != s->job.ctx || dev->prev.seqno != s->job.seqno)
		return;
	s->job.flags &= ~(uint32_t)XTR_FLAG_FENCE_DONE;
	s->job.done_ns = ring->prev_done = dev->prev_done = m->now;
}

static int on_done(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	struct xtr_gpu_record r = s->r;
	int ret = 0;

	if (i != NONE) {
		r.ring = m->rings.ring[m->slot[i].ring].id;
		m->slot[i].sourced = false;
	}
	if (i != NONE && m->slot[i].state == SLOT_HELD &&
	    m->slot[i].job.flags & XTR_FLAG_FENCE_DONE)
		date_done(m, &m->slot[i]);
	else if (i != NONE || !s->ended)
		ret = job_done(m, &r);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	if (!ret && i != NONE)
		m->slot[i].sourced = true;
	set_result(m, s);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	if (i != NONE && s->flags & XTR_FLAG_LATE)
		m->rings.ring[m->slot[i].ring].prev_late = true;
	return ret;
}

static int on_recycled(struct xtr_model *m, const struct xtr_job_step *s)
{
	struct slot *slot = open_slot(m, &s->r);

	if (!slot)
		return 0;
	slot->job.flags |= XTR_FLAG_RECYCLED;
	m->counts.recycled++;
	slot_hold(m, (uint32_t)(slot - m->slot));
	return 0;
}

int job_step(struct xtr_model *m, const struct xtr_job_step *s)
{
	static int (*const handlers[XTR_STEP_KINDS])(struct xtr_model *,
						     const struct xtr_job_step *) = {
		[XTR_STEP_QUEUE] = on_queue,       [XTR_STEP_REQUEUE] = on_requeue,
		[XTR_STEP_RUN] = on_run,           [XTR_STEP_HANDED] = on_handed,
		[XTR_STEP_SIGNALED] = on_signaled, [XTR_STEP_DONE] = on_done,
		[XTR_STEP_FAILED] = on_failed,     [XTR_STEP_RECYCLED] = on_recycled,
	};

	return handlers[s->kind](m, s);
}
