/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls: stretches of time with a begin and an end on one thread or one CPU, paired from two
 * events. Which events make which calls is one table in call.c.
 *
 * A call is handed out when it has ended; one whose end is not in the trace comes at
 * xtr_calls_finish, or when a later event shows that it was lost: a thread that begins a system
 * call has left the one before. Memory and the cost of an event are bounded.
 */
#ifndef XTR_CALL_H
#define XTR_CALL_H

#include "format/read/merge.h"

/* Identifier, text in output, what it means. */
#define XTR_CALL_KINDS(X)                                                          \
	X(SYSCALL, "syscall", "a system call of a thread")                         \
	X(WAIT, "wait", "a thread waits for a fence (dma_fence_wait_start, _end)") \
	X(IRQ, "irq", "an interrupt handler on a CPU")                             \
	X(SOFTIRQ, "softirq", "a softirq handler on a CPU")                        \
	X(RUNNING, "running", "a thread has a CPU (sched_switch)")                 \
	X(FUNCTION, "function", "a kernel function (func: events)")                \
	X(API, "api", "a call into a shared library (api: events)")                \
	X(MARKER, "marker", "what a program says of itself (trace_marker, marker.h)")

enum xtr_call_kind {
#define XTR_CALL_ENUM(id, text, help) XTR_CALL_##id,
	XTR_CALL_KINDS(XTR_CALL_ENUM)
#undef XTR_CALL_ENUM
	XTR_CALL_KIND_COUNT
};

/* One of the two events of a function or API call, for what they captured. */
struct xtr_call_half {
	const struct xtr_event_desc *desc; /* NULL: not in the trace */
	const uint8_t *rec;
	uint32_t size; /* bytes of rec, at most XTR_CALL_REC_MAX */
};

#define XTR_CALL_REC_MAX 96u /* what is kept of the record that begins a call */

struct xtr_call {
	enum xtr_call_kind kind;
	const char *name;          /* "ioctl", "i915", "TIMER"; never NULL, may hold any bytes */
	const char *module;        /* of a function or API call: "intel_vpu"; else NULL */
	uint64_t begin_ns, end_ns; /* on the event clock; 0: not in the trace */
	uint32_t tid, pid;         /* of the thread; pid 0: not known */
	uint32_t nth;              /* which process of that number (process.h) */
	uint32_t comm;             /* string id, 0: not known */
	uint32_t stream;           /* CPU at its begin (at its end if the begin is missing) */
	uint32_t depth;            /* calls of the same thread (CPU) around it */
	uint64_t ctx, seqno;       /* the fence that a wait is for */
	uint32_t stack;            /* id of the thread's, at its begin; 0: not recorded */
	int64_t ret;               /* what it returned, if ret_known */
	bool on_cpu;               /* belongs to a CPU, not to a thread: irq, softirq, running */
	bool ret_known;
	/*
	 * A marker's. Its track, NULL: the thread's one for markers; of the process instead of the
	 * thread; it may overlap others of its track, so its depth says nothing there; it need not
	 * be half of a pair: alone it is a moment.
	 */
	const char *track;
	bool of_process, overlaps, loose;
	bool gap; /* events were lost while it was open */
	/* The call around it, whose end has not come yet; it has one of its own. NULL: none. */
	const struct xtr_call *outer;
	uint64_t
		inner_ns; /* sum of the calls directly inside it, as far as their times are known */
	struct xtr_call_half entry, exit; /* functions and API calls */
	/*
	 * A call inside it began at the same time, and has been handed out: who sorts by begin must
	 * not take that one for the outer.
	 */
	bool begins_with_inner;
};

struct xtr_calls;

struct xtr_calls_opts {
	size_t sz;                       /* sizeof(struct xtr_calls_opts) */
	const struct xtr_meta *meta;     /* never NULL */
	const struct xtr_tables *tables; /* may be NULL */
	/* The call and what it points to are gone afterwards. Not 0: stop. */
	int (*call)(void *ctx, const struct xtr_call *c);
	void *ctx;
	uint32_t max_open; /* 0: 65536; the oldest is closed without an end when there are more */
};

int xtr_calls_new(struct xtr_calls **c, const struct xtr_calls_opts *o);
void xtr_calls_free(struct xtr_calls *c);
/*
 * Events in order of time. 1: the event is begin or end of a call; 0: it is not; -ENOMEM, or what
 * the callback returned.
 */
int xtr_calls_event(struct xtr_calls *c, const struct xtr_event *ev);
/* Must events of this type (0: gaps) be given? Others need not be, if their time is told: */
bool xtr_calls_take(const struct xtr_calls *c, uint32_t type);
/* It is ts (ns) or later: what is open at the end lasted until then. */
void xtr_calls_now(struct xtr_calls *c, uint64_t ts);
/* No more events: hand out what is open, without an end. */
int xtr_calls_finish(struct xtr_calls *c);

/*
 * Value of a captured field of a function or API call, by its name in the entry's or else the
 * return's event. False and 0 if it has none.
 */
bool xtr_call_value(const struct xtr_call *c, const char *field, uint64_t *v);
/* Is this field of an entry or return a captured value, not what every such event has? */
bool xtr_call_captured(const struct xtr_field *f);
/* Nanoseconds from begin to end; false if one of them is not in the trace. */
bool xtr_call_time(const struct xtr_call *c, uint64_t *ns);

const char *xtr_call_kind_name(unsigned int kind);

#endif /* XTR_CALL_H */
