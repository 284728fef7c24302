/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread for what the statistics do beside the model: the caller's thread has the model, this one
 * takes the same events, and the jobs that the model hands out, in the order in which one thread
 * alone would. So what comes out is the same.
 */
#ifndef XTR_STATS_ASIDE_H
#define XTR_STATS_ASIDE_H

#include "stats_impl.h"

struct stats_aside;

/* Start the thread; s has no events on their way. NULL: no memory, or no thread to be had. */
struct stats_aside *stats_aside_start(struct xtr_stats *s);
/*
 * The next events, valid until XTR_STATS_KEEP more batches were given. 0, or -errno: of this batch
 * or of one before it.
 */
int stats_aside_batch(struct stats_aside *a, const struct xtr_event *ev, size_t n);
/* The model hands out a job, within stats_aside_batch. 0 or -ENOMEM. */
int stats_aside_job(struct stats_aside *a, const struct xtr_job *j, const struct stats_said *said);
/* Wait until all is done, and end the thread. 0, or the first error. NULL: 0. */
int stats_aside_end(struct stats_aside *a);

#endif /* XTR_STATS_ASIDE_H */
