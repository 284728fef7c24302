/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lanes: tracks side by side on which no two slices overlap. A slice goes to the lane that was busy
 * until the latest moment not after its begin, so a lane that is free stays free for what began
 * earlier. Whatever the order of the slices, none overlaps another of its lane; slices that come in
 * order of their ends take as few lanes as there are slices at one time.
 */
#ifndef XTR_LANES_H
#define XTR_LANES_H

#include <stdint.h>

struct xtr_lane {
	uint64_t end; /* of its last slice */
	uint64_t tid; /* the caller's; 0 on a new lane */
	uint32_t left, right, priority;
};

struct xtr_lanes {             /* all zero: empty */
	uint32_t most;         /* the caller's: so many lanes at most; 0: any number */
	struct xtr_lane *lane; /* from 1 on */
	uint32_t n, cap, root;
	uint32_t random;
};

/*
 * The lane for a slice from begin to end, begin <= end: 1 to l->n; -ENOMEM, or -ENOSPC if more than
 * `most` overlap. O(log n).
 */
int64_t xtr_lanes_take(struct xtr_lanes *l, uint64_t begin, uint64_t end);
void xtr_lanes_free(struct xtr_lanes *l);

#endif /* XTR_LANES_H */
