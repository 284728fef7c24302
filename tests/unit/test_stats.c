/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics against sums done by hand; busy time, selection, and what the two generations of
 * kernels say. */
#include "gpu_sim.h"
#include "analysis/core/stats_impl.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull

static struct sim *s;
static struct xtr_stats *st;

static void setup(void)
{
	s = sim_new();
	sim_device(s, "gpu.1", "xe");
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 2, "gpu.0", "comp", 8);
	sim_ring(s, 4, "gpu.1", "rcs0", 8);
	sim_task(s, 90, 90, "game", 0);
	sim_task(s, 91, 90, "game:gl", 0);
	sim_task(s, 95, 95, "editor", 0);
}

static void teardown(void)
{
	xtr_stats_free(st);
	st = NULL;
	sim_free(s);
}

TestSuite(stats, .init = setup, .fini = teardown);

static const struct xtr_stats_row *row_of_ring(uint32_t id)
{
	for (size_t i = 0; i < xtr_stats_n_rows(st, XTR_BY_RING); i++)
		if (xtr_stats_row(st, XTR_BY_RING, i)->ring->id == id)
			return xtr_stats_row(st, XTR_BY_RING, i);
	cr_assert(eq(int, 0, 1), "no row for ring %u", id);
	return NULL;
}

static const struct xtr_stats_row *row_of_pid(uint32_t pid)
{
	for (size_t i = 0; i < xtr_stats_n_rows(st, XTR_BY_PROCESS); i++)
		if (xtr_stats_row(st, XTR_BY_PROCESS, i)->process == pid)
			return xtr_stats_row(st, XTR_BY_PROCESS, i);
	cr_assert(eq(int, 0, 1), "no row for process %u", pid);
	return NULL;
}

/* Two rings of a device that overlap: 10 to 40 and 30 to 60, then 80 to 90 ms. */
static void overlapping(void)
{
	s->tid = 91;
	sim_job(s, 11, 1, 1, 5 * MS, 10 * MS, 40 * MS);
	s->tid = 95;
	sim_job(s, 21, 1, 2, 6 * MS, 30 * MS, 60 * MS);
	sim_job(s, 11, 2, 1, 20 * MS, 35 * MS, 45 * MS);
	sim_job(s, 21, 2, 2, 7 * MS, 80 * MS, 90 * MS);
}

Test(stats, sums_by_hand)
{
	const struct xtr_stats_row *r;

	overlapping();
	st = sim_stats(s, NULL, 10);
	r = row_of_ring(1);
	cr_expect(eq(u64, r->agg.jobs, 2));
	cr_expect(
		eq(u64, r->agg.exec_min, 35 * MS)); /* 30 and 5: the second waited for the first */
	cr_expect(eq(u64, r->agg.exec_max, 35 * MS));
	cr_expect(eq(u64, r->agg.residence.sum, 40 * MS));
	cr_expect(eq(u64, r->agg.hw_wait.sum, 5 * MS));
	cr_expect(eq(u64, r->agg.queue_wait.sum, 20 * MS));
	cr_expect(eq(u64, r->agg.exec.max, 30 * MS));
	cr_expect(eq(u64, r->busy.total, 35 * MS));
	r = row_of_pid(90);
	cr_expect(eq(u64, r->agg.exec_max, 30 * MS));
	cr_expect(eq(str, (char *)xtr_tables_string(s->tables, r->comm, NULL), "game"));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 4));
}

/* Utilisation is a union: 10 to 60 and 80 to 90 ms are 60 ms, although the sum is 75. */
Test(stats, busy_is_a_union)
{
	const struct xtr_stats_row *dev;

	overlapping();
	st = sim_stats(s, NULL, 10);
	cr_assert(eq(sz, xtr_stats_n_rows(st, XTR_BY_DEVICE), 1));
	dev = xtr_stats_row(st, XTR_BY_DEVICE, 0);
	cr_expect(eq(u64, dev->busy.total, 60 * MS));
	cr_expect(eq(u64, dev->agg.exec_max, 75 * MS));
	/* The editor's: 30 to 60 (other ring), 40 to 45 behind the game's, 80 to 90. */
	cr_expect(eq(u64, row_of_pid(95)->busy.total, 40 * MS));
}

/*
 * Pairs that overlap, 0 to 4 and 1 to 7 ms of every 16: when memory for a pair's first stretch is
 * short, the second one has been handed out and is open in the model no more, but still counts.
 */
Test(stats, busy_overlaps_what_may_be_forgotten)
{
	uint64_t at;

	for (uint64_t i = 0; i < 400; i++) {
		at = (i + 1) * 16 * MS;
		sim_job(s, 11, 2 * i, 1, at - MS, at, at + 4 * MS);
		sim_job(s, 11, 2 * i + 1, 1, at - MS, at + MS, at + 7 * MS);
	}
	st = sim_stats(s, NULL, 10);
	cr_expect(eq(u64, row_of_ring(1)->busy.total, 400 * 7 * MS));
	cr_expect(eq(u64, xtr_stats_row(st, XTR_BY_DEVICE, 0)->busy.total, 400 * 7 * MS));
	cr_expect(eq(int, row_of_ring(1)->busy.inexact, 0));
}

/* An engine that is shared: only bounds, and the rows that hold it say so. */
Test(stats, bounded_rows)
{
	const struct xtr_stats_row *r;

	sim_job(s, 41, 1, 4, 1 * MS, 2 * MS, 10 * MS);
	sim_job(s, 43, 1, 4, 1 * MS, 3 * MS, 12 * MS);
	sim_job(s, 11, 1, 1, 1 * MS, 2 * MS, 6 * MS);
	st = sim_stats(s, NULL, 10);
	r = row_of_ring(4);
	cr_expect(eq(int, r->bounded, 1));
	cr_expect(eq(u64, r->agg.exec.n, 0));
	/* 8, and 2 since the first was done */
	cr_expect(eq(u64, r->agg.exec_min, 10 * MS - 2 * XTR_REPORT_NS));
	cr_expect(eq(u64, r->agg.exec_max, 17 * MS));
	cr_expect(eq(u64, r->agg.quality[XTR_QUALITY_BOUNDED], 2));
	cr_expect(eq(int, row_of_ring(1)->bounded, 0));
	cr_expect(eq(int, xtr_stats_total(st)->bounded, 1));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.exec.n, 1));
}

/* One pass: jobs counted as inferred before the first inversion are bounded in the end. */
Test(stats, late_verdict_changes_all)
{
	const struct xtr_stats_row *r;

	for (uint64_t i = 0; i < 20; i++)
		sim_job(s, 21, 1 + i, 2, (1 + 10 * i) * MS, (2 + 10 * i) * MS, (6 + 10 * i) * MS);
	sim_job(s, 23, 1, 2, 300 * MS, 301 * MS, 309 * MS);
	sim_job(s, 25, 1, 2, 300 * MS, 302 * MS, 304 * MS);
	st = sim_stats(s, NULL, 3);
	r = row_of_ring(2);
	cr_expect(eq(u64, r->agg.quality[XTR_QUALITY_BOUNDED], 22));
	cr_expect(eq(u64, r->agg.quality[XTR_QUALITY_INFERRED], 0));
	cr_expect(eq(u64, r->agg.exec.n, 0));
	cr_expect(eq(u64, r->agg.exec_max, 90 * MS));
	cr_expect(eq(u64, r->agg.exec_min, 87 * MS - 22 * XTR_REPORT_NS));
}

Test(stats, slowest_jobs)
{
	for (uint64_t i = 0; i < 50;
	     i++) /* 7 is prime to 50: all lengths from 0 to 49 us, shuffled */
		sim_job(s, 11, 1 + i, 1, (1 + i) * MS, (1 + i) * MS + 1,
			(1 + i) * MS + 1 + i * 7 % 50 * US);
	st = sim_stats(s, NULL, 5);
	for (uint64_t i = 0; i < 5; i++)
		cr_expect(eq(u64, st->slowest[i].value, (49 - i) * US));
	cr_expect(eq(sz, xtr_stats_n_slowest(st), 5));
}

Test(stats, unfinished_and_unusual)
{
	const struct xtr_agg *a;

	sim_queue(s, 1 * MS, 11, 1, 1);
	sim_run(s, 2 * MS, 11, 1, 1);
	sim_queue(s, 1 * MS, 11, 2, 1);
	sim_queue(s, 1 * MS, 13, 1, 1);
	sim_signaled(s, 2 * MS, 13, 1, -ESRCH);
	st = sim_stats(s, NULL, 5);
	a = &row_of_ring(1)->agg;
	cr_expect(eq(u64, a->on_hardware, 1));
	cr_expect(eq(u64, a->in_queue, 1));
	cr_expect(eq(u64, a->killed, 1));
	cr_expect(eq(u64, a->errors, 1));
	cr_expect(eq(u64, a->quality[XTR_QUALITY_OPEN], 2));
	cr_expect(eq(u64, a->quality[XTR_QUALITY_EXACT], 1));
	cr_expect(eq(u64, a->resided, 0));
}

/* Jobs of one context that change their process and client, and contexts and rings that share what
 * is kept of the last job: each job is its own owner's. */
Test(stats, owners_that_change)
{
	const uint64_t other = 11 + 2 * STATS_LAST_OWNERS;

	sim_ring(s, 1 + XTR_RINGS_CACHED, "gpu.0", "far", 8);
	s->flags = XTR_JOB_CLIENT_KNOWN;
	for (uint64_t i = 0; i < 30; i++) {
		s->tid = i % 3 ? 91 : 95;
		s->client_id = i % 5 ? 7 : 8;
		sim_job(s, i % 2 ? 11 : other, 1 + i, i % 7 ? 1 : 1 + XTR_RINGS_CACHED,
			(10 * i + 1) * MS, (10 * i + 2) * MS, (10 * i + 3) * MS);
	}
	st = sim_stats(s, NULL, 10);
	cr_expect(eq(u64, row_of_pid(95)->agg.jobs, 10));
	cr_expect(eq(u64, row_of_pid(90)->agg.jobs, 20));
	cr_expect(eq(u64, row_of_ring(1)->agg.jobs, 25));
	cr_expect(eq(u64, row_of_ring(1 + XTR_RINGS_CACHED)->agg.jobs, 5));
	cr_assert(eq(sz, xtr_stats_n_rows(st, XTR_BY_CLIENT), 2));
	for (uint64_t i = 0; i < 2; i++) {
		const struct xtr_stats_row *r = xtr_stats_row(st, XTR_BY_CLIENT, i);

		cr_expect(eq(u64, r->agg.jobs, r->client_id == 8 ? 6 : 24));
	}
}

/* By ring, process, and time of completion; events outside the window are not counted. */
Test(stats, selection)
{
	static const char *const gfx[] = { "gf*" };
	static const uint32_t editor[] = { 95 };
	struct xtr_select sel = { .rings = gfx, .n_rings = 1 };

	overlapping();
	st = sim_stats(s, &sel, 5);
	cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 2));
	xtr_stats_free(st);
	sel = (struct xtr_select){ .pids = editor, .n_pids = 1 };
	st = sim_stats(s, &sel, 5);
	cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 3));
	cr_expect(eq(sz, xtr_stats_n_rows(st, XTR_BY_PROCESS), 1));
	xtr_stats_free(st);
	sel = (struct xtr_select){ .from = 40 * MS, .to = 45 * MS };
	st = sim_stats(s, &sel, 5);
	cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 2));
	cr_expect(eq(u64, row_of_ring(1)->agg.exec_max, 35 * MS));
	cr_expect(eq(u64, xtr_stats_events(st), 2));
	cr_expect(eq(u64, row_of_ring(1)->busy.total, 5 * MS)); /* not what was before the window */
}

/* As the tutorials' scripts count them: jobs run and queue depth per ring. */
Test(stats, depth)
{
	const struct xtr_stats_ring *r;

	for (uint64_t i = 0; i < 10; i++) {
		s->job_count = (uint32_t)i;
		sim_queue(s, 1 + i, 11, 1 + i, 1);
		sim_run(s, 100 + i, 11, 1 + i, 1);
	}
	st = sim_stats(s, NULL, 5);
	r = xtr_stats_ring(st, row_of_ring(1)->ring->index);
	cr_expect(eq(u64, r->queued, 10));
	cr_expect(eq(u64, r->run, 10));
	cr_expect(eq(u64, r->depth_queue.max, 9));
	cr_expect(eq(u64, xtr_hist_quantile(&r->depth_queue, 500), 4));
	cr_expect(eq(u64, r->depth_run.sum, 45));
}

Test(stats, who_blocks_whom)
{
	const struct xtr_stats_blocker *b;

	sim_job(s, 21, 1, 2, 1 * US, 5 * US, 100 * US);
	sim_queue(s, 10 * US, 11, 1, 1);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 20 * US, 11, 1, 21, 1, 1, 0);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 101 * US, 11, 1, 500, 3, 1, 0);
	sim_run(s, 111 * US, 11, 1, 1);
	sim_done(s, 150 * US, 11, 1, 1);
	st = sim_stats(s, NULL, 5);
	cr_assert(eq(sz, xtr_stats_n_blockers(st), 2));
	b = &st->blocker[0];
	cr_expect(eq(u32, b->ring_id, 1));
	cr_expect(eq(u32, b->blocker_id, 2));
	cr_expect(eq(u64, b->total, 80 * US));
	cr_expect(eq(u32, st->blocker[1].blocker_id, 0));
	cr_assert(eq(u32, st->n_waits, 2));
	cr_expect(eq(u64, st->wait[0].dep.ctx, 21));
	cr_expect(eq(u64, row_of_ring(1)->agg.dep_wait, 90 * US));
}

/* Jobs among many events that nobody takes, some of them at the same times. */
#define OTHERS 1500u /* type */
static void jobs_among_others(void)
{
	uint8_t rec[24] = { 0 };

	for (uint64_t i = 0; i < 300; i++)
		sim_raw(s, i * 100 * US, OTHERS + i % 3, rec, sizeof(rec));
	sim_job(s, 11, 1, 1, 500 * US, 600 * US, 1000 * US);
	sim_signaled(s, 1001 * US, 11, 1, 0);
	sim_job(s, 21, 1, 2, 4000 * US, 4000 * US, 9000 * US);
	sim_job(s, 11, 2, 1, 25000 * US, 26000 * US, 29000 * US);
	sim_gap(s, 12000 * US, 12500 * US, 7);
	sim_queue(s, 29800 * US, 21, 2, 2);
}

/* The same events in batches of n, and whether they say the same as st, which got them singly. */
static void compare_batches(const struct xtr_select *select, size_t n)
{
	struct xtr_stats_opts o = {
		.sz = sizeof(o), .meta = s->meta, .tables = s->tables, .top = 10, .select = *select
	};
	struct xtr_event *ev = calloc(s->n, sizeof(*ev));
	uint64_t first[2], last[2];
	struct xtr_stats *b;

	cr_assert(zero(int, xtr_analyses_new(&o.analyses, s->meta, s->tables, select, ~0u, 10)));
	cr_assert(zero(int, xtr_stats_new(&b, &o)));
	for (size_t i = 0; i < s->n; i++)
		ev[i] = s->event[i].ev;
	for (size_t i = 0; i < s->n; i += n)
		cr_assert(zero(int, xtr_stats_batch(b, ev + i, s->n - i < n ? s->n - i : n)));
	cr_assert(zero(int, xtr_stats_finish(b)));
	cr_expect(eq(u64, xtr_stats_events(b), xtr_stats_events(st)));
	for (size_t i = OTHERS; i < OTHERS + 3; i++)
		cr_expect(eq(u64, b->types[i], st->types[i]));
	xtr_stats_span(st, &first[0], &last[0]);
	xtr_stats_span(b, &first[1], &last[1]);
	cr_expect(eq(u64, first[1], first[0]));
	cr_expect(eq(u64, last[1], last[0]));
	cr_expect(eq(u64, xtr_stats_total(b)->agg.jobs, xtr_stats_total(st)->agg.jobs));
	cr_expect(eq(u64, xtr_stats_total(b)->agg.exec_max, xtr_stats_total(st)->agg.exec_max));
	cr_expect(eq(u64, xtr_stats_total(b)->busy.total, xtr_stats_total(st)->busy.total));
	xtr_stats_free(b);
	xtr_analyses_free(o.analyses);
	free(ev);
}

Test(stats, batches)
{
	static const uint32_t pid = 91;
	const struct xtr_select select[] = {
		{ 0 },
		{ .from = 950 * US },
		{ .from = 1000 * US, .to = 8000 * US },
		{ .to = 8000 * US },
		{ .from = 100 * MS },
		{ .pids = &pid, .n_pids = 1 },
	};

	jobs_among_others();
	for (size_t i = 0; i < sizeof(select) / sizeof(select[0]); i++) {
		st = sim_stats(s, &select[i], 10);
		for (size_t n = 1; n <= 1000; n = n * 3 + 1)
			compare_batches(&select[i], n);
		if (!i)
			cr_expect(eq(u64, st->types[OTHERS + 1], 100));
		if (!i)
			cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 4));
		xtr_stats_free(st);
	}
	st = NULL;
}

/*
 * Jobs of three rings, some of which wait for others; in the middle there are 1500 of which nobody
 * hears for a while, so that one event lets go of them all.
 */
static void many_jobs(void)
{
	static const uint32_t rings[] = { 1, 2, 4 }, tids[] = { 90, 91, 95 };

	for (uint64_t i = 1; i <= 6000; i++) {
		bool burst = i > 4000 && i <= 5500;
		uint64_t ctx = 11 + 2 * (i % 10), at = burst ? 4000 * 50 * US + i : i * 50 * US;
		uint32_t ring = rings[i % 3];

		s->tid = tids[i % 3];
		s->client_id = i % 7;
		sim_queue(s, at, ctx, i, ring);
		if (i % 5 == 0)
			sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, at + 2 * US, ctx, i,
				11 + 2 * ((i - 1) % 10), i - 1, ring, 0);
		sim_run(s, at + 30 * US, ctx, i, ring);
		sim_done(s, at + (40 + i % 97) * US, ctx, i, ring);
		sim_signaled(s, at + (41 + i % 97) * US, ctx, i, i % 500 ? 0 : -5);
	}
	sim_gap(s, 285 * MS, 286 * MS, 7);
}

static void put_hist(FILE *f, const struct xtr_hist *h)
{
	fprintf(f, " %ju/%ju/%ju/%ju", (uintmax_t)h->n, (uintmax_t)h->sum,
		(uintmax_t)xtr_hist_quantile(h, 500), (uintmax_t)xtr_hist_quantile(h, 990));
}

static void put_row(FILE *f, const struct xtr_stats *x, const struct xtr_stats_row *r)
{
	fprintf(f, "row %ju %ju %ju %ju %d:", (uintmax_t)r->process, (uintmax_t)r->client_id,
		(uintmax_t)r->agg.jobs, (uintmax_t)r->busy.total, r->busy_bounded);
	put_hist(f, &r->agg.exec);
	put_hist(f, &r->agg.queue_wait);
	if (r->ring) {
		put_hist(f, xtr_stats_dep_wait(x, r->ring->index));
		put_hist(f, &xtr_stats_ring(x, r->ring->index)->depth_queue);
	}
	fputc('\n', f);
}

/* What x and its analyses say, but for texts; to be freed. */
static char *all_of(const struct xtr_stats *x, const struct xtr_analyses *a)
{
	const struct xtr_findings *found = xtr_analyses_findings(a);
	uint64_t first, last;
	struct xtr_json j;
	size_t n;
	char *text;
	FILE *f = open_memstream(&text, &n);

	xtr_stats_span(x, &first, &last);
	fprintf(f, "%ju events %ju-%ju, %u findings\n", (uintmax_t)xtr_stats_events(x),
		(uintmax_t)first, (uintmax_t)last, found->n);
	for (enum xtr_stats_by by = 0; by < XTR_BY_COUNT; by++)
		for (size_t i = 0; i < xtr_stats_n_rows(x, by); i++)
			put_row(f, x, xtr_stats_row(x, by, i));
	for (uint32_t i = 0; i < x->n_slowest; i++)
		fprintf(f, "slow %ju %ju\n", (uintmax_t)x->slowest[i].job.seqno,
			(uintmax_t)x->slowest[i].value);
	for (uint32_t i = 0; i < x->n_waits; i++)
		fprintf(f, "wait %ju %ju\n", (uintmax_t)x->wait[i].seqno,
			(uintmax_t)x->wait[i].dep.from_ns);
	for (uint32_t i = 0; i < x->n_blockers; i++)
		fprintf(f, "blocker %u %ju\n", x->blocker[i].blocker_id,
			(uintmax_t)x->blocker[i].total);
	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (xtr_analyses_has(a, i)) {
			xtr_json_init(&j, f, true);
			xtr_json_begin_object(&j);
			xtr_json_key(&j, xtr_analyses[i]->name);
			xtr_analyses_json(a, i, &j);
			xtr_json_end_object(&j);
		}
	fclose(f);
	return text;
}

enum how {
	ALONE,       /* all in this thread */
	BESIDE,      /* with a thread, as long as it is allowed */
	NOW_AND_THEN /* that ends after every 50th batch, and begins anew */
};

/* What is said of the events of s, in batches of n; to be freed. */
static char *played(const struct xtr_select *select, size_t n, enum how how)
{
	struct xtr_stats_opts o = {
		.sz = sizeof(o), .meta = s->meta, .tables = s->tables, .top = 10, .select = *select
	};
	struct xtr_event *ev = calloc(s->n, sizeof(*ev));
	struct xtr_stats *x;
	bool beside = false;
	char *text;

	cr_assert(zero(int, xtr_analyses_new(&o.analyses, s->meta, s->tables, select, ~0u, 10)));
	cr_assert(zero(int, xtr_stats_new(&x, &o)));
	for (size_t i = 0; i < s->n; i++)
		ev[i] = s->event[i].ev;
	for (size_t i = 0; i < s->n; i += n) {
		if (how == NOW_AND_THEN && i / n % 50 == 49)
			xtr_stats_keeps(x, false);
		if (how != ALONE)
			xtr_stats_keeps(x, true);
		cr_assert(zero(int, xtr_stats_batch(x, ev + i, s->n - i < n ? s->n - i : n)));
		beside |= x->aside != NULL;
	}
	cr_expect(eq(int, beside, how != ALONE), "there is a thread where one is allowed");
	xtr_stats_keeps(x, false);
	cr_expect(zero(ptr, x->aside));
	free(ev); /* nobody reads them any more */
	cr_assert(zero(int, xtr_stats_finish(x)));
	text = all_of(x, o.analyses);
	xtr_stats_free(x);
	xtr_analyses_free(o.analyses);
	return text;
}

Test(stats, a_thread_beside_says_the_same)
{
	static const uint32_t pid = 90;
	const struct xtr_select select[] = {
		{ 0 },
		{ .from = 50 * MS, .to = 280 * MS },
		{ .pids = &pid, .n_pids = 1 },
	};

	many_jobs();
	sim_sort(s);
	for (size_t i = 0; i < sizeof(select) / sizeof(select[0]); i++) {
		char *want = played(&select[i], 1000, ALONE), *got;

		cr_expect(strstr(want, "slow") && strstr(want, "blocker"));
		for (size_t n = 1; n <= 3000; n = n * 7 + 3) {
			got = played(&select[i], n, BESIDE);
			cr_expect(eq(str, got, want), "batches of %zu", n);
			free(got);
		}
		got = played(&select[i], 100, NOW_AND_THEN);
		cr_expect(eq(str, got, want));
		free(got);
		free(want);
	}
}

Test(stats, a_thread_beside_may_be_left_behind)
{
	struct xtr_stats_opts o = { .sz = sizeof(o), .meta = s->meta, .tables = s->tables };
	struct xtr_event *ev;

	many_jobs();
	sim_sort(s);
	ev = calloc(s->n, sizeof(*ev));
	for (size_t i = 0; i < s->n; i++)
		ev[i] = s->event[i].ev;
	cr_assert(zero(int, xtr_stats_new(&st, &o)));
	xtr_stats_keeps(st, true);
	for (size_t i = 0; i + 64 <= s->n; i += 64)
		cr_assert(zero(int, xtr_stats_batch(st, ev + i, 64)));
	cr_expect(ne(ptr, st->aside, NULL));
	xtr_stats_free(st);
	st = NULL;
	free(ev);
}

Test(stats, nothing_at_all)
{
	uint64_t first, last;

	st = sim_stats(s, NULL, 5);
	cr_expect(eq(u64, xtr_stats_events(st), 0));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.jobs, 0));
	xtr_stats_span(st, &first, &last);
	cr_expect(eq(u64, first, 0));
	cr_expect(eq(u64, last, 0));
	cr_expect(eq(sz, xtr_stats_n_rows(st, XTR_BY_RING), 0));
}
