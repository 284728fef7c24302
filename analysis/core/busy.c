/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separate stretches in order of time; a new interval swallows those that it touches, which are the
 * last ones but for jobs that are told of late. What lies before the horizon can't be touched any
 * more and is dropped when the array is full.
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

/* Put a span in front of number `at`, which touches none. */
static int insert(struct xtr_busy *b, uint32_t at, const struct xtr_busy_span *span)
{
	uint32_t n = b->n, dropped;

	if (b->n == b->cap && make_room(b))
		return -ENOMEM;
	dropped = n - b->n;
	if (at < dropped)
		return 0; /* among those that make_room has forgotten */
	at -= dropped;
	memmove(b->span + at + 1, b->span + at, (b->n - at) * sizeof(*b->span));
	b->span[at] = *span;
	b->n++;
	return 0;
}

int xtr_busy_add(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	struct xtr_busy_span joined = { start < end ? start : end, end };
	uint32_t first, behind; /* those it touches are [first, behind) */
	int err;

	for (behind = b->n; behind && b->span[behind - 1].start > end; behind--)
		;
	for (first = behind; first && b->span[first - 1].end >= joined.start; first--) {
		const struct xtr_busy_span *s = &b->span[first - 1];

		if (s->start < joined.start)
			joined.start = s->start;
		if (s->end > joined.end)
			joined.end = s->end;
		b->total -= s->end - s->start;
	}
	err = first == behind ? insert(b, first, &joined) : 0;
	if (err)
		return err;
	b->total += joined.end - joined.start;
	if (first == behind)
		return 0;
	b->span[first] = joined;
	memmove(b->span + first + 1, b->span + behind, (b->n - behind) * sizeof(*b->span));
	b->n -= behind - first - 1;
	return 0;
}

void xtr_busy_free(struct xtr_busy *b)
{
	free(b->span);
	*b = (struct xtr_busy){ 0 };
}
