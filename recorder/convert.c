// SPDX-License-Identifier: BSD-2-Clause
/*
 * The batch itself is left as it is: until it is in the file, it may be all that a salvager has of
 * it (keep.h).
 */
#include "convert.h"
#include "queue.h"

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

int xtr_convert_open(struct xtr_convert *c)
{
	c->room = malloc(XTR_BATCH_BYTES);
	c->bad = calloc(XTR_BATCH_RECORDS, sizeof(*c->bad));
	return c->room && c->bad ? 0 : -ENOMEM;
}

void xtr_convert_close(struct xtr_convert *c)
{
	free(c->room);
	free(c->bad);
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

void xtr_convert_gap(struct xtr_loss *loss, const struct xtr_gap *gap, bool once)
{
	if (gap->count && !(once && has_gap(loss, gap)))
		xtr_loss_add_gap(loss, gap);
}

static void take_gap(struct xtr_convert *c, uint32_t cpu, const uint8_t *rec, uint32_t size)
{
	struct xtr_rec_gap gap;

	if (size < sizeof(gap))
		return;
	memcpy(&gap, rec, sizeof(gap));
	xtr_convert_gap(c->loss, &(struct xtr_gap){ cpu, gap.first, gap.last, gap.count }, c->once);
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
