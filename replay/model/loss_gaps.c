/* SPDX-License-Identifier: BSD-2-Clause */
#include "loss_gaps.h"

#include <errno.h>
#include <stdlib.h>

int xtr_gaps_add(struct xtr_gaps *g, uint64_t first, uint64_t last)
{
	struct xtr_span_ns *top = g->n ? &g->span[g->n - 1] : NULL;

	if (last < first)
		last = first;
	if (top && (first <= top->last || g->n == XTR_GAPS_MAX)) {
		if (last > top->last)
			top->last = last;
		if (first < top->first)
			top->first = first;
		return 0;
	}
	if (g->n == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 16;
		struct xtr_span_ns *span = realloc(g->span, cap * sizeof(*span));

		if (!span)
			return -ENOMEM;
		g->span = span;
		g->cap = cap;
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n < cap, so there is memory */
	g->span[g->n++] = (struct xtr_span_ns){ first, last };
	return 0;
}

/* Binary search for the last span that begins at or before `to`. */
bool xtr_gaps_search(const struct xtr_gaps *g, uint64_t from, uint64_t to)
{
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->span[mid].first <= to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && g->span[lo - 1].last >= from;
}

uint64_t xtr_gaps_first(const struct xtr_gaps *g, uint64_t from, uint64_t to)
{
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->span[mid].last < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == g->n || g->span[lo].first > to)
		return UINT64_MAX;
	return g->span[lo].first > from ? g->span[lo].first : from;
}

void xtr_gaps_free(struct xtr_gaps *g)
{
	free(g->span);
	*g = (struct xtr_gaps){ 0 };
}
