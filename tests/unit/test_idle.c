/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle time of devices, and what threads did meanwhile: every number of hand-made traces. */
#include "analysis/idle/idle.h"
#include "gpu_sim.h"
#include "oom.h"
#include "replay/event/process.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#define MS  1000000u
#define DEV "0000:03:00.0"

static struct sim *s;
static struct xtr_idle *idle;
static struct xtr_model *model;

static void set_up(void)
{
	s = sim_new();
	sim_device(s, DEV, "amdgpu");
	sim_ring(s, 1, DEV, "gfx_0.0.0", 2);
	sim_ring(s, 2, DEV, "sdma0", 2);
	sim_task(s, 10, 10, "game", 0);
	sim_task(s, 20, 20, "tool", 0);
	for (uint32_t type = XTR_EV_CPU_SAMPLE; type <= XTR_EV_THREAD_ON; type++)
		cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(type))));
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_QUEUE))));
	for (uint32_t id = 5; id <= 7; id++) {
		const struct xtr_frame f = { .offset = id };
		uint32_t frame;

		cr_assert(zero(int, xtr_tables_intern_frame(s->tables, &f, &frame)));
		cr_assert(zero(int, xtr_tables_add_stack(s->tables, id, &frame, 1)));
	}
}

static void tear_down(void)
{
	xtr_idle_free(idle);
	xtr_model_free(model);
	sim_free(s);
	idle = NULL;
	model = NULL;
}

TestSuite(idle, .init = set_up, .fini = tear_down);

/* --- making and playing ----------------------------------------------------------------------- */

static void job(uint32_t tid, uint64_t seqno, uint32_t ring, uint64_t queue, uint64_t run,
		uint64_t done)
{
	s->tid = tid;
	sim_queue(s, queue * MS, 100 + tid, seqno, ring);
	sim_run(s, run * MS, 100 + tid, seqno, ring);
	if (done)
		sim_done(s, done * MS, 100 + tid, seqno, ring);
}

static void sample(uint32_t tid, uint64_t at, uint32_t stack)
{
	const struct xtr_rec_cpu_sample r = { .period = 10 * MS, .stack = stack };

	s->tid = tid;
	sim_raw(s, at * MS, XTR_EV_CPU_SAMPLE, &r, sizeof(r));
}

static void off(uint32_t tid, uint64_t at, uint32_t state, uint32_t stack)
{
	const struct xtr_rec_thread_off r = { .state = state, .stack = stack };

	s->tid = tid;
	sim_raw(s, at * MS, XTR_EV_THREAD_OFF, &r, sizeof(r));
}

static void on(uint32_t tid, uint64_t at, uint64_t was_off, uint64_t waited, uint32_t known)
{
	const struct xtr_rec_thread_on r = {
		.off = was_off * MS, .waited = waited * MS, .state = 1, .known = known
	};

	s->tid = tid;
	sim_raw(s, at * MS, XTR_EV_THREAD_ON, &r, sizeof(r));
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	(void)ctx;
	return xtr_idle_job(idle, j);
}

static int try_play(void)
{
	const struct xtr_model_opts mo = {
		.sz = sizeof(mo), .meta = s->meta, .tables = s->tables, .job = on_job
	};
	int err = xtr_model_new(&model, &mo) ?: xtr_idle_new(&idle, s->meta, s->tables);

	for (size_t i = 0; i < s->n && !err; i++)
		err = xtr_model_event(model, &s->event[i].ev)
			      ?: xtr_idle_event(idle, &s->event[i].ev);
	return err ?: xtr_model_finish(model) ?: xtr_idle_finish(idle);
}

static void play(void)
{
	sim_sort(s);
	cr_assert(zero(int, try_play()));
}

static uint64_t ns_of(uint32_t pid, enum xtr_idle_state state, uint32_t stack)
{
	for (size_t i = 0; i < xtr_idle_n_rows(idle); i++) {
		const struct xtr_idle_row *r = xtr_idle_row(idle, i);

		if (xtr_process_pid(r->process) == pid && r->state == state && r->stack == stack)
			return r->ns;
	}
	return 0;
}

/* All of the idle time, and of nothing else, is in rows. */
static void adds_up(uint64_t idle_ms, size_t rows)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < xtr_idle_n_rows(idle); i++)
		sum += xtr_idle_row(idle, i)->ns;
	cr_expect(eq(sz, xtr_idle_n_devices(idle), 1));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->idle_ns, idle_ms * MS));
	cr_expect(eq(u64, sum, idle_ms * MS));
	cr_expect(eq(sz, xtr_idle_n_rows(idle), rows));
}

/* --- tests ------------------------------------------------------------------------------------ */

/* Idle from 1010 to 1052. */
static void one_stretch(void)
{
	job(10, 1, 1, 1000, 1000, 1010);
	sample(10, 1005, 5); /* the device executes */
	sample(10, 1012, 5);
	sample(99, 1013, 5); /* of a thread that submits nothing */
	off(10, 1015, 1, 7);
	on(10, 1035, 20, 5, 3);
	sample(10, 1040, 5);
	sample(10, 1045, 6);
	job(10, 2, 1, 1050, 1052, 1060);
	sample(10, 1065, 6); /* it runs, but not before the job */
	off(10, 1070, 1, 7);
}

Test(idle, the_time_is_divided_by_what_the_thread_did)
{
	one_stretch();
	play();
	adds_up(42, 5);
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNING, 5), 13333333), "2 of 3 samples of 20 ms");
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNING, 6), 6666667));
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_SLEEPING, 7), 15 * MS));
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNABLE, 7), 5 * MS));
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_SUBMITTED, 0), 2 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->explained_ns, 42 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->first_ns, 1000 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->last_ns, 1060 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->longest_ns, 42 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->stretches, 1));
	cr_expect(xtr_idle_any(idle));
}

/* One that began before and ends later: idle until it began. */
Test(idle, a_job_that_ends_later_cuts_the_stretch)
{
	one_stretch();
	job(20, 1, 2, 1012, 1020, 1065);
	play();
	adds_up(10, 2);
	cr_expect(eq(u64, ns_of(20, XTR_IDLE_RUNNING, 0) + ns_of(20, XTR_IDLE_UNKNOWN, 0), 2 * MS),
		  "its thread is known from the job on");
	cr_expect(eq(u64, ns_of(20, XTR_IDLE_SUBMITTED, 0), 8 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->explained_ns, 8 * MS));
}

/* In the middle of it: the rest is idle, too. */
Test(idle, a_job_that_was_told_of_late_leaves_two_stretches)
{
	struct xtr_model_ring ring = { .device_name = DEV };
	struct xtr_job j = { .ring = &ring, .queue_ns = 1, .tid = 10, .pid = 10 };
	static const uint64_t at[][2] = {
		{ 10, 20 }, { 100, 110 }, { 40, 50 }, { 5, 45 }, { 0, 5 }
	};

	cr_assert(zero(int, xtr_idle_new(&idle, s->meta, s->tables)));
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		j.run_ns = at[i][0] * MS + !at[i][0];
		j.done_ns = at[i][1] * MS;
		j.exec_max_ns = j.done_ns - j.run_ns;
		cr_assert(zero(int, xtr_idle_job(idle, &j)));
	}
	cr_assert(zero(int, xtr_idle_finish(idle)));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->idle_ns, 50 * MS), "from 50 to 100");
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->stretches, 1));
}

Test(idle, nothing_is_said_where_events_were_lost)
{
	one_stretch();
	sim_gap(s, 1020 * MS, 1021 * MS, 3);
	play();
	adds_up(0, 0);
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->lost_ns, 42 * MS));
}

/* From when it was run on the device may be executing it. */
Test(idle, a_job_without_an_end)
{
	one_stretch();
	job(20, 1, 2, 1012, 1020, 0);
	play();
	adds_up(10, 2);
}

Test(idle, a_thread_of_which_nothing_is_known)
{
	job(10, 1, 1, 1000, 1000, 1010);
	sample(99, 1015, 5);
	job(20, 1, 1, 1040, 1040, 1050);
	play();
	adds_up(30, 1);
	cr_expect(eq(u64, ns_of(20, XTR_IDLE_UNKNOWN, 0), 30 * MS));
	cr_expect(zero(u64, xtr_idle_device(idle, 0)->explained_ns));
}

/* It still sleeps, or runs, when the next job comes from another thread of the device. */
Test(idle, what_is_not_over_counts_up_to_the_end)
{
	job(10, 1, 1, 1000, 1000, 1010);
	job(20, 1, 1, 1005, 1005, 1015);
	off(10, 1020, 0, 6);
	on(10, 1030, 10, 10, 3);
	sample(10, 1035, 6);
	job(10, 2, 1, 1040, 1040, 1050);
	play();
	adds_up(25, 2);
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNING, 6), 15 * MS));
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNABLE, 6), 10 * MS), "its CPU was taken");
}

/* Woken by nobody that was seen: how long it slept is not known. */
Test(idle, a_wake_up_that_was_not_seen)
{
	job(10, 1, 1, 1000, 1000, 1010);
	off(10, 1020, 1, 7);
	on(10, 1030, 10, 0, 1);
	job(10, 2, 1, 1040, 1040, 1050);
	play();
	adds_up(30, 2);
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_UNKNOWN, 7), 10 * MS));
	cr_expect(eq(u64, ns_of(10, XTR_IDLE_RUNNING, 0), 20 * MS), "without a sample");
	cr_expect(zero(u64, xtr_idle_device(idle, 0)->explained_ns));
}

/* More stretches of a thread than are kept, and more that may change. */
Test(idle, bounds)
{
	uint64_t n = 3 * IDLE_PENDING_MAX, at = 1000, sum = 0;

	for (uint64_t i = 0; i < n; i++, at += 4) {
		job(10, i + 1, 1, at + 2, at + 2, at + 3);
		off(10, at + 3, 1, 7);
		on(10, at + 5, 2, 1, 3);
	}
	play();
	for (size_t i = 0; i < xtr_idle_n_rows(idle); i++)
		sum += xtr_idle_row(idle, i)->ns;
	cr_expect(eq(u64, sum, (n - 1) * 3 * MS));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->idle_ns, sum));
	cr_expect(eq(u64, xtr_idle_device(idle, 0)->explained_ns, (n - 1) * 2 * MS),
		  "asleep and woken; it ran without a sample");
}

static int play_once(void *ctx)
{
	int err = try_play();

	(void)ctx;
	xtr_idle_free(idle);
	xtr_model_free(model);
	idle = NULL;
	model = NULL;
	return err;
}

Test(idle, memory_that_is_not_there)
{
	one_stretch();
	job(20, 1, 2, 1012, 1020, 1065);
	sim_gap(s, 1070 * MS, 1071 * MS, 1);
	sim_sort(s);
	oom_each(play_once, NULL, 1);
}
