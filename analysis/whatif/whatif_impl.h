/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share. */
#ifndef XTR_WHATIF_IMPL_H
#define XTR_WHATIF_IMPL_H

#include "base/map.h"
#include "replay/event/priority.h"
#include "whatif.h"

#define WHATIF_NONE UINT32_MAX

enum whatif_flag {
	WHATIF_FIXED = 1 << 0,    /* lacks a time: as it was recorded */
	WHATIF_SHOWN = 1 << 1,    /* is in the sums, if it is not removed */
	WHATIF_REMOVED = 1 << 2,  /* is not there where there are changes */
	WHATIF_FULL = 1 << 3,     /* was run when its ring was full: does not wait for room */
	WHATIF_FREE = 1 << 4,     /* was run before the one before it in its queue */
	WHATIF_AS_LONG = 1 << 5,  /* ended with an error: its time is not the ring's to scale */
	WHATIF_MEASURED = 1 << 6, /* own_ns is known, and not only by the job before it */
	WHATIF_BOUNDED = 1 << 7,  /* its execution is only bounded */
	WHATIF_NO_QUEUE = 1 << 8, /* is in no queue of which the order is known */
	WHATIF_PRIO = 1 << 9,     /* has another priority where there are changes */
};
#define WHATIF_LEVEL_SHIFT 10 /* of the flags: its priority there, two bits */

/* Where a job is, in one replay. */
enum whatif_state {
	WHATIF_WAITS,
	WHATIF_READY,
	WHATIF_RAN,
	WHATIF_OVER
};

/* 96 bytes for each job. Times are ns on the event clock; 0: not known. */
struct whatif_job {
	uint64_t queue_ns, run_ns, done_ns; /* as recorded */
	uint64_t fence_ns; /* a fence of nobody's job that it waited for was signalled */
	/*
	 * Learnt: how long its execution took, which is below 0 where one that was run before it
	 * ended after it; how long the scheduler took to run it; how long it was passed over.
	 */
	int64_t own_ns;
	uint64_t delay_ns, over_ns;
	union {
		struct xtr_job_name name; /* while jobs are added */
		struct {                  /* in a replay, until it is run */
			uint64_t ns;      /* when it became ready */
			uint64_t over_ns; /* how long it has been passed over */
		} ready;
		struct {
			uint64_t run_ns, done_ns;
		} sim; /* then: its times in this replay */
	};
	uint32_t early_ns; /* from submission to queue, at most 4.3 s */
	uint32_t gap_ns;   /* on the hardware and its engine free, and not begun yet */
	uint32_t next;     /* the next job of its queue */
	uint32_t deps;     /* first of those that wait for it */
	uint16_t ring, flags;
	uint16_t loop; /* 0: none */
	uint8_t need;  /* how much it still waits for */
	uint8_t state; /* enum whatif_state */
};

_Static_assert(XTR_RINGS_MAX <= UINT16_MAX + 1u, "the number of a ring fits");
_Static_assert(sizeof(struct whatif_job) == 96, "docs/whatif.md says how much memory it takes");

/* One job waits for another. 32 bytes. */
struct whatif_dep {
	union {
		struct {
			uint64_t ctx, seqno; /* the fence, while jobs are added */
			uint64_t until_ns;
		};
		uint32_t next; /* then: the next that waits for the same job */
	};
	uint32_t owner; /* the one that waits; WHATIF_NONE: nobody, any more */
	bool scheduled; /* until the other one is run, not until it is done */
};

/* A thread that submits. */
#define WHATIF_LOOPS_MAX 65535u

struct whatif_loop {
	uint64_t submit_ns;        /* it submitted last */
	uint64_t since_ns;         /* that, or its window had room again: it may submit */
	uint64_t full_ns, took_ns; /* recorded: its window was full; it had room to submit */
	uint32_t window, in_flight;
	uint32_t first, last, pending; /* jobs; pending: waits for the window */
	bool closed;                   /* it waits for its jobs */
};

/* Of a job, where there are such threads. 24 bytes. */
struct whatif_step {
	uint64_t took_ns; /* from when its thread could submit it, until it did */
	uint64_t come_ns; /* in this replay */
	uint32_t next;    /* of that thread */
};

/* What is to come; of ready jobs: when they were run. */
struct whatif_event {
	uint64_t ns;
	uint32_t level,
		order; /* the least level is first; of several at one time the least order */
	uint32_t what; /* job or ring */
	uint32_t plan;
};

struct whatif_heap {
	struct whatif_event *v; /* the first is the least */
	size_t n, cap;
};

struct whatif_ring {
	struct xtr_whatif_ring pub;
	uint32_t limit; /* in this replay */
	uint32_t on_hw, most, shown_on_hw;
	uint32_t plan;      /* of the events that tell when it runs the next job, the valid one */
	uint64_t since_ns;  /* when it ran a job, or got room again, whichever was later */
	uint64_t passed_ns; /* so far its first ready job's time of being passed over is counted */
	uint64_t free_ns;   /* its engine is free */
	uint64_t busy_to_ns;
	uint64_t chain_ns;
	struct whatif_heap ready; /* jobs, in the order in which they were run */
};

/* What is taken from the recorded times in one replay of them. */
enum whatif_learn {
	WHATIF_NOTHING,
	WHATIF_MOST,
	WHATIF_DELAYS,
	WHATIF_PASSED
};

struct xtr_whatif {
	struct whatif_job *job;
	size_t n, cap;
	struct whatif_dep *dep;
	size_t n_deps, cap_deps;
	struct whatif_ring *ring;
	size_t n_rings;
	uint32_t *order;          /* jobs, in the order in which they come */
	size_t *place;            /* by ring, and one more: its jobs' values in scratch */
	uint64_t *chain;          /* by job: ends of chains */
	uint64_t *scratch;        /* one for each job */
	struct whatif_loop *loop; /* the first is nobody's */
	size_t n_loops, cap_loops;
	struct xtr_map threads;   /* (process, thread) -> loop */
	struct whatif_step *step; /* NULL: no thread waits for its jobs */
	struct whatif_heap events;
	bool as_submitted;
	enum xtr_whatif_kind kind;
	enum whatif_learn learn;
	uint64_t now;
	struct xtr_whatif_sums *sums;
};

static inline bool whatif_has(const struct whatif_job *j, enum whatif_flag flag)
{
	return j->flags & flag;
}

/* It is in the sums. */
static inline bool whatif_counts(const struct whatif_job *j)
{
	return whatif_has(j, WHATIF_SHOWN) && !whatif_has(j, WHATIF_REMOVED);
}

/* Of ready jobs of a ring those of the least are run first. */
static inline uint32_t whatif_level(const struct xtr_whatif *w, const struct whatif_job *j)
{
	bool counts = w->kind == XTR_WHATIF_CHANGED && w->ring[j->ring].pub.prio;

	return counts ? j->flags >> WHATIF_LEVEL_SHIFT & (XTR_PRIORITY_LEVELS - 1) : 0;
}

/* In this replay the times are those recorded. */
static inline bool whatif_forced(const struct xtr_whatif *w, const struct whatif_job *j)
{
	return w->kind == XTR_WHATIF_RECORDED || whatif_has(j, WHATIF_FIXED);
}

static inline bool whatif_gone(const struct xtr_whatif *w, const struct whatif_job *j)
{
	return w->kind == XTR_WHATIF_CHANGED && whatif_has(j, WHATIF_REMOVED);
}

/* When a job comes: to its queue, or, where that is not known, first. */
static inline uint64_t whatif_comes(const struct whatif_job *j)
{
	return j->queue_ns ?: j->run_ns ?: j->done_ns;
}

/* 0 or -ENOMEM. */
int whatif_heap_put(struct whatif_heap *h, const struct whatif_event *e);
/* The least, of at least one. */
struct whatif_event whatif_heap_take(struct whatif_heap *h);

/* The thread that submits j. 0 or -ENOMEM. */
int whatif_loop_add(struct xtr_whatif *w, struct whatif_job *to, const struct xtr_job *j);
/* NULL: not known. */
struct whatif_loop *whatif_loop(const struct xtr_whatif *w, const struct whatif_job *j);
/* It is submitted when its thread can, not when it was. */
bool whatif_is_paced(const struct xtr_whatif *w, const struct whatif_job *j);
void whatif_loops_begin(struct xtr_whatif *w);
int whatif_loop_comes(struct xtr_whatif *w, const struct whatif_job *j);
int whatif_loop_ends(struct xtr_whatif *w, const struct whatif_job *j);
/* Which threads wait for their jobs. 0 or -ENOMEM. */
int whatif_loops_learn(struct xtr_whatif *w);
/* When it came to its queue in this replay; 0: not known. */
uint64_t whatif_came(const struct xtr_whatif *w, const struct whatif_job *j);
/* The job comes so much later. 0 or -ENOMEM. */
int whatif_plan_coming(struct xtr_whatif *w, uint32_t i, uint64_t ns);

/* Find out who waits for whom. 0 or -ENOMEM. */
int whatif_link(struct xtr_whatif *w);
/* Figures of a replay that has ended. */
void whatif_sum(struct xtr_whatif *w);
/* The median of the delays of each ring's jobs. */
void whatif_typical(struct xtr_whatif *w);
/* One replay; w->sums is filled as far as it tells. 0 or -ENOMEM. */
int whatif_sim(struct xtr_whatif *w);

#endif /* XTR_WHATIF_IMPL_H */
