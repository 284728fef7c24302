/* SPDX-License-Identifier: BSD-2-Clause */
/* A job's time, divided: by construction it is known what it waited for. */
#include "analysis/blame/path.h"
#include "analysis/blame/split.h"
#include "format/meta/schema.h"
#include "gpu_sim.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define US    1000ull
#define T0    (1000000 * US)
#define GAME  11u /* threads, and their processes */
#define HOG   22u
#define QUEUE XTR_PART_QUEUE

static struct sim *s;
static struct xtr_past *past;
static struct xtr_job_parts *all; /* of s->job[i] */
static bool divided[SIM_JOBS_MAX];

static void setup(void)
{
	s = sim_new();
	past = xtr_past_new();
	all = calloc(SIM_JOBS_MAX, sizeof(*all));
	cr_assert(past && all);
	sim_device(s, "card0", "amdgpu");
	sim_ring(s, 1, "card0", "gfx", 1);
	sim_ring(s, 2, "card0", "sdma0", 2);
	sim_task(s, GAME, GAME, "game", 0);
	sim_task(s, HOG, HOG, "hog", 0);
}

static void teardown(void)
{
	xtr_past_free(past);
	free(all);
	sim_free(s);
}

TestSuite(blame, .init = setup, .fini = teardown);

/* Without a gap, from the first event to the end. */
static void tiles(const struct xtr_job *j, const struct xtr_job_parts *p)
{
	uint64_t at = j->submit_ns ?: j->queue_ns ?: j->run_ns;

	cr_assert(gt(u32, p->n, 0));
	for (uint32_t i = 0; i < p->n; i++) {
		cr_assert(eq(u64, p->part[i].from_ns, at), "job %lu:%lu part %u",
			  (unsigned long)j->ctx, (unsigned long)j->seqno, i);
		cr_assert(gt(u64, p->part[i].to_ns, at));
		at = p->part[i].to_ns;
	}
	cr_assert(eq(u64, at, j->done_ns));
}

static void divide(void)
{
	sim_jobs(s);
	for (size_t i = 0; i < s->n_jobs; i++) {
		divided[i] = xtr_split_job(past, &s->job[i], NULL, &all[i]);
		if (divided[i])
			tiles(&s->job[i], &all[i]);
		cr_assert(zero(int, xtr_past_add(past, &s->job[i], divided[i] ? &all[i] : NULL)));
	}
}

static void lost(uint64_t first, uint64_t last)
{
	sim_gap(s, T0 + first * US, T0 + last * US, 3);
	cr_assert(zero(int, xtr_past_lost(past, T0 + first * US, T0 + last * US)));
}

static const struct xtr_job_parts *parts_of(uint64_t ctx, uint64_t seqno)
{
	size_t i = (size_t)(sim_find(s, ctx, seqno) - s->job);

	cr_assert(divided[i]);
	return &all[i];
}

/* i-th part: kind and length; root: kind, job, whose. */
static void part_is(const struct xtr_job_parts *p, uint32_t i, enum xtr_part_kind kind, uint64_t ns)
{
	cr_assert(lt(u32, i, p->n), "no part %u", i);
	cr_expect(eq(str, (char *)xtr_part_name(p->part[i].kind), (char *)xtr_part_name(kind)),
		  "part %u", i);
	cr_expect(eq(u64, p->part[i].to_ns - p->part[i].from_ns, ns), "part %u", i);
}

static void root_is(const struct xtr_job_parts *p, uint32_t i, enum xtr_part_kind kind,
		    uint64_t ctx, uint64_t seqno, uint64_t who)
{
	cr_assert(lt(u32, i, p->n));
	cr_expect(eq(str, (char *)xtr_part_name(p->part[i].root_kind), (char *)xtr_part_name(kind)),
		  "root of part %u", i);
	cr_expect(eq(u64, p->part[i].root.ctx, ctx), "root of part %u", i);
	cr_expect(eq(u64, p->part[i].root.seqno, seqno), "root of part %u", i);
	cr_expect(eq(u64, p->part[i].root_who, who), "root of part %u", i);
}

static void job_of(uint32_t tid, uint64_t ctx, uint64_t seqno, uint32_t ring, uint64_t queue,
		   uint64_t run, uint64_t done)
{
	s->tid = tid;
	sim_job(s, ctx, seqno, ring, T0 + queue * US, T0 + run * US, T0 + done * US);
}

Test(blame, a_full_ring_is_whose_job_it_executes)
{
	const struct xtr_job_parts *p;

	job_of(HOG, 200, 1, 1, 0, 1, 101);
	job_of(GAME, 100, 1, 1, 11, 103, 153);
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 3));
	part_is(p, 0, XTR_PART_FULL, 90 * US);
	root_is(p, 0, XTR_PART_EXECUTION, 200, 1, HOG);
	cr_expect(eq(u64, p->part[0].job.ctx, 200));
	cr_expect(eq(u32, p->part[0].root_ring, 1));
	part_is(p, 1, XTR_PART_SCHEDULER, 2 * US);
	part_is(p, 2, XTR_PART_EXECUTION, 50 * US);
	root_is(p, 2, XTR_PART_EXECUTION, 100, 1, GAME);
	cr_expect(eq(int, p->part[2].quality, XTR_QUALITY_EXACT));
}

Test(blame, on_the_hardware_it_waits_for_the_one_before)
{
	const struct xtr_job_parts *p;

	job_of(HOG, 200, 1, 2, 0, 0, 100);
	job_of(GAME, 100, 1, 2, 10, 20, 160);
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 3));
	part_is(p, 0, XTR_PART_SCHEDULER, 10 * US);
	part_is(p, 1, XTR_PART_RING, 80 * US);
	root_is(p, 1, XTR_PART_EXECUTION, 200, 1, HOG);
	part_is(p, 2, XTR_PART_EXECUTION, 60 * US);
}

/* game's job waits for a copy, which waits for the hog's: who is to blame changes in the middle. */
static void chain(void)
{
	job_of(HOG, 200, 1, 1, 0, 1, 101);
	s->tid = GAME;
	sim_queue(s, T0 + 5 * US, 300, 7, 2);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0 + 6 * US, 300, 7, 200, 1, 2, 0);
	sim_queue(s, T0 + 8 * US, 100, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0 + 9 * US, 100, 1, 300, 7, 1, 0);
	sim_run(s, T0 + 104 * US, 300, 7, 2);
	sim_done(s, T0 + 154 * US, 300, 7, 2);
	sim_run(s, T0 + 156 * US, 100, 1, 1);
	sim_done(s, T0 + 176 * US, 100, 1, 1);
}

Test(blame, a_dependency_is_followed_to_its_root)
{
	const struct xtr_job_parts *p;

	chain();
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 6));
	part_is(p, 0, XTR_PART_FULL, 1 * US); /* before the scheduler looked at its dependencies */
	root_is(p, 0, XTR_PART_EXECUTION, 200, 1, HOG);
	part_is(p, 1, XTR_PART_DEPENDENCY, 92 * US);
	root_is(p, 1, XTR_PART_EXECUTION, 200, 1, HOG);
	cr_expect(eq(u64, p->part[1].job.ctx, 300));
	cr_expect(eq(u64, p->part[1].job.seqno, 7));
	part_is(p, 2, XTR_PART_DEPENDENCY, 3 * US);
	root_is(p, 2, XTR_PART_SCHEDULER, 0, 0, 0);
	part_is(p, 3, XTR_PART_DEPENDENCY, 50 * US);
	root_is(p, 3, XTR_PART_EXECUTION, 300, 7, GAME);
	part_is(p, 4, XTR_PART_SCHEDULER, 2 * US);
	part_is(p, 5, XTR_PART_EXECUTION, 20 * US);
}

Test(blame, a_queue_waits_for_its_first_job)
{
	const struct xtr_job_parts *p;

	chain();
	s->tid = GAME;
	sim_queue(s, T0 + 20 * US, 100, 2, 1);
	sim_run(s, T0 + 177 * US, 100, 2, 1);
	sim_done(s, T0 + 180 * US, 100, 2, 1);
	divide();
	p = parts_of(100, 2);
	part_is(p, 0, QUEUE, 81 * US);
	root_is(p, 0, XTR_PART_EXECUTION, 200, 1, HOG);
	cr_expect(eq(u64, p->part[0].job.ctx, 100));
	cr_expect(eq(u64, p->part[0].job.seqno, 1));
	part_is(p, 1, QUEUE, 3 * US);
	part_is(p, 2, QUEUE, 50 * US);
	root_is(p, 2, XTR_PART_EXECUTION, 300, 7, GAME);
	part_is(p, 3, QUEUE, 2 * US);
	part_is(p, 4, XTR_PART_FULL, 20 * US);
	root_is(p, 4, XTR_PART_EXECUTION, 100, 1, GAME);
	part_is(p, 5, XTR_PART_SCHEDULER, 1 * US);
	part_is(p, 6, XTR_PART_EXECUTION, 3 * US);
}

/* A fence of somebody else: that is all that is known. */
Test(blame, a_fence_without_a_job)
{
	const struct xtr_job_parts *p;

	s->tid = GAME;
	sim_queue(s, T0, 100, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0, 100, 1, 9000, 4, 1, 0);
	sim_signaled(s, T0 + 40 * US, 9000, 4, 0);
	sim_run(s, T0 + 42 * US, 100, 1, 1);
	sim_done(s, T0 + 50 * US, 100, 1, 1);
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 3));
	part_is(p, 0, XTR_PART_DEPENDENCY, 40 * US);
	root_is(p, 0, XTR_PART_UNKNOWN, 0, 0, 0);
	cr_expect(eq(u64, p->part[0].job.ctx, 9000));
	part_is(p, 1, XTR_PART_SCHEDULER, 2 * US);
}

Test(blame, what_a_reset_ends_was_never_run)
{
	const struct xtr_job_parts *p;

	s->tid = GAME;
	sim_queue(s, T0, 100, 1, 1);
	sim_signaled(s, T0 + 30 * US, 100, 1, -125);
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 1));
	part_is(p, 0, XTR_PART_RESET, 30 * US);
}

/* A wait for a CPU counts where the ring had room, and only within the job's wait. */
Test(blame, a_thread_without_a_cpu)
{
	const struct xtr_split_wait wait[] = { { T0, T0 + 15 * US, HOG },
					       { T0 + 105 * US, T0 + 109 * US, HOG } };
	const struct xtr_split_thread thread = { .wait = wait, .n = 2 };
	struct xtr_job_parts *p = calloc(1, sizeof(*p));

	cr_assert(p != NULL);
	job_of(HOG, 200, 1, 1, 0, 1, 101);
	job_of(GAME, 100, 1, 1, 11, 110, 153);
	divide();
	cr_assert(xtr_split_job(past, sim_find(s, 100, 1), &thread, p));
	cr_assert(eq(u32, p->n, 5));
	part_is(p, 0, XTR_PART_FULL, 90 * US);
	part_is(p, 1, XTR_PART_SCHEDULER, 4 * US);
	part_is(p, 2, XTR_PART_THREAD, 4 * US);
	root_is(p, 2, XTR_PART_THREAD, 0, 0, HOG);
	part_is(p, 3, XTR_PART_SCHEDULER, 1 * US);
	part_is(p, 4, XTR_PART_EXECUTION, 43 * US);
	free(p);
}

/* What was lost may be the reason: nobody is accused. */
Test(blame, lost_events_are_nobodys_fault)
{
	const struct xtr_job_parts *p;

	job_of(HOG, 200, 1, 1, 0, 1, 101);
	job_of(GAME, 100, 1, 1, 11, 103, 153);
	lost(50, 60);
	divide();
	p = parts_of(100, 1);
	cr_assert(eq(u32, p->n, 3));
	part_is(p, 0, XTR_PART_FULL, 39 * US); /* until then nothing was lost */
	part_is(p, 1, XTR_PART_UNKNOWN, 53 * US);
	part_is(p, 2, XTR_PART_EXECUTION, 50 * US);
}

Test(blame, lost_events_while_it_is_on_the_hardware)
{
	const struct xtr_job_parts *p;

	job_of(HOG, 200, 1, 2, 0, 0, 100);
	job_of(GAME, 100, 1, 2, 10, 20, 160);
	lost(90, 95);
	divide();
	p = parts_of(100, 1);
	part_is(p, 0, XTR_PART_SCHEDULER, 10 * US);
	for (uint32_t i = 1; i < p->n; i++)
		cr_expect(p->part[i].kind == XTR_PART_UNKNOWN ||
			  p->part[i].kind == XTR_PART_EXECUTION);
}

/* A job whose run was lost has been on the hardware since nobody knows when. */
Test(blame, a_ring_that_may_have_been_full)
{
	const struct xtr_job_parts *p;

	s->tid = HOG;
	sim_queue(s, T0, 200, 1, 1);
	sim_done(s, T0 + 80 * US, 200, 1, 1);
	job_of(GAME, 100, 1, 1, 11, 103, 153);
	divide();
	p = parts_of(100, 1);
	part_is(p, 0, XTR_PART_UNKNOWN, 69 * US);
	part_is(p, 1, XTR_PART_SCHEDULER, 23 * US);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Whatever happens, parts add up to the job's time to the nanosecond (tiles, in divide). */
Test(blame, parts_add_up)
{
	uint64_t x = 88172645463325252ull, at = T0;

	for (uint64_t i = 1; i <= 1500; i++) {
		uint32_t ring = 1 + (uint32_t)(next_random(&x) % 3);
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
		if (next_random(&x) % 100 == 0) {
			sim_gap(s, queue, run, 1);
			cr_assert(zero(int, xtr_past_lost(past, queue, run)));
		}
	}
	divide();
	cr_assert(gt(sz, s->n_jobs, 1000));
}

/* More parts than are kept: the oldest are put together, and they still add up. */
Test(blame, many_parts_are_folded)
{
	const struct xtr_job_parts *p;
	uint64_t at = 1;

	s->tid = GAME;
	sim_queue(s, T0, 100, 1, 1);
	for (uint64_t i = 1; i <= 200; i++, at += 10)
		job_of(HOG, 200, i, 1, at, at + 1, at + 9);
	s->tid = GAME;
	sim_run(s, T0 + at * US, 100, 1, 1);
	sim_done(s, T0 + (at + 5) * US, 100, 1, 1);
	divide();
	p = parts_of(100, 1);
	cr_expect(p->folded);
	cr_expect(eq(u32, p->n, XTR_PARTS_MAX));
	part_is(p, p->n - 1, XTR_PART_EXECUTION, 5 * US);
	root_is(p, p->n - 3, XTR_PART_EXECUTION, 200, 200, HOG);
}

/* What is forgotten is not known; there is no more memory than that. */
Test(blame, the_past_is_forgotten)
{
	struct xtr_model_ring ring = { .id = 1, .limit = 1, .name = "", .device_name = "" };
	struct xtr_job j = { .ctx = 5, .ring = &ring };
	struct xtr_job_parts *p = calloc(1, sizeof(*p));

	cr_assert(p != NULL);
	for (uint64_t i = 1; i <= XTR_PAST_JOBS + 10; i++) {
		j.seqno = i;
		j.queue_ns = i * 10;
		j.run_ns = j.start_ns = i * 10 + 1;
		j.done_ns = i * 10 + 5;
		cr_assert(xtr_split_job(past, &j, NULL, p));
		cr_assert(zero(int, xtr_past_add(past, &j, p)));
	}
	cr_expect(xtr_past_job(past, 5, 10) == NULL);
	cr_expect(xtr_past_job(past, 5, 11) != NULL);
	cr_expect(eq(u64, xtr_past_before(past, 5, XTR_PAST_JOBS + 11)->name.seqno,
		     XTR_PAST_JOBS + 10));
	free(p);
}

static int use_memory(void *arg)
{
	struct xtr_model_ring ring = { .id = 1, .limit = 1, .name = "", .device_name = "" };
	struct xtr_job j = { .ctx = 5,
			     .seqno = 1,
			     .queue_ns = 1,
			     .run_ns = 2,
			     .start_ns = 2,
			     .done_ns = 3,
			     .ring = &ring };
	struct xtr_past *p = xtr_past_new();
	int err = p ? xtr_past_add(p, &j, NULL) : -ENOMEM;

	(void)arg;
	xtr_past_free(p);
	return err;
}

Test(blame, without_memory)
{
	cr_assert(gt(uint, oom_each(use_memory, NULL, 0), 4));
}

/* --- the critical path ------------------------------------------------------------------------ */

static void wait_of(uint32_t tid, uint64_t from, uint64_t to, uint64_t ctx, uint64_t seqno)
{
	struct xtr_rec_fence r = { .ctx = ctx, .seqno = seqno };

	s->tid = tid;
	sim_raw(s, T0 + from * US, XTR_EV_FENCE_WAIT_START, &r, sizeof(r));
	sim_raw(s, T0 + to * US, XTR_EV_FENCE_WAIT_END, &r, sizeof(r));
}

static void path_is(const struct xtr_path *p, uint32_t i, unsigned int kind, uint64_t ctx,
		    uint64_t seqno, uint64_t ns)
{
	cr_assert(lt(u32, i, p->n), "no step %u", i);
	cr_expect(eq(str, (char *)xtr_path_name(p->step[i].kind), (char *)xtr_path_name(kind)),
		  "step %u", i);
	cr_expect(eq(u64, p->step[i].job.ctx, ctx), "step %u", i);
	cr_expect(eq(u64, p->step[i].job.seqno, seqno), "step %u", i);
	cr_expect(eq(u64, p->step[i].to_ns - p->step[i].from_ns, ns), "step %u", i);
	cr_expect(i == 0 || p->step[i].from_ns == p->step[i - 1].to_ns, "step %u", i);
}

static struct xtr_submits *all_submits(void)
{
	struct xtr_submits *submits;

	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_QUEUE))));
	cr_assert(
		zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_FENCE_WAIT_START))));
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_FENCE_WAIT_END))));
	cr_assert(zero(int, xtr_submits_new(&submits, s->meta)));
	for (size_t i = 0; i < s->n; i++)
		cr_assert(zero(int, xtr_submits_event(submits, &s->event[i].ev)));
	return submits;
}

/*
 * The hog's job; game waits for it on a CPU (which sees the end 4 us later), draws, and waits in
 * its queue behind a copy of its own.
 */
Test(blame, a_path_leads_through_the_submitter)
{
	struct xtr_path *p = calloc(1, sizeof(*p));
	struct xtr_submits *submits;

	cr_assert(p != NULL);
	job_of(HOG, 200, 1, 1, 10, 12, 100);
	wait_of(GAME, 20, 104, 200, 1);
	job_of(GAME, 300, 1, 2, 110, 111, 130);
	s->tid = GAME;
	sim_queue(s, T0 + 115 * US, 100, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, T0 + 115 * US, 100, 1, 300, 1, 1, 0);
	sim_run(s, T0 + 132 * US, 100, 1, 1);
	sim_done(s, T0 + 150 * US, 100, 1, 1);
	divide();
	submits = all_submits();
	xtr_path_to(past, submits, &(struct xtr_job_name){ 100, 1 }, p);
	cr_assert(eq(u32, p->n, 8));
	path_is(p, 0, XTR_PART_SCHEDULER, 200, 1, 2 * US);
	path_is(p, 1, XTR_PART_EXECUTION, 200, 1, 88 * US);
	path_is(p, 2, XTR_PART_REPORT, 200, 1, 4 * US);
	path_is(p, 3, XTR_PATH_SUBMITTER, 300, 1, 6 * US);
	path_is(p, 4, XTR_PART_SCHEDULER, 300, 1, 1 * US);
	path_is(p, 5, XTR_PART_EXECUTION, 300, 1, 19 * US);
	path_is(p, 6, XTR_PART_SCHEDULER, 100, 1, 2 * US);
	path_is(p, 7, XTR_PART_EXECUTION, 100, 1, 18 * US);
	cr_expect(eq(u32, p->step[3].tid, GAME));
	cr_expect(not(p->cut));
	/* Nothing is known of threads: it begins with the copy's submission. */
	xtr_path_to(past, NULL, &(struct xtr_job_name){ 100, 1 }, p);
	cr_assert(eq(u32, p->n, 4));
	path_is(p, 0, XTR_PART_SCHEDULER, 300, 1, 1 * US);
	xtr_path_to(past, submits, &(struct xtr_job_name){ 5, 5 }, p);
	cr_expect(eq(u32, p->n, 0), "no such job");
	xtr_submits_free(submits);
	free(p);
}

/* A wait for what had ended before held nobody up; a fence of nobody's is where the path begins. */
Test(blame, waits_that_are_on_no_path)
{
	struct xtr_path *p = calloc(1, sizeof(*p));
	struct xtr_submits *submits;

	cr_assert(p != NULL);
	job_of(GAME, 100, 1, 1, 10, 11, 20);
	wait_of(GAME, 30, 31, 100, 1);
	job_of(GAME, 100, 2, 1, 40, 41, 50);
	wait_of(GAME, 55, 60, 9000, 1);
	job_of(GAME, 100, 3, 1, 70, 71, 80);
	divide();
	submits = all_submits();
	xtr_path_to(past, submits, &(struct xtr_job_name){ 100, 2 }, p);
	cr_assert(eq(u32, p->n, 3));
	path_is(p, 0, XTR_PATH_SUBMITTER, 100, 2, 30 * US);
	path_is(p, 1, XTR_PART_SCHEDULER, 100, 2, 1 * US);
	xtr_path_to(past, submits, &(struct xtr_job_name){ 100, 3 }, p);
	cr_assert(eq(u32, p->n, 4));
	path_is(p, 0, XTR_PATH_WAIT, 100, 3, 5 * US);
	path_is(p, 1, XTR_PATH_SUBMITTER, 100, 3, 10 * US);
	xtr_submits_free(submits);
	free(p);
}

/* Whatever happens: a path has no gap, ends with the job, and comes to an end. */
Test(blame, paths_have_no_gap)
{
	struct xtr_path *p = calloc(1, sizeof(*p));
	struct xtr_submits *submits;
	uint64_t x = 362436069ull, at = 0;

	cr_assert(p != NULL);
	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t run, done, ctx = 100 + 10 * (next_random(&x) % 5);

		at += next_random(&x) % 9;
		run = at + next_random(&x) % 50;
		done = run + next_random(&x) % 40;
		if (next_random(&x) % 3 == 0)
			wait_of(next_random(&x) % 2 ? GAME : HOG, at, run,
				100 + 10 * (next_random(&x) % 5), 1 + next_random(&x) % i);
		job_of(next_random(&x) % 2 ? GAME : HOG, ctx, i, 1 + (uint32_t)(i % 2), at, run,
		       done);
	}
	divide();
	submits = all_submits();
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct xtr_job *j = &s->job[i];

		xtr_path_to(past, submits, &(struct xtr_job_name){ j->ctx, j->seqno }, p);
		if (!divided[i] || !p->n)
			continue;
		cr_assert(eq(u64, p->step[p->n - 1].to_ns, j->done_ns));
		for (uint32_t k = 0; k < p->n; k++) {
			cr_assert(lt(u64, p->step[k].from_ns, p->step[k].to_ns));
			cr_assert(k == 0 || p->step[k].from_ns == p->step[k - 1].to_ns);
		}
	}
	xtr_submits_free(submits);
	free(p);
}
