/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The drain thread: copies records from the BPF rings into batches, and does nothing else. A pass
 * first notes how far each event ring is filled, then empties the control ring, then the event
 * rings up to the notes: so definitions reach the writer before the events that need them.
 */
#ifndef XTR_RECORDER_DRAIN_H
#define XTR_RECORDER_DRAIN_H

#include "recorder/attach/loader.h"
#include "recorder/ftrace/trace_ring.h"
#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>

struct xtr_drain {
	struct xtr_bpf *bpf;
	struct xtr_tring *ring; /* NULL: there is none */
	struct xtr_queue *queue;
	pthread_t thread;
	int epoll_fd, stop_fd;
	bool running;
	atomic_bool stop;             /* stop_fd only wakes it */
	struct xtr_ring_batch **open; /* per CPU: the batch being filled, or NULL */
	struct xtr_ring_batch *names; /* definitions of threads of the trace ring, or NULL */
	uint64_t *limits;             /* per CPU: how far to read in this pass */
	uint64_t *marks;              /* per CPU: how far to read before the next round mark */
	uint64_t mark_at;             /* ns: which that mark tells */
	bool marked;                  /* marks are noted */
	uint64_t last_pass, flushed, swept; /* ns */
	uint64_t ctl_fill;                  /* bytes of the control ring at the last pass */
	uint64_t since_round;               /* bytes handed over since the last round mark */
	bool traced;                        /* the last pass emptied the trace rings */
	bool starved;                       /* no buffer was free in the last pass */
	bool steady;                        /* round marks also where nothing happened */
	atomic_uint_fast64_t high;          /* highest fill of an event ring, bytes */
	atomic_uint_fast32_t permille;      /* fill of the fullest ring in the last pass */
};

/* Make all that the thread needs. steady: a round mark now and then also while nothing happens. 0
 * or -errno; xtr_drain_free frees what there is then, too. */
int xtr_drain_open(struct xtr_drain *d, struct xtr_bpf *bpf, struct xtr_tring *ring,
		   struct xtr_queue *queue, bool steady);
/* Begin: the thread. 0 or -errno. */
int xtr_drain_start(struct xtr_drain *d);
/* Programs have stopped: take what is left, hand everything over, end the thread. The queue is the
 * caller's to close. Nothing if the thread does not run. */
void xtr_drain_stop(struct xtr_drain *d);
/* Of a drain that is zero, too. */
void xtr_drain_free(struct xtr_drain *d);

#endif /* XTR_RECORDER_DRAIN_H */
