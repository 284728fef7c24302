/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of records on their way from the drain thread to the writer thread, and the pool that
 * they come from. Both ends are bounded: when the writer does not keep up, the pool runs dry and
 * events stay in the BPF rings.
 */
#ifndef XTR_RECORDER_QUEUE_H
#define XTR_RECORDER_QUEUE_H

#include "recorder/host/bpfdefs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define XTR_BATCH_BYTES   (256u << 10)
#define XTR_BATCH_RECORDS 16384u

enum xtr_batch_kind {
	XTR_BATCH_EVENTS,
	XTR_BATCH_DEFS,  /* records of the control ring */
	XTR_BATCH_ROUND, /* no later batch has an event older than `watermark` */
};

/* How far a batch is filled. */
struct xtr_commit {
	uint32_t n, len; /* records, bytes */
	uint64_t pos;    /* of the BPF ring, behind the last record */
	uint64_t page;   /* number of the page of the trace ring, 0: none; */
	uint32_t place;  /* and how much of it is in the batch, or was in one before: bytes */
};

enum xtr_ring_batch_state {
	XTR_RING_BATCH_FREE,
	XTR_RING_BATCH_LIVE /* holds what is nowhere else */
};

/* Lies in memory that may outlive the process (persistent.h). */
struct xtr_ring_batch {
	struct xtr_ring_batch *next;
	uint32_t number; /* of the buffer */
	uint32_t state;  /* xtr_ring_batch_state */
	uint64_t order;  /* batches were begun in this order */
	/* Events of the CPU before this batch in the piece, by its number % 2; XTR_NOT_BEGUN */
	uint64_t ordinal[2];
	uint32_t counted; /* the records before this offset have been counted as lost if they are */
	uint32_t commits; /* at[commits % 2] holds */
	struct xtr_commit at[2];
	enum xtr_batch_kind kind;
	uint32_t cpu, n, len; /* n records in len bytes */
	bool raw;             /* the writer is behind: no compression */
	bool as_is;           /* the records are those of the file: nothing is to be converted */
	uint64_t lost;        /* events of this CPU lost so far */
	uint64_t since;       /* ns: when the first record was put in */
	uint64_t watermark;   /* ns */
	uint8_t data[XTR_BATCH_BYTES];
};

#define XTR_NOT_BEGUN UINT64_MAX

struct xtr_persistent;

struct xtr_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	const struct xtr_persistent *keep;
	struct xtr_ring_batch *head, **tail, *pool;
	uint32_t queued, used, max;
	uint64_t order;
	bool closed;
	atomic_bool hurry; /* the writer waits for a round mark: one after each pass */
};

/* Buffers are those of keep, which outlives the queue. */
int xtr_queue_init(struct xtr_queue *q, const struct xtr_persistent *keep);
void xtr_queue_destroy(struct xtr_queue *q);

/* A buffer, emptied, for a batch of this kind, or NULL: none is free. */
struct xtr_ring_batch *xtr_queue_take(struct xtr_queue *q, enum xtr_batch_kind kind, uint32_t cpu);
/* Is there room for another record of len bytes? */
static inline bool xtr_ring_batch_has_room(const struct xtr_ring_batch *b, uint32_t len)
{
	return len <= XTR_BATCH_BYTES - b->len && b->n < XTR_BATCH_RECORDS;
}

/* Copy what a ring holds behind what was put in; there must be room. False, and nothing put in: it
 * is no record (format/builtin_events.h). */
static inline bool xtr_ring_batch_put(struct xtr_ring_batch *b, const uint8_t *rec, uint32_t len)
{
	struct xtr_rec h;

	if (len < sizeof(h) || len % 8 || len > XTR_BATCH_BYTES)
		return false;
	memcpy(&h, rec, sizeof(h));
	if (h.size != len)
		return false;
	b->as_is = false;
	memcpy(b->data + b->len, rec, len);
	b->len += len;
	b->n++;
	return true;
}

/* Begin an empty batch in a buffer that is free; batches were begun in the order of `order`. */
void xtr_ring_batch_begin(struct xtr_ring_batch *b, enum xtr_batch_kind kind, uint32_t cpu,
			  uint64_t order);
/* What was put in (n, len) holds, and the BPF ring is read up to pos. */
void xtr_ring_batch_commit(struct xtr_ring_batch *b, uint64_t pos);
/* The same, and so much of this page of the trace ring is taken. */
void xtr_ring_batch_commit_page(struct xtr_ring_batch *b, uint64_t pos, uint64_t page,
				uint32_t place);
void xtr_queue_give_back(struct xtr_queue *q, struct xtr_ring_batch *b);

void xtr_queue_push(struct xtr_queue *q, struct xtr_ring_batch *b);
/* The oldest one; NULL after timeout_ns without one, or when the queue is closed and empty (*closed
 * is set). */
struct xtr_ring_batch *xtr_queue_pop(struct xtr_queue *q, uint64_t timeout_ns, bool *closed);
/* No more pushes. */
void xtr_queue_close(struct xtr_queue *q);
/* Share of the buffers that are in use or waiting, 0 to 1000. */
uint32_t xtr_queue_permille(struct xtr_queue *q);

#endif /* XTR_RECORDER_QUEUE_H */
