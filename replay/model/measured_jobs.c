/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of which the hardware itself tells start and end (XTR_STEP_MEASURED): nothing is concluded
 * from other jobs of their ring.
 */
#include "engine.h"

#include "base/checked.h"

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
