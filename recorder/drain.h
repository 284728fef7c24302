/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The drain thread: copies records from the BPF rings into batches, and does nothing else. A pass
 * first notes how far each event ring is filled, then empties the control ring, then the event
 * rings up to the notes: so definitions reach the writer before the events that need them.
 */
#ifndef XTR_RECORDER_DRAIN_H
#define XTR_RECORDER_DRAIN_H

#include "loader.h"
#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>

struct xtr_drain {
	struct xtr_bpf *bpf;
	struct xtr_queue *queue;
	pthread_t thread;
	int epoll_fd, stop_fd;
	bool running;
	struct xtr_buf **open;              /* per CPU: the batch being filled, or NULL */
	uint64_t *limits;                   /* per CPU: how far to read in this pass */
	uint64_t last_pass, flushed, swept; /* ns */
	uint64_t ctl_fill;                  /* bytes of the control ring at the last pass */
	uint64_t since_round;               /* bytes handed over since the last round mark */
	bool starved;                       /* no buffer was free in the last pass */
	bool steady;                        /* round marks also where nothing happened */
	atomic_uint_fast64_t high;          /* highest fill of an event ring, bytes */
	atomic_uint_fast32_t permille;      /* fill of the fullest ring in the last pass */
};

/* steady: a round mark now and then also while nothing happens. 0 or -errno. */
int xtr_drain_start(struct xtr_drain *d, struct xtr_bpf *bpf, struct xtr_queue *queue, bool steady);
/* Programs have stopped: take what is left, hand everything over, close the queue, end the thread.
 */
void xtr_drain_stop(struct xtr_drain *d);
void xtr_drain_free(struct xtr_drain *d);

#endif /* XTR_RECORDER_DRAIN_H */
