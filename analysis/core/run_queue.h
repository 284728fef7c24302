/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that could run and had no CPU: from sched_wakeup, or from the switch away from a thread
 * that was preempted (it is still runnable), to the switch to it; and who had that CPU meanwhile.
 *
 * The CPU of a wait is the one on which the thread ran in the end. Time in which nobody is known to
 * have had it, or it was idle, counts as a holder of its own, tid 0. What was known of a thread or
 * CPU before events were lost is not known any more.
 */
#ifndef XTR_RUN_QUEUE_H
#define XTR_RUN_QUEUE_H

#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

#define XTR_RUNQ_THREADS_MAX 8192u /* beyond, threads are not followed */
#define XTR_RUNQ_SPANS       8u    /* stretches kept of a thread */
#define XTR_RUNQ_RAN         32u   /* last stretches kept of a CPU, each of one thread */
#define XTR_RUNQ_CPUS_MAX    4096u /* beyond, it is not known who has a CPU */

struct xtr_runq_holder { /* who had a CPU, and how long of a wait; tid 0: nobody, or not known */
	uint32_t tid;
	uint64_t ns;
};

struct xtr_runq_span { /* ns: a thread could run and had no CPU */
	uint64_t from, to;
	struct xtr_runq_holder by; /* the thread that had its CPU longest meanwhile */
};

struct xtr_runq_thread {
	uint32_t tid, epoch;
	bool running;
	uint64_t since_ns; /* can run since; 0: does not wait for a CPU, or not known */
	uint64_t woken_ns; /* 0: not seen */
	uint32_t n_spans;  /* in all; the last XTR_RUNQ_SPANS are kept */
	struct xtr_runq_span span[XTR_RUNQ_SPANS];
};

struct xtr_runq_cpu;

struct xtr_runq { /* all zero: empty */
	struct xtr_runq_thread *thread;
	uint32_t n;
	size_t cap;
	struct xtr_map by_tid;
	uint32_t epoch; /* of losses */
	struct xtr_runq_cpu *cpu;
};

void xtr_runq_free(struct xtr_runq *q);
/* Events were lost. */
void xtr_runq_lost(struct xtr_runq *q);
/*
 * Index of a thread, made if need be: they are numbered in order of first appearance. -1: there are
 * too many; -ENOMEM.
 */
int64_t xtr_runq_thread(struct xtr_runq *q, uint32_t tid);
/* -1: nothing is known of it. */
int64_t xtr_runq_find(const struct xtr_runq *q, uint32_t tid);
/* tid was woken up. 0 or -ENOMEM. */
int xtr_runq_wakeup(struct xtr_runq *q, uint32_t tid, uint64_t ts);

struct xtr_runq_switch {
	uint64_t ts;
	uint32_t cpu, prev, next; /* tids; 0: idle */
	uint64_t state;           /* of prev, as in sched_switch */
	/* Set by xtr_runq_switched: */
	bool preempted; /* prev lost the CPU unasked */
	bool waited;    /* next had waited: */
	uint64_t waited_ns;
	bool unfollowed; /* next is one thread too many */
};
/* 0 or -ENOMEM. */
int xtr_runq_switched(struct xtr_runq *q, struct xtr_runq_switch *s);

/* To what lies between from and to. False: nothing. Who had the CPU had it at most so long. */
bool xtr_runq_cut(struct xtr_runq_span *s, uint64_t from, uint64_t to);
/* The stretches between from and to, cut to them, oldest first. Their number. */
uint32_t xtr_runq_spans(const struct xtr_runq_thread *t, uint64_t from, uint64_t to,
			struct xtr_runq_span out[XTR_RUNQ_SPANS]);
uint64_t xtr_runq_spans_ns(const struct xtr_runq_span *s, uint32_t n);
/* Who had CPUs longest, of those who had one longest in each stretch. n: up to XTR_RUNQ_SPANS. */
struct xtr_runq_holder xtr_runq_holder_of(const struct xtr_runq_span *s, uint32_t n);

#endif /* XTR_RUN_QUEUE_H */
