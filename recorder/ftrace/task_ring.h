/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second, small instance with the events that say which process a thread belongs to and what it
 * is called (task_newtask, task_rename of include/trace/events/task.h): in rings of their own, so
 * that the kernel's counters of the first are those of what was asked for.
 */
#ifndef XTR_RECORDER_TASK_RING_H
#define XTR_RECORDER_TASK_RING_H

#include "ring_set.h"
#include "tasks.h"

enum xtr_task_event {
	XTR_TASK_NEW,
	XTR_TASK_RENAME,
	XTR_TASK_EVENTS
};

/* Where the fields of the task events stand in the kernel's record, and its least size. */
struct xtr_task_layout {
	uint16_t pid, comm, flags, newtask_size;
	uint16_t of, newcomm, rename_size; /* of 0: it is the current thread's name */
};

/* A zeroed one is none. Its set is switched, closed and freed by the caller. */
struct xtr_task_ring {
	struct xtr_ring_set set;
	struct xtr_task_layout at;
	uint32_t id[XTR_TASK_EVENTS]; /* common_type; 0: the kernel has no such event */
};

/* Make it, of the recorder of this id; nothing is recorded yet. 0 or -errno. */
int xtr_task_ring_open(struct xtr_task_ring *r, uint64_t id, uint32_t n_cpus);
/* Take over what the recorder of this id left, if it left any. */
void xtr_task_ring_adopt(struct xtr_task_ring *r, uint64_t id, uint32_t n_cpus);
/* Tell the tasks what happened since the last call. */
void xtr_task_ring_take(struct xtr_task_ring *r, struct xtr_ft_tasks *tasks);

#endif /* XTR_RECORDER_TASK_RING_H */
