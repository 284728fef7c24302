/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for fences by waiter and source, fences that stay open, stalls of rings. */
#include "analysed.h"
#include "analysis/fences/fences_impl.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>

#define F     "dma_fence:dma_fence_"
#define QUEUE "gpu_scheduler:drm_sched_job_queue"
#define MS    1000000ull
#define T0    (1000 * MS)

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 40, 40, "compositor");
	named_task(&r.n, 50, 50, "game");
	named_task(&r.n, 52, 50, "render");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_fences, .init = setup, .fini = teardown);

static void fence(const char *name, uint64_t ts, uint32_t tid, uint64_t ctx, uint64_t seqno,
		  const char *ops)
{
	named_emit(&r.n, name, ts, tid, 0);
	named_set(&r.n, "ctx", ctx);
	named_set(&r.n, "seqno", seqno);
	if (ops)
		named_set(&r.n, "ops", named_string(&r.n, ops));
	analysed_give(&r);
}

static void queue(uint64_t ts, uint32_t tid, uint64_t ctx, uint64_t seqno)
{
	named_emit(&r.n, QUEUE, ts, tid, 0);
	named_set(&r.n, "ctx", ctx);
	named_set(&r.n, "seqno", seqno);
	named_set(&r.n, "ring", 3);
	analysed_give(&r);
}

static void wait_for(uint64_t from, uint64_t until, uint32_t tid, uint64_t ctx, uint64_t seqno,
		     const char *ops)
{
	fence(F "wait_start", from, tid, ctx, seqno, ops);
	fence(F "wait_end", until, tid, ctx, seqno, ops);
}

Test(analysis_fences, who_waited_for_whom)
{
	static const char fin[] = "drm_sched_fence_ops_finished";

	analysed_begin(&r, NULL);
	queue(T0, 52, 100, 1);
	wait_for(T0 + 10, T0 + 30, 40, 100, 1, fin);
	wait_for(T0 + 50, T0 + 90, 40, 100, 2, fin);
	wait_for(T0 + 100, T0 + 107, 52, 100, 2, fin);
	wait_for(T0 + 200, T0 + 203, 40, 7, 9, "i915_fence_ops");
	fence(F "wait_start", T0 + 300, 40, 8, 9, "i915_fence_ops");
	analysed_end(&r, 1000 * MS, "fences");
	analysed_has(r.section, "{\"waits\":5,\"waits_open\":1,");
	analysed_has(r.section, "{\"pid\":40,\"tid\":null,\"name\":\"compositor\",\"driver\":"
				"\"drm_sched\",\"timeline\":\"?ring:3\",\"kind\":\"finished\","
				"\"owner_pid\":50,\"owner_name\":\"game\",\"several_owners\":false,"
				"\"waits\":2,\"open\":0,\"wait_ns\":{\"n\":2,\"sum\":60,");
	analysed_has(r.section,
		     "{\"pid\":50,\"tid\":null,\"name\":\"game\",\"driver\":\"drm_sched\",");
	/* Contexts of one driver without a timeline are one row. */
	analysed_has(r.section, "\"driver\":\"i915\",\"timeline\":null,\"kind\":null,\"owner_pid\":"
				"null,\"owner_name\":null,\"several_owners\":false,\"waits\":2,"
				"\"open\":1,\"wait_ns\":{\"n\":1,\"sum\":3,");
	analysed_has(r.text, "compositor 40");
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_fences, context_of_several_processes)
{
	analysed_begin(&r, NULL);
	queue(T0, 52, 100, 1);
	queue(T0 + 1, 40, 100, 2);
	wait_for(T0 + 10, T0 + 30, 40, 100, 1, NULL);
	analysed_end(&r, 1000 * MS, "fences");
	analysed_has(r.section, "\"owner_pid\":null,\"owner_name\":null,\"several_owners\":true,");
}

/* The two fences of a job that was not run are one line. */
Test(analysis_fences, unsignalled_at_the_end)
{
	analysed_begin(&r, NULL);
	fence(F "init", T0, 52, 100, 1, "drm_sched_fence_ops_scheduled");
	fence(F "init", T0, 52, 101, 1, "drm_sched_fence_ops_finished");
	fence(F "init", T0 + 1, 52, 100, 2, "drm_sched_fence_ops_scheduled");
	fence(F "init", T0 + 1, 52, 101, 2, "drm_sched_fence_ops_finished");
	fence(F "signaled", T0 + 5, 90, 100, 2, "drm_sched_fence_ops_scheduled");
	fence(F "init", T0 + 6, 52, 7, 4, "virtio_gpu_fence_ops");
	fence(F "emit", T0 + 7, 52, 7, 4, NULL);
	fence(F "emit", T0 + 8, 52, 7, 5, NULL);
	fence(F "init", T0 + 9, 52, 7, 6, NULL);
	fence(F "signaled", T0 + 29, 90, 7, 6, NULL);
	fence(F "init", T0 + 30, 52, 7, 7, NULL);
	fence(F "destroy", T0 + 40, 90, 7, 7, NULL);
	analysed_end(&r, 1000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":4,\"destroyed_unsignalled\":1,");
	analysed_has(r.section,
		     "\"unsignalled_list\":[{\"context\":101,\"seqno\":1,\"driver\":\"drm_sched\","
		     "\"timeline\":null,\"kind\":\"finished\",\"since\":\"init\",\"since_ns\":"
		     "1000000000,\"age_ns\":40,\"tid\":52,\"not_run\":true,\"lost_since\":false},"
		     "{\"context\":101,\"seqno\":2,");
	analysed_has(r.section, "{\"context\":7,\"seqno\":4,\"driver\":\"virtio_gpu\",\"timeline\":"
				"null,\"kind\":null,\"since\":\"init\",");
	analysed_has(r.section, "{\"context\":7,\"seqno\":5,\"driver\":\"virtio_gpu\",\"timeline\":"
				"null,\"kind\":null,\"since\":\"emit\",");
	analysed_has(r.section,
		     "\"contexts\":1,\"init\":3,\"emit\":2,\"signaled\":1,\"unsignalled\":2,"
		     "\"lives\":1,\"life_sum_ns\":20,\"life_max_ns\":20}");
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_fences, old_ones_are_a_finding)
{
	analysed_begin(&r, NULL);
	fence(F "init", T0, 52, 7, 1, "i915_fence_ops");
	fence(F "init", T0 + 1, 52, 8, 1, "amdkfd_fence_ops");
	fence(F "init", T0 + 2, 52, 9, 1, "dma_fence_array_ops");
	fence(F "init", T0 + 6000 * MS, 52, 7, 2, "i915_fence_ops");
	fence(F "signaled", T0 + 7000 * MS, 52, 99, 2, "i915_fence_ops");
	analysed_end(&r, 7000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":4,");
	analysed_has(r.findings,
		     "[{\"id\":\"unsignalled-fences\",\"notable\":true,\"at_ns\":1000000000,"
		     "\"text\":\"1 fence was not signalled; the oldest, of i915, is 7.00 s "
		     "old\",");
	analysed_has(r.findings, "{\"fences\":1,\"oldest_context\":7,\"oldest_seqno\":1,"
				 "\"oldest_age_ns\":7000000000,\"limit_ns\":5000000000}");
}

/* Made with number 0, which is none yet: the emit says what it is. */
Test(analysis_fences, numbers_given_at_emit)
{
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 3; i++) { /* as the driver does, one after the other */
		fence(F "init", T0 + 100 * i, 52, 7, 0, "virtio_gpu_fence_ops");
		fence(F "emit", T0 + 100 * i + 2, 52, 7, 109779 + i, NULL);
		fence(F "signaled", T0 + 100 * i + 50, 90, 7, 109779 + i, NULL);
	}
	/* two threads at once; one of them is never signalled, and one is made and no more */
	fence(F "init", T0 + 1000, 52, 7, 0, NULL);
	fence(F "init", T0 + 1001, 40, 7, 0, NULL);
	fence(F "emit", T0 + 1002, 40, 7, 200000, NULL);
	fence(F "emit", T0 + 1003, 52, 7, 200001, NULL);
	fence(F "signaled", T0 + 1010, 90, 7, 200000, NULL);
	fence(F "init", T0 + 1020, 52, 7, 0, NULL);
	analysed_end(&r, 10000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":1,\"destroyed_unsignalled\":0,");
	analysed_has(r.section, "\"unsignalled_list\":[{\"context\":7,\"seqno\":200001,");
	analysed_has(r.section, "\"since\":\"emit\",\"since_ns\":1000001003,");
	analysed_has(r.section,
		     "\"init\":6,\"emit\":5,\"signaled\":4,\"unsignalled\":1,\"lives\":4,"
		     "\"life_sum_ns\":152,\"life_max_ns\":48}");
}

/* The same where emit was not recorded. */
Test(analysis_fences, numbers_told_by_the_signal)
{
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		fence(F "init", T0 + 100 * i, 52, 7, 0, "virtio_gpu_fence_ops");
		fence(F "signaled", T0 + 100 * i + 50, 90, 7, 109779 + i, NULL);
	}
	fence(F "init", T0 + 1000, 52, 7, 1, NULL);
	fence(F "emit", T0 + 10000 * MS, 52, 8, 1, NULL);
	analysed_end(&r, 10000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":2,\"destroyed_unsignalled\":0,");
	analysed_has(r.findings, "\"fences\":1,");
	analysed_has(r.findings, "\"oldest_seqno\":1,");
}

/* 0 is a number, too: of a context of its own, and of one that counts from there. */
Test(analysis_fences, the_number_0)
{
	analysed_begin(&r, NULL);
	fence(F "init", T0, 52, 7, 0, "host1x_syncpt_fence_ops");
	fence(F "signaled", T0 + 50, 90, 7, 0, NULL);
	fence(F "init", T0 + 100, 52, 8, 0, NULL);
	fence(F "destroy", T0 + 150, 90, 8, 0, NULL);
	fence(F "init", T0 + 200, 52, 9, 0, NULL);
	fence(F "emit", T0 + 210, 52, 9, 0, NULL);
	fence(F "init", T0 + 220, 52, 9, 1, NULL);
	fence(F "signaled", T0 + 230, 90, 9, 1, NULL);
	fence(F "emit", T0 + 10000 * MS, 52, 10, 1, NULL);
	analysed_end(&r, 20000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":2,\"destroyed_unsignalled\":1,");
	analysed_has(r.section, "\"unsignalled_list\":[{\"context\":9,\"seqno\":0,");
	analysed_has(r.findings, "\"id\":\"unsignalled-fences\"");
}

/* Context 0 is nobody's: fences that have no name yet. */
Test(analysis_fences, without_a_context)
{
	analysed_begin(&r, NULL);
	fence(F "init", T0, 52, 0, 0, "i915_fence_ops");
	fence(F "init", T0 + 1, 52, 0, 0, "i915_fence_ops");
	fence(F "signaled", T0 + 50, 90, 11, 5, "i915_fence_ops");
	fence(F "init", T0 + 10000 * MS, 52, 7, 9, NULL);
	analysed_end(&r, 20000 * MS, "fences");
	analysed_has(r.section, "\"unsignalled\":1,");
	cr_expect_str_eq(r.findings, "[]");
}

/* Its signal may have been lost. */
Test(analysis_fences, lost_events_make_it_unsure)
{
	analysed_begin(&r, NULL);
	fence(F "init", T0, 52, 7, 1, "i915_fence_ops");
	analysed_gap(&r, T0 + 10, T0 + 20);
	fence(F "signaled", T0 + 7000 * MS, 52, 99, 2, "i915_fence_ops");
	analysed_end(&r, 7000 * MS, "fences");
	analysed_has(r.section, "\"lost_since\":true}");
	cr_expect_str_eq(r.findings, "[]");
}

/* As imported: i915 calls every signalled fence's timeline "signaled". */
Test(analysis_fences, timeline_of_init)
{
	static const char fields[] =
		"ctx:u64:8 seqno:u64:8 pad:u64:8 driver:strid:4 timeline:strid:4";
	static const char *const names[] = { F "init", F "wait_start", F "wait_end", F "signaled" };
	static const char *const timeline[] = { "[i915]rcs0", "[i915]rcs0", "signaled",
						"signaled" };
	static const uint32_t types[] = { XTR_EV_FENCE_INIT, XTR_EV_FENCE_WAIT_START,
					  XTR_EV_FENCE_WAIT_END, XTR_EV_FENCE_SIGNALED };

	for (size_t i = 0; i < 4; i++) {
		r.n.next_type = types[i]; /* in the place of the built-in one, as imports do */
		named_describe(&r.n, names[i], fields);
	}
	analysed_begin(&r, NULL);
	for (size_t i = 0; i < 4; i++) {
		named_emit(&r.n, names[i], T0 + i * 10, 40, 0);
		named_set(&r.n, "ctx", 7);
		named_set(&r.n, "seqno", 1);
		named_set(&r.n, "driver", named_string(&r.n, "i915"));
		named_set(&r.n, "timeline", named_string(&r.n, timeline[i]));
		analysed_give(&r);
	}
	analysed_end(&r, 1000 * MS, "fences");
	analysed_has(r.section,
		     "\"sources\":[{\"driver\":\"i915\",\"timeline\":\"[i915]rcs0\",\"kind\":"
		     "null,\"contexts\":1,\"init\":1,\"emit\":0,\"signaled\":1,"
		     "\"unsignalled\":0,");
}

static const struct xtr_model_ring gfx = { .id = 1, .name = "gfx", .device_name = "0000:03:00.0" };
static const struct xtr_model_ring comp = { .id = 2,
					    .name = "comp",
					    .device_name = "0000:03:00.0" };

static void job(const struct xtr_model_ring *ring, uint64_t run, uint64_t done,
		const struct xtr_dep *deps, uint32_t n)
{
	struct xtr_job j = { .ring = ring,
			     .queue_ns = T0,
			     .run_ns = run,
			     .busy_from_ns = run,
			     .busy_to_ns = done,
			     .start_ns = run,
			     .done_ns = done,
			     .deps = deps,
			     .n_deps = n,
			     .n_waits = n,
			     .ctx = 100 + ring->id };

	analysed_job(&r, &j);
}

/* gfx executes until 20 ms, waits for comp from 10 to 60 ms: for 40 of them it had nothing. */
Test(analysis_fences, stall_of_one_ring_on_another)
{
	struct xtr_dep d[] = {
		{ .ctx = 102, .from_ns = T0 + 10 * MS, .until_ns = T0 + 60 * MS, .ring_id = 2 },
		{ .ctx = 101, .from_ns = T0 + 60 * MS, .until_ns = T0 + 61 * MS, .ring_id = 1 },
		{ .ctx = 900, .from_ns = T0 + 61 * MS, .until_ns = T0 + 62 * MS },
	};

	analysed_begin(&r, NULL);
	job(&gfx, T0 + 5 * MS, T0 + 20 * MS, NULL, 0);
	job(&comp, T0 + 5 * MS, T0 + 60 * MS, NULL, 0);
	job(&gfx, T0 + 62 * MS, T0 + 70 * MS, d, 3);
	/* Another one waited for the same: it is the same stall. */
	job(&gfx, T0 + 70 * MS, T0 + 80 * MS, d, 1);
	analysed_end(&r, 100 * MS, "fences");
	analysed_has(r.section, "\"stalls\":[{\"ring_id\":1,\"ring\":\"0000:03:00.0/gfx\","
				"\"blocked_by_ring_id\":2,\"blocked_by\":\"0000:03:00.0/comp\","
				"\"waits\":2,\"wait_ns\":100000000,\"stalls\":1,"
				"\"stall_ns\":40000000,\"stall_max_ns\":40000000}]");
	analysed_has(r.findings,
		     "[{\"id\":\"dependency-stall\",\"notable\":true,\"at_ns\":1010000000,");
	analysed_has(r.findings, "0000:03:00.0/gfx was idle for 40.0 ms (40.0 %) while 1 "
				 "of its jobs waited for 0000:03:00.0/comp");
	analysed_has(r.findings, "\"span_ns\":100000000,\"limit_permille\":100}");
}

/* 100 jobs of 1 ms, one each 2 ms: the first 36 are forgotten, and count as busy. */
Test(analysis_fences, stretches_that_are_forgotten)
{
	struct xtr_dep d[] = {
		{ .ctx = 102, .from_ns = T0 + 100 * MS, .until_ns = T0 + 198 * MS, .ring_id = 2 },
		{ .ctx = 103, .from_ns = T0, .until_ns = T0 + 198 * MS, .ring_id = 3 },
	};

	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 100; i++)
		job(&gfx, T0 + 2 * i * MS, T0 + (2 * i + 1) * MS, NULL, 0);
	job(&gfx, T0 + 300 * MS, T0 + 301 * MS, d, 2);
	analysed_end(&r, 100 * MS, "fences");
	analysed_has(r.section, "\"blocked_by_ring_id\":2,\"blocked_by\":\"?ring:2\",\"waits\":1,"
				"\"wait_ns\":98000000,\"stalls\":1,\"stall_ns\":49000000,");
	analysed_has(r.section, "\"blocked_by_ring_id\":3,\"blocked_by\":\"?ring:3\",\"waits\":1,"
				"\"wait_ns\":198000000,\"stalls\":1,\"stall_ns\":63000000,");
}

/* Told of late, a stretch joins those that it touches and no other: 0-10, 20-35, 40-50 ms are left.
 */
Test(analysis_fences, stretches_that_are_told_of_late)
{
	struct xtr_dep d = { .ctx = 102, .from_ns = T0, .until_ns = T0 + 60 * MS, .ring_id = 2 };

	analysed_begin(&r, NULL);
	job(&gfx, T0, T0 + 10 * MS, NULL, 0);
	job(&gfx, T0 + 40 * MS, T0 + 50 * MS, NULL, 0);
	job(&gfx, T0 + 20 * MS, T0 + 30 * MS, NULL, 0);
	job(&gfx, T0 + 25 * MS, T0 + 35 * MS, NULL, 0);
	job(&gfx, T0 + 70 * MS, T0 + 80 * MS, &d, 1);
	analysed_end(&r, 100 * MS, "fences");
	analysed_has(r.section, "\"wait_ns\":60000000,\"stalls\":1,\"stall_ns\":25000000,");
}

/* The same when no more are kept: the oldest goes, and one older than all is not taken. */
Test(analysis_fences, late_stretches_without_room)
{
	struct xtr_dep d[] = {
		{ .ctx = 102, .from_ns = T0 + 100 * MS, .until_ns = T0 + 300 * MS, .ring_id = 2 },
		{ .ctx = 103, .from_ns = T0, .until_ns = T0 + 300 * MS, .ring_id = 3 },
	};

	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < FENCES_BUSY_MAX; i++)
		job(&gfx, T0 + (100 + 3 * i) * MS, T0 + (101 + 3 * i) * MS, NULL, 0);
	job(&gfx, T0 + 50 * MS, T0 + 51 * MS, NULL, 0);
	/* Behind the second, 103 to 104 ms: the first, 100 to 101 ms, makes room. */
	job(&gfx, T0 + 105 * MS, T0 + 105 * MS + MS / 2, NULL, 0);
	job(&gfx, T0 + 400 * MS, T0 + 401 * MS, d, 2);
	analysed_end(&r, 100 * MS, "fences");
	/* From 103 to 300 ms but for 63 of 1 ms and the late one; before, all counts as busy. */
	analysed_has(r.section, "\"wait_ns\":200000000,\"stalls\":1,\"stall_ns\":133500000,");
	analysed_has(r.section, "\"wait_ns\":300000000,\"stalls\":1,\"stall_ns\":133500000,");
}

/* More contexts than are kept at hand, and two that would lie at the same place. */
Test(analysis_fences, contexts_and_rings_at_one_place)
{
	struct xtr_model_ring far = { .id = 1 + FENCES_LAST, .name = "far", .device_name = "" };
	struct xtr_dep d = {
		.ctx = 102, .from_ns = T0 + 10 * MS, .until_ns = T0 + 20 * MS, .ring_id = 2
	};

	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		queue(T0 + 2 * i, 52, 100, 1 + i);
		queue(T0 + 2 * i + 1, 40, 100 + FENCES_LAST, 1 + i);
	}
	job(&gfx, T0 + 5 * MS, T0 + 15 * MS, &d, 1);
	job(&far, T0 + 5 * MS, T0 + 30 * MS, &d, 1);
	job(&gfx, T0 + 30 * MS, T0 + 31 * MS, &d, 1);
	wait_for(T0 + 10, T0 + 30, 52, 100 + FENCES_LAST, 1, NULL);
	wait_for(T0 + 40, T0 + 60, 40, 100, 1, NULL);
	analysed_end(&r, 100 * MS, "fences");
	analysed_has(
		r.section,
		"\"pid\":50,\"tid\":null,\"name\":\"game\",\"driver\":\"drm_sched\",\"timeline\":\"?ring:3\",\"kind\":\"finished\",\"owner_pid\":40,");
	analysed_has(r.section, "\"owner_pid\":50,");
	analysed_has(r.section, "\"several_owners\":false,");
	analysed_has_not(r.section, "\"several_owners\":true,");
	analysed_has(r.section, "\"ring_id\":1,\"ring\":\"0000:03:00.0/gfx\"");
	analysed_has(r.section, "\"ring_id\":257,\"ring\":\"far\"");
}

/* A job that waits while its ring is busy costs nothing. */
Test(analysis_fences, waits_of_a_busy_ring_are_no_stall)
{
	struct xtr_dep d = {
		.ctx = 102, .from_ns = T0 + 10 * MS, .until_ns = T0 + 60 * MS, .ring_id = 2
	};

	analysed_begin(&r, NULL);
	job(&gfx, T0 + 5 * MS, T0 + 30 * MS, NULL, 0);
	job(&gfx, T0 + 30 * MS, T0 + 65 * MS, NULL, 0);
	job(&gfx, T0 + 65 * MS, T0 + 70 * MS, &d, 1);
	analysed_end(&r, 100 * MS, "fences");
	analysed_has(r.section, "\"waits\":1,\"wait_ns\":50000000,\"stalls\":0,\"stall_ns\":0,");
	cr_expect_str_eq(r.findings, "[]");
}
