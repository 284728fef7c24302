// SPDX-License-Identifier: BSD-2-Clause
/* The outside of a merge: batches come from a thread, or are made when they are asked for. */
#include "merge_priv.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
		m->ahead = xtr_ahead_open(m);
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
