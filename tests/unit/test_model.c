/* SPDX-License-Identifier: BSD-2-Clause */
/* The job model against known truth: times and quality on in-order, exact, shared and other rings.
 */
#include "gpu_sim.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull

static struct sim *s;

static void setup(void)
{
	s = sim_new();
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 2, "gpu.0", "comp", 8);
	sim_ring(s, 3, "gpu.0", "one", 1);
	sim_device(s, "gpu.1", "amdgpu");
	sim_ring(s, 4, "gpu.1", "gfx", 2);
	sim_ring(s, 5, "gpu.1", "sdma0", 2);
	sim_task(s, 100, 90, "worker", 0);
	sim_task(s, 90, 90, "game", 0);
}

static void teardown(void)
{
	sim_free(s);
}

TestSuite(model, .init = setup, .fini = teardown);

static void expect_exec(uint64_t ctx, uint64_t seqno, enum xtr_quality quality, uint64_t start,
			uint64_t done)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
	cr_expect(eq(u64, j->start_ns, start));
	cr_expect(eq(u64, j->done_ns, done));
	cr_expect(eq(u64, j->exec_min_ns, done - start));
	cr_expect(eq(u64, j->exec_max_ns, done - start));
}

Test(model, one_job_has_all_its_times)
{
	const struct xtr_job *j;

	sim_job(s, 11, 1, 1, 10 * US, 30 * US, 130 * US);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 1));
	j = sim_find(s, 11, 1);
	cr_expect(eq(u64, j->submit_ns, 10 * US));
	cr_expect(eq(u64, j->queue_ns, 10 * US));
	cr_expect(eq(u64, j->run_ns, 30 * US));
	expect_exec(11, 1, XTR_QUALITY_INFERRED, 30 * US, 130 * US);
	cr_expect(eq(u32, j->tid, 100));
	cr_expect(eq(u32, j->pid, 90));
	cr_expect(eq(str, (char *)xtr_tables_string(s->tables, j->comm, NULL), "worker"));
	cr_expect(eq(int, j->kind, XTR_KIND_GPU));
	cr_expect(eq(u32, j->flags, 0));
}

/* Two jobs may be on the hardware: the second starts when the first is done. */
Test(model, depth_two_starts_at_the_previous_done)
{
	sim_job(s, 11, 1, 1, 0 + 1, 10 * US, 110 * US);
	sim_job(s, 11, 2, 1, 0 + 2, 20 * US, 150 * US);
	sim_job(s, 11, 3, 1, 0 + 3, 115 * US, 300 * US);
	sim_job(s, 11, 4, 1, 0 + 4, 400 * US, 450 * US);
	sim_jobs(s);
	expect_exec(11, 1, XTR_QUALITY_INFERRED, 10 * US, 110 * US);
	expect_exec(11, 2, XTR_QUALITY_INFERRED, 110 * US, 150 * US);
	expect_exec(11, 3, XTR_QUALITY_INFERRED, 150 * US, 300 * US);
	expect_exec(11, 4, XTR_QUALITY_INFERRED, 400 * US, 450 * US);
}

/* Eight jobs handed over at once, from two entities, executed one after the other. */
Test(model, depth_eight_is_serial)
{
	for (uint64_t i = 0; i < 8; i++)
		sim_job(s, i % 2 ? 21 : 23, 1 + i / 2, 2, 1 + i, 100 + i, (i + 1) * MS);
	sim_jobs(s);
	expect_exec(23, 1, XTR_QUALITY_INFERRED, 100, 1 * MS);
	for (uint64_t i = 1; i < 8; i++)
		expect_exec(i % 2 ? 21 : 23, 1 + i / 2, XTR_QUALITY_INFERRED, i * MS, (i + 1) * MS);
}

/* A limit of one job: nothing else was on the hardware, so residence is execution. */
Test(model, depth_one_is_exact)
{
	sim_job(s, 31, 1, 3, 1, 10 * US, 110 * US);
	sim_job(s, 31, 2, 3, 2, 112 * US, 200 * US);
	sim_jobs(s);
	expect_exec(31, 1, XTR_QUALITY_EXACT, 10 * US, 110 * US);
	expect_exec(31, 2, XTR_QUALITY_EXACT, 112 * US, 200 * US);
}

/* Rings of one name on two devices, and two rings of one device, do not wait for each other. */
Test(model, rings_and_devices_are_apart)
{
	sim_job(s, 11, 1, 1, 1, 10 * US, 500 * US);
	sim_job(s, 41, 1, 4, 1, 20 * US, 300 * US);
	sim_job(s, 41, 2, 4, 2, 25 * US, 600 * US);
	sim_job(s, 21, 1, 2, 2, 25 * US, 650 * US);
	sim_jobs(s);
	expect_exec(11, 1, XTR_QUALITY_INFERRED, 10 * US, 500 * US);
	expect_exec(41, 1, XTR_QUALITY_INFERRED, 20 * US, 300 * US);
	expect_exec(41, 2, XTR_QUALITY_INFERRED, 300 * US, 600 * US);
	expect_exec(21, 1, XTR_QUALITY_INFERRED, 25 * US, 650 * US);
	cr_expect(eq(str, (char *)sim_find(s, 41, 1)->ring->device_name, "gpu.1"));
	cr_expect(eq(str, (char *)sim_find(s, 11, 1)->ring->device_name, "gpu.0"));
}

/* Younger jobs complete milliseconds earlier: out of order, bounds instead of an invented start. */
Test(model, out_of_order_ring_is_bounded)
{
	const struct xtr_job *j;

	sim_job(s, 21, 1, 2, 1, 1 * MS, 9 * MS);
	sim_job(s, 23, 1, 2, 2, 2 * MS, 4 * MS);
	sim_job(s, 25, 1, 2, 3, 3 * MS, 6 * MS);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 3));
	for (size_t i = 0; i < 3; i++) {
		cr_expect(eq(int, s->job[i].quality, XTR_QUALITY_BOUNDED));
		cr_expect(eq(u64, s->job[i].start_ns, 0));
	}
	j = sim_find(s, 21, 1);
	cr_expect(eq(u64, j->exec_max_ns, 8 * MS));
	cr_expect(eq(u64, j->exec_min_ns, 3 * MS - XTR_REPORT_NS)); /* since 25:1 was done */
	cr_expect(ne(u32, j->flags & XTR_FLAG_OVERTAKEN, 0));
	j = sim_find(s, 23, 1);
	cr_expect(eq(u64, j->exec_max_ns, 2 * MS));
	cr_expect(eq(u64, j->exec_min_ns, 2 * MS - XTR_REPORT_NS));
	cr_expect(ne(u32, j->flags & XTR_FLAG_OVERTOOK, 0));
}

/* The same inversion by microseconds is a race of two fence callbacks: the ring stays in order. */
Test(model, callback_race_does_not_condemn_the_ring)
{
	sim_job(s, 23, 1, 2, 2, 2 * MS, 4 * MS);
	s->cpu = 1;
	sim_job(s, 21, 1, 2, 1, 1 * MS, 4 * MS + 8 * US);
	sim_job(s, 25, 1, 2, 3, 3 * MS, 6 * MS);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 21, 1)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(int, sim_find(s, 23, 1)->quality, XTR_QUALITY_BOUNDED));
	expect_exec(25, 1, XTR_QUALITY_INFERRED, 4 * MS + 8 * US, 6 * MS);
}

/* On one CPU nothing races: one interrupt reported them in this order. */
Test(model, inversion_on_one_cpu_is_no_race)
{
	sim_job(s, 23, 1, 2, 2, 2 * MS, 4 * MS);
	sim_job(s, 21, 1, 2, 1, 1 * MS, 4 * MS + 8 * US);
	sim_job(s, 25, 1, 2, 3, 3 * MS, 6 * MS);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 25, 1)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(str, (char *)xtr_ring_why(sim_find(s, 25, 1)->ring),
		     "jobs completed out of order"));
}

/* Most completions in batches: moderated interrupts, nobody's end is known, so nobody's start is.
 */
Test(model, batched_ring_is_bounded)
{
	const struct xtr_job *j;

	sim_device(s, "gpu.2", "etnaviv");
	sim_ring(s, 6, "gpu.2", "3d", 8);
	for (uint64_t i = 0; i < 12; i++)
		sim_job(s, 21, 1 + i, 6, 1 + i, 1 * MS + i, 8 * MS + i * US);
	sim_job(s, 21, 13, 6, 20 * MS, 21 * MS, 28 * MS);
	sim_jobs(s);
	j = sim_find(s, 21, 13);
	cr_expect(eq(int, j->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(u64, j->start_ns, 21 * MS)); /* the ring was idle */
	cr_expect(eq(u64, j->exec_min_ns, 0));
	cr_expect(eq(u64, j->exec_max_ns, 7 * MS));
	cr_expect(eq(u64, sim_find(s, 21, 1)->start_ns, 0));
	cr_expect(eq(str, (char *)xtr_ring_why(j->ring), "completions come in batches"));
}

/* Where each job raises an interrupt, ends that lie close together say nothing of other jobs. */
Test(model, an_interrupt_for_each_job)
{
	for (uint64_t i = 0; i < 12; i++)
		sim_job(s, 21, 1 + i, 2, 1 + i, 1 * MS + i, 8 * MS + i * US);
	sim_job(s, 21, 13, 2, 20 * MS, 21 * MS, 28 * MS);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 21, 13)->quality, XTR_QUALITY_INFERRED));
	cr_expect(eq(u64, sim_find(s, 21, 13)->start_ns, 21 * MS));
	cr_expect(eq(int, sim_find(s, 21, 2)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(zero(ptr, (void *)xtr_ring_why(sim_find(s, 21, 1)->ring)));
}

/* One clear inversion in 200 jobs: those two are bounded, the ring is in order. */
Test(model, one_inversion_in_many_stays_in_order)
{
	for (uint64_t i = 0; i < 200; i++)
		sim_job(s, 21, 1 + i, 2, (10 + 10 * i) * MS, (11 + 10 * i) * MS,
			(15 + 10 * i) * MS);
	sim_job(s, 23, 1, 2, 3000 * MS, 3001 * MS, 3020 * MS);
	sim_job(s, 23, 2, 2, 3000 * MS, 3002 * MS, 3010 * MS);
	sim_jobs(s);
	expect_exec(21, 200, XTR_QUALITY_INFERRED, 2001 * MS, 2005 * MS);
	cr_expect(eq(int, sim_find(s, 23, 1)->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(int, sim_find(s, 23, 2)->quality, XTR_QUALITY_BOUNDED));
}

/* A second one, and it is out of order: two in 204 are no accident. */
Test(model, two_inversions_condemn_the_ring)
{
	for (uint64_t i = 0; i < 200; i++)
		sim_job(s, 21, 1 + i, 2, (10 + 10 * i) * MS, (11 + 10 * i) * MS,
			(15 + 10 * i) * MS);
	for (uint64_t i = 0; i < 2; i++) {
		sim_job(s, 23, 1 + 2 * i, 2, (3000 + 50 * i) * MS, (3001 + 50 * i) * MS,
			(3020 + 50 * i) * MS);
		sim_job(s, 23, 2 + 2 * i, 2, (3000 + 50 * i) * MS, (3002 + 50 * i) * MS,
			(3010 + 50 * i) * MS);
	}
	sim_jobs(s);
	for (uint64_t i = 0; i < s->n_jobs; i++)
		cr_expect(eq(int, s->job[i].quality, XTR_QUALITY_BOUNDED));
}

/* Three jobs completed in one interrupt: only their bounds are known. */
Test(model, batch_in_one_interrupt)
{
	const struct xtr_job *j;

	sim_job(s, 21, 1, 2, 1, 1 * MS, 2 * MS);
	sim_job(s, 21, 2, 2, 2, 1 * MS + 1, 8 * MS);
	sim_job(s, 21, 3, 2, 3, 1 * MS + 2, 8 * MS + 2 * US);
	sim_job(s, 21, 4, 2, 4, 1 * MS + 3, 8 * MS + 5 * US);
	sim_job(s, 21, 5, 2, 5, 1 * MS + 4, 9 * MS);
	sim_jobs(s);
	expect_exec(21, 1, XTR_QUALITY_INFERRED, 1 * MS, 2 * MS);
	j = sim_find(s, 21, 2);
	cr_expect(eq(u32, j->flags, XTR_FLAG_BATCH | XTR_FLAG_BATCH_FIRST));
	cr_expect(eq(int, j->quality, XTR_QUALITY_BOUNDED));
	cr_expect(eq(u64, j->exec_max_ns, 6 * MS + XTR_REPORT_NS));
	cr_expect(eq(u64, j->exec_min_ns, 0));
	j = sim_find(s, 21, 4);
	cr_expect(eq(u32, j->flags, XTR_FLAG_BATCH));
	cr_expect(eq(u64, j->exec_max_ns,
		     6 * MS + 5 * US + XTR_REPORT_NS)); /* since the batch began */
	cr_expect(eq(u64, j->start_ns, 0));
	expect_exec(21, 5, XTR_QUALITY_INFERRED, 8 * MS + 5 * US, 9 * MS);
}

/* Done events close together are no batch on two CPUs, or if the second job was not there yet. */
Test(model, close_completions_that_are_no_batch)
{
	sim_job(s, 21, 1, 2, 1, 1 * MS, 8 * MS);
	sim_queue(s, 2, 21, 2, 2);
	sim_run(s, 1 * MS + 1, 21, 2, 2);
	s->cpu = 1;
	sim_done(s, 8 * MS + 2 * US, 21, 2, 2);
	sim_job(s, 21, 3, 2, 3, 8 * MS + 3 * US, 8 * MS + 6 * US);
	sim_jobs(s);
	expect_exec(21, 2, XTR_QUALITY_INFERRED, 8 * MS, 8 * MS + 2 * US);
	expect_exec(21, 3, XTR_QUALITY_INFERRED, 8 * MS + 3 * US, 8 * MS + 6 * US);
}

/* Drivers whose schedulers share engines: bounded although nothing overtook. */
Test(model, driver_decides_where_order_says_nothing)
{
	static const char *const shared[] = { "xe",  "panthor",  "powervr", "nouveau",
					      "msm", "panfrost", "amdxdna" };
	static const char *const serial[] = { "amdgpu",  "v3d",    "lima",
					      "etnaviv", "rocket", "unheard" };

	for (uint32_t i = 0; i < 7; i++) {
		sim_device(s, shared[i], shared[i]);
		sim_ring(s, 10 + i, shared[i], "q", 1);
		sim_job(s, 101 + 2 * i, 1, 10 + i, 1, 10 * US, 110 * US);
	}
	for (uint32_t i = 0; i < 6; i++) {
		sim_device(s, serial[i], serial[i]);
		sim_ring(s, 20 + i, serial[i], "q", 2);
		sim_job(s, 201 + 2 * i, 1, 20 + i, 1, 10 * US, 110 * US);
	}
	sim_jobs(s);
	for (uint32_t i = 0; i < 7; i++) {
		cr_expect(eq(int, sim_find(s, 101 + 2 * i, 1)->quality, XTR_QUALITY_BOUNDED), "%s",
			  shared[i]);
		cr_expect(eq(u64, sim_find(s, 101 + 2 * i, 1)->start_ns, 0));
	}
	for (uint32_t i = 0; i < 6; i++)
		cr_expect(eq(int, sim_find(s, 201 + 2 * i, 1)->quality, XTR_QUALITY_INFERRED), "%s",
			  serial[i]);
}

/* Names that only one driver's schedulers have tell the driver where the trace does not. */
Test(model, names_tell_the_driver)
{
	static const char *const names[] = { "rcs12",  "bcs3",          "vcs1", "vecs2", "ccs7",
					     "gsccs0", "nouveau_sched", "gfx",  "comp" };

	for (uint32_t i = 0; i < 9; i++) {
		sim_ring(s, 40 + i, "", names[i], 0);
		sim_job(s, 301 + 2 * i, 1, 40 + i, 1, 10 * US, 110 * US);
	}
	sim_jobs(s);
	for (uint32_t i = 0; i < 9; i++)
		cr_expect(eq(int, sim_find(s, 301 + 2 * i, 1)->quality,
			     i < 7 ? XTR_QUALITY_BOUNDED : XTR_QUALITY_INFERRED),
			  "%s", names[i]);
	cr_expect(eq(int, sim_find(s, 303, 1)->kind, XTR_KIND_COPY));
	cr_expect(eq(int, sim_find(s, 301, 1)->kind, XTR_KIND_GPU));
}

Test(model, kinds)
{
	sim_device(s, "npu.0", "amdxdna");
	sim_ring(s, 30, "npu.0", "amdxdna_js", 4);
	sim_job(s, 51, 1, 5, 1, 10 * US, 50 * US); /* sdma0 */
	sim_job(s, 61, 1, 30, 1, 10 * US, 50 * US);
	s->flags = XTR_JOB_CLIENT_KNOWN; /* client 0: the kernel's own queue */
	sim_job(s, 11, 1, 1, 1, 10 * US, 50 * US);
	s->client_id = 18446744073709551609ull; /* amdgpu: TTM copy */
	sim_job(s, 51, 2, 5, 1, 60 * US, 90 * US);
	s->client_id = 7;
	s->flags |= XTR_JOB_KTHREAD; /* a user's work from a kernel thread: the client decides */
	sim_job(s, 11, 2, 1, 1, 60 * US, 90 * US);
	s->flags = XTR_JOB_KTHREAD; /* no client known: the thread decides */
	sim_job(s, 11, 3, 1, 1, 100 * US, 190 * US);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 51, 1)->kind, XTR_KIND_COPY));
	cr_expect(eq(int, sim_find(s, 61, 1)->kind, XTR_KIND_NPU));
	cr_expect(eq(int, sim_find(s, 11, 1)->kind, XTR_KIND_KERNEL));
	cr_expect(eq(int, sim_find(s, 51, 2)->kind, XTR_KIND_KERNEL));
	cr_expect(eq(int, sim_find(s, 11, 2)->kind, XTR_KIND_GPU));
	cr_expect(eq(int, sim_find(s, 11, 3)->kind, XTR_KIND_KERNEL));
}

/* The process was killed: its queued job's fence is signalled with an error and it never runs. */
Test(model, killed_in_the_queue)
{
	const struct xtr_job *j;

	sim_job(s, 11, 1, 1, 1, 10 * US, 50 * US);
	sim_queue(s, 20 * US, 11, 2, 1);
	sim_signaled(s, 90 * US, 11, 2, -ESRCH);
	sim_jobs(s);
	j = sim_find(s, 11, 2);
	cr_expect(eq(int, j->quality, XTR_QUALITY_EXACT));
	cr_expect(eq(u32, j->flags & (XTR_FLAG_KILLED | XTR_FLAG_ERROR | XTR_FLAG_NO_RUN),
		     XTR_FLAG_KILLED | XTR_FLAG_ERROR));
	cr_expect(eq(int, j->error, -ESRCH));
	cr_expect(eq(u64, j->done_ns, 90 * US));
	cr_expect(eq(u64, j->start_ns, 0));
}

/* A hang: the job times out, and its fence carries the error; the jobs behind it follow. */
Test(model, timeout)
{
	const struct xtr_job *j;

	sim_job(s, 11, 1, 1, 1, 10 * US, 5000 * MS);
	sim_signaled(s, 5000 * MS + 3 * US, 11, 1, -ETIME);
	sim_job(s, 11, 2, 1, 2, 20 * US, 5001 * MS);
	sim_signaled(s, 5001 * MS + 3 * US, 11, 2, 0);
	sim_jobs(s);
	j = sim_find(s, 11, 1);
	cr_expect(eq(u32, j->flags, XTR_FLAG_ERROR | XTR_FLAG_TIMEOUT));
	cr_expect(eq(int, j->error, -ETIME));
	expect_exec(11, 1, XTR_QUALITY_INFERRED, 10 * US, 5000 * MS);
	expect_exec(11, 2, XTR_QUALITY_INFERRED, 5000 * MS, 5001 * MS);
	cr_expect(eq(int, sim_find(s, 11, 2)->result_known, 1));
	cr_expect(eq(int, sim_find(s, 11, 2)->error, 0));
}

/* Handed out in order of completion, whatever the ring; what never ended comes last. */
Test(model, order_is_completion)
{
	sim_queue(s, 1, 45, 9, 4);
	sim_job(s, 11, 1, 1, 2, 10 * US, 900 * US);
	sim_job(s, 41, 1, 4, 3, 20 * US, 300 * US);
	sim_job(s, 21, 1, 2, 4, 30 * US, 5 * MS);
	sim_jobs(s);
	cr_assert(eq(sz, s->n_jobs, 4));
	for (size_t i = 1; i < 3; i++)
		cr_expect(lt(u64, s->job[i - 1].done_ns, s->job[i].done_ns));
	cr_expect(eq(u64, s->job[3].ctx, 45));
}
