/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings and devices as the model sees them. A ring is a scheduler instance. What may be concluded
 * from its events depends on the driver: see the table in ring.c.
 */
#ifndef XTR_MODEL_RING_H
#define XTR_MODEL_RING_H

#include "base/map.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "job.h"
#include "replay/notes/cut_note.h"
#include "replay/notes/notes.h"

#include <stdbool.h>
#include <stdint.h>

/* --- ring ends -------------------------------------------------------------------------------- */

/*
 * The last ends on a ring or device, in order of time. Most are noted in that order; the end of a
 * job that was reported late comes after those of jobs that ended later, and has to be put between
 * them.
 */
#define XTR_ENDS_KEPT 8u /* a power of two */

struct xtr_end {
	uint64_t ns;
	struct xtr_job_name job;
	bool late; /* the job may have ended before ns */
};

struct xtr_ends { /* all zero: none */
	struct xtr_end kept[XTR_ENDS_KEPT];
	uint32_t n;     /* the last one is kept[(n - 1) % XTR_ENDS_KEPT]; goes round */
	bool forgotten; /* there are others, before those that are kept */
};

/* The last of all, all zero if there was none. Valid until the next one is noted. */
static inline struct xtr_end *xtr_ends_last(struct xtr_ends *e)
{
	return &e->kept[(e->n - 1) % XTR_ENDS_KEPT];
}

/* The last one at or before ns. NULL: none is kept. */
const struct xtr_end *xtr_ends_before(const struct xtr_ends *e, uint64_t ns);

/* Note an end; one that lies before all that are kept is forgotten at once. */
void xtr_ends_add(struct xtr_ends *e, const struct xtr_end *end);

/* --- overlap ---------------------------------------------------------------------------------- */

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

/* --- ring ------------------------------------------------------------------------------------- */

#define XTR_RINGS_MAX    (1u << 16) /* more in one section share the ring "unknown" */
#define XTR_DEVICES_MAX  4096u
#define XTR_RINGS_CACHED 64u

/*
 * An in-order ring's completions may be reported in the wrong order by fence callbacks that race on
 * two CPUs; a race lasts microseconds. A job that completes later than this after a younger one,
 * or after it on the same CPU, was truly overtaken. A ring is out of order if at least 1 in 1000 of
 * its jobs was truly overtaken, and more than one (of fewer than 100 jobs, one is enough); where
 * order is only assumed, if one was. Jobs that ended with an error do not count: a reset completes
 * them late.
 */
#define XTR_RACE_NS            50000u
#define XTR_OVERTAKEN_PERMILLE 1u

/*
 * A ring of whose jobs this share, and at least so many, completed in batches has moderated
 * interrupts: any of its completions may be late, so neither end nor start of any of its jobs is
 * known.
 */
#define XTR_BATCHED_PERCENT 10u
#define XTR_BATCHED_MIN     10u

enum xtr_ring_rule {
	XTR_RULE_IN_ORDER, /* one scheduler is one engine that executes its jobs in order */
	XTR_RULE_SHARED, /* several schedulers share an engine, or firmware schedules behind them */
	XTR_RULE_UNKNOWN, /* not known which ring this is */
};

enum xtr_ring_verdict {
	XTR_VERDICT_NONE, /* taken as in order until all events have been seen */
	XTR_VERDICT_IN_ORDER,
	XTR_VERDICT_OUT_OF_ORDER,
	XTR_VERDICT_BATCHED,
	XTR_VERDICT_PARALLEL, /* completes in order what it runs side by side (ring.h) */
	XTR_VERDICT_COUNT
};

/* A ring that table `rings` does not have; texts are borrowed. */
struct xtr_declared_ring {
	uint32_t id; /* 0: any; else one that no other declared ring has */
	const char *device, *driver, *name;
	bool tells_run; /* the trace has events for run: a job without one has lost it */
	bool by_client; /* as in xtr_model_ring */
	uint32_t limit; /* jobs on the hardware at once, 0: not known */
	/* What tells that it executes in order; NULL: what ring.c has of the driver. */
	const char *order_source;
	bool measured;   /* as in xtr_model_ring */
	bool told;       /* likewise */
	const char *why; /* why execution is only bounded; NULL: what order_source has */
};

struct xtr_model_device {
	const char *name;   /* "" if not known */
	const char *driver; /* NULL if not known */
	struct xtr_ends ends;
};

struct xtr_model_ring {
	uint32_t id;    /* in table rings; 0: not known */
	uint32_t index; /* dense, in order of first appearance */
	uint32_t device;
	const char *name;        /* "" if not known */
	const char *device_name; /* as in xtr_model_device */
	const char *driver;
	const char *why; /* why execution is only bounded, NULL for in-order rings */
	/* What tells that the driver's rings execute in order; NULL: nothing does. */
	const char *order_source;
	uint32_t limit; /* jobs (credits) on the hardware at once, 0 unknown */
	bool no_run;    /* there are no events for run */
	/*
	 * Jobs of processes that record -p was not asked for are not in the trace, so nothing can
	 * be said of the ring.
	 */
	bool partial;
	/*
	 * Each job raises an interrupt at its end: completions that lie close together are those of
	 * short jobs, and tell nothing of others.
	 */
	bool irq_each;
	bool declared; /* a job source's: in no table */
	/* Its jobs come with the hardware's own start and end: nothing rests on its order. */
	bool measured;
	bool told; /* measured, or concluded, before this trace was made: its jobs say how */
	/*
	 * In order only among the jobs of one client: firmware schedules those of several, and a
	 * job that was on the hardware with another client's is bounded (shared_hardware.c).
	 */
	bool by_client;
	enum xtr_ring_rule rule;
	enum xtr_job_kind kind;        /* of user work on it */
	enum xtr_ring_verdict verdict; /* of an earlier pass, if there was one */
	enum xtr_ring_verdict given;   /* by META of a cut, for what xtr_ring_measure says */
	uint32_t queued, on_hw;        /* jobs now in software queues, and on the hardware */
	uint64_t n_done;               /* jobs with run and done */
	uint64_t n_overtaken;          /* of them, clearly overtaken */
	uint64_t n_batched;            /* of them, completed together with others */
	struct xtr_overlap overlap;    /* how long they took, alone and behind others */
	/* the model's state */
	struct xtr_ends ends;
	bool late; /* some job had ended before its done: what is on the hardware may have, too */
	uint32_t last, last_stream;  /* slot of the job that completed last */
	uint32_t run_head, run_tail; /* jobs on the hardware in order of run */
	uint32_t n_clients;          /* with jobs on the hardware now, if by_client */
	uint64_t moves, mixed;       /* jobs that came or went; those up to which they were > 1 */
};

/* The rings of one section. */
struct xtr_rings {
	struct xtr_model_ring *ring;
	uint32_t n, cap;
	struct xtr_model_device *dev;
	uint32_t n_dev;
	struct xtr_map by_id, dev_by_string;
	struct {
		uint32_t id, index;
	} cached[XTR_RINGS_CACHED];      /* by id; all zero: ring 0, whose id is 0 */
	const struct xtr_meta *meta;     /* may be NULL */
	const struct xtr_tables *tables; /* may be NULL */
	struct xtr_cut_note note;
	enum xtr_pids pids;   /* whose jobs were recorded */
	bool amdgpus_events;  /* there are events of that driver's own */
	const char *measured; /* the driver whose jobs a source measures; NULL: none */
	struct xtr_declared_ring *declared;
	uint32_t n_declared;
	uint32_t next_id; /* of a declared ring: the last one given, 0: none yet */
};

int xtr_rings_init(struct xtr_rings *r, const struct xtr_meta *meta,
		   const struct xtr_tables *tables);
void xtr_rings_free(struct xtr_rings *r);
/* Index of the ring with this id, made when first asked for; -errno if there is no memory. */
int64_t xtr_rings_get(struct xtr_rings *r, uint32_t id);
/* The same for one that was asked for lately; -1: not known here. */
static inline int64_t xtr_rings_cached(const struct xtr_rings *r, uint32_t id)
{
	uint32_t i = id % XTR_RINGS_CACHED;

	return r->cached[i].id == id ? (int64_t)r->cached[i].index : -1;
}

/*
 * Declare a ring that is in no table. Its id is the ring's; where that is 0, one that no ring of
 * the tables has, and the same each time the same rings are declared in the same order. 0 or
 * -ENOMEM.
 */
int xtr_rings_declare(struct xtr_rings *r, const struct xtr_declared_ring *ring, uint32_t *id);

/*
 * A job source tells start and end of this driver's jobs by the hardware's own clock, also of those
 * on rings that are the scheduler's. Before any ring is asked for; driver is borrowed.
 */
void xtr_rings_measured(struct xtr_rings *r, const char *driver);
/* What the completions counted so far say, or, in a cut, what those of the whole recording said. */
enum xtr_ring_verdict xtr_ring_measure(const struct xtr_model_ring *ring);
/* True if execution on it can only be bounded: by its driver, or by the verdict of an earlier pass.
 */
bool xtr_ring_is_bounded(const struct xtr_model_ring *ring);
/* The verdict when all events have been seen: without an earlier pass, what was measured. */
enum xtr_ring_verdict xtr_ring_ended_verdict(const struct xtr_model_ring *ring);
bool xtr_ring_ended_bounded(const struct xtr_model_ring *ring);
/* Why, for people, when all events have been seen; NULL for an in-order ring. */
const char *xtr_ring_why(const struct xtr_model_ring *ring);
/* That an in-order ring executes one job after the other is known: of its driver, or its limit. */
static inline bool xtr_ring_order_known(const struct xtr_model_ring *ring)
{
	return ring->order_source || ring->limit == 1;
}
/* "known" or "unknown": whether its driver says that it executes in order; NULL: it does not. */
const char *xtr_ring_order(const struct xtr_model_ring *ring);

#endif /* XTR_MODEL_RING_H */
