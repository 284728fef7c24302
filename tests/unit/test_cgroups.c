/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/drain/cgroups.h"
#include "recorder/host/proc_task.h"

#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

static void path_is(const char *names, uint32_t used, const char *want)
{
	char path[XTR_CGROUP_PATH];

	cr_assert(eq(sz, xtr_cgroup_path(names, used, path), strlen(want)));
	cr_assert(zero(int, strcmp(path, want)), "%s, not %s", path, want);
}

Test(cgroups, names_upwards_become_a_path)
{
	path_is("", 0, "/");
	path_is("a", 2, "/a");
	path_is("c\0bb\0a", 7, "/a/bb/c");
}

Test(cgroups, the_longest_names_fit)
{
	char names[XTR_CGROUP_NAMES + XTR_CGROUP_NAME], path[XTR_CGROUP_PATH];

	memset(names, 'x', sizeof(names));
	names[sizeof(names) - 1] = 0;
	cr_assert(eq(sz, xtr_cgroup_path(names, sizeof(names), path), sizeof(names)));
	memset(names, 0, sizeof(names));
	cr_assert(eq(sz, xtr_cgroup_path(names, sizeof(names), path), sizeof(names)));
}

Test(cgroups, a_task_is_in_the_group_that_was_told)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_cgroups c = { 0 };
	struct xtr_ctl_cgroup group = { .id = 77, .used = 4, .names = "b\0a" };
	struct xtr_ctl_task task = { .tgid = 1u << 30, .cgroup = 77 };
	uint32_t id;

	cr_assert(eq(u32, xtr_cgroups_of(&c, t, &task), 0), "no such group, and no such process");
	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	id = xtr_cgroups_of(&c, t, &task);
	cr_assert(eq(str, (char *)xtr_tables_string(t, id, NULL), "/a/b"));
	group.id = 78;
	group.cut = 1;
	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	task.cgroup = 78;
	cr_assert(eq(u32, xtr_cgroups_of(&c, t, &task), 0), "not all of its path is known");
	group.cut = 0;
	group.used = UINT32_MAX;
	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	cr_assert(eq(u32, xtr_cgroups_of(&c, t, &task), 0));
	xtr_cgroups_free(&c);
	xtr_tables_free(t);
}

static bool none(void *ctx, const struct xtr_task *task)
{
	(void)ctx;
	(void)task;
	return false;
}

/* The next piece of a recording begins without the strings that nobody names then. */
Test(cgroups, a_group_is_known_in_the_next_piece_too)
{
	struct xtr_tables *t = xtr_tables_new(), *next;
	struct xtr_cgroups c = { 0 };
	const struct xtr_ctl_cgroup group = { .id = 77, .used = 4, .names = "b\0a" };
	const struct xtr_ctl_task task = { .tgid = 1u << 30, .cgroup = 77 };
	const char *path;

	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	cr_assert(ne(u32, xtr_cgroups_of(&c, t, &task), 0));
	next = xtr_tables_rest(t, none, NULL, NULL, 0);
	path = xtr_tables_string(next, xtr_cgroups_of(&c, next, &task), NULL);
	cr_assert(path != NULL);
	cr_assert(eq(str, (char *)path, "/a/b"));
	xtr_cgroups_free(&c);
	xtr_tables_free(next);
	xtr_tables_free(t);
}

/* A program may have forgotten what it told, and tells it again, for as long as it records. */
Test(cgroups, one_that_is_told_again_takes_no_more_room)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_cgroups c = { 0 };
	struct xtr_ctl_cgroup group = { .id = 77, .used = 4, .names = "b\0a" };
	const struct xtr_ctl_task task = { .tgid = 1u << 30, .cgroup = 77 };
	size_t n;

	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	n = c.paths.n;
	for (int i = 0; i < 3; i++)
		cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	cr_assert(eq(sz, c.paths.n, n));
	memcpy(group.names, "d\0a", 4);
	cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	cr_assert(
		eq(str, (char *)xtr_tables_string(t, xtr_cgroups_of(&c, t, &task), NULL), "/a/d"));
	xtr_cgroups_free(&c);
	xtr_tables_free(t);
}

static int take_and_ask(void *arg)
{
	const struct xtr_ctl_cgroup *group = arg;
	struct xtr_cgroups c = { 0 };
	int err = xtr_cgroups_take(&c, group);

	xtr_cgroups_free(&c);
	return err;
}

Test(cgroups, every_allocation_may_fail)
{
	struct xtr_ctl_cgroup group = { .id = 77, .used = 4, .names = "b\0a" };

	cr_assert(gt(u32, oom_each(take_and_ask, &group, 0), 2));
}

/* Who makes groups for ever does not make the recorder grow for ever. */
Test(cgroups, those_that_are_kept_are_bounded)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_cgroups c = { 0 };
	struct xtr_ctl_cgroup group = { .used = 4, .names = "b\0a" };
	struct xtr_ctl_task task = { .tgid = 1u << 30 };

	for (group.id = 1; group.id <= XTR_CGROUPS_MAX + 1; group.id++)
		cr_assert(zero(int, xtr_cgroups_take(&c, &group)));
	cr_assert(eq(sz, c.by_id.n, 1));
	task.cgroup = XTR_CGROUPS_MAX + 1;
	cr_assert(ne(u32, xtr_cgroups_of(&c, t, &task), 0));
	task.cgroup = 1;
	cr_assert(eq(u32, xtr_cgroups_of(&c, t, &task), 0));
	xtr_cgroups_free(&c);
	xtr_tables_free(t);
}

Test(cgroups, proc_is_asked_where_nothing_was_told)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_cgroups c = { 0 };
	const struct xtr_ctl_task task = { .tgid = (uint32_t)getpid() };
	char path[XTR_CGROUP_PATH];
	const char *known;

	if (!xtr_proc_cgroup((uint32_t)getpid(), path, sizeof(path)))
		cr_skip_test("no control groups of version 2");
	cr_assert(eq(chr, path[0], '/'));
	known = xtr_tables_string(t, xtr_cgroups_of(&c, t, &task), NULL);
	cr_assert(zero(int, strcmp(known, path)));
	cr_assert(not(xtr_proc_cgroup((uint32_t)getpid(), path, 1)), "no room");
	xtr_cgroups_free(&c);
	xtr_tables_free(t);
}
