/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log-linear histogram of 64-bit values (the HDR idea): each power of two is cut into 64 buckets
 * of equal width, so that a value read back lies within 1/128 (0.79 %) of the value put in; values
 * below 128 are exact. Count, sum, minimum and maximum are exact. Two histograms add up to the
 * histogram of all their values. Memory: 512 bytes for each power of two that occurs.
 *
 * Where there are as many histograms as a file likes, their memory can be limited: what there is no
 * room for becomes coarse, with one bucket for each power of two and no memory beyond the
 * structure.
 */
#ifndef XTR_HIST_H
#define XTR_HIST_H

#include "base/checked.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_HIST_SUB_BITS 6u
#define XTR_HIST_SUB      (1u << XTR_HIST_SUB_BITS)
#define XTR_HIST_GROUPS   (64u - XTR_HIST_SUB_BITS + 1u)

struct xtr_hist { /* all zero: empty */
	uint64_t n;
	uint64_t sum; /* stops at UINT64_MAX */
	uint64_t min, max;
	bool coarse;
	union {
		uint64_t *bucket; /* XTR_HIST_SUB of them, or NULL */
		uint64_t n;       /* of a coarse one: values */
	} group[XTR_HIST_GROUPS];
};

/* Group 0 holds 0..63; group g >= 1 holds [64 << (g-1), 128 << (g-1)). */
static inline unsigned int xtr_hist_group(uint64_t v)
{
	return 64u - XTR_HIST_SUB_BITS - (unsigned int)__builtin_clzll(v | (XTR_HIST_SUB - 1));
}

/* Count v where its group has no buckets yet, or never will. 0 or -ENOMEM. */
int xtr_hist_count(struct xtr_hist *h, uint64_t v);

/* 0 or -ENOMEM; then the histogram is as before. */
static inline int xtr_hist_add(struct xtr_hist *h, uint64_t v)
{
	unsigned int g = xtr_hist_group(v);

	if (!h->coarse && h->group[g].bucket)
		h->group[g].bucket[(v >> (g - !!g)) & (XTR_HIST_SUB - 1)]++;
	else if (xtr_hist_count(h, v))
		return -ENOMEM;
	if (v < h->min || !h->n)
		h->min = v;
	if (v > h->max)
		h->max = v;
	h->sum = xtr_sat_add(h->sum, v);
	h->n++;
	return 0;
}
/*
 * The same. *left is how many more powers of two (512 bytes each) all the histograms that share it
 * may take; the one that would need another becomes coarse, and gives back what it had.
 */
int xtr_hist_add_within(struct xtr_hist *h, uint64_t v, uint32_t *left);
/* dst += src; coarse if one of them is. 0 or -ENOMEM; then dst holds a part. */
int xtr_hist_merge(struct xtr_hist *dst, const struct xtr_hist *src);
void xtr_hist_free(struct xtr_hist *h);

uint64_t xtr_hist_mean(const struct xtr_hist *h); /* 0 if empty */
/*
 * The value below or at which at least permille / 1000 of the values are: the middle of its bucket,
 * within [min, max]; 1000 gives max. 0 if empty. Of a coarse one: of its power of two (from 64 on).
 */
uint64_t xtr_hist_quantile(const struct xtr_hist *h, unsigned int permille);

/* One non-empty bucket: values from lo to hi (inclusive), n of them. */
struct xtr_hist_bucket {
	uint64_t lo, hi, n;
};
/*
 * Walk over non-empty buckets in order: *pos starts at 0. Returns 1 and fills b, or 0 at the end.
 */
int xtr_hist_next(const struct xtr_hist *h, uint32_t *pos, struct xtr_hist_bucket *b);

#endif /* XTR_HIST_H */
