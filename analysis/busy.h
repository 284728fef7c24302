/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The union of busy intervals: how long at least one of them lasted. Intervals come in order of
 * their end, as jobs complete; memory is bounded.
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

/* start <= end, end not before an earlier end. 0 or -ENOMEM. */
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
