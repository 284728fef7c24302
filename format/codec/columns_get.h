/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a column as they are read from a payload (spec 5.3). */
#ifndef XTR_COLUMNS_GET_H
#define XTR_COLUMNS_GET_H

#include "columns_priv.h"
#include "base/varint.h"

#include <stdbool.h>

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

#endif /* XTR_COLUMNS_GET_H */
