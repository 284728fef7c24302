/* SPDX-License-Identifier: BSD-2-Clause */
/* The jobs that the model has not handed out, for who shows what is going on at this moment. */
#include "engine.h"

/*
 * What its ring, or a gap, says of a job that did not end: its own times may not be all, or nobody
 * may have asked to be told that it has.
 */
static bool is_unsure(const struct xtr_model *m, const struct slot *s,
		      const struct xtr_model_ring *ring)
{
	const struct xtr_job *j = &s->job;
	uint64_t last = j->run_ns ? j->run_ns : s->first_ns;

	if (j->done_ns)
		return false;
	if (s->overtaken_at && !xtr_ring_ended_bounded(ring))
		return true;
	if (ring->late && j->run_ns)
		return true;
	return xtr_gaps_overlap(&m->gaps, last, m->now);
}

static int tell(const struct xtr_model *m, uint32_t i,
		int (*cb)(void *ctx, const struct xtr_model_open *open), void *ctx)
{
	const struct slot *s = &m->slot[i];
	struct xtr_model_ring *ring = &m->rings.ring[s->ring];
	struct xtr_job job = s->job;
	struct xtr_model_open open = {
		.job = &job,
		.first = s->on_ring && ring->run_head == i,
		.unsure = is_unsure(m, s, ring),
	};

	job.ring = ring;
	if (open.first)
		open.serial_ns = later(job.run_ns, xtr_ends_last(&ring->ends)->ns);
	if (s->state == SLOT_HELD && job.run_ns) /* it was the first when it ended */
		open.serial_ns = later(job.run_ns, s->prev_done);
	return cb(ctx, &open);
}

int xtr_model_each_open(const struct xtr_model *m,
			int (*cb)(void *ctx, const struct xtr_model_open *open), void *ctx)
{
	int err = 0;

	for (uint32_t i = m->held.head; i != NONE && !err; i = m->slot[i].next)
		if (m->slot[i].job.done_ns) /* others were given up: nothing is known of them */
			err = tell(m, i, cb, ctx);
	for (uint32_t i = m->open.head; i != NONE && !err; i = m->slot[i].next)
		err = tell(m, i, cb, ctx);
	return err;
}
