/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When processes began. A process is its number and its start (spec 6.4), and the two
 * engines do not know the start alike: a BPF program reads it of the kernel's task, the trace ring
 * has the time of task:task_newtask, some microseconds later, or that of /proc, in ticks. The first
 * one that is told holds for those that are near to it.
 */
#ifndef XTR_RECORDER_STARTS_H
#define XTR_RECORDER_STARTS_H

#include "base/map.h"

#include <stdint.h>

/* A number is not given again so soon: the kernel goes through all others first. */
#define XTR_STARTS_NEAR 100000000ull /* ns */

/* A zeroed structure is an empty one. */
struct xtr_starts {
	struct xtr_map by_pid; /* -> ns */
	size_t prune_at;
};

/* The start of process pid as it was told first, if `start` (ns, 0: not known) is near to it; else
 * `start`, which holds from now on. */
uint64_t xtr_starts_first(struct xtr_starts *s, uint32_t pid, uint64_t start);
void xtr_starts_free(struct xtr_starts *s);

#endif /* XTR_RECORDER_STARTS_H */
