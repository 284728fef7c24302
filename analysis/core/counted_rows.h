/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows that are counted by a key of two numbers: at most so many, whatever a file holds. What finds
 * no room is counted. A row is a structure of the caller's that begins with struct xtr_tally_row.
 */
#ifndef XTR_TALLY_H
#define XTR_TALLY_H

#include "base/keymap.h"

struct xtr_tally_row {
	uint64_t a, b; /* the key */
	uint64_t n;    /* the caller's count, by which rows are sorted */
};

struct xtr_tally {
	struct xtr_keymap map; /* of no use after xtr_tally_sort */
	uint8_t *row;
	size_t size; /* bytes of a row */
	uint32_t n, cap, max;
	uint64_t left_out; /* xtr_tally_get that found no room */
};

void xtr_tally_init(struct xtr_tally *r, size_t size, uint32_t max);
void xtr_tally_free(struct xtr_tally *r);
/*
 * The row of this key, a new one all zero but for the key. It moves when another one is added. 0
 * and *row; *row NULL: there is no room; -ENOMEM.
 */
int xtr_tally_get(struct xtr_tally *r, uint64_t a, uint64_t b, void *row);
/* Row i of r->n. */
void *xtr_tally_at(const struct xtr_tally *r, uint32_t i);
/* The largest n first, then by key. Nothing may be added afterwards. */
void xtr_tally_sort(struct xtr_tally *r);

#endif /* XTR_TALLY_H */
