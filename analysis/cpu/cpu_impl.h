/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of CPUs (docs/cpu.md): what cpu*.c gather and cpu_view.c shows. It tells
 * whether a job was late because a thread had to wait for a CPU.
 */
#ifndef XTR_CPU_IMPL_H
#define XTR_CPU_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "analysis/core/run_queue.h"
#include "replay/event/event_bind.h"
#include "base/map.h"

#define CPU_HISTS_MAX    16384u /* powers of two of the threads' histograms: 8 MiB */
#define CPU_JOBS_MAX     16384u /* open jobs; beyond, the oldest is not followed any more */
#define CPU_RINGS_MAX    1024u
#define CPU_RING_JOBS    64u   /* last jobs kept of a ring */
#define CPU_CPUS_MAX     4096u /* beyond, CPUs are not told apart: the last is all further ones */
#define CPU_HANDLERS_MAX 256u  /* the last is all further ones */
#define CPU_VECS         10u   /* softirqs (include/linux/interrupt.h) */

#define CPU_LATE_NS       1000000u /* limits of the findings */
#define CPU_LATE_PERMILLE 10u
#define CPU_STORM_PER_S   10000u
#define CPU_STORM_WINDOW  1000000000u

enum cpu_role {
	CPU_SUBMITS = 1,
	CPU_RUNS = 2,
	CPU_COMPLETES = 4,
	CPU_WAITS = 8,
};

struct cpu_thread {
	uint32_t tid;
	uint32_t roles;         /* enum cpu_role: what it did for jobs */
	uint64_t last_queue_ns; /* 0: not seen */
	uint64_t wakeups, preempted, switches;
	struct xtr_hist delay; /* ns */
	uint64_t held_ns;      /* a CPU, while a job was late for want of it */
};

struct cpu_job { /* from queue until it is settled */
	uint64_t ctx, seqno, queue_ns, run_ns;
	uint32_t queue_tid, run_tid;
	uint32_t prev, next; /* oldest first */
	uint32_t n_spans;
	struct xtr_runq_span
		span[XTR_RUNQ_SPANS]; /* of the thread that ran it, between queue and run */
	uint64_t submit_ns;           /* its submitter waited for a CPU before the queue */
	uint64_t done_ns;             /* likewise of the thread that completed it */
	struct xtr_runq_holder submit_by, done_by;
	bool submit_known, done_known;
};

enum cpu_cause {
	CPU_CAUSE_CPU,
	CPU_CAUSE_GPU,
	CPU_CAUSE_OTHER,
	CPU_CAUSES
};

struct cpu_late { /* a job that was ready and not run for more than CPU_LATE_NS */
	uint64_t ctx, seqno, ready_ns, run_ns;
	uint64_t ns[CPU_CAUSES];
	uint32_t ring, tid; /* index of cpu_ring; thread that ran it */
	enum cpu_cause cause;
};

struct cpu_ring {
	uint32_t id, limit, n; /* jobs on the hardware at once; jobs in all */
	char name[112];
	struct xtr_runq_span job[CPU_RING_JOBS]; /* run to done of the last ones */
};

struct cpu_cpu {
	uint32_t epoch;
	uint32_t depth; /* handlers that run now */
	uint64_t busy_ns, irqs, softirqs;
	int64_t irq_ns, softirq_ns; /* without handlers inside */
	uint64_t raised[CPU_VECS];  /* ns, 0: not */
};

struct cpu_handler {
	char name[64];
	bool soft;
	uint64_t n, ns, max_ns;
	uint64_t window_ns, in_window, most, most_at_ns;
};

struct cpu_name { /* of a job */
	uint64_t ctx, seqno;
};

struct cpu_sum {                   /* one of the ways in which a CPU delays a job */
	uint64_t n, late, late_ns; /* known; above the limit; their time */
	uint64_t at_ns[XTR_FINDING_EVENTS_MAX + 1];
	struct cpu_name first; /* the job of at_ns[0] */
	struct xtr_hist time;
};

/* Both are needed to know how long a thread waited for a CPU. */
#define CPU_SCHED_EVENTS 2u
extern const char *const cpu_sched_event[CPU_SCHED_EVENTS];

struct cpu {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	uint32_t epoch; /* of losses */
	uint64_t events;
	bool lacks[CPU_SCHED_EVENTS]; /* as cpu_sched_event: META does not have it */
	bool knows_sched;             /* switches and wake-ups are in the trace, and have times */

	struct xtr_runq queue;
	struct cpu_thread *thread; /* as many as the queue's, in its order */
	uint32_t n_threads;
	size_t cap_threads;
	uint32_t hist_left;
	uint64_t unfollowed; /* switches to threads beyond the most */

	struct cpu_job *job;
	uint32_t n_jobs, cap_jobs, free_job, first_job, last_job;
	struct xtr_map by_job;
	struct cpu_ring *ring;
	uint32_t n_rings, cap_rings;
	struct xtr_map by_ring;

	uint64_t jobs, jobs_lost; /* with queue, run and the thread that ran it; events lost */
	struct xtr_hist ready;    /* ns: ready to run */
	uint64_t late, late_ns[CPU_CAUSES], late_by[CPU_CAUSES];
	uint64_t late_at_ns[XTR_FINDING_EVENTS_MAX + 1]; /* by the CPU */
	struct cpu_name late_first;                      /* the job of late_at_ns[0] */
	struct cpu_late *list;                           /* longest first, o->top of them */
	uint32_t n_list;
	struct cpu_sum submit, complete;
	uint64_t unheld_ns; /* of late waits, with a CPU that nobody had, or not known who */

	struct cpu_cpu *cpu;
	struct cpu_handler *handler;
	uint32_t n_handlers;
	struct xtr_hist softirq[CPU_VECS]; /* raised to begun */
};

enum cpu_event_role {
	CPU_EV_SWITCH,
	CPU_EV_WAKEUP,
	CPU_EV_RAISE,
	CPU_EV_HANDLER_BEGIN,
	CPU_EV_HANDLER_END,
	CPU_EV_QUEUE,
	CPU_EV_RUN,
	CPU_EV_DONE,
	CPU_EV_WAIT,
};

/* cpu_sched.c */
/* NULL with *ret 0: too many; with -ENOMEM: no memory. */
struct cpu_thread *cpu_thread(struct cpu *c, uint32_t tid, int *ret);
struct cpu_thread *cpu_thread_find(const struct cpu *c, uint32_t tid);
int cpu_wakeup(struct cpu *c, uint32_t tid, uint64_t ts);
int cpu_switch(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev, bool inside);
/* A job was late by this wait. */
void cpu_holder_late(struct cpu *c, const struct xtr_runq_holder *by, uint64_t wait_ns);
/* The thread that had CPUs longest while jobs were late. NULL: none, or not known. */
const struct cpu_thread *cpu_holder_longest(const struct cpu *c);

/* cpu_job.c: 0 or -ENOMEM. */
int cpu_job_event(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev,
		  bool in_handler);
int cpu_job_settled(struct cpu *c, const struct xtr_job *j);

/* cpu_irq.c: 0 or -ENOMEM. */
struct cpu_cpu *cpu_cpu(struct cpu *c, uint32_t stream);
int cpu_handler_begins(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev);
void cpu_handler_ends(struct cpu *c, const struct xtr_event *ev);
void cpu_raised(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev);
void cpu_call(struct cpu *c, const struct xtr_call *call);

/* cpu_finding.c */
int cpu_findings(const struct cpu *c);

/* cpu_view.c */
int cpu_text(const void *self, const struct xtr_view *v);
void cpu_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const cpu_tables[];

#endif /* XTR_CPU_IMPL_H */
