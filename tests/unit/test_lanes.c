/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes against random slices: nothing overlaps on one, and there are no more than needed. */
#include "converters/out/core/lanes.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

struct slice {
	uint64_t begin, end;
	int64_t lane;
};

static int by_end(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

static int by_lane_and_begin(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->lane != y->lane)
		return (x->lane > y->lane) - (x->lane < y->lane);
	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	return by_end(a, b);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The largest number of slices that are there at one time; ends come before begins. */
static uint32_t most_at_once(const struct slice *s, size_t n)
{
	uint64_t *begins = malloc(n * sizeof(*begins)), *ends = malloc(n * sizeof(*ends));
	uint32_t most = 0;
	size_t j = 0;

	cr_assert(begins && ends);
	for (size_t i = 0; i < n; i++) {
		begins[i] = s[i].begin;
		ends[i] = s[i].end;
	}
	qsort(begins, n, sizeof(*begins), by_number);
	qsort(ends, n, sizeof(*ends), by_number);
	for (size_t i = 0; i < n; i++) {
		while (ends[j] <= begins[i])
			j++;
		if (i - j + 1 > most)
			most = (uint32_t)(i - j + 1);
	}
	free(begins);
	free(ends);
	return most;
}

/* Slices of at least 1, in n / density places. */
static struct slice *random_slices(size_t n, uint64_t density, uint64_t longest, uint64_t seed)
{
	struct slice *s = malloc(n * sizeof(*s));

	cr_assert(s != NULL);
	for (size_t i = 0; i < n; i++) {
		s[i].begin = trace_random(&seed, n / density + 1);
		s[i].end = s[i].begin + 1 + trace_random(&seed, longest);
	}
	return s;
}

/* Puts them on lanes in their order, and sees that no two overlap. The number of lanes. */
static uint32_t put_all(struct slice *s, size_t n)
{
	struct xtr_lanes l = { 0 };
	uint32_t lanes;

	for (size_t i = 0; i < n; i++) {
		s[i].lane = xtr_lanes_take(&l, s[i].begin, s[i].end);
		cr_assert(s[i].lane >= 1 && s[i].lane <= (int64_t)l.n);
	}
	lanes = l.n;
	xtr_lanes_free(&l);
	qsort(s, n, sizeof(*s), by_lane_and_begin);
	for (size_t i = 1; i < n; i++)
		if (s[i].lane == s[i - 1].lane)
			cr_assert(s[i].begin >= s[i - 1].end, "lane %lld", (long long)s[i].lane);
	return lanes;
}

Test(lanes, slices_in_order_of_their_ends_take_no_lane_too_many)
{
	struct slice *s;
	uint32_t most;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		for (uint64_t density = 1; density <= 64; density *= 4) {
			s = random_slices(500, density, seed % 40 + 1, seed);
			qsort(s, 500, sizeof(*s), by_end);
			most = most_at_once(s, 500);
			cr_assert(eq(u32, put_all(s, 500), most), "seed %d", (int)seed);
			free(s);
		}
	}
}

Test(lanes, slices_in_any_order_do_not_overlap)
{
	struct slice *s;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		s = random_slices(500, 4, 30, seed);
		put_all(s, 500);
		free(s);
	}
}

/* Slices without length, and some that end where others begin. */
Test(lanes, slices_that_touch_share_a_lane)
{
	struct slice s[] = { { 5, 5, 0 },  { 5, 5, 0 },   { 5, 9, 0 },
			     { 9, 12, 0 }, { 12, 12, 0 }, { 0, 0, 0 } };

	cr_assert(eq(u32, put_all(s, 5), 1));
	/* What began before everything else, and comes last. */
	cr_assert(eq(u32, put_all(s, 6), 2));
}

/* All at once, and then one after the other again: not quadratic. */
Test(lanes, many_lanes)
{
	struct xtr_lanes l = { 0 };
	uint64_t n = 300000;

	for (uint64_t i = 0; i < n; i++)
		cr_assert(eq(i64, xtr_lanes_take(&l, 0, n + i), (int64_t)i + 1));
	for (uint64_t i = 0; i < n; i++)
		cr_assert(eq(i64, xtr_lanes_take(&l, n + i, 2 * n + i), (int64_t)i + 1));
	cr_assert(eq(u32, l.n, (uint32_t)n));
	xtr_lanes_free(&l);
}
