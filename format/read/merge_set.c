// SPDX-License-Identifier: BSD-2-Clause
/* Which chunks a merge reads, and in how much memory. */
#include "merge_peak.h"
#include "merge_priv.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>

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

int xtr_merge_set(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	size_t memory = o->memory ? o->memory : MEMORY, chunks, bytes;
	/* One of the threads makes batches, and decodes if it is alone. */
	unsigned int decoding = o->threads ? o->threads - 1 : 0;
	int err = choose_chunks(m);

	if (!err)
		err = choose_types(m, o);
	if (!err)
		err = xtr_merge_peak(m->chunks, m->n, &chunks, &bytes);
	if (err)
		return err;
	m->done_max = memory / DONE_SHARE;
	if (bytes <= memory)
		return xtr_pool_open(&m->pool, m->r, m->chunks, m->n, decoding, memory);
	m->window = memory / (chunks + 1);
	return 0;
}
