/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/meta/cbor.h"
#include "format/meta/tables_priv.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink {
	struct xtr_tables *to;
	size_t payloads, fail_at;
};

static int take(void *ctx, const uint8_t *buf, size_t n)
{
	struct sink *s = ctx;
	struct xtr_err err;
	size_t bad;

	if (++s->payloads == s->fail_at)
		return -EIO;
	cr_assert(xtr_cbor_check(buf, n, &bad));
	cr_assert(le(sz, n, (size_t)XTR_RAW_MAX));
	return s->to ? xtr_tables_merge(s->to, buf, n, &err) : 0;
}

Test(tables, strings_are_interned_once)
{
	struct xtr_tables *t = xtr_tables_new();
	uint32_t a, b, c;
	size_t n;

	cr_assert(eq(int, xtr_tables_intern(t, "one", 3, &a), 0));
	cr_assert(eq(int, xtr_tables_intern(t, "two", 3, &b), 0));
	cr_assert(eq(int, xtr_tables_intern(t, "one", 3, &c), 0));
	cr_assert(eq(u32, a, c));
	cr_assert(ne(u32, a, b));
	cr_assert(ne(u32, a, 0));
	cr_assert(eq(str, (char *)xtr_tables_string(t, b, &n), "two"));
	cr_assert(eq(sz, n, 3));
	cr_assert(eq(ptr, (void *)xtr_tables_string(t, 99, &n), NULL));
	xtr_tables_free(t);
}

Test(tables, everything_arrives_in_many_payloads)
{
	struct xtr_tables *t = xtr_tables_new(), *back = xtr_tables_new();
	struct sink s = { .to = back };
	uint32_t id, frames[3], walk = 0;
	size_t n, count = 0;
	char text[400];

	for (uint32_t i = 0; i < 30000; i++) {
		struct xtr_task task = {
			.tid = i, .pid = i / 2, .since = 1000 - i % 7, .comm = 1, .flags = i % 2
		};
		struct xtr_frame f = { 1, i, 2, i % 2 };

		memset(text, 'x', sizeof(text));
		snprintf(text, sizeof(text), "name %u", i);
		cr_assert(eq(int,
			     xtr_tables_intern(t, text, i % 100 ? strlen(text) : sizeof(text), &id),
			     0));
		cr_assert(eq(int, xtr_tables_add_task(t, &task), 0));
		cr_assert(eq(int, xtr_tables_intern_frame(t, &f, &frames[i % 3]), 0));
		if (i % 3 == 2) /* in falling order of id */
			cr_assert(eq(int, xtr_tables_add_stack(t, 50000 - i, frames, 3), 0));
	}
	cr_assert(eq(int, xtr_tables_encode(t, false, take, &s), 0));
	cr_assert(gt(sz, s.payloads, 3));
	while (xtr_tables_next_id(back, XTR_TABLE_STRINGS, &walk))
		count++;
	cr_assert(eq(sz, count, 30000));
	cr_assert(eq(sz, xtr_tables_n_tasks(back), 30000));
	cr_assert(eq(u32, xtr_tables_task(back, 777, 0)->pid, 388));
	cr_assert(eq(u64, xtr_tables_frame(back, 5)->offset, 4));
	cr_assert(eq(u32, xtr_tables_stack(back, 50000 - 2, &n)[2], frames[2] - 29997));
	cr_assert(eq(sz, n, 3));
	count = s.payloads;
	cr_assert(eq(int, xtr_tables_encode(t, false, take, &s), 0));
	cr_assert(eq(sz, s.payloads, count), "nothing new, nothing written");
	cr_assert(eq(int, xtr_tables_encode(t, true, take, &s), 0), "all again, equal");
	cr_assert(eq(int, xtr_tables_settle(back), 0));
	cr_assert(eq(sz, xtr_tables_n_tasks(back), 30000));
	xtr_tables_free(t);
	xtr_tables_free(back);
}

Test(tables, files_of_one_path_are_told_apart_by_build_id)
{
	struct xtr_tables *t = xtr_tables_new(), *back = xtr_tables_new(), *copy;
	struct xtr_frame f = { .offset = 64, .module = 1 };
	struct sink s = { .to = back };
	uint32_t first, second, third, again;

	cr_assert(zero(int, xtr_tables_intern_frame(t, &f, &first)));
	f.build_id = 2;
	cr_assert(zero(int, xtr_tables_intern_frame(t, &f, &second)));
	f.build_id = 3;
	cr_assert(zero(int, xtr_tables_intern_frame(t, &f, &third)));
	cr_assert(first != second && second != third && first != third);
	cr_assert(zero(int, xtr_tables_intern_frame(t, &f, &again)));
	cr_assert(eq(u32, again, third));
	cr_assert(zero(int, xtr_tables_encode(t, false, take, &s)));
	cr_assert(eq(u32, xtr_tables_frame(back, first)->build_id, 0));
	cr_assert(eq(u32, xtr_tables_frame(back, second)->build_id, 2));
	cr_assert(eq(u32, xtr_tables_frame(back, third)->build_id, 3));

	copy = xtr_tables_copy(back);
	cr_assert(zero(int, xtr_tables_intern_frame(copy, &f, &again)));
	f.symbol = 9;
	cr_assert(zero(int, xtr_tables_set_frame(copy, third, &f)));
	cr_assert(eq(int, xtr_tables_set_frame(copy, third + 1, &f), -ENOENT));
	cr_assert(eq(u32, xtr_tables_frame(copy, third)->symbol, 9));
	cr_assert(zero(int, xtr_tables_intern_frame(copy, &f, &again)));
	cr_assert(eq(u32, again, third), "it is known by what it is now");
	f.symbol = 0;
	cr_assert(zero(int, xtr_tables_intern_frame(copy, &f, &again)));
	cr_assert(gt(u32, again, third), "and no longer by what it was");
	xtr_tables_free(t);
	xtr_tables_free(back);
	xtr_tables_free(copy);
}

Test(tables, after_an_error_all_is_written_again)
{
	struct xtr_tables *t = xtr_tables_new(), *back = xtr_tables_new();
	struct sink s = { .fail_at = 1 };
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(t, "a", 1, &id), 0));
	cr_assert(eq(int, xtr_tables_encode(t, false, take, &s), -EIO));
	s = (struct sink){ .to = back };
	cr_assert(eq(int, xtr_tables_encode(t, false, take, &s), 0));
	cr_assert(eq(str, (char *)xtr_tables_string(back, id, NULL), "a"));
	xtr_tables_free(t);
	xtr_tables_free(back);
}

Test(tables, the_task_at_a_time)
{
	struct xtr_tables *t = xtr_tables_new();
	const struct xtr_task tasks[] = {
		{ .tid = 5, .pid = 50, .since = 100, .comm = 1, .flags = 0 },
		{ .tid = 5, .pid = 51, .since = 300, .comm = 2, .flags = 0 },
		{ .tid = 4, .pid = 40, .since = 200, .comm = 3, .flags = 0 },
		{ .tid = 5, .pid = 52, .since = 200, .comm = 4, .flags = 0 }
	};

	for (size_t i = 0; i < 4; i++)
		cr_assert(eq(int, xtr_tables_add_task(t, &tasks[i]), 0));
	for (int round = 0; round < 2; round++) { /* as they came, then sorted */
		cr_assert(eq(u32, xtr_tables_task(t, 5, 0)->pid, 50), "the earliest before all");
		cr_assert(eq(u32, xtr_tables_task(t, 5, 199)->pid, 50));
		cr_assert(eq(u32, xtr_tables_task(t, 5, 200)->pid, 52));
		cr_assert(eq(u32, xtr_tables_task(t, 5, UINT64_MAX)->pid, 51));
		cr_assert(eq(u32, xtr_tables_task(t, 4, 0)->pid, 40));
		cr_assert(eq(ptr, (void *)xtr_tables_task(t, 6, 0), NULL));
		for (uint32_t i = 0; i < 300; i++) {
			struct xtr_task other = {
				.tid = 1000 + i, .pid = 1, .since = 1, .comm = 1, .flags = 0
			};

			cr_assert(eq(int, xtr_tables_add_task(t, &other), 0));
		}
	}
	xtr_tables_free(t);
}

Test(tables, other_meanings_are_refused_and_change_nothing)
{
	static const struct {
		const char *what;
		const char *p;
		size_t n;
	} bad[] = {
		{ "string 1 again", "\xa1\x67strings\xa1\x01\x61z", 13 },
		{ "id 0", "\xa1\x67strings\xa1\x00\x61z", 13 },
		{ "rings twice",
		  "\xa1\x65rings\x82\x86\x02\x01\x01\x01\x01\x01\x86\x02\x01\x01\x01\x01\x02", 22 },
		{ "short task", "\xa1\x65tasks\x81\x84\x01\x01\x01\x01", 13 },
		{ "right strings before a wrong ring",
		  "\xa2\x65rings\x81\x01\x67strings\xa1\x05\x61z", 21 },
	};
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_err err;
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(t, "a", 1, &id), 0));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_assert(eq(int, xtr_tables_merge(t, (const uint8_t *)bad[i].p, bad[i].n, &err),
			     -EBADMSG),
			  "%s", bad[i].what);
		cr_assert(eq(int, err.problem, XTR_P_TABLE), "%s", bad[i].what);
		cr_assert(eq(ptr, (void *)xtr_tables_string(t, 5, NULL), NULL));
		cr_assert(zero(sz, xtr_tables_n_rings(t)));
	}
	cr_assert(eq(str, (char *)xtr_tables_string(t, 1, NULL), "a"));
	xtr_tables_free(t);
}

/* Tables that were read know their strings and frames, and a copy of them is written whole. */
Test(tables, what_was_read_can_be_interned_and_written)
{
	struct xtr_tables *t = xtr_tables_new(), *read = xtr_tables_new(), *copy;
	struct xtr_tables *back = xtr_tables_new();
	struct xtr_frame f = { 1, 77, 2, 0 };
	struct xtr_ring ring = { .id = 4, .device = 1, .name = 2 };
	struct xtr_task task = { .tid = 9, .pid = 8, .since = 7, .comm = 1, .flags = 0 },
			late = { .tid = 3, .pid = 3, .since = 9, .comm = 2, .flags = 0 };
	struct sink s = { .to = read };
	uint32_t one, two, frame, again, frames[1];
	size_t n;

	cr_assert(eq(int, xtr_tables_intern(t, "one", 3, &one), 0));
	cr_assert(eq(int, xtr_tables_intern(t, "two", 3, &two), 0));
	cr_assert(eq(int, xtr_tables_intern_frame(t, &f, &frame), 0));
	frames[0] = frame;
	cr_assert(eq(int, xtr_tables_add_stack(t, 6, frames, 1), 0));
	cr_assert(eq(int, xtr_tables_add_ring(t, &ring), 0));
	cr_assert(eq(int, xtr_tables_add_task(t, &task), 0));
	cr_assert(eq(int, xtr_tables_encode(t, false, take, &s), 0));

	cr_assert(eq(int, xtr_tables_intern(read, "two", 3, &again), 0));
	cr_assert(eq(u32, again, two));
	cr_assert(eq(int, xtr_tables_intern_frame(read, &f, &again), 0));
	cr_assert(eq(u32, again, frame));
	cr_assert(eq(int, xtr_tables_intern(read, "new", 3, &again), 0));
	cr_assert(gt(u32, again, two));

	copy = xtr_tables_copy(read);
	cr_assert(eq(int, xtr_tables_add_task(copy, &late), 0));
	cr_assert(eq(int, xtr_tables_intern(copy, "one", 3, &again), 0));
	cr_assert(eq(u32, again, one));
	s = (struct sink){ .to = back };
	cr_assert(eq(int, xtr_tables_encode(copy, false, take, &s), 0));
	cr_assert(eq(str, (char *)xtr_tables_string(back, two, &n), "two"));
	cr_assert(eq(sz, xtr_tables_n_tasks(back), 2));
	cr_assert(eq(u32, xtr_tables_task(back, 9, 100)->pid, 8));
	cr_assert(eq(u32, xtr_tables_ring(back, 4)->name, 2));
	cr_assert(eq(u64, xtr_tables_frame(back, frame)->offset, 77));
	cr_assert(ne(ptr, (void *)xtr_tables_stack(back, 6, &n), NULL));
	xtr_tables_free(t);
	xtr_tables_free(read);
	xtr_tables_free(copy);
	xtr_tables_free(back);
}

Test(tables, what_goes_beyond_a_limit_is_refused)
{
	struct xtr_tables *t = xtr_tables_new();
	const struct xtr_ring none = { 0 }, ring = { .id = 7 };
	const struct xtr_frame frame = { 1, 2, 3, 0 };
	const uint32_t frames[] = { 1 };
	char *longest = calloc(1, XTR_CBOR_STRING_MAX + 1);
	uint32_t id;

	cr_assert(eq(int, xtr_tables_intern(t, longest, XTR_CBOR_STRING_MAX + 1, &id), -E2BIG));
	free(longest);
	cr_assert(eq(int, xtr_tables_add_ring(t, &none), -EINVAL));
	cr_assert(eq(int, xtr_tables_add_ring(t, &ring), 0));
	cr_assert(eq(int, xtr_tables_add_ring(t, &ring), -EEXIST));
	cr_assert(eq(int, xtr_tables_add_stack(t, 0, frames, 1), -EINVAL));
	cr_assert(eq(int, xtr_tables_add_stack(t, 1, frames, XTR_CBOR_ITEMS_MAX), -EINVAL));
	cr_assert(eq(int, xtr_tables_add_stack(t, 1, NULL, 0), 0));
	cr_assert(eq(int, xtr_tables_add_stack(t, 1, frames, 1), -EEXIST));
	t->last_id[XTR_T_STRINGS] = t->last_id[XTR_T_FRAMES] = UINT32_MAX;
	cr_assert(eq(int, xtr_tables_intern(t, "a", 1, &id), -EFBIG), "no id is left");
	cr_assert(eq(int, xtr_tables_intern_frame(t, &frame, &id), -EFBIG));
	t->last_id[XTR_T_STRINGS] = 0;
	t->bytes = XTR_TABLES_BYTES_MAX;
	cr_assert(eq(int, xtr_tables_intern(t, "a", 1, &id), -EFBIG), "no memory beyond 1 GiB");
	cr_assert(eq(int, xtr_tables_add_stack(t, 2, frames, 1), -EFBIG));
	cr_assert(eq(sz, xtr_tables_n_rings(t), 1));
	cr_assert(eq(u32, xtr_tables_ring_at(t, 0)->id, 7));
	cr_assert(eq(ptr, (void *)xtr_tables_ring_at(t, 1), NULL));
	cr_assert(eq(ptr, (void *)xtr_tables_task_at(t, 0), NULL));
	xtr_tables_free(t);
	xtr_tables_free(NULL);
}

Test(tables, ids_are_walked_across_holes)
{
	struct xtr_tables *t = xtr_tables_new();
	const uint32_t ids[] = { 9, 3, 4, UINT32_MAX }, frames[] = { 1 },
		       want[] = { 3, 4, 9, UINT32_MAX };
	uint32_t id = 0;

	for (size_t i = 0; i < 4; i++)
		cr_assert(eq(int, xtr_tables_add_stack(t, ids[i], frames, 1), 0));
	for (size_t i = 0; i < 4; i++) {
		cr_assert(xtr_tables_next_id(t, XTR_TABLE_STACKS, &id));
		cr_assert(eq(u32, id, want[i]));
	}
	cr_assert(not(xtr_tables_next_id(t, XTR_TABLE_STACKS, &id)));
	xtr_tables_free(t);
}

/* A file may give one text or frame two ids: what is interned gets the first. */
Test(tables, of_equal_rows_the_first_is_interned)
{
	static const char strings[] = "\xa1\x67strings\xa2\x01\x61z\x02\x61z";
	static const char frames[] = "\xa1\x66"
				     "frames\xa2\x03\x83\x01\x07\x01\x04\x83\x01\x07\x01";
	const struct xtr_frame frame = { .symbol = 1, .offset = 7, .module = 1 };
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_err err;
	uint32_t id;

	cr_assert(zero(int,
		       xtr_tables_merge(t, (const uint8_t *)strings, sizeof(strings) - 1, &err)));
	cr_assert(
		zero(int, xtr_tables_merge(t, (const uint8_t *)frames, sizeof(frames) - 1, &err)));
	cr_assert(zero(int, xtr_tables_intern(t, "z", 1, &id)));
	cr_expect(eq(u32, id, 1));
	cr_expect(eq(str, (char *)xtr_tables_string(t, 2, NULL), "z"), "the other one stays");
	cr_assert(zero(int, xtr_tables_intern_frame(t, &frame, &id)));
	cr_expect(eq(u32, id, 3));
	xtr_tables_free(t);
}

Test(tables, tasks_past_the_limit_are_refused)
{
	static const char task[] = "\xa1\x65tasks\x81\x85\x01\x01\x01\x01\x01";
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_err err;

	cr_assert(zero(int, xtr_tables_merge(t, (const uint8_t *)task, sizeof(task) - 1, &err)));
	t->n_tasks = t->n_sorted = XTR_TABLES_BYTES_MAX / sizeof(struct xtr_task);
	cr_assert(eq(int, xtr_tables_merge(t, (const uint8_t *)task, sizeof(task) - 1, &err),
		     -EBADMSG));
	cr_assert(eq(int, err.problem, XTR_P_TABLE));
	t->n_tasks = t->n_sorted = 1;
	cr_assert(zero(int, xtr_tables_merge(t, (const uint8_t *)task, sizeof(task) - 1, &err)));
	cr_assert(eq(sz, xtr_tables_n_tasks(t), 2));
	xtr_tables_free(t);
}

/* Where there is no memory for an order of ids, all rows are searched. */
Test(tables, ids_are_found_in_order_without_memory_for_it)
{
	static const char *const strings[] = { "\xa1\x67strings\xa1\x09\x61z",
					       "\xa1\x67strings\xa1\x03\x61z" };
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_err err;

	for (size_t i = 0; i < 2; i++)
		cr_assert(zero(int, xtr_tables_merge(t, (const uint8_t *)strings[i], 13, &err)));
	for (unsigned int settled = 0; settled < 2; settled++) {
		uint32_t id = 0;

		oom_at(settled ? 0 : 1, true);
		xtr_tables_settle(t);
		cr_assert(eq(u32, oom_end(), settled ? 0 : 1));
		cr_assert(xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id));
		cr_expect(eq(u32, id, 3));
		cr_assert(xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id));
		cr_expect(eq(u32, id, 9));
		cr_expect(not(xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id)));
		cr_expect(eq(u32, id, 9));
	}
	xtr_tables_free(t);
}

static bool any_task(void *ctx, const struct xtr_task *task)
{
	return !ctx && task;
}

Test(tables, the_control_group_of_a_task_stays)
{
	struct xtr_tables *t = xtr_tables_new(), *back = xtr_tables_new(), *rest;
	struct sink s = { .to = back };
	struct xtr_task task = { .tid = 5, .pid = 5, .since = 1, .start = 1 };
	const struct xtr_task *known;
	uint32_t other;

	cr_assert(zero(int, xtr_tables_intern(t, "unused", 6, &other)));
	cr_assert(zero(int, xtr_tables_intern(t, "sh", 2, &task.comm)));
	cr_assert(zero(int, xtr_tables_intern(t, "/a/b", 4, &task.cgroup)));
	cr_assert(zero(int, xtr_tables_add_task(t, &task)));
	rest = xtr_tables_rest(t, any_task, NULL, NULL, 0);
	cr_assert(ne(ptr, rest, NULL));
	cr_assert(zero(int, xtr_tables_encode(rest, false, take, &s)));
	known = xtr_tables_task(back, 5, 9);
	cr_assert(eq(u32, known->cgroup, task.cgroup));
	cr_assert(eq(str, (char *)xtr_tables_string(back, known->cgroup, NULL), "/a/b"));
	cr_assert(eq(ptr, (void *)xtr_tables_string(back, other, NULL), NULL));
	xtr_tables_free(t);
	xtr_tables_free(rest);
	xtr_tables_free(back);
}
