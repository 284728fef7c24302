/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the statistics: what is gathered, before it becomes rows. */
#ifndef XTR_STATS_IMPL_H
#define XTR_STATS_IMPL_H

#include "stats.h"
#include "replay/event/record.h"

#define XTR_STATS_TYPES 65536u

/* Jobs of one process and client on one ring: the finest sums that are kept. */
struct owner {
	uint32_t process, client, ring; /* indices */
	struct xtr_agg agg;
};

/* A job's owner is nearly always that of the last job in its context: what it was found by. */
#define STATS_LAST_OWNERS 256u
struct last_owner {
	uint64_t client_id, process;
	uint32_t comm, ring; /* index */
	bool queued, client_known;
	uint32_t owner; /* index + 1, 0: none yet */
};

/* A growing array of rows. */
struct rows {
	struct xtr_stats_row *row;
	uint32_t n, cap;
};

/* What the model knows when it hands out a job, for who takes the job later. */
struct stats_said {
	uint64_t horizon; /* xtr_model_horizon */
	bool bounded;     /* xtr_ring_ended_bounded of a job that kept its ring busy */
};

/*
 * The model and what is in the first part belong to the caller's thread, the rest, while there is
 * one, to the thread beside it (stats_aside.h).
 */
struct stats_aside;
struct xtr_stats {
	struct xtr_model *model;
	struct stats_aside *aside;   /* NULL: there is no such thread */
	struct xtr_stats_ring *ring; /* by index of the model's ring */
	uint32_t n_rings;
	bool keeps; /* events stay valid for as long as that thread needs them */
	int err;    /* what went wrong in it */

	struct xtr_stats_opts o;
	struct owner *owner;
	uint32_t n_owners, cap_owners;
	struct xtr_map owners, processes, clients, blockers;
	struct last_owner last_owner[STATS_LAST_OWNERS]; /* by context */
	struct rows rows[XTR_BY_COUNT]; /* row 0 of processes and clients: not known, or too many */
	struct xtr_stats_row total;
	struct xtr_hist *dep_wait; /* by index of the model's ring */
	uint32_t n_dep_waits;
	struct xtr_stats_blocker *blocker;
	uint32_t n_blockers, cap_blockers;
	struct xtr_stats_job *slowest;
	struct xtr_stats_wait *wait;
	uint32_t n_slowest, n_waits;
	uint64_t to; /* end of the window, inclusive; UINT64_MAX: none */
	uint64_t first, last, events;
	uint64_t *types; /* events by type */
	uint8_t *takes;  /* by type, who takes such events (stats_gather.c); 0: not asked yet */
	bool passes;     /* events that nobody takes need not be looked at one by one */
	uint64_t unseen; /* ns: the analyses were not told of events up to here; 0: of all */
	bool finished;
};

/* One more row at the end, all zero; NULL if there is no memory. */
struct xtr_stats_row *rows_add(struct rows *r);
/* Ring data for every ring that the model knows by now. 0 or -ENOMEM. */
int stats_grow_rings(struct xtr_stats *s);
/* Rows, and dependency waits, for so many rings and devices. 0 or -ENOMEM. */
int stats_grow_rows(struct xtr_stats *s, size_t rings, size_t devices);
/* stats_gather.c: what the model calls back; ctx is the struct xtr_stats. */
int stats_on_step(void *ctx, const struct xtr_gpu_record *r, uint64_t ts);
/* Tell the analyses of the events that they were not told of. */
static inline void stats_tell(struct xtr_stats *s)
{
	if (!s->unseen)
		return;
	xtr_analyses_passed(s->o.analyses, s->unseen);
	s->unseen = 0;
}
/* stats_gather.c: the model's callback, ctx is the struct xtr_stats. */
int stats_on_job(void *ctx, const struct xtr_job *j);
/*
 * The next n events, for the model alone; *at is always the number of the one that it looks at.
 * takes: by type, what was found out so far. 0 or -errno.
 */
int stats_into_model(struct xtr_stats *s, const struct xtr_event *ev, size_t n, size_t *at,
		     uint8_t *takes);
/* The next n events, for all but the model; and a job that came of the model. 0 or -errno. */
int stats_take_events(struct xtr_stats *s, const struct xtr_event *ev, size_t n);
int stats_take_job(struct xtr_stats *s, const struct xtr_job *j, const struct stats_said *said);
/* Turn what was gathered into rows. 0 or -ENOMEM. */
int stats_make_rows(struct xtr_stats *s);

/* stats_rows.c: the longest of what comes by. */
/* bounded: its execution is known to lie between run and done, no better */
void top_job(struct xtr_stats *s, const struct xtr_job *j, bool bounded);
void top_waits(struct xtr_stats *s, const struct xtr_job *j);

#endif /* XTR_STATS_IMPL_H */
