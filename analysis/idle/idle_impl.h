/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside analysis/idle: devices (idle.c), threads (idle_threads.c), rows (idle_rows.c). */
#ifndef XTR_IDLE_IMPL_H
#define XTR_IDLE_IMPL_H

#include "idle.h"

#define IDLE_SAMPLE XTR_IDLE_STATE_COUNT /* of a span: a moment at which its stack was sampled */

struct idle_span { /* ns */
	uint64_t from, to;
	uint32_t stack, state;
};

struct idle_thread {
	uint32_t tid;
	uint32_t state, stack; /* since since_ns; 0 there: not known */
	uint64_t since_ns;
	struct idle_span *span; /* a circle in order of `to` */
	uint32_t n, cap;        /* n: in all */
};

struct idle_next { /* the job that ends a stretch of idle time */
	uint64_t queue_ns, process;
	uint32_t tid, comm;
};

struct idle_pending {
	uint64_t from, to;
	struct idle_next next;
};

struct idle_device {
	struct xtr_idle_device d;
	uint64_t busy_to;             /* ns */
	struct idle_pending *pending; /* in order of time */
	uint32_t n, cap;
};

struct xtr_idle {
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_binds binds;
	struct xtr_gaps gaps;
	uint64_t now_ns, events; /* events: that tell what CPUs do */
	bool switches;           /* it is recorded when threads have a CPU */
	struct idle_thread thread[IDLE_THREADS_MAX];
	uint32_t n_threads;
	struct xtr_map by_tid;
	struct idle_device device[IDLE_DEVICES_MAX];
	uint32_t n_devices;
	struct xtr_idle_row *row;
	size_t n_rows, cap_rows;
	struct xtr_map by_row;
};

/* idle_threads.c */
int idle_thread_event(struct xtr_idle *s, const struct xtr_bind *b, const struct xtr_event *ev);
void idle_threads_lost(struct xtr_idle *s);
void idle_threads_free(struct xtr_idle *s);
/* NULL: not followed. */
const struct idle_thread *idle_thread_find(const struct xtr_idle *s, uint32_t tid);
/* Number of the first span that ends after ns; those up to n are the thread's. */
uint32_t idle_span_after(const struct idle_thread *t, uint64_t ns);
const struct idle_span *idle_span_at(const struct idle_thread *t, uint32_t i);

/* idle_rows.c: more of a row, ns and samples. 0 or -ENOMEM. */
int idle_row_add(struct xtr_idle *s, const struct xtr_idle_row *more);
int idle_rows_finish(struct xtr_idle *s);

enum idle_role {
	IDLE_EV_SAMPLE,
	IDLE_EV_OFF,
	IDLE_EV_ON,
	IDLE_EV_QUEUE,
};

#endif /* XTR_IDLE_IMPL_H */
