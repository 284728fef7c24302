/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The batch itself is left as it is: until it is in the file, it may be all that a salvager has of
 * it (persistent.h).
 */
#include "convert.h"
#include "recorder/drain/queue.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t xtr_type_of_slot(uint32_t slot)
{
	return slot < XTR_SLOT_GENERIC ? slot : slot - XTR_SLOT_GENERIC + XTR_TYPE_FIRST_DYNAMIC;
}

uint32_t xtr_slot_of_type(const struct xtr_selection *sel, uint32_t type)
{
	if (type < XTR_SLOT_GENERIC)
		return type;
	if (type >= XTR_TYPE_FIRST_DYNAMIC && type - XTR_TYPE_FIRST_DYNAMIC < sel->n_dynamic)
		return type - XTR_TYPE_FIRST_DYNAMIC + XTR_SLOT_GENERIC;
	return 0;
}

int xtr_convert_open(struct xtr_convert *c, uint32_t n_cpus)
{
	c->room = malloc(XTR_BATCH_BYTES);
	c->bad = calloc(XTR_BATCH_RECORDS, sizeof(*c->bad));
	c->begun = calloc(n_cpus, sizeof(*c->begun));
	c->n_cpus = n_cpus;
	return c->room && c->bad && c->begun ? 0 : -ENOMEM;
}

void xtr_convert_close(struct xtr_convert *c)
{
	free(c->room);
	free(c->bad);
	free(c->begun);
	c->begun = NULL;
	c->room = NULL;
	c->recs = NULL;
	c->bad = NULL;
}

static int convert_fence(struct xtr_convert *c, uint8_t *rec, uint32_t size)
{
	struct xtr_rec_fence r;

	if (size != sizeof(r) && size != sizeof(struct xtr_rec_fence_stack))
		return -EBADMSG;
	memcpy(&r, rec, sizeof(r));
	r.ops = xtr_defs_ops(c->defs, r.ops);
	memcpy(rec, &r, sizeof(r));
	return (int)size;
}

static bool has_gap(const struct xtr_loss *loss, const struct xtr_gap *gap)
{
	for (size_t i = 0; i < xtr_loss_n_gaps(loss); i++) {
		const struct xtr_gap *g = xtr_loss_gap_at(loss, i);

		if (g->stream == gap->stream && g->first == gap->first && g->last == gap->last &&
		    g->count == gap->count)
			return true;
	}
	return false;
}

static void add_gap(const struct xtr_convert *c, struct xtr_loss *loss, const struct xtr_gap *gap)
{
	if (gap->count && !(c->once && has_gap(loss, gap)))
		xtr_loss_add_gap(loss, gap);
}

/* What a piece before has not told of a gap that it began to tell. */
static void leave_rest(struct xtr_convert *c, struct xtr_gap *gap)
{
	struct xtr_gap_begun *b = gap->stream < c->n_cpus ? &c->begun[gap->stream] : NULL;

	if (!b || !b->count || b->first != gap->first)
		return;
	gap->count -= b->count < gap->count ? b->count : gap->count;
	gap->first = b->border < gap->last ? b->border : gap->last;
	b->count = 0;
}

void xtr_convert_gap(struct xtr_convert *c, const struct xtr_gap *gap)
{
	struct xtr_gap first, rest = *gap;

	leave_rest(c, &rest);
	first = rest;
	if (!c->loss_before || rest.first >= c->border) {
		add_gap(c, c->loss, &rest);
		return;
	}
	if (rest.last >= c->border && rest.count > 1) {
		first.count = 1;
		first.last = c->border - 1;
		rest.count--;
		rest.first = c->border;
		add_gap(c, c->loss, &rest);
	}
	add_gap(c, first.last < c->border ? c->loss_before : c->loss, &first);
}

void xtr_convert_gap_begun(struct xtr_convert *c, const struct xtr_gap *gap)
{
	struct xtr_gap_begun *b = gap->stream < c->n_cpus ? &c->begun[gap->stream] : NULL;
	bool again = b && b->count && b->first == gap->first;
	uint64_t told = again ? b->count : 0;
	struct xtr_gap part = *gap;

	if (again)
		part.first = b->border;
	if (!b || gap->count <= told || part.first >= c->border)
		return;
	part.count -= told;
	if (part.last >= c->border) {
		if (part.count == 1)
			return; /* it is the last one */
		part.last = c->border - 1;
		part.count = 1;
	}
	*b = (struct xtr_gap_begun){ gap->first, told + part.count, c->border, part.last };
	add_gap(c, c->loss_before, &part);
}

static void take_gap(struct xtr_convert *c, uint32_t cpu, const uint8_t *rec, uint32_t size)
{
	struct xtr_rec_gap gap;

	if (size < sizeof(gap))
		return;
	memcpy(&gap, rec, sizeof(gap));
	xtr_convert_gap(c, &(struct xtr_gap){ cpu, gap.first, gap.last, gap.count });
	c->n_gaps++;
}

/* In place; a record gets no longer. Returns its size, or -errno. */
static int convert(struct xtr_convert *c, uint32_t type, uint8_t *rec, uint32_t size)
{
	const struct xtr_selection *sel = c->sel;
	uint32_t slot = xtr_slot_of_type(sel, type);

	if (type >= XTR_EV_FENCE_INIT && type <= XTR_EV_FENCE_DESTROY)
		return convert_fence(c, rec, size);
	if (slot < XTR_SLOT_GENERIC)
		return slot ? (int)size : -EBADMSG;
	slot -= XTR_SLOT_GENERIC;
	if (slot < sel->n_generics)
		return xtr_generic_convert(sel->generics[slot], c->tables, c->key, rec, size);
	return xtr_probe_convert(sel->probe_events[slot - sel->n_generics], c->key, rec, size);
}

/* Is a record in the ring as it shall be in the file? */
static bool as_is(const struct xtr_convert *c, const struct xtr_rec *h)
{
	uint32_t slot = xtr_slot_of_type(c->sel, h->type), i = slot - XTR_SLOT_GENERIC;

	if (h->type >= XTR_EV_FENCE_INIT && h->type <= XTR_EV_FENCE_DESTROY)
		return false;
	if (slot < XTR_SLOT_GENERIC)
		return slot != 0 && h->type != XTR_REC_GAP;
	return i < c->sel->n_generics && xtr_generic_as_is(c->sel->generics[i], h->size);
}

/* Bytes at the beginning of a batch that are so: *n records. */
static uint32_t skip_as_is(const struct xtr_convert *c, const uint8_t *recs, uint32_t len,
			   uint32_t *n)
{
	struct xtr_rec h, last = { 0 };
	uint32_t at;

	for (at = 0, *n = 0; at < len; at += h.size, ++*n) {
		memcpy(&h, recs + at, sizeof(h));
		if (h.type == last.type && h.size == last.size)
			continue;
		if (!as_is(c, &h))
			break;
		last = h;
	}
	return at;
}

void xtr_convert_gaps(struct xtr_convert *c, uint32_t cpu, const uint8_t *recs, uint32_t len)
{
	struct xtr_rec h;

	for (uint32_t at = 0; at < len; at += h.size) {
		memcpy(&h, recs + at, sizeof(h));
		if (h.type == XTR_REC_GAP)
			take_gap(c, cpu, recs + at, h.size);
	}
}

void xtr_convert_none(struct xtr_convert *c, const struct xtr_ring_batch *b)
{
	c->n_bad = c->n_gaps = 0;
	c->recs = b->data;
	c->len = b->len;
	c->n = b->n;
}

void xtr_convert_batch(struct xtr_convert *c, uint32_t cpu, const uint8_t *recs, uint32_t len)
{
	struct xtr_rec h;
	int size;

	c->n_bad = c->n_gaps = 0;
	c->len = skip_as_is(c, recs, len, &c->n);
	c->recs = recs;
	if (c->len == len)
		return;
	c->recs = c->room;
	memcpy(c->room, recs, len);
	for (uint32_t at = c->len; at < len; at += h.size) {
		memcpy(&h, c->room + at, sizeof(h));
		if (h.type == XTR_REC_GAP) {
			take_gap(c, cpu, c->room + at, h.size);
			continue;
		}
		if (c->len < at)
			memmove(c->room + c->len, c->room + at, h.size);
		size = convert(c, h.type, c->room + c->len, h.size);
		if (size < 0) {
			c->bad[c->n_bad++] = at;
			continue;
		}
		c->len += (uint32_t)size;
		c->n++;
	}
}
