/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends that the scheduler reports late, or of which the hardware's part is not known. */
#include "gpu_sim.h"
#include "format/meta/schema.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define US 1000ull
#define MS 1000000ull

static struct sim *s;

static void setup(void)
{
	s = sim_new();
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 3, "gpu.0", "one", 1);
	sim_ring(s, 4, "gpu.1", "own", 4); /* of no driver that is known */
	sim_task(s, 100, 90, "worker", 0);
}

static void teardown(void)
{
	sim_free(s);
}

TestSuite(model_late, .init = setup, .fini = teardown);

/* Done at `at`, by an event that comes `age` later. */
static void done_late(uint64_t at, uint64_t age, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	s->hw_age = age;
	sim_done(s, at + age, ctx, seqno, ring);
	s->hw_age = 0;
}

static void expect(uint64_t ctx, uint64_t seqno, enum xtr_quality quality, uint64_t start,
		   uint64_t done, uint32_t flags)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
	cr_expect(eq(u64, j->start_ns, start));
	cr_expect(eq(u64, j->done_ns, done));
	cr_expect(eq(u32, j->flags, flags), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
}

/* The worst that was seen: the scheduler's thread went on 277 ms after the hardware's end. */
Test(model_late, ends_with_the_hardware)
{
	sim_queue(s, 1 * US, 31, 1, 3);
	sim_run(s, 10 * US, 31, 1, 3);
	done_late(25750 * US, 277 * MS, 31, 1, 3);
	sim_signaled(s, 302753 * US, 31, 1, 0);
	sim_job(s, 31, 2, 3, 2 * US, 303 * MS, 304 * MS);
	sim_jobs(s);
	expect(31, 1, XTR_QUALITY_EXACT, 10 * US, 25750 * US, XTR_FLAG_LATE_REPORT);
	cr_expect(eq(int, sim_find(s, 31, 1)->result_known, 1));
	expect(31, 2, XTR_QUALITY_EXACT, 303 * MS, 304 * MS, 0);
}

/* A younger job is reported first; it did not overtake, and starts when the late one ended. */
Test(model_late, reported_after_a_younger_one)
{
	sim_queue(s, 1 * US, 11, 1, 1);
	sim_queue(s, 2 * US, 11, 2, 1);
	sim_run(s, 1 * MS, 11, 1, 1);
	sim_run(s, 1100 * US, 11, 2, 1);
	sim_done(s, 5 * MS, 11, 2, 1);
	done_late(3 * MS, 2500 * US, 11, 1, 1); /* reported at 5.5 ms */
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_INFERRED, 1 * MS, 3 * MS, XTR_FLAG_LATE_REPORT);
	expect(11, 2, XTR_QUALITY_INFERRED, 3 * MS, 5 * MS, 0);
}

/* So late that the younger one has been handed out: that one is bounded, the late one is not. */
Test(model_late, reported_long_after_a_younger_one)
{
	sim_run(s, 1 * MS, 11, 1, 1);
	sim_run(s, 1100 * US, 11, 2, 1);
	sim_done(s, 5 * MS, 11, 2, 1);
	sim_job(s, 31, 1, 3, 9 * MS, 9 * MS, 9100 * US);
	done_late(3 * MS, 20 * MS, 11, 1, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_INFERRED, 1 * MS, 3 * MS,
	       XTR_FLAG_LATE_REPORT | XTR_FLAG_NO_QUEUE);
	cr_expect(eq(int, sim_find(s, 11, 2)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(ge(u64, sim_find(s, 11, 2)->exec_max_ns, 2 * MS));
}

/* The ring is not out of order for it. */
Test(model_late, late_reports_do_not_condemn_the_ring)
{
	for (uint64_t i = 1; i < 100; i += 2) {
		sim_run(s, i * 20 * MS, 11, i, 1);
		sim_run(s, i * 20 * MS + US, 11, i + 1, 1);
		sim_done(s, i * 20 * MS + 9 * MS, 11, i + 1, 1);
		done_late(i * 20 * MS + 4 * MS, 9 * MS, 11, i, 1);
	}
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 11, 51)->quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(int, xtr_ring_ended_bounded(&s->ring_of[50]), 0));
}

/* It was truly overtaken, and reported late as well. */
Test(model_late, late_and_overtaken)
{
	sim_run(s, 1 * MS, 11, 1, 1);
	sim_run(s, 1100 * US, 11, 2, 1);
	sim_done(s, 2 * MS, 11, 2, 1);
	done_late(5 * MS, 1 * MS, 11, 1, 1);
	sim_jobs(s);
	cr_expect(ne(u32, sim_find(s, 11, 1)->flags & XTR_FLAG_OVERTAKEN, 0));
	cr_expect(ne(u32, sim_find(s, 11, 2)->flags & XTR_FLAG_OVERTOOK, 0));
	cr_expect(eq(int, sim_find(s, 11, 1)->quality, XTR_QUALITY_BOUNDED));
}

/* Older recordings do not tell of the hardware: the thread that ran a job reports what is over. */
Test(model_late, the_runner_s_word_is_an_upper_bound)
{
	const struct xtr_job *j;

	sim_queue(s, 1 * US, 31, 1, 3);
	sim_run(s, 10 * US, 31, 1, 3);
	s->tid = SIM_WORKER;
	sim_done_old(s, 300 * MS, 31, 1, 3);
	s->tid = 0;
	sim_queue(s, 2 * US, 31, 2, 3);
	sim_run(s, 400 * MS, 31, 2, 3);
	sim_done_old(s, 410 * MS, 31, 2, 3); /* in an interrupt */
	sim_jobs(s);
	expect(31, 1, XTR_QUALITY_BOUNDED, 0, 300 * MS, XTR_FLAG_BY_WORKER);
	j = sim_find(s, 31, 1);
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, 300 * MS - 10 * US));
	expect(31, 2, XTR_QUALITY_EXACT, 400 * MS, 410 * MS, 0);
}

/* The job behind one whose end is not known cannot start by it. */
Test(model_late, what_follows_is_bounded_too)
{
	sim_run(s, 1 * MS, 11, 1, 1);
	sim_run(s, 1100 * US, 11, 2, 1);
	s->tid = SIM_WORKER;
	sim_done_old(s, 4 * MS, 11, 1, 1);
	s->tid = 0;
	sim_done_old(s, 5 * MS, 11, 2, 1);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 11, 2)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(u64, sim_find(s, 11, 2)->exec_max_ns, 3900 * US));
}

Test(model_late, no_fence_tells_nothing_of_the_hardware)
{
	sim_run(s, 1 * MS, 31, 1, 3);
	sim_done_without_fence(s, 1001 * US, 31, 1, 3);
	sim_jobs(s);
	expect(31, 1, XTR_QUALITY_OPEN, 0, 1001 * US, XTR_FLAG_NO_FENCE | XTR_FLAG_NO_QUEUE);
	cr_expect(eq(u64, sim_find(s, 31, 1)->exec_max_ns, 0));
}

/* Linux 6.1 does not hand the hardware's error on to the job's fence. */
Test(model_late, the_hardware_s_error_is_the_job_s)
{
	s->hw_error = -ECANCELED;
	sim_job(s, 31, 1, 3, 1 * US, 1 * MS, 2 * MS);
	s->hw_error = 0;
	sim_signaled(s, 2 * MS + 3 * US, 31, 1, 0);
	sim_jobs(s);
	expect(31, 1, XTR_QUALITY_EXACT, 1 * MS, 2 * MS, XTR_FLAG_ERROR);
	cr_expect(eq(int, sim_find(s, 31, 1)->error, -ECANCELED));
}

/* A fence that was signalled before the job was run leaves nothing to execute. */
Test(model_late, signalled_before_run)
{
	sim_queue(s, 1 * US, 31, 1, 3);
	sim_run(s, 2 * MS, 31, 1, 3);
	done_late(1 * MS, 1100 * US, 31, 1, 3);
	sim_jobs(s);
	expect(31, 1, XTR_QUALITY_EXACT, 2 * MS, 2 * MS, XTR_FLAG_LATE_REPORT);
}

/* record -p: jobs of others are on the ring, and not shown. */
Test(model_late, others_keep_the_ring_busy)
{
	const struct xtr_stats_row *row;
	struct xtr_stats *st;

	cr_assert(zero(int, xtr_meta_set_config_u64(s->meta, "pid", 90)));
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_DONE))));
	s->flags = XTR_JOB_OTHERS;
	sim_run(s, 1 * MS, 21, 1, 1);
	sim_done(s, 8 * MS, 21, 1, 1);
	s->flags = 0;
	sim_job(s, 11, 1, 1, 1 * US, 2 * MS, 10 * MS);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_INFERRED, 8 * MS, 10 * MS, 0);
	cr_expect(eq(int, sim_find(s, 21, 1)->aside, 1));
	cr_expect(eq(int, sim_find(s, 11, 1)->aside, 0));
	st = sim_stats(s, NULL, 10);
	row = xtr_stats_row(st, XTR_BY_RING, 0);
	cr_expect(eq(u64, row->agg.jobs, 1));
	cr_expect(eq(u64, row->busy.total, 9 * MS));
	cr_expect(eq(u64, xtr_stats_row(st, XTR_BY_PROCESS, 0)->busy.total, 2 * MS));
	cr_expect(eq(int, row->partial, 0));
	xtr_stats_free(st);
}

/* Older recordings with -p have nothing of others: no start, no word on the ring. */
Test(model_late, without_others_a_ring_is_partial)
{
	struct xtr_stats *st;

	cr_assert(zero(int, xtr_meta_set_config_u64(s->meta, "pid", 90)));
	sim_queue(s, 1 * US, 31, 1, 3);
	sim_run(s, 2 * MS, 31, 1, 3);
	sim_done_old(s, 5 * MS, 31, 1, 3);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 31, 1)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(u64, sim_find(s, 31, 1)->exec_max_ns, 3 * MS));
	st = sim_stats(s, NULL, 10);
	cr_expect(eq(int, xtr_stats_row(st, XTR_BY_RING, 0)->partial, 1));
	xtr_stats_free(st);
}

/* Whether a ring is serial has to be known of its driver; else what overlaps is bounded. */
Test(model_late, an_order_that_nobody_knows)
{
	for (uint32_t ring = 1; ring <= 4; ring += 3) {
		sim_job(s, 10 * ring, 1, ring, 1 * US, 1 * MS, 4 * MS);
		sim_job(s, 10 * ring, 2, ring, 1 * US, 2 * MS, 9 * MS);
	}
	sim_jobs(s);
	expect(10, 1, XTR_QUALITY_INFERRED, 1 * MS, 4 * MS, 0);
	expect(10, 2, XTR_QUALITY_INFERRED, 4 * MS, 9 * MS, 0);
	expect(40, 1, XTR_QUALITY_INFERRED, 1 * MS, 4 * MS, 0); /* found it idle */
	expect(40, 2, XTR_QUALITY_BOUNDED, 0, 9 * MS, XTR_FLAG_ORDER_UNKNOWN);
	cr_expect(eq(u64, sim_find(s, 40, 2)->exec_min_ns, 0));
	cr_expect(eq(u64, sim_find(s, 40, 2)->exec_max_ns, 7 * MS));
	cr_expect(eq(str, (char *)xtr_ring_order(sim_find(s, 40, 1)->ring), "unknown"));
	cr_expect(eq(str, (char *)xtr_ring_order(sim_find(s, 10, 1)->ring), "known"));
}

/* Even a driver whose rings are serial is not believed where equal jobs take as long together as
 * alone. */
Test(model_late, parallel_in_order)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t run = (i * 10 + 1) * MS, second = run + (i % 7 + 1) * 400 * US;

		sim_job(s, 11, 2 * i, 1, i * 10 * MS, run, run + 4 * MS);
		sim_job(s, 11, 2 * i + 1, 1, i * 10 * MS, second, second + 4 * MS);
	}
	sim_jobs(s);
	for (size_t i = 0; i < s->n_jobs; i++) {
		cr_expect(eq(int, s->job[i].quality, XTR_QUALITY_BOUNDED));
		cr_expect(eq(u64, s->job[i].exec_max_ns, 4 * MS));
	}
	cr_expect(eq(str, (char *)xtr_ring_why(&s->ring_of[0]),
		     "jobs that overlap take as long as alone"));
}
