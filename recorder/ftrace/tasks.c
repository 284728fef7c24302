/* SPDX-License-Identifier: BSD-2-Clause */
#include "tasks.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PF_KTHREAD  0x00200000u /* include/linux/sched.h; field 9 of /proc/PID/stat */
#define KTHREADD    2u
#define PRUNE_FIRST 16384

/* --- the table -------------------------------------------------------------------------------- */

static struct xtr_ft_task *find(const struct xtr_ft_tasks *t, uint32_t tid)
{
	uint32_t i = xtr_map_index(&t->by_tid, tid, 0);

	return i == XTR_MAP_NONE ? NULL : &t->v[i];
}

/* A thread that is not there yet, with nothing known; NULL: no memory. */
static struct xtr_ft_task *add(struct xtr_ft_tasks *t, uint32_t tid)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 256;
		struct xtr_ft_task *more = reallocarray(t->v, cap, sizeof(*more));

		if (!more)
			return NULL;
		t->v = more;
		t->cap = cap;
	}
	if (xtr_map_put(&t->by_tid, tid, 0, t->n))
		return NULL;
	t->v[t->n] = (struct xtr_ft_task){ .tid = tid };
	return &t->v[t->n++];
}

/* Where there is no memory a thread has no name: its events are there all the same. */
static void define(struct xtr_ft_tasks *t, const struct xtr_ft_task *task, uint64_t since,
		   const char *comm)
{
	struct xtr_ctl_task *def;

	if (t->n_defs == t->cap_defs) {
		size_t cap = t->cap_defs ? 2 * t->cap_defs : 64;
		struct xtr_ctl_task *more = reallocarray(t->defs, cap, sizeof(*more));

		if (!more)
			return;
		t->defs = more;
		t->cap_defs = cap;
	}
	def = &t->defs[t->n_defs++];
	*def = (struct xtr_ctl_task){
		.h = { .ts = since, .type = XTR_CTL_TASK, .size = sizeof(*def), .tid = task->tid },
		.tgid = task->pid,
		.flags = task->flags,
		.start = task->start,
	};
	memcpy(def->comm, comm, sizeof(def->comm));
}

bool xtr_ft_tasks_take(struct xtr_ft_tasks *t, struct xtr_ctl_task *def)
{
	if (t->taken == t->n_defs) {
		t->taken = t->n_defs = 0;
		return false;
	}
	*def = t->defs[t->taken++];
	return true;
}

/* --- /proc ------------------------------------------------------------------------------------ */

/*
 * Field n, from 3 on, of a stat file: proc(5). The name stands in parentheses and may hold any,
 * so what follows begins behind the last one.
 */
static uint64_t stat_field(const char *rest, int n)
{
	for (int i = 2; i < n; i++) {
		rest = strchr(rest, ' ');
		if (!rest)
			return 0;
		rest++;
	}
	return strtoull(rest, NULL, 10);
}

/* What /proc/PID/task/TID/stat says of a thread, but its process. False: it is gone. */
static bool read_stat(const struct xtr_ft_tasks *t, const char *path, struct xtr_ft_task *task)
{
	char line[1024], *open, *close_at;
	uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK);
	int64_t start;
	size_t n;

	if (!xtr_read_line(path, line, sizeof(line)))
		return false;
	open = strchr(line, '(');
	close_at = strrchr(line, ')');
	if (!open || !close_at || close_at < open)
		return false;
	n = (size_t)(close_at - open - 1);
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, open + 1, n < sizeof(task->comm) ? n : sizeof(task->comm) - 1);
	task->flags = stat_field(close_at, 9) & PF_KTHREAD ? XTR_TASK_KTHREAD : 0;
	ticks = stat_field(close_at, 22);
	start = (int64_t)(ticks * (NS_PER_S / hz)) + t->from_boot;
	task->start = start > 0 ? (uint64_t)start : 1;
	task->read = xtr_now();
	return true;
}

static void start_of_process(struct xtr_ft_tasks *t, struct xtr_ft_task *task)
{
	const struct xtr_ft_task *leader = find(t, task->pid);
	struct xtr_ft_task of = { .start = 0 };
	char path[64];

	if (task->pid == task->tid)
		return;
	snprintf(path, sizeof(path), "/proc/%u/stat", task->pid);
	if (leader)
		task->start = leader->start;
	else if (read_stat(t, path, &of))
		task->start = of.start;
}

/* Process of a thread, 0: it is gone. */
static uint32_t process_of(uint32_t tid)
{
	char path[64], line[256];
	struct xtr_lines l;
	uint32_t pid = 0;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	if (xtr_lines_open(&l, path))
		return 0;
	while (!pid && xtr_lines_next(&l, line, sizeof(line)))
		(void)sscanf(line, "Tgid: %u", &pid);
	(void)xtr_lines_close(&l);
	return pid;
}

/* One that nobody has told of. False: it is gone, too. */
static bool look_up(struct xtr_ft_tasks *t, struct xtr_ft_task *task)
{
	char path[64];

	task->pid = process_of(task->tid);
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", task->pid, task->tid);
	if (!task->pid || !read_stat(t, path, task)) {
		task->pid = 0;
		return false;
	}
	start_of_process(t, task);
	return true;
}

static int number(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]) != 0;
}

static int add_threads(struct xtr_ft_tasks *t, uint32_t pid)
{
	char path[64];
	struct dirent *d;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (!err && dir && (d = readdir(dir))) {
		struct xtr_ft_task task = { .pid = pid }, *slot;

		if (!number(d))
			continue;
		task.tid = (uint32_t)strtoul(d->d_name, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, task.tid);
		if (!read_stat(t, path, &task))
			continue;
		start_of_process(t, &task);
		slot = add(t, task.tid);
		if (slot)
			*slot = task;
		err = slot ? 0 : -ENOMEM;
	}
	if (dir)
		closedir(dir);
	return err;
}

static int64_t monotonic_minus_boot(void)
{
	struct timespec mono, boot;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (mono.tv_sec - boot.tv_sec) * (int64_t)NS_PER_S + mono.tv_nsec - boot.tv_nsec;
}

int xtr_ft_tasks_open(struct xtr_ft_tasks *t)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int err = 0;

	*t = (struct xtr_ft_tasks){ .prune_at = PRUNE_FIRST, .from_boot = monotonic_minus_boot() };
	while (!err && dir && (d = readdir(dir)))
		if (number(d))
			err = add_threads(t, (uint32_t)strtoul(d->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return err;
}

void xtr_ft_tasks_close(struct xtr_ft_tasks *t)
{
	xtr_map_free(&t->by_tid);
	free(t->v);
	free(t->defs);
	free(t->events);
	*t = (struct xtr_ft_tasks){ .n = 0 };
}

/* --- what the rings say ----------------------------------------------------------------------- */

bool xtr_ft_tasks_seen(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts)
{
	struct xtr_ft_task *task = tid ? find(t, tid) : NULL;

	if (!tid)
		return true; /* the idle task has no definition */
	if (!task)
		task = add(t, tid);
	if (!task)
		return false;
	if (task->used && task->pid)
		return true;
	if (!task->pid && !look_up(t, task)) {
		task->since = task->used && task->since < ts ? task->since : ts;
		task->used = true;
		return false; /* its beginning stands in the ring of another CPU */
	}
	if (task->since > ts && !task->read)
		return true; /* an event of the thread that had the number before */
	if (task->read || task->since > ts)
		task->since = ts;
	task->used = true;
	define(t, task, task->since, task->comm);
	return true;
}

uint32_t xtr_ft_tasks_process(const struct xtr_ft_tasks *t, uint32_t tid)
{
	const struct xtr_ft_task *task = tid ? find(t, tid) : NULL;

	return task ? task->pid : 0;
}

void xtr_ft_tasks_new(struct xtr_ft_tasks *t, const struct xtr_ft_newtask *e)
{
	struct xtr_ft_task *task = find(t, e->tid), was, *parent;
	bool there = task != NULL;

	if (!task)
		task = add(t, e->tid);
	if (!task)
		return;
	was = *task;
	if (was.read > e->ts && was.pid) { /* /proc told of it when it was there already */
		if (was.used && was.since > e->ts)
			define(t, task, e->ts, e->comm);
		return;
	}
	*task = (struct xtr_ft_task){
		.tid = e->tid, .pid = e->tid, .since = e->ts, .start = e->ts
	};
	memcpy(task->comm, e->comm, sizeof(task->comm));
	parent = find(t, e->parent);
	if (e->thread && parent && parent->pid) {
		task->pid = parent->pid;
		task->start = parent->start;
		task->flags = parent->flags;
	} else if (e->thread) {
		task->pid = process_of(e->parent);
		start_of_process(t, task);
	} else if (e->parent == KTHREADD) {
		task->flags = XTR_TASK_KTHREAD;
	}
	if (!there)
		return;
	/* Events of it may have been taken before; a new name was, if it is younger. */
	task->used = true;
	define(t, task, e->ts, e->comm);
	if (was.used && !was.pid && was.comm[0] && was.since > e->ts) {
		task->since = was.since;
		memcpy(task->comm, was.comm, sizeof(task->comm));
		define(t, task, task->since, task->comm);
	}
}

void xtr_ft_tasks_rename(struct xtr_ft_tasks *t, const struct xtr_ft_rename *e)
{
	struct xtr_ft_task *task = find(t, e->tid);

	if (!task)
		task = add(t, e->tid);
	if (!task)
		return;
	if (task->read > e->ts) { /* /proc told the new name of an earlier time */
		if (task->used && task->since < e->ts)
			define(t, task, task->since, e->oldcomm);
	} else if (task->since <= e->ts) {
		memcpy(task->comm, e->newcomm, sizeof(task->comm));
	}
	if (task->used)
		define(t, task, e->ts, e->newcomm);
	if (!task->pid) { /* its beginning is to come */
		task->used = true;
		task->since = e->ts;
	}
}

/* Without memory a thread has no name, or the one that /proc gives. */
void xtr_ft_tasks_add(struct xtr_ft_tasks *t, const struct xtr_ft_event *e)
{
	if (t->n_events == t->cap_events) {
		size_t cap = t->cap_events ? 2 * t->cap_events : 64;
		struct xtr_ft_event *more = reallocarray(t->events, cap, sizeof(*more));

		if (!more)
			return;
		t->events = more;
		t->cap_events = cap;
	}
	t->events[t->n_events++] = *e;
}

static int by_time(const void *a, const void *b)
{
	const struct xtr_ft_event *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

static void apply(struct xtr_ft_tasks *t, const struct xtr_ft_event *e)
{
	if (e->rename)
		xtr_ft_tasks_rename(t, &(struct xtr_ft_rename){ .ts = e->ts,
								.tid = e->tid,
								.oldcomm = e->oldcomm,
								.newcomm = e->comm });
	else
		xtr_ft_tasks_new(t, &(struct xtr_ft_newtask){ .ts = e->ts,
							      .parent = e->parent,
							      .tid = e->tid,
							      .thread = e->thread,
							      .comm = e->comm });
}

void xtr_ft_tasks_until(struct xtr_ft_tasks *t, uint64_t before)
{
	size_t n = 0;

	if (!t->n_events)
		return;
	qsort(t->events, t->n_events, sizeof(*t->events), by_time);
	while (n < t->n_events && t->events[n].ts < before)
		apply(t, &t->events[n++]);
	t->n_events -= n;
	memmove(t->events, t->events + n, t->n_events * sizeof(*t->events));
}

void xtr_ft_tasks_prune(struct xtr_ft_tasks *t)
{
	size_t n = 0;
	char path[32];

	if (t->n < t->prune_at)
		return;
	xtr_map_free(&t->by_tid);
	for (size_t i = 0; i < t->n; i++) {
		snprintf(path, sizeof(path), "/proc/%u", t->v[i].tid);
		if (access(path, F_OK) || xtr_map_put(&t->by_tid, t->v[i].tid, 0, n))
			continue;
		t->v[n++] = t->v[i];
	}
	t->n = n;
	t->prune_at = 2 * n > PRUNE_FIRST ? 2 * n : PRUNE_FIRST;
}
