/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process a thread of the trace ring belongs to, and what it is called. */
#include "recorder/ftrace/tasks.h"

#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

/* Numbers that no process has here (PID_MAX_LIMIT is 2^22). */
#define PARENT 0x40000001u
#define CHILD  0x40000002u

/* In order of time, as a pass has them. */
static void made(struct xtr_ft_tasks *t, uint64_t ts, uint32_t parent, uint32_t tid, bool thread,
		 const char *name)
{
	struct xtr_ft_event e = { .ts = ts, .tid = tid, .parent = parent, .thread = thread };

	strncpy(e.comm, name, sizeof(e.comm) - 1);
	xtr_ft_tasks_add(t, &e);
}

static void named(struct xtr_ft_tasks *t, uint64_t ts, uint32_t tid, const char *name)
{
	struct xtr_ft_event e = { .ts = ts, .tid = tid, .rename = true };

	strncpy(e.comm, name, sizeof(e.comm) - 1);
	xtr_ft_tasks_add(t, &e);
}

static bool seen(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts)
{
	uint64_t until;

	return xtr_ft_tasks_seen(t, tid, ts, &until);
}

static uint32_t process(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts)
{
	uint64_t until;

	return xtr_ft_tasks_process(t, tid, ts, &until);
}

static void expect(struct xtr_ft_tasks *t, uint64_t since, uint32_t tid, uint32_t pid,
		   const char *comm)
{
	struct xtr_ctl_task def = { .tgid = 0 };

	cr_assert(xtr_ft_tasks_take(t, &def), "no definition of %x %s", tid, comm);
	cr_expect_eq(def.h.ts, since, "%s: since %lu", comm, (unsigned long)def.h.ts);
	cr_expect_eq(def.h.tid, tid);
	cr_expect_eq(def.tgid, pid, "process %x", def.tgid);
	cr_expect_str_eq(def.comm, comm);
}

static void no_more(struct xtr_ft_tasks *t)
{
	struct xtr_ctl_task def;

	cr_expect(!xtr_ft_tasks_take(t, &def), "defined: %x %s", def.h.tid, def.comm);
	xtr_ft_tasks_close(t);
}

Test(ft_tasks, this_process_is_read_from_proc)
{
	struct xtr_ft_tasks t;
	struct xtr_ctl_task def;
	uint32_t pid = (uint32_t)getpid();

	xtr_ft_tasks_init(&t);
	xtr_ft_tasks_read(&t);
	cr_expect_eq(process(&t, pid, 500), pid);
	cr_assert(seen(&t, pid, 500));
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 500);
	cr_expect_eq(def.tgid, pid);
	cr_expect_neq(def.start, 0);
	cr_assert(seen(&t, pid, 600));
	no_more(&t);
}

Test(ft_tasks, one_that_is_made_is_defined_when_it_does_something)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };
	uint64_t until;

	made(&t, 10, PARENT, CHILD, false, "sh");
	named(&t, 30, CHILD, "ls");
	named(&t, 50, CHILD, "never");
	named(&t, 70, CHILD, "cat");
	xtr_ft_tasks_until(&t, 100);
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 20, &until));
	cr_expect_eq(until, 30);
	expect(&t, 10, CHILD, CHILD, "sh");
	cr_expect(seen(&t, CHILD, 80), "another CPU's");
	expect(&t, 70, CHILD, CHILD, "cat");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 30, &until));
	cr_expect_eq(until, 50);
	expect(&t, 30, CHILD, CHILD, "ls");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 90, &until));
	cr_expect_eq(until, UINT64_MAX);
	no_more(&t);
}

Test(ft_tasks, a_thread_is_of_its_makers_process)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	made(&t, 10, 1, PARENT, false, "game");
	made(&t, 20, PARENT, CHILD, true, "game");
	named(&t, 25, CHILD, "gdrv0");
	xtr_ft_tasks_until(&t, 100);
	cr_expect_eq(process(&t, CHILD, 21), PARENT);
	cr_expect(seen(&t, CHILD, 30));
	expect(&t, 25, CHILD, PARENT, "gdrv0"); /* it did nothing under the first name */
	no_more(&t);
}

Test(ft_tasks, what_it_did_may_be_read_before_its_beginning)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	cr_expect(!seen(&t, CHILD, 20));
	cr_expect(!seen(&t, CHILD, 35));
	made(&t, 10, PARENT, CHILD, false, "sh");
	named(&t, 30, CHILD, "ls");
	xtr_ft_tasks_until(&t, 100);
	expect(&t, 10, CHILD, CHILD, "sh");
	expect(&t, 30, CHILD, CHILD, "ls");
	cr_expect(seen(&t, CHILD, 40));
	no_more(&t);
}

Test(ft_tasks, a_new_name_without_a_beginning)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	named(&t, 30, CHILD, "ls");
	xtr_ft_tasks_until(&t, 100);
	cr_expect(!seen(&t, CHILD, 40));
	expect(&t, 30, CHILD, 0, "ls");
	made(&t, 10, PARENT, CHILD, false, "sh"); /* its CPU's ring was read later */
	xtr_ft_tasks_until(&t, 200);
	expect(&t, 30, CHILD, CHILD, "ls");
	cr_expect(seen(&t, CHILD, 15));
	expect(&t, 10, CHILD, CHILD, "sh");
	no_more(&t);
}

Test(ft_tasks, what_proc_said_of_an_earlier_event_is_mended)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };
	struct xtr_ctl_task def;
	uint32_t pid = (uint32_t)getpid();

	/* Seen before its beginning is read: /proc has its later name. */
	cr_expect(seen(&t, pid, 15));
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 15);
	made(&t, 10, PARENT, pid, false, "sh");
	named(&t, 20, pid, "ls");
	xtr_ft_tasks_until(&t, 100);
	cr_assert(
		xtr_ft_tasks_take(&t, &def)); /* as /proc said, with the start that is known now */
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 10);
	cr_expect_str_eq(def.comm, "sh");
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 15);
	cr_expect_str_eq(def.comm, "sh");
	cr_assert(xtr_ft_tasks_take(&t, &def)); /* from when /proc was read */
	cr_expect_gt(def.h.ts, 1000);
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 20);
	cr_expect_str_eq(def.comm, "ls");
	xtr_ft_tasks_close(&t);
}

Test(ft_tasks, rings_of_cpus_are_put_in_order_of_time)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	/* The thread's beginning is read before its process', which was made on a later CPU. */
	made(&t, 20, PARENT, CHILD, true, "b");
	named(&t, 15, PARENT, "b");
	made(&t, 10, 1, PARENT, false, "a");
	xtr_ft_tasks_until(&t, 15);
	cr_expect_eq(process(&t, PARENT, 14), PARENT);
	cr_expect_eq(process(&t, CHILD, 14), 0);
	xtr_ft_tasks_until(&t, 21);
	cr_expect_eq(process(&t, CHILD, 30), PARENT);
	cr_expect(seen(&t, CHILD, 30));
	expect(&t, 20, CHILD, PARENT, "b");
	no_more(&t);
}

Test(ft_tasks, a_number_may_be_given_again)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };
	struct xtr_ctl_task one, two;

	made(&t, 10, PARENT, CHILD, false, "one");
	made(&t, 100, PARENT, CHILD, false, "two");
	xtr_ft_tasks_until(&t, 200);
	cr_expect(seen(&t, CHILD, 20));
	cr_assert(xtr_ft_tasks_take(&t, &one));
	cr_expect_str_eq(one.comm, "one");
	cr_expect(seen(&t, CHILD, 110));
	cr_assert(xtr_ft_tasks_take(&t, &two));
	cr_expect_str_eq(two.comm, "two");
	cr_expect_neq(one.start, two.start);
	no_more(&t);
}

Test(ft_tasks, what_was_taken_is_forgotten)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	made(&t, 1, PARENT, CHILD, false, "sh");
	for (uint64_t i = 0; i < 10000; i++) {
		named(&t, 10 + i, CHILD, i % 2 ? "a" : "b");
		xtr_ft_tasks_until(&t, 11 + i);
		xtr_ft_tasks_prune(&t, 10 + i);
	}
	cr_expect_leq(t.n, 4);
	cr_expect_eq(t.n_several, 0);
	no_more(&t);
}

Test(ft_tasks, the_idle_task_has_no_definition)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	cr_expect(seen(&t, 0, 20));
	cr_expect_eq(process(&t, 0, 20), 0);
	no_more(&t);
}

Test(ft_tasks, those_that_are_gone_are_forgotten)
{
	struct xtr_ft_tasks t = { .prune_at = 2 };
	uint32_t pid = (uint32_t)getpid();

	made(&t, 10, PARENT, CHILD, false, "gone");
	made(&t, 10, PARENT, pid, false, "here");
	xtr_ft_tasks_until(&t, 20);
	xtr_ft_tasks_prune(&t, 20);
	cr_expect_eq(t.by_tid.n, 1);
	cr_expect_eq(process(&t, pid, 30), pid);
	cr_expect_eq(process(&t, CHILD, 30), 0);
	no_more(&t);
}
