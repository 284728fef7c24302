/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do the jobs of a ring that is known to execute one after the other speak against that? A ring
 * that runs jobs side by side may complete them in order, too. Then the residence (done - run) of a
 * job does not depend on the jobs before it, where on a serial ring it is the wait for them and the
 * job's own execution. All of this has to be so:
 *
 *   - jobs that found the ring idle took equally long, and those that found it busy took no longer
 * than these, although they would have had to wait for a fifth of it or more;
 *   - the residence of jobs that found the ring busy varies much less than their wait would have;
 *   - few of these would have had as much time of their own as jobs alone take.
 *
 * Big and small jobs in turn can look like it, so nothing less would do: the times of a trace alone
 * hardly tell the two kinds of ring apart.
 */
#ifndef XTR_OVERLAP_H
#define XTR_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#define XTR_OVERLAP_ALONE  4u /* of each sort this many jobs, or nothing is said */
#define XTR_OVERLAP_BEHIND 16u
#define XTR_OVERLAP_SPREAD 0.25 /* standard deviation by mean: up to this, durations are equal */
#define XTR_OVERLAP_SAME   0.15 /* means that differ by less are the same */
#define XTR_OVERLAP_WAIT   0.2  /* share of the residence that would have been a wait */
#define XTR_OVERLAP_STEADY 0.25 /* variance of residence by that of wait */
#define XTR_OVERLAP_FEW    0.5  /* share of the jobs behind others */

struct xtr_moments {        /* all zero: of nothing */
	double n, mean, m2; /* m2: sum of squared distances from the mean */
};

struct xtr_overlap {                        /* all zero: nothing seen; ns */
	struct xtr_moments alone;           /* residence of jobs that found the ring idle */
	struct xtr_moments behind;          /* of those that would have waited for long */
	struct xtr_moments residence, wait; /* of all that found it busy */
	uint32_t as_long; /* of these: had as much time of their own as jobs alone take */
};

/* A job: done - run, and how long after run the job before it was done (0: it was before). ns. */
void xtr_overlap_add(struct xtr_overlap *o, uint64_t residence, uint64_t wait);

/* True if what was seen speaks against a serial ring. */
bool xtr_overlap_is_parallel(const struct xtr_overlap *o);

#endif /* XTR_OVERLAP_H */
