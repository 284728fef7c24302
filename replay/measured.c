/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs of which the hardware itself tells start and end (XTR_STEP_MEASURED): nothing is concluded
 * from other jobs of their ring.
 */
#include "engine.h"

#include "format/checked.h"

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

int step_measured(struct xtr_model *m, const struct xtr_job_step *s)
{
	uint32_t i = slot_find(m, s->r.ctx, s->r.seqno);
	struct xtr_model_ring *ring;
	struct slot *slot;
	int64_t made;

	if (i != NONE && m->slot[i].state != SLOT_OPEN) {
		m->counts.duplicates++;
		return 0;
	}
	if (i == NONE) {
		int64_t r = ring_index(m, s->r.ring);

		made = r < 0 ? r : slot_new(m, &s->r, (uint32_t)r, NONE);
		if (made < 0)
			return (int)made;
		i = (uint32_t)made;
	}
	slot = &m->slot[i];
	place_measured(slot, s, m->now);
	slot->job.flags |= s->flags | XTR_FLAG_MEASURED;
	slot->job.stream = s->r.stream;
	ring = &m->rings.ring[slot->ring];
	xtr_ends_add(
		&ring->ends,
		&(struct xtr_end){ slot->job.done_ns, { slot->job.ctx, slot->job.seqno }, false });
	slot_hold(m, i);
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
