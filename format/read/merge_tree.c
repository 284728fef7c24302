// SPDX-License-Identifier: BSD-2-Clause
#include "merge_tree.h"

#include <errno.h>
#include <stdlib.h>

#define LEAVES_FIRST 8u

bool xtr_tree_tie(const struct xtr_tree *t, uint32_t a, uint32_t b)
{
	const struct xtr_tree_order *x = &t->order[a], *y = &t->order[b];

	if (x->used != y->used)
		return x->used;
	if (x->stream != y->stream)
		return x->stream < y->stream;
	return x->seq < y->seq;
}

/* Twice the leaves; those that are there keep their numbers. */
static int grow(struct xtr_tree *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : LEAVES_FIRST;
	struct xtr_tree_node *nodes = malloc(2 * (size_t)cap * sizeof(*nodes));
	struct xtr_tree_order *order = realloc(t->order, cap * sizeof(*order));
	uint32_t *unused;

	if (order)
		t->order = order;
	unused = realloc(t->unused, cap * sizeof(*unused));
	if (unused)
		t->unused = unused;
	if (!nodes || !order || !unused) {
		free(nodes);
		return -ENOMEM;
	}
	for (uint32_t i = cap; i--;) {
		if (i < t->cap) {
			nodes[cap + i] = t->nodes[t->cap + i];
			continue;
		}
		nodes[cap + i] = (struct xtr_tree_node){ UINT64_MAX, i };
		order[i] = (struct xtr_tree_order){ 0 };
		unused[t->n_unused++] = i;
	}
	free(t->nodes);
	t->nodes = nodes;
	t->cap = cap;
	for (uint32_t n = cap; --n;) {
		const struct xtr_tree_node *a = &nodes[2 * n], *b = a + 1;
		bool first = a->ts != b->ts ? a->ts < b->ts : xtr_tree_tie(t, a->leaf, b->leaf);

		nodes[n] = first ? *a : *b;
	}
	return 0;
}

int xtr_tree_add(struct xtr_tree *t, uint64_t ts, uint32_t stream, uint32_t seq, uint32_t *leaf)
{
	int err = t->n_unused ? 0 : t->cap > UINT32_MAX / 4 ? -ENOMEM : grow(t);

	if (err)
		return err;
	*leaf = t->unused[--t->n_unused];
	t->order[*leaf] = (struct xtr_tree_order){ stream, seq, true };
	xtr_tree_set(t, *leaf, ts);
	return 0;
}

void xtr_tree_remove(struct xtr_tree *t, uint32_t leaf)
{
	t->order[leaf].used = false;
	t->unused[t->n_unused++] = leaf;
	xtr_tree_set(t, leaf, UINT64_MAX);
}

void xtr_tree_free(struct xtr_tree *t)
{
	free(t->nodes);
	free(t->order);
	free(t->unused);
	*t = (struct xtr_tree){ 0 };
}
