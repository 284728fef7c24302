/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows in order of a column, by a radix sort: a group has many rows, and their times are close. */
#include "parquet_file.h"
#include "base/buf.h"
#include "parquet_encode.h"

#include <errno.h>
#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

/* Keys that are in the order of the cells, from 0 on; what is not known comes last. Returns the
 * greatest; *sorted: they are in order. */
static uint64_t make_keys(const struct xtr_parquet_column *c, uint64_t *key, bool *sorted)
{
	const uint64_t sign = (uint64_t)1 << 63;
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint64_t v = c->v[i] ^ sign;

		if (c->known[i] && v < least)
			least = v;
		if (c->known[i] && v > most)
			most = v;
	}
	/* Of all 2^64 values at once there is no room for one that is not known. */
	most = most < least ? 0 : most - least;
	most += most != UINT64_MAX;
	*sorted = true;
	for (size_t i = 0; i < c->n; i++) {
		key[i] = c->known[i] ? (c->v[i] ^ sign) - least : most;
		*sorted = *sorted && (!i || key[i - 1] <= key[i]);
	}
	return most;
}

/* Stable: rows of one key stay as they came. */
static void sort_by(const uint64_t *key, const uint32_t *from, uint32_t *to, size_t n,
		    unsigned int shift)
{
	uint32_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[key[i] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[key[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

int xtr_parquet_order(struct xtr_parquet_file *p, const uint32_t **order)
{
	const struct xtr_parquet_column *c = p->sorted_by < 0 ? NULL : &p->column[p->sorted_by];
	uint32_t *from, *to, *swap;
	unsigned int width;
	bool sorted;

	*order = NULL;
	if (!c || c->same)
		return 0;
	if (xtr_grow_array(&p->keys, &p->cap_keys, c->n, sizeof(*p->keys)) ||
	    xtr_grow_array(&p->order, &p->cap_order, 2 * c->n, sizeof(*p->order)))
		return -ENOMEM;
	width = xtr_parquet_width(make_keys(c, p->keys, &sorted));
	if (sorted)
		return 0;
	from = p->order;
	to = p->order + c->n;
	for (uint32_t i = 0; i < c->n; i++)
		from[i] = i;
	for (unsigned int shift = 0; shift < width; shift += DIGIT_BITS) {
		sort_by(p->keys, from, to, c->n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	*order = from;
	return 0;
}
