/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache gives what the tables give, whatever is asked in which order, also while they grow. */
#include "format/meta/tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static void ask(struct xtr_task_cache *c, const struct xtr_tables *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint32_t tid = (uint32_t)rand() % 200;
		uint64_t ts = rand() % 16 ? (uint64_t)rand() % 1100 : UINT64_MAX;

		cr_assert(eq(ptr, (void *)xtr_task_cache_get(c, t, tid, ts),
			     (void *)xtr_tables_task(t, tid, ts)));
	}
}

/* 150 threads of 200, some with many names; sorted and not yet sorted ones. */
Test(task_cache, agrees_with_the_tables)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_task_cache c = { 0 };

	srand(3);
	ask(&c, t, 100);
	for (unsigned int i = 0; i < 600; i++) {
		struct xtr_task one = { .tid = (uint32_t)rand() % 150,
					.pid = i,
					.since = (uint64_t)rand() % 1000 };

		cr_assert(zero(int, xtr_tables_add_task(t, &one)));
		ask(&c, t, 100);
	}
	ask(&c, t, 100000);
	xtr_tables_free(t);
}

Test(task_cache, the_ends_of_time)
{
	const struct xtr_task tasks[] = {
		{ .tid = 0, .pid = 1, .since = 0, .comm = 0, .flags = 0 },
		{ .tid = 0, .pid = 2, .since = UINT64_MAX, .comm = 0, .flags = 0 },
		{ .tid = 64, .pid = 3, .since = 5, .comm = 0, .flags = 0 }
	};
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_task_cache c = { 0 };

	for (size_t i = 0; i < 3; i++)
		cr_assert(zero(int, xtr_tables_add_task(t, &tasks[i])));
	cr_expect(eq(u32, xtr_task_cache_get(&c, t, 0, 0)->pid, 1));
	cr_expect(eq(u32, xtr_task_cache_get(&c, t, 0, UINT64_MAX - 1)->pid, 1));
	cr_expect(eq(u32, xtr_task_cache_get(&c, t, 0, UINT64_MAX)->pid, 2));
	cr_expect(eq(u32, xtr_task_cache_get(&c, t, 64, 4)->pid, 3), "the earliest before all");
	cr_expect(eq(u32, xtr_task_cache_get(&c, t, 64, 5)->pid, 3));
	cr_expect(eq(ptr, (void *)xtr_task_cache_get(&c, t, 128, 5), NULL));
	cr_expect(eq(ptr, (void *)xtr_task_cache_get(&c, NULL, 0, 5), NULL));
	xtr_tables_free(t);
}
