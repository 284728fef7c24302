/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns for a recorder: how a column is written best is found out on a few of its rows, and then
 * remembered for the columns like it in the next chunks. What is remembered may be a bad choice,
 * never a wrong one: each number is the difference to its prediction, whatever that is worth.
 */
#include "columns_rows.h"

#include <errno.h>
#include <string.h>

#define SAMPLE     256u       /* rows that are looked at */
#define SAMPLE_MIN 16u        /* fewer say nothing */
#define LOOK_AGAIN 8u         /* when there were so many times as many rows as the last time */
#define LOOK_EVERY (1u << 15) /* or so many more */

/* Before anything is known. */
static const struct col_way as_row_delta = {
	.coding = COL_VARINTS,
	.prediction = COL_BEFORE,
	.zigzag = true,
};
static const struct col_way as_change = { .coding = COL_BITS, .prediction = COL_BEFORE };

/* n more rows. Rows that are to be looked at now, 0: none. */
static uint32_t look_at(struct col_memory *m, uint32_t n)
{
	m->rows += n;
	if (m->rows < m->look_at || n < SAMPLE_MIN)
		return 0;
	m->look_at =
		m->rows < LOOK_EVERY / LOOK_AGAIN ? m->rows * LOOK_AGAIN : m->rows + LOOK_EVERY;
	return n < SAMPLE ? n : SAMPLE;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* shift: 64 - bits of a value. */
static inline uint64_t number_for(uint64_t value, uint64_t predicted, unsigned int shift,
				  bool zigzag)
{
	uint64_t d = (value - predicted) << shift;

	return zigzag ? xtr_zigzag((int64_t)d >> shift) : d >> shift;
}

/* The way fits what is in e->pick.best: write it. all: of all numbers' bits. */
static void put_numbers(struct xtr_columns_enc *e, uint32_t n, const struct col_way *way,
			uint64_t all)
{
	struct col_pick *p = &e->pick;

	p->n = n;
	p->way = *way;
	if (col_is_constant(p->best, n))
		p->way.coding = COL_CONSTANT;
	else if (way->coding == COL_CONSTANT || all >> (COL_BITS_MAX - 1))
		p->way.coding = COL_VARINTS;
	col_pick_write(p, &e->out);
}

/* The numbers of a column; inlined for each prediction. */
static inline __attribute__((always_inline)) uint64_t differ(
	struct xtr_columns_enc *e, const struct col_source *s, struct xtr_layout_field f,
	enum col_prediction prediction, bool zigzag, struct xtr_layout_field by)
{
	const unsigned int bits =
		prediction == COL_KEYED ? col_clear_slots(e, s->n) : COL_SLOT_BITS_MIN;
	uint64_t *z = e->pick.best, all = 0, before = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const uint8_t *rec = s->recs + s->row[i];
		uint64_t value = col_field_value(rec, f);

		if (prediction == COL_KEYED) {
			uint64_t *last = &e->slot[col_slot(col_field_value(rec, by), bits)];

			before = *last;
			*last = value;
		}
		z[i] = number_for(value, before, f.shift, zigzag);
		all |= z[i];
		if (prediction == COL_BEFORE)
			before = value;
	}
	return all;
}

static uint64_t differ_as(struct xtr_columns_enc *e, const struct col_source *s,
			  struct xtr_layout_field f, const struct col_way *way,
			  struct xtr_layout_field by)
{
	switch (way->prediction) {
	case COL_KEYED:
		return way->zigzag ? differ(e, s, f, COL_KEYED, true, by)
				   : differ(e, s, f, COL_KEYED, false, by);
	case COL_BEFORE:
		return way->zigzag ? differ(e, s, f, COL_BEFORE, true, by)
				   : differ(e, s, f, COL_BEFORE, false, by);
	default:
		return way->zigzag ? differ(e, s, f, COL_ZERO, true, by)
				   : differ(e, s, f, COL_ZERO, false, by);
	}
}

/* --- the columns that all records have ---------------------------------------------------------
 */

static void learn_common(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n)
{
	if (!e->memory.rows)
		for (uint32_t i = 0; i < COL_COMMON; i++)
			e->way[i] = as_row_delta;
	n = look_at(&e->memory, n);
	if (!n)
		return;
	col_try_numbers(e, n);
	e->way[COL_NUMBERS] = e->pick.way;
	col_try_times(e, recs, n);
	e->way[COL_TIMES] = e->pick.way;
	col_try_tids(e, recs, n);
	e->way[COL_TIDS] = e->pick.way;
}

static void put_layout_numbers(struct xtr_columns_enc *e, uint32_t n)
{
	const struct col_way *way = &e->way[COL_NUMBERS];
	uint64_t *z = e->pick.best, before = 0;

	for (uint32_t i = 0; i < n; i++) {
		z[i] = number_for(e->number[i], before, 48, way->zigzag);
		if (way->prediction == COL_BEFORE)
			before = e->number[i];
	}
	put_numbers(e, n, way, 0);
}

static void put_tids(struct xtr_columns_enc *e, const struct col_source *s)
{
	const struct col_way *way = &e->way[COL_TIDS];
	uint64_t *z = e->pick.best, all = 0;
	unsigned int bits;

	if (way->prediction != COL_KEYED) {
		put_numbers(e, s->n, way, differ_as(e, s, col_tid_field, way, col_tid_field));
		return;
	}
	bits = col_clear_slots(e, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t *last = &e->slot[col_slot(e->number[i], bits)];
		uint64_t tid = xtr_rec_tid(s->recs + s->row[i]);

		z[i] = number_for(tid, *last, col_tid_field.shift, way->zigzag);
		all |= z[i];
		*last = tid;
	}
	put_numbers(e, s->n, way, all);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void learn_fields(struct xtr_columns_enc *e, struct col_layout *el, const uint8_t *recs)
{
	bool first = !el->memory.rows;
	uint32_t n = look_at(&el->memory, el->n);

	for (uint32_t k = 0; k < el->l.n; k++) {
		struct col_source s = col_field_source(e, el, k, recs);

		if (first)
			el->way[k] = el->l.fields[k].width > XTR_LAYOUT_BYTES_FLAG ? as_change
										   : as_row_delta;
		if (!n)
			continue;
		s.n = n;
		col_try_field(e, &s, &el->l, k);
		el->way[k] = e->pick.way;
	}
}

static void put_field(struct xtr_columns_enc *e, const struct col_source *s,
		      const struct xtr_layout *l, uint32_t k, const struct col_way *way)
{
	const struct xtr_layout_field by = way->key ? l->fields[way->key - 1] : col_tid_field;

	if (l->fields[k].width <= XTR_LAYOUT_BYTES_FLAG) {
		put_numbers(e, s->n, way, differ_as(e, s, l->fields[k], way, by));
		return;
	}
	col_mark_changes(e, s, l->fields[k], way->prediction, by);
	memcpy(e->pick.best, e->pick.trial, s->n * sizeof(*e->pick.best));
	put_numbers(e, s->n, way, 0);
	xtr_buf_add(&e->out, e->bytes.p, e->bytes.n);
}

static int put_fields(struct xtr_columns_enc *e, const uint8_t *recs)
{
	for (uint32_t i = 0; i < e->n_layouts; i++) {
		struct col_layout *el = col_layout_of(e, i);

		learn_fields(e, el, recs);
		for (uint32_t k = 0; k < el->l.n; k++) {
			const struct col_source s = col_field_source(e, el, k, recs);

			put_field(e, &s, &el->l, k, &el->way[k]);
			if (!e->out.err && e->out.n > XTR_RAW_MAX)
				return -E2BIG;
		}
	}
	return 0;
}

int xtr_columns_encode_fast(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n,
			    size_t rec_len, const uint8_t **out, size_t *len)
{
	const struct col_source all = { .recs = recs, .row = e->at, .n = n };
	const struct col_way *ts = &e->way[COL_TIMES];
	int err;

	err = col_take_rows(e, recs, n, rec_len);
	if (err)
		return err;
	learn_common(e, recs, n);
	put_layout_numbers(e, n);
	put_numbers(e, n, ts, differ_as(e, &all, col_ts_field, ts, col_ts_field));
	put_tids(e, &all);
	return put_fields(e, recs) ?: col_give(e, out, len);
}
