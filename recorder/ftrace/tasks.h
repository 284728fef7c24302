/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process a thread of the trace ring belongs to, and what it is called. An event in the ring
 * has the thread's number alone. Threads that are there when recording begins are read from /proc;
 * later ones, and new names, are events of the ring themselves: task:task_newtask and
 * task:task_rename.
 *
 * Rings of CPUs are read one after the other, so when an event of a thread is taken, the thread may
 * have another name since, or be gone, and its number be another thread's. So each number has
 * versions: what was called so, from when on. A version is defined in the file when an event of it
 * is taken.
 */
#ifndef XTR_RECORDER_FTRACE_TASKS_H
#define XTR_RECORDER_FTRACE_TASKS_H

#include "recorder/host/bpfdefs.h"

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One version of a thread. */
struct xtr_ft_task {
	uint32_t tid, pid; /* pid 0: not known yet */
	uint32_t flags;    /* XTR_TASK_KTHREAD */
	uint32_t older;    /* index of the version before, XTR_MAP_NONE: there is none */
	bool used;         /* events of it were taken: it is defined */
	bool born;         /* it begins with the thread; else with a name */
	uint64_t since;    /* ns: it holds from then on; of one from /proc: when it was read */
	uint64_t
		early; /* ns: the oldest one was taken for events before that, from here on; or 0 */
	uint64_t start; /* ns: when its process began; 0: not known */
	char comm[XTR_COMM_LEN];
};

/* What the ring's own events say. */
struct xtr_ft_event {
	uint64_t ts;
	uint32_t tid, parent; /* of a new thread: who made it */
	bool rename, thread;  /* else it is a new thread; of the parent's process */
	char comm[XTR_COMM_LEN];
};

struct xtr_ft_tasks {
	struct xtr_ft_event *events; /* that were not looked at, in no order */
	size_t n_events, cap_events;
	struct xtr_map by_tid;  /* -> index of the newest version */
	struct xtr_map unknown; /* threads of which nothing is known */
	struct xtr_ft_task *v;
	size_t n, cap, prune_at;
	uint32_t unused; /* index + 1 of a version that is free, the next one in `older`; 0: none */
	uint32_t *several; /* numbers that have older versions */
	size_t n_several, cap_several;
	struct xtr_ctl_task *defs; /* that nobody has taken: [taken, n_defs) */
	size_t n_defs, cap_defs, taken;
	int64_t from_boot; /* ns: event clock minus CLOCK_BOOTTIME */
	uint64_t pass;     /* ns: events of threads before it were looked at */
};

void xtr_ft_tasks_init(struct xtr_ft_tasks *t);
/* Read /proc: the threads that are there. Of what cannot be read nothing is known. */
void xtr_ft_tasks_read(struct xtr_ft_tasks *t);
void xtr_ft_tasks_close(struct xtr_ft_tasks *t);
/*
 * A thread has an event at ts. False: it is not known yet, and is to be asked for again. *until:
 * the answer holds for its events before that time, as long as no event of threads is looked at.
 */
bool xtr_ft_tasks_seen(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts, uint64_t *until);
/* Its process at ts; 0: it is not known yet, or it is an idle task. *until: the same. */
uint32_t xtr_ft_tasks_process(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts, uint64_t *until);
/*
 * Keep an event of a ring, and look at those that happened before a time (ns), in order of time: a
 * thread is of its maker's process, which has to be known by then. Until then all rings must have
 * been read.
 */
void xtr_ft_tasks_add(struct xtr_ft_tasks *t, const struct xtr_ft_event *e);
void xtr_ft_tasks_until(struct xtr_ft_tasks *t, uint64_t before);
/* All events before a time (ns) were taken: forget what held before it, and threads that are gone,
 * if there are many. */
void xtr_ft_tasks_prune(struct xtr_ft_tasks *t, uint64_t before);
/* The next definition, or false: there is none. */
bool xtr_ft_tasks_take(struct xtr_ft_tasks *t, struct xtr_ctl_task *def);

#endif /* XTR_RECORDER_FTRACE_TASKS_H */
