/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The union of busy intervals: how long at least one of them lasted. Intervals come in order of
 * their end, as jobs complete, but for some that are told of late; memory is bounded.
 */
#ifndef XTR_BUSY_H
#define XTR_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_BUSY_MAX 4096u /* separate stretches kept: 64 KiB */

struct xtr_busy_span {
	uint64_t start, end; /* ns */
};

struct xtr_busy { /* all zero: empty */
	struct xtr_busy_span *span;
	uint32_t n, cap;
	uint64_t total; /* ns */
	bool inexact;   /* a later interval may overlap what was forgotten: total is too high */
};

/*
 * The common cases of xtr_busy_add: the interval stands behind all others and there is room, or it
 * goes on with the last one. False: nothing was done.
 */
static inline bool xtr_busy_join(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	struct xtr_busy_span *top = b->n ? &b->span[b->n - 1] : NULL;

	if (!top || start > end || start < top->start || end < top->end)
		return false;
	if (start <= top->end) {
		b->total += end - top->end;
		top->end = end;
		return true;
	}
	if (b->n == b->cap)
		return false;
	b->span[b->n++] = (struct xtr_busy_span){ start, end };
	b->total += end - start;
	return true;
}
/* start <= end; cheap if the end is not before an earlier end. 0 or -ENOMEM. */
int xtr_busy_add(struct xtr_busy *b, uint64_t start, uint64_t end);
/* True if the next add may need room: call xtr_busy_forget first. */
static inline bool xtr_busy_full(const struct xtr_busy *b)
{
	return b->n == b->cap;
}
/* No later interval starts before horizon. */
void xtr_busy_forget(struct xtr_busy *b, uint64_t horizon);
void xtr_busy_free(struct xtr_busy *b);

#endif /* XTR_BUSY_H */
