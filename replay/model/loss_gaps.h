/* SPDX-License-Identifier: BSD-2-Clause */
/* The stretches of time in which events were lost, on any CPU, merged. */
#ifndef XTR_GAPS_H
#define XTR_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_GAPS_MAX 65536u /* beyond, the last stretch grows */

struct xtr_span_ns {
	uint64_t first, last; /* ns, inclusive */
};

struct xtr_gaps { /* all zero: empty */
	struct xtr_span_ns *span;
	size_t n, cap;
};

/* Spans come in order of first. 0 or -ENOMEM. */
int xtr_gaps_add(struct xtr_gaps *g, uint64_t first, uint64_t last);
/* True if something was lost between from and to (inclusive). */
bool xtr_gaps_search(const struct xtr_gaps *g, uint64_t from, uint64_t to);
static inline bool xtr_gaps_overlap(const struct xtr_gaps *g, uint64_t from, uint64_t to)
{
	return g->n && xtr_gaps_search(g, from, to);
}
/* The first moment in that time at which something was lost; UINT64_MAX: there is none. */
uint64_t xtr_gaps_first(const struct xtr_gaps *g, uint64_t from, uint64_t to);
void xtr_gaps_free(struct xtr_gaps *g);

#endif /* XTR_GAPS_H */
