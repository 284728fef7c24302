/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the table of job sources: what its files share.
 *
 *   source_rows.c     the table
 *   source_table.c    which rows a section has events of; from an event to the act of its row
 *   source_act.c      the acts: what an event means for a job
 *   source_measure.c  those of jobs of which the hardware tells start and end
 *   source_rings.c    rings and devices as the events name them
 *   source_jobs.c     jobs between their first event and their end
 *   source_jobs.c  submissions that have no name yet
 *   source_jobs.c    the hardware's clock beside the trace's
 *   source_jobs.c    what the rings of one engine executed lately
 */
#ifndef XTR_SOURCE_ACT_H
#define XTR_SOURCE_ACT_H

#include "replay/event/event_bind.h"
#include "source_jobs.h"
#include "source_rings.h"

#define SOURCE_CPUS   64u
#define SOURCE_JOINTS 64u /* threads that run jobs: one or a few for each ring */
/* A hardware clock that is laid beside the trace's is right up to this. */
#define SOURCE_CLOCK_NS 50000u

/* The last fence of the hardware that was signalled on a CPU. */
struct source_hw_fence {
	uint64_t ts;
	uint32_t stream, tid, timeline;
};

/* A job that the scheduler has handed to the driver in this thread, which submits it next. */
struct source_joint {
	uint64_t ctx, seqno;
	uint32_t tid; /* 0: none */
};

/* What a ring executes, and since when. */
struct source_switched {
	uint64_t key[2], since;
	bool on;
};

struct source_table {
	const struct source_row *row;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_bind bind[SOURCE_EVENTS_MAX];
	struct source_rings rings;
	struct source_jobs jobs;
	struct source_submits submits;
	struct source_clock clock, ends; /* learnt from readings, and from ends */
	struct source_spans spans;
	struct source_hw_fence hw[SOURCE_CPUS];
	struct source_switched current[SOURCE_RINGS_KEPT]; /* of ACT_SWITCH */
	/*
	 * The section has the scheduler's events of the same jobs: they are its jobs, by its
	 * names, and the row's events only measure them.
	 */
	bool joined;
	struct source_joint joint[SOURCE_JOINTS];
	uint64_t number; /* of jobs that have none */
	bool queues, runs;
};

/* What an event says of a job: the driver's name for it, and the model's. */
struct source_name {
	uint64_t key[2], ctx, seqno;
	bool numbered; /* else it gets a number when it begins */
};

struct source_seen { /* one event, and what it is of */
	const struct source_event *e;
	const struct xtr_bind *b;
	const struct xtr_event *ev;
	struct xtr_job_steps *out;
	uint32_t ring;
	struct source_name name;
	uint32_t job; /* or SOURCE_JOBS_NONE */
};

/* What the event calls the job; ring: index of the one that it names. */
struct source_name source_name_of(const struct source_table *t, const struct xtr_bind *b,
				  const struct xtr_event *ev, uint32_t ring);
/* The job of this name; SOURCE_JOBS_NONE: nothing is known of it. */
uint32_t source_known(const struct source_table *t, const struct source_name *n);
/* A step of the job. */
struct xtr_job_step *source_step(const struct source_table *t, struct xtr_job_steps *out,
				 enum xtr_step_kind kind, const struct source_job *j,
				 const struct xtr_event *ev);
/* A job of which nothing was seen but this event. */
struct source_job source_unseen(struct source_table *t, const struct source_seen *v);
/* A reading of the hardware's clock that the event has, in ns of it; 0: it has none. */
uint64_t source_read_clock(struct source_table *t, const struct source_seen *v);

/* What the event means, by the act of its row. 0 or -errno. */
int source_act(struct source_table *t, struct source_seen *v);
/* ACT_MEASURED. */
int source_measured(struct source_table *t, struct source_seen *v);

#endif /* XTR_SOURCE_ACT_H */
