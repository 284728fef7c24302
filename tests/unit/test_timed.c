/* SPDX-License-Identifier: BSD-2-Clause */
/* Order of time: against a plain insertion, for inputs of few runs and of many. */
#include "converters/in/core/timed.h"
#include "trace.h"

#include <criterion/criterion.h>

/* n entries in `runs` runs; equal times are frequent, and `what` is the place at the beginning. */
static void sorts(uint64_t seed, size_t n, size_t runs)
{
	struct xtr_timed_list l = { 0 };
	uint64_t ts = 0;

	for (size_t i = 0; i < n; i++) {
		if (i % (n / runs) == 0)
			ts = trace_random(&seed, 100);
		ts += trace_random(&seed, 3);
		cr_assert(!xtr_timed_add(&l, ts, i));
	}
	cr_assert(!xtr_timed_sort(&l));
	cr_assert_eq(l.n, n);
	for (size_t i = 1; i < n; i++)
		cr_assert(l.e[i - 1].ts < l.e[i].ts ||
				  (l.e[i - 1].ts == l.e[i].ts && l.e[i - 1].what < l.e[i].what),
			  "entry %zu of %zu in %zu runs", i, n, runs);
	/* It is in order now, and what comes behind is put into it. */
	cr_assert(!xtr_timed_add(&l, l.e[n / 2].ts, n));
	cr_assert(!xtr_timed_sort(&l));
	for (size_t i = 1; i <= n; i++)
		cr_assert(l.e[i - 1].ts < l.e[i].ts ||
			  (l.e[i - 1].ts == l.e[i].ts && l.e[i - 1].what < l.e[i].what));
	xtr_timed_free(&l);
}

Test(timed, few_runs)
{
	for (size_t runs = 1; runs <= 64; runs *= 2)
		sorts(runs, 4096, runs);
}

/* More than there are piles: they are merged in pairs. */
Test(timed, many_runs)
{
	sorts(7, 4096, 1024);
	sorts(8, 4096, 4096);
}

Test(timed, nothing_and_one)
{
	struct xtr_timed_list l = { 0 };

	cr_assert(!xtr_timed_sort(&l));
	cr_assert(!xtr_timed_add(&l, 5, 1));
	cr_assert(!xtr_timed_sort(&l));
	cr_assert_eq(l.e[0].ts, 5);
	xtr_timed_free(&l);
}
