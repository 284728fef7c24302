/* SPDX-License-Identifier: BSD-2-Clause */
/* Slices of time against figures done by hand. */
#include "gpu_sim.h"
#include "oom.h"
#include "analysis/top/slice.h"
#include "analysis/top/slice_view.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull

#define KEPT 256u

/* What of a slice is looked at after it has gone: its row of ring 1 and of process 90. */
struct kept {
	uint64_t begin, end, events, lost;
	bool last;
	size_t rings, processes;
	uint64_t busy, jobs, queued, running, unsure, exec_max, wait_n;
	uint64_t device_busy, process_busy;
	enum xtr_quality known;
};

static struct sim *s;
static struct kept kept[KEPT];
static size_t n_kept, stop_after;

static void setup(void)
{
	s = sim_new();
	sim_device(s, "gpu.1", "xe");
	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_ring(s, 2, "gpu.0", "comp", 8);
	sim_ring(s, 4, "gpu.1", "rcs0", 8);
	sim_task(s, 90, 90, "game", 0);
	s->tid = 90;
	n_kept = stop_after = 0;
}

static void teardown(void)
{
	sim_free(s);
}

TestSuite(slice, .init = setup, .fini = teardown);

static void keep_row(struct kept *k, const struct xtr_slice_row *r)
{
	if (r->ring && r->ring->id == 1) {
		k->busy = r->busy_ns;
		k->jobs = r->jobs;
		k->queued = r->queued;
		k->running = r->in_flight;
		k->unsure = r->unsure;
		k->exec_max = r->exec.max;
		k->wait_n = r->queue_wait.n;
		k->known = xtr_slice_known_as(r);
	}
	if (r->device && !strcmp(r->device->name, "gpu.0"))
		k->device_busy = r->busy_ns;
	if (r->process == 90)
		k->process_busy = r->busy_ns;
}

static int keep(void *ctx, const struct xtr_slice *slice)
{
	struct kept *k = &kept[n_kept];

	(void)ctx;
	cr_assert(lt(sz, n_kept, KEPT));
	cr_assert(eq(u64, slice->number, n_kept));
	*k = (struct kept){ .begin = slice->begin,
			    .end = slice->end,
			    .events = slice->events,
			    .lost = slice->lost,
			    .last = slice->last,
			    .rings = slice->n[XTR_SLICE_RING],
			    .processes = slice->n[XTR_SLICE_PROCESS] };
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++)
		for (size_t i = 0; i < slice->n[by]; i++)
			keep_row(k, slice->row[by][i]);
	n_kept++;
	return n_kept == stop_after ? 7 : 0;
}

static int open_slices(struct xtr_slices **slices, const struct xtr_select *select)
{
	struct xtr_slices_opts o = {
		.meta = s->meta, .tables = s->tables, .interval_ns = 100 * MS, .slice = keep
	};

	if (select)
		o.select = *select;
	return xtr_slices_new(slices, &o);
}

static int play(const struct xtr_select *select)
{
	struct xtr_slices *slices;
	int ret = open_slices(&slices, select);

	if (ret)
		return ret;
	sim_sort(s);
	for (size_t i = 0; i < s->n && !ret; i++)
		ret = xtr_slices_event(slices, &s->event[i].ev);
	if (!ret)
		ret = xtr_slices_finish(slices);
	xtr_slices_free(slices);
	return ret;
}

Test(slice, a_job_counts_in_each_slice_with_its_part)
{
	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1250 * MS);
	cr_assert(zero(int, play(NULL)));
	cr_assert(eq(sz, n_kept, 3));
	cr_expect(eq(u64, kept[0].begin, 1000 * MS));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
	cr_expect(eq(u64, kept[1].busy, 100 * MS));
	cr_expect(eq(u64, kept[2].busy, 50 * MS));
	cr_expect(eq(u64, kept[0].process_busy + kept[1].process_busy + kept[2].process_busy,
		     240 * MS));
	cr_expect(eq(u64, kept[0].jobs + kept[1].jobs, 0));
	cr_expect(eq(u64, kept[2].jobs, 1));
	cr_expect(eq(u64, kept[2].exec_max, 240 * MS));
	cr_expect(eq(u64, kept[2].wait_n, 1));
	cr_expect(eq(int, kept[0].known, XTR_QUALITY_OPEN));
	cr_expect(eq(int, kept[2].known, XTR_QUALITY_INFERRED));
	cr_expect(eq(u64, kept[1].running, 1));
	cr_expect(eq(u64, kept[2].running, 0));
	cr_expect(kept[2].last && !kept[1].last);
	cr_expect(eq(u64, kept[2].end, 1250 * MS));
}

Test(slice, what_overlaps_counts_once)
{
	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1040 * MS);
	sim_job(s, 11, 2, 1, 1000 * MS, 1020 * MS, 1060 * MS);
	sim_job(s, 21, 1, 2, 1000 * MS, 1050 * MS, 1080 * MS);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u64, kept[0].busy, 50 * MS));
	cr_expect(eq(u64, kept[0].device_busy, 70 * MS));
	cr_expect(eq(u64, kept[0].process_busy, 70 * MS));
}

/* An event at the border belongs to the slice that begins there. */
Test(slice, borders)
{
	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1100 * MS);
	sim_job(s, 11, 2, 1, 1100 * MS, 1100 * MS + 1, 1200 * MS);
	cr_assert(zero(int, play(NULL)));
	cr_assert(eq(sz, n_kept, 3));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
	cr_expect(eq(u64, kept[0].jobs, 0));
	cr_expect(eq(u64, kept[0].running, 1));
	cr_expect(eq(u64, kept[1].jobs, 1));
	cr_expect(eq(u64, kept[1].busy, 100 * MS - 1));
	/* The last one holds nothing but the event that it begins with. */
	cr_expect(eq(u64, kept[2].begin, kept[2].end));
	cr_expect(eq(u64, kept[2].jobs, 1));
	cr_expect(eq(u64, kept[2].events, 1));
	cr_expect(eq(u64, kept[0].events + kept[1].events + kept[2].events, 6));
}

/* Jobs that end just behind a border are not yet handed out when the slice is, and count on. */
Test(slice, jobs_around_a_border)
{
	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1099 * MS + 900 * US);
	sim_job(s, 11, 2, 1, 1000 * MS, 1020 * MS, 1100 * MS + 500 * US);
	sim_job(s, 11, 3, 1, 1000 * MS, 1030 * MS, 1150 * MS);
	cr_assert(zero(int, play(NULL)));
	cr_assert(eq(sz, n_kept, 2));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
	cr_expect(eq(u64, kept[0].jobs, 1));
	cr_expect(eq(u64, kept[0].running, 2));
	cr_expect(eq(u64, kept[1].jobs, 2));
	cr_expect(eq(u64, kept[1].busy, 50 * MS));
	cr_expect(eq(u64, kept[0].process_busy, 90 * MS));
	cr_expect(eq(u64, kept[1].process_busy, 50 * MS));
}

Test(slice, a_long_silence_is_one_slice)
{
	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1020 * MS);
	sim_queue(s, 1021 * MS, 11, 2, 1);
	sim_run(s, 1030 * MS, 11, 2, 1);
	sim_done(s, UINT64_MAX / 2, 11, 2, 1);
	cr_assert(zero(int, play(NULL)));
	cr_expect(lt(sz, n_kept, XTR_SLICE_QUIET + 5));
	for (size_t i = 1; i < n_kept; i++)
		cr_expect(eq(u64, kept[i].begin, kept[i - 1].end));
	cr_expect(eq(u64, kept[n_kept - 1].end, UINT64_MAX / 2));
	cr_expect(eq(u64, kept[n_kept - 1].jobs, 1));
}

Test(slice, times_at_the_end_of_all_times)
{
	sim_job(s, 11, 1, 1, 1, UINT64_MAX - 2, UINT64_MAX - 1);
	sim_queue(s, UINT64_MAX, 11, 2, 1);
	cr_assert(zero(int, play(NULL)));
	cr_expect(lt(sz, n_kept, XTR_SLICE_QUIET + 5));
	cr_expect(kept[n_kept - 1].last);
}

/* The completion of the first one was lost: the ring, which is in order, has gone on. */
Test(slice, an_overtaken_job_is_unsure)
{
	sim_queue(s, 1000 * MS, 11, 1, 1);
	sim_run(s, 1001 * MS, 11, 1, 1);
	sim_job(s, 11, 2, 1, 1000 * MS, 1002 * MS, 1050 * MS);
	sim_queue(s, 1350 * MS, 21, 1, 2);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u64, kept[0].busy, 48 * MS));
	for (size_t i = 0; i < n_kept; i++) {
		cr_expect(eq(u64, kept[i].unsure, 1));
		cr_expect(eq(u64, kept[i].running, 0));
	}
	cr_expect(eq(u64, kept[1].busy, 0));
}

Test(slice, a_gap_makes_what_is_open_unsure)
{
	sim_queue(s, 1000 * MS, 11, 1, 1);
	sim_run(s, 1001 * MS, 11, 1, 1);
	sim_gap(s, 1120 * MS, 1130 * MS, 5);
	sim_queue(s, 1350 * MS, 21, 1, 2);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u64, kept[0].running, 1));
	cr_expect(eq(u64, kept[0].busy, 99 * MS));
	cr_expect(eq(u64, kept[1].lost, 5));
	cr_expect(eq(u64, kept[1].unsure, 1));
	cr_expect(eq(u64, kept[1].busy, 0));
}

Test(slice, on_bounded_rings_a_process_has_residence)
{
	sim_job(s, 11, 1, 4, 1000 * MS, 1010 * MS, 1040 * MS);
	sim_job(s, 12, 1, 4, 1000 * MS, 1020 * MS, 1060 * MS);
	sim_queue(s, 1060 * MS, 13, 1, 4);
	sim_run(s, 1070 * MS, 13, 1, 4);
	sim_queue(s, 1250 * MS, 13, 2, 4);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u64, kept[0].process_busy, 80 * MS));
	cr_expect(eq(u64, kept[1].process_busy, 100 * MS));
}

/* The second job waits behind the first one on the hardware: its process executes nothing. */
Test(slice, only_the_first_open_job_executes)
{
	sim_task(s, 95, 95, "editor", 0);
	sim_queue(s, 1000 * MS, 11, 1, 1);
	sim_run(s, 1010 * MS, 11, 1, 1);
	sim_queue(s, 1000 * MS, 12, 1, 1);
	s->tid = 95;
	sim_queue(s, 1250 * MS, 12, 2, 1);
	sim_run(s, 1020 * MS, 12, 1, 1);
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(u64, kept[0].process_busy, 90 * MS));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
	cr_expect(eq(u64, kept[0].running, 2));
}

Test(slice, from_and_selection)
{
	const char *ring = "comp";
	struct xtr_select sel = { .from = 1030 * MS };

	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1040 * MS);
	sim_job(s, 21, 1, 2, 1000 * MS, 1010 * MS, 1020 * MS);
	sim_job(s, 21, 2, 2, 1100 * MS, 1100 * MS, 1120 * MS);
	cr_assert(zero(int, play(&sel)));
	cr_expect(eq(u64, kept[0].begin, 1030 * MS));
	cr_expect(eq(u64, kept[0].busy, 10 * MS));
	cr_expect(eq(u64, kept[0].jobs, 1));
	cr_expect(eq(u64, kept[0].device_busy, 30 * MS));
	n_kept = 0;
	sel.rings = &ring;
	sel.n_rings = 1;
	cr_assert(zero(int, play(&sel)));
	cr_expect(eq(sz, kept[0].rings, 1));
	cr_expect(eq(u64, kept[0].device_busy, 20 * MS));
}

Test(slice, time_can_be_told_without_events)
{
	struct xtr_slices *slices;

	sim_queue(s, 1000 * MS, 11, 1, 1);
	sim_run(s, 1010 * MS, 11, 1, 1);
	sim_sort(s);
	cr_assert(zero(int, open_slices(&slices, NULL)));
	cr_assert(zero(int, xtr_slices_advance(slices, 500 * MS)));
	cr_assert(eq(sz, n_kept, 0));
	for (size_t i = 0; i < s->n; i++)
		cr_assert(zero(int, xtr_slices_event(slices, &s->event[i].ev)));
	cr_assert(zero(int, xtr_slices_advance(slices, 1101 * MS)));
	cr_assert(eq(sz, n_kept, 0));
	cr_assert(zero(int, xtr_slices_advance(slices, 1301 * MS + 1)));
	cr_assert(eq(sz, n_kept, 3));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
	cr_expect(eq(u64, kept[2].busy, 100 * MS));
	xtr_slices_free(slices);
}

Test(slice, the_callback_stops)
{
	for (uint64_t i = 0; i < 10; i++)
		sim_job(s, 11, i + 1, 1, (1000 + i * 100) * MS, (1010 + i * 100) * MS,
			(1020 + i * 100) * MS);
	stop_after = 2;
	cr_expect(eq(int, play(NULL), 7));
	cr_expect(eq(sz, n_kept, 2));
}

Test(slice, too_many_processes_share_a_row)
{
	for (uint32_t i = 0; i < XTR_SLICE_PROCESSES_MAX + 50; i++) {
		sim_task(s, 1000 + i, 1000 + i, "many", 0);
		s->tid = 1000 + i;
		sim_job(s, 1000 + i, 1, 1, 1000 * MS + i * 10, 1000 * MS + i * 10 + 2,
			1000 * MS + i * 10 + 9);
	}
	cr_assert(zero(int, play(NULL)));
	cr_expect(eq(sz, kept[0].processes, XTR_SLICE_PROCESSES_MAX));
	cr_expect(eq(u64, kept[0].jobs, XTR_SLICE_PROCESSES_MAX + 50));
}

Test(slice, an_interval_has_a_least)
{
	struct xtr_slices *slices;
	struct xtr_slices_opts o = { .meta = s->meta,
				     .interval_ns = XTR_SLICE_MIN_NS - 1,
				     .slice = keep };

	cr_expect(eq(int, xtr_slices_new(&slices, &o), -EINVAL));
}

static int play_again(void *arg)
{
	(void)arg;
	n_kept = 0;
	return play(NULL);
}

Test(slice, without_memory)
{
	for (uint64_t i = 0; i < 40; i++)
		sim_job(s, 11 + i, 1, 1 + i % 2, (1000 + i * 10) * MS, (1001 + i * 10) * MS,
			(1013 + i * 10) * MS);
	sim_sort(s);
	cr_expect(gt(u32, oom_each(play_again, NULL, 0), 20));
}

/* Events from a time up to another one. */
static void feed_part(struct xtr_slices *slices, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->event[i].ev.ts >= from && s->event[i].ev.ts < to)
			cr_assert(zero(int, xtr_slices_event(slices, &s->event[i].ev)));
}

/* A recording in pieces, the border at 1150 ms: a job on the ring, one behind it, one in the queue.
 */
static void two_pieces(bool gap)
{
	struct xtr_slices *one, *two;

	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1230 * MS);
	sim_job(s, 11, 2, 1, 1001 * MS, 1020 * MS, 1300 * MS);
	sim_job(s, 11, 3, 1, 1002 * MS, 1240 * MS, 1310 * MS);
	if (gap)
		sim_gap(s, 1050 * MS, 1051 * MS, 1);
	sim_sort(s);
	cr_assert(zero(int, open_slices(&one, NULL)));
	feed_part(one, 0, 1150 * MS);
	cr_assert(zero(int, xtr_slices_advance(one, 1150 * MS)));
	cr_assert(zero(int, xtr_slices_finish(one)));
	cr_assert(eq(sz, n_kept, 2));
	cr_expect(eq(u64, kept[1].end, 1150 * MS));
	cr_assert(zero(int, open_slices(&two, NULL)));
	n_kept = 0;
	cr_assert(zero(int, xtr_slices_go_on(two, one, 1150 * MS)));
	xtr_slices_free(one);
	feed_part(two, 1150 * MS, UINT64_MAX);
	cr_assert(zero(int, xtr_slices_finish(two)));
	xtr_slices_free(two);
}

Test(slice, jobs_go_on_in_the_next_piece)
{
	two_pieces(false);
	cr_assert(eq(sz, n_kept, 2));
	cr_expect(eq(u64, kept[0].begin, 1150 * MS));
	cr_expect(eq(u64, kept[0].end, 1250 * MS));
	cr_expect(eq(u64, kept[0].jobs, 1));
	cr_expect(eq(u64, kept[0].exec_max, 220 * MS));
	cr_expect(eq(u64, kept[0].wait_n, 1));
	cr_expect(eq(u64, kept[0].running, 2));
	cr_expect(eq(u64, kept[0].busy, 100 * MS));
	cr_expect(eq(u64, kept[0].device_busy, 100 * MS));
	cr_expect(eq(u64, kept[0].process_busy, 100 * MS));
	cr_expect(eq(u64, kept[1].jobs, 2));
	cr_expect(eq(u64, kept[1].busy, 60 * MS));
	cr_expect(eq(u64, kept[1].end, 1310 * MS));
}

/* As in one piece, a job that may have gone further is not taken to be on the ring. */
Test(slice, what_was_lost_in_the_piece_before_counts)
{
	two_pieces(true);
	cr_assert(eq(sz, n_kept, 2));
	cr_expect(eq(u64, kept[0].unsure, 1)); /* 11:2 */
	cr_expect(eq(u64, kept[0].running, 1));
	cr_expect(eq(u64, kept[0].busy, 90 * MS));
}

static int go_on_once(void *arg)
{
	struct xtr_slices *slices;
	int ret = open_slices(&slices, NULL);

	if (ret)
		return ret;
	ret = xtr_slices_go_on(slices, arg, 1150 * MS);
	xtr_slices_free(slices);
	return ret;
}

Test(slice, jobs_do_not_go_on_without_memory)
{
	struct xtr_slices *one;

	sim_job(s, 11, 1, 1, 1000 * MS, 1010 * MS, 1230 * MS);
	sim_gap(s, 1050 * MS, 1051 * MS, 1);
	sim_sort(s);
	cr_assert(zero(int, open_slices(&one, NULL)));
	feed_part(one, 0, 1150 * MS);
	cr_assert(zero(int, xtr_slices_finish(one)));
	oom_each(go_on_once, one, 0);
	xtr_slices_free(one);
}
