/* SPDX-License-Identifier: BSD-2-Clause */
/* A number of a process that is given again: two processes, in tables, jobs, statistics and text.
 */
#include "gpu_sim.h"
#include "oom.h"
#include "analysis/core/stats_impl.h"
#include "format/meta/tables_priv.h"
#include "replay/event/process.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static struct xtr_tables *tables;

static void setup(void)
{
	tables = xtr_tables_new();
}

static void teardown(void)
{
	xtr_tables_free(tables);
}

TestSuite(process, .init = setup, .fini = teardown);

static void add(uint32_t tid, uint32_t pid, uint64_t since, uint64_t start)
{
	struct xtr_task t = { .tid = tid, .pid = pid, .since = since, .start = start, .nth = 77 };

	cr_assert(eq(int, xtr_tables_add_task(tables, &t), 0));
}

static uint64_t at(const struct xtr_tables *t, uint32_t tid, uint64_t ts)
{
	return xtr_process_of(xtr_tables_task(t, tid, ts));
}

Test(process, a_number_given_again_is_another_process)
{
	add(180, 180, 10, 9);
	add(181, 180, 20, 9);
	add(180, 180, 60, 55);
	add(180, 180, 70, 55); /* the same one with another name */
	add(181, 180, 80, 55);
	add(7, 7, 10, 0);
	add(7, 7, 50, 0); /* no start is known: one process */
	cr_expect(eq(u64, at(tables, 180, 59), 180));
	cr_expect(eq(u64, at(tables, 181, 59), 180));
	cr_expect(eq(u64, at(tables, 180, 60), xtr_process(180, 1)));
	cr_expect(eq(u64, at(tables, 180, 75), xtr_process(180, 1)));
	cr_expect(eq(u64, at(tables, 181, 80), xtr_process(180, 1)));
	cr_expect(eq(u64, at(tables, 7, 10), 7));
	cr_expect(eq(u64, at(tables, 7, 50), 7));
	cr_expect(eq(u64, at(tables, 8, 50), 0), "not known");
}

static int put(void *ctx, const uint8_t *buf, size_t n)
{
	struct xtr_err err;

	return xtr_tables_merge(ctx, buf, n, &err);
}

/* As a file has them that was written anew: by thread, not by time. */
Test(process, their_order_is_that_of_their_starts)
{
	struct xtr_tables *back = xtr_tables_new(), *copy;

	add(100, 180, 90, 55); /* the second process' thread has a lower number */
	add(180, 180, 10, 9);
	add(180, 180, 200, 150);
	add(180, 180, 1, 0); /* of which no start is known */
	cr_expect(eq(u64, at(tables, 100, 90), 180), "as they came");
	cr_assert(eq(int, xtr_tables_encode(tables, false, put, back), 0));
	cr_assert(eq(int, xtr_tables_settle(back), 0));
	cr_expect(eq(u64, at(back, 180, 1), 180));
	cr_expect(eq(u64, at(back, 180, 10), xtr_process(180, 1)));
	cr_expect(eq(u64, at(back, 100, 90), xtr_process(180, 2)));
	cr_expect(eq(u64, at(back, 180, 200), xtr_process(180, 3)));
	copy = xtr_tables_copy(back);
	cr_assert(copy != NULL);
	cr_expect(eq(u64, at(copy, 100, 90), xtr_process(180, 2)));
	cr_assert(eq(
		int,
		xtr_tables_add_task(
			copy,
			&(struct xtr_task){ .tid = 180, .pid = 180, .since = 300, .start = 250 }),
		0));
	cr_expect(eq(u64, at(copy, 180, 300), xtr_process(180, 4)), "a copy goes on");
	xtr_tables_free(copy);
	xtr_tables_free(back);
}

Test(process, a_leader_is_one_of_the_same_process)
{
	const struct xtr_task *t;

	add(180, 180, 10, 9);
	add(181, 180, 80, 55); /* of the second process only a thread was seen */
	cr_expect(eq(ptr, (void *)xtr_process_leader(tables, xtr_process(180, 1), 90), NULL));
	t = xtr_process_leader(tables, 180, 90);
	cr_assert(t != NULL);
	cr_expect(eq(u64, t->since, 10));
	cr_expect(eq(ptr, (void *)xtr_process_leader(NULL, 180, 90), NULL));
	cr_expect(eq(ptr, (void *)xtr_process_leader(tables, 0, 90), NULL));
	add(9, 0, 10, 0); /* an imported thread whose process is not known may be the first */
	cr_expect(xtr_process_leader(tables, 9, 90) != NULL);
}

Test(process, is_called_as_its_leader_or_as_it_is_told)
{
	struct xtr_task t = { .tid = 180, .pid = 180, .since = 10, .comm = 5 };

	add(7, 7, 10, 0); /* its first thread has no name */
	cr_expect(eq(u32, xtr_process_comm(tables, 7, 90, 3), 3));
	cr_expect(eq(u32, xtr_process_comm(tables, 8, 90, 3), 3));
	cr_assert(eq(int, xtr_tables_add_task(tables, &t), 0));
	cr_expect(eq(u32, xtr_process_comm(tables, 180, 90, 3), 5));
}

Test(process, text_tells_them_apart)
{
	char buf[XTR_TEXT_PROCESS];

	cr_expect(eq(str, xtr_text_process(buf, 0), "-"));
	cr_expect(eq(str, xtr_text_process(buf, 4711), "4711"));
	cr_expect(eq(str, xtr_text_process(buf, xtr_process(4711, 1)), "4711#2"));
	cr_expect(eq(str, xtr_text_process(buf, xtr_process(UINT32_MAX, UINT32_MAX)),
		     "4294967295#4294967296"));
	cr_expect(eq(u64, xtr_process(0, 3), 0), "no number, no process");
}

Test(process, in_order_of_number_then_of_start)
{
	cr_expect(lt(int, xtr_process_cmp(5, xtr_process(5, 1)), 0));
	cr_expect(lt(int, xtr_process_cmp(xtr_process(5, 9), 6), 0));
	cr_expect(gt(int, xtr_process_cmp(7, xtr_process(6, 1)), 0));
	cr_expect(eq(int, xtr_process_cmp(xtr_process(6, 1), xtr_process(6, 1)), 0));
}

/* 180 jobs of each of two processes with one number. */
Test(process, statistics_sum_by_process)
{
	struct sim *s = sim_new();
	struct xtr_stats *st;
	const struct xtr_stats_row *a, *b;

	sim_ring(s, 1, "gpu.0", "gfx", 2);
	sim_task_of(s, 180, 180, "alpha", 1, 1);
	sim_task_of(s, 180, 180, "beta", 1000 * MS, 999 * MS);
	s->tid = 180;
	for (uint64_t i = 1; i <= 360; i++) {
		uint64_t t = i <= 180 ? i * MS : 1000 * MS + i * MS;

		sim_job(s, 9, i, 1, t, t + 1000, t + 2000);
	}
	st = sim_stats(s, &(struct xtr_select){ 0 }, 3);
	cr_assert(eq(sz, xtr_stats_n_rows(st, XTR_BY_PROCESS), 2));
	a = xtr_stats_row(st, XTR_BY_PROCESS, 0);
	b = xtr_stats_row(st, XTR_BY_PROCESS, 1);
	cr_expect(eq(u64, a->process, 180));
	cr_expect(eq(u64, b->process, xtr_process(180, 1)));
	cr_expect(eq(u64, a->agg.jobs, 180));
	cr_expect(eq(u64, b->agg.jobs, 180));
	cr_expect(eq(str, (char *)xtr_tables_string(s->tables, a->comm, NULL), "alpha"));
	cr_expect(eq(str, (char *)xtr_tables_string(s->tables, b->comm, NULL), "beta"));
	xtr_stats_free(st);
	sim_free(s);
}

/* Pieces of one recording: the second one has the second process alone, and a third one. */
Test(process, tables_of_one_boot_are_ranked_together)
{
	struct xtr_tables *later = xtr_tables_new(), *both[2] = { tables, later };
	struct xtr_task second = { .tid = 180, .pid = 180, .since = 60, .start = 55 };
	struct xtr_task third = { .tid = 180, .pid = 180, .since = 90, .start = 85 };

	add(180, 180, 10, 9);
	add(180, 180, 60, 55);
	cr_assert(eq(int, xtr_tables_add_task(later, &second), 0));
	cr_expect(eq(u64, at(later, 180, 60), 180), "as long as nothing else is known");
	cr_assert(eq(int, xtr_tables_rank_together(both, 2), 0));
	cr_expect(eq(u64, at(tables, 180, 10), 180));
	cr_expect(eq(u64, at(tables, 180, 60), xtr_process(180, 1)));
	cr_expect(eq(u64, at(later, 180, 60), xtr_process(180, 1)));
	cr_assert(eq(int, xtr_tables_add_task(later, &third), 0));
	cr_expect(eq(u64, at(later, 180, 90), xtr_process(180, 2)));
	xtr_tables_free(later);
}

static int grown(void *ctx)
{
	struct xtr_tables *t = xtr_tables_new(), *copy = NULL;
	int err = t ? 0 : -12;

	(void)ctx;
	for (uint32_t i = 0; i < 20 && !err; i++) {
		struct xtr_task task = {
			.tid = 180, .pid = 180, .since = 1000 - i, .start = 1000 - i
		};

		err = xtr_tables_add_task(t, &task);
	}
	if (!err)
		err = xtr_tables_settle(t);
	if (!err && !(copy = xtr_tables_copy(t)))
		err = -12;
	if (!err) {
		cr_assert(eq(u64, at(t, 180, 981), 180));
		cr_assert(eq(u64, at(copy, 180, 1000), xtr_process(180, 19)));
	}
	xtr_tables_free(copy);
	xtr_tables_free(t);
	return err;
}

Test(process, without_memory)
{
	cr_assert(ge(u32, oom_each(grown, NULL, 2), 10));
}
