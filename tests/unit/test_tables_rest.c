/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the next piece: what later records may name is there under its id, and nothing else. */
#include "format/meta/tables.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static uint32_t intern(struct xtr_tables *t, const char *text)
{
	uint32_t id;

	cr_assert_eq(xtr_tables_intern(t, text, strlen(text), &id), 0);
	return id;
}

static bool is_even(void *ctx, const struct xtr_task *task)
{
	++*(int *)ctx;
	return task->tid % 2 == 0;
}

static int count(void *ctx, const uint8_t *buf, size_t n)
{
	(void)buf;
	(void)n;
	++*(int *)ctx;
	return 0;
}

struct ids {
	uint32_t device, ring, symbol, module, ops, even, odd, event, frame;
};

static struct xtr_tables *filled(struct ids *id)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_frame f = { .offset = 16 };

	id->event = intern(t, "of one event");
	id->device = intern(t, "0000:00:02.0");
	id->ring = intern(t, "rcs0");
	id->symbol = intern(t, "xe_submit");
	id->module = intern(t, "xe");
	id->ops = intern(t, "fence_ops");
	id->even = intern(t, "even");
	id->odd = intern(t, "odd");
	f.symbol = id->symbol;
	f.module = id->module;
	cr_assert_eq(xtr_tables_intern_frame(t, &f, &id->frame), 0);
	cr_assert_eq(xtr_tables_add_stack(t, 9, &id->frame, 1), 0);
	cr_assert_eq(
		xtr_tables_add_ring(
			t, &(struct xtr_ring){ .id = 3, .device = id->device, .name = id->ring }),
		0);
	for (uint32_t tid = 1; tid <= 10; tid++)
		cr_assert_eq(xtr_tables_add_task(
				     t, &(struct xtr_task){ .tid = tid,
							    .since = 5,
							    .comm = tid % 2 ? id->odd : id->even }),
			     0);
	return t;
}

static void expect_string(const struct xtr_tables *t, uint32_t id, const char *text)
{
	const char *s = xtr_tables_string(t, id, NULL);

	cr_assert(s, "%s", text);
	cr_assert_str_eq(s, text);
}

Test(tables_rest, keeps_what_can_be_named)
{
	struct ids id;
	struct xtr_tables *t = filled(&id), *rest;
	int asked = 0, chunks = 0;
	size_t n;

	cr_assert_eq(xtr_tables_encode(t, false, count, &chunks), 0);
	rest = xtr_tables_rest(t, is_even, &asked, &id.ops, 1);
	cr_assert(rest);
	cr_assert_eq(asked, 10);
	cr_assert_eq(xtr_tables_n_tasks(rest), 5);
	cr_assert(xtr_tables_task(rest, 4, 100));
	cr_assert_not(xtr_tables_task(rest, 5, 100));
	expect_string(rest, id.device, "0000:00:02.0");
	expect_string(rest, id.ring, "rcs0");
	expect_string(rest, id.symbol, "xe_submit");
	expect_string(rest, id.module, "xe");
	expect_string(rest, id.ops, "fence_ops");
	expect_string(rest, id.even, "even");
	cr_assert_null(xtr_tables_string(rest, id.odd, NULL));
	cr_assert_null(xtr_tables_string(rest, id.event, NULL));
	cr_assert(xtr_tables_ring(rest, 3));
	cr_assert_eq(xtr_tables_stack(rest, 9, &n)[0], id.frame);
	/* All of it is new to a writer, though nothing of the old one was. */
	chunks = 0;
	cr_assert_eq(xtr_tables_encode(t, false, count, &chunks), 0);
	cr_assert_eq(chunks, 0);
	cr_assert_eq(xtr_tables_encode(rest, false, count, &chunks), 0);
	cr_assert_gt(chunks, 0);
	xtr_tables_free(rest);
	xtr_tables_free(t);
}

Test(tables_rest, ids_are_not_given_again)
{
	struct ids id;
	struct xtr_tables *t = filled(&id), *rest;
	int asked = 0;
	uint32_t last = intern(t, "last"), next, frame;

	rest = xtr_tables_rest(t, is_even, &asked, NULL, 0);
	xtr_tables_replace(t, rest);
	cr_assert_null(xtr_tables_string(t, last, NULL));
	next = intern(t, "next");
	cr_assert_gt(next, last);
	cr_assert_gt(intern(t, "last"), next);
	cr_assert_eq(intern(t, "even"), id.even);
	cr_assert_eq(xtr_tables_intern_frame(t, &(struct xtr_frame){ id.symbol, 16, id.module, 0 },
					     &frame),
		     0);
	cr_assert_eq(frame, id.frame);
	xtr_tables_free(t);
}

static int take_rest(void *arg)
{
	struct xtr_tables *t = arg, *rest;
	int asked = 0;

	rest = xtr_tables_rest(t, is_even, &asked, NULL, 0);
	if (!rest)
		return -ENOMEM;
	cr_assert_eq(xtr_tables_n_tasks(rest), 5);
	xtr_tables_free(rest);
	return 0;
}

Test(tables_rest, fails_whole_without_memory)
{
	struct ids id;
	struct xtr_tables *t = filled(&id);

	cr_assert_gt(oom_each(take_rest, t, 0), 10);
	xtr_tables_free(t);
}

Test(tables_rest, of_empty_ones_is_empty)
{
	struct xtr_tables *t = xtr_tables_new(), *rest;
	int asked = 0;

	rest = xtr_tables_rest(t, is_even, &asked, NULL, 0);
	cr_assert(rest);
	cr_assert_eq(xtr_tables_n_tasks(rest), 0);
	cr_assert_eq(asked, 0);
	xtr_tables_free(rest);
	xtr_tables_free(t);
}
