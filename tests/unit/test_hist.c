/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/hist.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static uint64_t xorshift(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

Test(hist, empty_is_zero)
{
	struct xtr_hist h = { 0 };
	struct xtr_hist_bucket b;
	uint32_t pos = 0;

	cr_assert(eq(u64, xtr_hist_mean(&h), 0));
	cr_assert(eq(u64, xtr_hist_quantile(&h, 500), 0));
	cr_assert(eq(u64, xtr_hist_quantile(&h, 1000), 0));
	cr_assert(eq(int, xtr_hist_next(&h, &pos, &b), 0));
	xtr_hist_free(&h);
}

Test(hist, values_below_128_are_exact)
{
	struct xtr_hist h = { 0 };
	struct xtr_hist_bucket b;
	uint32_t pos = 0;

	for (uint64_t v = 0; v < 128; v++)
		cr_assert(eq(int, xtr_hist_add(&h, v), 0));
	for (uint64_t v = 0; v < 128; v++) {
		cr_assert(eq(int, xtr_hist_next(&h, &pos, &b), 1));
		cr_assert(eq(u64, b.lo, v));
		cr_assert(eq(u64, b.hi, v));
		cr_assert(eq(u64, b.n, 1));
	}
	cr_assert(eq(int, xtr_hist_next(&h, &pos, &b), 0));
	cr_assert(eq(u64, xtr_hist_quantile(&h, 500), 63));
	xtr_hist_free(&h);
}

/* Every power of two, its neighbours, and both ends of the range fall into a bucket that holds
 * them. */
Test(hist, bucket_holds_its_value_and_is_narrow)
{
	for (int e = 0; e < 64; e++) {
		for (int d = -1; d <= 1; d++) {
			struct xtr_hist h = { 0 };
			struct xtr_hist_bucket b;
			uint64_t v = (1ull << e) + (uint64_t)d;
			uint32_t pos = 0;

			cr_assert(eq(int, xtr_hist_add(&h, v), 0));
			cr_assert(eq(int, xtr_hist_next(&h, &pos, &b), 1));
			cr_assert(le(u64, b.lo, v));
			cr_assert(ge(u64, b.hi, v));
			cr_assert(le(u64, (b.hi - b.lo) / 2, v / 127), "value %llu: %llu to %llu",
				  (unsigned long long)v, (unsigned long long)b.lo,
				  (unsigned long long)b.hi);
			cr_assert(eq(u64, xtr_hist_quantile(&h, 500), v));
			xtr_hist_free(&h);
		}
	}
}

/* Against the sorted values themselves: the stated bound, for values over 40 powers of two. */
Test(hist, quantiles_within_one_percent)
{
	enum {
		N = 20000
	};
	static const unsigned int q[] = { 1, 10, 250, 500, 900, 990, 999 };
	uint64_t *v = malloc(N * sizeof(*v)), s = 88172645463325252ull;
	struct xtr_hist h = { 0 };

	for (size_t i = 0; i < N; i++) {
		v[i] = xorshift(&s) >> (24 + xorshift(&s) % 40);
		cr_assert(eq(int, xtr_hist_add(&h, v[i]), 0));
	}
	qsort(v, N, sizeof(*v), cmp_u64);
	for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		uint64_t want = v[(N * q[i] + 999) / 1000 - 1], got = xtr_hist_quantile(&h, q[i]);
		uint64_t diff = got > want ? got - want : want - got;

		cr_assert(le(u64, diff, want / 128 + 1), "quantile %u: %llu, not %llu", q[i],
			  (unsigned long long)got, (unsigned long long)want);
	}
	cr_assert(eq(u64, xtr_hist_quantile(&h, 1000), v[N - 1]));
	cr_assert(eq(u64, h.min, v[0]));
	xtr_hist_free(&h);
	free(v);
}

Test(hist, merging_equals_adding_all)
{
	struct xtr_hist a = { 0 }, b = { 0 }, all = { 0 };
	struct xtr_hist_bucket x, y;
	uint64_t s = 42, v;
	uint32_t px = 0, py = 0;

	for (int i = 0; i < 5000; i++) {
		v = xorshift(&s) >> (i % 60);
		xtr_hist_add(i % 3 ? &a : &b, v);
		xtr_hist_add(&all, v);
	}
	cr_assert(eq(int, xtr_hist_merge(&a, &b), 0));
	cr_assert(eq(u64, a.n, all.n));
	cr_assert(eq(u64, a.sum, all.sum));
	cr_assert(eq(u64, a.min, all.min));
	cr_assert(eq(u64, a.max, all.max));
	while (xtr_hist_next(&all, &px, &x)) {
		cr_assert(eq(int, xtr_hist_next(&a, &py, &y), 1));
		cr_assert(eq(u64, x.lo, y.lo));
		cr_assert(eq(u64, x.n, y.n));
	}
	cr_assert(eq(int, xtr_hist_next(&a, &py, &y), 0));
	xtr_hist_free(&a);
	xtr_hist_free(&b);
	xtr_hist_free(&all);
}

Test(hist, sum_stops_at_the_top)
{
	struct xtr_hist h = { 0 };

	xtr_hist_add(&h, UINT64_MAX);
	xtr_hist_add(&h, UINT64_MAX);
	cr_assert(eq(u64, h.sum, UINT64_MAX));
	cr_assert(eq(u64, xtr_hist_quantile(&h, 990), UINT64_MAX));
	xtr_hist_free(&h);
}

Test(hist, without_room_it_becomes_coarse)
{
	struct xtr_hist a = { 0 }, b = { 0 }, fine = { 0 };
	struct xtr_hist_bucket x;
	uint32_t left = 2, pos = 0;

	cr_assert(eq(int, xtr_hist_add_within(&a, 5, &left), 0));
	cr_assert(eq(int, xtr_hist_add_within(&a, 200, &left), 0));
	cr_assert(eq(int, xtr_hist_add_within(&a, 201, &left), 0), "no further power of two");
	cr_assert(eq(u32, left, 0));
	cr_assert(not(a.coarse));
	cr_assert(eq(int, xtr_hist_add_within(&b, 7, &left), 0));
	cr_assert(b.coarse);
	cr_assert(eq(int, xtr_hist_add_within(&a, 1 << 20, &left), 0));
	cr_assert(a.coarse);
	cr_assert(eq(u32, left, 2), "what it had is there for others");
	cr_assert(eq(u64, a.n, 4));
	cr_assert(eq(u64, a.sum, 5 + 200 + 201 + (1 << 20)));
	cr_assert(eq(u64, xtr_hist_quantile(&a, 1000), 1 << 20));
	cr_assert(eq(int, xtr_hist_next(&a, &pos, &x), 1));
	cr_assert(eq(u64, x.lo, 0));
	cr_assert(eq(u64, x.hi, 63));
	cr_assert(eq(u64, x.n, 1));
	cr_assert(eq(int, xtr_hist_next(&a, &pos, &x), 1));
	cr_assert(eq(u64, x.lo, 128));
	cr_assert(eq(u64, x.hi, 255));
	cr_assert(eq(u64, x.n, 2));
	cr_assert(eq(int, xtr_hist_next(&a, &pos, &x), 1));
	cr_assert(eq(u64, x.lo, 1 << 20));
	cr_assert(eq(u64, x.hi, (2 << 20) - 1));
	cr_assert(eq(u64, x.n, 1));
	cr_assert(eq(int, xtr_hist_next(&a, &pos, &x), 0));
	xtr_hist_add(&fine, 130);
	cr_assert(eq(int, xtr_hist_merge(&fine, &a), 0));
	cr_assert(fine.coarse);
	cr_assert(eq(u64, fine.group[2].n, 3));
	cr_assert(eq(int, xtr_hist_merge(&a, &b), 0));
	cr_assert(eq(u64, a.n, 5));
	cr_assert(eq(u64, a.group[0].n, 2));
	xtr_hist_free(&a);
	xtr_hist_free(&b);
	xtr_hist_free(&fine);
}
