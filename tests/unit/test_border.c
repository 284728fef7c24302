/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording cut into pieces at one time on all CPUs: jobs over the border, as each piece says. */
#include "replay/event/process.h"
#include "gpu_sim.h"
#include "format/meta/piece.h"
#include "format/meta/schema.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define US 1000ull
#define MS 1000000ull

static struct sim *s;
static struct xtr_stats *st;

static void setup(void)
{
	s = sim_new();
	sim_ring(s, 1, "gpu.0", "gfx", 1);
	sim_ring(s, 2, "gpu.0", "comp", 8);
	sim_task(s, 100, 100, "worker", 0);
	s->tid = 100;
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_QUEUE))));
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_RUN))));
	cr_assert(zero(int, xtr_meta_add_event(s->meta, xtr_builtin_event(XTR_EV_JOB_DONE))));
}

static void teardown(void)
{
	xtr_stats_free(st);
	st = NULL;
	sim_free(s);
}

TestSuite(border, .init = setup, .fini = teardown);

/* The section is a piece that has all events of these times (ns). */
static void be_piece(uint64_t from, uint64_t to)
{
	const struct xtr_piece p = { .number = 3, .of = 7, .from = from, .to = to };

	cr_assert(zero(int, xtr_piece_write(&p, s->meta)));
}

static void expect(uint64_t ctx, uint64_t seqno, enum xtr_quality quality, uint32_t flags)
{
	const struct xtr_job *j = sim_find(s, ctx, seqno);

	cr_expect(eq(int, j->quality, (int)quality), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
	cr_expect(eq(u32, j->flags, flags), "%llu:%llu", (unsigned long long)ctx,
		  (unsigned long long)seqno);
}

static const struct xtr_stats_row *ring_row(uint32_t id)
{
	for (size_t i = 0; i < xtr_stats_n_rows(st, XTR_BY_RING); i++)
		if (xtr_stats_row(st, XTR_BY_RING, i)->ring->id == id)
			return xtr_stats_row(st, XTR_BY_RING, i);
	cr_fatal("no row for ring %u", id);
	return NULL;
}

/* 100 to 200 ms of a recording: 11:1 to 130, 11:2 whole, 11:3 from 180, 11:4 queued. */
static void play_piece(void)
{
	be_piece(100 * MS, 200 * MS);
	sim_done(s, 130 * MS, 11, 1, 1);
	sim_run(s, 131 * MS, 11, 2, 1); /* queued before the piece */
	sim_done(s, 160 * MS, 11, 2, 1);
	sim_queue(s, 170 * MS, 11, 3, 1);
	sim_run(s, 180 * MS, 11, 3, 1);
	sim_queue(s, 190 * MS, 11, 4, 1);
}

Test(border, jobs_are_told_where_their_other_part_is)
{
	play_piece();
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_OPEN, XTR_FLAG_NO_QUEUE | XTR_FLAG_NO_RUN | XTR_FLAG_BEFORE);
	expect(11, 2, XTR_QUALITY_EXACT, XTR_FLAG_NO_QUEUE | XTR_FLAG_BEFORE);
	expect(11, 3, XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE | XTR_FLAG_AFTER);
	expect(11, 4, XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN | XTR_FLAG_NO_DONE | XTR_FLAG_AFTER);
}

/* The ring was busy from the border to 130, from 131 to 160, and from 180 to the border. */
Test(border, the_ring_is_busy_with_their_parts)
{
	uint64_t first, last;

	play_piece();
	st = sim_stats(s, NULL, 10);
	cr_expect(eq(u64, ring_row(1)->busy.total, (30 + 29 + 20) * MS));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.before, 2));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.after, 2));
	cr_expect(eq(u64, xtr_stats_total(st)->agg.quality[XTR_QUALITY_LOST], 0));
	xtr_stats_span(st, &first, &last);
	cr_expect(eq(u64, first, 100 * MS));
	cr_expect(eq(u64, last, 200 * MS));
}

/* What a ring with several jobs executes at the borders: the oldest one. */
Test(border, one_of_several_executes)
{
	be_piece(100 * MS, 200 * MS);
	sim_done(s, 120 * MS, 21, 1, 2);
	sim_done(s, 130 * MS, 21, 2, 2);
	sim_job(s, 21, 3, 2, 140 * MS, 141 * MS, 150 * MS);
	sim_queue(s, 160 * MS, 21, 4, 2);
	sim_run(s, 170 * MS, 21, 4, 2);
	s->tid = 101;
	sim_task(s, 101, 101, "other", 0);
	sim_queue(s, 161 * MS, 21, 5, 2);
	sim_run(s, 171 * MS, 21, 5, 2);
	st = sim_stats(s, NULL, 10);
	cr_expect(eq(u64, ring_row(2)->busy.total, (30 + 9 + 30) * MS));
	for (size_t i = 0; i < xtr_stats_n_rows(st, XTR_BY_PROCESS); i++) {
		const struct xtr_stats_row *r = xtr_stats_row(st, XTR_BY_PROCESS, i);
		uint64_t busy = xtr_process_pid(r->process) == 100 ? 39 * MS
				: xtr_process_pid(r->process)      ? 0
								   : 30 * MS;

		cr_expect(eq(u64, r->busy.total, busy), "process %u", xtr_process_pid(r->process));
	}
	sim_jobs(s);
	cr_expect(eq(u64, sim_find(s, 21, 3)->start_ns, 141 * MS));
}

/* A record that was lost here is lost, not in another piece. */
Test(border, a_gap_may_have_taken_it)
{
	be_piece(100 * MS, 200 * MS);
	sim_gap(s, 110 * MS, 120 * MS, 3);
	sim_done(s, 130 * MS, 11, 1, 1);
	sim_job(s, 11, 2, 1, 140 * MS, 141 * MS, 150 * MS);
	sim_queue(s, 160 * MS, 11, 3, 1);
	sim_run(s, 161 * MS, 11, 3, 1);
	sim_gap(s, 170 * MS, 171 * MS, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_LOST, XTR_FLAG_NO_QUEUE | XTR_FLAG_NO_RUN | XTR_FLAG_GAP);
	expect(11, 2, XTR_QUALITY_EXACT, 0);
	expect(11, 3, XTR_QUALITY_LOST, XTR_FLAG_NO_DONE | XTR_FLAG_GAP);
}

/* Of a job that ran before the piece nobody can say here that it never ran. */
Test(border, an_error_does_not_make_it_killed)
{
	be_piece(100 * MS, 200 * MS);
	sim_dep(s, XTR_EV_JOB_WAIT_DEP, 105 * MS, 11, 1, 5, 5, 1, 0);
	sim_signaled(s, 110 * MS, 11, 1, -125);
	sim_queue(s, 120 * MS, 11, 2, 1);
	sim_signaled(s, 130 * MS, 11, 2, -125);
	sim_jobs(s);
	cr_expect(eq(int, sim_find(s, 11, 1)->quality, XTR_QUALITY_OPEN));
	cr_expect(zero(u32, sim_find(s, 11, 1)->flags & XTR_FLAG_KILLED));
	cr_expect(eq(int, sim_find(s, 11, 2)->quality, XTR_QUALITY_EXACT));
	cr_expect(eq(u32, sim_find(s, 11, 2)->flags & XTR_FLAG_KILLED, XTR_FLAG_KILLED));
}

/* With -p only queue events of one process are there: that one is missing says nothing. */
Test(border, a_process_filter_is_no_border)
{
	cr_assert(zero(int, xtr_meta_set_config_u64(s->meta, "pid", 100)));
	be_piece(100 * MS, 200 * MS);
	sim_run(s, 110 * MS, 11, 1, 1);
	sim_done(s, 120 * MS, 11, 1, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_EXACT, XTR_FLAG_NO_QUEUE);
}

/* A flight recorder's last events are not all there: what rests on their neighbours is bounded. */
Test(border, behind_a_flights_end_nothing_is_sure)
{
	const struct xtr_flight_note n = { .why = "signal", .event = "", .at = 200 * MS };
	uint64_t from, to;

	be_piece(100 * MS, 200 * MS);
	cr_assert(zero(int, xtr_flight_write(&n, s->meta)));
	sim_job(s, 21, 1, 2, 110 * MS, 120 * MS, 130 * MS);
	sim_job(s, 21, 2, 2, 140 * MS, 150 * MS, 210 * MS);
	sim_queue(s, 160 * MS, 21, 3, 2);
	sim_done(s, 220 * MS, 21, 3, 2); /* its run may be in the next file */
	sim_job(s, 21, 4, 2, 90 * MS, 95 * MS, 125 * MS);
	sim_jobs(s);
	expect(21, 1, XTR_QUALITY_INFERRED, 0);
	expect(21, 2, XTR_QUALITY_BOUNDED, XTR_FLAG_AFTER);
	expect(21, 3, XTR_QUALITY_OPEN, XTR_FLAG_NO_RUN | XTR_FLAG_AFTER);
	expect(21, 4, XTR_QUALITY_BOUNDED, XTR_FLAG_BEFORE);
	st = sim_stats(s, NULL, 10);
	xtr_model_piece(xtr_stats_model(st), &from, &to);
	cr_expect(eq(u64, from, 100 * MS));
	cr_expect(zero(u64, to));
}

/* The first piece begins with the recording, the last one ends with it. */
Test(border, the_recordings_own_ends_are_none)
{
	be_piece(0, 0);
	sim_done(s, 130 * MS, 11, 1, 1);
	sim_queue(s, 170 * MS, 11, 3, 1);
	sim_run(s, 180 * MS, 11, 3, 1);
	sim_jobs(s);
	expect(11, 1, XTR_QUALITY_OPEN, XTR_FLAG_NO_QUEUE | XTR_FLAG_NO_RUN);
	expect(11, 3, XTR_QUALITY_OPEN, XTR_FLAG_NO_DONE);
}
