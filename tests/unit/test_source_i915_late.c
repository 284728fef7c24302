/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of i915 that nobody asked to be told of: when they had ended, at the latest, by what
 * else the trace says, and nothing more.
 */
#include "i915_sim.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(source_i915_late, .fini = done_with);

static void expect_late(uint64_t ctx, uint32_t seqno, uint64_t run, uint64_t ended)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	expect(j, XTR_QUALITY_BOUNDED, XTR_FLAG_LATE);
	cr_expect(eq(u64, j->done_ns, ended));
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, ended - run));
	cr_expect(eq(u64, j->done_ns - j->floor_ns, 0));
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
	expect_late(7, 1, 105 * US, 600 * US);
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

static const struct where old_rcs = { 0, 0, 0 }, old_vcs2 = { 0, 3, 0 };

static void old_retire(uint64_t ts, struct where w, uint64_t ctx, uint32_t seqno, uint32_t global)
{
	event_with(RETIRE, ts, 90, w, ctx, seqno, global);
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
	expect_late(8, 1, 205 * US, 600 * US);
	expect_late(7, 1, 105 * US, 900 * US);
	expect_late(7, 2, 405 * US, 900 * US);
	expect_late(7, 3, 1005 * US, 83 * MS);
	expect_late(9, 1, 305 * US, 500 * US);
	cr_expect(eq(str, (char *)sim_find(s, 7, 1)->ring->name, "rcs0"));
	cr_expect(eq(str, (char *)sim_find(s, 9, 1)->ring->name, "vcs1"));
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
	expect_late(7, 2, 205 * US, MS + (n - 5) * US);
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
