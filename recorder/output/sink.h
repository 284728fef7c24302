/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer thread: turns batches into file records and writes them, with tables, losses, clocks
 * and round marks. When the output cannot be written any more, or a limit is reached, it says so
 * (stopped, event_fd) and counts what still comes as lost.
 */
#ifndef XTR_RECORDER_SINK_H
#define XTR_RECORDER_SINK_H

#include "recorder/drain/budget.h"
#include "convert.h"
#include "recorder/drain/defs.h"
#include "recorder/flight/flight.h"
#include "recorder/drain/persistent.h"
#include "recorder/attach/loader.h"
#include "recorder/drain/next_tables.h"
#include "recorder/drain/queue.h"
#include "rotate.h"
#include "recorder/groups/select.h"
#include "recorder/drain/totals.h"

#include "format/write/writer.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/stat.h>

/*
 * The piece before the one being written, as long as events come that are older than the border
 * between the two (next_piece.h). writer NULL: there is none.
 */
struct xtr_last_piece {
	struct xtr_writer *writer;
	struct xtr_io *io;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_piece piece; /* its end is the border */
	uint8_t *recs;          /* those of a batch that go to one of the two */
	bool renamed;           /* the tables of the next one have more */
};

struct xtr_sink {
	struct xtr_writer *writer;
	struct xtr_io *io;
	struct xtr_tables *tables;
	struct xtr_meta *meta;
	struct xtr_loss *loss;
	struct xtr_defs *defs;
	const struct xtr_siphash_key *key; /* NULL: pointers are kept */
	const struct xtr_selection *sel;
	struct xtr_bpf *bpf;
	struct xtr_queue *queue;
	struct xtr_persistent *keep;
	const char *path;    /* of the output; NULL if it is no file */
	uint64_t size_limit; /* bytes, 0: none */
	bool compact;        /* events are written in columns */
	struct xtr_rotate *rotate;
	struct xtr_flight *flight;             /* NULL: this is no flight recorder */
	const atomic_uint_fast64_t *ring_high; /* bytes */
	struct stat
		made; /* the file as it was made; st_ino 0: it is none, or a flight recorder's */
	int event_fd; /* -1: none */
	pthread_t thread;
	bool running;
	bool complete;        /* the end mark is written */
	sem_t written, ended; /* everything is, but for the end; the end is, too */
	bool full;            /* no more events are written */
	struct xtr_convert convert;
	struct xtr_ring_batch *held; /* definitions that are not in the file yet */
	uint32_t n_held;
	struct xtr_totals totals;
	struct xtr_budget budget;
	uint64_t lost_0;                           /* losses of CPU 0 as last written */
	uint64_t next_clock, next_loss, next_sync; /* ns */
	struct xtr_last_piece last;
	/* While there is a last piece, losses are counted as its own. */
	struct xtr_loss *before;   /* lost before the piece that they are counted for; NULL: none */
	uint64_t *lost_before;     /* the same by CPU, as the kernel counts */
	uint64_t watermark;        /* ns: later events are not older */
	struct xtr_own_cost spent; /* before the piece being written; set before the start */
	struct xtr_next_tables next_tables;
	atomic_uint_fast64_t events, bytes,
		dropped; /* written; of the file; unwritten and spoilt */
	_Atomic(const char *) stopped;
	atomic_int error;
};

/*
 * Make all that writing needs; the fields up to ring_high are the caller's to set. From here on it
 * can be finished, whether or not it was started. 0 or -errno; xtr_sink_free frees what there is
 * then, too.
 */
int xtr_sink_open(struct xtr_sink *s);
/* Write what comes first: the clock, the budget. 0 or -errno: of the output. */
int xtr_sink_begin(struct xtr_sink *s);
/* Begin: the thread. 0 or -errno. */
int xtr_sink_start(struct xtr_sink *s);
/* The queue is closed: wait until everything is written. Nothing if the thread does not run. */
void xtr_sink_join(struct xtr_sink *s);
/* Put all losses into s->loss: programs detached, everything taken. */
void xtr_sink_account(struct xtr_sink *s);
/* After open and join, programs detached: final losses and the end mark. 0 or -errno. */
int xtr_sink_finish(struct xtr_sink *s, const char *reason, const struct xtr_recorder_cost *cost);
/* The queue is closed: end the thread, free. */
void xtr_sink_free(struct xtr_sink *s);

/* Inside: the kernel's counters and our own, as losses of this piece. */
void xtr_sink_gather(struct xtr_sink *s);
/* Inside: write the totals of sampled events. */
int xtr_sink_totals(struct xtr_sink *s, bool final);

#endif /* XTR_RECORDER_SINK_H */
