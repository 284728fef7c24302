/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc says of a thread and of its process: proc_pid_stat(5). */
#ifndef XTR_RECORDER_PROC_TASK_H
#define XTR_RECORDER_PROC_TASK_H

#include "bpfdefs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_PROC_STAT_MAX 2048 /* bytes of a stat file, with its NUL */

/* Read a stat file whole: a name may hold a newline. False: it cannot be read. */
bool xtr_proc_stat(const char *path, char text[XTR_PROC_STAT_MAX]);
/* Field n, from 3 on, of a stat file; false: it is not there. The second field, the name, is in
 * parentheses and may hold some, and spaces: what follows begins behind the last one. */
bool xtr_proc_field(const char *text, unsigned int n, uint64_t *value);
/* The name, of at most XTR_COMM_LEN - 1 bytes, with zeros behind it. */
bool xtr_proc_name(const char *text, char comm[XTR_COMM_LEN]);

struct xtr_proc_task {
	uint32_t pid;
	bool kthread;
	uint64_t start; /* ns since boot, in steps of a tick: when its process began */
	char comm[XTR_COMM_LEN];
};

/* Thread tid, of process pid; 0: of whichever it is of. False: it is gone. */
bool xtr_proc_task(struct xtr_proc_task *task, uint32_t pid, uint32_t tid);

/* Call fn for each thread of process pid until it returns another value than 0; returns that. A
 * process that is gone has none. */
int xtr_proc_each_thread(uint32_t pid, int (*fn)(void *ctx, uint32_t pid, uint32_t tid), void *ctx);
/* The same for each thread of each process. */
int xtr_proc_each(int (*fn)(void *ctx, uint32_t pid, uint32_t tid), void *ctx);

/*
 * Path of the control group (version 2) that a process is in, from this process' root of them.
 * False: it is gone, or its group is not below that root.
 */
bool xtr_proc_cgroup(uint32_t pid, char *path, size_t n);
/* The same of a line of /proc/PID/cgroup, with its newline; false: it is no such group's. */
bool xtr_proc_cgroup_line(const char *line, char *path, size_t n);

#endif /* XTR_RECORDER_PROC_TASK_H */
