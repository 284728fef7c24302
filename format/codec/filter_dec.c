/* SPDX-License-Identifier: BSD-2-Clause */
/* Row-delta decoding: a record starts as a copy of the one before it of the same layout. */
#include "base/buf.h"
#include "base/bytes.h"
#include "filter.h"
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VARINTS_MAX 3u /* of a row besides its values: time, tid, mask */

/* Where an integer field is: its lowest bit is bit `low` of the 8 bytes at offset `at`. */
struct field {
	uint16_t at;
	uint8_t low;
	uint8_t width; /* as in the payload; of a bytes field `at` is where it begins */
	uint64_t max;  /* the largest difference, zigzag */
};

struct xtr_filter_layout {
	uint16_t type, size; /* of the records */
	uint32_t n;
	const uint8_t *prev; /* the record before, NULL at first */
	uint64_t mask_bad;   /* bits that a mask must not have */
	size_t row_max;      /* bytes of the longest row behind its head, and of one more word */
	struct field fields[XTR_LAYOUT_FIELDS_MAX];
};

struct cursor {
	const uint8_t *p, *end;
};

static bool get(struct cursor *c, uint64_t *v)
{
	c->p = xtr_varint_get(c->p, c->end, v);
	return c->p;
}

/*
 * The word that holds an integer; one that lies in two of them is in the 8 bytes that end with it.
 * (A load within what was stored at once need not wait for it.)
 */
static struct field place(const struct xtr_layout_field *f)
{
	bool bytes = f->width > XTR_LAYOUT_BYTES_FLAG;
	uint32_t n = bytes ? f->width - XTR_LAYOUT_BYTES_FLAG : f->width, end = f->end,
		 start = end - n;
	struct field out = { .at = (uint16_t)start, .width = f->width };

	if (bytes)
		return out;
	out.max = UINT64_MAX >> f->shift;
	out.at = (uint16_t)(start / 8 == (end - 1) / 8 ? start & ~7u : end - 8);
	out.low = (uint8_t)(8 * (start - out.at));
	return out;
}

static bool get_layout(struct cursor *c, struct xtr_filter_layout *fl)
{
	uint32_t end = XTR_RECORD_HEADER_SIZE, n;
	struct xtr_layout l;

	c->p = xtr_layout_read(&l, c->p, c->end, &n);
	if (!c->p)
		return false;
	fl->type = l.type;
	fl->size = l.size;
	fl->prev = NULL;
	fl->mask_bad = n == 64 ? 0 : UINT64_MAX << n;
	fl->row_max = (VARINTS_MAX + n) * XTR_VARINT_MAX + 8;
	for (fl->n = 0; fl->n < n; fl->n++) {
		if (!xtr_layout_add(&l, &end, *c->p++))
			return false;
		fl->fields[fl->n] = place(&l.fields[fl->n]);
		if (fl->fields[fl->n].width > XTR_LAYOUT_BYTES_FLAG)
			fl->row_max += fl->fields[fl->n].width - XTR_LAYOUT_BYTES_FLAG;
	}
	return end == fl->size;
}

static int get_layouts(struct xtr_filter_dec *d, struct cursor *c)
{
	uint64_t n;

	if (!get(c, &n) || n > XTR_LAYOUTS_MAX)
		return -EBADMSG;
	if (xtr_grow_array(&d->layouts, &d->cap, (size_t)n, sizeof(*d->layouts)))
		return -ENOMEM;
	d->n = (uint32_t)n;
	for (uint32_t i = 0; i < d->n; i++)
		if (!get_layout(c, &d->layouts[i]))
			return -EBADMSG;
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* `wide`: the longest row fits into what is left, so that the end need not be looked for. */
static inline __attribute__((always_inline)) const uint8_t *number(const uint8_t *p,
								   const uint8_t *end, bool wide,
								   uint64_t *v)
{
	return wide ? xtr_varint_get_wide(p, end, v) : xtr_varint_get(p, end, v);
}

static inline void add_field(uint8_t *rec, const struct field *f, uint64_t z)
{
	uint64_t old = xtr_le64(rec + f->at), sum = old + (xtr_unzigzag(z) << f->low);

	xtr_put_le64(rec + f->at, old ^ ((old ^ sum) & f->max << f->low));
}

static inline __attribute__((always_inline)) const uint8_t *get_value(const uint8_t *p,
								      const uint8_t *end, bool wide,
								      const struct field *f,
								      uint8_t *rec)
{
	uint32_t n;
	uint64_t z;

	if (f->width < XTR_LAYOUT_BYTES_FLAG) {
		p = number(p, end, wide, &z);
		if (!p || z > f->max)
			return NULL;
		add_field(rec, f, z);
		return p;
	}
	n = f->width - XTR_LAYOUT_BYTES_FLAG;
	if (n > (uint64_t)(end - p))
		return NULL;
	memcpy(rec + f->at, p, n);
	return p + n;
}

/* What follows the header of a record; its size is a multiple of 8, and mostly short. */
static inline void copy_payload(uint8_t *to, const uint8_t *from, uint32_t size)
{
	uint32_t i = XTR_RECORD_HEADER_SIZE;

	for (; i + 16 <= size; i += 16)
		memcpy(to + i, from + i, 16);
	if (i < size)
		memcpy(to + i, from + i, 8);
}

/*
 * One row after its head; *ts is the time stamp of the row before and becomes this one's. Returns
 * what follows, NULL if it is wrong.
 */
static inline __attribute__((always_inline)) const uint8_t *get_row(const uint8_t *p,
								    const uint8_t *end, bool wide,
								    struct xtr_filter_layout *fl,
								    bool new_tid, uint64_t *ts,
								    uint8_t *rec)
{
	uint64_t z, mask;
	uint32_t tid = 0;

	p = number(p, end, wide, &z);
	if (!p)
		return NULL;
	*ts += xtr_unzigzag(z);
	if (fl->prev) {
		tid = xtr_rec_tid(fl->prev);
		copy_payload(rec, fl->prev, fl->size);
	} else {
		memset(rec, 0, fl->size);
	}
	if (new_tid) {
		p = number(p, end, wide, &z);
		if (!p || z > UINT32_MAX)
			return NULL;
		tid += (uint32_t)xtr_unzigzag(z);
	}
	xtr_put_le64(rec, *ts);
	xtr_put_le64(rec + 8, fl->type | (uint64_t)fl->size << 16 | (uint64_t)tid << 32);
	fl->prev = rec;
	if (!fl->n)
		return p;
	p = number(p, end, wide, &mask);
	if (!p || mask & fl->mask_bad)
		return NULL;
	for (; p && mask; mask &= mask - 1)
		p = get_value(p, end, wide, &fl->fields[__builtin_ctzll(mask)], rec);
	return p;
}

/* The span of n rows of which the last one is at ts; sorted: they do not decrease. */
static struct xtr_rec_span span_of(const uint8_t *recs, uint32_t n, uint64_t ts, bool sorted)
{
	struct xtr_rec_span s = { .ts_min = ts, .ts_max = ts, .sorted = sorted };

	if (!n)
		return (struct xtr_rec_span){ .sorted = true };
	if (sorted)
		s.ts_min = xtr_rec_ts(recs);
	for (; n-- && !sorted; recs += xtr_rec_size(recs)) {
		ts = xtr_rec_ts(recs);
		s.ts_min = ts < s.ts_min ? ts : s.ts_min;
		s.ts_max = ts > s.ts_max ? ts : s.ts_max;
	}
	return s;
}

int xtr_filter_decode(struct xtr_filter_dec *d, const uint8_t *in, size_t len, uint32_t n,
		      uint8_t *out, size_t rec_len, struct xtr_rec_span *span)
{
	struct cursor c = { .p = in, .end = in + len };
	uint8_t *rec = out, *const out_end = out + rec_len;
	int err = get_layouts(d, &c);
	const uint8_t *p = c.p, *const end = c.end;
	uint64_t ts = 0, before = 0, head;
	bool sorted = true;

	if (err)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		struct xtr_filter_layout *fl;

		p = xtr_varint_get(p, end, &head);
		if (!p || head / 2 >= d->n)
			return -EBADMSG;
		fl = &d->layouts[head / 2];
		if (fl->size > (size_t)(out_end - rec))
			return -EBADMSG;
		if (__builtin_expect((size_t)(end - p) >= fl->row_max, 1))
			p = get_row(p, end, true, fl, head & 1, &ts, rec);
		else
			p = get_row(p, end, false, fl, head & 1, &ts, rec);
		if (!p)
			return -EBADMSG;
		rec += fl->size;
		sorted &= ts >= before;
		before = ts;
	}
	*span = span_of(out, n, ts, sorted);
	return p == end && rec == out_end ? 0 : -EBADMSG;
}

void xtr_filter_dec_free(struct xtr_filter_dec *d)
{
	free(d->layouts);
	*d = (struct xtr_filter_dec){ 0 };
}
