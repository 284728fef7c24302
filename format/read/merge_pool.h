/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunks of a merge in the order in which it needs them, decoded ahead by threads as far as
 * memory allows.
 */
#ifndef XTR_MERGE_POOL_H
#define XTR_MERGE_POOL_H

#include "decode.h"

#include <stdbool.h>

struct xtr_pool;

/* A decoded chunk: records in order of time. */
struct xtr_decoded {
	uint8_t *recs;
	size_t cap;
	struct xtr_err err;       /* code: 0, or why there are no records */
	struct xtr_decoded *next; /* for a list of whoever has it */
};

/* Memory for decoding and sorting, one for each thread. A zeroed structure is an empty one. */
struct xtr_decode_sorted {
	struct xtr_decoder d;
	struct xtr_sorter sorter;
	uint8_t *other; /* the other buffer that sorting needs */
	size_t cap_other;
};

/* Decode an EVENTS chunk and bring it in order of time. 0 or -errno as in out->err. */
int xtr_decode_in_order(const struct xtr_reader *r, const struct xtr_chunk *c,
			struct xtr_decode_sorted *d, struct xtr_decoded *out);
void xtr_decode_sorted_free(struct xtr_decode_sorted *d);

/*
 * Start decoding chunks[0..n), which the caller keeps: with `threads` threads, who may be none, and
 * about `memory` bytes of records at once.
 */
int xtr_pool_open(struct xtr_pool **pool, const struct xtr_reader *r,
		  const struct xtr_chunk *const *chunks, size_t n, unsigned int threads,
		  size_t memory);
/*
 * The next chunk in order, waited for, or decoded here if nobody has begun with it. NULL after the
 * last. Give it back with xtr_pool_put.
 */
struct xtr_decoded *xtr_pool_next(struct xtr_pool *p);
/*
 * Decode one chunk ahead, in a thread that has nothing else to do; one thread at a time. False:
 * there is none, or no room.
 */
bool xtr_pool_help(struct xtr_pool *p);
void xtr_pool_put(struct xtr_pool *p, struct xtr_decoded *d);
void xtr_pool_close(struct xtr_pool *p);

#endif /* XTR_MERGE_POOL_H */
