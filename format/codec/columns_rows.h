/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a columns encoder: which layout each record of a chunk has, and where it stands.
 * Layouts are kept from chunk to chunk; in each they are numbered anew, in the order in which they
 * occur.
 */
#ifndef XTR_COLUMNS_ROWS_H
#define XTR_COLUMNS_ROWS_H

#include "base/buf.h"
#include "base/map.h"
#include "base/bytes.h"
#include "columns.h"
#include "format/xtr_format.h"
#include "layout.h"

#include <stdbool.h>
#include <stdint.h>

/* --- columns priv ----------------------------------------------------------------------------- */

/* What encoder and decoder of the columns filter share: the numbers of spec 5.3. */
/* Bits 0 and 1 of a column's head: how its numbers are written. */
enum col_coding {
	COL_CONSTANT = 0,
	COL_VARINTS = 1,
	COL_BITS = 2,
};

/* Bits 2 and 3: what they are differences to. */
enum col_prediction {
	COL_ZERO = 0,
	COL_BEFORE = 1,
	COL_KEYED = 2,
};

#define COL_PREDICTION_SHIFT 2
#define COL_ZIGZAG           (1u << 4)
#define COL_HEAD_MAX         31u

#define COL_BITS_MAX      56u /* u + k of a number in bits */
#define COL_SLOT_BITS_MIN 4u
#define COL_SLOT_BITS_MAX 12u
#define COL_SLOTS_MAX     (1u << COL_SLOT_BITS_MAX)

/* b of spec 5.3: a column of n rows has 2^b slots. */
static inline unsigned int col_slot_bits(uint32_t n)
{
	unsigned int b = COL_SLOT_BITS_MIN;

	while (b < COL_SLOT_BITS_MAX && (1u << b) < n)
		b++;
	return b;
}

static inline uint32_t col_slot(uint64_t key, unsigned int bits)
{
	return (uint32_t)(key * 0x9E3779B97F4A7C15ull >> (64 - bits));
}

/* --- columns get ------------------------------------------------------------------------------ */

/* The numbers of a column as they are read from a payload (spec 5.3). */
#define COL_BLOCK 256u /* numbers decoded at a time */

struct col_cursor {
	const uint8_t *p, *end;
};

static inline bool col_get(struct col_cursor *c, uint64_t *v)
{
	c->p = xtr_varint_get(c->p, c->end, v);
	return c->p;
}

/* A column while it is decoded. */
struct col_numbers {
	struct col_cursor *c;
	uint8_t coding, prediction;
	bool zigzag;
	uint8_t k;          /* COL_BITS */
	unsigned int shift; /* 64 - bits of a value */
	unsigned int slot_bits;
	uint64_t key; /* as written: 0, or 1 + a field */
	uint64_t constant, before;
	size_t bit; /* COL_BITS: from c->p on */
	uint64_t *slot;
};

/*
 * A column's head, of n rows with values of so many bits; keys: how many there are to choose from.
 * slot: COL_SLOTS_MAX of them. False: it is not well-formed, also below.
 */
bool col_begin(struct col_numbers *col, struct col_cursor *c, uint64_t *slot, unsigned int bits,
	       uint32_t n, uint32_t keys);
/* The next n numbers, up to COL_BLOCK, as they are written. */
bool col_get_numbers(struct col_numbers *col, uint64_t *z, uint32_t n);
/* Numbers become values; key: of each row, with COL_KEYED. */
void col_undo_prediction(struct col_numbers *col, uint64_t *z, const uint64_t *key, uint32_t n);
/* What follows the last number: the rest of its byte is zero. */
bool col_end(struct col_numbers *col);

/* --- columns pick ----------------------------------------------------------------------------- */

/*
 * Finds out how a column gets shortest: the encoder offers the differences to each prediction, and
 * the best one so far is kept.
 */
/* A way to write a column. */
struct col_way {
	enum col_coding coding;
	enum col_prediction prediction;
	bool zigzag;
	uint8_t k;    /* COL_BITS */
	uint32_t key; /* COL_KEYED, as it is written */
};

struct col_pick {
	uint64_t *best, *trial; /* numbers, XTR_RECORDS_MAX each */
	uint8_t *varints, *lz;
	void *state; /* LZ4's */
	uint32_t n;
	size_t cost; /* bytes that the best one takes when it is compressed, about */
	struct col_way way;
};

/* A new column of n numbers. */
void col_pick_start(struct col_pick *p, uint32_t n);
/*
 * A prediction: p->trial holds the differences of n values of so many bits, as unsigned numbers
 * below 2^bits. extra: bytes that this way takes besides the numbers.
 */
void col_pick_offer(struct col_pick *p, enum col_prediction prediction, uint32_t key,
		    unsigned int bits, size_t extra);
/* What these bytes take when they are compressed, about. */
size_t col_pick_bytes_cost(struct col_pick *p, const struct xtr_buf *bytes);
/* Nothing can be better than what there is. */
bool col_pick_is_done(const struct col_pick *p);

bool col_is_constant(const uint64_t *z, uint32_t n);
/* Write the best way and its numbers. */
void col_pick_write(const struct col_pick *p, struct xtr_buf *out);

/* --- columns rows ----------------------------------------------------------------------------- */

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
