/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in bounded memory against the values themselves, and how they depend on each other. */
#include "oom.h"
#include "random.h"
#include "analysis/core/values.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define PLENTY (64u << 20)

static struct xtr_values v;
static size_t left;

static void setup(void)
{
	v = (struct xtr_values){ 0 };
	left = PLENTY;
}

/* All that was taken is given back. */
static void teardown(void)
{
	xtr_values_free(&v, &left);
	cr_expect(left == PLENTY);
}

TestSuite(values, .init = setup, .fini = teardown);

static struct xtr_value_run *runs;
static size_t n_runs;

static void read_back(bool coarse)
{
	free(runs);
	cr_assert(!xtr_values_runs(&v, coarse, &runs, &n_runs));
}

Test(values, few_are_kept_as_they_are)
{
	static const uint64_t given[] = { 7, 3000001, 7, 12 };

	for (unsigned int i = 0; i < 4; i++)
		cr_assert(!xtr_values_add(&v, given[i], &left));
	cr_expect(v.n == 4);
	cr_expect(v.sum == 3000027);
	cr_expect(v.min == 7);
	cr_expect(v.max == 3000001);
	read_back(false);
	cr_assert(n_runs == 3);
	cr_expect(runs[0].value == 7);
	cr_expect(runs[0].n == 2);
	cr_expect(runs[2].value == 3000001);
	cr_expect(xtr_runs_quantile(runs, n_runs, 500) == 7);
	cr_expect(xtr_runs_quantile(runs, n_runs, 750) == 12);
	cr_expect(xtr_runs_quantile(runs, n_runs, 1000) == 3000001);
	/* The same as a histogram would have it. */
	read_back(true);
	cr_expect(runs[0].value == 7);
	cr_expect(runs[2].value != 3000001 && runs[2].value > 2998500 && runs[2].value < 3001500);
	free(runs);
}

Test(values, none)
{
	read_back(false);
	cr_expect(n_runs == 0);
	cr_expect(xtr_runs_quantile(runs, n_runs, 500) == 0);
	cr_expect(xtr_values_factor(&v) == 1);
	free(runs);
}

static int by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* More than are kept: each one reads back within 1/2048, in order, and none is missing. */
Test(values, many_are_rounded)
{
	enum {
		COUNT = 50000
	};
	static uint64_t given[COUNT];
	uint64_t state = 1, sum = 0, at = 0, most;

	for (unsigned int i = 0; i < COUNT; i++) {
		given[i] = random_u64(&state) >> (random_u64(&state) % 62 + 2);
		sum += given[i] >> 20; /* so that the sum does not overflow */
		cr_assert(!xtr_values_add(&v, given[i] >> 20, &left));
		given[i] >>= 20;
	}
	qsort(given, COUNT, sizeof(*given), by_number);
	cr_expect(v.coarse);
	cr_expect(v.n == COUNT);
	cr_expect(v.sum == sum);
	cr_expect(v.min == given[0]);
	cr_expect(v.max == given[COUNT - 1]);
	read_back(true);
	for (unsigned int i = 0; i < n_runs; i++)
		for (uint64_t k = 0; k < runs[i].n; k++, at++) {
			most = given[at] < 2048 ? 0 : given[at] / 2048 + 1;
			cr_assert(runs[i].value + most >= given[at] &&
				  runs[i].value <= given[at] + most);
		}
	cr_expect(at == COUNT);
	free(runs);
}

/* 4,096 exactly; the next one makes a histogram of them that holds all. */
Test(values, the_step_between)
{
	for (unsigned int i = 0; i < XTR_VALUES_EXACT; i++)
		cr_assert(!xtr_values_add(&v, 100000 + i, &left));
	cr_expect(!v.coarse);
	cr_assert(!xtr_values_add(&v, 5, &left));
	cr_expect(v.coarse);
	cr_expect(v.n == XTR_VALUES_EXACT + 1);
	cr_expect(v.min == 5);
	read_back(true);
	cr_expect(runs[0].value == 5);
	free(runs);
}

/* What there is no room for is counted. */
Test(values, no_room)
{
	size_t little = 300; /* 16 and 32 values; no more */

	for (unsigned int i = 0; i < 100; i++)
		cr_assert(!xtr_values_add(&v, i, &little));
	cr_expect(v.n == 32);
	cr_expect(v.dropped == 68);
	cr_expect(v.sum == 4950);
	cr_expect(v.max == 31);
	xtr_values_free(&v, &little);
	cr_expect(little == 300);
}

/* A histogram that may have one page keeps what falls into it. */
Test(values, room_for_a_part_of_a_histogram)
{
	size_t little = XTR_VALUES_EXACT * 8 + XTR_VALUES_GROUPS * 8 + XTR_VALUES_SUB * 8;

	for (unsigned int i = 0; i < 2 * XTR_VALUES_EXACT; i++)
		cr_assert(!xtr_values_add(&v, i % 2 ? 10 : 1ull << (20 + i % 30), &little));
	cr_expect(v.coarse);
	cr_expect(v.n + v.dropped == 2 * XTR_VALUES_EXACT);
	cr_expect(v.dropped > 0 && v.n >= XTR_VALUES_EXACT);
	xtr_values_free(&v, &little);
}

Test(values, what_is_too_large_counts_as_the_largest)
{
	cr_assert(!xtr_values_add(&v, UINT64_MAX, &left));
	cr_assert(!xtr_values_add(&v, UINT64_MAX, &left));
	cr_expect(v.max == XTR_VALUES_MOST);
	cr_assert(!xtr_values_add_n(&v, UINT64_MAX, 1ull << 40, &left));
	cr_expect(v.coarse);
	cr_expect(v.n == (1ull << 40) + 2);
	cr_expect(v.sum == UINT64_MAX);
}

/* Merging is as adding all to one. */
Test(values, merged)
{
	enum {
		COUNT = 3000
	};
	struct xtr_values a = { 0 }, b = { 0 };
	uint64_t state = 4, x;
	unsigned int part;

	for (unsigned int i = 0; i < COUNT; i++) {
		x = random_time(&state, 1e6, 1);
		part = i % 3 == 0;
		cr_assert(!xtr_values_add(part ? &a : &b, x, &left));
		cr_assert(!xtr_values_add(&v, x, &left));
	}
	cr_assert(!xtr_values_merge(&a, &b, &left));
	cr_expect(!a.coarse);
	cr_expect(a.n == v.n && a.sum == v.sum && a.min == v.min && a.max == v.max);
	cr_assert(!xtr_values_merge(&a, &b, &left));
	cr_expect(a.coarse);
	cr_expect(a.n == v.n + b.n && a.sum == v.sum + b.sum);
	xtr_values_free(&a, &left);
	xtr_values_free(&b, &left);
}

static int fill_and_read(void *unused)
{
	struct xtr_values x = { 0 };
	size_t room = PLENTY;
	int ret = 0;

	(void)unused;
	for (unsigned int i = 0; i < XTR_VALUES_EXACT + 10 && !ret; i++)
		ret = xtr_values_add(&x, i * 77, &room);
	if (!ret)
		ret = xtr_values_runs(&x, true, &runs, &n_runs);
	if (!ret)
		free(runs);
	runs = NULL;
	xtr_values_free(&x, &room);
	cr_assert(room == PLENTY);
	return ret;
}

/* --- dependence ------------------------------------------------------------------------------- */

/* The factor of a series in which each value is rho times the one before, and something new. */
static double factor_of(double rho, unsigned int n, uint64_t seed)
{
	struct xtr_serial s = { 0 };
	double x = random_normal(&seed) / sqrt(1 - rho * rho);

	for (unsigned int i = 0; i < n; i++) {
		x = rho * x + random_normal(&seed);
		xtr_serial_add(&s, 14 + 0.1 * x);
	}
	return xtr_serial_factor(&s);
}

/* The truth is (1 + rho) / (1 - rho). */
Test(values, dependence_is_estimated)
{
	double sum = 0;
	uint64_t i;

	for (i = 1; i <= 100; i++)
		sum += factor_of(0, 2000, i * 77);
	cr_expect(sum / 100 >= 1 && sum / 100 < 1.1, "independent: %f", sum / 100);
	for (i = 1, sum = 0; i <= 100; i++)
		sum += factor_of(0.5, 2000, i * 77);
	cr_expect(sum / 100 > 2.7 && sum / 100 < 3.7, "0.5: %f", sum / 100);
	for (i = 1, sum = 0; i <= 100; i++)
		sum += factor_of(0.9, 20000, i * 77);
	cr_expect(sum / 100 > 17 && sum / 100 < 23, "0.9: %f", sum / 100);
}

/* Two levels for a long time each: neighbours alone would not tell how long. */
Test(values, dependence_over_long_stretches)
{
	struct xtr_serial s = { 0 };
	uint64_t state = 8;

	for (unsigned int i = 0; i < 20000; i++)
		xtr_serial_add(&s, (i / 1000 % 2) + random_normal(&state));
	/* a fifth of the variance is that of the levels */
	cr_expect(xtr_serial_factor(&s) > 50, "%f", xtr_serial_factor(&s));
}

Test(values, dependence_of_hardly_anything)
{
	struct xtr_serial s = { 0 };

	for (unsigned int i = 0; i < 9; i++)
		xtr_serial_add(&s, i);
	cr_expect(xtr_serial_factor(&s) == 1);
	s = (struct xtr_serial){ 0 };
	for (unsigned int i = 0; i < 10000; i++)
		xtr_serial_add(&s, 13.8155);
	cr_expect(xtr_serial_factor(&s) == 1);
}

Test(values, no_memory)
{
	cr_expect(oom_each(fill_and_read, NULL, 0) > 10);
}
