/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics over one section: one pass, bounded memory. Feed events in time order, finish, then
 * read the rows. Definitions are those of job.h; utilisation is the union of busy intervals over
 * the duration, never a sum.
 */
#ifndef XTR_STATS_H
#define XTR_STATS_H

#include "agg.h"
#include "analysis.h"
#include "replay/model/model.h"
#include "replay/play/select.h"

/* Beyond these, jobs are counted with the row "other". */
#define XTR_STATS_OWNERS_MAX    2048u /* (process, client, ring) */
#define XTR_STATS_PROCESSES_MAX 1024u
#define XTR_STATS_CLIENTS_MAX   1024u
#define XTR_STATS_BLOCKERS_MAX  4096u

struct xtr_stats_opts {
	size_t sz;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_select select;
	uint32_t top;                  /* length of the lists of slowest jobs and longest waits */
	struct xtr_analyses *analyses; /* get the events, selected jobs and the end; or NULL */
};

/* Process, client, device or ring: whatever does not apply is 0 or NULL. */
struct xtr_stats_row {
	const struct xtr_model_ring *ring;
	const char *device; /* devices and rings */
	uint64_t client_id;
	uint64_t process; /* replay/event/process.h */
	uint32_t comm;    /* string id of the process's name */
	bool known;       /* process or client is known; rings and devices: always */
	bool client_known;
	bool bounded; /* some execution time of it is only bounded because of its ring */
	bool partial; /* jobs that kept it busy are not in the trace: busy is not known */
	/* busy.total is an upper bound: of an owner if bounded; if jobs were late, or room short.
	 */
	bool busy_bounded;
	struct xtr_agg agg;
	struct xtr_busy
		busy; /* of an owner: execution, or residence on bounded rings; else residence */
};

/* What only rings have. */
struct xtr_stats_ring {
	uint64_t queued, run;        /* events */
	struct xtr_hist depth_queue; /* jobs in the entity's queue before this one was added */
	struct xtr_hist depth_run;   /* jobs in the entity's queue when one was taken out */
};

/* Jobs of ring that waited for fences of another ring's jobs. */
struct xtr_stats_blocker {
	uint32_t ring_id;
	uint32_t blocker_id;    /* 0: a fence of no scheduler job in the trace */
	uint64_t n, total, max; /* waits; ns */
};

struct xtr_stats_wait {
	uint64_t ctx, seqno; /* the job that waited */
	uint32_t ring;       /* index */
	struct xtr_dep dep;
};

/* A job that is kept beyond the callback. */
struct xtr_stats_job {
	struct xtr_job job; /* deps and ring are NULL */
	uint32_t ring;      /* index */
	uint64_t value;     /* ns: execution, or its upper bound */
	bool bounded;
};

struct xtr_stats;

int xtr_stats_new(struct xtr_stats **s, const struct xtr_stats_opts *opts);
void xtr_stats_free(struct xtr_stats *s);
int xtr_stats_event(struct xtr_stats *s, const struct xtr_event *ev); /* 0 or -errno */
int xtr_stats_batch(struct xtr_stats *s, const struct xtr_event *ev,
		    size_t n); /* the same n times */
/*
 * Between keeps(true) and keeps(false), as in replay/play/play.h with XTR_STATS_KEEP for `keep`,
 * sums and analyses of long traces are made in a thread of their own; what comes out is the same.
 * What goes wrong there is told by one of the next calls.
 */
#define XTR_STATS_KEEP 8u
void xtr_stats_keeps(struct xtr_stats *s, bool keeps);
int xtr_stats_finish(struct xtr_stats *s);

/* After finish. */
enum xtr_stats_by {
	XTR_BY_DEVICE,
	XTR_BY_RING,
	XTR_BY_PROCESS,
	XTR_BY_CLIENT,
	XTR_BY_COUNT,
};
/* Rows with at least one job, most execution time first. */
size_t xtr_stats_n_rows(const struct xtr_stats *s, enum xtr_stats_by by);
const struct xtr_stats_row *xtr_stats_row(const struct xtr_stats *s, enum xtr_stats_by by,
					  size_t i);
const struct xtr_stats_row *xtr_stats_total(const struct xtr_stats *s); /* all jobs selected */
/* By index of the model's ring. */
const struct xtr_stats_ring *xtr_stats_ring(const struct xtr_stats *s, uint32_t index);
/* The same: single dependency waits of the ring's jobs, ns. */
const struct xtr_hist *xtr_stats_dep_wait(const struct xtr_stats *s, uint32_t index);
const struct xtr_model *xtr_stats_model(const struct xtr_stats *s);

/* The lists of these, and of the longest waits, are read where they are (stats_impl.h). */
size_t xtr_stats_n_slowest(const struct xtr_stats *s);
size_t xtr_stats_n_blockers(const struct xtr_stats *s); /* longest total first */

/* Time of the first and last event in the window, 0 if there was none. */
void xtr_stats_span(const struct xtr_stats *s, uint64_t *first, uint64_t *last);
uint64_t xtr_stats_events(const struct xtr_stats *s);

#endif /* XTR_STATS_H */
