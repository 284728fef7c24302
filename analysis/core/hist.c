/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Group 0 holds 0..63, one value per bucket; group g >= 1 holds [64 << (g-1), 128 << (g-1)) in 64
 * buckets of width 1 << (g-1). Groups are allocated when first used.
 */
#include "hist.h"

#include <errno.h>
#include <stdlib.h>

static void bucket_range(unsigned int g, unsigned int sub, uint64_t *lo, uint64_t *hi)
{
	unsigned int shift = g ? g - 1 : 0;

	*lo = (uint64_t)(g ? XTR_HIST_SUB + sub : sub) << shift;
	*hi = *lo + ((1ull << shift) - 1);
}

static int group_alloc(struct xtr_hist *h, unsigned int g)
{
	if (!h->group[g].bucket)
		h->group[g].bucket = calloc(XTR_HIST_SUB, sizeof(*h->group[g].bucket));
	return h->group[g].bucket ? 0 : -ENOMEM;
}

static uint64_t group_n(const struct xtr_hist *h, unsigned int g)
{
	uint64_t n = 0;

	if (h->coarse)
		return h->group[g].n;
	for (unsigned int i = 0; h->group[g].bucket && i < XTR_HIST_SUB; i++)
		n += h->group[g].bucket[i];
	return n;
}

/* Returns how many groups it had. */
static uint32_t make_coarse(struct xtr_hist *h)
{
	uint32_t had = 0;
	uint64_t n;

	for (unsigned int g = 0; g < XTR_HIST_GROUPS && !h->coarse; g++) {
		n = group_n(h, g);
		had += h->group[g].bucket != NULL;
		free(h->group[g].bucket);
		h->group[g].n = n;
	}
	h->coarse = true;
	return had;
}

int xtr_hist_count(struct xtr_hist *h, uint64_t v)
{
	unsigned int g = xtr_hist_group(v);

	if (h->coarse)
		h->group[g].n++;
	else if (group_alloc(h, g))
		return -ENOMEM;
	else
		h->group[g].bucket[(v >> (g - !!g)) & (XTR_HIST_SUB - 1)]++;
	return 0;
}

int xtr_hist_add_within(struct xtr_hist *h, uint64_t v, uint32_t *left)
{
	bool more = !h->coarse && !h->group[xtr_hist_group(v)].bucket;
	int err;

	if (more && !*left) {
		*left += make_coarse(h);
		more = false;
	}
	err = xtr_hist_add(h, v);
	if (!err && more)
		--*left;
	return err;
}

int xtr_hist_merge(struct xtr_hist *dst, const struct xtr_hist *src)
{
	if (src->coarse)
		make_coarse(dst);
	for (unsigned int g = 0; g < XTR_HIST_GROUPS; g++) {
		if (dst->coarse) {
			dst->group[g].n += group_n(src, g);
			continue;
		}
		if (!src->group[g].bucket)
			continue;
		if (group_alloc(dst, g))
			return -ENOMEM;
		for (unsigned int i = 0; i < XTR_HIST_SUB; i++)
			dst->group[g].bucket[i] += src->group[g].bucket[i];
	}
	if (src->n && (!dst->n || src->min < dst->min))
		dst->min = src->min;
	if (src->max > dst->max)
		dst->max = src->max;
	dst->sum = xtr_sat_add(dst->sum, src->sum);
	dst->n += src->n;
	return 0;
}

void xtr_hist_free(struct xtr_hist *h)
{
	for (unsigned int g = 0; g < XTR_HIST_GROUPS && !h->coarse; g++)
		free(h->group[g].bucket);
	*h = (struct xtr_hist){ 0 };
}

uint64_t xtr_hist_mean(const struct xtr_hist *h)
{
	return h->n ? h->sum / h->n : 0;
}

/* ceil(n * permille / 1000) without overflow. */
static uint64_t rank_of(uint64_t n, unsigned int permille)
{
	return n / 1000 * permille + (n % 1000 * permille + 999) / 1000;
}

uint64_t xtr_hist_quantile(const struct xtr_hist *h, unsigned int permille)
{
	struct xtr_hist_bucket b;
	uint64_t rank = rank_of(h->n, permille), seen = 0, mid;
	uint32_t pos = 0;

	if (permille >= 1000)
		return h->max;
	if (rank <= 1)
		return h->min;
	while (xtr_hist_next(h, &pos, &b)) {
		seen += b.n;
		if (seen < rank)
			continue;
		mid = b.lo + (b.hi - b.lo) / 2;
		if (mid < h->min)
			return h->min;
		return mid > h->max ? h->max : mid;
	}
	return h->max;
}

int xtr_hist_next(const struct xtr_hist *h, uint32_t *pos, struct xtr_hist_bucket *b)
{
	uint64_t unused;

	while (*pos < XTR_HIST_GROUPS * XTR_HIST_SUB) {
		unsigned int g = *pos / XTR_HIST_SUB, sub = *pos % XTR_HIST_SUB;

		if (h->coarse || !h->group[g].bucket)
			*pos = (g + 1) * XTR_HIST_SUB;
		else
			(*pos)++;
		if (!h->coarse && !h->group[g].bucket)
			continue;
		b->n = h->coarse ? h->group[g].n : h->group[g].bucket[sub];
		if (!b->n)
			continue;
		bucket_range(g, sub, &b->lo, &b->hi);
		if (h->coarse)
			bucket_range(g, XTR_HIST_SUB - 1, &unused, &b->hi);
		return 1;
	}
	return 0;
}
