/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the model of one piece of a recording to that of the next: jobs that have not ended. Ids of
 * rings and strings mean the same in both (spec 6.2). What jobs wait for is not carried, nor are
 * jobs of a job source, whose state is the source's. Names of `from` may be gone: its tables are
 * not looked at.
 */
#include "engine.h"

static bool is_carried(const struct xtr_model *from, const struct slot *s)
{
	const struct xtr_model_ring *ring = &from->rings.ring[s->ring];

	return s->mapped && ring->id && !ring->declared;
}

static int carry_slot(struct xtr_model *to, const struct xtr_model *from, const struct slot *old)
{
	const struct xtr_gpu_record r = { .ctx = old->job.ctx, .seqno = old->job.seqno };
	int64_t ring = ring_index(to, from->rings.ring[old->ring].id);
	int64_t i = ring < 0 ? ring : slot_new(to, &r, (uint32_t)ring, NONE);
	struct slot *s;

	if (i < 0)
		return (int)i;
	s = &to->slot[i];
	s->job = old->job;
	s->first_ns = old->first_ns;
	s->overtaken_at = old->overtaken_at;
	s->overtaken_on = old->overtaken_on;
	slot_place(to, (uint32_t)i, (enum slot_place)old->place);
	return 0;
}

/* Its jobs on the hardware in their order, and what it has shown so far. */
static void carry_ring(struct xtr_model *to, const struct xtr_model *from,
		       const struct xtr_model_ring *old)
{
	uint32_t at = xtr_keymap_get(&to->rings.by_id, old->id, 0);
	struct xtr_model_ring *ring;

	if (at == NONE || !old->id)
		return;
	ring = &to->rings.ring[at];
	ring->n_done = old->n_done;
	ring->n_overtaken = old->n_overtaken;
	ring->n_batched = old->n_batched;
	ring->overlap = old->overlap;
	ring->late = old->late;
	ring->ends = old->ends;
	to->rings.dev[ring->device].ends = from->rings.dev[old->device].ends;
	for (uint32_t i = old->run_head; i != NONE; i = from->slot[i].run_next) {
		const struct slot *s = &from->slot[i];
		uint32_t k = slot_find(to, s->job.ctx, s->job.seqno);

		if (k != NONE && to->rings.ring[to->slot[k].ring].id == old->id)
			run_list_add(to, k);
	}
}

int xtr_model_carry(struct xtr_model *to, const struct xtr_model *from)
{
	int err = 0;

	to->now = from->now;
	to->border.from = 0; /* what was before it is known */
	for (size_t i = 0; i < from->gaps.n && !err; i++)
		err = xtr_gaps_add(&to->gaps, from->gaps.span[i].first, from->gaps.span[i].last);
	for (uint32_t i = from->open.head; i != NONE && !err; i = from->slot[i].next)
		if (is_carried(from, &from->slot[i]))
			err = carry_slot(to, from, &from->slot[i]);
	for (uint32_t i = 0; i < from->rings.n && !err; i++)
		carry_ring(to, from, &from->rings.ring[i]);
	return err;
}
