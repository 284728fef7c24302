/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a columns encoder: which layout each record of a chunk has, and where it stands.
 * Layouts are kept from chunk to chunk; in each they are numbered anew, in the order in which they
 * occur.
 */
#ifndef XTR_COLUMNS_ROWS_H
#define XTR_COLUMNS_ROWS_H

#include "columns.h"
#include "columns_pick.h"
#include "layout.h"
#include "base/map.h"

#include "base/varint.h"

#define COL_RECENT 64u /* a power of two */

/* How columns that are alike were written best, and when that is to be found out again. */
struct col_memory {
	uint64_t rows, look_at; /* seen so far, and how many of them are reason to look again */
};

struct col_layout {
	struct xtr_layout l;
	uint32_t epoch;    /* of the chunk in which the next three hold */
	uint32_t number;   /* in the payload */
	uint32_t first, n; /* rows, in `row` */
	struct col_memory memory;
	struct col_way way[XTR_LAYOUT_FIELDS_MAX];
};

enum col_common {
	COL_NUMBERS,
	COL_TIMES,
	COL_TIDS,
	COL_COMMON
};

struct xtr_columns_enc {
	const struct xtr_meta *meta;
	struct col_layout layout[XTR_LAYOUTS_MAX]; /* those that are known */
	uint32_t n_known, epoch;
	uint16_t recent[COL_RECENT]; /* index of the layout used last, by a hash of type and size */
	struct xtr_map by_key;       /* (type, size) -> index in layout */
	uint16_t used[XTR_LAYOUTS_MAX]; /* the chunk's layouts, by number */
	uint32_t n_layouts;
	uint16_t number[XTR_RECORDS_MAX]; /* of each record's layout */
	uint32_t at[XTR_RECORDS_MAX];     /* offset of each record, in order */
	uint32_t row[XTR_RECORDS_MAX];    /* the same, by layout */
	uint64_t value[XTR_RECORDS_MAX], slot[COL_SLOTS_MAX];
	struct col_memory memory; /* of the columns that all records have */
	struct col_way way[COL_COMMON];
	struct col_pick pick;
	struct xtr_buf bytes, best_bytes; /* of a bytes field: those that changed */
	struct xtr_buf out;
};

/* What a column's values stand in: each row's record, or the array of layout numbers. */
struct col_source {
	const uint8_t *recs;
	const uint32_t *row;
	uint32_t n;
	unsigned int bits; /* of a value */
};

static const struct xtr_layout_field col_ts_field = { .end = 8 };
static const struct xtr_layout_field col_tid_field = { .end = 16, .shift = 32 };

static inline uint64_t col_field_value(const uint8_t *rec, struct xtr_layout_field f)
{
	return xtr_le64(rec + f.end - 8) >> f.shift;
}

static inline struct col_layout *col_layout_of(struct xtr_columns_enc *e, uint32_t number)
{
	return &e->layout[e->used[number]];
}

static inline struct col_source col_field_source(const struct xtr_columns_enc *e,
						 const struct col_layout *el, uint32_t field,
						 const uint8_t *recs)
{
	return (struct col_source){ recs, e->row + el->first, el->n,
				    64u - el->l.fields[field].shift };
}

/* The slots of a column of n rows, cleared, in e->slot. */
unsigned int col_clear_slots(struct xtr_columns_enc *e, uint32_t n);

/*
 * Begin a chunk of n records, rec_len bytes: find their layouts and rows, and write the layouts to
 * e->out, which is empty before. 0; -EINVAL: more than a chunk holds, or none; -EOPNOTSUPP: some
 * record cannot be laid out, or they have too many layouts; -ENOMEM (of the layouts in e->out: in
 * e->out.err).
 */
int col_take_rows(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len);
/* End it: *out is the encoder's. 0; -E2BIG: too long for a chunk; -ENOMEM. */
int col_give(const struct xtr_columns_enc *e, const uint8_t **out, size_t *len);

/* Offer what a column can be predicted from to e->pick; the best of it is there then. */
void col_try_numbers(struct xtr_columns_enc *e, uint32_t n);
void col_try_times(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n);
void col_try_tids(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n);
void col_try_field(struct xtr_columns_enc *e, const struct col_source *s,
		   const struct xtr_layout *l, uint32_t k);

/*
 * Which rows of a bytes field differ from their prediction, in e->pick.trial, and their bytes, in
 * e->bytes. by: the key, with COL_KEYED.
 */
void col_mark_changes(struct xtr_columns_enc *e, const struct col_source *s,
		      struct xtr_layout_field f, enum col_prediction prediction,
		      struct xtr_layout_field by);

#endif /* XTR_COLUMNS_ROWS_H */
