/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of job sources (job_source.h), as the model takes them. */
#include "engine.h"

/* The slot of the job while it has not ended, NULL if there is none. */
static struct slot *open_slot(struct xtr_model *m, const struct xtr_gpu_record *r)
{
	uint32_t i = slot_find(m, r->ctx, r->seqno);

	return i != NONE && m->slot[i].state == SLOT_OPEN ? &m->slot[i] : NULL;
}

void step_result(struct xtr_model *m, const struct xtr_job_step *s)
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
	int err = tell(m, s, XTR_EV_JOB_QUEUE);
	struct slot *slot;

	if (!err)
		err = job_queued(m, &s->r);
	slot = open_slot(m, &s->r);
	if (err || !slot)
		return err;
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
	int err = job_run(m, &s->r, s);
	struct slot *slot = err ? NULL : open_slot(m, &s->r);

	if (slot && s->queued_ns && !slot->job.queue_ns)
		job_submitter(m, &slot->job, &s->r, s->queued_ns);
	else if (slot && s->by_thread)
		slot->run_tid = s->r.tid;
	return err ? err : tell(m, s, XTR_EV_JOB_RUN);
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
	step_result(m, s);
	return 0;
}

static int on_signaled(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	bool open = i != NONE && m->slot[i].state == SLOT_OPEN;
	int err;

	if (open && !m->slot[i].job.run_ns && s->r.error)
		return on_failed(m, s);
	step_result(m, s);
	if (!open && (i != NONE || !s->opens)) {
		wait_wake(m, s->r.ctx, s->r.seqno, m->now, false,
			  i != NONE ? m->rings.ring[m->slot[i].ring].id : 0);
		return 0;
	}
	err = job_done(m, &s->r);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	if (!err && i != NONE)
		m->slot[i].job.flags |= XTR_FLAG_FENCE_DONE;
	step_result(m, s);
	return err;
}

/* The job ended with its fence's signal a moment ago: this is when, unless another ended since. */
static void date_done(struct xtr_model *m, struct slot *s)
{
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_model_device *dev = &m->rings.dev[ring->device];
	struct xtr_end *on_ring = xtr_ends_last(&ring->ends), *on_dev = xtr_ends_last(&dev->ends);

	if (on_ring->job.ctx != s->job.ctx || on_ring->job.seqno != s->job.seqno ||
	    on_dev->job.ctx != s->job.ctx || on_dev->job.seqno != s->job.seqno)
		return;
	s->job.flags &= ~(uint32_t)XTR_FLAG_FENCE_DONE;
	s->job.done_ns = on_ring->ns = on_dev->ns = m->now;
}

/* A later end is the latest so far; a late one before it says nothing of the jobs that follow. */
static void note_late_end(struct xtr_model *m, const struct slot *s)
{
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_model_device *dev = &m->rings.dev[ring->device];
	const struct xtr_end end = { s->job.done_ns, { s->job.ctx, s->job.seqno }, true };

	ring->late = true;
	if (end.ns > xtr_ends_last(&ring->ends)->ns)
		xtr_ends_add(&ring->ends, &end);
	if (end.ns > xtr_ends_last(&dev->ends)->ns)
		xtr_ends_add(&dev->ends, &end);
}

/*
 * The job had ended by s->ended_ns, or now: when, and in which order with others, nothing tells. So
 * it neither overtook nor was overtaken, it was in no batch, and it may have taken no time at all:
 * its floor is its end.
 */
static int end_late(struct xtr_model *m, uint32_t i, const struct xtr_job_step *s)
{
	struct slot *slot = &m->slot[i];
	struct xtr_job *j = &slot->job;
	bool known = s->ended_ns && s->ended_ns < m->now && s->ended_ns >= j->run_ns &&
		     s->ended_ns >= slot->first_ns;

	j->flags = (j->flags & ~(uint32_t)XTR_FLAG_OVERTAKEN) | s->flags;
	j->overtaker = (struct xtr_job_name){ 0 };
	slot->overtaken_at = 0;
	j->done_ns = j->floor_ns = known ? s->ended_ns : m->now;
	j->stream = s->r.stream;
	note_late_end(m, slot);
	slot->sourced = true;
	slot_hold(m, i);
	step_result(m, s);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
	return 0;
}

/* The job that was open ended with this step, at s->ended_ns or now. */
static void end_dated(struct xtr_model *m, uint32_t i, const struct xtr_job_step *s)
{
	struct slot *slot = &m->slot[i];
	uint64_t end = s->ended_ns && s->ended_ns < m->now ? s->ended_ns : m->now;

	end = later(end, later(slot->job.run_ns, slot->first_ns));
	if (m->now - end > XTR_REPORT_NS)
		slot->job.flags |= XTR_FLAG_LATE_REPORT;
	if (s->by_thread && slot->run_tid && s->r.tid == slot->run_tid)
		slot->job.flags |= XTR_FLAG_BY_WORKER;
	job_ended(m, i, end, s->r.stream);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
}

static int on_done(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	struct xtr_gpu_record r = s->r;
	int err = 0;

	if (s->flags & XTR_FLAG_LATE && open_slot(m, &s->r))
		return end_late(m, i, s);
	if (i != NONE) {
		r.ring = m->rings.ring[m->slot[i].ring].id;
		m->slot[i].sourced = false;
	}
	if (i != NONE && m->slot[i].state == SLOT_HELD &&
	    m->slot[i].job.flags & XTR_FLAG_FENCE_DONE)
		date_done(m, &m->slot[i]);
	else if ((s->ended_ns || s->by_thread) && open_slot(m, &s->r))
		end_dated(m, i, s);
	else if (i != NONE || !s->ended)
		err = job_done(m, &r);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	if (!err && i != NONE)
		m->slot[i].sourced = true;
	step_result(m, s);
	i = slot_find(m, s->r.ctx, s->r.seqno);
	/* What ended since the job's floor may have done so earlier, or be told of only later. */
	if (i != NONE && m->rings.ring[m->slot[i].ring].late)
		m->slot[i].job.floor_ns = m->slot[i].job.done_ns;
	return err;
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

static int on_passed(struct xtr_model *m, const struct xtr_job_step *s)
{
	struct slot *slot = open_slot(m, &s->r);

	if (!slot || slot->job.run_ns)
		return 0;
	slot->passed = true;
	slot_place(m, (uint32_t)(slot - m->slot), PLACE_NOWHERE);
	return 0;
}

static int on_scheduler(struct xtr_model *m, const struct xtr_job_step *s)
{
	int err = job_record(m, &s->r);
	struct slot *slot = err ? NULL : open_slot(m, &s->r);

	if (slot)
		slot->job.flags |= s->flags;
	return err;
}

int job_step(struct xtr_model *m, const struct xtr_job_step *s)
{
	static int (*const handlers[XTR_STEP_KINDS])(struct xtr_model *,
						     const struct xtr_job_step *) = {
		[XTR_STEP_QUEUE] = on_queue,
		[XTR_STEP_REQUEUE] = on_requeue,
		[XTR_STEP_RUN] = on_run,
		[XTR_STEP_HANDED] = on_handed,
		[XTR_STEP_SIGNALED] = on_signaled,
		[XTR_STEP_DONE] = on_done,
		[XTR_STEP_FAILED] = on_failed,
		[XTR_STEP_RECYCLED] = on_recycled,
		[XTR_STEP_MEASURED] = step_measured,
		[XTR_STEP_TOLD] = step_told,
		[XTR_STEP_WAITED] = step_waited,
		[XTR_STEP_SCHEDULER] = on_scheduler,
		[XTR_STEP_PASSED] = on_passed,
	};

	return handlers[s->kind](m, s);
}
