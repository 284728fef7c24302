/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs of the Intel NPU from what its driver tells, against known truth. */
#include "npu_sim.h"
#include "format/xtr_format.h"
#include "replay/model/job_source.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#define US 1000ull
#define MS 1000000ull
#define F  7000ull /* the first fence's context */

static struct sim *s;

static void done_with(void)
{
	sim_free(s);
}

TestSuite(source_ivpu, .fini = done_with);

static const struct xtr_job *only(void)
{
	cr_assert(eq(sz, s->n_jobs, 1));
	return &s->job[0];
}

static void expect(const struct xtr_job *j, enum xtr_quality quality, uint32_t flags)
{
	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)j->ctx,
		  (unsigned long long)j->seqno);
	cr_expect(eq(u32, j->flags, flags), "%llu:%llu", (unsigned long long)j->ctx,
		  (unsigned long long)j->seqno);
}

static void expect_times(const struct xtr_job *j, uint64_t submit, uint64_t queue, uint64_t run,
			 uint64_t start, uint64_t done)
{
	cr_expect(eq(u64, j->submit_ns, submit));
	cr_expect(eq(u64, j->queue_ns, queue));
	cr_expect(eq(u64, j->run_ns, run));
	cr_expect(eq(u64, j->start_ns, start));
	cr_expect(eq(u64, j->done_ns, done));
}

static void one_job(unsigned int has)
{
	s = npu_sim(has);
	npu_submit(s, 100 * US, 3, F, 2, 256);
	npu_done(s, 900 * US, F, 2, 256);
	sim_jobs(s);
	cr_expect(eq(str, (char *)only()->ring->name, "compute"));
	cr_expect(eq(str, (char *)only()->ring->device_name, NPU_DEVICE));
	cr_expect(eq(int, only()->kind, XTR_KIND_NPU));
	cr_expect(eq(u32, only()->pid, 1003));
	cr_expect(eq(u32, only()->tid, 3));
	cr_expect(eq(str, (char *)xtr_tables_string(s->tables, only()->comm, NULL), "app3"));
	cr_expect(eq(int, only()->client_known, (has & NPU_JOBS) != 0));
	cr_expect(eq(u64, only()->client_id, has & NPU_JOBS ? 2 : 0));
}

Test(source_ivpu, everything_is_there)
{
	one_job(NPU_ALL);
	expect(only(), XTR_QUALITY_INFERRED, 0);
	expect_times(only(), 100 * US, 102 * US, 106 * US, 106 * US, 900 * US);
	cr_expect(eq(u64, only()->ctx, F));
	cr_expect(eq(u64, only()->seqno, 1));
	cr_expect(eq(int, only()->result_known, 1));
}

Test(source_ivpu, tracepoints_alone)
{
	one_job(NPU_JOBS);
	expect(only(), XTR_QUALITY_INFERRED, XTR_FLAG_KEY_INFERRED);
	expect_times(only(), 102 * US, 102 * US, 106 * US, 106 * US, 900 * US);
	cr_expect(eq(u64, only()->ctx, XTR_SOURCE_CONTEXT + 2));
	cr_expect(eq(u64, only()->seqno, 102 * US));
	cr_expect(eq(int, only()->result_known, 0));
}

Test(source_ivpu, tracepoints_and_fences)
{
	one_job(NPU_JOBS | NPU_FENCES);
	expect(only(), XTR_QUALITY_INFERRED, 0);
	expect_times(only(), 102 * US, 102 * US, 106 * US, 106 * US, 900 * US);
}

/* The stack is that of the event that tells when it was submitted. */
static void stack_is(unsigned int has, uint32_t stack)
{
	s = npu_sim(has);
	s->stack = 50;
	npu_submit(s, 100 * US, 3, F, 2, 0x101);
	npu_done(s, 900 * US, F, 2, 0x101);
	sim_jobs(s);
	cr_expect(eq(u32, only()->stack, stack), "%x", has);
	sim_free(s);
	s = NULL;
}

Test(source_ivpu, stacks)
{
	stack_is(NPU_ALL, 50);
	stack_is(NPU_FUNCTIONS, 50);
	stack_is(NPU_FENCES | NPU_FUNCTIONS, 50);
	stack_is(NPU_FENCES, 51);
	stack_is(NPU_JOBS | NPU_FENCES, 51);
	stack_is(NPU_JOBS, 52);
	s = npu_sim(NPU_ALL);
}

/* There is no event for run: the execution is somewhere between queue and done. */
Test(source_ivpu, fences_alone)
{
	one_job(NPU_FENCES);
	expect(only(), XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE | XTR_FLAG_FENCE_DONE);
	expect_times(only(), 101 * US, 101 * US, 0, 0, 899 * US);
}

/* As on kernels before vpu:job. */
Test(source_ivpu, fences_and_functions)
{
	one_job(NPU_FENCES | NPU_FUNCTIONS);
	expect(only(), XTR_QUALITY_INFERRED, XTR_FLAG_NO_DONE | XTR_FLAG_FENCE_DONE);
	expect_times(only(), 100 * US, 101 * US, 105 * US, 105 * US, 899 * US);
	cr_expect(eq(u64, only()->ctx, F));
}

Test(source_ivpu, functions_alone)
{
	one_job(NPU_FUNCTIONS);
	expect(only(), XTR_QUALITY_INFERRED, XTR_FLAG_KEY_INFERRED);
	expect_times(only(), 100 * US, 100 * US, 105 * US, 105 * US, 898 * US);
}

Test(source_ivpu, only_the_ioctl_and_the_completion)
{
	one_job(NPU_IOCTL | NPU_COMPLETE);
	expect(only(), XTR_QUALITY_OPEN, XTR_FLAG_KEY_INFERRED | XTR_FLAG_NO_RUN);
}

/* Fences are signalled, but their beginning was not recorded: the result is known all the same. */
Test(source_ivpu, signals_without_inits)
{
	one_job(NPU_JOBS | NPU_SIGNALED);
	expect(only(), XTR_QUALITY_INFERRED, XTR_FLAG_KEY_INFERRED);
	cr_expect(eq(int, only()->result_known, 1));
	sim_free(s);
	one_job(NPU_FUNCTIONS | NPU_SIGNALED);
	expect(only(), XTR_QUALITY_INFERRED,
	       XTR_FLAG_KEY_INFERRED | XTR_FLAG_NO_DONE | XTR_FLAG_FENCE_DONE);
	expect_times(only(), 100 * US, 105 * US, 105 * US, 105 * US, 899 * US);
}

/* In-order inference: each starts when the one before is done. */
Test(source_ivpu, one_context_is_in_order)
{
	s = npu_sim(NPU_ALL);
	for (uint32_t i = 0; i < 20; i++) {
		npu_submit(s, 100 * US + i * 20 * US, 1 + i % 3, F + i, 2, 256 + i);
		npu_done(s, (i + 1) * MS, F + i, 2, 256 + i);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 20));
	for (uint32_t i = 0; i < 20; i++) {
		const struct xtr_job *j = sim_find(s, F + i, 1);

		expect(j, XTR_QUALITY_INFERRED, 0);
		cr_expect(eq(u64, j->start_ns, i ? i * MS : 106 * US));
		cr_expect(eq(u64, j->done_ns, (i + 1) * MS));
	}
}

/* 600 jobs of one context, whose ids run through 0 to 255 and begin again. */
Test(source_ivpu, ids_are_used_again)
{
	s = npu_sim(NPU_JOBS);
	for (uint32_t i = 0; i < 600; i++) {
		npu_submit(s, i * MS + 100 * US, 1, F + i, 2, 256 + i % 256);
		npu_done(s, i * MS + 800 * US, F + i, 2, 256 + i % 256);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 600));
	for (uint32_t i = 0; i < 600; i++)
		expect_times(&s->job[i], i * MS + 102 * US, i * MS + 102 * US, i * MS + 106 * US,
			     i * MS + 106 * US, i * MS + 800 * US);
	cr_expect(eq(u64, s->counts.recycled, 0));
}

/* The done of a job is lost; 256 jobs later its id is another's. */
static void lost_done(unsigned int has)
{
	s = npu_sim(has);
	for (uint32_t i = 0; i < 300; i++) {
		npu_submit(s, i * MS + 100 * US, 1, F + i, 2, 256 + i % 256);
		if (i == 5)
			npu_records(0);
		npu_done(s, i * MS + 800 * US, F + i, 2, 256 + i % 256);
		npu_records(has);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 300));
	cr_expect(eq(u64, s->counts.recycled, 1));
}

Test(source_ivpu, a_lost_done_does_not_end_with_another_job)
{
	lost_done(NPU_JOBS);
	for (uint32_t i = 0; i < 300; i++) {
		const struct xtr_job *j = sim_find(s, XTR_SOURCE_CONTEXT + 2, i * MS + 102 * US);
		uint64_t done = i == 5 ? 0 : i * MS + 800 * US;

		cr_expect(eq(u64, j->done_ns, done));
		if (i == 5)
			expect(j, XTR_QUALITY_LOST,
			       XTR_FLAG_KEY_INFERRED | XTR_FLAG_RECYCLED | XTR_FLAG_OVERTAKEN |
				       XTR_FLAG_NO_DONE);
	}
	sim_free(s);
	lost_done(NPU_ALL);
	cr_expect(eq(u64, sim_find(s, F + 5, 1)->done_ns, 0));
	cr_expect(eq(u64, sim_find(s, F + 261, 1)->done_ns, 261 * MS + 800 * US));
}

/* vpu:job done alone is lost: the fence says when. */
Test(source_ivpu, a_lost_done_with_its_signal)
{
	s = npu_sim(NPU_ALL);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_records(NPU_FENCES);
	npu_done(s, 900 * US, F, 2, 256);
	npu_records(NPU_ALL);
	npu_submit(s, 1 * MS, 1, F + 1, 2, 257);
	npu_done(s, 2 * MS, F + 1, 2, 257);
	npu_submit(s, 3 * MS, 1, F + 2, 2, 256);
	npu_done(s, 4 * MS, F + 2, 2, 256);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	expect(sim_find(s, F, 1), XTR_QUALITY_INFERRED, XTR_FLAG_FENCE_DONE | XTR_FLAG_NO_DONE);
	cr_expect(eq(u64, sim_find(s, F, 1)->done_ns, 899 * US));
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_INFERRED, 0);
	expect(sim_find(s, F + 2, 1), XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, s->counts.recycled, 0));
}

/* Whoever the fence wakes may preempt the thread that signals it: its done comes much later. */
Test(source_ivpu, a_done_long_after_its_signal)
{
	s = npu_sim(NPU_ALL);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_records(NPU_FENCES);
	npu_done(s, 900 * US, F, 2, 256);
	npu_records(NPU_ALL);
	npu_submit(s, 2 * MS, 1, F + 1, 2, 257);
	npu_job(s, 9 * MS, "done", 2, 256);
	npu_done(s, 10 * MS, F + 1, 2, 257);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(eq(u64, sim_find(s, F, 1)->done_ns, 899 * US));
	cr_expect(eq(u64, sim_find(s, F + 1, 1)->done_ns, 10 * MS));
}

/* The submission is lost: the fence still names the job that is done, without it nothing does. */
Test(source_ivpu, a_lost_submission)
{
	s = npu_sim(NPU_JOBS | NPU_FENCES);
	s->tid = 1;
	npu_fence(s, 10 * US, true, F, 0);
	npu_job(s, 11 * US, "create", 2, 0);
	npu_done(s, 900 * US, F, 2, 256);
	npu_submit(s, 1 * MS, 1, F + 1, 2, 257);
	npu_done(s, 2 * MS, F + 1, 2, 257);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	expect(sim_find(s, F, 1), XTR_QUALITY_LOST, XTR_FLAG_NO_RUN);
	cr_expect(eq(u64, sim_find(s, F, 1)->done_ns, 900 * US));
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_INFERRED, 0);
	sim_free(s);
	s = npu_sim(NPU_JOBS);
	s->tid = 1;
	npu_job(s, 11 * US, "create", 2, 0);
	npu_done(s, 900 * US, F, 2, 256);
	npu_submit(s, 1 * MS, 1, F + 1, 2, 257);
	npu_done(s, 2 * MS, F + 1, 2, 257);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	expect(sim_find(s, XTR_SOURCE_CONTEXT + 2, 11 * US), XTR_QUALITY_OPEN,
	       XTR_FLAG_KEY_INFERRED | XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE);
	expect(sim_find(s, XTR_SOURCE_CONTEXT + 2, 900 * US), XTR_QUALITY_OPEN,
	       XTR_FLAG_KEY_INFERRED | XTR_FLAG_NO_RUN | XTR_FLAG_NO_QUEUE);
}

/* All of a submission is lost, and with it that the id is another job's: the fence tells. */
Test(source_ivpu, a_lost_submission_of_an_id_in_use)
{
	s = npu_sim(NPU_ALL);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_records(0);
	npu_done(s, 900 * US, F, 2, 256);
	npu_submit(s, 1 * MS, 1, F + 1, 2, 256);
	npu_records(NPU_ALL);
	npu_done(s, 2 * MS, F + 1, 2, 256);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(eq(u64, sim_find(s, F, 1)->done_ns, 0));
	cr_expect(ne(u32, sim_find(s, F, 1)->flags & XTR_FLAG_RECYCLED, 0));
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_OPEN, XTR_FLAG_NO_QUEUE | XTR_FLAG_NO_RUN);
}

/* Creation is lost, or the job was created before the trace. */
Test(source_ivpu, a_lost_creation)
{
	s = npu_sim(NPU_JOBS);
	s->tid = 1;
	npu_job(s, 100 * US, "submit", 2, 256);
	npu_done(s, 900 * US, F, 2, 256);
	sim_jobs(s);
	expect(only(), XTR_QUALITY_INFERRED, XTR_FLAG_KEY_INFERRED | XTR_FLAG_NO_QUEUE);
	cr_expect(eq(u64, only()->run_ns, 100 * US));
	cr_expect(eq(u64, only()->client_id, 2));
}

/* A submission that fails is never run: the ioctl says why, or the fence is signalled in it. */
Test(source_ivpu, submissions_that_fail)
{
	s = npu_sim(NPU_ALL);
	s->tid = 4;
	npu_function(s, 10 * US, "ivpu_submit_ioctl", 0);
	npu_fence(s, 11 * US, true, F, 0);
	npu_job(s, 12 * US, "create", 2, 0);
	npu_function(s, 13 * US, "ivpu_submit_ioctl:ret", -EBUSY);
	npu_function(s, 20 * US, "ivpu_submit_ioctl", 0);
	npu_fence(s, 21 * US, true, F + 1, 0);
	npu_job(s, 22 * US, "create", 2, 0);
	npu_fence(s, 23 * US, false, F + 1, 0);
	npu_function(s, 24 * US, "ivpu_submit_ioctl:ret", -EINVAL);
	npu_submit(s, 100 * US, 4, F + 2, 2, 256);
	npu_done(s, 900 * US, F + 2, 2, 256);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	expect(sim_find(s, F, 1), XTR_QUALITY_EXACT, XTR_FLAG_KILLED | XTR_FLAG_ERROR);
	cr_expect(eq(int, sim_find(s, F, 1)->error, -EBUSY));
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_EXACT, XTR_FLAG_KILLED | XTR_FLAG_ERROR);
	cr_expect(eq(int, sim_find(s, F + 1, 1)->error, -EINVAL));
	expect(sim_find(s, F + 2, 1), XTR_QUALITY_INFERRED, 0);
}

/* Two contexts whose jobs overlap on the engine: bounded; those that do not: inferred. */
Test(source_ivpu, contexts_that_overlap_are_bounded)
{
	s = npu_sim(NPU_ALL);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_done(s, 900 * US, F, 2, 256);
	npu_submit(s, 1000 * US, 1, F + 1, 2, 257);
	npu_submit(s, 1100 * US, 2, F + 2, 3, 512);
	npu_done(s, 1900 * US, F + 1, 2, 257);
	npu_submit(s, 1950 * US, 2, F + 3, 3, 513); /* alone with its own context */
	npu_done(s, 2500 * US, F + 2, 3, 512);
	npu_done(s, 3000 * US, F + 3, 3, 513);
	sim_jobs(s);
	expect(sim_find(s, F, 1), XTR_QUALITY_INFERRED, 0);
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_SHARED);
	expect(sim_find(s, F + 2, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_SHARED);
	cr_expect(eq(u64, sim_find(s, F + 2, 1)->start_ns, 0));
	cr_expect(eq(u64, sim_find(s, F + 2, 1)->exec_max_ns, 1394 * US)); /* done - run */
	cr_expect(eq(u64, sim_find(s, F + 2, 1)->exec_min_ns, 0));
	expect(sim_find(s, F + 3, 1), XTR_QUALITY_INFERRED, 0);
	cr_expect(eq(u64, sim_find(s, F + 3, 1)->start_ns, 2500 * US));
}

/* Contexts that overtake each other often: the ring is out of order. */
Test(source_ivpu, contexts_that_overtake)
{
	s = npu_sim(NPU_ALL);
	for (uint32_t i = 0; i < 10; i++) {
		npu_submit(s, i * 2 * MS + 100 * US, 1, F + 2 * i, 2, 256 + i);
		npu_submit(s, i * 2 * MS + 200 * US, 2, F + 2 * i + 1, 3, 512 + i);
		npu_done(s, i * 2 * MS + 800 * US, F + 2 * i + 1, 3, 512 + i);
		npu_done(s, i * 2 * MS + 1500 * US, F + 2 * i, 2, 256 + i);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 20));
	for (size_t i = 0; i < 20; i++)
		cr_expect(eq(int, s->job[i].quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(int, s->ring_of[0].verdict, XTR_VERDICT_OUT_OF_ORDER));
}

/* Two interrupt threads, on two CPUs, signal and report in turn: each thread's own go together. */
Test(source_ivpu, completions_on_two_cpus)
{
	s = npu_sim(NPU_JOBS | NPU_FENCES);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_submit(s, 150 * US, 1, F + 1, 2, 257);
	s->tid = 60;
	s->cpu = 0;
	npu_fence(s, 900 * US, false, F, -EIO);
	s->tid = 61;
	s->cpu = 1;
	npu_fence(s, 901 * US, false, F + 1, 0);
	npu_job(s, 902 * US, "done", 2, 257);
	s->tid = 60;
	s->cpu = 0;
	npu_job(s, 903 * US, "done", 2, 256);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	cr_expect(eq(int, sim_find(s, F, 1)->error, -EIO));
	cr_expect(eq(int, sim_find(s, F + 1, 1)->error, 0));
	cr_expect(eq(u64, sim_find(s, F + 1, 1)->done_ns, 902 * US));
	cr_expect(eq(u64, sim_find(s, F, 1)->done_ns, 900 * US)); /* the other ended since */
}

/* Which of two completed is not in the trace: the oldest, and the job says that it is taken so. */
Test(source_ivpu, completions_without_names_are_taken_in_order)
{
	s = npu_sim(NPU_FUNCTIONS);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_submit(s, 150 * US, 2, F + 1, 3, 512);
	npu_done(s, 900 * US, F, 2, 256);
	npu_done(s, 1500 * US, F + 1, 3, 512);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 2));
	expect(&s->job[0], XTR_QUALITY_BOUNDED,
	       XTR_FLAG_KEY_INFERRED | XTR_FLAG_SHARED | XTR_FLAG_BY_ORDER);
	cr_expect(eq(u64, s->job[0].queue_ns, 100 * US));
	expect(&s->job[1], XTR_QUALITY_BOUNDED, XTR_FLAG_KEY_INFERRED | XTR_FLAG_SHARED);
}

/* Records were lost while jobs were in flight: no job says that it knows more than that. */
Test(source_ivpu, gaps)
{
	s = npu_sim(NPU_ALL);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	sim_gap(s, 200 * US, 300 * US, 4);
	npu_done(s, 900 * US, F, 2, 256);
	npu_submit(s, 1000 * US, 1, F + 1, 2, 257);
	npu_done(s, 1900 * US, F + 1, 2, 257);
	sim_jobs(s);
	expect(sim_find(s, F, 1), XTR_QUALITY_BOUNDED, XTR_FLAG_GAP);
	expect(sim_find(s, F + 1, 1), XTR_QUALITY_INFERRED, 0);
}

/* A job of the GPU waits for a job of the NPU: the wait ends with its fence. */
Test(source_ivpu, other_jobs_wait_for_it)
{
	const struct xtr_job *j;

	s = npu_sim(NPU_ALL);
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	s->tid = 2;
	sim_queue(s, 200 * US, 11, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 201 * US, 11, 1, F, 1, 1, 0);
	npu_done(s, 900 * US, F, 2, 256);
	sim_run(s, 910 * US, 11, 1, 1);
	sim_done(s, 990 * US, 11, 1, 1);
	sim_jobs(s);
	j = sim_find(s, 11, 1);
	cr_assert(eq(u32, j->n_deps, 1));
	cr_expect(eq(u64, j->deps[0].until_ns, 899 * US));
	cr_expect(eq(u32, j->deps[0].ring_id, sim_find(s, F, 1)->ring->id));
	cr_expect(eq(int, j->kind, XTR_KIND_GPU));
}

/* The declared ring's id is none of the tables'. */
Test(source_ivpu, ring_ids_do_not_meet)
{
	s = npu_sim(NPU_ALL);
	for (uint32_t i = 1; i < 9; i++)
		sim_ring(s, UINT32_MAX - i, NPU_DEVICE, "taken", 1);
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_done(s, 900 * US, F, 2, 256);
	sim_job(s, 11, 1, UINT32_MAX - 1, 1, 10 * US, 20 * US);
	sim_jobs(s);
	cr_expect(eq(str, (char *)sim_find(s, F, 1)->ring->name, "compute"));
	cr_expect(eq(str, (char *)sim_find(s, 11, 1)->ring->name, "taken"));
	cr_expect(eq(u32, sim_find(s, F, 1)->ring->id, UINT32_MAX - 9));
	cr_expect(eq(u32, sim_find(s, F, 1)->ring->device, sim_find(s, 11, 1)->ring->device));
}

/* A pointer instead of the event's text, and a trace without times: there are no jobs to tell. */
Test(source_ivpu, what_cannot_be_used)
{
	static const struct xtr_field pointer[] = {
		{ .name = "event", .offset = 16, .size = 8, .repr = XTR_REPR_HEX64 },
		{ .name = "ctx_id", .offset = 24, .size = 4, .repr = XTR_REPR_U32 },
		{ .name = "job_id", .offset = 28, .size = 4, .repr = XTR_REPR_U32 },
	};
	const uint8_t boot[16] = { 0 };
	struct xtr_event_desc d = {
		.name = "vpu:job", .type = 1100, .size = 32, .n_fields = 3, .fields = pointer
	};
	struct xtr_job_sources *sources;

	s = npu_sim(0);
	cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
	cr_assert(eq(int, xtr_job_sources_open(&sources, s->meta, s->tables, NULL), 0));
	cr_expect(eq(ptr, sources, NULL));
	sim_free(s);
	s = npu_sim(NPU_ALL);
	cr_assert(eq(int, xtr_meta_set_clock(s->meta, "sequence", boot, 1), 0));
	npu_submit(s, 100 * US, 1, F, 2, 256);
	npu_done(s, 900 * US, F, 2, 256);
	sim_jobs(s);
	cr_expect(eq(sz, s->n_jobs, 0));
}

/* Fences of others are nothing of it. */
Test(source_ivpu, other_fences)
{
	struct xtr_rec_fence r = { .ctx = 5, .seqno = 1 };

	s = npu_sim(NPU_ALL);
	cr_assert(eq(int, xtr_tables_intern(s->tables, "ivpu_fence_ops", 14, &r.ops), 0));
	cr_assert(eq(int, xtr_tables_intern(s->tables, "amdgpu_fence_ops", 16, &r.ops), 0));
	sim_raw(s, 10 * US, XTR_EV_FENCE_INIT, &r, sizeof(r));
	sim_raw(s, 20 * US, XTR_EV_FENCE_SIGNALED, &r, sizeof(r));
	sim_jobs(s);
	cr_expect(eq(sz, s->n_jobs, 0));
}

/*
 * The engine executes the jobs of a context in the order of their submission, one at a time; a
 * context is used only when the one before has nothing left. Then start and end are what they were.
 */
static void random_schedule(unsigned int has, uint64_t seed)
{
	uint64_t start[400], end[400], free_at = 0, now = 0;
	uint32_t ctx = 1, id[9] = { 0 };

	s = npu_sim(has);
	for (uint32_t i = 0; i < 400; i++) {
		now += 10 * US + trace_random(&seed, 300) * US;
		if (!trace_random(&seed, 15)) { /* another context, when the engine is idle */
			ctx = 1 + (uint32_t)trace_random(&seed, 8);
			now = now > free_at + 10 * US ? now : free_at + 10 * US;
		}
		npu_submit(s, now, ctx, F + i, ctx, (ctx - 1) << 8 | id[ctx]++ % 256);
		start[i] = now + 6 * US > free_at ? now + 6 * US : free_at;
		end[i] = start[i] + 20 * US + trace_random(&seed, 400) * US;
		free_at = end[i];
		npu_done(s, end[i], F + i, ctx, (ctx - 1) << 8 | (id[ctx] - 1) % 256);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 400));
	for (uint32_t i = 0; i < 400; i++) {
		cr_expect(eq(u64, s->job[i].start_ns, start[i]));
		cr_expect(eq(u64, s->job[i].done_ns, end[i]));
		cr_expect(eq(int, s->job[i].quality, XTR_QUALITY_INFERRED));
	}
	sim_free(s);
	s = NULL;
}

Test(source_ivpu_truth, random_schedules_in_order)
{
	for (uint64_t seed = 1; seed < 9; seed++) {
		random_schedule(NPU_ALL, seed);
		random_schedule(NPU_JOBS | NPU_FENCES, seed);
		random_schedule(NPU_JOBS, seed);
	}
}

/*
 * Contexts that overlap, in an engine that takes them by turns: of every job the truth lies within
 * its bounds, and what is called inferred is the truth.
 */
Test(source_ivpu_truth, random_schedules_that_overlap)
{
	uint64_t seed = 11, exec[400], end[400], free_at = 0, now = 0, first;
	size_t inferred = 0;

	s = npu_sim(NPU_ALL);
	for (uint32_t i = 0; i < 400; i++) {
		uint32_t ctx = 1 + (uint32_t)trace_random(&seed, 2);

		now += 200 * US + trace_random(&seed, 600) * US;
		npu_submit(s, now, ctx, F + i, ctx, (ctx - 1) << 8 | i % 256);
		first = now + 6 * US > free_at ? now + 6 * US : free_at;
		exec[i] = 20 * US + trace_random(&seed, 600) * US;
		end[i] = first + exec[i];
		free_at = end[i];
		npu_done(s, end[i], F + i, ctx, (ctx - 1) << 8 | i % 256);
	}
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 400));
	for (uint32_t i = 0; i < 400; i++) {
		const struct xtr_job *j = &s->job[i];

		cr_expect(eq(u64, j->done_ns, end[i]));
		cr_expect(le(u64, j->exec_min_ns, exec[i]));
		cr_expect(ge(u64, j->exec_max_ns, exec[i]));
		inferred += j->quality == XTR_QUALITY_INFERRED;
	}
	cr_expect(gt(sz, inferred, 50));
	cr_expect(lt(sz, inferred, 350));
	sim_free(s);
}
