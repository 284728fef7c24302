/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that wait for a CPU, jobs that are late because of it, handlers. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <string.h>

#define SWITCH "sched:sched_switch"
#define WAKEUP "sched:sched_wakeup"
#define IRQ    "irq:irq_handler_entry"
#define JOB    "gpu_scheduler:drm_sched_job_"
#define US     1000ull
#define MS     1000000ull
#define T0     (1000 * MS)
#define GAME   50u
#define WORKER 9u
#define HOG    70u

static struct analysed r;

static void setup(void)
{
	struct xtr_task worker = { .tid = WORKER, .pid = WORKER, .flags = 1 };

	analysed_init(&r);
	named_describe(&r.n, SWITCH, "prev_pid:s32:4 next_pid:s32:4 prev_state:s64:8");
	named_describe(&r.n, WAKEUP, "pid:s32:4 target_cpu:s32:4");
	named_describe(&r.n, IRQ, "irq:s32:4 pad:u32:4 name:str:16");
	named_describe(&r.n, "irq:irq_handler_exit", "irq:s32:4 ret:s32:4");
	named_describe(&r.n, "irq:softirq_entry", "vec:u32:4");
	named_describe(&r.n, "irq:softirq_exit", "vec:u32:4");
	named_describe(&r.n, "irq:softirq_raise", "vec:u32:4");
	named_task(&r.n, GAME, GAME, "game");
	worker.comm = named_string(&r.n, "kworker/u8:1");
	cr_assert(!xtr_tables_add_task(r.n.tables, &worker));
	analysed_begin(&r, NULL);
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_cpu, .init = setup, .fini = teardown);

static void switch_to(uint64_t ts, uint32_t cpu, uint32_t prev, uint64_t state, uint32_t next)
{
	named_emit(&r.n, SWITCH, ts, prev, cpu);
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

static void job_event(const char *name, uint64_t ts, uint32_t tid, uint64_t seqno)
{
	named_emit(&r.n, name, ts, tid, 1);
	named_set(&r.n, "ctx", 101);
	named_set(&r.n, "seqno", seqno);
	analysed_give(&r);
}

static const struct xtr_model_ring gfx = {
	.id = 1, .limit = 1, .name = "gfx", .device_name = "0000:03:00.0"
};

static void job(uint64_t seqno, uint64_t queue, uint64_t run, uint64_t done,
		const struct xtr_dep *dep)
{
	struct xtr_job j = { .ring = &gfx,
			     .ctx = 101,
			     .seqno = seqno,
			     .queue_ns = queue,
			     .run_ns = run,
			     .done_ns = done,
			     .deps = dep,
			     .n_deps = dep != NULL };

	analysed_job(&r, &j);
}

Test(analysis_cpu, worker_without_a_cpu)
{
	job_event(JOB "queue", T0, GAME, 1);
	wake(T0 + 10 * US, WORKER);
	switch_to(T0 + 3010 * US, 1, HOG, 0, WORKER);
	job_event(JOB "run", T0 + 3015 * US, WORKER, 1);
	job(1, T0, T0 + 3015 * US, T0 + 5 * MS, NULL);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section,
		     "\"runs\":{\"n\":1,\"late\":1,\"cpu\":{\"late\":1,\"late_ns\":3000000},"
		     "\"gpu\":{\"late\":0,\"late_ns\":0},\"other\":{\"late\":0,"
		     "\"late_ns\":15000},");
	analysed_has(r.section,
		     "\"cpu_ns\":3000000,\"gpu_ns\":0,\"other_ns\":15000,\"cause\":\"cpu\","
		     "\"tid\":9,\"name\":\"kworker/u8:1\"}");
	analysed_has(r.findings, "[{\"id\":\"cpu-delay\",\"notable\":true,\"at_ns\":1003015000,");
	analysed_has(r.findings,
		     "{\"jobs\":1,\"submits_late\":0,\"runs_late\":1,\"completions_late\":0,"
		     "\"runs_late_otherwise\":0,\"limit_ns\":1000000,"
		     "\"limit_permille\":10,\"context\":101,\"seqno\":1}");
}

/* A job that a worker ran 3 ms late; the switch to `on` on the worker's CPU came at `since`. */
static void late_behind(uint32_t cpu, uint64_t since, uint32_t before, uint32_t on)
{
	switch_to(since, cpu, before, 1, on);
	job_event(JOB "queue", T0, GAME, 1);
	wake(T0 + 10 * US, WORKER);
	switch_to(T0 + 3010 * US, cpu, on, 0, WORKER);
	job_event(JOB "run", T0 + 3015 * US, WORKER, 1);
	job(1, T0, T0 + 3015 * US, T0 + 5 * MS, NULL);
}

static void hog_is(uint32_t pid)
{
	struct xtr_task hog = { .tid = HOG, .pid = pid };

	hog.comm = named_string(&r.n, "hog");
	cr_assert(!xtr_tables_add_task(r.n.tables, &hog));
}

Test(analysis_cpu, who_had_the_cpu)
{
	hog_is(HOG);
	late_behind(1, T0 - MS, 0, HOG);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.findings, "of 1 jobs; hog (pid 70) had it longest, 3.00 ms\"");
	analysed_has(r.findings, "\"limit_permille\":10,\"context\":101,"
				 "\"seqno\":1,\"holder_pid\":70,\"holder_tid\":70,"
				 "\"holder_ns\":3000000}");
}

/* The thread is another one than the process' first; and one of which the file knows nothing. */
Test(analysis_cpu, who_had_the_cpu_is_a_thread)
{
	hog_is(60);
	late_behind(1, T0 - MS, 0, HOG);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.findings, "; hog (pid 60, tid 70) had it longest, 3.00 ms\"");
	analysed_has(r.findings, "\"holder_pid\":60,\"holder_tid\":70,\"holder_ns\":3000000}");
}

Test(analysis_cpu, who_had_the_cpu_has_no_name)
{
	late_behind(1, T0 - MS, 0, HOG);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.findings, "; tid 70 had it longest, 3.00 ms\"");
	analysed_has(r.findings, "\"seqno\":1,\"holder_tid\":70,\"holder_ns\":3000000}");
}

/* Of two that had it, the one that had it longer, whichever came first. */
Test(analysis_cpu, who_had_the_cpu_longer)
{
	hog_is(HOG);
	switch_to(T0 - MS, 1, 0, 1, 71);
	late_behind(1, T0 + 1210 * US, 71, HOG);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.findings, "; hog (pid 70) had it longest, 1.80 ms\"");
}

static void nobody_is_named(void)
{
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.findings, "\"cpu-delay\"");
	cr_expect(!strstr(r.findings, "holder"), "%s", r.findings);
	cr_expect(!strstr(r.findings, "had it"), "%s", r.findings);
}

Test(analysis_cpu, an_idle_cpu_is_nobodys)
{
	late_behind(1, T0 - MS, HOG, 0);
	nobody_is_named();
}

/* It ran on the CPU for less than the time of which nothing is known. */
Test(analysis_cpu, who_had_the_cpu_is_not_known)
{
	late_behind(1, T0 + 1810 * US, 71, HOG);
	nobody_is_named();
}

/* A switch is missing: to HOG. Who had the CPU before WORKER is not known, then. */
Test(analysis_cpu, a_switch_to_the_holder_is_missing)
{
	switch_to(T0 - MS, 1, 0, 1, 71);
	job_event(JOB "queue", T0, GAME, 1);
	wake(T0 + 10 * US, WORKER);
	switch_to(T0 + 3010 * US, 1, HOG, 0, WORKER);
	job_event(JOB "run", T0 + 3015 * US, WORKER, 1);
	job(1, T0, T0 + 3015 * US, T0 + 5 * MS, NULL);
	nobody_is_named();
}

/* More threads than are kept of a CPU took turns: the last ones are known, and they are too few. */
Test(analysis_cpu, many_had_the_cpu)
{
	for (uint32_t i = 0; i < 100; i++)
		switch_to(T0 + i * 30 * US, 1, 1000 + i, 0, 1001 + i);
	late_behind(1, T0 + 3 * MS, 1100, HOG);
	nobody_is_named();
}

/* Ready when its dependency is signalled: what the worker waited before is nobody's lateness. */
Test(analysis_cpu, dependency_is_not_lateness)
{
	struct xtr_dep d = { .from_ns = T0 + 5, .until_ns = T0 + 8 * MS, .ring_id = 2 };

	job_event(JOB "queue", T0, GAME, 1);
	wake(T0 + 10 * US, WORKER);
	switch_to(T0 + 5 * MS, 1, HOG, 0, WORKER);
	job_event(JOB "run", T0 + 8010 * US, WORKER, 1);
	job(1, T0, T0 + 8010 * US, T0 + 9 * MS, &d);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section, "\"runs\":{\"n\":1,\"late\":0,");
	analysed_has(r.section, "\"ready_ns\":{\"n\":1,\"sum\":10000,");
	cr_expect_str_eq(r.findings, "[]");
}

/* The ring takes one job at a time: the second waits for it, then 100 us for a CPU. */
Test(analysis_cpu, full_ring)
{
	job_event(JOB "queue", T0, GAME, 1);
	job_event(JOB "run", T0 + 10 * US, WORKER, 1);
	job_event(JOB "queue", T0 + 20 * US, GAME, 2);
	wake(T0 + 4 * MS, WORKER);
	switch_to(T0 + 4100 * US, 1, HOG, 0, WORKER);
	job_event(JOB "run", T0 + 4100 * US, WORKER, 2);
	job(1, T0, T0 + 10 * US, T0 + 4 * MS, NULL);
	job(2, T0 + 20 * US, T0 + 4100 * US, T0 + 6 * MS, NULL);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section,
		     "\"runs\":{\"n\":2,\"late\":1,\"cpu\":{\"late\":0,\"late_ns\":100000},"
		     "\"gpu\":{\"late\":1,\"late_ns\":3980000},\"other\":{\"late\":0,"
		     "\"late_ns\":0},");
	cr_expect_str_eq(r.findings, "[]");
}

/* Woken, preempted, and only then it submits; a second job of the same wake-up owes nothing. */
Test(analysis_cpu, late_submitter)
{
	wake(T0, GAME);
	switch_to(T0 + 500 * US, 0, HOG, 0x100, GAME);
	switch_to(T0 + 600 * US, 0, GAME, 0, HOG);
	switch_to(T0 + 1400 * US, 0, HOG, 0, GAME);
	job_event(JOB "queue", T0 + 1500 * US, GAME, 1);
	job_event(JOB "run", T0 + 1510 * US, WORKER, 1);
	job_event(JOB "queue", T0 + 1600 * US, GAME, 2);
	job_event(JOB "run", T0 + 1610 * US, WORKER, 2);
	job(1, T0 + 1500 * US, T0 + 1510 * US, T0 + 2 * MS, NULL);
	job(2, T0 + 1600 * US, T0 + 1610 * US, T0 + 3 * MS, NULL);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section, "\"submits\":{\"n\":2,\"late\":1,\"late_ns\":1300000,\"wait_ns\":{"
				"\"n\":2,\"sum\":1300000,");
	analysed_has(r.section, "{\"tid\":50,\"pid\":50,\"name\":\"game\",\"does\":[\"submits\"],"
				"\"switches\":2,\"wakeups\":1,\"preempted\":1,\"wait_ns\":{\"n\":2,"
				"\"sum\":1300000,");
	analysed_has(r.findings, "\"submits_late\":1,");
}

/* A thread that completes jobs; what is reported in an interrupt is not that thread's. */
Test(analysis_cpu, late_completion)
{
	job_event(JOB "queue", T0, GAME, 1);
	job_event(JOB "run", T0 + 10 * US, WORKER, 1);
	job_event(JOB "queue", T0 + 20 * US, GAME, 2);
	job_event(JOB "run", T0 + 30 * US, WORKER, 2);
	wake(T0 + 1 * MS, WORKER);
	switch_to(T0 + 3 * MS, 1, HOG, 1, WORKER);
	job_event(JOB "done", T0 + 3010 * US, WORKER, 1);
	named_emit(&r.n, IRQ, T0 + 3020 * US, WORKER, 1);
	analysed_give(&r);
	job_event(JOB "done", T0 + 3030 * US, WORKER, 2);
	job(1, T0, T0 + 10 * US, T0 + 3010 * US, NULL);
	job(2, T0 + 20 * US, T0 + 30 * US, T0 + 3030 * US, NULL);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section, "\"completions\":{\"n\":1,\"late\":1,\"late_ns\":2000000,");
	analysed_has(r.findings, "\"completions_late\":1,");
}

/* After a loss it is not known who could run. */
Test(analysis_cpu, losses)
{
	wake(T0, WORKER);
	analysed_gap(&r, T0 + 10, T0 + 20);
	switch_to(T0 + 9 * MS, 1, HOG, 1, WORKER);
	job_event(JOB "queue", T0 + 9 * MS, WORKER, 1);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section,
		     "\"switches\":1,\"wakeups\":1,\"preempted\":0,\"wait_ns\":{\"n\":0,");
}

static void irq(const char *name, uint64_t ts, uint32_t cpu, const char *field)
{
	named_emit(&r.n, name, ts, 0, cpu);
	if (field)
		named_text(&r.n, "name", field, strlen(field));
	analysed_give(&r);
}

static void softirq(const char *name, uint64_t ts, uint32_t cpu, uint32_t vec)
{
	named_emit(&r.n, name, ts, 0, cpu);
	named_set(&r.n, "vec", vec);
	analysed_give(&r);
}

/* An interrupt in a softirq takes its time from it. */
Test(analysis_cpu, handlers_that_nest)
{
	softirq("irq:softirq_raise", T0, 3, 6);
	softirq("irq:softirq_raise", T0 + 5, 3, 6);
	softirq("irq:softirq_entry", T0 + 10, 3, 6);
	irq(IRQ, T0 + 20, 3, "i915");
	irq("irq:irq_handler_exit", T0 + 50, 3, NULL);
	softirq("irq:softirq_exit", T0 + 100, 3, 6);
	analysed_end(&r, 100 * MS, "cpu");
	analysed_has(r.section, "\"cpus\":[{\"cpu\":3,\"threads_ns\":0,\"irqs\":1,\"irq_ns\":30,"
				"\"softirqs\":1,\"softirq_ns\":60}]");
	analysed_has(r.section,
		     "{\"name\":\"i915\",\"kind\":\"interrupt\",\"calls\":1,\"total_ns\":30,"
		     "\"max_ns\":30,\"most_in_a_second\":1}");
	analysed_has(r.section, "{\"softirq\":\"TASKLET\",\"wait_ns\":{\"n\":1,\"sum\":10,");
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_cpu, storm)
{
	for (uint64_t i = 0; i < 10001; i++) {
		irq(IRQ, T0 + i * 90 * US, 0, "acpi");
		irq("irq:irq_handler_exit", T0 + i * 90 * US + 10, 0, NULL);
	}
	analysed_end(&r, 1000 * MS, "cpu");
	analysed_has(r.findings, "{\"id\":\"irq-storm\",\"notable\":true,\"at_ns\":1000000000,");
	analysed_has(r.findings,
		     "{\"in_a_second\":10001,\"interrupts\":10001,\"limit_per_s\":10000}");
}
