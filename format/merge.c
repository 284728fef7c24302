/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Method. The section's EVENTS chunks are put in order of ts_min. A chunk is opened when the merge
 * reaches its ts_min: whatever is not open yet lies later, so the smallest current record of the
 * open chunks (a heap) is the next event. Workers decode chunks ahead in that same order while
 * memory lasts. When the chunks that must be open at once exceed the memory (a hostile file, or
 * very many CPUs), further ones are read a window at a time and decoded again for each window.
 */
#include "merge.h"

#include "merge_slot.h"
#include "record.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MERGE_MEMORY      (64u << 20) /* bytes, default */
#define MERGE_WINDOW      (32u << 10) /* bytes of a windowed chunk */
#define MERGE_THREADS_MAX 16u
#define MERGE_SPARE       8u /* buffers kept for the next chunks */

enum slot_state {
	SLOT_NEW,
	SLOT_BUSY,
	SLOT_READY
};

struct merge_item {
	const struct xtr_chunk *chunk;
	struct xtr_slot *slot; /* NULL until claimed and after it was read */
	enum slot_state state;
};

struct spare {
	uint8_t *buf;
	size_t cap;
};

struct xtr_merge {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	uint64_t from, to;
	uint8_t *wanted; /* bit per event type, NULL: all */
	size_t memory;
	uint64_t events_all, events_read;

	struct merge_item *items; /* in order of ts_min */
	size_t n_items;
	size_t next_open; /* first item that is not in the heap and was not read */

	struct xtr_slot **heap;
	size_t n_heap, cap_heap;
	struct xtr_slot *current; /* gave the last event, to be stepped on */
	uint8_t *scratch;         /* for windowed chunks */
	size_t scratch_cap;

	size_t next_gap;

	pthread_mutex_t lock; /* all below, and items' slot and state */
	pthread_cond_t work, ready;
	pthread_t threads[MERGE_THREADS_MAX];
	unsigned int n_threads;
	size_t next_claim; /* first item that nobody has claimed */
	size_t in_memory;  /* bytes of claimed slots */
	struct spare spares[MERGE_SPARE];
	unsigned int n_spares;
	bool stop;
};

/* Order of output: time, stream, place in the stream. */
static bool slot_before(const struct xtr_slot *a, const struct xtr_slot *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	if (a->chunk->stream != b->chunk->stream)
		return a->chunk->stream < b->chunk->stream;
	return a->chunk->seq < b->chunk->seq;
}

static void heap_down(struct xtr_merge *m, size_t i)
{
	struct xtr_slot *s = m->heap[i];
	size_t child;

	while ((child = 2 * i + 1) < m->n_heap) {
		if (child + 1 < m->n_heap && slot_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!slot_before(m->heap[child], s))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = s;
}

static int heap_push(struct xtr_merge *m, struct xtr_slot *s)
{
	size_t i;

	if (m->n_heap == m->cap_heap) {
		size_t cap = m->cap_heap ? 2 * m->cap_heap : 64;
		void *p = realloc(m->heap, cap * sizeof(*m->heap));

		if (!p)
			return -ENOMEM;
		m->heap = p;
		m->cap_heap = cap;
	}
	i = m->n_heap++;
	while (i > 0 && slot_before(s, m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = s;
	return 0;
}

static int item_cmp(const void *a, const void *b)
{
	const struct xtr_chunk *x = ((const struct merge_item *)a)->chunk;
	const struct xtr_chunk *y = ((const struct merge_item *)b)->chunk;

	if (x->ts_min != y->ts_min)
		return x->ts_min < y->ts_min ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* The chunks with events in the range, in order of ts_min. */
static int collect_items(struct xtr_merge *m)
{
	size_t n = xtr_section_n_chunks(m->s), i;

	m->items = calloc(n ? n : 1, sizeof(*m->items));
	if (!m->items)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(m->s, i);

		if (c->type != XTR_CHUNK_EVENTS || !c->n_records || c->ts_max < m->from ||
		    c->ts_min > m->to)
			continue;
		m->items[m->n_items++].chunk = c;
		m->events_all += c->n_records;
	}
	qsort(m->items, m->n_items, sizeof(*m->items), item_cmp);
	return 0;
}

/* Memory that a chunk takes when it is held whole. */
static size_t chunk_memory(const struct xtr_chunk *c)
{
	return c->rec_len + sizeof(struct xtr_slot);
}

/* Claim the next item under the lock: the caller decodes it. NULL: no memory for the slot. */
static struct xtr_slot *claim(struct xtr_merge *m, bool whole)
{
	struct merge_item *it = &m->items[m->next_claim];
	struct xtr_slot *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (whole && m->n_spares) {
		s->buf = m->spares[--m->n_spares].buf;
		s->cap = m->spares[m->n_spares].cap;
	}
	s->chunk = it->chunk;
	it->slot = s;
	it->state = SLOT_BUSY;
	m->next_claim++;
	m->in_memory += whole ? chunk_memory(it->chunk) : MERGE_WINDOW;
	return s;
}

static void *worker(void *arg)
{
	struct xtr_merge *m = arg;

	pthread_mutex_lock(&m->lock);
	while (!m->stop && m->next_claim < m->n_items) {
		size_t i = m->next_claim;
		struct xtr_slot *s;

		if (m->in_memory + chunk_memory(m->items[i].chunk) > m->memory) {
			pthread_cond_wait(&m->work, &m->lock);
			continue;
		}
		s = claim(m, true);
		if (!s)
			break; /* the reading thread will meet the same and say so */
		pthread_mutex_unlock(&m->lock);
		xtr_slot_load(s, m->r, s->chunk);
		pthread_mutex_lock(&m->lock);
		m->items[i].state = SLOT_READY;
		pthread_cond_signal(&m->ready);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

static size_t slot_memory(const struct xtr_slot *s)
{
	return s->windowed ? MERGE_WINDOW : chunk_memory(s->chunk);
}

/* Give a slot's memory back; a large buffer is kept for the next chunk. */
static void slot_release(struct xtr_merge *m, struct xtr_slot *s)
{
	pthread_mutex_lock(&m->lock);
	m->in_memory -= slot_memory(s);
	if (!s->windowed && s->buf && m->n_spares < MERGE_SPARE) {
		m->spares[m->n_spares++] = (struct spare){ s->buf, s->cap };
		s->buf = NULL;
	}
	pthread_cond_signal(&m->work);
	pthread_mutex_unlock(&m->lock);
	free(s->buf);
	free(s);
}

/* The next item's slot, decoded: by a worker, or here if none has taken it. */
static struct xtr_slot *take_next(struct xtr_merge *m)
{
	struct merge_item *it = &m->items[m->next_open];
	struct xtr_slot *s;
	bool whole;

	pthread_mutex_lock(&m->lock);
	if (it->state == SLOT_NEW) {
		whole = m->in_memory + chunk_memory(it->chunk) <= m->memory || !m->in_memory;
		s = claim(m, whole);
		pthread_mutex_unlock(&m->lock);
		if (!s)
			return NULL;
		if (whole)
			xtr_slot_load(s, m->r, s->chunk);
		else
			xtr_slot_load_window(s, m->r, s->chunk, MERGE_WINDOW, &m->scratch,
					     &m->scratch_cap);
		it->state = SLOT_READY;
	} else {
		while (it->state != SLOT_READY)
			pthread_cond_wait(&m->ready, &m->lock);
		s = it->slot;
		pthread_mutex_unlock(&m->lock);
	}
	it->slot = NULL;
	m->next_open++;
	return s;
}

static bool type_wanted(const struct xtr_merge *m, uint32_t type)
{
	return !m->wanted || m->wanted[type / 8] & 1u << type % 8;
}

/* True if the slot's current record is to be given out. */
static bool slot_wanted(const struct xtr_merge *m, const struct xtr_slot *s)
{
	return s->ts >= m->from && type_wanted(m, xtr_rec_type(s->buf + s->pos));
}

/* Step to the next record that is wanted. False: none is left (s->err may say why). */
static bool slot_advance(struct xtr_merge *m, struct xtr_slot *s, bool step)
{
	for (;; step = true) {
		if (step && !xtr_slot_step(s, m->r, MERGE_WINDOW, &m->scratch, &m->scratch_cap))
			return false;
		m->events_read++;
		if (s->ts > m->to)
			return false;
		if (slot_wanted(m, s))
			return true;
	}
}

/* Report why a slot ended, free it, and return its error. */
static int slot_end(struct xtr_merge *m, struct xtr_slot *s, struct xtr_err *err)
{
	int ret = s->err;

	if (ret && err)
		*err = s->why;
	slot_release(m, s);
	return ret;
}

/* Step the slot that gave the last event, and put it back in its place. */
static int step_current(struct xtr_merge *m, struct xtr_err *err)
{
	struct xtr_slot *s = m->current;

	m->current = NULL;
	if (!s)
		return 0;
	if (slot_advance(m, s, true)) {
		heap_down(m, 0);
		return 0;
	}
	m->heap[0] = m->heap[--m->n_heap];
	if (m->n_heap)
		heap_down(m, 0);
	return slot_end(m, s, err);
}

/* Open every chunk that may hold the next event. */
static int open_due(struct xtr_merge *m, struct xtr_err *err)
{
	while (m->next_open < m->n_items) {
		struct xtr_slot *s;
		int ret;

		if (m->n_heap && m->items[m->next_open].chunk->ts_min > m->heap[0]->ts)
			break;
		s = take_next(m);
		if (!s)
			return -ENOMEM;
		if (s->err || !s->held || !slot_advance(m, s, false)) {
			ret = slot_end(m, s, err);
			if (ret)
				return ret;
			continue;
		}
		ret = heap_push(m, s);
		if (ret) {
			slot_release(m, s);
			return ret;
		}
	}
	return 0;
}

/* The next gap if it starts no later than ts. */
static const struct xtr_gap *gap_due(struct xtr_merge *m, uint64_t ts)
{
	const struct xtr_loss *loss = xtr_section_loss(m->s);
	const struct xtr_gap *g;

	while (m->next_gap < xtr_loss_n_gaps(loss)) {
		g = xtr_loss_gap_at(loss, m->next_gap);
		if (g->first > ts || g->first > m->to)
			return NULL;
		m->next_gap++;
		if (g->last >= m->from)
			return g;
	}
	return NULL;
}

static void give_event(const struct xtr_merge *m, struct xtr_event *ev)
{
	const struct xtr_slot *s = m->current;
	const uint8_t *rec = s->buf + s->pos;

	*ev = (struct xtr_event){
		.ts = s->ts,
		.type = xtr_rec_type(rec),
		.size = s->size,
		.tid = xtr_rec_tid(rec),
		.stream = s->chunk->stream,
		.rec = rec,
	};
	ev->desc = xtr_meta_event(xtr_section_meta(m->s), ev->type);
}

int xtr_merge_next(struct xtr_merge *m, struct xtr_event *ev, struct xtr_err *err)
{
	const struct xtr_gap *g;
	int ret;

	ret = step_current(m, err);
	if (ret)
		return ret;
	ret = open_due(m, err);
	if (ret)
		return ret;
	g = gap_due(m, m->n_heap ? m->heap[0]->ts : UINT64_MAX);
	if (g) {
		*ev = (struct xtr_event){ .ts = g->first, .stream = g->stream, .gap = g };
		return 1;
	}
	if (!m->n_heap)
		return 0;
	m->current = m->heap[0];
	give_event(m, ev);
	return 1;
}

unsigned int xtr_merge_permille(const struct xtr_merge *m)
{
	uint64_t done = m->events_read < m->events_all ? m->events_read : m->events_all;

	return m->events_all ? (unsigned int)((double)done * 1000.0 / (double)m->events_all) : 1000;
}

static int want_types(struct xtr_merge *m, const struct xtr_merge_opts *o)
{
	size_t i;

	if (!o->types)
		return 0;
	m->wanted = calloc(1, 65536 / 8);
	if (!m->wanted)
		return -ENOMEM;
	for (i = 0; i < o->n_types; i++) {
		if (o->types[i] < 65536)
			m->wanted[o->types[i] / 8] |= (uint8_t)(1u << o->types[i] % 8);
	}
	return 0;
}

/* Without a thread the reading thread decodes: fewer than asked for is not an error. */
static void start_workers(struct xtr_merge *m, unsigned int n)
{
	if (n > MERGE_THREADS_MAX)
		n = MERGE_THREADS_MAX;
	while (m->n_threads < n && pthread_create(&m->threads[m->n_threads], NULL, worker, m) == 0)
		m->n_threads++;
}

int xtr_merge_open(struct xtr_merge **out, const struct xtr_reader *r, const struct xtr_section *s,
		   const struct xtr_merge_opts *opts)
{
	struct xtr_merge_opts o = { .sz = sizeof(o) };
	struct xtr_merge *m;
	int ret;

	if (opts)
		memcpy(&o, opts, opts->sz < sizeof(o) ? opts->sz : sizeof(o));
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->work, NULL);
	pthread_cond_init(&m->ready, NULL);
	m->r = r;
	m->s = s;
	m->from = o.from;
	m->to = o.to ? o.to : UINT64_MAX;
	m->memory = o.memory ? o.memory : MERGE_MEMORY;
	ret = want_types(m, &o);
	if (!ret)
		ret = collect_items(m);
	if (ret) {
		xtr_merge_close(m);
		return ret;
	}
	start_workers(m, o.threads);
	*out = m;
	return 0;
}

void xtr_merge_close(struct xtr_merge *m)
{
	size_t i;

	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = true;
	pthread_cond_broadcast(&m->work);
	pthread_mutex_unlock(&m->lock);
	while (m->n_threads > 0)
		pthread_join(m->threads[--m->n_threads], NULL);
	for (i = 0; i < m->n_heap; i++) {
		free(m->heap[i]->buf);
		free(m->heap[i]);
	}
	for (i = 0; i < m->n_items; i++) {
		if (m->items[i].slot) {
			free(m->items[i].slot->buf);
			free(m->items[i].slot);
		}
	}
	while (m->n_spares > 0)
		free(m->spares[--m->n_spares].buf);
	pthread_cond_destroy(&m->ready);
	pthread_cond_destroy(&m->work);
	pthread_mutex_destroy(&m->lock);
	free(m->items);
	free(m->heap);
	free(m->scratch);
	free(m->wanted);
	free(m);
}
