/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings made by simulation: serial ones, and ones that run side by side and complete in order. */
#include "replay/model/ring.h"
#include "random.h"

#include <criterion/criterion.h>

#define US 1000ull

struct made {
	uint64_t gap_min, gap_max; /* between one job's run and the next one's */
	uint64_t min, max;         /* execution */
	bool parallel;
};

/* n jobs; a serial ring starts one when the one before it is done. */
static struct xtr_overlap make(const struct made *how, unsigned int n)
{
	struct xtr_overlap o = { 0 };
	uint64_t run = 0, prev = 0, done, seed = 7;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t exec = how->min + random_u64(&seed) % (how->max - how->min + 1);

		run += how->gap_min + random_u64(&seed) % (how->gap_max - how->gap_min + 1);
		done = (how->parallel || prev < run ? run : prev) + exec;
		done = done > prev ? done : prev + 20 * US;
		xtr_overlap_add(&o, done - run, prev > run ? prev - run : 0);
		prev = done;
	}
	return o;
}

static void expect(const struct made *how, bool parallel)
{
	struct xtr_overlap o = make(how, 400);

	cr_expect_eq(xtr_overlap_is_parallel(&o), parallel);
}

Test(overlap, nothing_seen)
{
	struct xtr_overlap o = { 0 };

	cr_expect(!xtr_overlap_is_parallel(&o));
}

Test(overlap, serial_rings_stay_in_order)
{
	static const struct made of[] = {
		{ 600 * US, 2000 * US, 1000 * US, 1000 * US, false }, /* equal jobs, some alone */
		{ 900 * US, 1000 * US, 1000 * US, 1000 * US, false }, /* and hardly ever idle */
		{ 100 * US, 3000 * US, 100 * US, 3000 * US, false },  /* of any length */
		{ 3000 * US, 9000 * US, 100 * US, 2000 * US, false }, /* never together */
	};

	for (unsigned int i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		expect(&of[i], false);
}

Test(overlap, equal_jobs_side_by_side)
{
	static const struct made of[] = {
		{ 100 * US, 2000 * US, 1000 * US, 1000 * US, true },
		{ 200 * US, 3000 * US, 1000 * US, 1050 * US, true },
	};

	for (unsigned int i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		expect(&of[i], true);
}

/* A big job and a small one behind it, again and again: what they wait for does not vary. */
Test(overlap, pairs_of_jobs)
{
	struct xtr_overlap o = { 0 };

	for (unsigned int i = 0; i < 100; i++) {
		xtr_overlap_add(&o, 20000 * US + i % 7 * US, 0);
		xtr_overlap_add(&o, 20900 * US + i % 11 * US, 19900 * US + i % 11 * US);
	}
	cr_expect(!xtr_overlap_is_parallel(&o));
}
