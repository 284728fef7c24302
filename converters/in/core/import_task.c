/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of threads. A trace tells them with its events or in a table of its own; a process is known
 * only where something says so, never because a thread has its number.
 */
#include "import_priv.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define TASK_ROWS_MAX ((size_t)1 << 20)
#define COMM_MAX      64u /* bytes; the kernel's are at most 15, workers' longer ones are printed */

static uint64_t pack(const struct import_task *t)
{
	return (uint64_t)t->pid << 32 | t->comm;
}

static uint64_t start_of(const struct xtr_import *im, uint32_t pid)
{
	const uint64_t *start = pid ? xtr_map_get(&im->starts, pid, 0) : NULL;

	return start ? *start : 0;
}

/*
 * Only one that was seen to run before is another one now: what is said of a thread before its
 * first event may come from a table of the end. Two events tell of one birth.
 */
int import_born(struct xtr_import *im, uint64_t ts, uint32_t tid)
{
	const uint64_t *known = xtr_map_get(&im->tasks, tid, 0);
	struct import_task unnamed = { .pid = known ? (uint32_t)(*known >> 32) : 0 };

	if (!ts || !xtr_map_del(&im->seen, tid, 0))
		return 0;
	if (xtr_map_put(&im->starts, tid, 0, ts))
		return -ENOMEM;
	return xtr_map_put(&im->tasks, tid, 0, pack(&unnamed));
}

int xtr_import_task(struct xtr_import *im, uint64_t since, uint32_t tid, uint32_t pid,
		    const char *comm, size_t len)
{
	const uint64_t *known = xtr_map_get(&im->tasks, tid, 0);
	struct import_task old = { 0 }, new;
	struct xtr_task row = { .tid = tid, .since = since };
	int err = 0;

	if (known)
		old = (struct import_task){ (uint32_t)(*known >> 32), (uint32_t)*known };
	new = old;
	if (pid)
		new.pid = pid;
	if (comm && len)
		err = import_intern(im, comm, len < COMM_MAX ? len : COMM_MAX, &new.comm);
	if (err || (new.pid == old.pid &&new.comm == old.comm) || im->n_task_rows >= TASK_ROWS_MAX)
		return err;
	err = xtr_map_put(&im->tasks, tid, 0, pack(&new));
	if (err)
		return err;
	row.pid = new.pid;
	row.comm = new.comm;
	row.start = start_of(im, new.pid);
	im->n_task_rows++;
	return xtr_tables_add_task(im->tables, &row);
}

int xtr_import_fork(struct xtr_import *im, uint64_t ts, uint32_t tid, uint32_t pid, uint32_t parent)
{
	const uint64_t *known;
	const char *comm = NULL;
	size_t len = 0;
	int err = import_born(im, ts, tid);

	known = xtr_map_get(&im->tasks, parent, 0);
	if (known)
		comm = xtr_tables_string(im->tables, (uint32_t)*known, &len);
	return err ? err : xtr_import_task(im, ts, tid, pid, comm, len);
}

uint32_t import_new_task_pid(const struct xtr_import *im, uint32_t parent, uint32_t tid,
			     uint64_t clone_flags)
{
	const uint64_t *known = xtr_map_get(&im->tasks, parent, 0);

	if (!(clone_flags & CLONE_THREAD))
		return tid;
	return known ? (uint32_t)(*known >> 32) : 0;
}

bool import_is_called(const struct xtr_import *im, const struct xtr_import_at *at, const char *name,
		      size_t len)
{
	const uint64_t *known = xtr_map_get(&im->tasks, at->tid, 0);
	size_t n = 0;
	const char *comm = known ? xtr_tables_string(im->tables, (uint32_t)*known, &n) : NULL;

	len = len < 15 ? len : 15;
	return at->tid && comm && n == len && !memcmp(comm, name, len);
}

int import_see(struct xtr_import *im, const struct xtr_import_at *at)
{
	if (at->tid && !xtr_map_get(&im->seen, at->tid, 0) && xtr_map_put(&im->seen, at->tid, 0, 1))
		return -ENOMEM;
	if (!at->comm && !at->pid)
		return 0;
	return xtr_import_task(im, at->ts, at->tid, at->pid, at->comm, at->comm_len);
}

static const struct import_task_fields task_fields[] = {
	{ "sched_switch", "prev_pid", "prev_comm", PID_UNKNOWN, false },
	{ "sched_switch", "next_pid", "next_comm", PID_UNKNOWN, false },
	{ "sched_wakeup", "pid", "comm", PID_UNKNOWN, false },
	{ "sched_wakeup_new", "pid", "comm", PID_UNKNOWN, false },
	{ "sched_waking", "pid", "comm", PID_UNKNOWN, false },
	{ "sched_migrate_task", "pid", "comm", PID_UNKNOWN, false },
	{ "sched_process_exit", "pid", "comm", PID_UNKNOWN, false },
	{ "sched_process_fork", "parent_pid", "parent_comm", PID_UNKNOWN, false },
	{ "sched_process_fork", "child_pid", "child_comm", PID_UNKNOWN, true },
	{ "sched_process_exec", "pid", NULL, PID_IS_TID,
	  false }, /* the thread that does it becomes it */
	{ "task_newtask", "pid", "comm", PID_BY_FLAGS, true },
	{ "task_rename", "pid", "newcomm", PID_UNKNOWN, false },
};

const struct import_task_fields *import_task_fields(const char *event, size_t len, size_t i)
{
	for (size_t k = 0; k < sizeof(task_fields) / sizeof(task_fields[0]); k++) {
		const char *name = task_fields[k].event;

		if (strlen(name) == len && !memcmp(name, event, len) && !i--)
			return &task_fields[k];
	}
	return NULL;
}
