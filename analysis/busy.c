/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separate stretches in order of time; a new interval swallows those at the end that it touches.
 * What lies before the horizon can't be touched any more and is dropped when the array is full.
 */
#include "busy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAP_FIRST 64u /* fewer would be looked through for what can be dropped too often */

static void drop_first(struct xtr_busy *b, uint32_t k)
{
	if (!k)
		return;
	memmove(b->span, b->span + k, (b->n - k) * sizeof(*b->span));
	b->n -= k;
}

void xtr_busy_forget(struct xtr_busy *b, uint64_t horizon)
{
	uint32_t k = 0;

	while (k < b->n && b->span[k].end < horizon)
		k++;
	if (k >= b->n / 4) /* else it is cheaper to grow than to move the rest each time */
		drop_first(b, k);
}

static int make_room(struct xtr_busy *b)
{
	uint32_t cap = b->cap ? b->cap * 2 : CAP_FIRST;
	struct xtr_busy_span *span;

	if (cap > XTR_BUSY_MAX) {
		b->inexact = true;
		drop_first(b, b->n / 2);
		return 0;
	}
	span = realloc(b->span, cap * sizeof(*span));
	if (!span)
		return -ENOMEM;
	b->span = span;
	b->cap = cap;
	return 0;
}

int xtr_busy_add(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	if (start > end)
		start = end;
	while (b->n && b->span[b->n - 1].end >= start) {
		const struct xtr_busy_span *top = &b->span[--b->n];

		if (top->start < start)
			start = top->start;
		if (top->end > end)
			end = top->end;
		b->total -= top->end - top->start;
	}
	if (b->n == b->cap && make_room(b))
		return -ENOMEM;
	b->span[b->n++] = (struct xtr_busy_span){ start, end };
	b->total += end - start;
	return 0;
}

void xtr_busy_free(struct xtr_busy *b)
{
	free(b->span);
	*b = (struct xtr_busy){ 0 };
}
