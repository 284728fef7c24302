/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues, jobs, memory and messages of the driver xe, against known truth. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define US  1000ull
#define D0  "0000:03:00.0"
#define D1  "0000:04:00.0"
#define JOB "dev:str:16 gt_id:u8:1 guc_id:u16:2 lrc_seqno:u32:4 fence:hex64:8 error:s32:4"
#define Q   "dev:str:16 class:u32:4 gt_id:u8:1 width:u16:2 guc_id:u16:2"
#define HW  "dev:str:16 ctx:u64:8 seqno:u32:4 fence:hex64:8"

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "game");
	named_task(&r.n, 9, 8, "train");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_xe, .init = setup, .fini = teardown);

static void describe(bool signals)
{
	static const char *const jobs[] = { "create", "exec",     "run",      "free",
					    "ban",    "timedout", "set_error" };
	static const char *const queues[] = { "create", "destroy", "deregister_done",
					      "reset",  "kill",    "memory_cat_error" };
	char name[64];

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		snprintf(name, sizeof(name), "xe:xe_sched_job_%s", jobs[i]);
		named_describe(&r.n, name, JOB);
	}
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		snprintf(name, sizeof(name), "xe:xe_exec_queue_%s", queues[i]);
		named_describe(&r.n, name, Q);
	}
	named_describe(&r.n, "xe:xe_hw_fence_create", HW);
	if (signals)
		named_describe(&r.n, "xe:xe_hw_fence_signal", HW);
}

static void dev(const char *name)
{
	named_text(&r.n, "dev", name, strlen(name));
}

static void queue(uint64_t ts, const char *what, const char *device, uint32_t class, uint32_t guc,
		  uint32_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "xe:xe_exec_queue_%s", what);
	named_emit(&r.n, name, ts, tid, 0);
	dev(device);
	named_set(&r.n, "class", class);
	named_set(&r.n, "guc_id", guc);
	named_set(&r.n, "width", 1);
	analysed_give(&r);
}

static void job(uint64_t ts, const char *what, const char *device, uint32_t guc, uint32_t seqno,
		uint64_t fence, uint32_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "xe:xe_sched_job_%s", what);
	named_emit(&r.n, name, ts, tid, 0);
	dev(device);
	named_set(&r.n, "guc_id", guc);
	named_set(&r.n, "lrc_seqno", seqno);
	named_set(&r.n, "fence", fence);
	named_set(&r.n, "error", (uint64_t)-125);
	analysed_give(&r);
}

static void hw(uint64_t ts, const char *what, const char *device, uint64_t ctx, uint32_t seqno,
	       uint64_t fence, uint32_t tid)
{
	char name[64];

	snprintf(name, sizeof(name), "xe:xe_hw_fence_%s", what);
	named_emit(&r.n, name, ts, tid, 0);
	dev(device);
	named_set(&r.n, "ctx", ctx);
	named_set(&r.n, "seqno", seqno);
	named_set(&r.n, "fence", fence);
	analysed_give(&r);
}

/* From exec to free: run 10 us later. */
static void whole(uint64_t ts, const char *device, uint32_t guc, uint64_t ctx, uint32_t seqno,
		  uint64_t length, uint32_t tid)
{
	hw(ts - 1, "create", device, ctx, seqno, 0x1000, tid);
	job(ts, "exec", device, guc, seqno, 0x1000, tid);
	job(ts + 10 * US, "run", device, guc, seqno, 0x1000, 50);
	hw(ts + 10 * US + length, "signal", device, ctx, seqno, 0x1000, 0);
	job(ts + 11 * US + length, "free", device, guc, seqno, 0x1000, 50);
}

Test(analysis_xe, a_number_is_used_again)
{
	describe(true);
	analysed_begin(&r, NULL);
	queue(1 * US, "create", D0, 0, 3, 7);
	whole(10 * US, D0, 3, 500, 1, 20 * US, 7);
	queue(60 * US, "destroy", D0, 0, 3, 50);
	queue(61 * US, "deregister_done", D0, 0, 3, 50);
	queue(70 * US, "create", D0, 5, 3, 9);
	whole(80 * US, D0, 3, 501, 1, 30 * US, 9);
	queue(1 * US + 130 * US, "create", D1, 3, 3, 9);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section,
		     "\"queue\":\"rcs3\",\"class_id\":0,\"class\":\"render\",\"width\":1,"
		     "\"pid\":5,\"comm\":\"game\",\"created_ns\":1000,\"ended_ns\":61000,"
		     "\"created\":0,\"jobs\":1,\"runs\":1,\"freed\":1,\"timeouts\":0,"
		     "\"errors\":0,\"bans\":0,\"first_error\":0,\"done\":1,\"open\":0,"
		     "\"unsignaled\":0,\"long_running\":false,\"busy_ns\":20000,");
	analysed_has(r.section, "\"queue\":\"ccs3\",\"class_id\":5,\"class\":\"compute\","
				"\"width\":1,\"pid\":8,\"comm\":\"train\",\"created_ns\":70000,"
				"\"ended_ns\":null,\"created\":0,\"jobs\":1,");
	analysed_has(r.section, "\"queue\":\"bcs3\",\"class_id\":3,\"class\":\"copy\"");
	analysed_has(r.section, "\"busy_ns\":30000,\"residence_ns\":{\"n\":1,\"sum\":30000,");
	analysed_has(r.findings, "[]");
}

/* A queue without creation; after its destruction the number is another queue's. */
Test(analysis_xe, lives_without_creations)
{
	describe(true);
	analysed_begin(&r, NULL);
	whole(10 * US, D0, 4, 500, 1, 20 * US, 7);
	queue(60 * US, "destroy", D0, 0, 4, 50);
	whole(80 * US, D0, 4, 501, 1, 30 * US, 9);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section,
		     "\"queue\":\"rcs4\",\"class_id\":0,\"class\":\"render\",\"width\":1,"
		     "\"pid\":5,\"comm\":\"game\",\"created_ns\":null,\"ended_ns\":60000,");
	analysed_has(r.section, "\"queue\":\"guc 4\",\"class_id\":null,\"class\":null,\"width\":0,"
				"\"pid\":8,");
}

/* Two fences for one job, and the same number in another queue at the same time. */
Test(analysis_xe, a_parallel_queue_waits_for_all)
{
	describe(true);
	analysed_begin(&r, NULL);
	queue(1, "create", D0, 1, 3, 7);
	hw(1 * US, "create", D0, 500, 9, 0x1000, 7);
	hw(1 * US, "create", D0, 501, 9, 0x2000, 7);
	hw(1 * US, "create", D0, 600, 9, 0x3000, 9);
	job(2 * US, "exec", D0, 3, 9, 0x9000, 7);
	job(3 * US, "run", D0, 3, 9, 0x9000, 50);
	job(3 * US, "exec", D0, 4, 9, 0x3000, 9);
	hw(10 * US, "signal", D0, 501, 9, 0x2000, 0);
	hw(43 * US, "signal", D0, 500, 9, 0x1000, 0);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"queue\":\"vcs3\"");
	analysed_has(r.section, "\"busy_ns\":40000,\"residence_ns\":{\"n\":1,\"sum\":40000,");
	analysed_has(r.section, "\"done\":0,\"open\":1,");
	analysed_has(r.section, "\"orphan_signals\":0,");
}

/* The fence's creation is not in the trace: it is found by its address, which is used again. */
Test(analysis_xe, fences_by_address)
{
	describe(true);
	analysed_begin(&r, NULL);
	for (uint32_t i = 1; i <= 5; i++) {
		job(i * 100 * US, "exec", D0, 3, i, 0x1000, 7);
		job(i * 100 * US + 5, "run", D0, 3, i, 0x1000, 50);
		hw(i * 100 * US + 5 + 7 * US, "signal", D0, 77, i, 0x1000, 0);
		job(i * 100 * US + 10 * US, "free", D0, 3, i, 0x1000, 50);
	}
	hw(900 * US, "signal", D0, 77, 6, 0x1000, 0);
	hw(901 * US, "signal", D1, 78, 6, 0x2000, 0);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"residence_ns\":{\"n\":5,\"sum\":35000,\"mean\":7000,");
	analysed_has(r.section, "\"orphan_signals\":2,");
}

/* Jobs of two queues of a class overlap: the class is busy once. */
Test(analysis_xe, utilisation_is_a_union)
{
	describe(true);
	analysed_begin(&r, NULL);
	queue(1, "create", D0, 5, 1, 7);
	queue(2, "create", D0, 5, 2, 9);
	job(10 * US, "exec", D0, 1, 1, 0x1000, 7);
	job(10 * US, "exec", D0, 2, 1, 0x2000, 9);
	job(20 * US, "run", D0, 1, 1, 0x1000, 50);
	job(30 * US, "run", D0, 2, 1, 0x2000, 50);
	hw(120 * US, "signal", D0, 500, 1, 0x1000, 0);
	hw(130 * US, "signal", D0, 501, 1, 0x2000, 0);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"engines\":[{\"device\":\"" D0 "\",\"class_id\":5,\"class\":"
				"\"compute\",\"queues\":2,\"jobs\":2,\"busy_ns\":110000,"
				"\"busy_exact\":true,\"residence_sum_ns\":200000}]");
}

Test(analysis_xe, without_signals_jobs_end_when_freed)
{
	describe(false);
	analysed_begin(&r, NULL);
	job(10 * US, "exec", D0, 1, 1, 0x1000, 7);
	job(20 * US, "run", D0, 1, 1, 0x1000, 50);
	job(90 * US, "free", D0, 1, 1, 0x1000, 50);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"residence_ns\":{\"n\":1,\"sum\":70000,");
	analysed_has(r.section, "\"queue_wait_ns\":{\"n\":1,\"sum\":10000,");
	analysed_has(r.text, "when they are freed, at the latest");
}

/* Jobs freed without a signal: of a long-running queue, and of one that was killed. */
Test(analysis_xe, long_running_queues)
{
	describe(true);
	analysed_begin(&r, NULL);
	for (uint32_t guc = 1; guc <= 2; guc++)
		for (uint32_t i = 1; i <= 3; i++) {
			job(guc * 1000 * US + i * 10 * US, "exec", D0, guc, i, 0x1000, 7);
			job(guc * 1000 * US + i * 10 * US + 1, "run", D0, guc, i, 0x1000, 50);
			job(guc * 1000 * US + i * 10 * US + 3, "free", D0, guc, i, 0x1000, 50);
		}
	queue(9000 * US, "kill", D0, 5, 2, 7);
	analysed_end(&r, 10000 * US, "xe");
	analysed_has(r.findings, "{\"id\":\"xe-long-running-queue\",\"notable\":false,"
				 "\"at_ns\":1010001,");
	analysed_has(r.findings, "{\"jobs\":3,\"limit_ns\":1000000,\"guc_id\":1,\"gt\":0,"
				 "\"pid\":5}");
	analysed_has_not(r.findings, "\"guc_id\":2");
	analysed_has(r.section, "\"unsignaled\":3,\"long_running\":true,");
	analysed_has(r.section, "\"unsignaled\":3,\"long_running\":false,");
}

Test(analysis_xe, errors_are_findings_of_their_queue)
{
	describe(true);
	analysed_begin(&r, NULL);
	queue(1 * US, "create", D0, 0, 3, 7);
	job(9 * US, "exec", D0, 3, 1, 0x1000, 7);
	job(10 * US, "timedout", D0, 3, 1, 0, 50);
	job(11 * US, "set_error", D0, 3, 1, 0, 50);
	job(12 * US, "ban", D0, 3, 1, 0, 50);
	queue(13 * US, "reset", D0, 0, 3, 50);
	queue(14 * US, "reset", D0, 0, 3, 50);
	queue(15 * US, "memory_cat_error", D0, 0, 3, 50);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.findings,
		     "{\"id\":\"xe-queue-reset\",\"notable\":true,\"at_ns\":13000,"
		     "\"text\":\"queue rcs3 of " D0 ", process 5 (game): 2 engine resets");
	analysed_has(r.findings, "{\"count\":2,\"limit\":1,\"guc_id\":3,\"gt\":0,\"pid\":5,"
				 "\"jobs\":1}");
	analysed_has(r.findings, "{\"id\":\"xe-job-timeout\",\"notable\":true,\"at_ns\":10000,");
	analysed_has(r.findings, "{\"id\":\"xe-queue-banned\",\"notable\":true,\"at_ns\":12000,");
	analysed_has(r.findings,
		     "{\"id\":\"xe-memory-cat-error\",\"notable\":true,\"at_ns\":15000,");
	analysed_has(r.section, "\"errors\":1,\"bans\":1,\"first_error\":-125,");
}

/* Linux 6.12: no gt_id, other names. */
Test(analysis_xe, formats_of_6_12)
{
	named_describe(&r.n, "xe:xe_sched_job_exec",
		       "dev:str:16 lrc_seqno:u32:4 guc_id:u16:2 fence:hex64:8");
	named_describe(&r.n, "xe:xe_gt_tlb_invalidation_fence_send", "dev:str:16 fence:hex64:8");
	named_describe(&r.n, "xe:xe_gt_tlb_invalidation_fence_signal", "dev:str:16 fence:hex64:8");
	named_describe(&r.n, "xe:xe_gt_tlb_invalidation_fence_timeout", "dev:str:16 fence:hex64:8");
	named_describe(&r.n, "xe:xe_gt_tlb_invalidation_fence_cb", "dev:str:16 fence:hex64:8");
	named_describe(&r.n, "xe:xe_of_the_future", "x:u32:4");
	analysed_begin(&r, NULL);
	analysed_event(&r, "xe:xe_of_the_future", 1, 7);
	analysed_event(&r, "xe:xe_gt_tlb_invalidation_fence_cb", 2, 7);
	for (uint32_t i = 0; i < 4; i++) {
		analysed_event(&r, "xe:xe_gt_tlb_invalidation_fence_send", (i * 10 + 1) * US, 7);
		analysed_event(&r, "xe:xe_gt_tlb_invalidation_fence_signal", (i * 10 + 4) * US, 0);
	}
	analysed_event(&r, "xe:xe_gt_tlb_invalidation_fence_timeout", 99 * US, 7);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"tlb_invalidations\":{\"sent\":4,\"received\":0,\"signaled\":4,"
				"\"timeouts\":1,\"time_ns\":{\"n\":4,\"sum\":12000,");
	analysed_has(r.section, "\"xe:xe_of_the_future\":1");
	analysed_has(r.section, "\"xe:xe_gt_tlb_invalidation_fence_cb\":1");
	analysed_has(r.findings, "{\"id\":\"xe-tlb-timeout\",\"notable\":true,\"at_ns\":99000,");
	analysed_has(r.findings, "{\"timeouts\":1,\"limit\":1,\"sent\":4}");
}

/* The window and the process are those of exec. */
Test(analysis_xe, keeps_to_the_window)
{
	describe(true);
	analysed_begin(&r, &(struct xtr_select){ .from = 100 * US });
	queue(1 * US, "create", D0, 0, 3, 7);
	job(50 * US, "exec", D0, 3, 1, 0x1000, 7);
	job(60 * US, "run", D0, 3, 1, 0x1000, 50);
	hw(120 * US, "signal", D0, 500, 1, 0x1000, 0);
	whole(200 * US, D0, 3, 500, 2, 20 * US, 7);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"queue\":\"rcs3\"");
	analysed_has(r.section, "\"pid\":5,");
	analysed_has(r.section, "\"jobs\":1,\"runs\":1,\"freed\":1,");
	analysed_has(r.section, "\"residence_ns\":{\"n\":1,\"sum\":20000,");
}

Test(analysis_xe, memory)
{
	struct named *n = &r.n;

	named_describe(n, "xe:xe_bo_create", "dev:str:16 size:u64:8");
	named_describe(n, "xe:xe_bo_move",
		       "device_id:str:16 size:u64:8 new_placement_name:str:8 "
		       "old_placement_name:str:8 move_lacks_source:u8:1");
	named_describe(n, "xe:xe_vma_bind", "dev:str:16 start:u64:8 end:u64:8");
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		named_emit(n, "xe:xe_bo_create", 10 + i, 7, 0);
		dev(D0);
		named_set(n, "size", 4096);
		analysed_give(&r);
		named_emit(n, "xe:xe_bo_move", 20 + i, 7, 0);
		named_text(n, "device_id", D0, strlen(D0));
		named_text(n, "old_placement_name", "system", 6);
		named_text(n, "new_placement_name", i < 2 ? "vram0" : "tt", i < 2 ? 5 : 2);
		named_set(n, "size", 8192);
		named_set(n, "move_lacks_source", !i);
		analysed_give(&r);
	}
	named_emit(n, "xe:xe_vma_bind", 50, 7, 0);
	dev(D0);
	named_set(n, "start", 0x1000);
	named_set(n, "end", 0x2fff);
	analysed_give(&r);
	analysed_end(&r, 1000, "xe");
	analysed_has(r.section, "\"memory\":[{\"device\":\"" D0 "\",\"pid\":5,\"comm\":\"game\","
				"\"created\":3,\"created_bytes\":12288,");
	analysed_has(r.section, "\"moves\":[{\"device\":\"" D0 "\",\"from\":\"system\",\"to\":"
				"\"vram0\",\"count\":2,\"bytes\":16384,\"lacks_source\":1},"
				"{\"device\":\"" D0 "\",\"from\":\"system\",\"to\":\"tt\",");
	analysed_has(r.section, "\"event\":\"xe:xe_vma_bind\",\"count\":1,\"bytes\":8192}");
}

Test(analysis_xe, messages)
{
	struct named *n = &r.n;

	named_describe(n, "xe:xe_guc_ctb_h2g", "dev:str:16 gt_id:u8:1 action:u32:4 len:u32:4");
	named_describe(n, "xe:xe_guc_ct_h2g_flow_control", "dev:str:16 space:u32:4");
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		named_emit(n, "xe:xe_guc_ctb_h2g", 30 + i, 7, 0);
		dev(D0);
		named_set(n, "action", i ? 0x20001000u : 0x7777);
		named_set(n, "len", 4);
		analysed_give(&r);
	}
	named_emit(n, "xe:xe_guc_ct_h2g_flow_control", 51, 7, 0);
	dev(D0);
	named_set(n, "space", 12);
	analysed_give(&r);
	analysed_end(&r, 1000, "xe");
	analysed_has(r.section, "\"direction\":\"h2g\",\"action\":30583,\"name\":null,\"count\":1,"
				"\"dwords\":4}");
	analysed_has(r.section, "\"action\":4096,\"name\":\"SCHED_CONTEXT\",\"count\":2,"
				"\"dwords\":8}");
	analysed_has(r.section, "\"h2g_flow_control\":1,\"h2g_least_space\":12,"
				"\"g2h_flow_control\":0,\"g2h_least_space\":null,");
	analysed_has(r.text, "0x7777");
}

Test(analysis_xe, clocks_and_power)
{
	struct named *n = &r.n;

	named_describe(n, "xe:xe_lrc_update_timestamp",
		       "device_id:str:16 name:str:8 old:u64:8 new:u64:8");
	named_describe(n, "xe:xe_guc_engine_activity",
		       "dev:str:16 name:str:8 active:u64:8 total:u64:8");
	named_describe(n, "xe:xe_pm_runtime_suspend", "dev:str:16");
	named_describe(n, "xe:xe_pm_runtime_resume", "dev:str:16");
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 3; i++) {
		named_emit(n, "xe:xe_guc_engine_activity", 40 + i, 7, 0);
		dev(D0);
		named_text(n, "name", "ccs0", 4);
		named_set(n, "active", 1000 + 30 * i);
		named_set(n, "total", 5000 + 100 * i);
		analysed_give(&r);
	}
	named_emit(n, "xe:xe_lrc_update_timestamp", 52, 7, 0);
	named_text(n, "device_id", D0, strlen(D0));
	named_text(n, "name", "rcs0", 4);
	named_set(n, "old", 100);
	named_set(n, "new", 350);
	analysed_give(&r);
	named_emit(n, "xe:xe_pm_runtime_suspend", 60, 7, 0);
	dev(D0);
	analysed_give(&r);
	named_emit(n, "xe:xe_pm_runtime_resume", 100, 7, 0);
	dev(D0);
	analysed_give(&r);
	analysed_end(&r, 1000, "xe");
	analysed_has(r.section, "\"name\":\"ccs0\",\"of\":\"engine\",\"samples\":3,"
				"\"active_ticks\":60,\"total_ticks\":200}");
	analysed_has(r.section, "\"name\":\"rcs0\",\"of\":\"context\",\"samples\":1,"
				"\"active_ticks\":250,\"total_ticks\":null}");
	analysed_has(r.section, "\"asleep_ns\":40,\"asleep_at_end\":false}");
}

/* Whatever a file holds, memory is bounded and each event is counted. */
Test(analysis_xe, many_queues_and_jobs)
{
	describe(true);
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 5000; i++)
		queue(i + 1, "create", D0, 0, i, 7);
	queue(8000, "reset", D0, 0, 4999, 7);
	queue(8001, "reset", D0, 0, 4999, 7);
	for (uint32_t i = 0; i < 40000; i++) {
		hw(10000 + i, "create", D0, i, 1 + i, 0, 7);
		job(10000 + i, "exec", D0, 1, 1 + i, 0x1000 + i, 7);
	}
	analysed_gap(&r, 60000, 60001);
	analysed_end(&r, 1000 * US, "xe");
	analysed_has(r.section, "\"queues_left_out\":906}");
	analysed_has(r.section, "\"xe:xe_sched_job_exec\":40000");
	analysed_has(r.section, "\"open\":40000,");
	analysed_has(r.section, "{\"lower_bounds\":true,");
	analysed_has(r.text, "events were lost: counts are lower bounds");
	/* What failed is found, whichever queue it was of. */
	analysed_has(r.findings, "\"id\":\"xe-queue-reset\",\"notable\":true,\"at_ns\":8000,"
				 "\"text\":\"a queue beyond the first 4096: 2 engine resets ");
}
