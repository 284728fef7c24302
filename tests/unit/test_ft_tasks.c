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

static void made(struct xtr_ft_tasks *t, uint64_t ts, uint32_t parent, uint32_t tid, bool thread,
		 const char *name)
{
	char comm[XTR_COMM_LEN] = "";

	strncpy(comm, name, sizeof(comm) - 1);
	xtr_ft_tasks_new(t, &(struct xtr_ft_newtask){ ts, parent, tid, thread, comm });
}

static void named(struct xtr_ft_tasks *t, uint64_t ts, uint32_t tid, const char *old,
		  const char *name)
{
	char was[XTR_COMM_LEN] = "", comm[XTR_COMM_LEN] = "";

	strncpy(was, old, sizeof(was) - 1);
	strncpy(comm, name, sizeof(comm) - 1);
	xtr_ft_tasks_rename(t, &(struct xtr_ft_rename){ ts, tid, was, comm });
}

static void expect(struct xtr_ft_tasks *t, uint64_t since, uint32_t tid, uint32_t pid,
		   const char *comm)
{
	struct xtr_ctl_task def = { .tgid = 0 };

	cr_assert(xtr_ft_tasks_take(t, &def), "no definition of %x %s", tid, comm);
	cr_expect_eq(def.h.ts, since);
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

	cr_assert_eq(xtr_ft_tasks_open(&t), 0);
	cr_expect_eq(xtr_ft_tasks_process(&t, pid), pid);
	cr_assert(xtr_ft_tasks_seen(&t, pid, 500));
	cr_assert(xtr_ft_tasks_take(&t, &def));
	cr_expect_eq(def.h.ts, 500);
	cr_expect_eq(def.tgid, pid);
	cr_expect_neq(def.start, 0);
	cr_assert(xtr_ft_tasks_seen(&t, pid, 600));
	no_more(&t);
}

Test(ft_tasks, one_that_is_made_is_defined_when_it_does_something)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	made(&t, 10, PARENT, CHILD, false, "sh");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 20));
	expect(&t, 10, CHILD, CHILD, "sh");
	named(&t, 30, CHILD, "sh", "ls");
	expect(&t, 30, CHILD, CHILD, "ls");
	no_more(&t);
}

Test(ft_tasks, a_thread_is_of_its_makers_process)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	made(&t, 10, 1, PARENT, false, "game");
	made(&t, 20, PARENT, CHILD, true, "game");
	cr_expect_eq(xtr_ft_tasks_process(&t, CHILD), PARENT);
	named(&t, 25, CHILD, "game", "gdrv0");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 30));
	expect(&t, 20, CHILD, PARENT, "gdrv0"); /* it did nothing under the first name */
	no_more(&t);
}

Test(ft_tasks, what_it_did_may_be_read_before_its_beginning)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	cr_expect(!xtr_ft_tasks_seen(&t, CHILD, 20));
	named(&t, 30, CHILD, "sh", "ls");
	expect(&t, 30, CHILD, 0, "ls");
	made(&t, 10, PARENT, CHILD, false, "sh");
	expect(&t, 10, CHILD, CHILD, "sh");
	expect(&t, 30, CHILD, CHILD, "ls");
	no_more(&t);
}

Test(ft_tasks, rings_of_cpus_are_put_in_order_of_time)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	/* The thread's beginning is read before its process', which was made on a later CPU. */
	xtr_ft_tasks_add(
		&t,
		&(struct xtr_ft_event){
			.ts = 20, .tid = CHILD, .parent = PARENT, .thread = true, .comm = "b" });
	xtr_ft_tasks_add(
		&t, &(struct xtr_ft_event){
			    .ts = 15, .tid = PARENT, .rename = true, .comm = "b", .oldcomm = "a" });
	xtr_ft_tasks_add(
		&t, &(struct xtr_ft_event){ .ts = 10, .tid = PARENT, .parent = 1, .comm = "a" });
	xtr_ft_tasks_until(&t, 15);
	cr_expect_eq(xtr_ft_tasks_process(&t, PARENT), PARENT);
	cr_expect_eq(xtr_ft_tasks_process(&t, CHILD), 0);
	xtr_ft_tasks_until(&t, 21);
	cr_expect_eq(xtr_ft_tasks_process(&t, CHILD), PARENT);
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 30));
	expect(&t, 20, CHILD, PARENT, "b");
	no_more(&t);
}

Test(ft_tasks, a_number_may_be_given_again)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	made(&t, 10, PARENT, CHILD, false, "one");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 20));
	expect(&t, 10, CHILD, CHILD, "one");
	made(&t, 100, PARENT, CHILD, false, "two");
	expect(&t, 100, CHILD, CHILD, "two");
	cr_expect(xtr_ft_tasks_seen(&t, CHILD, 110));
	no_more(&t);
}

Test(ft_tasks, the_idle_task_has_no_definition)
{
	struct xtr_ft_tasks t = { .prune_at = SIZE_MAX };

	cr_expect(xtr_ft_tasks_seen(&t, 0, 20));
	cr_expect_eq(xtr_ft_tasks_process(&t, 0), 0);
	no_more(&t);
}

Test(ft_tasks, those_that_are_gone_are_forgotten)
{
	struct xtr_ft_tasks t = { .prune_at = 2 };
	uint32_t pid = (uint32_t)getpid();

	made(&t, 10, PARENT, CHILD, false, "gone");
	made(&t, 10, PARENT, pid, false, "here");
	xtr_ft_tasks_prune(&t);
	cr_expect_eq(t.n, 1);
	cr_expect_eq(xtr_ft_tasks_process(&t, pid), pid);
	cr_expect_eq(xtr_ft_tasks_process(&t, CHILD), 0);
	no_more(&t);
}
