/* SPDX-License-Identifier: BSD-2-Clause */
/* The job model where events are missing: trace edges, gaps, lost records, reuse, limits. */
#include "gpu_sim.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US 1000ull
#define MS 1000000ull

static struct sim *s;

static void setup(void)
{
	s = sim_new();
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 2, "gpu.0", "comp", 8);
	sim_task(s, 100, 90, "worker", 0);
}

static void teardown(void)
{
	sim_free(s);
}

TestSuite(model_loss, .init = setup, .fini = teardown);

static void expect(uint64_t ctx, uint64_t seqno, enum xtr_quality quality, uint32_t flags)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
	cr_expect(eq(u32, j->flags, flags), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
}

/* Jobs under way when the trace began, and when it ended. */
Test(model_loss, open_at_the_edges)
{
	sim_done(s, 5 * US, 11, 1, 1); /* queued and run before */
	sim_run(s, 8 * US, 11, 2, 1);  /* queued before */
	sim_done(s, 50 * US, 11, 2, 1);
	sim_job(s, 11, 3, 1, 6 * US, 9 * US, 80 * US);
	sim_queue(s, 60 * US, 11, 4, 1); /* run, not done */
	sim_run(s, 85 * US, 11, 4, 1);
	sim_queue(s, 61 * US, 11, 5, 1); /* not run */
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 5));
	expect(11, 1, XTR_QUALITY_OPEN, XTR_FLAG_NO_QUEUE | XTR_FLAG_NO_RUN);
	expect(11, 2, XTR_QUALITY_INFERRED, XTR_FLAG_NO_QUEUE);
	cr_expect(eq(u64, sim_find(s, 11, 2)->start_ns,
		     8 * US)); /* 11:1 was done before it was run */
	expect(11, 3, XTR_QUALITY_INFERRED, 0);
	expect(11, 4, XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
	expect(11, 5, XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE);
	cr_expect(eq(u32, sim_find(s, 11, 1)->pid, 0));
}

/* A gap over the missing done: lost, not open. */
Test(model_loss, gap_makes_it_lost)
{
	sim_queue(s, 1 * US, 11, 1, 1);
	sim_run(s, 2 * US, 11, 1, 1);
	sim_gap(s, 40 * US, 60 * US, 7);
	sim_queue(s, 90 * US, 11, 2, 1); /* after the gap: open */
	sim_run(s, 95 * US, 11, 2, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_LOST, XTR_FLAG_NO_DONE | XTR_FLAG_GAP);
	expect(11, 2, XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
}

/* A whole job over whose residence events were lost: the `previous done` may be one of them. */
Test(model_loss, gap_during_residence_only_bounds)
{
	sim_job(s, 11, 1, 1, 1, 10 * US, 30 * US);
	sim_job(s, 11, 2, 1, 2, 20 * US, 100 * US);
	sim_gap(s, 50 * US, 51 * US, 1);
	sim_job(s, 11, 3, 1, 3, 110 * US, 200 * US);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_INFERRED, 0);
	expect(11, 2, XTR_QUALITY_BOUNDED, XTR_FLAG_GAP);
	cr_expect(eq(u64, sim_find(s, 11, 2)->exec_max_ns,
		     80 * US)); /* 70, and what a report takes */
	cr_expect(eq(u64, sim_find(s, 11, 2)->start_ns, 0));
	expect(11, 3, XTR_QUALITY_INFERRED, 0);
}

/* queue < run < done always holds: queue and done without run is a lost record, gap or not. */
Test(model_loss, done_without_run_is_lost)
{
	sim_queue(s, 1 * US, 11, 1, 1);
	sim_done(s, 50 * US, 11, 1, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_LOST, XTR_FLAG_NO_RUN);
}

/* An in-order ring completed a younger job: the older one is done too, its record is missing. */
Test(model_loss, lost_done_on_in_order_ring)
{
	sim_queue(s, 1, 11, 1, 1);
	sim_run(s, 10 * US, 11, 1, 1);
	sim_job(s, 11, 2, 1, 2, 20 * US, 90 * US);
	sim_job(s, 11, 3, 1, 3, 95 * US, 150 * US);
	sim_job(s, 11, 4, 1, 4, 100 * US, 170 * US);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_LOST, XTR_FLAG_OVERTAKEN | XTR_FLAG_NO_DONE);
	expect(11, 2, XTR_QUALITY_BOUNDED, XTR_FLAG_OVERTOOK); /* it may have waited for 11:1 */
	expect(11, 3, XTR_QUALITY_INFERRED, 0);
	expect(11, 4, XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, sim_find(s, 11, 4)->start_ns, 150 * US));
}

/* The done event is missing, but the fence's signal, microseconds later, tells the time. */
Test(model_loss, fence_signal_stands_in_for_done)
{
	sim_queue(s, 1, 11, 1, 1);
	sim_run(s, 10 * US, 11, 1, 1);
	sim_signaled(s, 60 * US, 11, 1, 0);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_INFERRED, XTR_FLAG_FENCE_DONE | XTR_FLAG_NO_DONE);
	cr_expect(eq(u64, sim_find(s, 11, 1)->done_ns, 60 * US));
}

/* What is lost after a job was closed is not the job's, however long it takes to the next event. */
Test(model_loss, recycled_before_a_gap)
{
	sim_queue(s, 1 * US, 11, 1, 1);
	sim_queue(s, 20 * US, 11, 1, 1);
	sim_gap(s, 500 * US, 600 * US, 3);
	sim_job(s, 13, 1, 2, 700 * US, 710 * US, 720 * US);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	cr_expect(eq(u32, s->job[0].flags, XTR_FLAG_RECYCLED | XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE));
}

/* A fence's name used again while its job is open: the old one is closed, the new one is another.
 */
Test(model_loss, recycled_fence)
{
	size_t lost = 0, whole = 0;

	sim_queue(s, 1 * US, 11, 1, 1);
	sim_run(s, 2 * US, 11, 1, 1);
	sim_job(s, 11, 1, 1, 500 * US, 510 * US, 600 * US);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	for (size_t i = 0; i < 2; i++) {
		lost += s->job[i].quality == XTR_QUALITY_LOST &&
			(s->job[i].flags & XTR_FLAG_RECYCLED) && s->job[i].run_ns == 2 * US;
		whole += s->job[i].quality == XTR_QUALITY_BOUNDED && s->job[i].run_ns == 510 * US &&
			 s->job[i].done_ns == 600 * US;
	}
	cr_expect(eq(sz, lost, 1));
	cr_expect(eq(u64, s->counts.recycled, 1));
	whole += s->job[1].quality == XTR_QUALITY_INFERRED;
	cr_expect(eq(sz, whole, 1));
}

/* The same after completion is an ordinary new job, even within the time a job is held back. */
Test(model_loss, fence_reused_after_completion)
{
	sim_job(s, 11, 1, 1, 1 * US, 2 * US, 30 * US);
	sim_job(s, 11, 1, 1, 40 * US, 50 * US, 90 * US);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(eq(u64, s->job[0].done_ns, 30 * US));
	cr_expect(eq(u64, s->job[1].done_ns, 90 * US));
	cr_expect(eq(int, s->job[1].quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(u64, s->counts.recycled, 0));
}

Test(model_loss, second_done_is_counted_and_ignored)
{
	sim_job(s, 11, 1, 1, 1 * US, 2 * US, 30 * US);
	sim_done(s, 40 * US, 11, 1, 1);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	cr_expect(eq(u64, s->job[0].done_ns, 30 * US));
	cr_expect(eq(u64, s->counts.duplicates, 1));
}

/* Memory is bounded: the oldest open jobs are closed, each still comes exactly once. */
Test(model_loss, limit_on_open_jobs)
{
	uint64_t evicted = 0;

	for (uint64_t i = 0; i < 100; i++)
		sim_queue(s, 1 + i, 11, 1 + i, 1);
	sim_jobs_limited(s, 10);
	cr_assert(eq(sz, s->n_jobs, 100));
	for (uint64_t i = 0; i < 100; i++)
		evicted += !!(sim_find(s, 11, 1 + i)->flags & XTR_FLAG_EVICTED);
	cr_expect(eq(u64, evicted, 90));
	cr_expect(eq(u64, s->counts.evicted, 90));
	cr_expect(eq(u32, sim_find(s, 11, 100)->flags & XTR_FLAG_EVICTED, 0));
}

/* A record that is too short for its type is counted and does no harm. */
Test(model_loss, short_records)
{
	sim_job(s, 11, 1, 1, 1 * US, 2 * US, 30 * US);
	sim_run(s, 40 * US, 11, 2, 1);
	s->event[s->n - 1].ev.size = 24;
	sim_done(s, 41 * US, 11, 3, 1);
	s->event[s->n - 1].ev.size = 32;
	sim_jobs(s);
	cr_expect(eq(sz, s->n_jobs, 1));
	cr_expect(eq(u64, s->counts.malformed, 2));
}

/* A ring that no table names, and ring 0: times are there, execution is only bounded on ring 0. */
Test(model_loss, unknown_rings)
{
	sim_job(s, 11, 1, 0, 1 * US, 2 * US, 30 * US);
	sim_job(s, 13, 1, 77, 1 * US, 2 * US, 30 * US);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 11, 1)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(int, sim_find(s, 13, 1)->quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(u32, sim_find(s, 13, 1)->ring->id, 77));
	cr_expect(eq(str, (char *)sim_find(s, 13, 1)->ring->name, ""));
}

/* Any bytes in any order: every job that came in comes out once, and nothing is negative. */
Test(model_loss, random_events)
{
	srand(3);
	for (size_t i = 0; i < 3000; i++) {
		uint64_t ts = 1 + (uint64_t)(rand() % 1000) * US, ctx = 1 + (uint64_t)(rand() % 4);
		uint64_t seqno = (uint64_t)(rand() % 30);
		uint32_t ring = (uint32_t)(rand() % 4);

		s->cpu = (uint32_t)(rand() % 3);
		switch (rand() % 6) {
		case 0:
			sim_queue(s, ts, ctx, seqno, ring);
			break;
		case 1:
			sim_run(s, ts, ctx, seqno, ring);
			break;
		case 2:
			sim_done(s, ts, ctx, seqno, ring);
			break;
		case 3:
			sim_signaled(s, ts, ctx, seqno, rand() % 3 - 1);
			break;
		case 4:
			sim_dep(s, rand() % 2 ? XTR_EV_JOB_WAIT_DEP : XTR_EV_JOB_UNSCHEDULABLE, ts,
				ctx, seqno, 1 + (uint64_t)(rand() % 4), (uint64_t)(rand() % 30),
				ring, (uint32_t)(rand() % 16));
			break;
		default:
			sim_gap(s, ts, ts + (uint64_t)(rand() % 5000), 1);
		}
	}
	sim_jobs_limited(s, 1 + (uint32_t)(rand() % 50));
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct xtr_job *j = &s->job[i];

		cr_assert(le(u64, j->exec_min_ns, j->exec_max_ns));
		if (xtr_job_resided(j))
			cr_assert(le(u64, j->exec_max_ns, j->done_ns - j->run_ns));
		if (j->queue_ns && j->run_ns) {
			cr_assert(le(u64, j->queue_ns, j->run_ns));
			cr_assert(le(u64, j->dep_wait_ns, j->run_ns - j->queue_ns));
		}
		for (uint32_t d = 0; d < j->n_deps; d++)
			cr_assert(le(u64, j->deps[d].from_ns, j->deps[d].until_ns));
	}
	cr_assert(gt(sz, s->n_jobs, 100));
}
