/* SPDX-License-Identifier: BSD-2-Clause */
/* Several recordings of each side: how often they say that something differs where nothing does. */
#include "random.h"
#include "analysis/diff/diff.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define MS      1000000ull
#define ROWS    10u /* calls of different names */
#define CALLS   30u /* of each name, in a recording */
#define BETWEEN 0.1 /* how much recordings of the same differ: of the logarithm of a time */
#define WITHIN  0.05

/* What of the rows of a comparison says that there is a difference. */
struct seen {
	bool found;       /* a verdict */
	bool uncorrected; /* both p are small enough, that of the recordings as it is */
	bool tell;
};

static void give_recording(struct xtr_diff *d, unsigned int side, double change, uint64_t *state)
{
	cr_assert(!xtr_diff_begin(d, side, side ? "b" : "a"));
	cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
	for (unsigned int row = 0; row < ROWS; row++) {
		double median =
			1e6 * exp(BETWEEN * random_normal(state)) * (side && !row ? 1 + change : 1);
		char name[16];

		snprintf(name, sizeof(name), "call%u", row);
		for (unsigned int i = 0; i < CALLS; i++) {
			struct xtr_call c = { .kind = XTR_CALL_SYSCALL,
					      .name = name,
					      .begin_ns = MS,
					      .end_ns = MS + random_time(state, median, WITHIN) };

			cr_assert(!xtr_diff_call(d, &c));
		}
	}
	cr_assert(!xtr_diff_end(d, 0, 0));
}

/* change: of the first of the rows, a share. */
static struct seen compare(unsigned int recordings, double change, uint64_t *state)
{
	struct xtr_diff_opts o = { .sz = sizeof(o), .by = 1u << XTR_DIFF_CALL };
	struct seen seen = { 0 };
	struct xtr_diff *d;

	cr_assert(!xtr_diff_new(&d, &o));
	for (unsigned int i = 0; i < 2 * recordings; i++)
		give_recording(d, i % 2, change, state);
	cr_assert(!xtr_diff_finish(d));
	cr_assert(xtr_diff_n_rows(d) == ROWS && xtr_diff_n_run_tests(d) == ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		const struct xtr_diff_row *row = xtr_diff_row(d, i);

		seen.tell |= row->runs_tell;
		seen.found |= row->verdict == XTR_DIFF_SLOWER || row->verdict == XTR_DIFF_FASTER;
		seen.uncorrected |= row->p <= XTR_DIFF_ALPHA && row->runs_test.p <= XTR_DIFF_ALPHA;
	}
	xtr_diff_free(d);
	return seen;
}

/* 5 % of 300 is 15; more than 3 standard deviations above is 27. */
Test(diff_runs, false_alarms)
{
	unsigned int found = 0, uncorrected = 0;
	uint64_t state = 77;

	for (unsigned int i = 0; i < 300; i++) {
		struct seen seen = compare(6, 0, &state);

		cr_assert(seen.tell, "6 and 6 are enough for 23 rows");
		found += seen.found;
		uncorrected += seen.uncorrected;
	}
	printf("of 300 comparisons without a difference: %u show one, %u without correction\n",
	       found, uncorrected);
	cr_expect(found <= 27, "%u of 300", found);
	cr_expect(uncorrected > 60, "%u of 300: the correction has nothing to do", uncorrected);
}

Test(diff_runs, a_change_is_found)
{
	unsigned int found = 0;
	uint64_t state = 78;

	for (unsigned int i = 0; i < 40; i++)
		found += compare(6, 0.6, &state).found;
	cr_expect(found >= 36, "%u of 40", found);
}

/* 4 and 4 are enough for one row, not for ten: then all of one side must lie above the other. */
Test(diff_runs, too_few_for_so_many_rows)
{
	uint64_t state = 79;
	struct seen seen = compare(4, 1, &state);

	cr_expect(!seen.tell);
	cr_expect(seen.found);
}

/* Recordings whose medians are equal do not differ, whatever order they come in. */
Test(diff_runs, equal_medians_have_equal_ranks)
{
	struct xtr_diff_opts o = { .sz = sizeof(o), .by = 1u << XTR_DIFF_CALL };
	struct xtr_diff *d;

	cr_assert(!xtr_diff_new(&d, &o));
	for (unsigned int i = 0; i < 8; i++) {
		struct xtr_call c = { .kind = XTR_CALL_SYSCALL,
				      .name = "call",
				      .begin_ns = MS,
				      .end_ns = MS + (i == 7 ? 3000 : 2000) };

		cr_assert(!xtr_diff_begin(d, i / 4, "x"));
		cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
		cr_assert(!xtr_diff_call(d, &c));
		cr_assert(!xtr_diff_end(d, 0, 0));
	}
	cr_assert(!xtr_diff_finish(d));
	cr_assert(xtr_diff_n_rows(d) == 1 && xtr_diff_row(d, 0)->runs_tested);
	/* 12 of 16 pairs are equal. */
	cr_expect(fabs(xtr_diff_row(d, 0)->runs_test.tied - 12.0 / 16) < 1e-12);
	xtr_diff_free(d);
}
