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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- busy ------------------------------------------------------------------------------------- */

/*
 * The union of busy intervals: how long at least one of them lasted. Intervals come in order of
 * their end, as jobs complete, but for some that are told of late; memory is bounded.
 */
#define XTR_BUSY_MAX 4096u /* separate stretches kept: 64 KiB */

struct xtr_busy_span {
	uint64_t start, end; /* ns */
};

struct xtr_busy { /* all zero: empty */
	struct xtr_busy_span *span;
	uint32_t n, cap;
	uint64_t total; /* ns */
	bool inexact;   /* a later interval may overlap what was forgotten: total is too high */
};

/*
 * The common cases of xtr_busy_add: the interval stands behind all others and there is room, or it
 * goes on with the last one. False: nothing was done.
 */
static inline bool xtr_busy_join(struct xtr_busy *b, uint64_t start, uint64_t end)
{
	struct xtr_busy_span *top = b->n ? &b->span[b->n - 1] : NULL;

	if (!top || start > end || start < top->start || end < top->end)
		return false;
	if (start <= top->end) {
		b->total += end - top->end;
		top->end = end;
		return true;
	}
	if (b->n == b->cap)
		return false;
	b->span[b->n++] = (struct xtr_busy_span){ start, end };
	b->total += end - start;
	return true;
}
/* start <= end; cheap if the end is not before an earlier end. 0 or -ENOMEM. */
int xtr_busy_add(struct xtr_busy *b, uint64_t start, uint64_t end);
/* True if the next add may need room: call xtr_busy_forget first. */
static inline bool xtr_busy_full(const struct xtr_busy *b)
{
	return b->n == b->cap;
}
/* No later interval starts before horizon. */
void xtr_busy_forget(struct xtr_busy *b, uint64_t horizon);
void xtr_busy_free(struct xtr_busy *b);

/* --- agg -------------------------------------------------------------------------------------- */

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
