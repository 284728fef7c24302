// SPDX-License-Identifier: BSD-2-Clause
/* Row-delta decoding: a record starts as a copy of the one before it of the same layout. */
#include "buf.h"
#include "bytes.h"
#include "filter.h"
#include "layout.h"
#include "varint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xtr_filter_layout {
	struct xtr_layout l;
	const uint8_t *prev; /* the record before, NULL at first */
	uint64_t mask_bad;   /* bits that a mask must not have */
};

struct cursor {
	const uint8_t *p, *end;
};

static bool get(struct cursor *c, uint64_t *v)
{
	c->p = xtr_varint_get(c->p, c->end, v);
	return c->p;
}

static bool get_layout(struct cursor *c, struct xtr_filter_layout *fl)
{
	uint32_t end = XTR_RECORD_HEADER_SIZE;
	uint64_t type, size, n;

	if (!get(c, &type) || !get(c, &size) || !get(c, &n))
		return false;
	if (type > UINT16_MAX || size < XTR_RECORD_HEADER_SIZE || size > UINT16_MAX || size % 8 ||
	    n > XTR_LAYOUT_FIELDS_MAX || n > (uint64_t)(c->end - c->p))
		return false;
	memset(fl, 0, offsetof(struct xtr_filter_layout, l.fields));
	fl->l.type = (uint16_t)type;
	fl->l.size = (uint16_t)size;
	while (n--)
		if (!xtr_layout_add(&fl->l, &end, *c->p++))
			return false;
	fl->prev = NULL;
	fl->mask_bad = fl->l.n == 64 ? 0 : UINT64_MAX << fl->l.n;
	return end == size;
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

/*
 * Add a difference to an integer field. It is the highest W bits of the 8 bytes that end with it
 * (compare field_high in filter_enc.c), so the sum cannot touch anything but the field.
 */
static inline void add_field(uint8_t *rec, struct xtr_layout_field f, uint64_t z)
{
	uint8_t *p = rec + f.end - 8;

	xtr_put_le64(p, xtr_le64(p) + (xtr_unzigzag(z) << f.shift));
}

static bool get_value(struct cursor *c, struct xtr_layout_field f, uint8_t *rec)
{
	uint32_t n;
	uint64_t z;

	if (f.width < XTR_LAYOUT_BYTES_FLAG) {
		if (!get(c, &z) || z > UINT64_MAX >> f.shift)
			return false;
		add_field(rec, f, z);
		return true;
	}
	n = f.width - XTR_LAYOUT_BYTES_FLAG;
	if (n > (uint64_t)(c->end - c->p))
		return false;
	memcpy(rec + f.end - n, c->p, n);
	c->p += n;
	return true;
}

/* Sizes are multiples of 8, and short. */
static inline void copy_words(uint8_t *to, const uint8_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8)
		memcpy(to + i, from + i, 8);
}

/* One row after its head; *ts is the time stamp of the row before and becomes this one's. */
static bool get_row(struct cursor *c, struct xtr_filter_layout *fl, bool new_tid, uint64_t *ts,
		    uint8_t *rec)
{
	uint64_t z, mask;
	uint32_t tid;

	if (!get(c, &z))
		return false;
	*ts += xtr_unzigzag(z);
	if (fl->prev)
		copy_words(rec, fl->prev, fl->l.size);
	else
		memset(rec, 0, fl->l.size);
	tid = xtr_rec_tid(rec);
	if (new_tid) {
		if (!get(c, &z) || z > UINT32_MAX)
			return false;
		tid += (uint32_t)xtr_unzigzag(z);
	}
	xtr_put_le64(rec, *ts);
	xtr_put_le64(rec + 8, fl->l.type | (uint64_t)fl->l.size << 16 | (uint64_t)tid << 32);
	fl->prev = rec;
	if (!fl->l.n)
		return true;
	if (!get(c, &mask) || mask & fl->mask_bad)
		return false;
	for (; mask; mask &= mask - 1)
		if (!get_value(c, fl->l.fields[__builtin_ctzll(mask)], rec))
			return false;
	return true;
}

int xtr_filter_decode(struct xtr_filter_dec *d, const uint8_t *in, size_t len, uint32_t n,
		      uint8_t *out, size_t rec_len, struct xtr_rec_span *span)
{
	struct cursor c = { .p = in, .end = in + len };
	struct xtr_rec_span s = { .ts_min = n ? UINT64_MAX : 0, .sorted = true };
	uint64_t ts = 0, before = 0, head;
	size_t off = 0;
	int err = get_layouts(d, &c);

	if (err)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		struct xtr_filter_layout *fl;

		if (!get(&c, &head) || head / 2 >= d->n)
			return -EBADMSG;
		fl = &d->layouts[head / 2];
		if (fl->l.size > rec_len - off || !get_row(&c, fl, head & 1, &ts, out + off))
			return -EBADMSG;
		off += fl->l.size;
		s.ts_min = ts < s.ts_min ? ts : s.ts_min;
		s.ts_max = ts > s.ts_max ? ts : s.ts_max;
		s.sorted &= ts >= before;
		before = ts;
	}
	*span = s;
	return c.p == c.end && off == rec_len ? 0 : -EBADMSG;
}

void xtr_filter_dec_free(struct xtr_filter_dec *d)
{
	free(d->layouts);
	*d = (struct xtr_filter_dec){ 0 };
}
