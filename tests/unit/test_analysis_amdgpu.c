/* SPDX-License-Identifier: BSD-2-Clause */
/* amdgpu: what scenarios (tests/drivers) cannot show: windows, bounds, damage, other formats. */
#include "analysed.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define A      "amdgpu:amdgpu_"
#define US     1000ull
#define MS     1000000ull
#define CARD   "0000:03:00.0"
#define JOB    "timeline:strid:4 pad:u32:4 context:u64:8 seqno:u64:8 ring:strid:4 num_ibs:u32:4"
#define OLD    "timeline:strid:4 context:u32:4 seqno:u32:4 ring:strid:4 num_ibs:u32:4"
#define CREATE "bo:hex64:8 pages:u32:4 type:u32:4 prefer:u32:4 allow:u32:4 visible:u32:4"
#define MOVE   "bo:hex64:8 bo_size:u64:8 new_placement:u32:4 old_placement:u32:4"
#define IV     "ih:u32:4 client_id:u32:4 src_id:u32:4 ring_id:u32:4 vmid:u32:4 pasid:u32:4"

static struct analysed r;
static uint32_t gfx;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "game");
	named_task(&r.n, 70, 70, "gfx_0.0.0");
	gfx = named_string(&r.n, "gfx_0.0.0");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_amdgpu, .init = setup, .fini = teardown);

static void job(const char *event, uint64_t ts, uint32_t tid, uint64_t ctx, uint64_t seqno)
{
	named_emit(&r.n, event, ts, tid, 0);
	named_set(&r.n, "context", ctx);
	named_set(&r.n, "seqno", seqno);
	named_set(&r.n, "ring", gfx);
	named_set(&r.n, "num_ibs", 2);
	analysed_give(&r);
}

static void cs(uint64_t ts, uint64_t ctx, uint64_t seqno)
{
	job(A "cs_ioctl", ts, 7, ctx, seqno);
}

static void run(uint64_t ts, uint64_t ctx, uint64_t seqno)
{
	job(A "sched_run_job", ts, 70, ctx, seqno);
}

static void describe_jobs(const char *fields)
{
	named_describe(&r.n, A "cs_ioctl", fields);
	named_describe(&r.n, A "sched_run_job", fields);
}

/* A job's queue event of the scheduler, on ring 1 of the card. */
static void queue(uint64_t ts, uint64_t ctx, uint64_t seqno)
{
	named_emit(&r.n, "gpu_scheduler:drm_sched_job_queue", ts, 7, 0);
	named_set(&r.n, "ctx", ctx);
	named_set(&r.n, "seqno", seqno);
	named_set(&r.n, "ring", 1);
	analysed_give(&r);
}

static void describe_card(const char *driver)
{
	struct xtr_device d = { .name = CARD, .driver = driver };
	struct xtr_ring ring = { .id = 1, .name = gfx };

	ring.device = named_string(&r.n, CARD);
	cr_assert(!xtr_meta_add_device(r.n.meta, &d));
	cr_assert(!xtr_tables_add_ring(r.n.tables, &ring));
}

Test(analysis_amdgpu, a_job_from_submission_to_run)
{
	describe_jobs(JOB);
	describe_card("amdgpu");
	analysed_begin(&r, NULL);
	cs(10 * US, 5000000001, 3);
	queue(11 * US, 5000000001, 3);
	/* The low halves are equal, the jobs are not. */
	cs(12 * US, 705032705, 3);
	run(40 * US, 5000000001, 3);
	run(140 * US, 705032705, 3);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section,
		     "{\"cards\":1,\"jobs\":{\"submitted\":2,\"ibs\":4,\"run\":2,\"not_run\":0,");
	analysed_has(r.section, "\"late_limit_ns\":100000,\"late\":1,");
	analysed_has(r.section, "{\"device\":\"" CARD "\",\"ring\":\"gfx_0.0.0\",\"submitted\":1,"
				"\"ibs\":2,\"run\":1,\"not_run\":0,\"run_again\":0,\"kernel\":0,"
				"\"other\":0,\"late\":0,\"latency_ns\":{\"n\":1,\"sum\":30000,");
	analysed_has(r.section, "{\"device\":null,\"ring\":\"gfx_0.0.0\",\"submitted\":1,\"ibs\":2,"
				"\"run\":1,\"not_run\":0,\"run_again\":0,\"kernel\":0,\"other\":0,"
				"\"late\":1,\"latency_ns\":{\"n\":1,\"sum\":128000,");
	analysed_has(r.section,
		     "{\"pid\":5,\"process\":\"game\",\"jobs\":2,\"ibs\":4,\"ibs_min\":2,"
		     "\"ibs_max\":2,\"per_second\":2,\"peak_per_second\":20,");
	analysed_has_not(r.findings, "amdgpu-");
}

Test(analysis_amdgpu, old_formats_hold_the_low_halves)
{
	describe_jobs(OLD);
	describe_card("amdgpu");
	analysed_begin(&r, NULL);
	cs(10 * US, 7, 3);
	queue(11 * US, 5 * (1ull << 32) + 7, (1ull << 32) + 3);
	run(40 * US, 7, 3);
	queue(50 * US, (1ull << 32) + 8, 9);
	run(60 * US, 8, 9);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"submitted\":1,\"ibs\":2,\"run\":1,\"not_run\":0,\"not_known\":0,"
				"\"run_again\":0,\"kernel\":1,\"other\":0,");
	analysed_has(r.section, "{\"device\":\"" CARD "\",\"ring\":\"gfx_0.0.0\",\"submitted\":1,");
}

/* Lost events might have been the submission. */
Test(analysis_amdgpu, after_a_loss_a_run_is_nobodys)
{
	describe_jobs(JOB);
	describe_card("amdgpu");
	analysed_begin(&r, NULL);
	queue(5 * US, 8, 1);
	run(6 * US, 8, 1);
	analysed_gap(&r, 7 * US, 8 * US);
	queue(10 * US, 8, 2);
	run(20 * US, 8, 2);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"kernel\":1,\"other\":1,");
	analysed_has(r.text, "events were lost: counts are lower bounds");
}

/* A ring of another driver has the same name: its jobs are not this driver's. */
Test(analysis_amdgpu, another_driver)
{
	describe_jobs(JOB);
	describe_card("xe");
	analysed_begin(&r, NULL);
	queue(10 * US, 8, 2);
	run(20 * US, 8, 2);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "{\"cards\":0,\"jobs\":{\"submitted\":0,");
	analysed_has(r.section, "\"kernel\":0,\"other\":1,");
	analysed_has(r.section, "\"rings\":[{\"device\":null,");
}

Test(analysis_amdgpu, keeps_to_the_window)
{
	describe_jobs(JOB);
	analysed_begin(&r, &(struct xtr_select){ .from = 100 * US, .to = 900 * US });
	cs(50 * US, 5, 1);
	cs(110 * US, 5, 2);
	run(120 * US, 5, 1);
	run(130 * US, 5, 2);
	run(140 * US, 5, 2);
	cs(880 * US, 5, 3);
	/* Behind the window, but of a job that is in it. */
	run(910 * US, 5, 3);
	analysed_end(&r, 800 * US, "amdgpu");
	analysed_has(r.section, "\"submitted\":2,\"ibs\":4,\"run\":2,\"not_run\":0,\"not_known\":0,"
				"\"run_again\":1,\"kernel\":0,\"other\":0,\"submitted_before\":1,");
	analysed_has(r.findings, "\"id\":\"amdgpu-reset\"");
}

/* Runs happen in a thread of the kernel's: they count with the job that is asked for. */
Test(analysis_amdgpu, keeps_to_a_process)
{
	static const uint32_t pids[] = { 5 };

	describe_jobs(JOB);
	named_task(&r.n, 8, 6, "other");
	analysed_begin(&r, &(struct xtr_select){ .pids = pids, .n_pids = 1 });
	cs(10 * US, 5, 1);
	job(A "cs_ioctl", 11 * US, 8, 6, 1);
	run(12 * US, 5, 1);
	run(13 * US, 6, 1);
	run(14 * US, 7, 1);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"submitted\":1,\"ibs\":2,\"run\":1,\"not_run\":0,\"not_known\":0,"
				"\"run_again\":0,\"kernel\":0,\"other\":0,\"submitted_before\":0,");
}

Test(analysis_amdgpu, without_times)
{
	describe_jobs(JOB);
	named_describe(&r.n, A "bo_move", MOVE);
	named_describe(&r.n, A "iv", IV);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 3000; i++) {
		cs(4 * i + 1, 5, i);
		run(4 * i + 2, 5, i);
		named_emit(&r.n, A "bo_move", 4 * i + 3, 7, 0);
		named_set(&r.n, "new_placement", i % 2 ? 2 : 1);
		named_set(&r.n, "old_placement", i % 2 ? 1 : 2);
		analysed_give(&r);
		named_emit(&r.n, A "iv", 4 * i + 4, 0, 0);
		analysed_give(&r);
	}
	analysed_end(&r, 12000, "amdgpu");
	analysed_has(r.section, "\"run\":3000,");
	analysed_has(r.section, "\"late\":null,\"latency_ns\":null}");
	analysed_has(r.section, "\"returns\":1500,\"quick_returns\":null,\"quick_bytes\":null,");
	analysed_has(r.section, "\"per_second\":null,\"peak_per_second\":null,\"peak_at_ns\":null");
	analysed_has(r.text, "times and rates: not known, the trace has none");
	analysed_has_not(r.findings, "amdgpu-");
}

/* More open jobs than are kept: the oldest are not known to be run, and are counted. */
Test(analysis_amdgpu, many_jobs)
{
	describe_jobs(JOB);
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 70000; i++)
		cs(i * US, 5, i);
	run(70001 * US, 5, 69999);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"submitted\":70000,\"ibs\":140000,\"run\":1,\"not_run\":65535,"
				"\"not_known\":4464,");
	analysed_has(r.section, "\"ring\":\"gfx_0.0.0\",\"submitted\":70000,");
}

/* More rows than are kept; each interrupt is in a row or in left_out. */
Test(analysis_amdgpu, many_sources)
{
	named_describe(&r.n, A "iv", IV);
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 5000; i++) {
		named_emit(&r.n, A "iv", i, 0, 0);
		named_set(&r.n, "src_id", i);
		analysed_give(&r);
	}
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"interrupts\":{\"count\":5000,\"again\":0,\"per_second\":5000,");
	analysed_has(r.section,
		     "\"interrupt_rings\":[{\"ih\":0,\"count\":5000}],\"left_out\":904}");
	analysed_has(r.text, "904 events are in no row: there are too many rows");
}

/* Records that end early have no values; ranges that end before they begin have no size. */
Test(analysis_amdgpu, damaged_records)
{
	describe_jobs(JOB);
	named_describe(&r.n, A "bo_create", CREATE);
	named_describe(&r.n, A "vm_bo_map", "start:s64:8 last:s64:8");
	analysed_begin(&r, NULL);
	named_emit(&r.n, A "cs_ioctl", 10, 7, 0);
	named_set(&r.n, "context", 5);
	named_cut(&r.n, 20);
	analysed_give(&r);
	named_emit(&r.n, A "bo_create", 11, 7, 0);
	named_set(&r.n, "pages", 1);
	named_set(&r.n, "type", UINT32_MAX);
	named_set(&r.n, "prefer", UINT32_MAX);
	named_set(&r.n, "visible", 1u << 31);
	analysed_give(&r);
	named_cut(&r.n, 16);
	analysed_give(&r);
	named_emit(&r.n, A "vm_bo_map", 12, 7, 0);
	named_set(&r.n, "start", 5);
	named_set(&r.n, "last", 4);
	analysed_give(&r);
	named_emit(&r.n, A "vm_bo_map", 13, 7, 0);
	named_set(&r.n, "last", UINT64_MAX);
	analysed_give(&r);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"submitted\":1,\"ibs\":0,\"run\":0,\"not_run\":1,");
	analysed_has(r.section, "\"created\":{\"count\":2,\"bytes\":4096}");
	analysed_has(r.section,
		     "\"type\":4294967295,\"type_name\":\"none\",\"given\":null,\"count\":1,"
		     "\"bytes\":4096}");
	analysed_has(r.section,
		     "\"flags\":[{\"bit\":31,\"name\":null,\"count\":1,\"bytes\":4096}]");
	analysed_has(r.section,
		     "\"map\":{\"count\":0,\"bytes\":0},\"unmap\":{\"count\":0,\"bytes\":0},"
		     "\"malformed\":2,");
}

/* Pages are the machine's. */
Test(analysis_amdgpu, large_pages)
{
	struct xtr_system sys = {
		.release = "6.12", .version = "", .machine = "aarch64", .page = 65536
	};

	cr_assert(!xtr_meta_set_system(r.n.meta, &sys));
	named_describe(&r.n, A "bo_create", CREATE);
	analysed_begin(&r, NULL);
	named_emit(&r.n, A "bo_create", 11, 7, 0);
	named_set(&r.n, "pages", 3);
	named_set(&r.n, "type", 2);
	named_set(&r.n, "prefer", 4);
	analysed_give(&r);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"vram_given\":{\"count\":1,\"bytes\":196608}");
}

/* In older files both fields of this event are called ring, in any order. */
Test(analysis_amdgpu, the_ring_is_the_text)
{
	named_describe(
		&r.n, A "vm_grab_id",
		"pasid:u32:4 ring:u32:4 ring:strid:4 vmid:u32:4 vm_hub:u32:4 needs_flush:u32:4");
	analysed_begin(&r, NULL);
	named_emit(&r.n, A "vm_grab_id", 11, 70, 0);
	named_set(&r.n, "pasid", 9);
	named_set(&r.n, "ring", 77);
	xtr_put_le32(r.n.rec + 24, gfx);
	named_set(&r.n, "vmid", 3);
	named_set(&r.n, "needs_flush", 1);
	analysed_give(&r);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section,
		     "\"vmids\":[{\"ring\":\"gfx_0.0.0\",\"vmid\":3,\"hub\":0,\"flushes\":0,"
		     "\"grabs\":1,\"needs_flush\":1}],\"pasids\":[{\"pasid\":9,\"grabs\":1,"
		     "\"needs_flush\":1}]");
}

/* What newer kernels tell is counted by name. */
Test(analysis_amdgpu, events_without_an_analysis)
{
	named_describe(&r.n, A "userq_emit_fence", "fence_context:u64:8");
	named_describe(&r.n, "amdgpu_dm:amdgpu_dm_commit", "x:u32:4");
	analysed_begin(&r, NULL);
	analysed_event(&r, A "userq_emit_fence", 10, 7);
	analysed_event(&r, A "userq_emit_fence", 20, 7);
	analysed_event(&r, "amdgpu_dm:amdgpu_dm_commit", 30, 7);
	analysed_end(&r, 1000 * MS, "amdgpu");
	analysed_has(r.section, "\"other_events\":[{\"event\":\"amdgpu:amdgpu_userq_emit_fence\","
				"\"count\":2}]}");
	analysed_has(r.text, "amdgpu:amdgpu_userq_emit_fence: 2");
}

Test(analysis_amdgpu, nothing_happened)
{
	describe_jobs(JOB);
	analysed_begin(&r, NULL);
	analysed_end(&r, 1000 * MS, "amdgpu");
	cr_expect(!r.section);
	analysed_has_not(r.findings, "amdgpu-");
}
