/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process a thread of the trace ring belongs to, and what it is called. An event in the ring
 * has the thread's number alone. Those that are there when recording begins are read from /proc;
 * later ones, and new names, are events of the ring themselves: task:task_newtask and
 * task:task_rename. Rings of CPUs are read one after the other, so what happened to a thread may be
 * seen after what it did: definitions have the time from which on they hold.
 */
#ifndef XTR_RECORDER_FTRACE_TASKS_H
#define XTR_RECORDER_FTRACE_TASKS_H

#include "recorder/host/bpfdefs.h"

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread as it is known. */
struct xtr_ft_task {
	uint32_t tid, pid;
	uint32_t flags; /* XTR_TASK_KTHREAD */
	bool used;      /* events of it were taken: it is defined */
	uint64_t since; /* ns: so long it is called so; of one that is used: as defined */
	uint64_t read;  /* ns: when /proc said so; 0: an event did */
	uint64_t start; /* ns: when its process began; 0: not known */
	char comm[XTR_COMM_LEN];
};

struct xtr_ft_event;

struct xtr_ft_tasks {
	struct xtr_ft_event *events; /* that were not looked at, in no order */
	size_t n_events, cap_events;
	struct xtr_map by_tid; /* -> index in v */
	struct xtr_ft_task *v;
	size_t n, cap, prune_at;
	struct xtr_ctl_task *defs; /* that nobody has taken: [taken, n_defs) */
	size_t n_defs, cap_defs, taken;
	int64_t from_boot; /* ns: event clock minus CLOCK_BOOTTIME */
};

/* What the ring's own events say. */
struct xtr_ft_newtask {
	uint64_t ts;
	uint32_t parent, tid; /* thread that made it; its number */
	bool thread;          /* of the parent's process */
	const char *comm;     /* XTR_COMM_LEN bytes */
};

struct xtr_ft_rename {
	uint64_t ts;
	uint32_t tid;
	const char *oldcomm, *newcomm;
};

/* One of them, as it comes from a ring. */
struct xtr_ft_event {
	uint64_t ts;
	uint32_t tid, parent;
	bool rename, thread;
	char comm[XTR_COMM_LEN], oldcomm[XTR_COMM_LEN];
};

/* Read /proc. 0 or -ENOMEM; of what cannot be read nothing is known. */
int xtr_ft_tasks_open(struct xtr_ft_tasks *t);
void xtr_ft_tasks_close(struct xtr_ft_tasks *t);
/* A thread has an event at ts. False: it is not known yet, and is to be asked for again. */
bool xtr_ft_tasks_seen(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts);
/* Its process; 0: it is not known yet, or it is an idle task. */
uint32_t xtr_ft_tasks_process(const struct xtr_ft_tasks *t, uint32_t tid);
/*
 * Keep an event of a ring, and look at those that happened before a time (ns), in order of time: a
 * thread is of its maker's process, which has to be known by then. Until then all rings must have
 * been read.
 */
void xtr_ft_tasks_add(struct xtr_ft_tasks *t, const struct xtr_ft_event *e);
void xtr_ft_tasks_until(struct xtr_ft_tasks *t, uint64_t before);
void xtr_ft_tasks_new(struct xtr_ft_tasks *t, const struct xtr_ft_newtask *e);
void xtr_ft_tasks_rename(struct xtr_ft_tasks *t, const struct xtr_ft_rename *e);
/* Once in a pass: forget threads that are gone, if there are many. */
void xtr_ft_tasks_prune(struct xtr_ft_tasks *t);
/* The next definition, or false: there is none. */
bool xtr_ft_tasks_take(struct xtr_ft_tasks *t, struct xtr_ctl_task *def);

#endif /* XTR_RECORDER_FTRACE_TASKS_H */
