/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that a trace tells as a whole (XTR_STEP_TOLD): quality, flags and bounds are what somebody
 * has concluded from events that this trace may not have. Nothing is concluded anew.
 */
#include "base/checked.h"
#include "engine.h"

/* What the tables call who submitted it. */
static uint32_t name_of(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t tid = s->r.tid ? s->r.tid : s->told->pid;
	const struct xtr_task *task =
		tid ? xtr_task_cache_get(&m->tasks, m->o.tables, tid, m->now) : NULL;

	return task ? task->comm : 0;
}

static void take_told(struct xtr_model *m, struct xtr_job *j, const struct xtr_job_step *s)
{
	const struct xtr_told *t = s->told;

	j->submit_ns = t->submit_ns;
	j->queue_ns = t->queue_ns;
	j->run_ns = t->run_ns;
	j->start_ns = t->start_ns;
	j->done_ns = t->done_ns;
	j->exec_min_ns = t->exec_min_ns;
	j->exec_max_ns = t->exec_max_ns;
	j->dep_wait_ns = t->dep_wait_ns;
	j->n_waits = later(t->n_waits, j->n_waits);
	j->tid = s->r.tid;
	j->nth = j->pid == t->pid ? j->nth : 0;
	j->pid = t->pid;
	j->comm = t->comm ? t->comm : name_of(m, s);
	j->kind = t->kind;
	j->quality = t->quality;
	j->flags = s->flags;
	j->stream = s->r.stream;
	j->client_known = s->r.flags & XTR_JOB_CLIENT_KNOWN;
	j->client_id = s->r.client_id;
	j->error = s->r.error;
	j->result_known = s->result_known;
}

/* The job, begun if need be; -errno. */
static int64_t job_of(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	int64_t ring = ring_index(m, s->r.ring);

	if (ring < 0)
		return ring;
	if (i == NONE || m->slot[i].state != SLOT_OPEN)
		return slot_new(m, &s->r, (uint32_t)ring, i);
	if (s->r.ring && m->slot[i].ring != (uint32_t)ring) {
		slot_place(m, i, PLACE_NOWHERE);
		run_list_del(m, i);
		m->slot[i].ring = (uint32_t)ring;
	}
	return i;
}

int step_told(struct xtr_model *m, const struct xtr_job_step *s)
{
	int64_t i = job_of(m, s);
	struct slot *slot;

	if (i < 0)
		return (int)i;
	slot = &m->slot[i];
	take_told(m, &slot->job, s);
	slot->told = true;
	if (!s->told->ended)
		return 0;
	if (xtr_job_resided(&slot->job)) {
		const struct xtr_end end = { slot->job.done_ns, { s->r.ctx, s->r.seqno }, false };

		xtr_ends_add(&m->rings.ring[slot->ring].ends, &end);
	}
	slot_hold(m, (uint32_t)i);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
	return 0;
}

int step_waited(struct xtr_model *m, const struct xtr_job_step *s)
{
	const struct xtr_dep dep = { .ctx = s->r.dep_ctx,
				     .seqno = s->r.dep_seqno,
				     .from_ns = s->dep_from_ns,
				     .until_ns = s->dep_until_ns,
				     .ring_id = s->dep_ring,
				     .scheduled = s->r.flags & XTR_JOB_DEP_SCHEDULED };
	int64_t i = job_of(m, s);

	return i < 0 ? (int)i : wait_add(m, (uint32_t)i, &dep);
}

void told_settle(struct slot *s)
{
	struct xtr_job *j = &s->job;

	if (!j->submit_ns)
		j->submit_ns = j->queue_ns;
	if (!xtr_job_resided(j))
		return;
	j->busy_from_ns = j->run_ns;
	j->busy_to_ns = j->done_ns;
	j->serial_start_ns = j->start_ns ? j->start_ns : j->run_ns;
	j->floor_ns =
		j->done_ns -
		(j->exec_min_ns < j->done_ns - j->run_ns ? j->exec_min_ns : j->done_ns - j->run_ns);
}

/* --- measured jobs ---------------------------------------------------------------------------- */

/*
 * Jobs of which the hardware itself tells start and end (XTR_STEP_MEASURED): nothing is concluded
 * from other jobs of their ring.
 */

/* Clocks that are laid beside each other may put the start a little before run: it is then. */
static void place_measured(struct slot *slot, const struct xtr_job_step *s, uint64_t now)
{
	struct xtr_job *j = &slot->job;
	uint64_t taken = s->ended_ns > s->start_ns ? s->ended_ns - s->start_ns : 0;

	j->done_ns = s->ended_ns < now ? s->ended_ns : now;
	j->start_ns = j->done_ns > taken ? j->done_ns - taken : 1;
	if (j->start_ns < j->run_ns) {
		j->start_ns = j->run_ns;
		j->done_ns = xtr_sat_add(j->run_ns, taken) < now ? j->run_ns + taken : now;
	}
	if (!j->run_ns) {
		j->run_ns = j->start_ns;
		j->flags |= XTR_FLAG_NO_RUN;
	}
	taken = j->done_ns - j->start_ns;
	slot->active_ns = s->active_ns && s->active_ns < taken ? s->active_ns : taken;
}

static void note_end(struct xtr_model *m, const struct slot *slot)
{
	const struct xtr_end end = { slot->job.done_ns, { slot->job.ctx, slot->job.seqno }, false };

	xtr_ends_add(&m->rings.ring[slot->ring].ends, &end);
}

/* The scheduler has reported its end, and it was not handed out yet. */
static void measure_held(struct xtr_model *m, struct slot *slot, const struct xtr_job_step *s)
{
	if (slot->job.flags & XTR_FLAG_MEASURED || !slot->job.done_ns) {
		m->counts.duplicates++;
		return;
	}
	place_measured(slot, s, m->now);
	slot->job.flags |= s->flags | XTR_FLAG_MEASURED;
}

static int64_t begin_measured(struct xtr_model *m, const struct xtr_job_step *s)
{
	int64_t ring = ring_index(m, s->r.ring);

	return ring < 0 ? ring : slot_new(m, &s->r, (uint32_t)ring, NONE);
}

int step_measured(struct xtr_model *m, const struct xtr_job_step *s)
{
	int64_t i = slot_find(m, s->r.ctx, s->r.seqno);
	struct slot *slot;

	if (i == NONE && s->ended)
		return 0;
	if (i != NONE && m->slot[i].state != SLOT_OPEN) {
		measure_held(m, &m->slot[i], s);
		return 0;
	}
	if (i == NONE)
		i = begin_measured(m, s);
	if (i < 0)
		return (int)i;
	slot = &m->slot[i];
	place_measured(slot, s, m->now);
	slot->job.flags |= s->flags | XTR_FLAG_MEASURED;
	slot->job.stream = s->r.stream;
	note_end(m, slot);
	slot->sourced = true;
	slot_hold(m, (uint32_t)i);
	step_result(m, s);
	wait_wake(m, s->r.ctx, s->r.seqno, m->now, false, s->r.ring);
	return 0;
}

/*
 * Where the hardware also told that others had the engine meanwhile, only the bounds are known of
 * what was the job's own.
 */
void measured_bounds(struct slot *s)
{
	struct xtr_job *j = &s->job;
	uint64_t taken = j->done_ns - j->start_ns;

	j->busy_from_ns = j->serial_start_ns = j->floor_ns = j->start_ns;
	j->exec_max_ns = taken;
	j->exec_min_ns = s->active_ns;
	j->quality = XTR_QUALITY_EXACT;
	if (!(j->flags & (XTR_FLAG_PREEMPTED | XTR_FLAG_SHARED)))
		return;
	j->quality = XTR_QUALITY_BOUNDED;
	j->floor_ns = j->done_ns - s->active_ns;
	j->start_ns = 0;
}
