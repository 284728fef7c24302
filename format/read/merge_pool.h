/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunks of a merge in the order in which it needs them, decoded ahead by threads as far as
 * memory allows.
 */
#ifndef XTR_MERGE_POOL_H
#define XTR_MERGE_POOL_H

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- merge tree ------------------------------------------------------------------------------- */

/*
 * A tournament over the open chunks of a merge: each inner node holds the earlier of its two
 * children, the root the next record. Changing a leaf looks at one other node per level, and what
 * it meets there says until when the leaf would stay the first.
 */
struct xtr_tree_node {
	uint64_t ts; /* UINT64_MAX: an empty leaf, or a record of that time */
	uint32_t leaf;
};

/* What decides between records of the same time. */
struct xtr_tree_order {
	uint32_t stream, seq;
	bool used; /* not an empty leaf */
};

/* A zeroed structure is an empty one. */
struct xtr_tree {
	struct xtr_tree_node *nodes; /* [1]: the root; [cap + i]: leaf i */
	struct xtr_tree_order *order;
	uint32_t *unused; /* leaves that are empty, n_unused of them */
	uint32_t cap, n_unused;
};

/* A leaf for a chunk whose next record is at ts; -ENOMEM if there is no memory for it. */
int xtr_tree_add(struct xtr_tree *t, uint64_t ts, uint32_t stream, uint32_t seq, uint32_t *leaf);
void xtr_tree_remove(struct xtr_tree *t, uint32_t leaf);
void xtr_tree_free(struct xtr_tree *t);

static inline bool xtr_tree_is_empty(const struct xtr_tree *t)
{
	return t->n_unused == t->cap;
}

/* The first record's time and leaf; the tree must not be empty. */
static inline const struct xtr_tree_node *xtr_tree_first(const struct xtr_tree *t)
{
	return &t->nodes[1];
}

/* xtr_tree_set where two leaves have the same time. */
uint64_t xtr_tree_set_tied(struct xtr_tree *t, uint32_t leaf, uint64_t ts);

/*
 * The next record of a leaf is at ts. Returns a time: as long as this leaf is the first, all
 * records of it that are earlier than that are, too.
 */
static inline uint64_t xtr_tree_set(struct xtr_tree *t, uint32_t leaf, uint64_t ts)
{
	struct xtr_tree_node *nodes = t->nodes;
	uint64_t others = UINT64_MAX, first = ts;
	uint32_t first_leaf = leaf;
	size_t n = (size_t)t->cap + leaf;

	nodes[n].ts = ts;
	while (n > 1) {
		const struct xtr_tree_node *s = &nodes[n ^ 1];
		uint64_t s_ts = s->ts, earlier = -(uint64_t)(s_ts < first); /* all bits, or none */

		if (__builtin_expect(s_ts == first, 0))
			return xtr_tree_set_tied(t, leaf, ts);
		n /= 2;
		others = s_ts < others ? s_ts : others;
		/* Which is earlier cannot be predicted, so this must not become a branch. */
		first_leaf ^= (first_leaf ^ s->leaf) & (uint32_t)earlier;
		first ^= (first ^ s_ts) & earlier;
		nodes[n].ts = first;
		nodes[n].leaf = first_leaf;
	}
	return others;
}

/* --- merge pool ------------------------------------------------------------------------------- */

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
