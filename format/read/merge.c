/* SPDX-License-Identifier: BSD-2-Clause */
/* The outside of a merge: batches come from a thread, or are made when they are asked for. */
#include "merge_priv.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- merge peak ------------------------------------------------------------------------------- */

/* A chunk that is open, in a heap by the end of its time. */
struct end {
	uint64_t ts;
	size_t bytes;
};

static void end_push(struct end *h, size_t *n, struct end e)
{
	size_t i = (*n)++;

	for (; i && e.ts < h[(i - 1) / 2].ts; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = e;
}

static size_t end_pop(struct end *h, size_t *n)
{
	size_t bytes = h[0].bytes, i = 0, child;
	struct end e = h[--*n];

	while ((child = 2 * i + 1) < *n) {
		if (child + 1 < *n && h[child + 1].ts < h[child].ts)
			child++;
		if (e.ts <= h[child].ts)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = e;
	return bytes;
}

/*
 * The most chunks, and the most bytes of records, that overlap in time, by the headers of c[0..n)
 * in order of ts_min. 0 or -ENOMEM.
 */
static int xtr_merge_peak(const struct xtr_chunk *const *c, size_t n, size_t *chunks, size_t *bytes)
{
	struct end *open = malloc(n * sizeof(*open) + 1);
	size_t n_open = 0, held = 0;

	if (!open)
		return -ENOMEM;
	*chunks = *bytes = 0;
	for (size_t i = 0; i < n; i++) {
		while (n_open && open[0].ts < c[i]->ts_min)
			held -= end_pop(open, &n_open);
		end_push(open, &n_open, (struct end){ c[i]->ts_max, c[i]->rec_len });
		held += c[i]->rec_len;
		*chunks = n_open > *chunks ? n_open : *chunks;
		*bytes = held > *bytes ? held : *bytes;
	}
	free(open);
	return 0;
}

/* --- merge set -------------------------------------------------------------------------------- */

/* Which chunks a merge reads, and in how much memory. */

#define MEMORY ((size_t)64 << 20) /* bytes, merge.h */
/* Batches that are on their way hold at most 1/DONE_SHARE of the memory each. */
#define DONE_SHARE 32

static int chunk_cmp(const void *pa, const void *pb)
{
	const struct xtr_chunk *a = *(const struct xtr_chunk *const *)pa;
	const struct xtr_chunk *b = *(const struct xtr_chunk *const *)pb;

	if (a->ts_min != b->ts_min)
		return a->ts_min < b->ts_min ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* The EVENTS chunks that may hold events of the range, in the order of their opening. */
static int choose_chunks(struct xtr_merge *m)
{
	m->chunks = malloc(m->s->n_chunks * sizeof(*m->chunks) + 1);
	if (!m->chunks)
		return -ENOMEM;
	for (size_t i = 0; i < m->s->n_chunks; i++) {
		const struct xtr_chunk *c = &m->s->chunks[i];

		if (c->type != XTR_CHUNK_EVENTS || !c->n_records || c->ts_max < m->from ||
		    c->ts_min > m->to)
			continue;
		m->chunks[m->n++] = c;
		m->total += c->n_records;
	}
	if (m->n)
		qsort(m->chunks, m->n, sizeof(*m->chunks), chunk_cmp);
	return 0;
}

static int choose_types(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	if (!o->types)
		return 0;
	m->types = calloc(1, (UINT16_MAX + 1) / 8);
	if (!m->types)
		return -ENOMEM;
	for (size_t i = 0; i < o->n_types; i++)
		if (o->types[i] <= UINT16_MAX)
			m->types[o->types[i] / 8] |= (uint8_t)(1u << o->types[i] % 8);
	return 0;
}

/* Choose the chunks, and open the pool or choose windows; *threads: with how many. */
static int xtr_merge_set(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	size_t memory = o->memory ? o->memory : MEMORY, chunks, bytes;
	/* One of the threads makes batches, and decodes if it is alone. */
	unsigned int decoding = o->threads ? o->threads - 1 : 0;
	int err = choose_chunks(m) ?: choose_types(m, o) ?:
		  xtr_merge_peak(m->chunks, m->n, &chunks, &bytes);

	if (err)
		return err;
	m->done_max = memory / DONE_SHARE;
	if (bytes <= memory)
		return xtr_pool_open(&m->pool, m->r, m->chunks, m->n, decoding, memory);
	m->window = memory / (chunks + 1);
	return 0;
}

/* --- merge ------------------------------------------------------------------------------------ */

static void next_batch(struct xtr_merge *m)
{
	if (m->ahead) {
		m->batch = xtr_ahead_next(m->ahead);
	} else {
		m->batch = &m->own_batch;
		xtr_merge_fill(m, m->batch);
	}
	m->shown = m->batch->seen;
	m->given = 0;
}

/* 1: the batch has events that were not given out. Else as xtr_merge_next. */
static int look(struct xtr_merge *m, struct xtr_err *err)
{
	for (;;) {
		struct xtr_merge_batch *b = m->batch;
		int ret = b ? b->ret : 1;

		if (b && m->given < b->n)
			return 1;
		if (ret == 1) {
			next_batch(m);
			continue;
		}
		if (ret < 0 && err)
			*err = b->err;
		if (ret)
			b->ret = 1; /* it was told; the caller may go on */
		return ret;
	}
}

int xtr_merge_next(struct xtr_merge *m, struct xtr_event *ev, struct xtr_err *err)
{
	int ret = look(m, err);

	if (ret == 1)
		*ev = m->batch->ev[m->given++];
	return ret;
}

int xtr_merge_next_batch(struct xtr_merge *m, const struct xtr_event **ev, size_t *n,
			 struct xtr_err *err)
{
	int ret = look(m, err);

	if (ret == 1) {
		*ev = m->batch->ev + m->given;
		*n = m->batch->n - m->given;
		m->given = m->batch->n;
	}
	return ret;
}

bool xtr_merge_keeps(const struct xtr_merge *m)
{
	return m->keeps;
}

unsigned int xtr_merge_permille(const struct xtr_merge *m)
{
	if (!m->total)
		return 1000;
	return (unsigned int)((double)m->shown / (double)m->total * 1000);
}

void xtr_merge_close(struct xtr_merge *m)
{
	if (!m)
		return;
	xtr_ahead_close(m->ahead);
	xtr_merge_batch_free(m, &m->own_batch);
	xtr_merge_fill_end(m);
	xtr_pool_close(m->pool);
	xtr_decode_sorted_free(&m->own);
	xtr_tree_free(&m->tree);
	free(m->scratch.recs);
	free(m->cursors);
	free(m->chunks);
	free(m->types);
	free(m);
}

static int set_up(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	int err = xtr_merge_set(m, o);

	if (err)
		return err;
	/* Records in windows stay where they are for one event only: no batches there. */
	if (m->pool && m->n && o->threads)
		m->ahead = xtr_ahead_open(m, o->keep);
	m->keeps = m->ahead && o->keep;
	/* Without a thread it only takes longer. */
	return m->ahead ? 0 : xtr_merge_batch_new(&m->own_batch);
}

int xtr_merge_open(struct xtr_merge **out, const struct xtr_reader *r, const struct xtr_section *s,
		   const struct xtr_merge_opts *opts)
{
	struct xtr_merge_opts o = { .sz = sizeof(o) };
	struct xtr_merge *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	if (opts)
		memcpy(&o, opts, opts->sz < sizeof(o) ? opts->sz : sizeof(o));
	m->r = r;
	m->s = s;
	m->meta = xtr_section_meta(s);
	m->loss = xtr_section_loss(s);
	m->from = o.from;
	m->to = o.to ? o.to : UINT64_MAX;
	err = set_up(m, &o);
	if (err)
		xtr_merge_close(m);
	else
		*out = m;
	return err;
}
