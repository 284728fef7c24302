/* SPDX-License-Identifier: BSD-2-Clause */
/* Dependency waits: both fences of a job, both generations of kernels, other devices, foreign
 * fences. */
#include "gpu_sim.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US 1000ull

static struct sim *s;

static void setup(void)
{
	s = sim_new();
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 2, "gpu.0", "sdma0", 2);
	sim_ring(s, 4, "gpu.1", "gfx", 2);
	sim_task(s, 100, 90, "worker", 0);
}

static void teardown(void)
{
	sim_free(s);
}

TestSuite(deps, .init = setup, .fini = teardown);

/* Job 11:1 on ring 1 waits for 21:1 on another ring, from 20 us on. */
static void blocker(uint32_t ring)
{
	sim_job(s, 21, 1, ring, 1 * US, 5 * US, 100 * US);
	sim_queue(s, 10 * US, 11, 1, 1);
}

static void expect_wait(uint64_t ns, uint32_t n_deps)
{
	const struct xtr_job *j = sim_find(s, 11, 1);

	cr_expect(eq(u64, j->dep_wait_ns, ns));
	cr_expect(eq(u32, j->n_deps, n_deps));
	cr_expect(eq(u32, j->n_waits, n_deps));
}

static void expect_dep(uint32_t i, uint64_t ctx, uint64_t from, uint64_t until, uint32_t ring)
{
	const struct xtr_dep *d = &sim_find(s, 11, 1)->deps[i];

	cr_expect(eq(u64, d->ctx, ctx));
	cr_expect(eq(u64, d->from_ns, from));
	cr_expect(eq(u64, d->until_ns, until));
	cr_expect(eq(u32, d->ring_id, ring));
}

Test(deps, finished_fence_blocks_until_done)
{
	blocker(2);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_run(s, 110 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(80 * US, 1);
	expect_dep(0, 21, 20 * US, 100 * US, 2);
	cr_expect(eq(int, sim_find(s, 11, 1)->deps[0].scheduled, 0));
}

/* The scheduled fence (context - 1) lets go when the other job is run: with the flag, or by the
 * contexts. */
static void scheduled_fence(uint32_t flags)
{
	sim_job(s, 21, 1, 2, 1 * US, 60 * US, 100 * US);
	sim_queue(s, 10 * US, 11, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 20, 1, 1, flags);
	sim_run(s, 70 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(40 * US, 1);
	expect_dep(0, 21, 20 * US, 60 * US, 2);
	cr_expect(eq(int, sim_find(s, 11, 1)->deps[0].scheduled, 1));
}

Test(deps, scheduled_fence_flagged)
{
	scheduled_fence(XTR_JOB_DEP_SCHEDULED);
}

Test(deps, scheduled_fence_by_context)
{
	scheduled_fence(0);
}

Test(deps, job_of_another_device)
{
	blocker(4);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_run(s, 110 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(80 * US, 1);
	expect_dep(0, 21, 20 * US, 100 * US, 4);
}

/* A fence of something else, a display flip: it ends when its signal is seen. */
Test(deps, foreign_fence)
{
	sim_queue(s, 10 * US, 11, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 500, 77, 1, 0);
	sim_signaled(s, 50 * US, 500, 77, 0);
	sim_run(s, 60 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(30 * US, 1);
	expect_dep(0, 500, 20 * US, 50 * US, 0);
}

/* Nothing says when the fence was signalled: the wait is clipped at run. */
Test(deps, clipped_at_run)
{
	sim_queue(s, 10 * US, 11, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 500, 77, 1, 0);
	sim_run(s, 60 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(40 * US, 1);
}

/* One after the other: each is looked at when the one before is signalled. */
Test(deps, several)
{
	blocker(2);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 105 * US, 11, 1, 500, 77, 1, 0);
	sim_signaled(s, 120 * US, 500, 77, 0);
	sim_run(s, 130 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(95 * US, 2);
	expect_dep(0, 21, 20 * US, 100 * US, 2);
	expect_dep(1, 500, 105 * US, 120 * US, 0);
}

/* Two jobs wait for one fence. */
Test(deps, two_waiters)
{
	blocker(2);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_queue(s, 11 * US, 13, 5, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 30 * US, 13, 5, 21, 1, 1, 0);
	sim_run(s, 110 * US, 11, 1, 1);
	sim_run(s, 112 * US, 13, 5, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_done(s, 160 * US, 13, 5, 1);
	sim_jobs(s);
	expect_wait(80 * US, 1);
	cr_expect(eq(u64, sim_find(s, 13, 5)->dep_wait_ns, 70 * US));
}

/* Until 6.16: wait_dep fires for every dependency; only one that was not signalled blocks. */
Test(deps, old_kernel_looks_at_signalled_ones_too)
{
	blocker(2);
	sim_dep(s, XTR_EV_JOB_WAIT_DEP, 15 * US, 11, 1, 300, 1, 1, XTR_JOB_DEP_SIGNALED);
	sim_dep(s, XTR_EV_JOB_WAIT_DEP, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_run(s, 110 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(80 * US, 1);
	expect_dep(0, 21, 20 * US, 100 * US, 2);
}

/* Until 6.16: the entity's own fences are looked at and dropped. */
Test(deps, own_fences_do_not_block)
{
	sim_job(s, 11, 1, 1, 1 * US, 5 * US, 100 * US);
	sim_queue(s, 10 * US, 11, 2, 1);
	sim_dep(s, XTR_EV_JOB_WAIT_DEP, 20 * US, 11, 2, 11, 1, 1, 0);
	sim_dep(s, XTR_EV_JOB_WAIT_DEP, 21 * US, 11, 2, 10, 1, 1, 0);
	sim_run(s, 90 * US, 11, 2, 1);
	sim_done(s, 150 * US, 11, 2, 1);
	sim_jobs(s);
	cr_expect(eq(u64, sim_find(s, 11, 2)->dep_wait_ns, 0));
	cr_expect(eq(u32, sim_find(s, 11, 2)->n_waits, 0));
}

/*
 * The same scheduler: the kernel waits only until the other job is scheduled. Old kernels name the
 * finished fence in the event, new ones the scheduled one: the answer is the same.
 */
static void same_ring(uint32_t type, uint64_t dep_ctx, uint32_t flags)
{
	sim_job(s, 21, 1, 1, 1 * US, 60 * US, 100 * US);
	sim_queue(s, 10 * US, 11, 1, 1);
	sim_dep(s, type, 20 * US, 11, 1, dep_ctx, 1, 1, flags);
	sim_run(s, 70 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(40 * US, 1);
	expect_dep(0, 21, 20 * US, 60 * US, 1);
}

Test(deps, same_ring_old_kernel)
{
	same_ring(XTR_EV_JOB_WAIT_DEP, 21, 0);
}

Test(deps, same_ring_new_kernel)
{
	same_ring(XTR_EV_JOB_UNSCHEDULABLE, 20, XTR_JOB_DEP_SCHEDULED);
}

/* add_dep says what a job depends on, not that it waits. */
Test(deps, add_dep_is_no_wait)
{
	blocker(2);
	sim_dep(s, XTR_EV_JOB_ADD_DEP, 11 * US, 11, 1, 21, 1, 1, 0);
	sim_run(s, 110 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	sim_jobs(s);
	expect_wait(0, 0);
}

/* More waits than are kept one by one: all are counted and summed, and the job says so. */
Test(deps, more_than_are_kept)
{
	const struct xtr_job *j;

	sim_queue(s, 10 * US, 11, 1, 1);
	for (uint64_t i = 0; i < 40; i++) {
		sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, (20 + 10 * i) * US, 11, 1, 500, i, 1, 0);
		sim_signaled(s, (24 + 10 * i) * US, 500, i, 0);
	}
	sim_run(s, 1000 * US, 11, 1, 1);
	sim_done(s, 1100 * US, 11, 1, 1);
	sim_jobs(s);
	j = sim_find(s, 11, 1);
	cr_expect(eq(u32, j->n_deps, XTR_JOB_DEPS_MAX));
	cr_expect(eq(u32, j->n_waits, 40));
	cr_expect(eq(u64, j->dep_wait_ns, 40 * 4 * US));
	cr_expect(eq(u32, j->flags, XTR_FLAG_MORE_DEPS));
}
