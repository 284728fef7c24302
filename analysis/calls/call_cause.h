/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a task caused without being in it on the same thread:
 *   a job       belongs to the innermost task that its submitter was in when the job was queued
 *   its message (that it is done) and the interrupt that brought it belong there too
 *   an interrupt is the last call of ivpu_hw_irq_handler before a job was done, or before
 *               ivpu_ipc_receive returned a message, that brought nothing else so far: an inference
 */
#ifndef XTR_CALL_CAUSE_H
#define XTR_CALL_CAUSE_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAUSE_CALLS       32768u /* tasks that ended, kept for jobs that are done later */
#define CAUSE_LOOK_AT     4096u  /* of a thread's, for one job */
#define CAUSE_PENDING     4096u  /* jobs that are done while their task goes on */
#define CAUSE_THREADS_MAX 16384u
#define CAUSE_IRQS        256u
/*
 * A thread that an interrupt wakes runs within microseconds; on a machine that is busy or emulated
 * within a few milliseconds. What came earlier brought something else.
 */
#define CAUSE_IRQ_NS 10000000u

/* A task that ended. */
struct cause_call {
	uint64_t begin, end;
	uint64_t prev; /* of the same thread: number of the call + 1, 0: none */
	uint32_t node, row;
};

/* What a job is for the task that it belongs to. */
struct cause_job {
	uint64_t at; /* when it was queued, ns */
	uint64_t exec_ns;
	bool bounded, message, irq;
};

struct cause_pending {
	struct cause_job job;
	uint32_t next; /* of the same thread, or next free; CAUSE_NONE: last */
};

struct cause_thread {
	uint64_t last;    /* number of the call + 1 */
	uint32_t pending; /* the first */
	uint32_t open;    /* calls that have begun and not ended; may be too many, never too few */
};

struct cause_irq {
	uint64_t at;
	bool taken;
};

struct causes { /* causes_init first */
	struct cause_call *call;
	uint64_t n_calls; /* ever */
	struct cause_thread *thread;
	uint32_t n_threads;
	struct xtr_map by_tid;
	struct cause_pending *pending;
	uint32_t free;
	struct cause_irq irq[CAUSE_IRQS];
	uint64_t n_irqs;    /* ever */
	uint64_t outside;   /* jobs queued outside of all tasks */
	uint64_t not_known; /* jobs whose task is not known any more, or whose submitter */
};

/* 0 or -ENOMEM; causes_free in any case. */
int causes_init(struct causes *c);
void causes_free(struct causes *c);
/*
 * Which task a job belongs to. 1: *at is it. 0: it is not ended yet, and causes_task_end will say,
 * or there is none. -ENOMEM.
 */
int causes_job(struct causes *c, uint32_t tid, const struct cause_job *j, struct cause_call *at);
/*
 * A task of this thread ended (at->end UINT64_MAX: it never did). outermost: no other task is
 * around it. `take` gets the jobs that waited for it. 0 or -ENOMEM.
 */
int causes_task_end(struct causes *c, uint32_t tid, const struct cause_call *at, bool outermost,
		    void (*take)(void *ctx, const struct cause_call *at, const struct cause_job *j),
		    void *ctx);
/* A call that may be a task begins, or such a one is handed out. 0 or -ENOMEM. */
int causes_begin(struct causes *c, uint32_t tid);
void causes_end(struct causes *c, uint32_t tid);
void causes_irq(struct causes *c, uint64_t at);
/* Take the interrupt that brought what came at this time. False: none that is known. */
bool causes_take_irq(struct causes *c, uint64_t at);
/* Jobs that still wait have no task. */
void causes_finish(struct causes *c);

#endif /* XTR_CALL_CAUSE_H */
