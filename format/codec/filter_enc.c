/* SPDX-License-Identifier: BSD-2-Clause */
/* Row-delta encoding. The record before, of the same layout, is taken where it stands in the input.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "filter.h"
#include "layout.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define NO_LAYOUT UINT32_MAX
#define RECENT    64u /* a power of two */

struct enc_layout {
	struct xtr_layout l;
	uint32_t row_max;    /* bytes of the longest row */
	uint32_t epoch;      /* of the chunk in which the next three hold */
	uint32_t number;     /* in the payload */
	uint32_t tid;        /* of the record before */
	const uint8_t *prev; /* the record before */
};

struct xtr_filter_enc {
	const struct xtr_meta *meta;
	struct xtr_map by_key; /* (type, size) -> index in layouts, or NO_LAYOUT */
	struct enc_layout *layouts;
	size_t n, cap;
	uint32_t recent[RECENT]; /* index of the layout used last, by a hash of type and size */
	uint32_t epoch;
	uint32_t used[XTR_LAYOUTS_MAX]; /* layouts of this chunk, by number */
	uint32_t n_used;
	size_t head_max; /* bytes that the layouts of this chunk take, at most */
	uint8_t *zero;   /* a record of zeros: what stands before the first one */
	uint8_t *out; /* layouts, then rows; the layouts are put in front of the rows at the end */
};

/* A layout in the payload: type, size, number of fields, widths. */
#define LAYOUT_MAX (3u + 3u + 1u + XTR_LAYOUT_FIELDS_MAX)
/* n_layouts and all layouts. */
#define LAYOUTS_MAX (2u + XTR_LAYOUTS_MAX * LAYOUT_MAX)

struct xtr_filter_enc *xtr_filter_enc_new(const struct xtr_meta *meta)
{
	struct xtr_filter_enc *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->meta = meta;
	e->zero = calloc(1, UINT16_MAX + 1);
	e->out = malloc(LAYOUTS_MAX + XTR_RAW_MAX);
	if (e->zero && e->out)
		return e;
	xtr_filter_enc_free(e);
	return NULL;
}

void xtr_filter_enc_free(struct xtr_filter_enc *e)
{
	if (!e)
		return;
	xtr_map_free(&e->by_key);
	free(e->layouts);
	free(e->zero);
	free(e->out);
	free(e);
}

void xtr_filter_enc_reset(struct xtr_filter_enc *e)
{
	xtr_map_free(&e->by_key);
	e->n = 0;
}

static uint32_t row_max(const struct xtr_layout *l)
{
	uint32_t n = 2 + 3 * XTR_VARINT_MAX; /* head, ts, tid, mask */

	for (uint32_t i = 0; i < l->n; i++)
		n += l->fields[i].width > XTR_LAYOUT_BYTES_FLAG
			     ? l->fields[i].width - XTR_LAYOUT_BYTES_FLAG
			     : XTR_VARINT_MAX;
	return n;
}

static int learn(struct xtr_filter_enc *e, uint32_t type, uint32_t size, uint32_t *index)
{
	struct enc_layout *el;
	int err;

	err = xtr_grow_array(&e->layouts, &e->cap, e->n + 1, sizeof(*e->layouts));
	if (err)
		return err;
	el = &e->layouts[e->n];
	memset(el, 0, sizeof(*el));
	*index = NO_LAYOUT;
	if (xtr_layout_make(&el->l, xtr_meta_event(e->meta, type), type, size)) {
		el->row_max = row_max(&el->l);
		*index = (uint32_t)e->n;
	}
	err = xtr_map_put(&e->by_key, type, size, *index);
	if (!err && *index != NO_LAYOUT)
		e->n++;
	return err;
}

/* The layout of a record, or *found = NULL if there can be none. */
static int find_layout(struct xtr_filter_enc *e, const uint8_t *rec, struct enc_layout **found)
{
	uint32_t type = xtr_rec_type(rec), size = xtr_rec_size(rec), index, *recent;
	const uint64_t *known;
	int err;

	*found = NULL;
	recent = &e->recent[(type ^ size / 8) % RECENT];
	if (*recent < e->n && e->layouts[*recent].l.type == type &&
	    e->layouts[*recent].l.size == size) {
		*found = &e->layouts[*recent];
		return 0;
	}
	known = xtr_map_get(&e->by_key, type, size);
	if (known) {
		index = (uint32_t)*known;
	} else {
		err = learn(e, type, size, &index);
		if (err)
			return err;
	}
	if (index == NO_LAYOUT)
		return 0;
	*recent = index;
	*found = &e->layouts[index];
	return 0;
}

/* Give the layout a number in this chunk if it has none. False if the chunk has too many. */
static bool number_layout(struct xtr_filter_enc *e, struct enc_layout *el)
{
	if (el->epoch == e->epoch)
		return true;
	if (e->n_used >= XTR_LAYOUTS_MAX)
		return false;
	el->epoch = e->epoch;
	el->number = e->n_used;
	el->tid = 0;
	el->prev = e->zero;
	e->used[e->n_used++] = (uint32_t)(el - e->layouts);
	e->head_max += 7 + el->l.n;
	return true;
}

/*
 * An integer field's value in the highest bits of a word, the others cut off: loaded by the 8 bytes
 * that end with it, which are always within the record because its header comes before. Differences
 * of such words are differences modulo 2^W.
 */
static inline uint64_t field_high(const uint8_t *rec, struct xtr_layout_field f)
{
	return xtr_le64(rec + f.end - 8) >> f.shift << f.shift;
}

static uint8_t *put_integers(uint8_t *p, const struct xtr_layout *l, const uint8_t *rec,
			     const uint8_t *prev)
{
	int64_t diff[XTR_LAYOUT_FIELDS_MAX];
	uint64_t mask = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct xtr_layout_field f = l->fields[i];

		diff[i] = (int64_t)(field_high(rec, f) - field_high(prev, f)) >> f.shift;
		mask |= (uint64_t)(diff[i] != 0) << i;
	}
	p = xtr_varint_put(p, mask);
	for (; mask; mask &= mask - 1)
		p = xtr_varint_put(p, xtr_zigzag(diff[__builtin_ctzll(mask)]));
	return p;
}

/* The same where some fields are bytes. */
static uint8_t *put_mixed(uint8_t *p, const struct xtr_layout *l, const uint8_t *rec,
			  const uint8_t *prev)
{
	int64_t diff[XTR_LAYOUT_FIELDS_MAX];
	uint64_t mask = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct xtr_layout_field f = l->fields[i];
		uint32_t n = f.width - XTR_LAYOUT_BYTES_FLAG;

		if (f.width < XTR_LAYOUT_BYTES_FLAG)
			diff[i] = (int64_t)(field_high(rec, f) - field_high(prev, f)) >> f.shift;
		else
			diff[i] = memcmp(rec + f.end - n, prev + f.end - n, n);
		mask |= (uint64_t)(diff[i] != 0) << i;
	}
	p = xtr_varint_put(p, mask);
	for (; mask; mask &= mask - 1) {
		int i = __builtin_ctzll(mask);
		struct xtr_layout_field f = l->fields[i];

		if (f.width < XTR_LAYOUT_BYTES_FLAG) {
			p = xtr_varint_put(p, xtr_zigzag(diff[i]));
		} else {
			uint32_t n = f.width - XTR_LAYOUT_BYTES_FLAG;

			memcpy(p, rec + f.end - n, n);
			p += n;
		}
	}
	return p;
}

static uint8_t *put_row(uint8_t *p, struct enc_layout *el, const uint8_t *rec, uint64_t prev_ts)
{
	uint32_t tid = xtr_rec_tid(rec), head = el->number * 2 + (tid != el->tid);

	p = xtr_varint_put(p, head);
	p = xtr_varint_put(p, xtr_zigzag((int64_t)(xtr_rec_ts(rec) - prev_ts)));
	if (head & 1)
		p = xtr_varint_put(p, (uint32_t)xtr_zigzag((int32_t)(tid - el->tid)));
	if (el->l.has_bytes)
		p = put_mixed(p, &el->l, rec, el->prev);
	else if (el->l.n)
		p = put_integers(p, &el->l, rec, el->prev);
	el->tid = tid;
	el->prev = rec;
	return p;
}

/* Write the layouts so that they end where the rows start; returns where they start. */
static uint8_t *put_layouts(struct xtr_filter_enc *e)
{
	uint8_t head[LAYOUTS_MAX], *p = head, *rows = e->out + LAYOUTS_MAX;

	p = xtr_varint_put(p, e->n_used);
	for (uint32_t i = 0; i < e->n_used; i++) {
		const struct xtr_layout *l = &e->layouts[e->used[i]].l;

		p = xtr_varint_put(p, l->type);
		p = xtr_varint_put(p, l->size);
		p = xtr_varint_put(p, l->n);
		for (uint32_t f = 0; f < l->n; f++)
			*p++ = l->fields[f].width;
	}
	rows -= p - head;
	memcpy(rows, head, (size_t)(p - head));
	return rows;
}

int xtr_filter_encode(struct xtr_filter_enc *e, const uint8_t *recs, uint32_t n, size_t max_bytes,
		      struct xtr_filtered *out)
{
	const uint8_t *rec = recs;
	uint8_t *p = e->out + LAYOUTS_MAX, *rows = p;
	uint64_t ts = 0;

	e->epoch++;
	e->n_used = 0;
	e->head_max = 2;
	if (n > XTR_RECORDS_MAX)
		n = XTR_RECORDS_MAX;
	for (out->n = 0; out->n < n; out->n++) {
		size_t taken = (size_t)(rec - recs) + xtr_rec_size(rec);
		struct enc_layout *el;
		int err = find_layout(e, rec, &el);

		if (err)
			return err;
		if (!el || (out->n && taken > max_bytes) || !number_layout(e, el) ||
		    e->head_max + (size_t)(p - rows) + el->row_max > XTR_RAW_MAX)
			break;
		p = put_row(p, el, rec, ts);
		ts = xtr_rec_ts(rec);
		rec += el->l.size;
	}
	out->data = put_layouts(e);
	out->len = (size_t)(p - out->data);
	out->taken = (size_t)(rec - recs);
	out->ts_last = ts;
	return 0;
}
