/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/read/merge_pool.h"
#include "format/read/reader_priv.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define CHUNKS 60

struct pool {
	struct xtr_reader *r;
	const struct xtr_chunk *chunks[CHUNKS];
	size_t n;
	struct xtr_pool *p;
};

static void open_pool(struct pool *t, unsigned int threads, size_t memory)
{
	const struct xtr_section *s;

	*t = (struct pool){ 0 };
	cr_assert(zero(int, xtr_reader_open(&t->r, trace_make(20, 50, 7, NULL), NULL)));
	s = xtr_reader_section(t->r, 0);
	for (size_t i = 0; i < s->n_chunks && t->n < CHUNKS; i++)
		if (s->chunks[i].type == XTR_CHUNK_EVENTS)
			t->chunks[t->n++] = &s->chunks[i];
	cr_assert(eq(sz, t->n, CHUNKS));
	cr_assert(zero(int, xtr_pool_open(&t->p, t->r, t->chunks, t->n, threads, memory)));
}

static void close_pool(struct pool *t)
{
	xtr_pool_close(t->p);
	xtr_reader_close(t->r);
}

/* The next chunk is the i-th one: its records are there, from its first time on. */
static struct xtr_decoded *next(struct pool *t, size_t i)
{
	struct xtr_decoded *d = xtr_pool_next(t->p);

	cr_assert(ne(ptr, d, NULL));
	cr_assert(zero(int, d->err.code));
	cr_assert(eq(u64, xtr_rec_ts(d->recs), t->chunks[i]->ts_min));
	return d;
}

Test(merge_pool, who_waits_decodes_ahead_until_there_is_no_room)
{
	struct pool t;
	size_t helped = 0;

	open_pool(&t, 0, (size_t)1 << 20);
	while (xtr_pool_help(t.p))
		helped++;
	cr_assert(gt(sz, helped, 1));
	cr_assert(lt(sz, helped, CHUNKS));
	for (size_t i = 0; i < CHUNKS; i++) {
		xtr_pool_put(t.p, next(&t, i));
		xtr_pool_help(t.p);
	}
	cr_assert(not(xtr_pool_help(t.p)));
	cr_assert(eq(ptr, xtr_pool_next(t.p), NULL));
	close_pool(&t);
}

Test(merge_pool, help_does_not_take_more_memory_than_there_is)
{
	struct xtr_decoded *d;
	struct pool t;

	open_pool(&t, 0, 1);
	cr_assert(xtr_pool_help(t.p), "the first one is needed in any case");
	cr_assert(not(xtr_pool_help(t.p)));
	d = next(&t, 0);
	cr_assert(xtr_pool_help(t.p));
	cr_assert(not(xtr_pool_help(t.p)));
	xtr_pool_put(t.p, d);
	xtr_pool_put(t.p, next(&t, 1));
	close_pool(&t);
}

Test(merge_pool, with_threads_and_help_each_chunk_comes_once_in_order)
{
	for (unsigned int threads = 0; threads < 3; threads++) {
		struct pool t;

		open_pool(&t, threads, 5000);
		for (size_t i = 0; i < CHUNKS; i++) {
			if (i % 3)
				xtr_pool_help(t.p);
			xtr_pool_put(t.p, next(&t, i));
		}
		close_pool(&t);
	}
}
