/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios of two samples: what must hold of any, what zeros do, and how often the interval is right.
 */
#include "random.h"
#include "two_samples.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define N_A 40u
#define N_B 33u

static struct two_made m;

static void near(double is, double should_be, double by)
{
	cr_assert(fabs(is - should_be) <= by, "%.12f, not %.12f", is, should_be);
}

/* Sorts a and b. */
static struct xtr_ratio ratio_of(uint64_t *a, size_t n_a, uint64_t *b, size_t n_b)
{
	struct xtr_rank_test t;
	struct xtr_ratio r;

	cr_assert(!xtr_rank_test(two_samples(&m, a, n_a, b, n_b), &t));
	xtr_ratio(&m.s, t.deviation, 0.95, &r);
	return r;
}

static void fill(uint64_t *v, size_t n, double median, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		v[i] = random_time(state, median, 0.4);
}

static int by_size(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/* By sorting the ratios of all pairs. */
Test(ratio, it_is_the_median_of_all_ratios)
{
	static double all[N_A * N_B];
	uint64_t a[N_A], b[N_B], state = 9;
	unsigned int n;

	for (unsigned int round = 0; round < 40; round++) {
		fill(a, N_A, 1e6, &state);
		fill(b, N_B, 1e3 * (1 + round), &state);
		n = 0;
		for (unsigned int i = 0; i < N_A; i++)
			for (unsigned int k = 0; k < N_B - round % 2; k++)
				all[n++] = log((double)b[k]) - log((double)a[i]);
		qsort(all, n, sizeof(*all), by_size);
		struct xtr_ratio r = ratio_of(a, N_A, b, N_B - round % 2);

		near(log(r.ratio), (all[(n - 1) / 2] + all[n / 2]) / 2, 1e-12);
		cr_assert(r.low < r.ratio && r.ratio < r.high);
	}
}

/* What is k times as large has the ratio k, to the last bit; zeros and equal values among them. */
Test(ratio, what_is_k_times_as_large)
{
	static const uint64_t factor[] = { 1, 2, 3, 7, 10, 1000, 999983 };
	uint64_t a[N_A], b[N_A], was[N_A], state = 21;
	unsigned int n;

	for (unsigned int round = 0; round < 60; round++)
		for (unsigned int f = 0; f < sizeof(factor) / sizeof(factor[0]); f++) {
			n = N_A - round % 7;
			fill(was, n, 1e6, &state);
			for (unsigned int i = 0; i < n; i++) {
				if (round % 3 == 1 && i % 4 == 0)
					was[i] = was[0] + i % 8;
				if (round % 3 == 2 && i % 5 < 2)
					was[i] = 0;
			}
			memcpy(a, was, sizeof(a));
			for (unsigned int i = 0; i < n; i++)
				b[i] = was[i] * factor[f];
			struct xtr_ratio r = ratio_of(a, n, b, n), back;

			near(r.ratio, (double)factor[f], 0);
			cr_assert(r.low <= r.ratio && r.ratio <= r.high);
			back = ratio_of(b, n, a, n);
			near(back.ratio, 1 / (double)factor[f], 1e-15);
			cr_assert(back.low <= back.ratio && back.ratio <= back.high);
		}
}

/* a against b is the inverse of b against a, and so are the ends of the interval. */
Test(ratio, the_other_way_round)
{
	uint64_t a[N_A], b[N_B], state = 5;

	for (unsigned int round = 0; round < 200; round++) {
		fill(a, N_A, 1e4, &state);
		fill(b, N_B, 1e3 * (1 + round), &state);
		for (unsigned int i = 0; i < round % 10; i++)
			a[i] = 0;
		for (unsigned int i = 0; i < round % 9; i++)
			b[i] = 0;
		struct xtr_ratio there = ratio_of(a, N_A, b, N_B), back = ratio_of(b, N_B, a, N_A);

		near(there.ratio * back.ratio, 1, 1e-12);
		near(there.low * back.high, 1, 1e-12);
		near(there.high * back.low, 1, 1e-12);
		cr_assert(there.low > 0 && there.low <= there.ratio && there.ratio <= there.high);
	}
}

/* The unit of the times says nothing. */
Test(ratio, in_any_unit)
{
	uint64_t a[N_A], b[N_B], a2[N_A], b2[N_B], state = 6;

	fill(a, N_A, 1e4, &state);
	fill(b, N_B, 2e4, &state);
	for (unsigned int i = 0; i < N_A; i++)
		a2[i] = a[i] * 4096;
	for (unsigned int i = 0; i < N_B; i++)
		b2[i] = b[i] * 4096;
	struct xtr_ratio r = ratio_of(a, N_A, b, N_B), r2 = ratio_of(a2, N_A, b2, N_B);

	near(r.ratio, r2.ratio, 0);
	near(r.low, r2.low, 0);
	near(r.high, r2.high, 0);
}

/* However far apart: a ratio is never below 0, so that a change is never below -100 %. */
Test(ratio, never_below_zero)
{
	uint64_t a[N_A], b[N_B], state = 8;

	for (unsigned int round = 0; round < 200; round++) {
		for (unsigned int i = 0; i < N_A; i++)
			a[i] = random_time(&state, 1e6, 3);
		for (unsigned int i = 0; i < N_B; i++)
			b[i] = random_time(&state, 1e3, 3);
		struct xtr_ratio r = ratio_of(a, N_A, b, N_B);

		cr_assert(r.low >= 0 && r.low <= r.ratio && r.ratio <= r.high);
		cr_assert(r.high < 0.1, "%f", r.high);
	}
}

/*
 * 0, 2, 4 and 0, 6, 8: one pair of zeros says nothing; 2 have the ratio 0, 2 INFINITY, and those
 * between are 1.5, 2, 3, 4: the middle of eight is between 2 and 3.
 */
Test(ratio, zeros)
{
	uint64_t a[] = { 0, 2, 4 }, b[] = { 0, 6, 8 }, none[] = { 0, 0, 0, 0, 0 };
	uint64_t some[] = { 1, 2, 3, 4, 5 };
	struct xtr_ratio r = ratio_of(a, 3, b, 3);

	near(r.ratio, sqrt(2 * 3), 1e-12);
	r = ratio_of(none, 5, some, 5);
	cr_expect(isinf(r.ratio) && isinf(r.low) && isinf(r.high));
	r = ratio_of(some, 5, none, 5);
	cr_expect(r.ratio == 0 && r.low == 0 && r.high == 0);
	r = ratio_of(none, 5, none, 5);
	cr_expect(isnan(r.ratio) && isnan(r.low) && isnan(r.high));
}

/* Three against three can not exclude anything with 95 %, four against four can. */
Test(ratio, too_few_for_an_interval)
{
	uint64_t a[] = { 10, 20, 30, 40 }, b[] = { 110, 120, 130, 140 };
	struct xtr_ratio r = ratio_of(a, 1, b, 1);
	struct xtr_rank_test t;
	struct xtr_shift s;

	near(r.ratio, 11, 1e-12);
	cr_expect(r.low == 0 && isinf(r.high));
	r = ratio_of(a, 3, b, 3);
	cr_expect(r.low == 0 && isinf(r.high));
	cr_assert(!xtr_rank_test(&m.s, &t));
	xtr_shift(&m.s, t.deviation, 0.95, &s);
	cr_expect(isinf(s.low) && s.low < 0 && isinf(s.high) && s.high > 0);
	r = ratio_of(a, 4, b, 4);
	near(r.low, 110.0 / 40, 1e-12);
	near(r.high, 140.0 / 10, 1e-12);
}

/* The largest that values can be. */
Test(ratio, extremes)
{
	uint64_t a[] = { 1 }, b[] = { XTR_VALUES_MOST };

	near(ratio_of(a, 1, b, 1).ratio, (double)XTR_VALUES_MOST, 0);
	near(ratio_of(b, 1, a, 1).ratio, 1 / (double)XTR_VALUES_MOST, 0);
	m.run[0][0] = (struct xtr_value_run){ 10, 1ull << 40 };
	m.run[1][0] = (struct xtr_value_run){ 11, 1ull << 40 };
	m.s = (struct xtr_two_samples){ m.run[0], m.run[1], 1, 1, 1ull << 40, 1ull << 40, 1, 1 };
	struct xtr_ratio r;

	xtr_ratio(&m.s, 0, 0.95, &r);
	near(r.ratio, 1.1, 1e-15);
}

/* The interval holds the true ratio as often as it says; one where nothing differs holds 1. */
Test(ratio, the_interval_keeps_its_word)
{
	enum {
		ROUNDS = 2000
	};
	static const double factor[] = { 1, 1.05, 0.5, 20 };
	uint64_t a[60], b[60], state = 5;
	unsigned int held;

	for (unsigned int f = 0; f < sizeof(factor) / sizeof(factor[0]); f++) {
		for (unsigned int round = held = 0; round < ROUNDS; round++) {
			fill(a, 50, 1e6, &state);
			for (unsigned int i = 0; i < 60; i++)
				b[i] = random_time(&state, 1e6 * factor[f], 0.4);
			struct xtr_ratio r = ratio_of(a, 50, b, 60);

			held += r.low <= factor[f] && factor[f] <= r.high;
		}
		printf("a ratio of %.2f: held by %u of %d intervals\n", factor[f], held, ROUNDS);
		near((double)held / ROUNDS, 0.95, 0.015); /* three standard errors */
	}
}
