/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Divides a job's time. What delayed it has ended before it did, so that the jobs before it are all
 * that it takes: jobs are given in the order in which the model hands them out.
 *
 * On the software side a job waits behind the earlier jobs of its queue (an entity runs its jobs in
 * order), then for one dependency after the other, then for room on the ring and for the thread
 * that runs it (drivers/gpu/drm/scheduler/sched_entity.c, sched_main.c).
 */
#ifndef XTR_BLAME_SPLIT_H
#define XTR_BLAME_SPLIT_H

#include "past.h"

/* The thread that ran the job could run and had no CPU. */
struct xtr_split_wait {
	uint64_t from_ns, to_ns;
	uint64_t who; /* had that CPU longest meanwhile; 0: nobody, or not known */
};

struct xtr_split_thread {
	const struct xtr_split_wait *wait; /* in order of time, apart */
	uint32_t n;
};

/*
 * False: it has no end, or nothing is known from before. Else out's parts reach from its submission
 * (or its first event) to its end. thread: NULL where it is not known.
 */
bool xtr_split_job(const struct xtr_past *past, const struct xtr_job *j,
		   const struct xtr_split_thread *thread, struct xtr_job_parts *out);

#endif /* XTR_BLAME_SPLIT_H */
