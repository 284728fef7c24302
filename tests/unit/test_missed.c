/* SPDX-License-Identifier: BSD-2-Clause */
/* When programs were skipped, from counters that tell no time. */
#include "recorder/attach/attach.h"
#include "recorder/drain/persistent.h"
#include "recorder/attach/missed.h"
#include "recorder/output/sink.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct xtr_missed m;

static void setup(void)
{
	cr_assert(zero(int, xtr_missed_open(&m, 4)));
	xtr_missed_begin(&m, 1000);
}

static void teardown(void)
{
	xtr_missed_close(&m);
}

TestSuite(missed, .init = setup, .fini = teardown);

/* A look takes 5 ns. */
static void look(uint64_t at, uint64_t missing)
{
	xtr_missed_look(&m, 2, missing, XTR_STREAM_NONE, at, at + 5);
}

static void expect_gap(uint64_t first, uint64_t last, uint64_t count)
{
	struct xtr_gap g;

	cr_assert(xtr_missed_take(&m, &g), "no gap from %llu", (unsigned long long)first);
	cr_expect(eq(u64, g.first, first));
	cr_expect(eq(u64, g.last, last));
	cr_expect(eq(u64, g.count, count));
	cr_expect(eq(u32, g.stream, XTR_STREAM_NONE));
}

static void expect_none(void)
{
	struct xtr_gap g;

	cr_expect(not(xtr_missed_take(&m, &g)));
}

Test(missed, lie_between_two_looks)
{
	look(2000, 0);
	look(3000, 0);
	look(4000, 3);
	expect_none(); /* they may still be taken */
	look(5000, 3);
	expect_gap(3000, 4005, 3);
	cr_expect(eq(u64, xtr_missed_told(&m, 2), 3));
	look(6000, 3);
	look(7000, 4);
	look(8000, 4);
	expect_gap(6000, 7005, 1);
	expect_none();
}

Test(missed, what_the_next_program_takes_is_none)
{
	look(2000, 1);
	look(3000, 0);
	look(4000, 2);
	look(5000, 1); /* one of the two was taken */
	expect_gap(3000, 4005, 1);
	look(6000, 1);
	expect_none();
}

/* While some are being skipped all the time, each interval has its own. */
Test(missed, one_interval_after_the_other)
{
	look(2000, 2);
	look(3000, 5);
	expect_gap(1000, 2005, 2);
	look(4000, 6);
	expect_gap(2005, 3005, 3);
	look(5000, 6);
	expect_gap(3005, 4005, 1);
	look(6000, 6);
	expect_none();
}

Test(missed, the_end_tells_what_is_left)
{
	look(2000, 0);
	look(3000, 2);
	xtr_missed_end(&m, 2, 4, 3500);
	expect_gap(2000, 3500, 4);
	xtr_missed_end(&m, 3, 0, 3500);
	expect_none();
	cr_expect(eq(u64, xtr_missed_told(&m, 2), 4));
	cr_expect(zero(u64, xtr_missed_told(&m, 3)));
}

/* Nobody takes them: memory stays what it is, and no event is forgotten. */
Test(missed, gaps_that_nobody_takes_become_one)
{
	uint64_t events = 0, last = 0;
	struct xtr_gap g;
	size_t n = 0;

	for (uint64_t i = 1; i <= 2 * XTR_MISSED_GAPS; i++) {
		look(1000 + i * 1000, i);
		look(1500 + i * 1000, i);
	}
	for (; xtr_missed_take(&m, &g); n++) {
		events += g.count;
		cr_expect(ge(u64, g.last, last));
		last = g.last;
	}
	cr_expect(eq(sz, n, XTR_MISSED_GAPS));
	cr_expect(eq(u64, events, 2 * XTR_MISSED_GAPS));
}

/* A task that was preempted for longer than two looks, between the program that was skipped and the
 * next one: told as missing, taken after all. */
Test(missed, what_was_taken_after_all_is_no_loss_in_the_end)
{
	struct xtr_persistent_head head = { 0 };
	struct xtr_persistent keep = { .head = &head };
	uint64_t not_run[4] = { 0 };
	struct xtr_bpf bpf = { .n_slots = 4, .not_run = not_run };
	struct xtr_sink s = { .bpf = &bpf, .keep = &keep, .loss = xtr_loss_new() };
	struct xtr_gap g;

	bpf.missed = m;
	xtr_missed_look(&bpf.missed, 2, 1, XTR_STREAM_NONE, 2000, 2005);
	xtr_missed_look(&bpf.missed, 2, 1, XTR_STREAM_NONE, 3000, 3005);
	cr_assert(xtr_missed_take(&bpf.missed, &g));
	xtr_sink_gather(&s);
	cr_expect(eq(u64, xtr_loss_get(s.loss, XTR_STREAM_NONE, 2, XTR_LOSS_NOT_RUN), 1));
	xtr_sink_account(&s);
	cr_expect(eq(u64, xtr_loss_get(s.loss, XTR_STREAM_NONE, 2, XTR_LOSS_NOT_RUN), 0));
	not_run[2] = 3;
	xtr_sink_account(&s);
	cr_expect(eq(u64, xtr_loss_get(s.loss, XTR_STREAM_NONE, 2, XTR_LOSS_NOT_RUN), 3));
	xtr_loss_free(s.loss);
}
