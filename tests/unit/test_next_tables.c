/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks that the next piece begins with: those that events to come can name. */
#include "recorder/drain/next_tables.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INIT_PID_NS 0xEFFFFFFCu /* as in recorder/drain/next_tables.c */

static void add(struct xtr_tables *t, uint32_t tid, uint64_t since, const char *comm)
{
	struct xtr_task task = { .tid = tid, .since = since };

	cr_assert_eq(xtr_tables_intern(t, comm, strlen(comm), &task.comm), 0);
	cr_assert_eq(xtr_tables_add_task(t, &task), 0);
}

/* The next tables take the place of those before, as with a piece. */
static void next(struct xtr_next_tables *nt, struct xtr_tables *t, uint64_t watermark, uint64_t now)
{
	const struct xtr_defs d = { .tables = t };
	struct xtr_tables *rest = xtr_next_tables(nt, &d, watermark, now);

	cr_assert(rest);
	xtr_tables_replace(t, rest);
}

static const char *name_at(const struct xtr_tables *t, uint32_t tid, uint64_t at)
{
	const struct xtr_task *task = xtr_tables_task(t, tid, at);

	return task ? xtr_tables_string(t, task->comm, NULL) : "";
}

/* A task that was there and is not any more. */
static uint32_t ended_task(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

Test(next_tables, names_of_before_are_left_out)
{
	struct xtr_next_tables nt = { 0 };
	struct xtr_tables *t = xtr_tables_new();
	uint32_t me = (uint32_t)getpid();

	add(t, me, 10, "first");
	add(t, me, 20, "second");
	add(t, me, 40, "third");
	next(&nt, t, 30, 50);
	cr_assert_eq(xtr_tables_n_tasks(t), 2);
	cr_assert_str_eq(name_at(t, me, 30), "second");
	cr_assert_str_eq(name_at(t, me, 45), "third");
	next(&nt, t, 40, 60);
	cr_assert_eq(xtr_tables_n_tasks(t), 1);
	cr_assert_str_eq(name_at(t, me, 45), "third");
	xtr_next_tables_free(&nt);
	xtr_tables_free(t);
}

/* In a namespace of its own, where numbers mean other tasks, none is taken for ended. */
Test(next_tables, ended_tasks_stay_until_their_events_are_in)
{
	struct xtr_next_tables nt = { 0 };
	struct xtr_tables *t = xtr_tables_new();
	uint32_t gone = ended_task(), me = (uint32_t)getpid();
	struct stat st;
	bool own = !stat("/proc/self/ns/pid", &st) && st.st_ino == INIT_PID_NS;

	add(t, gone, 10, "gone");
	add(t, me, 10, "here");
	add(t, 0, 10, "idle");
	next(&nt, t, 20, 30); /* seen to have ended at 30 */
	cr_assert_eq(xtr_tables_n_tasks(t), 3);
	next(&nt, t, 30, 40);
	cr_assert_eq(xtr_tables_n_tasks(t), 3);
	next(&nt, t, 31, 50);
	cr_assert_eq(xtr_tables_n_tasks(t), own ? 2 : 3);
	cr_assert_str_eq(name_at(t, gone, 25), own ? "" : "gone");
	cr_assert_str_eq(name_at(t, me, 45), "here");
	cr_assert_str_eq(name_at(t, 0, 45), "idle");
	xtr_next_tables_free(&nt);
	xtr_tables_free(t);
}

/* A number that was given again is another task, which has not ended yet. */
Test(next_tables, a_number_that_was_given_again_begins_anew)
{
	struct xtr_next_tables nt = { 0 };
	struct xtr_tables *t = xtr_tables_new();
	uint32_t gone = ended_task();

	add(t, gone, 10, "gone");
	next(&nt, t, 20, 30);
	add(t, gone, 32, "again");
	next(&nt, t, 35, 40);
	cr_assert_eq(xtr_tables_n_tasks(t), 1);
	cr_assert_str_eq(name_at(t, gone, 36), "again");
	xtr_next_tables_free(&nt);
	xtr_tables_free(t);
}
