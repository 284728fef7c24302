/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums over jobs of one ring (and one owner). Whether the ring executes in order is known only when
 * all events have been seen, so an aggregate holds what is needed for both answers; xtr_row_add
 * picks.
 */
#ifndef XTR_AGG_H
#define XTR_AGG_H

#include "hist.h"
#include "replay/model/job.h"

struct xtr_agg {
	uint64_t jobs;                       /* handed out by the model */
	uint64_t resided;                    /* of them, run and done are known */
	uint64_t quality[XTR_QUALITY_COUNT]; /* as if the ring were in order, unless its rule says
						no */
	uint64_t kernel, killed, errors, timeouts;
	uint64_t batches, batch_jobs, overtaken;
	uint64_t on_hardware,
		in_queue;         /* not finished, nor lost: run but not done; queued but not run */
	uint64_t waits, dep_wait; /* dependency waits whose end is known: number, ns */
	uint64_t late;            /* of resided: only known to have ended by done */
	uint64_t before, after;   /* began in the piece before, go on in the next one */
	uint64_t blocked;         /* ns: of dep_wait, those of the jobs in queue_wait */
	uint64_t exec_min, exec_max; /* ns: sums, if the ring is in order */
	uint64_t floor_sum;          /* ns: sum of lower bounds, if it is not */
	struct xtr_hist exec;        /* ns: execution of jobs whose start is known */
	struct xtr_hist residence;   /* ns */
	struct xtr_hist queue_wait;  /* ns: run - queue */
	struct xtr_hist hw_wait;     /* ns: start - run */
};

/* 0 or -ENOMEM. */
int xtr_agg_add(struct xtr_agg *a, const struct xtr_job *j);
/*
 * dst += src, under the verdict that src's ring executes in order or (bounded) does not; floor says
 * whether the lower bounds hold then. dst holds the answer: exec and hw_wait only of jobs whose
 * start is known, quality and the sums final.
 */
int xtr_agg_merge(struct xtr_agg *dst, const struct xtr_agg *src, bool bounded, bool floor);
void xtr_agg_free(struct xtr_agg *a);

#endif /* XTR_AGG_H */
