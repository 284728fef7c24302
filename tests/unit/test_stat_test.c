/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of distributions against examples from textbooks, against counting all cases, and against
 * what chance does. */
#include "random.h"
#include "two_samples.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct two_made m;

static struct xtr_rank_test tested(uint64_t *a, size_t n_a, uint64_t *b, size_t n_b)
{
	struct xtr_rank_test t;

	cr_assert(!xtr_rank_test(two_samples(&m, a, n_a, b, n_b), &t));
	return t;
}

static void near(double is, double should_be, double by)
{
	cr_assert(fabs(is - should_be) <= by, "%.9f, not %.9f", is, should_be);
}

/*
 * Hollander and Wolfe, Nonparametric Statistical Methods, example 4.1 (permeability of the human
 * chorioamnion, in 1/100): W = 35 of 50, p one-sided 0.1272, shift -0.305.
 */
Test(stat_test, the_textbook)
{
	uint64_t x[] = { 80, 83, 189, 104, 145, 138, 191, 164, 73, 146 };
	uint64_t y[] = { 115, 88, 90, 74, 121 };
	struct xtr_rank_test t = tested(x, 10, y, 5);
	struct xtr_shift s;

	cr_expect(t.exact);
	near(t.superiority, 15.0 / 50, 1e-12);
	near(t.p, 2 * 0.1272, 0.0001);
	xtr_shift(&m.s, t.deviation, 0.95, &s);
	near(s.shift, -30.5, 1e-9);
	cr_expect(s.low < -30.5 && s.high > 0); /* so it does not tell a difference */
}

/* Ages at diagnosis of diabetes, the example of SciPy's mannwhitneyu: U = 17 of 20, p = 1/9. */
Test(stat_test, a_small_example)
{
	uint64_t males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
	struct xtr_rank_test t = tested(females, 4, males, 5);

	near(t.superiority, 17.0 / 20, 1e-12);
	near(t.p, 1.0 / 9, 1e-12);
	cr_expect(t.exact);
}

Test(stat_test, samples_that_do_not_overlap)
{
	uint64_t a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, b[8] = { 11, 12, 13, 14, 15, 16, 17, 18 };
	/* 2 / (n + m choose n) */
	static const double all[] = { 1,         1,         2.0 / 6,    2.0 / 20,   2.0 / 70,
				      2.0 / 252, 2.0 / 924, 2.0 / 3432, 2.0 / 12870 };

	for (size_t n = 2; n <= 8; n++) {
		near(tested(a, n, b, n).p, all[n], 1e-12);
		near(xtr_rank_least_p(n, n), all[n], 1e-12);
	}
	near(tested(a, 8, b, 8).superiority, 1, 1e-12);
	near(tested(b, 8, a, 8).superiority, 0, 1e-12);
	near(xtr_rank_least_p(0, 5), 1, 0);
	near(xtr_rank_least_p(1, 3), 0.5, 1e-12);
	cr_expect(xtr_rank_least_p(1000, 1000) < 1e-12);
}

/* Pairs in which b is larger, doubled, where the bits of `chosen` are b's. */
static unsigned int doubled_pairs(const uint64_t *v, unsigned int n, unsigned int chosen)
{
	unsigned int pairs = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < n; k++)
			if (chosen & 1u << i && !(chosen & 1u << k))
				pairs += v[i] > v[k] ? 2 : v[i] == v[k];
	return pairs;
}

/* Twice the smaller tail, over all ways to choose n_b of n values: no ranks, no sums. */
static double counted(const uint64_t *v, unsigned int n, unsigned int b)
{
	unsigned int seen = doubled_pairs(v, n, b), ways, pairs;
	double low = 0, high = 0, all = 0;

	for (ways = 0; ways < 1u << n; ways++) {
		if (__builtin_popcount(ways) != __builtin_popcount(b))
			continue;
		pairs = doubled_pairs(v, n, ways);
		all++;
		low += pairs <= seen;
		high += pairs >= seen;
	}
	return fmin(1, 2 * fmin(low, high) / all);
}

/* Every division of 2 to 8 values, with and without ties, is what counting says. */
Test(stat_test, small_samples_are_exact)
{
	static const uint64_t values[3][8] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8 },
		{ 1, 1, 2, 2, 2, 7, 7, 9 },
		{ 5, 5, 5, 5, 5, 5, 5, 5 },
	};
	uint64_t a[8], b[8];
	unsigned int n_a, n_b, tried = 0;

	for (unsigned int k = 0; k < 3; k++)
		for (unsigned int n = 2; n <= 8; n++)
			for (unsigned int chosen = 1; chosen < (1u << n) - 1; chosen++) {
				for (unsigned int i = n_a = n_b = 0; i < n; i++) {
					if (chosen & 1u << i)
						b[n_b++] = values[k][i];
					else
						a[n_a++] = values[k][i];
				}
				near(tested(a, n_a, b, n_b).p, counted(values[k], n, chosen),
				     1e-12);
				tried++;
			}
	cr_expect(tried == 3 * (4 + 8 + 16 + 32 + 64 + 128 + 256 - 2 * 7));
}

/* Where the exact probability ends, the normal distribution goes on: no jump worth the name. */
Test(stat_test, both_ways_meet)
{
	uint64_t a[20], b[20], state = 7;
	struct xtr_rank_test exact, normal;

	for (unsigned int round = 0; round < 50; round++) {
		for (unsigned int i = 0; i < 20; i++) {
			a[i] = random_time(&state, 1000, 0.3) / 50;
			b[i] = random_time(&state, 1000 + 10 * round, 0.3) / 50;
		}
		exact = tested(a, 15, b, 15);
		cr_assert(exact.exact);
		/* The same with every value twice has half the distance of p in standard
		 * deviations. */
		normal = tested(a, 16, b, 16);
		cr_assert(!normal.exact);
		cr_assert(normal.p >= 0 && normal.p <= 1);
		/* 15 of them by the formula */
		near(xtr_normal_p(fmax(0, fabs(exact.superiority - 0.5) * 225 - 0.5) /
				  exact.deviation),
		     exact.p, 0.02);
	}
}

/*
 * Ties: the normal p is that of permutations. 40 and 60 values of only 6 kinds, 20,000 shuffles
 * with a fixed generator.
 */
Test(stat_test, ties_are_corrected)
{
	uint64_t all[100], a[100], b[100], state = 11, x;
	double off, beyond = 0;
	struct xtr_rank_test t, shuffled;
	unsigned int k;

	for (unsigned int i = 0; i < 100; i++)
		all[i] = random_u64(&state) % 6 + (i >= 40 && i % 5 == 0);
	memcpy(a, all, sizeof(a));
	memcpy(b, all + 40, 60 * sizeof(*b));
	t = tested(a, 40, b, 60);
	cr_assert(!t.exact && t.tied > 0.1);
	off = fabs(t.superiority - 0.5);
	for (unsigned int round = 0; round < 20000; round++) {
		for (unsigned int i = 99; i > 0; i--) {
			k = (unsigned int)(random_u64(&state) % (i + 1));
			x = all[i];
			all[i] = all[k];
			all[k] = x;
		}
		memcpy(a, all, sizeof(a));
		memcpy(b, all + 40, 60 * sizeof(*b));
		shuffled = tested(a, 40, b, 60);
		beyond += fabs(shuffled.superiority - 0.5) >= off - 1e-12;
	}
	near(t.p, beyond / 20000, 0.012); /* 0.0035 is one standard error at 0.5 */
}

/* Nothing differs: 1 test in 20 says otherwise at 0.05, and the interval misses 0 as often. */
Test(stat_test, false_positives)
{
	enum {
		ROUNDS = 4000
	};
	uint64_t a[60], b[60], state = 1;
	unsigned int wrong = 0, missed = 0;
	struct xtr_rank_test t;
	struct xtr_shift s;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < 60; i++) {
			a[i] = random_time(&state, 1e6, 0.2);
			b[i] = random_time(&state, 1e6, 0.2);
		}
		t = tested(a, 50, b, 60);
		xtr_shift(&m.s, t.deviation, 0.95, &s);
		wrong += t.p <= 0.05;
		missed += s.low > 0 || s.high < 0;
	}
	printf("false positives at 0.05: %.4f of %d; intervals without 0: %.4f\n",
	       (double)wrong / ROUNDS, ROUNDS, (double)missed / ROUNDS);
	near((double)wrong / ROUNDS, 0.05, 0.011); /* three standard errors */
	near((double)missed / ROUNDS, 0.05, 0.011);
}

/* Neighbours that depend on each other: the factor keeps the false alarms where they belong. */
Test(stat_test, false_positives_of_dependent_values)
{
	enum {
		ROUNDS = 1000,
		VALUES = 1000
	};
	static uint64_t v[2][VALUES];
	uint64_t state = 3;
	unsigned int i, naive = 0, wrong = 0;
	struct xtr_serial row[2];
	struct xtr_rank_test t;
	double x;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int side = 0; side < 2; side++) {
			row[side] = (struct xtr_serial){ 0 };
			for (i = 0, x = random_normal(&state) / 0.6; i < VALUES; i++) {
				x = 0.8 * x + random_normal(&state);
				v[side][i] = (uint64_t)(1e6 * exp(0.1 * x));
				xtr_serial_add(&row[side], log((double)v[side][i]));
			}
		}
		two_samples(&m, v[0], VALUES, v[1], VALUES);
		cr_assert(!xtr_rank_test(&m.s, &t));
		naive += t.p <= 0.05;
		m.s.factor_a = xtr_serial_factor(&row[0]);
		m.s.factor_b = xtr_serial_factor(&row[1]);
		cr_assert(!xtr_rank_test(&m.s, &t));
		wrong += t.p <= 0.05;
	}
	printf("dependent values, false positives at 0.05: %.3f as if independent, %.3f corrected\n",
	       (double)naive / ROUNDS, (double)wrong / ROUNDS);
	cr_expect(naive > ROUNDS / 3);
	cr_expect(wrong < ROUNDS * 8 / 100);
}

/* A shift that is there is found, and the interval holds it as often as it says. */
Test(stat_test, a_known_shift)
{
	enum {
		ROUNDS = 1000
	};
	uint64_t a[100], b[100], state = 5;
	unsigned int held = 0, seen = 0;
	struct xtr_rank_test t;
	struct xtr_shift s;
	double sum = 0;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < 100; i++) {
			a[i] = (uint64_t)(1e6 + 1e5 * random_normal(&state));
			b[i] = (uint64_t)(1.05e6 + 1e5 * random_normal(&state));
		}
		t = tested(a, 100, b, 100);
		xtr_shift(&m.s, t.deviation, 0.95, &s);
		seen += t.p <= 0.05;
		held += s.low <= 50000 && s.high >= 50000;
		sum += s.shift;
	}
	printf("a shift of 50 of 1000 us: seen %u of %d, held by %u intervals, mean %.1f us\n",
	       seen, ROUNDS, held, sum / ROUNDS / 1000);
	near(sum / ROUNDS, 50000, 1500);
	near(held, 950, 25);
	/* Student's test would see it in 94 %; the rank test needs 3/pi times as many values. */
	near(seen, 930, 30);
}

/* The shift by sorting all differences. */
Test(stat_test, the_shift_is_the_median_of_all_differences)
{
	static uint64_t all[40 * 33];
	uint64_t a[40], b[33], state = 9;
	unsigned int n, before, after;
	struct xtr_shift s;
	double middle;

	for (unsigned int round = 0; round < 20; round++) {
		for (unsigned int i = 0; i < 40; i++)
			a[i] = random_u64(&state) % 1000;
		for (unsigned int i = 0; i < 33; i++)
			b[i] = random_u64(&state) % 900;
		two_samples(&m, a, 40, b, 33 - round % 2);
		n = 0;
		for (unsigned int i = 0; i < 40; i++)
			for (unsigned int k = 0; k < 33 - round % 2; k++)
				all[n++] = 10000 + b[k] - a[i];
		qsort(all, n, sizeof(*all), two_by_number);
		before = (n - 1) / 2;
		after = n / 2;
		middle = (double)(all[before] + all[after]) / 2 - 10000;
		xtr_shift(&m.s, 100, 0.95, &s);
		near(s.shift, middle, 1e-9);
		cr_assert(s.low <= s.shift && s.shift <= s.high);
	}
}

Test(stat_test, extremes)
{
	uint64_t a[] = { 0 }, b[] = { XTR_VALUES_MOST };
	struct xtr_rank_test t = tested(a, 1, b, 1);
	struct xtr_shift s;

	near(t.p, 1, 0);
	xtr_shift(&m.s, t.deviation, 0.95, &s);
	near(s.shift, (double)XTR_VALUES_MOST, 1);
	t = tested(b, 1, a, 1);
	xtr_shift(&m.s, t.deviation, 0.95, &s);
	near(s.shift, -(double)XTR_VALUES_MOST, 1);
	t = tested(a, 1, b, 0);
	near(t.p, 1, 0);
	/* As many as 2^40 of two values: sums stay finite. */
	m.run[0][0] = (struct xtr_value_run){ 10, 1ull << 40 };
	m.run[1][0] = (struct xtr_value_run){ 11, 1ull << 40 };
	m.s = (struct xtr_two_samples){ m.run[0], m.run[1], 1, 1, 1ull << 40, 1ull << 40, 1, 1 };
	cr_assert(!xtr_rank_test(&m.s, &t));
	near(t.p, 0, 1e-12);
	near(t.superiority, 1, 1e-12);
}

Test(stat_test, the_normal_distribution)
{
	near(xtr_normal_p(1.959964), 0.05, 1e-6);
	near(xtr_normal_p(-1.959964), 0.05, 1e-6);
	near(xtr_normal_p(0), 1, 0);
	near(xtr_normal_z(0.05), 1.959964, 1e-6);
	near(xtr_normal_z(0.4), 0.841621, 1e-6);
	near(xtr_normal_z(1), 0, 1e-6);
	near(xtr_normal_z(2e-9), 5.997807, 1e-5);
}

/* Holm (1979): the smallest of n times n, the next times n - 1, none below one before it. */
Test(stat_test, holm)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, one = 0.04;

	cr_assert(!xtr_holm(p, 4));
	near(p[0], 0.03, 1e-12);
	near(p[1], 0.06, 1e-12);
	near(p[2], 0.06, 1e-12);
	near(p[3], 0.02, 1e-12);
	cr_assert(!xtr_holm(&one, 1));
	near(one, 0.04, 0);
	cr_assert(!xtr_holm(NULL, 0));
}

/* Of families of 20 tests in which nothing differs, 1 in 20 has a false alarm at the most. */
Test(stat_test, holm_keeps_its_level)
{
	enum {
		ROUNDS = 4000,
		TESTS = 20
	};
	unsigned int i, plain = 0, corrected = 0;
	uint64_t state = 13;
	double p[TESTS], least;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (i = 0, least = 1; i < TESTS; i++) {
			p[i] = random_unit(&state);
			least = fmin(least, p[i]);
		}
		plain += least <= 0.05;
		cr_assert(!xtr_holm(p, TESTS));
		for (i = 0, least = 1; i < TESTS; i++)
			least = fmin(least, p[i]);
		corrected += least <= 0.05;
	}
	printf("families of %d tests with a false alarm: %.3f, with Holm %.3f\n", TESTS,
	       (double)plain / ROUNDS, (double)corrected / ROUNDS);
	cr_expect(plain > ROUNDS / 2);
	near((double)corrected / ROUNDS, 0.049, 0.011);
}

/* Values that are equal stand in one run, or their ranks would not be equal. */
Test(stat_test, runs_of_equal_values_are_joined)
{
	struct xtr_value_run a[] = { { 0, 1 }, { 0, 2 }, { 5, 1 } }, b[] = { { 0, 1 }, { 0, 1 } };
	struct xtr_two_samples two = { a, b, 0, 0, 4, 2, 1, 1 };
	struct xtr_rank_test t;

	two.n_a_runs = xtr_join_runs(a, 3);
	two.n_b_runs = xtr_join_runs(b, 2);
	cr_assert(two.n_a_runs == 2 && a[0].n == 3 && a[1].n == 1);
	cr_assert(two.n_b_runs == 1 && b[0].n == 2 && !xtr_join_runs(b, 0));
	cr_assert(!xtr_rank_test(&two, &t));
	/* Of 8 pairs 6 are equal, and in none b is larger. */
	near(t.tied, 6.0 / 8, 1e-12);
	near(t.superiority, 3.0 / 8, 1e-12);
	/* The 5 is one of a's four in 10 of 15 ways. */
	near(t.p, 1, 1e-12);
}
