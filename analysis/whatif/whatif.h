/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What if: the jobs of a section, replayed in a model of the schedule. docs/whatif.md says what the
 * model is and what its figures mean.
 *
 * Jobs are added as the job model hands them out; then xtr_whatif_learn takes from their times what
 * is kept (delays, executions) and what is replayed (waits), and each xtr_whatif_play is one
 * replay.
 */
#ifndef XTR_WHATIF_H
#define XTR_WHATIF_H

#include "replay/model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_WHATIF_JOBS_MAX (32u << 20) /* of one section */
#define XTR_WHATIF_DEPS_MAX (64u << 20)
#define XTR_WHATIF_UNIT     1000000u /* a factor is a number of millionths */

enum xtr_whatif_kind {
	XTR_WHATIF_RECORDED, /* as it was */
	XTR_WHATIF_REPLAYED, /* by the model, without a change */
	XTR_WHATIF_TYPICAL,  /* likewise, each job with its ring's median delay of the scheduler */
	XTR_WHATIF_CHANGED,
};

/* What is known of a ring, and what is changed. */
struct xtr_whatif_ring {
	const struct xtr_model_ring *ring;
	bool in_order;  /* its engine is modelled; else each job has its own time on the hardware */
	bool assumed;   /* in order, which is not known of its driver */
	uint32_t limit; /* jobs that its hardware takes at once; UINT32_MAX: any number */
	bool limit_seen;     /* not known: the most that were there at once */
	uint32_t depth;      /* the limit that is asked for; 0: as recorded */
	uint32_t millionths; /* executions are so much longer */
	/* Of all jobs that are not removed, shown or not. */
	uint64_t fixed;    /* lack a time: left as they were recorded */
	uint64_t full;     /* were run while the ring was full, as far as can be seen */
	uint64_t loose;    /* waits that the record contradicts: left out */
	uint64_t paced;    /* come when their thread can submit them, which waits for its jobs */
	uint64_t prio;     /* have another priority where there are changes */
	uint64_t delay_ns; /* median of the scheduler's delays */
};

/* Of the jobs that are shown and not removed. */
struct xtr_whatif_sums {
	uint64_t jobs, bounded, removed;
	uint64_t times; /* jobs that have a submission and an end: p50 and p99 are of these */
	uint64_t first_ns, last_ns; /* first submission, last end; 0: none */
	uint64_t busy_ns, wait_ns;
	uint64_t p50_ns, p99_ns;   /* from submission to end */
	uint64_t chain_ns;         /* longest chain of executions that have to follow each other */
	uint64_t errors;           /* jobs whose error is known */
	uint64_t error50, error99; /* of that time against the recorded one; millionths of it */
};

struct xtr_whatif;

struct xtr_whatif *xtr_whatif_new(void); /* NULL: no memory */
void xtr_whatif_free(struct xtr_whatif *w);
/*
 * shown: it is in the sums; removed: never was, in what is played with changes. 0, -ENOMEM, or
 * -EFBIG: more than XTR_WHATIF_JOBS_MAX, or too many dependencies.
 */
int xtr_whatif_add(struct xtr_whatif *w, const struct xtr_job *j, bool shown, bool removed);
/*
 * The job that was added last has this priority (level of replay/event/priority.h) where there are
 * changes; changed: it is another one than it had. It counts on rings that have such a job: of
 * those that are ready the one of the highest level is run first.
 */
void xtr_whatif_prio(struct xtr_whatif *w, unsigned int level, bool changed);
/* No more jobs; m handed them out and has finished. 0 or -ENOMEM. */
int xtr_whatif_learn(struct xtr_whatif *w, const struct xtr_model *m);

/* Rings in the order of the model; one without jobs has ring NULL. */
size_t xtr_whatif_n_rings(const struct xtr_whatif *w);
struct xtr_whatif_ring *xtr_whatif_ring(struct xtr_whatif *w, size_t i);

/* All jobs are submitted when they were, also by threads that wait for their jobs. */
void xtr_whatif_as_submitted(struct xtr_whatif *w);
/* After xtr_whatif_learn: one replay. sums: one for each ring, then one for all. 0 or -ENOMEM. */
int xtr_whatif_play(struct xtr_whatif *w, enum xtr_whatif_kind kind, struct xtr_whatif_sums *sums);

/* A job that was added, as it was played last: for tests. */
struct xtr_whatif_times {
	uint64_t run_ns, done_ns;
};
bool xtr_whatif_times(const struct xtr_whatif *w, size_t i, struct xtr_whatif_times *t);

#endif /* XTR_WHATIF_H */
