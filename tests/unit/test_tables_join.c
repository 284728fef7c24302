/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of two parts of one recording, put together again. */
#include "format/meta/tables.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint32_t intern(struct xtr_tables *t, const char *text)
{
	uint32_t id = 0;

	cr_assert_eq(xtr_tables_intern(t, text, strlen(text), &id), 0);
	return id;
}

static bool keep_late(void *ctx, const struct xtr_task *task)
{
	return task->since >= *(uint64_t *)ctx;
}

static void add_task(struct xtr_tables *t, uint32_t tid, uint64_t since, const char *comm)
{
	const struct xtr_task task = { .tid = tid, .since = since, .comm = intern(t, comm) };

	cr_assert_eq(xtr_tables_add_task(t, &task), 0);
}

/* What came first, and what later records may name, with more. */
static void two_parts(struct xtr_tables **first, struct xtr_tables **second)
{
	struct xtr_tables *t = xtr_tables_new();
	uint64_t late = 50;
	uint32_t frame;
	const struct xtr_frame f = { .symbol = intern(t, "symbol"), .offset = 4 };
	const struct xtr_ring ring = { .id = 1, .name = intern(t, "gfx") };

	intern(t, "once");
	cr_assert_eq(xtr_tables_intern_frame(t, &f, &frame), 0);
	cr_assert_eq(xtr_tables_add_stack(t, 3, &frame, 1), 0);
	cr_assert_eq(xtr_tables_add_ring(t, &ring), 0);
	add_task(t, 1, 10, "old");
	add_task(t, 1, 60, "new");
	*first = t;
	*second = xtr_tables_rest(t, keep_late, &late, NULL, 0);
	cr_assert(*second);
	add_task(*second, 2, 70, "later");
	intern(*second, "again");
	cr_assert_eq(xtr_tables_add_stack(*second, 4, &frame, 1), 0);
}

static const char *name_at(const struct xtr_tables *t, uint32_t tid, uint64_t ts)
{
	const struct xtr_task *task = xtr_tables_task(t, tid, ts);
	const char *s = task ? xtr_tables_string(t, task->comm, NULL) : NULL;

	return s ? s : "";
}

static size_t count_strings(const struct xtr_tables *t)
{
	uint32_t id = 0;
	size_t n = 0;

	while (xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id))
		n++;
	return n;
}

static int ignore(void *ctx, const uint8_t *buf, size_t n)
{
	(void)buf;
	*(size_t *)ctx += n;
	return 0;
}

Test(tables_join, has_what_either_has)
{
	struct xtr_tables *a, *b, *both;
	size_t n, bytes = 0;

	two_parts(&a, &b);
	cr_assert_eq(count_strings(a), 5);
	cr_assert_lt(count_strings(b), 6);
	both = xtr_tables_copy(a);
	cr_assert_eq(xtr_tables_join(both, b), 0);
	cr_assert_eq(count_strings(both), 7);
	cr_assert_str_eq(name_at(both, 1, 20), "old");
	cr_assert_str_eq(name_at(both, 1, 65), "new");
	cr_assert_str_eq(name_at(both, 2, 75), "later");
	cr_assert(xtr_tables_stack(both, 3, &n));
	cr_assert(xtr_tables_stack(both, 4, &n));
	cr_assert_eq(xtr_tables_n_rings(both), 1);
	cr_assert_str_eq(xtr_tables_string(both, xtr_tables_ring(both, 1)->name, NULL), "gfx");
	cr_assert_eq(xtr_tables_encode(both, false, ignore, &bytes), 0);
	cr_assert_gt(bytes, 50, "all of it is new");
	xtr_tables_free(a);
	xtr_tables_free(b);
	xtr_tables_free(both);
}

Test(tables_join, nothing_comes_twice)
{
	struct xtr_tables *a, *b, *same;
	size_t n;

	two_parts(&a, &b);
	n = count_strings(a);
	same = xtr_tables_copy(a);
	cr_assert_eq(xtr_tables_join(a, same), 0);
	xtr_tables_free(same);
	cr_assert_eq(count_strings(a), n);
	cr_assert_eq(xtr_tables_n_rings(a), 1);
	xtr_tables_free(a);
	xtr_tables_free(b);
}

Test(tables_join, bytes_grow_with_what_is_in_them)
{
	struct xtr_tables *a, *b;
	size_t before;
	char name[32];

	two_parts(&a, &b);
	before = xtr_tables_bytes(a);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		add_task(a, 7, 1000 + (uint64_t)i, name);
	}
	cr_assert_gt(xtr_tables_bytes(a), before + 10000 * 40);
	xtr_tables_swap(a, b);
	cr_assert_gt(xtr_tables_bytes(b), xtr_tables_bytes(a));
	cr_assert_str_eq(name_at(b, 7, 1003), "name 3");
	xtr_tables_free(a);
	xtr_tables_free(b);
}

static int join_once(void *arg)
{
	struct xtr_tables *t = xtr_tables_new();
	int err = t ? xtr_tables_join(t, arg) : -ENOMEM;

	xtr_tables_free(t);
	return err;
}

Test(tables_join, without_memory)
{
	struct xtr_tables *a, *b;

	two_parts(&a, &b);
	cr_assert_gt(oom_each(join_once, a, 0), 10);
	xtr_tables_free(a);
	xtr_tables_free(b);
}
