// SPDX-License-Identifier: BSD-2-Clause
/*
 * A heap over the chunks that are open. A chunk is opened when the merge reaches its ts_min, which
 * no record in it is below (spec 5). What is open at once is known from the headers before anything
 * is decoded: normally it fits into memory, and whole chunks are held. Otherwise only a window of
 * each chunk's records is held, and the chunk is decoded again for the next window: slower, but the
 * memory is bounded for any file.
 */
#include "merge.h"
#include "buf.h"
#include "merge_peak.h"
#include "merge_pool.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)64 << 20) /* bytes, merge.h */

/* An open chunk. */
struct cursor {
	const struct xtr_chunk *c;
	const uint8_t *p, *end; /* records in memory; p NULL: they have to be loaded */
	size_t pos;             /* bytes of the chunk's records before p */
	struct xtr_decoded *d;  /* whole chunks: from the pool */
	uint8_t *window;        /* else: a part of the records */
};

struct item {
	uint64_t ts;
	uint32_t stream, seq;
	struct cursor *cur;
};

struct xtr_merge {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	const struct xtr_meta *meta;
	const struct xtr_loss *loss;
	const struct xtr_chunk **chunks; /* in order of (ts_min, stream, seq) */
	size_t n, next;                  /* all, and the first that is not opened */
	struct item *heap;
	size_t n_heap, cap_heap;
	bool advance;                 /* the first of the heap was given out */
	struct xtr_pool *pool;        /* NULL: windows */
	size_t window;                /* bytes of each window */
	struct xtr_decode_sorted own; /* windows: the chunk that was decoded last */
	struct xtr_decoded scratch;
	const struct xtr_chunk *in_scratch;
	uint64_t from, to;
	uint64_t seen, total; /* records */
	uint8_t *types;       /* a bit for each wanted type, or NULL: all */
	size_t gap;           /* the next one */
};

static bool before(const struct item *a, const struct item *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	if (a->stream != b->stream)
		return a->stream < b->stream;
	return a->seq < b->seq;
}

static void sift_down(struct xtr_merge *m, size_t i)
{
	struct item it = m->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= m->n_heap)
			break;
		if (child + 1 < m->n_heap && before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!before(&m->heap[child], &it))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = it;
}

static void push(struct xtr_merge *m, struct item it)
{
	size_t i = m->n_heap++;

	while (i && before(&it, &m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = it;
}

static void cursor_free(struct xtr_merge *m, struct cursor *cur)
{
	if (cur->d)
		xtr_pool_put(m->pool, cur->d);
	free(cur->window);
	free(cur);
}

static void pop(struct xtr_merge *m)
{
	cursor_free(m, m->heap[0].cur);
	m->heap[0] = m->heap[--m->n_heap];
	if (m->n_heap)
		sift_down(m, 0);
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
 * fits, it is loaded when its turn comes. *ts becomes the next record's time.
 */
static void fill_window(struct xtr_merge *m, struct cursor *cur, uint64_t *ts)
{
	const uint8_t *from = m->scratch.recs + cur->pos;
	size_t left = cur->c->rec_len - cur->pos, n = 0;

	*ts = xtr_rec_ts(from);
	while (n < left && xtr_rec_size(from + n) <= m->window - n)
		n += xtr_rec_size(from + n);
	cur->p = NULL;
	if (!n)
		return;
	memcpy(cur->window, from, n);
	cur->p = cur->window;
	cur->end = cur->window + n;
}

/* --- opening and advancing ------------------------------------------------------------------- */

/* Pass the records before `from`. False if there is none left. */
static bool skip_early(struct xtr_merge *m, struct cursor *cur, const uint8_t *recs)
{
	while (cur->pos < cur->c->rec_len && xtr_rec_ts(recs + cur->pos) < m->from) {
		cur->pos += xtr_rec_size(recs + cur->pos);
		m->seen++;
	}
	return cur->pos < cur->c->rec_len;
}

/* The records of the chunk that a cursor is for: whole from the pool, or a first window. */
static int load(struct xtr_merge *m, struct cursor *cur, uint64_t *ts, bool *any,
		struct xtr_err *err)
{
	const struct xtr_chunk *c = cur->c;
	int ret;

	if (m->pool) {
		cur->d = xtr_pool_next(m->pool);
		if (!cur->d)
			return -ENOMEM;
		if (cur->d->err.code) {
			*err = cur->d->err;
			return err->code;
		}
		*any = skip_early(m, cur, cur->d->recs);
		cur->p = cur->d->recs + cur->pos;
		cur->end = cur->d->recs + c->rec_len;
		*ts = *any ? xtr_rec_ts(cur->p) : 0;
		return 0;
	}
	cur->window = malloc(m->window < c->rec_len ? m->window + 1 : c->rec_len);
	if (!cur->window)
		return -ENOMEM;
	ret = to_scratch(m, c, err);
	if (ret)
		return ret;
	*any = skip_early(m, cur, m->scratch.recs);
	if (*any)
		fill_window(m, cur, ts);
	return 0;
}

static int open_next(struct xtr_merge *m, struct xtr_err *err)
{
	const struct xtr_chunk *c = m->chunks[m->next++];
	struct item it = { .stream = c->stream, .seq = c->seq };
	bool any = false;
	int ret = xtr_grow_array(&m->heap, &m->cap_heap, m->n_heap + 1, sizeof(*m->heap));

	it.cur = ret ? NULL : calloc(1, sizeof(*it.cur));
	if (!it.cur)
		return -ENOMEM;
	it.cur->c = c;
	ret = load(m, it.cur, &it.ts, &any, err);
	if (!ret && any) {
		push(m, it);
		return 0;
	}
	if (ret)
		m->seen += c->n_records;
	cursor_free(m, it.cur);
	return ret;
}

/* The first of the heap was given out: go to its next record. */
static int advance(struct xtr_merge *m, struct xtr_err *err)
{
	struct item *top = &m->heap[0];
	struct cursor *cur = top->cur;
	uint32_t size = xtr_rec_size(cur->p);
	int ret = 0;

	m->advance = false;
	m->seen++;
	cur->p += size;
	cur->pos += size;
	if (cur->pos == cur->c->rec_len) {
		pop(m);
		return 0;
	}
	if (cur->p == cur->end) {
		ret = to_scratch(m, cur->c, err);
		if (ret) {
			pop(m);
			return ret;
		}
		fill_window(m, cur, &top->ts);
	} else {
		top->ts = xtr_rec_ts(cur->p);
	}
	sift_down(m, 0);
	return 0;
}

/* True if the next chunk has to be open before the first of the heap may be given out. */
static bool must_open(const struct xtr_merge *m)
{
	struct item it;

	if (m->next >= m->n)
		return false;
	if (!m->n_heap)
		return true;
	it.ts = m->chunks[m->next]->ts_min;
	it.stream = m->chunks[m->next]->stream;
	it.seq = m->chunks[m->next]->seq;
	return before(&it, &m->heap[0]);
}

/* --- giving out ------------------------------------------------------------------------------ */

/* A gap that comes before time ts (any: all events are out) and in the range, or NULL. */
static const struct xtr_gap *next_gap(struct xtr_merge *m, uint64_t ts, bool any)
{
	const struct xtr_gap *g;

	while ((g = xtr_loss_gap_at(m->loss, m->gap)) && g->last < m->from)
		m->gap++;
	if (!g || g->first > m->to || (!any && g->first > ts))
		return NULL;
	m->gap++;
	return g;
}

static int give_gap(const struct xtr_gap *g, struct xtr_event *ev)
{
	*ev = (struct xtr_event){ .ts = g->first, .stream = g->stream, .gap = g };
	return 1;
}

/* The first of the heap, whose record is loaded if it is in no window. */
static int give_event(struct xtr_merge *m, struct xtr_event *ev, struct xtr_err *err)
{
	const struct item *top = &m->heap[0];
	struct cursor *cur = top->cur;
	int ret;

	if (!cur->p) {
		ret = to_scratch(m, cur->c, err);
		if (ret < 0) {
			pop(m);
			return ret;
		}
		cur->p = m->scratch.recs + cur->pos;
		cur->end = cur->p + xtr_rec_size(cur->p);
	}
	m->advance = true;
	*ev = (struct xtr_event){
		.ts = top->ts,
		.type = xtr_rec_type(cur->p),
		.size = xtr_rec_size(cur->p),
		.tid = xtr_rec_tid(cur->p),
		.stream = top->stream,
		.rec = cur->p,
	};
	ev->desc = xtr_meta_event(m->meta, ev->type);
	return 1;
}

static bool wanted(const struct xtr_merge *m, uint32_t type)
{
	return !m->types || m->types[type / 8] >> type % 8 & 1;
}

int xtr_merge_next(struct xtr_merge *m, struct xtr_event *ev, struct xtr_err *err)
{
	const struct xtr_gap *g;
	struct xtr_err mine = { 0 };
	int ret;

	err = err ? err : &mine;
	for (;;) {
		if (m->advance) {
			ret = advance(m, err);
			if (ret)
				return ret;
		}
		while (must_open(m)) {
			ret = open_next(m, err);
			if (ret)
				return ret;
		}
		if (!m->n_heap || m->heap[0].ts > m->to) {
			g = next_gap(m, 0, true);
			m->seen = g ? m->seen : m->total;
			return g ? give_gap(g, ev) : 0;
		}
		g = next_gap(m, m->heap[0].ts, false);
		if (g)
			return give_gap(g, ev);
		ret = give_event(m, ev, err);
		if (ret < 0 || wanted(m, ev->type))
			return ret;
	}
}

unsigned int xtr_merge_permille(const struct xtr_merge *m)
{
	if (!m->total)
		return 1000;
	return (unsigned int)((double)m->seen / (double)m->total * 1000);
}

void xtr_merge_close(struct xtr_merge *m)
{
	if (!m)
		return;
	while (m->n_heap)
		cursor_free(m, m->heap[--m->n_heap].cur);
	xtr_pool_close(m->pool);
	xtr_decode_sorted_free(&m->own);
	free(m->scratch.recs);
	free(m->heap);
	free(m->chunks);
	free(m->types);
	free(m);
}

/* --- setting up ------------------------------------------------------------------------------ */

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

static int set_up(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	size_t memory = o->memory ? o->memory : MEMORY, chunks, bytes;
	int err = choose_chunks(m);

	if (!err)
		err = choose_types(m, o);
	if (!err)
		err = xtr_merge_peak(m->chunks, m->n, &chunks, &bytes);
	if (err)
		return err;
	if (bytes <= memory)
		return xtr_pool_open(&m->pool, m->r, m->chunks, m->n, o->threads, memory);
	m->window = memory / (chunks + 1);
	return 0;
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
