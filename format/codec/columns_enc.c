/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to columns (spec 5.3): each column is tried with every prediction that may be good
 * for it, and written in the shortest way.
 */
#include "columns_rows.h"

#include <errno.h>
#include <string.h>

/* Integer fields of a layout that are tried as keys, the first ones: identities come first. */
#define KEYS_TRIED 12u

/* Differences of e->value to nothing, and to the value before. */
static void offer_plain(struct xtr_columns_enc *e, const struct col_source *s)
{
	const uint64_t mask = UINT64_MAX >> (64 - s->bits);
	uint64_t before = 0;

	memcpy(e->pick.trial, e->value, s->n * sizeof(*e->value));
	col_pick_offer(&e->pick, COL_ZERO, 0, s->bits, 0);
	for (uint32_t i = 0; i < s->n; i++) {
		e->pick.trial[i] = (e->value[i] - before) & mask;
		before = e->value[i];
	}
	col_pick_offer(&e->pick, COL_BEFORE, 0, s->bits, 0);
}

static void offer_keyed(struct xtr_columns_enc *e, const struct col_source *s,
			struct xtr_layout_field by, uint32_t key)
{
	const uint64_t mask = UINT64_MAX >> (64 - s->bits);
	const unsigned int bits = col_clear_slots(e, s->n);

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t *last = &e->slot[col_slot(col_field_value(s->recs + s->row[i], by), bits)];

		e->pick.trial[i] = (e->value[i] - *last) & mask;
		*last = e->value[i];
	}
	col_pick_offer(&e->pick, COL_KEYED, key, s->bits, 1);
}

/* --- the columns that all records have ---------------------------------------------------------
 */

void col_try_numbers(struct xtr_columns_enc *e, uint32_t n)
{
	const struct col_source s = { .n = n, .bits = 16 };

	col_pick_start(&e->pick, n);
	for (uint32_t i = 0; i < n; i++)
		e->value[i] = e->number[i];
	offer_plain(e, &s);
}

void col_try_times(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n)
{
	const struct col_source s = { .n = n, .bits = 64 };

	col_pick_start(&e->pick, n);
	for (uint32_t i = 0; i < n; i++)
		e->value[i] = xtr_rec_ts(recs + e->at[i]);
	offer_plain(e, &s);
}

void col_try_tids(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n)
{
	const struct col_source s = { .n = n, .bits = 32 };
	unsigned int bits;

	col_pick_start(&e->pick, n);
	for (uint32_t i = 0; i < n; i++)
		e->value[i] = xtr_rec_tid(recs + e->at[i]);
	offer_plain(e, &s);
	bits = col_clear_slots(e, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t *last = &e->slot[col_slot(e->number[i], bits)];

		e->pick.trial[i] = (e->value[i] - *last) & UINT32_MAX;
		*last = e->value[i];
	}
	col_pick_offer(&e->pick, COL_KEYED, 0, 32, 1);
}

/* --- fields ----------------------------------------------------------------------------------- */

/* The next key to try for field k after `key`, 0 is the first; false: there is none. */
static bool next_key(const struct xtr_layout *l, uint32_t k, uint32_t *key, uint32_t *tried)
{
	while (++*key <= k)
		if (l->fields[*key - 1].width < XTR_LAYOUT_BYTES_FLAG)
			return ++*tried <= KEYS_TRIED;
	return false;
}

static void try_integers(struct xtr_columns_enc *e, const struct col_source *s,
			 const struct xtr_layout *l, uint32_t k)
{
	uint32_t key = 0, tried = 0;

	for (uint32_t i = 0; i < s->n; i++)
		e->value[i] = col_field_value(s->recs + s->row[i], l->fields[k]);
	offer_plain(e, s);
	if (!col_pick_is_done(&e->pick))
		offer_keyed(e, s, col_tid_field, 0);
	while (!col_pick_is_done(&e->pick) && next_key(l, k, &key, &tried))
		offer_keyed(e, s, l->fields[key - 1], key);
}

void col_mark_changes(struct xtr_columns_enc *e, const struct col_source *s,
		      struct xtr_layout_field f, enum col_prediction prediction,
		      struct xtr_layout_field by)
{
	static const uint8_t zeros[XTR_LAYOUT_BYTES_FLAG];
	const uint32_t len = f.width - XTR_LAYOUT_BYTES_FLAG, start = f.end - len;
	const unsigned int bits = col_clear_slots(e, s->n);
	const uint8_t *before = zeros;

	e->bytes.n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const uint8_t *rec = s->recs + s->row[i];

		if (prediction == COL_KEYED) {
			uint64_t *last = &e->slot[col_slot(col_field_value(rec, by), bits)];

			before = *last ? s->recs + *last - 1 + start : zeros;
			*last = s->row[i] + 1ull;
		}
		e->pick.trial[i] = memcmp(before, rec + start, len) != 0;
		if (e->pick.trial[i])
			xtr_buf_add(&e->bytes, rec + start, len);
		if (prediction == COL_BEFORE)
			before = rec + start;
	}
}

static void offer_bytes(struct xtr_columns_enc *e, const struct col_source *s,
			struct xtr_layout_field f, enum col_prediction prediction,
			struct xtr_layout_field by, uint32_t key)
{
	size_t cost = e->pick.cost;

	col_mark_changes(e, s, f, prediction, by);
	col_pick_offer(&e->pick, prediction, key, 1, col_pick_bytes_cost(&e->pick, &e->bytes));
	if (e->pick.cost < cost) {
		struct xtr_buf swap = e->best_bytes;

		e->best_bytes = e->bytes;
		e->bytes = swap;
	}
}

static void try_bytes(struct xtr_columns_enc *e, const struct col_source *s,
		      const struct xtr_layout *l, uint32_t k)
{
	const struct xtr_layout_field f = l->fields[k];
	uint32_t key = 0, tried = 0;

	offer_bytes(e, s, f, COL_ZERO, col_tid_field, 0);
	if (!col_pick_is_done(&e->pick))
		offer_bytes(e, s, f, COL_BEFORE, col_tid_field, 0);
	if (!col_pick_is_done(&e->pick))
		offer_bytes(e, s, f, COL_KEYED, col_tid_field, 0);
	while (!col_pick_is_done(&e->pick) && next_key(l, k, &key, &tried))
		offer_bytes(e, s, f, COL_KEYED, l->fields[key - 1], key);
}

void col_try_field(struct xtr_columns_enc *e, const struct col_source *s,
		   const struct xtr_layout *l, uint32_t k)
{
	col_pick_start(&e->pick, s->n);
	if (l->fields[k].width > XTR_LAYOUT_BYTES_FLAG)
		try_bytes(e, s, l, k);
	else
		try_integers(e, s, l, k);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int put_fields(struct xtr_columns_enc *e, const uint8_t *recs)
{
	for (uint32_t i = 0; i < e->n_layouts; i++) {
		const struct col_layout *el = col_layout_of(e, i);

		for (uint32_t k = 0; k < el->l.n; k++) {
			const struct col_source s = col_field_source(e, el, k, recs);

			col_try_field(e, &s, &el->l, k);
			col_pick_write(&e->pick, &e->out);
			if (el->l.fields[k].width > XTR_LAYOUT_BYTES_FLAG)
				xtr_buf_add(&e->out, e->best_bytes.p, e->best_bytes.n);
			if (!e->out.err && e->out.n > XTR_RAW_MAX)
				return -E2BIG;
		}
	}
	return 0;
}

int xtr_columns_encode(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len,
		       const uint8_t **out, size_t *len)
{
	int err;

	err = col_take_rows(e, recs, n, rec_len);
	if (err)
		return err;
	col_try_numbers(e, n);
	col_pick_write(&e->pick, &e->out);
	col_try_times(e, recs, n);
	col_pick_write(&e->pick, &e->out);
	col_try_tids(e, recs, n);
	col_pick_write(&e->pick, &e->out);
	return put_fields(e, recs) ?: col_give(e, out, len);
}
