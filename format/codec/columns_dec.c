/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From columns back to records (spec 5.3). The column of layout numbers tells where each record
 * begins; every other column is then decoded in blocks and put into its rows.
 */
#include "columns.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "columns_rows.h"
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct columns_dec {
	struct xtr_layout layout[XTR_LAYOUTS_MAX];
	uint32_t first[XTR_LAYOUTS_MAX + 1]; /* of a layout's rows in `row` */
	uint16_t number[XTR_RECORDS_MAX];    /* layout of each record */
	uint32_t at[XTR_RECORDS_MAX];        /* offset of each record, in order */
	uint32_t row[XTR_RECORDS_MAX];       /* the same, by layout */
	uint64_t slot[COL_SLOTS_MAX];
	uint32_t n_layouts;
};

/* --- layouts ---------------------------------------------------------------------------------- */

static bool get_layout(struct col_cursor *c, struct xtr_layout *l)
{
	uint32_t end = XTR_RECORD_HEADER_SIZE, n;

	c->p = xtr_layout_read(l, c->p, c->end, &n);
	if (!c->p)
		return false;
	while (n--)
		if (!xtr_layout_add(l, &end, *c->p++))
			return false;
	return end == l->size;
}

static bool get_layouts(struct columns_dec *d, struct col_cursor *c)
{
	uint64_t n;

	if (!col_get(c, &n) || n > XTR_LAYOUTS_MAX)
		return false;
	d->n_layouts = (uint32_t)n;
	for (uint32_t i = 0; i < d->n_layouts; i++)
		if (!get_layout(c, &d->layout[i]))
			return false;
	return true;
}

/* --- the columns that all records have ---------------------------------------------------------
 */

static bool get_layout_numbers(struct columns_dec *d, struct col_cursor *c, uint32_t n)
{
	struct col_numbers col;
	uint64_t z[COL_BLOCK];

	if (!col_begin(&col, c, d->slot, 16, n, 0))
		return false;
	for (uint32_t i = 0, m; i < n; i += m) {
		m = n - i < COL_BLOCK ? n - i : COL_BLOCK;
		if (!col_get_numbers(&col, z, m))
			return false;
		col_undo_prediction(&col, z, NULL, m);
		for (uint32_t k = 0; k < m; k++) {
			if (z[k] >= d->n_layouts)
				return false;
			d->number[i + k] = (uint16_t)z[k];
		}
	}
	return col_end(&col);
}

/* Where each record begins. False unless they are rec_len bytes together. */
static bool place_records(struct columns_dec *d, uint32_t n, size_t rec_len)
{
	uint32_t next[XTR_LAYOUTS_MAX], off = 0;

	memset(next, 0, d->n_layouts * sizeof(*next));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = d->layout[d->number[i]].size;

		if (size > rec_len - off)
			return false;
		d->at[i] = off;
		off += size;
		next[d->number[i]]++;
	}
	d->first[0] = 0;
	for (uint32_t i = 0; i < d->n_layouts; i++) {
		d->first[i + 1] = d->first[i] + next[i];
		next[i] = d->first[i];
	}
	for (uint32_t i = 0; i < n; i++)
		d->row[next[d->number[i]]++] = d->at[i];
	return off == rec_len;
}

static bool get_times(struct columns_dec *d, struct col_cursor *c, uint32_t n, uint8_t *out,
		      struct xtr_rec_span *span)
{
	struct xtr_rec_span s = { .ts_min = n ? UINT64_MAX : 0, .sorted = true };
	struct col_numbers col;
	uint64_t z[COL_BLOCK], before = 0;

	if (!col_begin(&col, c, d->slot, 64, n, 0))
		return false;
	for (uint32_t i = 0, m; i < n; i += m) {
		m = n - i < COL_BLOCK ? n - i : COL_BLOCK;
		if (!col_get_numbers(&col, z, m))
			return false;
		col_undo_prediction(&col, z, NULL, m);
		for (uint32_t k = 0; k < m; k++) {
			xtr_put_le64(out + d->at[i + k], z[k]);
			s.ts_min = z[k] < s.ts_min ? z[k] : s.ts_min;
			s.ts_max = z[k] > s.ts_max ? z[k] : s.ts_max;
			s.sorted &= z[k] >= before;
			before = z[k];
		}
	}
	*span = s;
	return col_end(&col);
}

/* Thread ids, and with them types and sizes. */
static bool get_tids(struct columns_dec *d, struct col_cursor *c, uint32_t n, uint8_t *out)
{
	struct col_numbers col;
	uint64_t z[COL_BLOCK], key[COL_BLOCK];

	if (!col_begin(&col, c, d->slot, 32, n, 1))
		return false;
	for (uint32_t i = 0, m; i < n; i += m) {
		m = n - i < COL_BLOCK ? n - i : COL_BLOCK;
		if (!col_get_numbers(&col, z, m))
			return false;
		for (uint32_t k = 0; k < m; k++)
			key[k] = d->number[i + k];
		col_undo_prediction(&col, z, key, m);
		for (uint32_t k = 0; k < m; k++) {
			const struct xtr_layout *l = &d->layout[key[k]];

			xtr_put_le64(out + d->at[i + k] + 8,
				     l->type | (uint64_t)l->size << 16 | z[k] << 32);
		}
	}
	return col_end(&col);
}

/* --- fields ----------------------------------------------------------------------------------- */

/* The rows of a layout. */
struct rows {
	const struct xtr_layout *l;
	const uint32_t *row; /* offsets of the records */
	uint32_t n;
	uint8_t *out;
};

/* An integer field, which is the highest bits of the 8 bytes that end with it. */
static inline uint64_t field_value(const uint8_t *rec, struct xtr_layout_field f)
{
	return xtr_le64(rec + f.end - 8) >> f.shift;
}

/* What keyed predictions go by: 0 is the thread, i the integer field i - 1 (spec 5.3). */
static bool key_field(const struct rows *r, uint64_t key, struct xtr_layout_field *f)
{
	*f = key ? r->l->fields[key - 1] : (struct xtr_layout_field){ .end = 16, .shift = 32 };
	return !key || f->width < XTR_LAYOUT_BYTES_FLAG;
}

/*
 * Numbers of rows from `first` on become values in their records; inlined for each prediction.
 * Values stand in the highest bits of a word, so that sums are modulo 2^W. The records are zero
 * where the field will stand: adding to the 8 bytes sets it.
 */
static inline __attribute__((always_inline)) void place(struct col_numbers *col,
							const struct rows *r,
							struct xtr_layout_field f,
							struct xtr_layout_field by,
							const uint64_t *z, uint32_t first,
							uint32_t n, uint8_t prediction, bool zigzag)
{
	uint64_t before = prediction == COL_BEFORE ? col->before : 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t *rec = r->out + r->row[first + i], *p = rec + f.end - 8;
		uint64_t v = (zigzag ? xtr_unzigzag(z[i]) : z[i]) << f.shift;

		if (prediction == COL_KEYED) {
			uint64_t *s = &col->slot[col_slot(field_value(rec, by), col->slot_bits)];

			v = *s += v;
		} else if (prediction == COL_BEFORE) {
			v = before += v;
		}
		xtr_put_le64(p, xtr_le64(p) + v);
	}
	col->before = before;
}

static void place_as(struct col_numbers *col, const struct rows *r, struct xtr_layout_field f,
		     struct xtr_layout_field by, const uint64_t *z, uint32_t first, uint32_t n)
{
	if (col->prediction == COL_KEYED && col->zigzag)
		place(col, r, f, by, z, first, n, COL_KEYED, true);
	else if (col->prediction == COL_KEYED)
		place(col, r, f, by, z, first, n, COL_KEYED, false);
	else if (col->prediction == COL_BEFORE && col->zigzag)
		place(col, r, f, by, z, first, n, COL_BEFORE, true);
	else if (col->prediction == COL_BEFORE)
		place(col, r, f, by, z, first, n, COL_BEFORE, false);
	else
		place(col, r, f, by, z, first, n, COL_ZERO, col->zigzag);
}

static bool get_integers(struct col_numbers *col, const struct rows *r, struct xtr_layout_field f,
			 struct xtr_layout_field by)
{
	uint64_t z[COL_BLOCK];

	if (col->coding == COL_CONSTANT && !col->constant)
		return true; /* whatever it is predicted from, all are 0 */
	for (uint32_t i = 0, m; i < r->n; i += m) {
		m = r->n - i < COL_BLOCK ? r->n - i : COL_BLOCK;
		if (!col_get_numbers(col, z, m))
			return false;
		place_as(col, r, f, by, z, i, m);
	}
	return col_end(col);
}

/* Which rows differ from their prediction is in the records' first byte of the field so far. */
static bool get_changes(struct col_numbers *col, const struct rows *r, uint32_t start)
{
	uint64_t z[COL_BLOCK];

	for (uint32_t i = 0, m; i < r->n; i += m) {
		m = r->n - i < COL_BLOCK ? r->n - i : COL_BLOCK;
		if (!col_get_numbers(col, z, m))
			return false;
		for (uint32_t k = 0; k < m; k++)
			r->out[r->row[i + k] + start] = (uint8_t)z[k];
	}
	return col_end(col);
}

static bool get_bytes(struct col_numbers *col, const struct rows *r, struct xtr_layout_field f,
		      struct xtr_layout_field by)
{
	const uint32_t len = f.width - XTR_LAYOUT_BYTES_FLAG, start = f.end - len;
	const uint8_t *before = NULL;
	struct col_cursor *c = col->c;

	if (col->zigzag || !get_changes(col, r, start))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		uint8_t *rec = r->out + r->row[i], *to = rec + start;
		uint64_t *s = NULL; /* 1 + offset of the record that is predicted from */

		if (col->prediction == COL_KEYED) {
			s = &col->slot[col_slot(field_value(rec, by), col->slot_bits)];
			before = *s ? r->out + *s - 1 + start : NULL;
			*s = r->row[i] + 1ull;
		}
		if (*to) {
			if (len > (size_t)(c->end - c->p))
				return false;
			memcpy(to, c->p, len);
			c->p += len;
		} else if (before) {
			memcpy(to, before, len);
		}
		if (col->prediction == COL_BEFORE)
			before = to;
	}
	return true;
}

static bool get_fields(struct columns_dec *d, struct col_cursor *c, uint8_t *out)
{
	for (uint32_t i = 0; i < d->n_layouts; i++) {
		const struct rows r = {
			.l = &d->layout[i],
			.row = d->row + d->first[i],
			.n = d->first[i + 1] - d->first[i],
			.out = out,
		};

		for (uint32_t k = 0; k < r.l->n; k++) {
			struct xtr_layout_field f = r.l->fields[k], by;
			bool bytes = f.width > XTR_LAYOUT_BYTES_FLAG;
			struct col_numbers col;

			if (!col_begin(&col, c, d->slot, bytes ? 1 : 64u - f.shift, r.n, k + 1) ||
			    !key_field(&r, col.key, &by) ||
			    !(bytes ? get_bytes : get_integers)(&col, &r, f, by))
				return false;
		}
	}
	return true;
}

int xtr_columns_decode(struct xtr_columns_dec *dec, const uint8_t *in, size_t len, uint32_t n,
		       uint8_t *out, size_t rec_len, struct xtr_rec_span *span)
{
	struct col_cursor c = { .p = in, .end = in + len };
	struct columns_dec *d = dec->d;

	if (n > XTR_RECORDS_MAX || rec_len > XTR_REC_MAX)
		return -EBADMSG;
	if (!d)
		d = dec->d = malloc(sizeof(*d));
	if (!d)
		return -ENOMEM;
	if (!get_layouts(d, &c) || !get_layout_numbers(d, &c, n) || !place_records(d, n, rec_len))
		return -EBADMSG;
	memset(out, 0, rec_len);
	if (!get_times(d, &c, n, out, span) || !get_tids(d, &c, n, out) || !get_fields(d, &c, out))
		return -EBADMSG;
	return c.p == c.end ? 0 : -EBADMSG;
}

void xtr_columns_dec_free(struct xtr_columns_dec *d)
{
	free(d->d);
	d->d = NULL;
}
