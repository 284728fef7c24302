/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs and waits into stacks, against sums made by hand and against the statistics. */
#include "gpu_sim.h"
#include "analysis/flame/flame_feed.h"
#include "analysis/flame/flame_view.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static struct sim *s;
static struct xtr_flame *f;
static struct xtr_flame_feed *feed;
static struct xtr_flame_opts o;
static char *folded;

static uint32_t intern(const char *text)
{
	uint32_t id = 0;

	cr_assert(eq(int, xtr_tables_intern(s->tables, text, strlen(text), &id), 0));
	return id;
}

static uint32_t frame(const char *symbol, uint64_t offset, const char *module)
{
	struct xtr_frame fr = { .symbol = *symbol ? intern(symbol) : 0,
				.offset = offset,
				.module = *module ? intern(module) : 0 };
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern_frame(s->tables, &fr, &id), 0));
	return id;
}

/* Innermost first: 1 main;draw;submit, 2 main;copy;submit, 3 without symbols, 4 empty. */
static void stacks(void)
{
	uint32_t submit = frame("drm_ioctl", 0x12, "drm"), main_ = frame("main", 1, "/bin/game");
	const uint32_t draw[] = { submit, frame("draw", 2, "/lib/libGL.so.1"), main_ };
	const uint32_t copy[] = { submit, frame("copy", 3, "/lib/libGL.so.1"), main_ };
	const uint32_t bare[] = { frame("", 0x10, "/lib/libc.so.6"), frame("", 0x7f00, "") };

	cr_assert(eq(int, xtr_tables_add_stack(s->tables, 1, draw, 3), 0));
	cr_assert(eq(int, xtr_tables_add_stack(s->tables, 2, copy, 3), 0));
	cr_assert(eq(int, xtr_tables_add_stack(s->tables, 3, bare, 2), 0));
	cr_assert(eq(int, xtr_tables_add_stack(s->tables, 4, bare, 0), 0));
}

static void setup(void)
{
	s = sim_new();
	sim_device(s, "gpu.1", "xe");
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 4, "gpu.1", "rcs0", 8);
	sim_task(s, 90, 90, "game", 0);
	sim_task(s, 91, 90, "game:gl", 0);
	sim_task(s, 95, 95, "editor", 0);
	stacks();
	o = (struct xtr_flame_opts){ .sz = sizeof(o) };
	cr_assert(eq(int, xtr_flame_new(&f), 0));
}

static void teardown(void)
{
	free(folded);
	folded = NULL;
	xtr_flame_feed_free(feed);
	xtr_flame_free(f);
	sim_free(s);
}

TestSuite(flame_feed, .init = setup, .fini = teardown);

static void fold(void)
{
	struct xtr_flame_tree tree = { .flame = f, .name = "x", .unit = "ns" };
	size_t n;
	FILE *out = open_memstream(&folded, &n);

	cr_assert(eq(int, xtr_flame_finish(f), 0));
	xtr_flame_folded(out, &tree, 1);
	fclose(out);
}

/* The jobs of the model, with times in ms. */
static void feed_jobs(enum xtr_flame_weight weight, const struct xtr_select *select)
{
	o.weight = weight;
	cr_assert(eq(int, xtr_flame_feed_new(&feed, f, &o), 0));
	xtr_flame_feed_section(feed, s->tables, select, NULL);
	sim_jobs(s);
	for (size_t i = 0; i < s->n_jobs; i++)
		cr_assert(eq(int, xtr_flame_feed_job(feed, &s->job[i]), 0));
	fold();
}

static uint64_t total(void)
{
	return xtr_flame_node(f, XTR_FLAME_ROOT)->total;
}

/* Two draws, the second behind the first; a copy; one without a stack; one that never ends. */
static void work(void)
{
	s->tid = 91;
	s->stack = 1;
	sim_job(s, 11, 1, 1, 5 * MS, 10 * MS, 40 * MS);
	sim_job(s, 11, 2, 1, 20 * MS, 35 * MS, 45 * MS);
	s->stack = 2;
	sim_job(s, 11, 3, 1, 21 * MS, 46 * MS, 48 * MS);
	s->tid = 95;
	s->stack = 0;
	sim_job(s, 13, 1, 1, 22 * MS, 49 * MS, 50 * MS);
	s->stack = 1;
	sim_queue(s, 60 * MS, 13, 2, 1);
	sim_run(s, 61 * MS, 13, 2, 1);
}

Test(flame_feed, execution_by_hand)
{
	const struct xtr_flame_counts *c;

	work();
	feed_jobs(XTR_FLAME_BY_EXECUTION, NULL);
	cr_expect(eq(str, folded,
		     "main;draw;drm_ioctl 35000000\n"
		     "main;copy;drm_ioctl 2000000\n"
		     "[no stack] 1000000\n"));
	c = xtr_flame_feed_counts(feed);
	cr_expect(eq(u64, c->seen, 5));
	cr_expect(eq(u64, c->weighed, 4));
	cr_expect(eq(u64, c->open, 1));
	cr_expect(eq(u64, c->lost, 0));
	cr_expect(eq(u64, c->no_stack, 1));
	cr_expect(eq(u64, c->bounded, 0));
	cr_expect(eq(u64, c->at_least, 38 * MS));
}

Test(flame_feed, residence_by_hand)
{
	work();
	feed_jobs(XTR_FLAME_BY_RESIDENCE, NULL);
	cr_expect(eq(str, folded,
		     "main;draw;drm_ioctl 40000000\n"
		     "main;copy;drm_ioctl 2000000\n"
		     "[no stack] 1000000\n"));
}

/* Of the open job the time in the queue is known. */
Test(flame_feed, queue_by_hand)
{
	work();
	feed_jobs(XTR_FLAME_BY_QUEUE, NULL);
	cr_expect(eq(str, folded,
		     "main;copy;drm_ioctl 25000000\n"
		     "main;draw;drm_ioctl 20000000\n"
		     "main;draw;drm_ioctl;[open] 1000000\n"
		     "[no stack] 27000000\n"));
	cr_expect(eq(u64, total(), 73 * MS));
}

Test(flame_feed, count_shows_open_jobs)
{
	work();
	feed_jobs(XTR_FLAME_BY_COUNT, NULL);
	cr_expect(eq(str, folded,
		     "main;draw;drm_ioctl 2\n"
		     "main;draw;drm_ioctl;[open] 1\n"
		     "main;copy;drm_ioctl 1\n"
		     "[no stack] 1\n"));
}

Test(flame_feed, dependencies_by_hand)
{
	s->tid = 91;
	s->stack = 2;
	sim_job(s, 13, 1, 4, 1 * MS, 2 * MS, 9 * MS);
	s->stack = 1;
	sim_job(s, 11, 1, 1, 3 * MS, 10 * MS, 12 * MS);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 4 * MS, 11, 1, 13, 1, 1, 0);
	feed_jobs(XTR_FLAME_BY_DEPENDENCY, NULL);
	cr_expect(eq(str, folded, "main;draw;drm_ioctl 5000000\n"));
}

Test(flame_feed, process_ring_and_device_stand_above)
{
	work();
	s->stack = 3;
	sim_job(s, 41, 1, 4, 1 * MS, 2 * MS, 9 * MS);
	o.by[0] = XTR_FLAME_PROCESS;
	o.by[1] = XTR_FLAME_DEVICE;
	o.by[2] = XTR_FLAME_RING;
	o.n_by = 3;
	feed_jobs(XTR_FLAME_BY_EXECUTION, NULL);
	cr_expect(eq(str, folded,
		     "game (90);gpu.0;gpu.0/gfx;main;draw;drm_ioctl 35000000\n"
		     "game (90);gpu.0;gpu.0/gfx;main;copy;drm_ioctl 2000000\n"
		     "editor (95);gpu.1;gpu.1/rcs0;[unknown];libc.so.6+0x10 7000000\n"
		     "editor (95);gpu.0;gpu.0/gfx;[no stack] 1000000\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->bounded, 1));
}

/* Undefined and empty stacks are told apart from none; both keep their weight. */
Test(flame_feed, stacks_that_are_not_there)
{
	s->tid = 91;
	s->stack = 77;
	sim_job(s, 11, 1, 1, 1 * MS, 2 * MS, 5 * MS);
	s->stack = 4;
	sim_job(s, 11, 2, 1, 1 * MS, 6 * MS, 8 * MS);
	feed_jobs(XTR_FLAME_BY_EXECUTION, NULL);
	cr_expect(eq(str, folded, "[stack not in the file] 3000000\n[no stack] 2000000\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->no_stack, 2));
}

/* A done event without its run: the records of a job are missing. */
Test(flame_feed, lost_jobs_are_marked)
{
	s->tid = 91;
	s->stack = 1;
	sim_queue(s, 1 * MS, 11, 1, 1);
	sim_done(s, 9 * MS, 11, 1, 1);
	feed_jobs(XTR_FLAME_BY_COUNT, NULL);
	cr_expect(eq(str, folded, "main;draw;drm_ioctl;[lost] 1\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->lost, 1));
}

/* A done event alone: nobody submitted the job, as far as the trace knows. */
Test(flame_feed, a_job_without_submitter)
{
	sim_run(s, 1 * MS, 11, 1, 1);
	sim_done(s, 9 * MS, 11, 1, 1);
	o.by[o.n_by++] = XTR_FLAME_PROCESS;
	feed_jobs(XTR_FLAME_BY_RESIDENCE, NULL);
	cr_expect(eq(str, folded, "[process not known];[no stack] 8000000\n"));
}

Test(flame_feed, only_what_is_selected)
{
	static const uint32_t pid = 95;
	const struct xtr_select select = { .pids = &pid, .n_pids = 1, .to = 55 * MS };

	work();
	feed_jobs(XTR_FLAME_BY_COUNT, &select);
	cr_expect(eq(str, folded, "[no stack] 1\nmain;draw;drm_ioctl;[open] 1\n"));
}

/* A stack deeper than what is kept ends in a mark, and keeps its weight. */
Test(flame_feed, a_deep_stack)
{
	uint32_t ids[1000];
	size_t n = 0;
	const char *p;

	for (size_t i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%zu", i);
		ids[i] = frame(name, 0, "kernel");
	}
	cr_assert(eq(int, xtr_tables_add_stack(s->tables, 9, ids, 1000), 0));
	s->tid = 91;
	s->stack = 9;
	sim_queue(s, 1 * MS, 11, 1, 1);
	o.by[0] = XTR_FLAME_PROCESS;
	o.by[1] = XTR_FLAME_RING;
	o.by[2] = XTR_FLAME_DEVICE;
	o.n_by = 3;
	feed_jobs(XTR_FLAME_BY_COUNT, NULL);
	for (p = folded; *p; p++)
		n += *p == ';';
	cr_expect(eq(sz, n, 3 + 240 + 2 - 1));
	cr_expect(eq(int, (strstr(folded, ";gpu.0;f999;f998;") != NULL), 1));
	cr_expect(eq(int, (strstr(folded, ";f760;[deeper];[open] 1\n") != NULL), 1));
}

/*
 * The rule of the sums is the statistics': rings in order, overtaken, bounded, in batches, with
 * losses and errors.
 */
Test(flame_feed, sums_are_those_of_the_statistics)
{
	uint64_t random = 7, t = 0, want = 0, queue = 0;
	struct xtr_stats *st;

	s->tid = 91;
	for (uint64_t i = 1; i <= 800; i++) {
		uint64_t run = t + 10000 + i * 7919 % 50000,
			 done = run + 20000 + i * 104729 % 900000;
		uint32_t ring = i % 3 ? 1 : 4;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		s->stack = (uint32_t)(random >> 33) % 5;
		sim_queue(s, t + 1, 11 + 2 * ring, i, ring);
		if (i % 31)
			sim_run(s, run, 11 + 2 * ring, i, ring);
		if (i % 37)
			sim_done(s, done, 11 + 2 * ring, i, ring);
		t += 40000 + i * 31337 % 200000;
	}
	sim_gap(s, 5 * MS, 6 * MS, 3);
	st = sim_stats(s, NULL, 10);
	for (size_t k = 0; k < xtr_stats_n_rows(st, XTR_BY_RING); k++) {
		want += xtr_stats_row(st, XTR_BY_RING, k)->agg.exec_max;
		queue += xtr_stats_row(st, XTR_BY_RING, k)->agg.queue_wait.sum;
	}
	feed_jobs(XTR_FLAME_BY_EXECUTION, NULL);
	cr_expect(eq(u64, total(), want));
	cr_expect(gt(u64, want, 0));
	cr_expect(
		eq(u64, xtr_flame_feed_counts(feed)->at_least, xtr_stats_total(st)->agg.exec_min));
	xtr_flame_feed_free(feed);
	xtr_flame_free(f);
	free(folded);
	cr_assert(eq(int, xtr_flame_new(&f), 0));
	feed_jobs(XTR_FLAME_BY_QUEUE, NULL);
	cr_expect(eq(u64, total(), queue));
	xtr_stats_free(st);
}

/* --- waits ------------------------------------------------------------------------------------ */

static struct xtr_model *model;
static struct xtr_calls *calls;

static int on_call(void *ctx, const struct xtr_call *c)
{
	(void)ctx;
	return xtr_flame_feed_call(feed, c);
}

/* s->stack is that of the thread that waits. */
static void wait_event(uint64_t ts, uint32_t type, uint64_t ctx, uint64_t seqno)
{
	struct xtr_rec_fence_stack r = { .ctx = ctx, .seqno = seqno, .stack = s->stack };

	sim_raw(s, ts, type, &r,
		type == XTR_EV_FENCE_WAIT_START ? sizeof(r) : sizeof(struct xtr_rec_fence));
}

static void waits(uint32_t tid, uint64_t ctx, uint64_t seqno, uint64_t from, uint64_t to)
{
	s->tid = tid;
	wait_event(from, XTR_EV_FENCE_WAIT_START, ctx, seqno);
	if (to)
		wait_event(to, XTR_EV_FENCE_WAIT_END, ctx, seqno);
}

/* Calls are known by their events' names. */
static void describe_waits(void)
{
	static const uint32_t types[] = { XTR_EV_FENCE_WAIT_START, XTR_EV_FENCE_WAIT_END };
	const struct xtr_provider p = { .id = 1, .name = "x", .attach = "raw_tp", .target = "x" };
	struct xtr_event_desc d;

	cr_assert(eq(int, xtr_meta_add_provider(s->meta, &p), 0));
	for (size_t i = 0; i < 2; i++) {
		d = *xtr_builtin_event_stack(types[i]);
		d.provider = p.id;
		cr_assert(eq(int, xtr_meta_add_event(s->meta, &d), 0));
	}
}

static void feed_waits(enum xtr_flame_weight weight, const struct xtr_select *select)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo), .meta = s->meta, .tables = s->tables };
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = s->meta, .tables = s->tables, .call = on_call
	};

	describe_waits();
	o.weight = weight;
	cr_assert(eq(int, xtr_flame_feed_new(&feed, f, &o), 0));
	cr_assert(eq(int, xtr_model_new(&model, &mo), 0));
	cr_assert(eq(int, xtr_calls_new(&calls, &co), 0));
	xtr_flame_feed_section(feed, s->tables, select, model);
	sim_sort(s);
	for (size_t i = 0; i < s->n; i++) {
		cr_assert(eq(int, xtr_model_event(model, &s->event[i].ev), 0));
		cr_assert(eq(int, xtr_flame_feed_event(feed, &s->event[i].ev), 0));
		cr_assert(ge(int, xtr_calls_event(calls, &s->event[i].ev), 0));
	}
	cr_assert(eq(int, xtr_calls_finish(calls), 0));
	fold();
	xtr_calls_free(calls);
	xtr_model_free(model);
}

/* The editor waits for the game's draw (its finished and its scheduled fence), and for something
 * else. */
static void waiting(void)
{
	s->tid = 91;
	s->stack = 1;
	sim_job(s, 11, 1, 1, 1 * MS, 2 * MS, 9 * MS);
	s->stack = 3;
	waits(95, 11, 1, 3 * MS, 9 * MS);
	s->stack = 2;
	waits(95, 10, 1, 10 * MS, 12 * MS);
	waits(95, 99, 7, 20 * MS, 21 * MS);
	s->stack = 0;
	waits(91, 11, 1, 4 * MS, 8 * MS);
	waits(91, 11, 1, 30 * MS, 0);
}

Test(flame_feed, waits_by_whom_they_are_for)
{
	waiting();
	o.by[0] = XTR_FLAME_PROCESS;
	o.by[1] = XTR_FLAME_RING;
	o.n_by = 2;
	feed_waits(XTR_FLAME_BY_WAITED_FOR, NULL);
	cr_expect(eq(str, folded,
		     "editor (95);gpu.0/gfx;main;draw;drm_ioctl 8000000\n"
		     "editor (95);[other fence];[other fence] 1000000\n"
		     "game (90);gpu.0/gfx;main;draw;drm_ioctl 4000000\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->seen, 5));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->open, 1));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->no_stack, 0));
}

/* Each under the stack that waited; that of the game was not recorded. */
Test(flame_feed, waits_by_who_waits)
{
	waiting();
	o.by[0] = XTR_FLAME_PROCESS;
	o.by[1] = XTR_FLAME_RING;
	o.n_by = 2;
	feed_waits(XTR_FLAME_BY_WAIT, NULL);
	cr_expect(eq(str, folded,
		     "editor (95);gpu.0/gfx;[unknown];libc.so.6+0x10 6000000\n"
		     "editor (95);gpu.0/gfx;main;copy;drm_ioctl 2000000\n"
		     "editor (95);[other fence];main;copy;drm_ioctl 1000000\n"
		     "game (90);gpu.0/gfx;[no stack] 4000000\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->seen, 5));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->no_stack, 2));
}

/* Waits are calls, too, by the event that begins them; others are not. */
Test(flame_feed, calls_by_hand)
{
	waiting();
	o.calls = "dma_fence:*_start";
	feed_waits(XTR_FLAME_BY_CALL, NULL);
	cr_expect(eq(str, folded,
		     "[unknown];libc.so.6+0x10 6000000\n"
		     "[no stack] 4000000\n"
		     "main;copy;drm_ioctl 3000000\n"));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->open, 1));
}

Test(flame_feed, other_calls_are_passed_over)
{
	waiting();
	o.calls = "syscalls:*";
	feed_waits(XTR_FLAME_BY_CALL, NULL);
	cr_expect(eq(str, folded, ""));
	cr_expect(eq(u64, xtr_flame_feed_counts(feed)->seen, 0));
}

Test(flame_feed, waits_of_one_ring)
{
	static const char *const rings[] = { "gfx" };
	const struct xtr_select select = { .rings = rings, .n_rings = 1 };

	waiting();
	feed_waits(XTR_FLAME_BY_WAITED_FOR, &select);
	cr_expect(eq(str, folded, "main;draw;drm_ioctl 12000000\n"));
}

/* What one section's jobs were called means nothing in the next one. */
Test(flame_feed, sections_are_apart)
{
	struct xtr_tables *other = xtr_tables_new();
	struct sim *first = s;

	work();
	feed_jobs(XTR_FLAME_BY_COUNT, NULL);
	xtr_flame_feed_section(feed, other, NULL, NULL);
	cr_assert(eq(int, xtr_flame_feed_job(feed, sim_find(first, 11, 1)), 0));
	free(folded);
	fold();
	cr_expect(eq(int, (strstr(folded, "[stack not in the file] 1\n") != NULL), 1));
	cr_expect(eq(u64, total(), 6));
	xtr_tables_free(other);
}
