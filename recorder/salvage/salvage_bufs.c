/* SPDX-License-Identifier: BSD-2-Clause */
#include "salvage_priv.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t n_counters(const struct xtr_salvage *s)
{
	return (size_t)s->bpf.n_cpus * s->bpf.n_slots;
}

/* Are these n records of len bytes, as put together by the drain thread? */
static bool well_formed(const uint8_t *p, uint32_t n, uint32_t len)
{
	struct xtr_rec h;
	uint32_t at = 0;

	for (; n; n--, at += h.size) {
		if (len - at < sizeof(h))
			return false;
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > len - at)
			return false;
	}
	return at == len;
}

static bool take_buf(struct xtr_salvage *s, const struct xtr_ring_batch *b)
{
	const struct xtr_commit *c = &b->at[b->commits % 2];

	if (b->state != XTR_RING_BATCH_LIVE || b->kind == XTR_BATCH_ROUND)
		return true;
	if (b->cpu >= s->bpf.n_cpus || c->len > XTR_BATCH_BYTES ||
	    !well_formed(b->data, c->n, c->len))
		return false;
	s->bufs[s->n_bufs++] = (struct xtr_left_buf){
		.b = b,
		.len = c->len,
		.n = c->n,
		.counted = b->counted,
		.pos = c->pos,
		.page = c->page,
		.place = c->place,
	};
	return true;
}

static int by_order(const void *a, const void *b)
{
	const struct xtr_left_buf *x = a, *y = b;

	return (x->b->order > y->b->order) - (x->b->order < y->b->order);
}

/* What the note says is done once more, or for the first time. */
static void redo(struct xtr_salvage *s)
{
	const struct xtr_persistent_redo *r = &s->head.redo;

	if (!r->armed || r->counter >= 2 * n_counters(s))
		return;
	s->counters[r->counter] = r->value;
	for (size_t i = 0; i < s->n_bufs; i++) {
		if (s->bufs[i].b->number == r->buf)
			s->bufs[i].counted = r->counted;
	}
}

/* A ring is read behind what it says, and behind what the batches say. */
static void set_positions(struct xtr_salvage *s)
{
	for (size_t i = 0; i < s->n_bufs; i++) {
		const struct xtr_left_buf *l = &s->bufs[i];
		struct xtr_ringbuf *r =
			l->b->kind == XTR_BATCH_DEFS ? &s->bpf.ctl : &s->bpf.rings[l->b->cpu];

		if (l->pos > r->pos && l->pos <= xtr_ringbuf_producer(r))
			r->pos = l->pos;
	}
}

int xtr_left_find(struct xtr_salvage *s)
{
	s->counters = calloc(2 * n_counters(s) + 1, sizeof(*s->counters));
	s->bufs = calloc(s->head.size.n_bufs + 1, sizeof(*s->bufs));
	if (!s->counters || !s->bufs)
		return -ENOMEM;
	memcpy(s->counters, s->keep.spoilt, 2 * n_counters(s) * sizeof(*s->counters));
	for (uint32_t i = 0; i < s->head.size.n_bufs; i++) {
		if (!take_buf(s, xtr_persistent_buf(&s->keep, i)))
			return -EBADMSG;
	}
	qsort(s->bufs, s->n_bufs, sizeof(*s->bufs), by_order);
	redo(s);
	set_positions(s);
	return 0;
}

static uint64_t events_in(const uint8_t *p, uint32_t len)
{
	struct xtr_rec h;
	uint64_t n = 0;

	for (uint32_t at = 0; at < len; at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		n += h.type != XTR_REC_GAP;
	}
	return n;
}

static uint64_t events_in_ring(const struct xtr_ringbuf *ring)
{
	struct xtr_ringbuf r = *ring;
	uint64_t limit = xtr_ringbuf_producer(&r), n = 0;
	const uint8_t *rec;
	struct xtr_rec h;
	uint32_t len;

	while (xtr_ringbuf_next(&r, limit, &rec, &len) == 1) {
		if (len < sizeof(h))
			continue;
		memcpy(&h, rec, sizeof(h));
		n += h.type != XTR_REC_GAP;
	}
	return n;
}

/* Bytes of a CPU's page of the trace ring that are in batches, or were. */
static uint32_t page_done(const struct xtr_salvage *s, uint32_t cpu,
			  const struct xtr_page_slot *slot)
{
	uint32_t done = slot->done;

	for (size_t i = 0; i < s->n_bufs; i++) {
		const struct xtr_left_buf *l = &s->bufs[i];

		if (l->b->kind == XTR_BATCH_EVENTS && l->b->cpu == cpu && l->page == slot->number &&
		    l->place > done)
			done = l->place;
	}
	return done;
}

/* own: pages that are read go where the recorder had them. */
static int open_ring(const struct xtr_salvage *s, const struct xtr_selection *sel, bool own,
		     struct xtr_tring **t)
{
	const struct xtr_persistent_size *size = &s->head.size;
	int err;

	*t = NULL;
	if (!size->page_bytes)
		return 0;
	err = xtr_tring_adopt(t, sel, s->pin.id, size->n_cpus);
	if (!err && xtr_tring_page_bytes(*t) != size->page_bytes)
		err = -EBADMSG;
	if (!err && own)
		xtr_tring_slots(*t, s->keep.pages);
	for (uint32_t i = 0; !err && i < size->n_cpus; i++) {
		const struct xtr_page_slot *slot = xtr_persistent_slot(&s->keep, i);

		xtr_tring_resume(*t, i, slot, page_done(s, i, slot));
	}
	if (err) {
		xtr_tring_leave(*t);
		*t = NULL;
	}
	return err == -ENOENT ? 0 : err;
}

int xtr_left_ring(const struct xtr_salvage *s, const struct xtr_selection *sel,
		  struct xtr_tring **t)
{
	return open_ring(s, sel, false, t);
}

/* --- from the trace ring into batches --------------------------------------------------------- */

struct moving {
	struct xtr_salvage *s;
	struct xtr_tring *t;
	uint32_t next; /* buffer that was not looked at */
	uint64_t order;
};

static struct xtr_ring_batch *begin_batch(struct moving *m, enum xtr_batch_kind kind, uint32_t cpu)
{
	while (m->next < m->s->head.size.n_bufs) {
		struct xtr_ring_batch *b = xtr_persistent_buf(&m->s->keep, m->next);

		b->number = m->next++;
		if (b->state == XTR_RING_BATCH_LIVE)
			continue;
		xtr_ring_batch_begin(b, kind, cpu, ++m->order);
		return b;
	}
	return NULL;
}

/* Threads of the events that were moved; without a batch for them they have no names. */
static void move_names(struct moving *m)
{
	struct xtr_ring_batch *b = NULL;
	struct xtr_ctl_task def;

	while (xtr_tring_task(m->t, &def)) {
		if (!b || !xtr_ring_batch_has_room(b, sizeof(def)))
			b = begin_batch(m, XTR_BATCH_DEFS, 0);
		if (!b)
			return;
		xtr_ring_batch_put(b, (const uint8_t *)&def, sizeof(def));
		xtr_ring_batch_commit(b, m->s->bpf.ctl.pos);
	}
}

static void move_cpu(struct moving *m, uint32_t cpu)
{
	struct xtr_tring_part part = { .full = true };
	struct xtr_ring_batch *b = NULL;

	while (!part.empty) {
		if (part.full || !xtr_ring_batch_has_room(b, XTR_TRING_RECORD_MAX))
			b = begin_batch(m, XTR_BATCH_EVENTS, cpu);
		if (!b)
			return;
		xtr_tring_take(m->t, cpu, b->data + b->len, XTR_BATCH_BYTES - b->len,
			       XTR_BATCH_RECORDS - b->n, &part);
		b->n += part.n;
		b->len += part.len;
		xtr_ring_batch_commit_page(b, m->s->bpf.rings[cpu].pos, part.page, part.place);
	}
}

int xtr_left_move(struct xtr_salvage *s, const struct xtr_selection *sel)
{
	struct moving m = { .s = s };
	int err = open_ring(s, sel, true, &m.t);

	if (err || !m.t)
		return err;
	for (size_t i = 0; i < s->n_bufs; i++)
		m.order = s->bufs[i].b->order > m.order ? s->bufs[i].b->order : m.order;
	xtr_tring_pass(m.t, xtr_now());
	for (uint32_t i = 0; i < s->bpf.n_cpus; i++)
		move_cpu(&m, i);
	move_names(&m);
	xtr_tring_leave(m.t);
	free(s->counters);
	free(s->bufs);
	s->n_bufs = 0;
	return xtr_left_find(s);
}

static uint64_t events_in_trace_rings(const struct xtr_salvage *s)
{
	struct xtr_tring *t;
	uint64_t n = 0;

	if (xtr_left_ring(s, NULL, &t) || !t)
		return 0;
	for (uint32_t i = 0; i < s->bpf.n_cpus; i++)
		n += xtr_tring_left(t, i);
	xtr_tring_leave(t);
	return n;
}

uint64_t xtr_left_events(struct xtr_salvage *s)
{
	uint64_t n = events_in_trace_rings(s);

	for (size_t i = 0; i < s->n_bufs; i++) {
		const struct xtr_left_buf *l = &s->bufs[i];

		if (l->b->kind == XTR_BATCH_EVENTS && l->counted <= l->len)
			n += events_in(l->b->data + l->counted, l->len - l->counted);
	}
	for (uint32_t i = 0; i < s->bpf.n_cpus; i++)
		n += events_in_ring(&s->bpf.rings[i]);
	return n;
}
