/* SPDX-License-Identifier: BSD-2-Clause */
/* What a comparison says where times are far apart, are 0, or were rounded by a histogram. */
#include "random.h"
#include "analysis/diff/diff.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static struct xtr_diff *d;
static char *text;

static void setup(void)
{
	struct xtr_diff_opts o = { .sz = sizeof(o), .by = 1u << XTR_DIFF_CALL };

	cr_assert(!xtr_diff_new(&d, &o));
}

static void teardown(void)
{
	xtr_diff_free(d);
	d = NULL;
	free(text);
	text = NULL;
}

TestSuite(diff_ratio, .init = setup, .fini = teardown);

/* A recording of n calls that take so long: ns. */
static void give(unsigned int side, unsigned int n, uint64_t (*ns)(unsigned int, uint64_t *),
		 uint64_t seed)
{
	cr_assert(!xtr_diff_begin(d, side, "x"));
	cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
	for (unsigned int i = 0; i < n; i++) {
		struct xtr_call c = { .kind = XTR_CALL_SYSCALL,
				      .name = "ioctl",
				      .begin_ns = MS,
				      .end_ns = MS + ns(i, &seed) };

		cr_assert(!xtr_diff_call(d, &c));
	}
	cr_assert(!xtr_diff_end(d, 0, 0));
}

static const struct xtr_diff_row *only_row(void)
{
	struct xtr_buf b = { 0 };
	FILE *f = xtr_memory_stream(&b);
	struct xtr_diff_view v = { .f = f, .d = d, .top = 40, .all = true };

	cr_assert(!xtr_diff_finish(d));
	cr_assert(xtr_diff_n_rows(d) == 1 && xtr_diff_row(d, 0)->tested);
	cr_assert(f && !xtr_diff_text(&v));
	text = xtr_memory_text(f, &b);
	return xtr_diff_row(d, 0);
}

static void has(const char *part)
{
	cr_assert(strstr(text, part), "no '%s' in:\n%s", part, text);
}

static uint64_t around_a_second(unsigned int i, uint64_t *state)
{
	(void)i;
	return random_time(state, 1e9, 3);
}

static uint64_t around_a_millisecond(unsigned int i, uint64_t *state)
{
	(void)i;
	return random_time(state, 1e6, 3);
}

/* A thousandth, with such a scatter that no difference of times is a share of a median. */
Test(diff_ratio, much_faster_is_not_below_minus_100_percent)
{
	const struct xtr_diff_row *row;

	give(0, 60, around_a_second, 1);
	give(1, 60, around_a_millisecond, 2);
	row = only_row();
	cr_expect(row->verdict == XTR_DIFF_FASTER);
	cr_expect(row->ratio.low > 0 && row->ratio.low < 0.001 && row->ratio.high > 0.001);
	cr_expect(xtr_diff_change(row) > -1);
	has("-99.96 %  0.0004  0.0002 .. 0.0013");
}

/* The other way round it is the inverse, and the text shows a ratio, not a thousand per cent. */
Test(diff_ratio, much_slower)
{
	const struct xtr_diff_row *row;

	give(0, 60, around_a_millisecond, 2);
	give(1, 60, around_a_second, 1);
	row = only_row();
	cr_expect(row->verdict == XTR_DIFF_SLOWER);
	has(">99999 %   2251  757.0 .. 6647");
}

static uint64_t often_0(unsigned int i, uint64_t *state)
{
	return i % 2 ? 0 : random_time(state, 1e6, 0.1);
}

static uint64_t often_0_else_twice(unsigned int i, uint64_t *state)
{
	return i % 2 ? 0 : random_time(state, 2e6, 0.1);
}

static uint64_t always_0(unsigned int i, uint64_t *state)
{
	(void)i;
	(void)state;
	return 0;
}

/* Half of both is 0; the others are twice as large: that is the ratio. */
Test(diff_ratio, zeros_on_both_sides)
{
	const struct xtr_diff_row *row;

	give(0, 1000, often_0, 1);
	give(1, 1000, often_0_else_twice, 2);
	row = only_row();
	cr_expect(row->side[0].p50 == 0);
	cr_expect(fabs(row->ratio.ratio - 2) < 0.05, "%f", row->ratio.ratio);
	cr_expect(row->verdict == XTR_DIFF_SLOWER);
}

Test(diff_ratio, zeros_on_one_side)
{
	give(0, 100, always_0, 1);
	give(1, 100, around_a_second, 2);
	cr_expect(only_row()->verdict == XTR_DIFF_SLOWER);
	has(">99999 %  >99999  >99999 .. any");
	teardown();
	setup();
	give(0, 100, around_a_second, 2);
	give(1, 100, always_0, 1);
	cr_expect(only_row()->verdict == XTR_DIFF_FASTER);
	has("-100 %  0.0000  0.0000 .. 0.0000");
}

/* There is no ratio of nothing to nothing, and any change would have been seen. */
Test(diff_ratio, zeros_only)
{
	const struct xtr_diff_row *row;

	give(0, 100, always_0, 1);
	give(1, 100, always_0, 1);
	row = only_row();
	cr_expect(isnan(row->ratio.ratio) && row->verdict == XTR_DIFF_SAME);
	has("no difference seen (detectable: any)");
}

static uint64_t a_millisecond(unsigned int i, uint64_t *state)
{
	(void)i;
	(void)state;
	return 1000000;
}

static uint64_t a_little_more(unsigned int i, uint64_t *state)
{
	(void)i;
	(void)state;
	return 1000300;
}

/* Two values of one bucket of a histogram: what is less than the bucket is not said to be seen. */
Test(diff_ratio, a_histogram_is_no_finer_than_its_buckets)
{
	const struct xtr_diff_row *row;

	give(0, XTR_VALUES_EXACT + 1, a_millisecond, 1);
	give(1, XTR_VALUES_EXACT + 1, a_little_more, 1);
	row = only_row();
	cr_expect(row->coarse && row->side[0].p50 == row->side[1].p50);
	cr_expect(row->ratio.low < 1 && row->ratio.high > 1.0003, "%f", row->ratio.high);
	cr_expect(row->detectable > 0.0003);
	has("(detectable: 0.");
	teardown();
	setup();
	give(0, XTR_VALUES_EXACT, a_millisecond, 1);
	give(1, XTR_VALUES_EXACT, a_little_more, 1);
	row = only_row();
	cr_expect(!row->coarse && row->verdict == XTR_DIFF_SLOWER);
	cr_expect(fabs(row->ratio.low - 1.0003) < 1e-12 && row->ratio.low == row->ratio.high);
}
