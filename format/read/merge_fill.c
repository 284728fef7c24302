/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A chunk is opened when the merge reaches its ts_min, which no record in it is below (spec 5).
 * What is open at once is known from the headers before anything is decoded: normally it fits into
 * memory, and whole chunks are held. Otherwise only a window of each chunk's records is held, and
 * the chunk is decoded again for the next window: slower, but the memory is bounded for any file.
 */
#include "base/buf.h"
#include "merge_priv.h"
#include "format/meta/meta_priv.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const struct xtr_merge *m, uint32_t type)
{
	return !m->types || m->types[type / 8] >> type % 8 & 1;
}

/* --- batches --------------------------------------------------------------------------------- */

int xtr_merge_batch_new(struct xtr_merge_batch *b)
{
	b->ev = malloc(XTR_BATCH_EVENTS * sizeof(*b->ev));
	return b->ev ? 0 : -ENOMEM;
}

/* The chunks that were read to their end before the batch was. */
static void give_back(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	while (b->done) {
		struct xtr_decoded *d = b->done;

		b->done = d->next;
		xtr_pool_put(m->pool, d);
	}
	b->done_bytes = 0;
}

void xtr_merge_batch_free(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	give_back(m, b);
	free(b->ev);
	b->ev = NULL;
}

/* --- windows --------------------------------------------------------------------------------- */

/* Bring a chunk's records into the scratch. */
static int to_scratch(struct xtr_merge *m, const struct xtr_chunk *c, struct xtr_err *err)
{
	int ret;

	if (m->in_scratch == c)
		return 0;
	m->in_scratch = NULL;
	ret = xtr_decode_in_order(m->r, c, &m->own, &m->scratch);
	if (ret)
		*err = m->scratch.err;
	else
		m->in_scratch = c;
	return ret;
}

/*
 * Copy what fits from the scratch, which holds the chunk, into the window; if not even one record
 * fits, it is loaded when its turn comes. Returns the next record's time.
 */
static uint64_t fill_window(struct xtr_merge *m, struct xtr_merge_cursor *cur)
{
	const uint8_t *from = m->scratch.recs + cur->pos;
	size_t left = cur->c->rec_len - cur->pos, n = 0;

	while (n < left && xtr_rec_size(from + n) <= m->window - n)
		n += xtr_rec_size(from + n);
	cur->p = NULL;
	if (n) {
		memcpy(cur->window, from, n);
		cur->p = cur->window;
		cur->end = cur->window + n;
	}
	return xtr_rec_ts(from);
}

/* --- opening and closing --------------------------------------------------------------------- */

/* Bytes of the records before `from`; rec_len: all. */
static size_t skip_early(struct xtr_merge *m, const struct xtr_chunk *c, const uint8_t *recs)
{
	size_t pos = 0;

	if (c->ts_min >= m->from)
		return 0;
	for (; pos < c->rec_len && xtr_rec_ts(recs + pos) < m->from; m->seen++)
		pos += xtr_rec_size(recs + pos);
	return pos;
}

/* A whole chunk, which the pool gave; *any: it has records of the range, the first one at *ts. */
static int load_whole(struct xtr_merge *m, struct xtr_merge_cursor *cur, uint64_t *ts, bool *any,
		      struct xtr_err *err)
{
	if (cur->d->err.code) {
		*err = cur->d->err;
		return err->code;
	}
	cur->p = cur->d->recs + skip_early(m, cur->c, cur->d->recs);
	cur->end = cur->d->recs + cur->c->rec_len;
	*any = cur->p < cur->end;
	if (*any)
		*ts = xtr_rec_ts(cur->p);
	return 0;
}

/* The same with a first window of a chunk. */
static int load_window(struct xtr_merge *m, struct xtr_merge_cursor *cur, uint64_t *ts, bool *any,
		       struct xtr_err *err)
{
	const struct xtr_chunk *c = cur->c;
	int ret;

	cur->window = malloc(m->window < c->rec_len ? m->window + 1 : c->rec_len);
	ret = cur->window ? to_scratch(m, c, err) : -ENOMEM;
	if (ret)
		return ret;
	cur->pos = skip_early(m, c, m->scratch.recs);
	*any = cur->pos < c->rec_len;
	if (*any)
		*ts = fill_window(m, cur);
	return 0;
}

static int insert(struct xtr_merge *m, const struct xtr_merge_cursor *cur, uint64_t ts)
{
	uint32_t leaf;
	int err = xtr_tree_add(&m->tree, ts, cur->c->stream, cur->c->seq, &leaf);

	if (err)
		return err;
	err = xtr_grow_array(&m->cursors, &m->cap_cursors, (size_t)leaf + 1, sizeof(*cur));
	if (err)
		xtr_tree_remove(&m->tree, leaf);
	else
		m->cursors[leaf] = *cur;
	return err;
}

/* Events of the batch may be in the chunk: it is given back after them. */
static void end_cursor(struct xtr_merge_cursor *cur, struct xtr_merge_batch *b)
{
	free(cur->window);
	if (!cur->d)
		return;
	cur->d->next = b->done;
	b->done = cur->d;
	b->done_bytes += cur->c->rec_len;
}

static int open_next(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	const struct xtr_chunk *c = m->chunks[m->next];
	struct xtr_merge_cursor cur = { .c = c, .stream = c->stream };
	bool any = false;
	uint64_t ts = 0;
	int err;

	/* Without memory the pool stays where it is, and so must the merge. */
	if (m->pool && !(cur.d = xtr_pool_next(m->pool)))
		return -ENOMEM;
	m->next++;
	err = m->pool ? load_whole(m, &cur, &ts, &any, &b->err)
		      : load_window(m, &cur, &ts, &any, &b->err);

	if (err)
		m->seen += c->n_records;
	else if (any)
		err = insert(m, &cur, ts);
	if (err || !any)
		end_cursor(&cur, b);
	return err;
}

static __attribute__((noinline)) void close_leaf(struct xtr_merge *m, uint32_t leaf,
						 struct xtr_merge_batch *b)
{
	end_cursor(&m->cursors[leaf], b);
	xtr_tree_remove(&m->tree, leaf);
}

void xtr_merge_fill_end(struct xtr_merge *m)
{
	struct xtr_merge_batch b = { 0 };

	while (!xtr_tree_is_empty(&m->tree))
		close_leaf(m, xtr_tree_first(&m->tree)->leaf, &b);
	give_back(m, &b);
}

/* True if the next chunk has to be open before the first record may be given out. */
static bool must_open(const struct xtr_merge *m)
{
	const struct xtr_tree_node *first;
	const struct xtr_chunk *c, *f;

	if (m->next >= m->n)
		return false;
	if (xtr_tree_is_empty(&m->tree))
		return true;
	first = xtr_tree_first(&m->tree);
	c = m->chunks[m->next];
	f = m->cursors[first->leaf].c;
	if (c->ts_min != first->ts)
		return c->ts_min < first->ts;
	if (c->stream != f->stream)
		return c->stream < f->stream;
	return c->seq < f->seq;
}

/* --- giving out ------------------------------------------------------------------------------ */

/* The next gap of the range, or NULL. */
static const struct xtr_gap *peek_gap(struct xtr_merge *m)
{
	const struct xtr_gap *g;

	while ((g = xtr_loss_gap_at(m->loss, m->gap)) && g->last < m->from)
		m->gap++;
	return g && g->first <= m->to ? g : NULL;
}

static void give_gap(struct xtr_merge *m, const struct xtr_gap *g, struct xtr_merge_batch *b)
{
	m->gap++;
	b->ev[b->n++] = (struct xtr_event){ .ts = g->first, .stream = g->stream, .gap = g };
}

/* Up to when records may be given out with no chunk to open, no gap, and the end not reached. */
static void set_limit(struct xtr_merge *m)
{
	const struct xtr_gap *g = peek_gap(m);

	m->limit = m->to;
	if (m->next < m->n && m->chunks[m->next]->ts_min < m->limit)
		m->limit = m->chunks[m->next]->ts_min;
	if (g && g->first < m->limit)
		m->limit = g->first;
}

static inline void set_event(const struct xtr_merge *m, struct xtr_event *ev, uint64_t ts,
			     uint32_t stream, const uint8_t *rec)
{
	ev->ts = ts;
	ev->type = xtr_rec_type(rec);
	ev->size = xtr_rec_size(rec);
	ev->tid = xtr_rec_tid(rec);
	ev->stream = stream;
	ev->rec = rec;
	ev->desc = xtr_meta_of_type(m->meta, ev->type);
	ev->gap = NULL;
}

/* Not inline: where it is called there are no registers left for it. */
static __attribute__((noinline)) uint64_t set_leaf(struct xtr_tree *t, uint32_t leaf, uint64_t ts)
{
	return xtr_tree_set(t, leaf, ts);
}

/*
 * Records of the chunk that is first, as long as it is, and their times are below `limit`, one in
 * any case. Those that are earlier than what all other chunks have cost nothing in the tree.
 */
static inline __attribute__((always_inline)) struct xtr_event *give_run(struct xtr_merge *m,
									struct xtr_merge_batch *b,
									struct xtr_event *ev,
									uint64_t limit)
{
	const struct xtr_tree_node *first = xtr_tree_first(&m->tree);
	const struct xtr_event *end = b->ev + XTR_BATCH_EVENTS;
	uint64_t ts = first->ts, until = 0;
	uint32_t leaf = first->leaf;
	struct xtr_merge_cursor *cur = &m->cursors[leaf];
	uint32_t stream = cur->stream;
	const uint8_t *p = cur->p;

	do {
		set_event(m, ev, ts, stream, p);
		p += ev->size;
		m->seen++;
		ev += wanted(m, ev->type);
		if (p == cur->end) {
			close_leaf(m, leaf, b);
			return ev;
		}
		ts = xtr_rec_ts(p);
		if (ts < until && ev < end)
			continue;
		until = set_leaf(&m->tree, leaf, ts);
		if (first->leaf != leaf)
			break;
		until = until < limit ? until : limit;
	} while (ts < until && ev < end);
	cur->p = p;
	return ev;
}

/*
 * Records up to the limit, or until the batch is full. (Not a part of its caller, which would leave
 * it too few registers.)
 */
static __attribute__((noinline)) void give_runs(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	const struct xtr_tree_node *first = xtr_tree_first(&m->tree);
	struct xtr_event *ev = b->ev + b->n, *end = b->ev + XTR_BATCH_EVENTS;
	uint64_t limit = m->limit;

	while (first->ts < limit && ev < end && b->done_bytes <= m->done_max)
		ev = give_run(m, b, ev, limit);
	b->n = (size_t)(ev - b->ev);
}

/* Go to the next record of the window that the first one came from. */
static int advance(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	uint32_t leaf = xtr_tree_first(&m->tree)->leaf, size;
	struct xtr_merge_cursor *cur = &m->cursors[leaf];
	int err = 0;

	m->advance = false;
	m->seen++;
	size = xtr_rec_size(cur->p);
	cur->p += size;
	cur->pos += size;
	if (cur->pos < cur->c->rec_len && cur->p < cur->end) {
		xtr_tree_set(&m->tree, leaf, xtr_rec_ts(cur->p));
		return 0;
	}
	if (cur->pos < cur->c->rec_len)
		err = to_scratch(m, cur->c, &b->err);
	if (cur->pos == cur->c->rec_len || err)
		close_leaf(m, leaf, b);
	else
		xtr_tree_set(&m->tree, leaf, fill_window(m, cur));
	return err;
}

/* The first record, from its window, or from the scratch if it is in none. */
static int give_from_window(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	const struct xtr_tree_node *first = xtr_tree_first(&m->tree);
	struct xtr_merge_cursor *cur = &m->cursors[first->leaf];
	int err = cur->p ? 0 : to_scratch(m, cur->c, &b->err);

	if (err) {
		close_leaf(m, first->leaf, b);
		return err;
	}
	if (!cur->p) {
		cur->p = m->scratch.recs + cur->pos;
		cur->end = cur->p + xtr_rec_size(cur->p);
	}
	m->advance = true;
	set_event(m, &b->ev[b->n], first->ts, cur->c->stream, cur->p);
	b->n += wanted(m, b->ev[b->n].type);
	return 1;
}

/* One event or gap. 1: it was given out, or nobody wants it; else as xtr_merge_next. */
static int give_one(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	const struct xtr_gap *g = peek_gap(m);
	bool any = !xtr_tree_is_empty(&m->tree) && xtr_tree_first(&m->tree)->ts <= m->to;

	if (g && (!any || g->first <= xtr_tree_first(&m->tree)->ts)) {
		give_gap(m, g, b);
		return 1;
	}
	if (!any) {
		m->seen = m->total;
		return 0;
	}
	if (!m->pool)
		return give_from_window(m, b);
	b->n = (size_t)(give_run(m, b, b->ev + b->n, 0) - b->ev);
	return 1;
}

/* The same after everything that has to be done before. */
static int step(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	int err = m->advance ? advance(m, b) : 0;

	while (!err && must_open(m))
		err = open_next(m, b);
	if (err)
		return err;
	err = give_one(m, b);
	set_limit(m);
	return err;
}

static bool is_full(const struct xtr_merge *m, const struct xtr_merge_batch *b)
{
	return b->n == XTR_BATCH_EVENTS || b->done_bytes > m->done_max || (!m->pool && b->n);
}

void xtr_merge_fill(struct xtr_merge *m, struct xtr_merge_batch *b)
{
	give_back(m, b);
	b->n = 0;
	b->ret = 1;
	b->err = (struct xtr_err){ 0 };
	while (b->ret == 1 && !is_full(m, b)) {
		if (m->pool && m->tree.cap)
			give_runs(m, b);
		if (!is_full(m, b))
			b->ret = step(m, b);
	}
	if (b->ret < 0 && !b->err.code)
		b->err.code = b->ret;
	b->seen = m->seen;
}
