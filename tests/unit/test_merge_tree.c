/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/read/merge_pool.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MANY 300

/* A leaf as the plain way keeps it: in a list that is looked through. */
struct plain {
	uint64_t ts;
	uint32_t stream, seq, leaf;
};

static bool before(const struct plain *a, const struct plain *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->seq < b->seq;
}

static size_t first_of(const struct plain *v, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (before(&v[i], &v[best]))
			best = i;
	return best;
}

/* Few different times, the largest one among them. */
static uint64_t some_time(uint64_t *seed)
{
	uint64_t ts = trace_random(seed, 12);

	return ts == 11 ? UINT64_MAX : ts;
}

/* The earliest time of the others. */
static uint64_t others(const struct plain *v, size_t n, size_t but)
{
	uint64_t ts = UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (i != but && v[i].ts < ts)
			ts = v[i].ts;
	return ts;
}

static void check_first(const struct xtr_tree *t, const struct plain *v, size_t n)
{
	size_t first;

	cr_assert(eq(int, xtr_tree_is_empty(t), !n));
	if (!n)
		return;
	first = first_of(v, n);
	cr_assert(eq(u64, xtr_tree_first(t)->ts, v[first].ts));
	cr_assert(eq(u32, xtr_tree_first(t)->leaf, v[first].leaf));
}

Test(merge_tree, the_first_is_that_of_a_list)
{
	uint64_t seed = 7;

	for (size_t most = 1; most < MANY; most = most * 2 + 1) {
		struct plain v[MANY];
		struct xtr_tree t = { 0 };
		uint32_t seq = 0;
		size_t n = 0;

		for (size_t step = 0; step < 3000; step++) {
			size_t i = n ? first_of(v, n) : 0;

			if (n < most && trace_random(&seed, 3) == 0) {
				v[n] = (struct plain){ some_time(&seed),
						       (uint32_t)trace_random(&seed, 3), seq++, 0 };
				cr_assert(zero(int, xtr_tree_add(&t, v[n].ts, v[n].stream, v[n].seq,
								 &v[n].leaf)));
				n++;
			} else if (n && trace_random(&seed, 5) == 0) {
				i = trace_random(&seed, n);
				xtr_tree_remove(&t, v[i].leaf);
				v[i] = v[--n];
			} else if (n) {
				uint64_t until;

				v[i].ts = some_time(&seed);
				until = xtr_tree_set(&t, v[i].leaf, v[i].ts);
				if (xtr_tree_first(&t)->leaf == v[i].leaf)
					cr_assert(eq(u64, until, others(v, n, i)));
			}
			check_first(&t, v, n);
		}
		xtr_tree_free(&t);
	}
}

Test(merge_tree, streams_at_their_limits_are_no_empty_leaves)
{
	struct xtr_tree t = { 0 };
	uint32_t leaf;

	cr_assert(zero(int, xtr_tree_add(&t, UINT64_MAX, UINT32_MAX, UINT32_MAX, &leaf)));
	cr_assert(eq(u64, xtr_tree_first(&t)->ts, UINT64_MAX));
	cr_assert(eq(u32, xtr_tree_first(&t)->leaf, leaf));
	xtr_tree_remove(&t, leaf);
	cr_assert(xtr_tree_is_empty(&t));
	xtr_tree_free(&t);
}
