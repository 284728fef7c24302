/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of i915 that nobody asked to be told of: when they had ended, at the latest, by what
 * else the trace says, and nothing more.
 */
#include "i915_sim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(source_i915_late, .fini = done_with);

/* It was added at `run`, and had ended at `ended`. */
static void expect_bound(const struct xtr_job *j, uint64_t run, uint64_t ended)
{
	cr_expect(eq(u64, j->done_ns, ended));
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, ended - run));
	cr_expect(eq(u64, j->done_ns - j->floor_ns, 0));
}

static void expect_late(uint64_t ctx, uint32_t seqno, uint64_t run, uint64_t ended)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_LATE);
	expect_bound(j, run, ended);
}

/* The same where the low-level events tell of the hand-over, at `run`. */
static void expect_late_run(uint64_t ctx, uint32_t seqno, uint64_t run, uint64_t ended)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_LATE);
	expect_bound(j, run, ended);
}

/* The order in which two contexts are cleaned up says nothing of that in which they ended. */
Test(source_i915_late, retired_in_another_order)
{
	begin(PLAIN & ~SIGNALS);
	for (uint32_t i = 1; i <= 10; i++) {
		uint64_t at = i * 1000 * MS;

		added(at, rcs0, 20, i);
		added(at + 100 * US, rcs0, 21, i);
		event(RETIRE, at + 500 * MS, 90, rcs0, 21, i);
		event(RETIRE, at + 900 * MS, 90, rcs0, 20, i);
	}
	sim_jobs(s);
	for (uint32_t i = 1; i <= 10; i++) {
		expect_late(20, i, i * 1000 * MS + 5 * US, i * 1000 * MS + 900 * MS);
		expect_late(21, i, i * 1000 * MS + 105 * US, i * 1000 * MS + 500 * MS);
	}
	cr_expect(eq(int, xtr_ring_is_bounded(&s->ring_of[0]), 0));
}

/* Nor that they are cleaned up together that they ended together. */
Test(source_i915_late, retired_together)
{
	begin(PLAIN & ~SIGNALS);
	for (uint32_t i = 1; i <= 20; i++)
		added(i * 10 * US, rcs0, 20, i);
	for (uint32_t i = 1; i <= 20; i++)
		event(RETIRE, 50 * MS + i * US, 90, rcs0, 20, i);
	sim_jobs(s);
	for (uint32_t i = 1; i <= 20; i++)
		expect_late(20, i, i * 10 * US + 5 * US, 50 * MS + i * US);
}

/* Requests of one context end in order, those of others do as they like. */
Test(source_i915_late, ended_before_a_younger_one)
{
	begin(PLAIN);
	added(100 * US, rcs0, 7, 1);
	added(200 * US, rcs0, 7, 2);
	added(300 * US, rcs0, 8, 1);
	request(400 * US, 2 * MS, 3, rcs0, 7, 3);
	added(3 * MS, rcs0, 7, 4);
	for (uint32_t i = 1; i <= 4; i++)
		event(RETIRE, 8 * MS + i * US, 90, rcs0, 7, i);
	event(RETIRE, 9 * MS, 90, rcs0, 8, 1);
	sim_jobs(s);
	expect_late(7, 1, 105 * US, 2 * MS);
	expect_late(7, 2, 205 * US, 2 * MS);
	expect_late(7, 4, 3005 * US, 8 * MS + 4 * US);
	expect_late(8, 1, 305 * US, 9 * MS);
	cr_expect(eq(u64, sim_find(s, 7, 3)->done_ns, 2 * MS));
	cr_expect(eq(int, sim_find(s, 7, 3)->quality, XTR_QUALITY_BOUNDED));
}

/* Execution lists say that a request is off the hardware, and complete, though nobody waits. */
Test(source_i915_late, out_and_complete)
{
	begin(LOW & ~SIGNALS);
	for (uint32_t i = 1; i <= 2; i++) {
		event(ADD, i * 100 * US, 3, rcs0, 7, i);
		event(EXECUTE, i * 100 * US + 5 * US, IRQ, rcs0, 7, i);
	}
	event(IN, 206 * US, IRQ, rcs0, 7, 2);
	event_with(OUT, 600 * US, IRQ, rcs0, 7, 2, 1);
	event(RETIRE, 90 * MS, 90, rcs0, 7, 1);
	event(RETIRE, 90 * MS + US, 90, rcs0, 7, 2);
	sim_jobs(s);
	expect_late_run(7, 1, 105 * US, 600 * US);
	cr_expect(eq(u64, sim_find(s, 7, 2)->done_ns, 600 * US));
	cr_expect(eq(u32, sim_find(s, 7, 2)->flags & XTR_FLAG_LATE, 0));
}

/* With nothing but the low-level events, as of a kernel whose retire was not recorded. */
Test(source_i915_late, out_alone)
{
	begin(BIT(ADD) | BIT(EXECUTE) | BIT(OUT));
	event(ADD, 100 * US, 3, rcs0, 7, 1);
	event(EXECUTE, 105 * US, IRQ, rcs0, 7, 1);
	event_with(OUT, 200 * US, IRQ, rcs0, 7, 1, 0);
	event(EXECUTE, 300 * US, IRQ, rcs0, 7, 1);
	event_with(OUT, 600 * US, IRQ, rcs0, 7, 1, 1);
	event(ADD, 700 * US, 3, rcs0, 7, 2);
	event(EXECUTE, 705 * US, IRQ, rcs0, 7, 2);
	event_with(OUT, 900 * US, IRQ, rcs0, 7, 2, 1);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_PREEMPTED);
	expect(sim_find(s, 7, 2), XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, sim_find(s, 7, 2)->done_ns, 900 * US));
}

/*
 * Requests of one context that go to the hardware together have one `out`, that of the last. Those
 * of another context, of another engine, and younger ones, are not among them.
 */
Test(source_i915_late, out_of_several)
{
	const struct where bcs0 = { 0, BCS, 0 };

	begin(BIT(ADD) | BIT(EXECUTE) | BIT(OUT));
	for (uint32_t i = 1; i <= 4; i++) {
		event(ADD, i * 100 * US, 3, rcs0, 7, i);
		event(EXECUTE, i * 100 * US + 5 * US, IRQ, rcs0, 7, i);
	}
	event(ADD, 500 * US, 3, rcs0, 8, 1);
	event(EXECUTE, 505 * US, IRQ, rcs0, 8, 1);
	event(ADD, 510 * US, 3, bcs0, 9, 1);
	event(EXECUTE, 515 * US, IRQ, bcs0, 9, 1);
	event_with(OUT, 900 * US, IRQ, rcs0, 7, 3, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 6));
	expect_late_run(7, 1, 105 * US, 900 * US);
	expect_late_run(7, 2, 205 * US, 900 * US);
	cr_expect(eq(u64, sim_find(s, 7, 3)->done_ns, 900 * US));
	cr_expect(eq(u32, sim_find(s, 7, 3)->flags & XTR_FLAG_LATE, 0));
	expect(sim_find(s, 7, 4), XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
	expect(sim_find(s, 8, 1), XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
	expect(sim_find(s, 9, 1), XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
}

/* One that was taken off before it was complete ends none of those before it. */
Test(source_i915_late, out_of_several_incomplete)
{
	begin(BIT(ADD) | BIT(EXECUTE) | BIT(OUT));
	for (uint32_t i = 1; i <= 2; i++) {
		event(ADD, i * 100 * US, 3, rcs0, 7, i);
		event(EXECUTE, i * 100 * US + 5 * US, IRQ, rcs0, 7, i);
	}
	event_with(OUT, 600 * US, IRQ, rcs0, 7, 2, 0);
	sim_jobs(s);
	expect(sim_find(s, 7, 1), XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
	expect(sim_find(s, 7, 2), XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
}

static const struct where old_rcs = { 0, 0, 0 }, old_vcs2 = { 0, 3, 0 };

static void old_retire(uint64_t ts, struct where w, uint64_t ctx, uint32_t seqno, uint32_t global)
{
	event_with(RETIRE, ts, 90, w, ctx, seqno, global);
}

/* An interrupt told of its very number, at `ended`: that is its end, reported by retire. */
static void expect_own(uint64_t ctx, uint32_t seqno, uint64_t max, uint64_t ended, uint32_t more)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_LATE_REPORT | more);
	cr_expect(eq(u64, j->done_ns, ended));
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, max));
}

/* An interrupt tells how far its engine is; which request that was is known when it is retired. */
Test(source_i915_late, notified)
{
	begin(OLD | BIT(QUEUE) | BIT(ADD) | BIT(RETIRE) | BIT(NOTIFY));
	event(NOTIFY, 50 * US, IRQ, old_rcs, 0, 1000); /* of a counter that begins anew below */
	added(100 * US, old_rcs, 7, 1);
	added(200 * US, old_rcs, 8, 1);
	added(300 * US, old_vcs2, 9, 1);
	added(400 * US, old_rcs, 7, 2);
	event(NOTIFY, 500 * US, IRQ, old_vcs2, 0, 30);
	event(NOTIFY, 600 * US, IRQ, old_rcs, 0, 11);
	event(NOTIFY, 650 * US, IRQ, old_rcs, 0, 11);
	event(NOTIFY, 900 * US, IRQ, old_rcs, 0, 13);
	added(1000 * US, old_rcs, 7, 3);
	old_retire(80 * MS, old_rcs, 8, 1, 11);
	old_retire(81 * MS, old_rcs, 7, 1, 12);
	old_retire(82 * MS, old_rcs, 7, 2, 13);
	old_retire(83 * MS, old_rcs, 7, 3, 14);
	old_retire(84 * MS, old_vcs2, 9, 1, 12);
	sim_jobs(s);
	expect_own(8, 1, 395 * US, 600 * US, XTR_FLAG_OVERTOOK); /* whether it did is not known */
	expect_late(7, 1, 105 * US, 900 * US);
	expect_own(7, 2, 495 * US, 900 * US, 0);
	expect_late(7, 3, 1005 * US, 83 * MS);
	expect_late(9, 1, 305 * US, 500 * US);
	cr_expect(eq(str, (char *)sim_find(s, 7, 1)->ring->name, "rcs0"));
	cr_expect(eq(str, (char *)sim_find(s, 9, 1)->ring->name, "vcs1"));
}

/* With the hand-over known, an interrupt of its own gives the execution whole. The first counts. */
Test(source_i915_late, notified_of_its_own)
{
	const struct xtr_job *j;

	begin(OLD | BIT(QUEUE) | BIT(ADD) | BIT(IN) | BIT(RETIRE) | BIT(NOTIFY));
	added(100 * US, old_rcs, 7, 1);
	event(NOTIFY, 150 * US, IRQ, old_rcs, 0, 10);
	event_with(IN, 200 * US, IRQ, old_rcs, 7, 1, 11);
	event(NOTIFY, 600 * US, IRQ, old_rcs, 0, 11);
	event(NOTIFY, 700 * US, IRQ, old_rcs, 0, 11);
	old_retire(80 * MS, old_rcs, 7, 1, 11);
	sim_jobs(s);
	j = sim_find(s, 7, 1);
	expect(j, XTR_QUALITY_INFERRED, XTR_FLAG_LATE_REPORT);
	cr_expect(eq(u64, j->start_ns, 200 * US));
	cr_expect(eq(u64, j->done_ns, 600 * US));
	cr_expect(eq(u64, j->exec_min_ns, 400 * US));
	cr_expect(eq(u64, j->exec_max_ns, 400 * US));
}

/* A younger one of its context had ended before an interrupt told of its number: it ended by then.
 */
Test(source_i915_late, notified_after_a_younger_one)
{
	begin(OLD | SIGNALS | BIT(QUEUE) | BIT(ADD) | BIT(RETIRE) | BIT(NOTIFY));
	added(100 * US, old_rcs, 7, 1);
	added(200 * US, old_rcs, 7, 2);
	fence(500 * US, 7, 2);
	event(NOTIFY, 600 * US, IRQ, old_rcs, 0, 11);
	old_retire(80 * MS, old_rcs, 7, 1, 11);
	sim_jobs(s);
	expect_late(7, 1, 105 * US, 500 * US);
}

/* Of more interrupts than are kept the last ones count: a later bound, and still one. */
Test(source_i915_late, notified_often)
{
	const uint32_t n = 5000;

	begin(OLD | BIT(QUEUE) | BIT(ADD) | BIT(RETIRE) | BIT(NOTIFY));
	added(100 * US, old_rcs, 7, 1);
	added(200 * US, old_rcs, 7, 2);
	for (uint32_t i = 1; i <= n; i++)
		event(NOTIFY, MS + i * US, IRQ, old_rcs, 0, i);
	old_retire(80 * MS, old_rcs, 7, 1, 3);
	old_retire(80 * MS, old_rcs, 7, 2, n - 5);
	sim_jobs(s);
	expect_late(7, 1, 105 * US, MS + (n - 4096 + 1) * US);
	cr_expect(eq(u64, sim_find(s, 7, 2)->done_ns, MS + (n - 5) * US));
	expect(sim_find(s, 7, 2), XTR_QUALITY_BOUNDED, XTR_FLAG_NO_RUN | XTR_FLAG_LATE_REPORT);
}

/* What the engine did is an upper bound, of each row; an open request may have ended, too. */
Test(source_i915_late, busy_is_bounded)
{
	struct xtr_stats *stats;
	const struct xtr_stats_row *row;

	begin(PLAIN & ~SIGNALS);
	added(100 * US, rcs0, 20, 1);
	added(200 * US, rcs0, 21, 1);
	event(RETIRE, 500 * MS, 90, rcs0, 21, 1);
	event(RETIRE, 900 * MS, 90, rcs0, 20, 1);
	stats = sim_stats(s, NULL, 4);
	for (unsigned int by = 0; by < XTR_BY_COUNT; by++) {
		row = xtr_stats_row(stats, by, 0);
		cr_expect(eq(int, row->busy_bounded, 1), "%u", by);
		cr_expect(eq(u64, row->agg.exec_min, 0), "%u", by);
	}
	row = xtr_stats_total(stats);
	cr_expect(eq(int, row->busy_bounded, 1));
	cr_expect(eq(u64, row->agg.late, 2));
	cr_expect(eq(u64, row->busy.total, 900 * MS - 105 * US));
	xtr_stats_free(stats);
}
