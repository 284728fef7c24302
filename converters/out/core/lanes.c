/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lanes stand in a treap, ordered by their ends: a search tree that random priorities keep
 * balanced. 0 is no lane.
 */
#include "lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 4u

/* One tree of all lanes of a and b; those of a end earlier. */
static void join(struct xtr_lane *lane, uint32_t *out, uint32_t a, uint32_t b)
{
	while (a && b) {
		if (lane[a].priority > lane[b].priority) {
			*out = a;
			out = &lane[a].right;
			a = *out;
		} else {
			*out = b;
			out = &lane[b].left;
			b = *out;
		}
	}
	*out = a ? a : b;
}

/* The lanes of `tree` that end at `end` or before to *early, the others to *late. */
static void split(struct xtr_lane *lane, uint32_t tree, uint64_t end, uint32_t *early,
		  uint32_t *late)
{
	while (tree) {
		if (lane[tree].end <= end) {
			*early = tree;
			early = &lane[tree].right;
			tree = *early;
		} else {
			*late = tree;
			late = &lane[tree].left;
			tree = *late;
		}
	}
	*early = *late = 0;
}

/* Take the lane that ends last at or before `begin` out of the tree; 0 if there is none. */
static uint32_t take_out(struct xtr_lanes *l, uint64_t begin)
{
	uint32_t *at = &l->root, *best = NULL, i;

	while (*at) {
		if (l->lane[*at].end <= begin) {
			best = at;
			at = &l->lane[*at].right;
		} else {
			at = &l->lane[*at].left;
		}
	}
	if (!best)
		return 0;
	i = *best;
	join(l->lane, best, l->lane[i].left, l->lane[i].right);
	return i;
}

static void put_in(struct xtr_lanes *l, uint32_t i)
{
	struct xtr_lane *lane = l->lane;
	uint32_t *at = &l->root;

	while (*at && lane[*at].priority >= lane[i].priority)
		at = lane[*at].end <= lane[i].end ? &lane[*at].right : &lane[*at].left;
	split(lane, *at, lane[i].end, &lane[i].left, &lane[i].right);
	*at = i;
}

/* xorshift32: the same lanes on every run. */
static uint32_t next_random(struct xtr_lanes *l)
{
	uint32_t x = l->random ? l->random : 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return l->random = x;
}

static int64_t add(struct xtr_lanes *l)
{
	uint32_t cap = l->cap ? l->cap * 2 : FIRST_CAP;
	struct xtr_lane *lane;

	if (l->most && l->n == l->most)
		return -ENOSPC;
	if (l->n + 1 >= l->cap) {
		if (cap <= l->cap)
			return -ENOMEM;
		lane = realloc(l->lane, (size_t)cap * sizeof(*lane));
		if (!lane)
			return -ENOMEM;
		l->lane = lane;
		l->cap = cap;
	}
	l->lane[++l->n] = (struct xtr_lane){ .priority = next_random(l) };
	return l->n;
}

int64_t xtr_lanes_take(struct xtr_lanes *l, uint64_t begin, uint64_t end)
{
	int64_t i = take_out(l, begin);

	if (!i)
		i = add(l);
	if (i < 0)
		return i;
	l->lane[i].end = end;
	put_in(l, (uint32_t)i);
	return i;
}

void xtr_lanes_free(struct xtr_lanes *l)
{
	free(l->lane);
	memset(l, 0, sizeof(*l));
}
