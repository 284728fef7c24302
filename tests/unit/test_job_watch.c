/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs on the hardware as a trigger sees them: their order, their ends, and what finds no room. */
#include "recorder/flight/job_watch.h"
#include "recorder/host/bpfdefs.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define TOLD 64

static struct told {
	struct xtr_watched job;
	uint64_t now;
	bool done;
} told[TOLD];
static size_t n_told, n_all;

static void tell(void *ctx, struct xtr_watched *job, uint64_t now, bool done)
{
	bool *ends_only = ctx;

	n_all++;
	if (n_told < TOLD && (done || !*ends_only))
		told[n_told++] = (struct told){ *job, now, done };
}

static struct xtr_job_watch w;
static bool ends_only;

static void setup(void)
{
	cr_assert_eq(xtr_job_watch_open(&w), 0);
	n_told = n_all = 0;
	ends_only = true;
}

static void teardown(void)
{
	xtr_job_watch_close(&w);
}

TestSuite(job_watch, .init = setup, .fini = teardown);

static void step(uint32_t type, uint64_t ts, uint64_t seqno, uint32_t tid)
{
	xtr_job_watch_step(&w, &(struct xtr_watch_step){ ts, 7, seqno, tid, type });
}

static void round_at(uint64_t watermark)
{
	xtr_job_watch_round(&w, watermark, tell, &ends_only);
}

Test(job_watch, a_job_from_its_queue_to_its_end)
{
	step(XTR_EV_JOB_QUEUE, 100, 1, 55);
	step(XTR_EV_JOB_RUN, 200, 1, 66);
	step(XTR_EV_JOB_DONE, 350, 1, 0);
	round_at(1000);
	cr_assert_eq(n_told, 1);
	cr_assert_eq(told[0].job.run, 200);
	cr_assert_eq(told[0].job.seqno, 1);
	cr_assert_eq(told[0].job.ctx, 7);
	cr_assert_eq(told[0].job.tid, 55, "the submitter, not the worker");
	cr_assert_eq(told[0].now, 350);
	cr_assert(told[0].done);
	round_at(2000);
	cr_assert_eq(n_all, 1);
}

/* Batches of CPUs come one after the other: the end may be told before the beginning. */
Test(job_watch, steps_come_in_any_order)
{
	step(XTR_EV_JOB_DONE, 350, 1, 0);
	step(XTR_EV_JOB_RUN, 360, 2, 0);
	round_at(100);
	step(XTR_EV_JOB_RUN, 200, 1, 0);
	step(XTR_EV_JOB_DONE, 400, 2, 0);
	round_at(400);
	cr_assert_eq(n_told, 1);
	cr_assert_eq(told[0].job.run, 200);
	round_at(401);
	cr_assert_eq(n_told, 2);
	cr_assert_eq(told[1].now, 400);
}

Test(job_watch, what_is_on_the_hardware_is_told_each_round)
{
	ends_only = false;
	step(XTR_EV_JOB_RUN, 200, 1, 0);
	step(XTR_EV_JOB_RUN, 500, 2, 0);
	round_at(300);
	round_at(600);
	step(XTR_EV_JOB_DONE, 700, 1, 0);
	round_at(800);
	cr_assert_eq(n_told, 5);
	cr_assert_eq(told[0].now, 300);
	cr_assert_eq(told[0].job.seqno, 1);
	cr_assert_not(told[0].done);
	cr_assert_eq(told[3].job.seqno, 1);
	cr_assert(told[3].done);
	cr_assert_eq(told[4].job.seqno, 2);
	cr_assert_not(told[4].done);
}

Test(job_watch, what_is_noted_of_a_job_stays)
{
	ends_only = false;
	step(XTR_EV_JOB_RUN, 200, 1, 0);
	round_at(300);
	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++)
		if (w.job[i].used)
			w.job[i].told = 5;
	step(XTR_EV_JOB_RUN, 400, 1, 0); /* again, after a reset */
	step(XTR_EV_JOB_DONE, 500, 1, 0);
	round_at(600);
	cr_assert_eq(told[1].job.told, 5);
	cr_assert_eq(told[1].job.run, 200);
}

Test(job_watch, others_are_ignored)
{
	step(XTR_EV_JOB_DONE, 10, 1, 0); /* it ran before */
	step(XTR_EV_FENCE_SIGNALED, 20, 1, 0);
	round_at(100);
	cr_assert_eq(n_all, 0);
	cr_assert_eq(w.unwatched, 0);
}

/* The ends of the first ones were lost: they make room, and those that come are watched. */
Test(job_watch, too_many_jobs_are_counted)
{
	for (uint32_t i = 0; i < XTR_WATCHED_MAX; i++)
		step(XTR_EV_JOB_RUN, 1000 + i, i, 0);
	round_at(100000);
	cr_assert_eq(w.unwatched, 0);
	cr_assert_eq(n_all, XTR_WATCHED_MAX);
	step(XTR_EV_JOB_RUN, 200000, 99999, 0);
	step(XTR_EV_JOB_DONE, 200010, 99999, 0);
	step(XTR_EV_JOB_DONE, 200020, XTR_WATCHED_MAX - 1, 0);
	round_at(300000);
	cr_assert_eq(n_told, 2);
	cr_assert_eq(told[0].job.seqno, 99999);
	cr_assert_eq(told[1].job.seqno, XTR_WATCHED_MAX - 1);
	cr_assert_gt(w.unwatched, XTR_WATCHED_MAX / 4);
	cr_assert_lt(w.unwatched, XTR_WATCHED_MAX * 3 / 4);
	cr_assert_eq(w.n_spare, w.unwatched + 1);
}

/* Without a round mark nothing can be said: no job is called hung because its end was forgotten. */
Test(job_watch, too_many_steps_forget_all)
{
	ends_only = false;
	step(XTR_EV_JOB_RUN, 1, 1, 0);
	round_at(2);
	cr_assert_eq(n_told, 1);
	for (uint32_t i = 0; i <= XTR_JOB_STEPS_MAX; i++)
		step(XTR_EV_JOB_QUEUE, 10 + i, i, 0);
	cr_assert_eq(w.unwatched, XTR_JOB_STEPS_MAX + 1);
	round_at(1000000);
	cr_assert_eq(n_told, 1);
	cr_assert_eq(w.n_spare, XTR_WATCHED_MAX);
}

/* Against a plain list: random jobs, batches in random order. */
Test(job_watch, random_jobs)
{
	enum {
		JOBS = 2000
	};
	static uint64_t run[JOBS], done[JOBS];
	static struct xtr_watch_step steps[2 * JOBS];
	size_t n = 0, ends = 0;

	srand(7);
	for (uint64_t i = 0; i < JOBS; i++) {
		run[i] = 1000 + (uint64_t)rand() % 100000;
		done[i] = run[i] + (uint64_t)rand() % 1000;
		steps[n++] = (struct xtr_watch_step){ run[i], 3, i, 0, XTR_EV_JOB_RUN };
		steps[n++] = (struct xtr_watch_step){ done[i], 3, i, 0, XTR_EV_JOB_DONE };
	}
	for (size_t i = n - 1; i; i--) {
		size_t k = (size_t)rand() % (i + 1);
		struct xtr_watch_step s = steps[i];

		steps[i] = steps[k];
		steps[k] = s;
	}
	for (size_t i = 0; i < n; i++)
		xtr_job_watch_step(&w, &steps[i]);
	for (uint64_t mark = 0; mark < 110000; mark += 500) {
		n_told = 0;
		round_at(mark);
		for (size_t i = 0; i < n_told; i++, ends++) {
			cr_assert_eq(told[i].job.run, run[told[i].job.seqno]);
			cr_assert_eq(told[i].now, done[told[i].job.seqno]);
			cr_assert_lt(told[i].now, mark);
		}
	}
	cr_assert_eq(ends, JOBS);
	cr_assert_eq(w.n_spare, XTR_WATCHED_MAX);
}
