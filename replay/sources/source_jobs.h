/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that a driver's events have begun and not ended, by the driver's name for them. Bounded:
 * where there are too many the oldest is forgotten (the model still has it).
 */
#ifndef XTR_SOURCE_JOBS_H
#define XTR_SOURCE_JOBS_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_JOBS_MAX  65536u
#define SOURCE_JOBS_NONE XTR_MAP_NONE

struct source_job {
	uint64_t key[2];               /* the driver's name for it: context or ring, and number */
	uint64_t ctx, seqno;           /* its name in the model */
	uint64_t run_ns;               /* 0: not run */
	uint64_t run_hw_ns;            /* the hardware's clock then; 0: not known */
	bool passed;                   /* not run, and known to have been */
	uint32_t ring;                 /* index in the source's rings */
	uint32_t next, prev;           /* by age; next: free list */
	uint32_t ring_next, ring_prev; /* jobs of its ring, by age */
};

struct source_ring_jobs { /* of one ring; NONE NONE: empty */
	uint32_t oldest, youngest;
};

struct source_jobs { /* from source_jobs_init */
	struct source_job *job;
	struct source_ring_jobs *of_ring; /* by index of ring */
	struct xtr_map by_key;
	uint32_t n, cap, n_rings, n_open, free, oldest, youngest;
};

void source_jobs_init(struct source_jobs *s);
void source_jobs_free(struct source_jobs *s);
/* Index, or SOURCE_JOBS_NONE. */
static inline uint32_t source_jobs_find(const struct source_jobs *s, uint64_t a, uint64_t b)
{
	return xtr_map_index(&s->by_key, a, b);
}
/* A new one; another one of this key is forgotten. Its index, or -ENOMEM. */
int64_t source_jobs_new(struct source_jobs *s, uint64_t a, uint64_t b, uint32_t ring);
/* It goes to another ring. 0 or -ENOMEM. */
int source_jobs_move(struct source_jobs *s, uint32_t i, uint32_t ring);
void source_jobs_forget(struct source_jobs *s, uint32_t i);
/* The oldest job of the ring, or SOURCE_JOBS_NONE. */
uint32_t source_jobs_oldest(const struct source_jobs *s, uint32_t ring);

/* --- source submits --------------------------------------------------------------------------- */

/*
 * Submissions that their driver names only when it runs them. One that tells the address of its
 * commands belongs to the run that has the same; of others only the order is known, which says
 * whose a job is as long as one thread alone has any pending: each process has a queue of its own.
 */
#define SOURCE_SUBMITS_MAX 256u /* pending; the oldest are forgotten */

struct source_submit {
	uint64_t ts, addr;
	uint32_t tid, stack;
	uint8_t ring; /* number of the ring whose jobs it makes */
	bool by_addr;
};

struct source_submits { /* all zero: none */
	struct source_submit pending[SOURCE_SUBMITS_MAX];
	uint32_t n; /* by age */
};

void source_submits_add(struct source_submits *s, const struct source_submit *one);
/*
 * The submission that the run of a job on this ring is of, which is pending no more. False: nothing
 * tells.
 */
bool source_submits_take(struct source_submits *s, bool by_addr, uint64_t addr, uint8_t ring,
			 struct source_submit *one);

/*
 * One submission may make jobs on several rings, and tell the address of one of them: of the other,
 * whose it is where one thread alone has any pending. The oldest, which stays.
 */
bool source_submits_of(const struct source_submits *s, struct source_submit *one);

/* --- source clock ----------------------------------------------------------------------------- */

/*
 * A hardware clock beside the trace's. Both go at a known rate; what is between them is learnt from
 * events that have a reading of it. A reading was taken before its event was written, never
 * after, so each one gives an upper bound of the difference, and the lowest of the latest ones is
 * taken. What came before is forgotten by and by, as clocks drift; all of it where the hardware's
 * clock went back, as it does when its power is taken away.
 */
#define SOURCE_CLOCK_SAMPLES 16u

struct source_clock {           /* all zero: nothing is known */
	int64_t lowest, before; /* ns: of the samples since, and of those before them */
	uint64_t last_hw;       /* ns: of the last sample */
	uint32_t n;             /* samples in `lowest` */
	bool known, had_before;
};

/* Ticks at num/den ns each as ns; wraps where they are beyond all that a machine can have. */
uint64_t source_ticks_ns(uint64_t ticks, uint32_t num, uint32_t den);
/* It was hw_ns on the hardware's clock when it was at most trace_ns on the trace's. */
void source_clock_sample(struct source_clock *c, uint64_t hw_ns, uint64_t trace_ns);
/* The trace's time for hw_ns; false: no sample yet, or it is before the trace's clock began. */
bool source_clock_map(const struct source_clock *c, uint64_t hw_ns, uint64_t *trace_ns);

/* --- source spans ----------------------------------------------------------------------------- */

/*
 * What the rings of one engine executed lately, by the engine's own clock: where a ring preempts
 * another one, the times of the other's job contain its own.
 */
#define SOURCE_SPANS_KEPT 32u

struct source_span {
	uint64_t start, end; /* ns */
	uint32_t ring;
};

struct source_spans { /* all zero: none */
	struct source_span kept[SOURCE_SPANS_KEPT];
	uint32_t n; /* in all; goes round */
};

/* Note one. Returns how long (ns) others of other rings lasted within it, as far as they are kept.
 */
uint64_t source_spans_add(struct source_spans *s, uint32_t ring, uint64_t start, uint64_t end);

#endif /* XTR_SOURCE_JOBS_H */
