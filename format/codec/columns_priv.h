/* SPDX-License-Identifier: BSD-2-Clause */
/* What encoder and decoder of the columns filter share: the numbers of spec 5.3. */
#ifndef XTR_COLUMNS_PRIV_H
#define XTR_COLUMNS_PRIV_H

#include "format/xtr_format.h"

#include <stdint.h>

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

#endif /* XTR_COLUMNS_PRIV_H */
