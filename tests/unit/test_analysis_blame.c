/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of blame, and the thread that runs jobs: from events to who had its CPU. */
#include "analysed.h"
#include "analysis/blame/run_threads.h"

#include <criterion/criterion.h>
#include <string.h>

#define SWITCH "sched:sched_switch"
#define WAKEUP "sched:sched_wakeup"
#define RUN    "gpu_scheduler:drm_sched_job_run"
#define US     1000ull
#define T0     1000000000ull
#define GAME   50u
#define WORKER 9u
#define HOG    70u

static struct analysed r;

static void setup(void)
{
	struct xtr_task worker = { .tid = WORKER, .pid = WORKER, .flags = XTR_TASK_KTHREAD };

	analysed_init(&r);
	named_describe(&r.n, SWITCH, "prev_pid:s32:4 next_pid:s32:4 prev_state:s64:8");
	named_describe(&r.n, WAKEUP, "pid:s32:4 target_cpu:s32:4");
	named_task(&r.n, GAME, GAME, "game");
	named_task(&r.n, HOG, HOG, "hog");
	worker.comm = named_string(&r.n, "kworker/u8:1");
	cr_assert(!xtr_tables_add_task(r.n.tables, &worker));
	analysed_begin(&r, NULL);
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_blame, .init = setup, .fini = teardown);

static void switch_to(uint64_t ts, uint32_t prev, uint64_t state, uint32_t next)
{
	named_emit(&r.n, SWITCH, ts, prev, 1);
	named_set(&r.n, "prev_pid", prev);
	named_set(&r.n, "next_pid", next);
	named_set(&r.n, "prev_state", state);
	analysed_give(&r);
}

static void wake(uint64_t ts, uint32_t pid)
{
	named_emit(&r.n, WAKEUP, ts, 0, 0);
	named_set(&r.n, "pid", pid);
	analysed_give(&r);
}

static void run(uint64_t ts, uint64_t seqno)
{
	named_emit(&r.n, RUN, ts, WORKER, 1);
	named_set(&r.n, "ctx", 101);
	named_set(&r.n, "seqno", seqno);
	analysed_give(&r);
}

static const struct xtr_model_ring gfx = {
	.id = 1, .limit = 1, .name = "gfx", .device_name = "card0"
};

static void job(uint64_t seqno, uint64_t queue, uint64_t run_ns, uint64_t done)
{
	struct xtr_job j = { .ring = &gfx,
			     .ctx = 101,
			     .seqno = seqno,
			     .pid = GAME,
			     .tid = GAME,
			     .queue_ns = queue,
			     .run_ns = run_ns,
			     .start_ns = run_ns,
			     .done_ns = done,
			     .prio = 2,
			     .prio_known = true };

	analysed_job(&r, &j);
}

static void worker_without_a_cpu(void)
{
	switch_to(T0, 0, 0, HOG);
	wake(T0 + 10 * US, WORKER);
	switch_to(T0 + 210 * US, HOG, 0, WORKER);
	run(T0 + 215 * US, 1);
	job(1, T0, T0 + 215 * US, T0 + 300 * US);
}

Test(analysis_blame, who_had_the_cpu)
{
	worker_without_a_cpu();
	analysed_end(&r, 1000 * US, "blame");
	analysed_has(r.section,
		     "\"part\":\"thread\",\"quality\":\"exact\",\"jobs\":1,\"ns\":200000,");
	analysed_has(r.section,
		     "\"part\":\"scheduler\",\"quality\":\"exact\",\"jobs\":1,\"ns\":15000,");
	analysed_has(r.section,
		     "\"costs\":[{\"pid\":50,\"name\":\"game\",\"by_pid\":70,\"by_name\":\"hog\","
		     "\"jobs\":1,\"ns\":200000,\"ring_ns\":0,\"dependency_ns\":0,\"queue_ns\":0,"
		     "\"thread_ns\":200000,\"max_ns\":200000,\"priority\":\"2\","
		     "\"by_priority\":null,\"context\":101,\"seqno\":1,"
		     "\"by_context\":null,\"by_seqno\":null}]");
	analysed_has(
		r.section,
		"\"all\":{\"jobs\":1,\"ns\":300000,\"with_priority\":1,\"undivided\":0,\"folded\":0}");
	analysed_has(r.findings, "\"id\":\"blame-thread\"");
	analysed_has(r.findings, "jobs of game 50 waited 200 us (66.7 % of all jobs' time) for hog "
				 "70, which had the CPU of the thread that runs jobs");
	analysed_has(r.findings, "\"lost_ns\":200000,\"of_ns\":300000,\"limit_permille\":100,"
				 "\"jobs\":1,\"pid\":50,\"by_pid\":70,\"context\":101,\"seqno\":1,"
				 "\"longest_ns\":200000");
}

/* What was before is not known any more: nobody had the CPU, as far as is known. */
Test(analysis_blame, losses_forget_who_had_it)
{
	switch_to(T0, 0, 0, HOG);
	wake(T0 + 10 * US, WORKER);
	analysed_gap(&r, T0 + 20 * US, T0 + 21 * US);
	switch_to(T0 + 210 * US, HOG, 0, WORKER);
	run(T0 + 215 * US, 1);
	job(1, T0, T0 + 215 * US, T0 + 300 * US);
	analysed_end(&r, 1000 * US, "blame");
	analysed_has(r.section, "\"costs\":[]");
	analysed_has(r.section,
		     "\"part\":\"scheduler\",\"quality\":\"exact\",\"jobs\":1,\"ns\":20000,");
	analysed_has(r.section,
		     "\"part\":\"not-known\",\"quality\":\"lost\",\"jobs\":1,\"ns\":195000,");
	analysed_has(r.findings, "1 job was held up by what the trace does not tell for 195 us "
				 "(65.0 % of all jobs' time)");
}

/* More jobs in flight than are kept: of the oldest it is not known that its thread waited. */
Test(analysis_blame, many_jobs_in_flight)
{
	worker_without_a_cpu();
	for (uint64_t i = 2; i < 20000; i++)
		run(T0 + (300 + i) * US, i);
	job(2, T0 + 300 * US, T0 + 302 * US, T0 + 30000 * US);
	analysed_end(&r, 1000000 * US, "blame");
	analysed_has(r.section, "\"all\":{\"jobs\":2,");
}
