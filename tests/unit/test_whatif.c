/* SPDX-License-Identifier: BSD-2-Clause */
/* What if: by construction it is known when each job would have run and ended. */
#include "analysis/whatif/whatif.h"
#include "replay/event/priority.h"
#include "gpu_sim.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

#define US   1000ull
#define T0   (1000000 * US)
#define GAME 11u /* threads, and their processes */
#define HOG  22u
#define GFX  1u /* rings: one job at once */
#define COPY 2u /* two */
#define HALF (XTR_WHATIF_UNIT / 2)

static struct sim *s;
static struct xtr_whatif *w;
static struct xtr_model *model;
static struct xtr_whatif_sums *sums;
static struct xtr_job *added;
static size_t n_added;
static bool keeps_hog; /* its jobs are not left out */
static int game_level; /* of its jobs, where there are changes; 0: as it was, normal */

static void setup(void)
{
	s = sim_new();
	w = xtr_whatif_new();
	added = calloc(SIM_JOBS_MAX, sizeof(*added));
	n_added = 0;
	keeps_hog = false;
	game_level = 0;
	cr_assert(w && added);
	sim_device(s, "card0", "amdgpu");
	sim_ring(s, GFX, "card0", "gfx", 1);
	sim_ring(s, COPY, "card0", "sdma0", 2);
	sim_task(s, GAME, GAME, "game", 0);
	sim_task(s, HOG, HOG, "hog", 0);
}

static void teardown(void)
{
	xtr_whatif_free(w);
	xtr_model_free(model);
	sim_free(s);
	free(added);
	free(sums);
	model = NULL;
	sums = NULL;
}

TestSuite(whatif, .init = setup, .fini = teardown);

static int on_job(void *ctx, const struct xtr_job *j)
{
	bool other = game_level && j->pid == GAME;
	int err;

	(void)ctx;
	added[n_added++] = *j;
	err = xtr_whatif_add(w, j, true, j->pid == HOG && !keeps_hog);
	if (!err && game_level)
		xtr_whatif_prio(w, other ? (unsigned int)game_level : XTR_PRIORITY_NORMAL, other);
	return err;
}

static int learn(void *arg)
{
	struct xtr_model_opts o = {
		.sz = sizeof(o), .meta = s->meta, .tables = s->tables, .job = on_job
	};
	int err;

	(void)arg;
	sim_sort(s);
	n_added = 0;
	err = xtr_model_new(&model, &o);
	for (size_t i = 0; i < s->n && !err; i++)
		err = xtr_model_event(model, &s->event[i].ev);
	err = err ?: xtr_model_finish(model) ?: xtr_whatif_learn(w, model);
	return err;
}

static struct xtr_whatif_ring *ring(uint32_t id)
{
	for (size_t i = 0; i < xtr_whatif_n_rings(w); i++)
		if (xtr_whatif_ring(w, i)->ring->id == id)
			return xtr_whatif_ring(w, i);
	cr_fatal("no ring %u", id);
	return NULL;
}

static void play(enum xtr_whatif_kind kind)
{
	free(sums);
	sums = calloc(xtr_whatif_n_rings(w) + 1, sizeof(*sums));
	cr_assert(sums != NULL);
	cr_assert(zero(int, xtr_whatif_play(w, kind, sums)));
}

static const struct xtr_whatif_sums *all(void)
{
	return &sums[xtr_whatif_n_rings(w)];
}

static void job_of(uint32_t tid, uint64_t ctx, uint64_t seqno, uint32_t ring, uint64_t queue,
		   uint64_t run, uint64_t done)
{
	s->tid = tid;
	sim_job(s, ctx, seqno, ring, T0 + queue * US, T0 + run * US, T0 + done * US);
}

/* The job was run and ended then, in the last replay; us after T0. */
static void is(uint64_t ctx, uint64_t seqno, uint64_t run, uint64_t done)
{
	struct xtr_whatif_times t;

	for (size_t i = 0; i < n_added; i++)
		if (added[i].ctx == ctx && added[i].seqno == seqno) {
			cr_assert(xtr_whatif_times(w, i, &t));
			cr_expect(eq(u64, t.run_ns - T0, run * US), "run of %lu:%lu",
				  (unsigned long)ctx, (unsigned long)seqno);
			cr_expect(eq(u64, t.done_ns - T0, done * US), "end of %lu:%lu",
				  (unsigned long)ctx, (unsigned long)seqno);
			return;
		}
	cr_fatal("no job %lu:%lu", (unsigned long)ctx, (unsigned long)seqno);
}

/* Every job that is not left as it was is run and ends when it did. */
static void replays(void)
{
	struct xtr_whatif_times t;

	play(XTR_WHATIF_REPLAYED);
	for (size_t i = 0; i < n_added; i++) {
		if (!added[i].queue_ns || !added[i].run_ns || !added[i].done_ns)
			continue;
		cr_assert(xtr_whatif_times(w, i, &t), "job %zu", i);
		cr_expect(eq(u64, t.run_ns, added[i].run_ns), "run of job %zu", i);
		cr_expect(eq(u64, t.done_ns, added[i].done_ns), "end of job %zu", i);
	}
	cr_expect(eq(u64, all()->error50, 0));
	cr_expect(eq(u64, all()->error99, 0));
}

static void learnt(void)
{
	cr_assert(zero(int, learn(NULL)));
	replays();
}

/* The scheduler takes 1 us for each; the hardware 100. */
static void two_queues(void)
{
	job_of(GAME, 100, 1, GFX, 0, 1, 101);
	job_of(HOG, 200, 1, GFX, 10, 102, 202);
	job_of(GAME, 100, 2, GFX, 20, 203, 303);
}

Test(whatif, half_the_execution)
{
	keeps_hog = true;
	two_queues();
	learnt();
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 51);
	is(200, 1, 52, 102);
	is(100, 2, 103, 153);
	cr_expect(eq(u64, all()->jobs, 3));
	cr_expect(eq(u64, all()->busy_ns, 150 * US));
}

Test(whatif, without_a_process)
{
	two_queues();
	learnt();
	play(XTR_WHATIF_RECORDED);
	cr_expect(eq(u64, all()->jobs, 2));
	cr_expect(eq(u64, all()->busy_ns, 200 * US));
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 101);
	is(100, 2, 102, 202);
	cr_expect(eq(u64, all()->jobs, 2));
	cr_expect(eq(u64, all()->removed, 1));
	cr_expect(eq(u64, all()->p99_ns, 182 * US));
	cr_expect(eq(u64, all()->busy_ns, 200 * US));
	cr_expect(eq(u64, all()->wait_ns, 83 * US));
	cr_expect(eq(u64, all()->chain_ns, 200 * US));
}

/* A ring that takes two executes one: what was a wait for room is one on the hardware. */
Test(whatif, a_deeper_ring)
{
	two_queues();
	learnt();
	ring(GFX)->depth = 2;
	s->tid = GAME;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 101);
	is(100, 2, 21, 201);
}

Test(whatif, a_shallow_ring)
{
	job_of(GAME, 100, 1, COPY, 0, 1, 101);
	job_of(GAME, 300, 1, COPY, 0, 3, 201);
	job_of(GAME, 300, 2, COPY, 0, 103, 301);
	learnt();
	cr_expect(eq(u32, ring(COPY)->limit, 2));
	ring(COPY)->depth = 1;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 101);
	is(300, 1, 103, 203);
	is(300, 2, 205, 305);
}

/* A copy, and a job of another ring that needs it. */
static void chain(void)
{
	job_of(GAME, 300, 7, COPY, 0, 2, 102);
	s->tid = GAME;
	sim_queue(s, T0 + 5 * US, 100, 1, GFX);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0 + 6 * US, 100, 1, 300, 7, GFX, 0);
	sim_run(s, T0 + 104 * US, 100, 1, GFX);
	sim_done(s, T0 + 154 * US, 100, 1, GFX);
}

Test(whatif, a_chain_over_two_rings)
{
	chain();
	learnt();
	cr_expect(eq(u64, all()->chain_ns, 150 * US));
	ring(COPY)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(300, 7, 2, 52);
	is(100, 1, 54, 104);
	ring(COPY)->millionths = 2 * XTR_WHATIF_UNIT;
	play(XTR_WHATIF_CHANGED);
	is(300, 7, 2, 202);
	is(100, 1, 204, 254);
	cr_expect(eq(u64, all()->chain_ns, 250 * US));
}

/* Behind its own queue's first job, which waits for another ring. */
Test(whatif, a_queue_keeps_its_order)
{
	chain();
	job_of(GAME, 100, 2, GFX, 20, 155, 165);
	learnt();
	ring(COPY)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 54, 104);
	is(100, 2, 105, 115);
}

Test(whatif, a_fence_of_nobody_stays)
{
	s->tid = GAME;
	sim_queue(s, T0, 100, 1, GFX);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0, 100, 1, 9000, 4, GFX, 0);
	sim_signaled(s, T0 + 40 * US, 9000, 4, 0);
	sim_run(s, T0 + 42 * US, 100, 1, GFX);
	sim_done(s, T0 + 52 * US, 100, 1, GFX);
	learnt();
	cr_expect(eq(u64, ring(GFX)->delay_ns, 2 * US));
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 42, 47);
}

/* Of the first job its queue is lost: it is there, as it was, and the second one waits. */
Test(whatif, a_job_that_lacks_a_time_stays)
{
	s->tid = GAME;
	sim_run(s, T0 + 1 * US, 100, 1, GFX);
	sim_done(s, T0 + 101 * US, 100, 1, GFX);
	job_of(GAME, 300, 1, GFX, 10, 102, 202);
	learnt();
	cr_expect(eq(u64, ring(GFX)->fixed, 1));
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 101);
	is(300, 1, 102, 152);
}

/* How long a reset takes is not the ring's to scale. */
Test(whatif, what_ended_with_an_error_takes_as_long)
{
	s->hw_error = -62;
	job_of(GAME, 100, 1, GFX, 0, 1, 1001);
	sim_signaled(s, T0 + 1001 * US, 100, 1, -62);
	s->hw_error = 0;
	learnt();
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 1001);
}

/* The driver lets several schedulers share an engine: each job has its own time. */
Test(whatif, where_order_is_not_known_each_has_its_time)
{
	sim_device(s, "card1", "xe");
	sim_ring(s, 3, "card1", "rcs0", 8);
	job_of(GAME, 100, 1, 3, 0, 1, 201);
	job_of(GAME, 300, 1, 3, 0, 2, 102);
	learnt();
	cr_expect(not(ring(3)->in_order));
	cr_expect(eq(u64, all()->busy_ns, 200 * US));
	ring(3)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 101);
	is(300, 1, 2, 52);
}

/* The scheduler needed 50 us, and then a job was first that had come meanwhile. */
Test(whatif, a_job_that_was_passed_over)
{
	job_of(GAME, 100, 1, GFX, 0, 50, 60);
	job_of(GAME, 300, 1, GFX, 20, 40, 45);
	job_of(GAME, 100, 2, GFX, 21, 61, 70);
	learnt();
}

/* Each waits for the one before it, and 2 us later the thread submits the next. */
static void loop(void)
{
	job_of(GAME, 100, 1, GFX, 0, 1, 101);
	job_of(GAME, 100, 2, GFX, 103, 104, 204);
	job_of(GAME, 100, 3, GFX, 206, 207, 307);
}

Test(whatif, a_thread_waits_for_its_jobs)
{
	loop();
	learnt();
	cr_expect(eq(u64, ring(GFX)->paced, 3));
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 1, 1, 51);
	is(100, 2, 54, 104);
	is(100, 3, 107, 157);
	cr_expect(eq(u64, all()->p99_ns, 51 * US));
	cr_expect(eq(u64, all()->wait_ns, 3 * US));
	ring(GFX)->millionths = 2 * XTR_WHATIF_UNIT;
	play(XTR_WHATIF_CHANGED);
	is(100, 3, 407, 607);
	xtr_whatif_as_submitted(w);
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 3, 207, 257);
	cr_expect(eq(u64, ring(GFX)->paced, 0));
}

/* What paces a thread that mostly does something else is not known: it submits when it did. */
Test(whatif, a_thread_with_a_pace_of_its_own)
{
	job_of(GAME, 100, 1, GFX, 0, 1, 101);
	job_of(GAME, 100, 2, GFX, 303, 304, 404);
	learnt();
	cr_expect(eq(u64, ring(GFX)->paced, 0));
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 2, 304, 354);
}

/* Two in flight: the third is submitted when the first has ended. */
Test(whatif, a_window_of_two)
{
	job_of(GAME, 100, 1, GFX, 0, 1, 101);
	job_of(GAME, 100, 2, GFX, 5, 102, 202);
	job_of(GAME, 100, 3, GFX, 104, 203, 303);
	job_of(GAME, 100, 4, GFX, 205, 304, 404);
	learnt();
	cr_expect(eq(u64, ring(GFX)->paced, 4));
	ring(GFX)->millionths = HALF;
	play(XTR_WHATIF_CHANGED);
	is(100, 2, 52, 102);
	is(100, 3, 103, 153);
	is(100, 4, 154, 204);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Whatever the times are, and whatever was lost: without a change they are replayed to the ns. */
Test(whatif, what_happened_is_replayed)
{
	uint64_t x = 88172645463325252ull, at = T0;

	sim_device(s, "card1", "xe");
	sim_ring(s, 4, "card1", "rcs0", 3);
	sim_ring(s, 5, "card1", "bcs0", 0);
	for (uint64_t i = 1; i <= 2500; i++) {
		uint32_t ring = 1 + (uint32_t)(next_random(&x) % 5);
		uint64_t ctx = 100 + 10 * (next_random(&x) % 7), queue, run, done;

		at += next_random(&x) % 9000;
		queue = at;
		run = queue + next_random(&x) % 200000;
		done = run + next_random(&x) % 100000;
		s->tid = next_random(&x) % 2 ? GAME : HOG;
		if (next_random(&x) % 20)
			sim_queue(s, queue, ctx, i, ring);
		if (next_random(&x) % 4 == 0 && run > queue)
			sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE,
				queue + next_random(&x) % (run - queue), ctx, i,
				100 + 10 * (next_random(&x) % 7), 1 + next_random(&x) % i, ring, 0);
		if (next_random(&x) % 20)
			sim_run(s, run, ctx, i, ring);
		if (next_random(&x) % 20)
			sim_done(s, done, ctx, i, ring);
		if (next_random(&x) % 100 == 0)
			sim_gap(s, queue, run, 1);
	}
	learnt();
	cr_assert(gt(sz, n_added, 2000));
	cr_assert(gt(u64, all()->errors, 1000));
	ring(GFX)->millionths = 3 * XTR_WHATIF_UNIT;
	ring(COPY)->depth = 1;
	ring(4)->depth = 7;
	play(XTR_WHATIF_CHANGED);
	cr_expect(gt(u64, all()->removed, 500));
	play(XTR_WHATIF_TYPICAL);
	replays();
}

static int use_memory(void *arg)
{
	int err;

	w = xtr_whatif_new();
	err = w ? learn(arg) : -ENOMEM;
	if (!err) {
		sums = calloc(xtr_whatif_n_rings(w) + 1, sizeof(*sums));
		err = sums ? xtr_whatif_play(w, XTR_WHATIF_CHANGED, sums) : -ENOMEM;
	}
	xtr_whatif_free(w);
	xtr_model_free(model);
	free(sums);
	w = NULL;
	model = NULL;
	sums = NULL;
	return err;
}

Test(whatif, without_memory)
{
	two_queues();
	chain();
	xtr_whatif_free(w);
	cr_assert(gt(uint, oom_each(use_memory, NULL, 0), 8));
}

/* The ring takes one job at once; game's came last, and one of hog's queues after the other. */
static void behind_three(void)
{
	keeps_hog = true;
	job_of(HOG, 21, 1, GFX, 0, 0, 100);
	job_of(HOG, 22, 1, GFX, 5, 100, 200);
	job_of(GAME, 11, 1, GFX, 10, 300, 350);
	job_of(HOG, 23, 1, GFX, 8, 200, 300);
}

Test(whatif, a_higher_priority_goes_first)
{
	behind_three();
	game_level = 1;
	cr_assert(zero(int, learn(NULL)));
	replays();
	play(XTR_WHATIF_CHANGED);
	is(21, 1, 0, 100); /* what the hardware has is not taken back */
	is(11, 1, 100, 150);
	is(22, 1, 150, 250);
	is(23, 1, 250, 350);
	cr_expect(eq(u64, ring(GFX)->prio, 1));
}

/* A low one waits for a job that comes while it could be run. */
Test(whatif, a_lower_priority_waits)
{
	keeps_hog = true;
	job_of(HOG, 21, 1, GFX, 0, 0, 100);
	job_of(GAME, 11, 1, GFX, 5, 100, 150);
	job_of(HOG, 22, 1, GFX, 90, 150, 250);
	game_level = 3;
	cr_assert(zero(int, learn(NULL)));
	replays();
	play(XTR_WHATIF_CHANGED);
	is(22, 1, 100, 200);
	is(11, 1, 200, 250);
}

/* On a ring where nobody has another priority all is as it was. */
Test(whatif, priorities_of_other_rings)
{
	keeps_hog = true;
	job_of(HOG, 21, 1, GFX, 0, 0, 100);
	job_of(HOG, 22, 1, GFX, 1, 100, 200);
	job_of(GAME, 12, 1, COPY, 0, 0, 50);
	game_level = 1;
	cr_assert(zero(int, learn(NULL)));
	play(XTR_WHATIF_CHANGED);
	is(21, 1, 0, 100);
	is(22, 1, 100, 200);
	is(12, 1, 0, 50);
	cr_expect(zero(u64, ring(GFX)->prio));
	cr_expect(eq(u64, ring(COPY)->prio, 1));
}
