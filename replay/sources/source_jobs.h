/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs that a driver's events have begun and not ended, by the driver's name for them. Bounded:
 * where there are too many the oldest is forgotten (the model still has it).
 */
#ifndef XTR_SOURCE_JOBS_H
#define XTR_SOURCE_JOBS_H

#include "base/keymap.h"

#include <stdbool.h>

#define SOURCE_JOBS_MAX  65536u
#define SOURCE_JOBS_NONE XTR_KEYMAP_NONE

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
	struct xtr_keymap by_key;
	uint32_t n, cap, n_rings, n_open, free, oldest, youngest;
};

void source_jobs_init(struct source_jobs *s);
void source_jobs_free(struct source_jobs *s);
/* Index, or SOURCE_JOBS_NONE. */
static inline uint32_t source_jobs_find(const struct source_jobs *s, uint64_t a, uint64_t b)
{
	return xtr_keymap_get(&s->by_key, a, b);
}
/* A new one; another one of this key is forgotten. Its index, or -ENOMEM. */
int64_t source_jobs_new(struct source_jobs *s, uint64_t a, uint64_t b, uint32_t ring);
/* It goes to another ring. 0 or -ENOMEM. */
int source_jobs_move(struct source_jobs *s, uint32_t i, uint32_t ring);
void source_jobs_forget(struct source_jobs *s, uint32_t i);
/* The oldest job of the ring, or SOURCE_JOBS_NONE. */
uint32_t source_jobs_oldest(const struct source_jobs *s, uint32_t ring);

#endif /* XTR_SOURCE_JOBS_H */
