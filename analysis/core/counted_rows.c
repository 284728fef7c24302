/* SPDX-License-Identifier: BSD-2-Clause */
#include "counted_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void xtr_tally_init(struct xtr_tally *r, size_t size, uint32_t max)
{
	*r = (struct xtr_tally){ .size = size, .max = max };
}

void xtr_tally_free(struct xtr_tally *r)
{
	xtr_keymap_free(&r->map);
	free(r->row);
	r->row = NULL;
	r->n = r->cap = 0;
}

void *xtr_tally_at(const struct xtr_tally *r, uint32_t i)
{
	return r->row + i * r->size;
}

static int grow(struct xtr_tally *r)
{
	uint32_t cap = r->cap ? r->cap * 2 : 16;
	uint8_t *more;

	cap = cap < r->max ? cap : r->max;
	more = reallocarray(r->row, cap, r->size);
	if (!more)
		return -ENOMEM;
	r->row = more;
	r->cap = cap;
	return 0;
}

int xtr_tally_get(struct xtr_tally *r, uint64_t a, uint64_t b, void *row)
{
	uint32_t i = xtr_keymap_get(&r->map, a, b);
	struct xtr_tally_row *new = NULL;
	int ret;

	if (i != XTR_KEYMAP_NONE) {
		*(void **)row = xtr_tally_at(r, i);
		return 0;
	}
	*(void **)row = NULL;
	if (r->n == r->max) {
		r->left_out++;
		return 0;
	}
	ret = r->n == r->cap ? grow(r) : 0;
	if (!ret)
		ret = xtr_keymap_put(&r->map, a, b, r->n);
	if (ret)
		return ret;
	new = xtr_tally_at(r, r->n++);
	memset(new, 0, r->size);
	new->a = a;
	new->b = b;
	*(void **)row = new;
	return 0;
}

static int by_count(const void *pa, const void *pb)
{
	const struct xtr_tally_row *x = pa, *y = pb;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

void xtr_tally_sort(struct xtr_tally *r)
{
	if (r->n)
		qsort(r->row, r->n, r->size, by_count);
}
