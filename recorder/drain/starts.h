/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When processes began. A process is its number and its start (spec 6.4), and the two engines do
 * not know the start alike: a BPF program reads it of the kernel's task, the trace ring has the
 * time of task:task_newtask, some microseconds later, or that of /proc, in ticks. What one engine
 * says of a process stands for it, whatever the other says.
 */
#ifndef XTR_RECORDER_STARTS_H
#define XTR_RECORDER_STARTS_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

/* What the trace ring says may be so much earlier or later than what a program does, ns. */
#define XTR_STARTS_EARLIER 20000000ull
#define XTR_STARTS_LATER   100000000ull

/* A zeroed structure is an empty one. */
struct xtr_starts {
	struct xtr_map of; /* process and who said it -> ns */
	size_t prune_at;
};

/* The start of process pid in the file; start: what the trace ring or a program says of it (ns, 0:
 * not known). */
uint64_t xtr_starts_of(struct xtr_starts *s, uint32_t pid, uint64_t start, bool ring);
void xtr_starts_free(struct xtr_starts *s);

#endif /* XTR_RECORDER_STARTS_H */
