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

struct xtr_stats {
	struct xtr_stats_opts o;
	struct xtr_model *model;
	struct owner *owner;
	uint32_t n_owners, cap_owners;
	struct xtr_map owners, processes, clients, blockers;
	struct last_owner last_owner[STATS_LAST_OWNERS]; /* by context */
	struct rows rows[XTR_BY_COUNT]; /* row 0 of processes and clients: not known, or too many */
	struct xtr_stats_row total;
	struct xtr_stats_ring *ring; /* by index of the model's ring */
	uint32_t n_rings;
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
/* Rows and ring data for every ring and device that the model knows by now. 0 or -ENOMEM. */
int stats_grow_rings(struct xtr_stats *s);
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
/* Turn what was gathered into rows. 0 or -ENOMEM. */
int stats_make_rows(struct xtr_stats *s);

/* stats_rows.c: the longest of what comes by. */
/* bounded: its execution is known to lie between run and done, no better */
void top_job(struct xtr_stats *s, const struct xtr_job *j, bool bounded);
void top_waits(struct xtr_stats *s, const struct xtr_job *j);

#endif /* XTR_STATS_IMPL_H */
