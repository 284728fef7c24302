/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of a merge: merge.c chooses chunks and memory, merge_fill.c makes batches,
 * merge_ahead.c has a thread make them ahead, merge.c is the outside.
 */
#ifndef XTR_MERGE_PRIV_H
#define XTR_MERGE_PRIV_H

#include "merge.h"
#include "merge_pool.h"
#include "reader.h"

/* --- merge peak ------------------------------------------------------------------------------- */

/* How much a merge holds at once. */

/* --- merge priv ------------------------------------------------------------------------------- */

#define XTR_BATCH_EVENTS 1024u

/* An open chunk. */
struct xtr_merge_cursor {
	const uint8_t *p, *end; /* records in memory; p NULL: they have to be loaded */
	const struct xtr_chunk *c;
	uint32_t stream;       /* of the chunk */
	struct xtr_decoded *d; /* whole chunks: from the pool */
	uint8_t *window;       /* else: a part of the records */
	size_t pos;            /* windows: bytes of the chunk's records before p */
};

/* Events that were made together, and what comes behind them. */
struct xtr_merge_batch {
	struct xtr_event *ev; /* XTR_BATCH_EVENTS */
	size_t n;
	int ret; /* 1: more; else as xtr_merge_next, err then */
	struct xtr_err err;
	uint64_t seen;            /* records read so far */
	struct xtr_decoded *done; /* a list: all read, but events of the batch may be in them */
	size_t done_bytes;
};

struct xtr_merge {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	const struct xtr_meta *meta;
	const struct xtr_loss *loss;
	const struct xtr_chunk **chunks; /* in order of (ts_min, stream, seq) */
	size_t n, next;                  /* all, and the first that is not opened */
	struct xtr_tree tree;
	struct xtr_merge_cursor *cursors; /* by leaf */
	size_t cap_cursors;
	uint64_t limit;        /* ns: earlier records may be given out without looking around */
	struct xtr_pool *pool; /* NULL: windows */
	size_t done_max;       /* bytes of records that may wait for one batch to be read */
	size_t window;         /* bytes of each window */
	bool keeps;            /* batches that were given stay valid for a while (merge.h) */
	bool advance;          /* windows: the first of the tree was given out */
	struct xtr_decode_sorted own; /* windows: the chunk that was decoded last */
	struct xtr_decoded scratch;
	const struct xtr_chunk *in_scratch;
	uint64_t from, to;
	uint64_t seen, total; /* records */
	uint8_t *types;       /* a bit for each wanted type, or NULL: all */
	size_t gap;           /* the next one */

	/* What the caller's thread has. */
	struct xtr_ahead *ahead;          /* NULL: batches are made when they are asked for */
	struct xtr_merge_batch own_batch; /* so then */
	struct xtr_merge_batch *batch;    /* the one that is being read */
	size_t given;                     /* events of it */
	uint64_t shown;                   /* records, as xtr_merge_permille tells */
};

/* --- merge.c ----------------------------------------------------------------------------- */

/* --- merge_fill.c ---------------------------------------------------------------------------- */

/* Make a batch in place of one that was read. It may be empty. */
void xtr_merge_fill(struct xtr_merge *m, struct xtr_merge_batch *b);
int xtr_merge_batch_new(struct xtr_merge_batch *b);
/* Give the chunks of a batch back, and free its events. */
void xtr_merge_batch_free(struct xtr_merge *m, struct xtr_merge_batch *b);
/* Close all that is open. */
void xtr_merge_fill_end(struct xtr_merge *m);

/* --- merge_ahead.c --------------------------------------------------------------------------- */

struct xtr_ahead;

/*
 * Start a thread that fills batches, `keep` of which are given back later than when the next one is
 * asked for. NULL: there is no memory, or no thread to be had.
 */
struct xtr_ahead *xtr_ahead_open(struct xtr_merge *m, unsigned int keep);
/*
 * The next batch, waited for; the one before those that are kept is given back. Not to be asked for
 * after the last. Each has events, or is an error or the end.
 */
struct xtr_merge_batch *xtr_ahead_next(struct xtr_ahead *a);
void xtr_ahead_close(struct xtr_ahead *a);

#endif /* XTR_MERGE_PRIV_H */
