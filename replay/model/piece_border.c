/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs over the borders of a piece. A piece of a recording has all events of all CPUs from one time
 * on up to another (spec 6.2, piece-from and piece-to). What a job has not there, it had before or
 * has afterwards; and what stands outside of these times (a flight recorder's last events) has
 * neighbours that are in another piece.
 */
#include "piece_border.h"
#include "engine.h"
#include "format/meta/piece.h"
#include "replay/notes/notes.h"

void border_init(struct xtr_model *m, const struct xtr_meta *meta)
{
	struct border *b = &m->border;
	struct xtr_flight_note n;
	struct xtr_piece p;

	*b = (struct border){ 0 };
	if (!xtr_piece_read(&p, meta))
		return;
	b->from = p.from;
	b->to = p.to;
	b->flight = xtr_flight_read(&n, meta);
	if (b->flight)
		b->from = later(b->from, n.from);
	b->runs = xtr_meta_event(meta, XTR_EV_JOB_RUN);
	b->queues =
		xtr_meta_event(meta, XTR_EV_JOB_QUEUE) && xtr_pids_recorded(meta) == XTR_PIDS_ALL;
}

/* Jobs of a job source may have no such event at all. */
static bool is_scheduled(const struct xtr_model *m, const struct slot *s)
{
	const struct xtr_model_ring *ring = &m->rings.ring[s->ring];

	return ring->id && !ring->declared;
}

static bool began_before(const struct xtr_model *m, const struct slot *s)
{
	const struct xtr_job *j = &s->job;
	const struct border *b = &m->border;

	if (!b->from || j->queue_ns || !is_scheduled(m, s))
		return false;
	if (xtr_gaps_overlap(&m->gaps, b->from, s->first_ns))
		return false;
	return j->run_ns ? b->queues : b->runs;
}

static bool goes_on(const struct xtr_model *m, const struct slot *s)
{
	const struct xtr_job *j = &s->job;
	const uint32_t closed = XTR_FLAG_RECYCLED | XTR_FLAG_EVICTED | XTR_FLAG_KILLED;

	if (!m->border.to || !m->ended || j->done_ns || j->flags & closed)
		return false;
	if (s->overtaken_at && !xtr_ring_is_bounded(&m->rings.ring[s->ring]))
		return false;
	return !xtr_gaps_overlap(&m->gaps, j->run_ns ? j->run_ns : s->first_ns, m->border.to);
}

void border_flags(const struct xtr_model *m, struct slot *s)
{
	const struct border *b = &m->border;
	struct xtr_job *j = &s->job;

	if (!b->from && !b->to)
		return;
	if (began_before(m, s)) {
		/* That it never ran could be said only if it had been queued here. */
		j->flags |= XTR_FLAG_BEFORE;
		if (j->flags & XTR_FLAG_KILLED)
			j->flags = (j->flags & ~(uint32_t)XTR_FLAG_KILLED) | XTR_FLAG_FENCE_DONE;
	}
	if (goes_on(m, s))
		j->flags |= XTR_FLAG_AFTER;
	/* Events outside of the borders: what was near them may be missing. */
	if (j->run_ns && j->run_ns < b->from)
		j->flags |= XTR_FLAG_BEFORE;
	if (b->to && j->done_ns >= b->to)
		j->flags |= XTR_FLAG_AFTER;
}

bool border_leaves_open(const struct xtr_model *m, const struct slot *s)
{
	const struct xtr_job *j = &s->job;

	return m->border.to && j->done_ns >= m->border.to && !(j->flags & XTR_FLAG_RECYCLED);
}

bool border_unsure(const struct xtr_model *m, const struct xtr_job *j)
{
	return j->run_ns < m->border.from || (m->border.to && j->done_ns >= m->border.to);
}

void border_busy(const struct xtr_model *m, struct slot *s)
{
	struct xtr_job *j = &s->job;

	if (xtr_job_resided(j)) {
		j->busy_from_ns = j->run_ns;
		j->busy_to_ns = j->done_ns;
	} else if (j->flags & XTR_FLAG_BEFORE && j->done_ns > m->border.from && !j->run_ns) {
		j->busy_from_ns = m->border.from;
		j->busy_to_ns = j->done_ns;
		j->serial_start_ns = later(m->border.from, s->prev_done);
	} else if (j->flags & XTR_FLAG_AFTER && j->run_ns && j->run_ns < m->border.to) {
		j->busy_from_ns = j->run_ns;
		j->busy_to_ns = m->border.to;
	}
}

/* On a ring that executes in order, the oldest job on the hardware is the one that executes. */
void border_ends(struct xtr_model *m)
{
	for (uint32_t i = 0; m->border.to && i < m->rings.n; i++) {
		struct xtr_model_ring *ring = &m->rings.ring[i];

		if (ring->run_head != NONE) {
			struct xtr_job *j = &m->slot[ring->run_head].job;

			j->serial_start_ns = later(j->run_ns, xtr_ends_last(&ring->ends)->ns);
		}
	}
}

void xtr_model_piece(const struct xtr_model *m, uint64_t *from, uint64_t *to)
{
	*from = m->border.from;
	*to = m->border.flight ? 0 : m->border.to;
}

/* --- piece carry ------------------------------------------------------------------------------ */

/*
 * From the model of one piece of a recording to that of the next: jobs that have not ended. Ids of
 * rings and strings mean the same in both (spec 6.2). What jobs wait for is not carried, nor are
 * jobs of a job source, whose state is the source's. Names of `from` may be gone: its tables are
 * not looked at.
 */

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
	uint32_t at = xtr_map_index(&to->rings.by_id, old->id, 0);
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
