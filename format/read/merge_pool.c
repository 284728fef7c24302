/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads take chunks in order, each as soon as its records fit into the memory together with those
 * that are out; the one that the merge needs it takes itself if no other has. So nothing can wait
 * for ever: what is held without being waited for comes earlier in the order, and the merge gives
 * it back.
 */
#include "merge_pool.h"
#include "base/buf.h"
#include "reader_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS_MAX 64u
/* Chunks decoded ahead, and bytes of their records: more would only leave the processor's caches.
 */
#define AHEAD_CHUNKS 16u                 /* for each thread, and for who helps */
#define AHEAD_BYTES  ((size_t)512 << 10) /* likewise */

struct slot {
	struct xtr_decoded d; /* first: a caller's pointer to it is one to the slot */
	size_t bytes;         /* counted in pool->held while it is out */
	bool ready;
};

struct xtr_pool {
	const struct xtr_reader *r;
	const struct xtr_chunk *const *chunks;
	size_t n;
	struct slot
		*slots; /* a ring of n_slots: chunk i is in slot i % n_slots until it is opened */
	size_t n_slots;
	size_t taken, opened; /* chunks given to a thread, and to the merge */
	size_t held, memory;  /* bytes */
	bool stop;
	unsigned int n_threads;
	pthread_t threads[THREADS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	size_t ahead, ahead_max;        /* bytes of the chunks that are taken and not opened */
	struct xtr_decode_sorted own;   /* for decoding in the merge's thread */
	struct xtr_decode_sorted guest; /* in that of who helps */
	struct spare {
		uint8_t *recs;
		size_t cap;
	} spares[THREADS_MAX]; /* buffers that were given back: new ones cost page faults */
	size_t n_spares, spare_bytes;
};

int xtr_decode_in_order(const struct xtr_reader *r, const struct xtr_chunk *c,
			struct xtr_decode_sorted *d, struct xtr_decoded *out)
{
	int err = xtr_decode(r, c, &d->d, &out->recs, &out->cap, &out->err);
	uint8_t *recs;
	size_t cap;

	if (!err && !d->d.span.sorted) {
		err = xtr_grow(&d->other, &d->cap_other, c->rec_len + 1u)
			      ?: xtr_records_sort(&d->sorter, out->recs, c->n_records, d->other);
		recs = out->recs;
		cap = out->cap;
		out->recs = d->other;
		out->cap = d->cap_other;
		d->other = recs;
		d->cap_other = cap;
		out->err = (struct xtr_err){ .offset = c->offset, .seq = c->seq };
	}
	out->err.code = err;
	return err;
}

void xtr_decode_sorted_free(struct xtr_decode_sorted *d)
{
	xtr_decoder_free(&d->d);
	xtr_sorter_free(&d->sorter);
	free(d->other);
	*d = (struct xtr_decode_sorted){ 0 };
}

/* True if the next chunk may be decoded now. Called with the lock held. */
static bool may_take(const struct xtr_pool *p)
{
	size_t ahead = p->taken - p->opened;

	if (p->taken >= p->n || ahead >= p->n_slots || p->ahead >= p->ahead_max)
		return false;
	return !ahead || p->held + p->chunks[p->taken]->rec_len <= p->memory;
}

/* A buffer for a chunk, one that was used before if possible. Called with the lock held. */
static void get_buffer(struct xtr_pool *p, struct xtr_decoded *d, size_t bytes)
{
	for (size_t i = p->n_spares; i--;) {
		if (p->spares[i].cap < bytes)
			continue;
		d->recs = p->spares[i].recs;
		d->cap = p->spares[i].cap;
		p->spare_bytes -= d->cap;
		p->spares[i] = p->spares[--p->n_spares];
		return;
	}
	d->recs = malloc(bytes);
	d->cap = d->recs ? bytes : 0;
}

static struct slot *take(struct xtr_pool *p)
{
	struct slot *s = &p->slots[p->taken % p->n_slots];

	*s = (struct slot){ .bytes = p->chunks[p->taken]->rec_len };
	p->held += s->bytes;
	p->ahead += s->bytes;
	get_buffer(p, &s->d, s->bytes + 1);
	p->taken++;
	return s;
}

/* Take a chunk and decode it. Called with the lock held, which is free meanwhile. */
static void decode_one(struct xtr_pool *p, struct xtr_decode_sorted *d)
{
	const struct xtr_chunk *c = p->chunks[p->taken];
	struct slot *s = take(p);

	pthread_mutex_unlock(&p->lock);
	xtr_decode_in_order(p->r, c, d, &s->d);
	pthread_mutex_lock(&p->lock);
	s->ready = true;
	pthread_cond_signal(&p->done);
}

static void *decode_ahead(void *arg)
{
	struct xtr_decode_sorted d = { 0 };
	struct xtr_pool *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && p->taken < p->n) {
		if (may_take(p))
			decode_one(p, &d);
		else
			pthread_cond_wait(&p->work, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	xtr_decode_sorted_free(&d);
	return NULL;
}

int xtr_pool_open(struct xtr_pool **out, const struct xtr_reader *r,
		  const struct xtr_chunk *const *chunks, size_t n, unsigned int threads,
		  size_t memory)
{
	struct xtr_pool *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	p->r = r;
	p->chunks = chunks;
	p->n = n;
	p->memory = memory;
	p->n_slots = (threads + 1) * AHEAD_CHUNKS;
	p->ahead_max = (threads + 1) * AHEAD_BYTES;
	p->slots = calloc(p->n_slots, sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return -ENOMEM;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	/* With fewer threads than asked for it only takes longer. */
	while (p->n_threads < threads &&
	       !pthread_create(&p->threads[p->n_threads], NULL, decode_ahead, p))
		p->n_threads++;
	*out = p;
	return 0;
}

struct xtr_decoded *xtr_pool_next(struct xtr_pool *p)
{
	struct slot *out = malloc(sizeof(*out)), *s;

	if (!out || p->opened >= p->n) {
		free(out);
		return NULL;
	}
	pthread_mutex_lock(&p->lock);
	s = &p->slots[p->opened % p->n_slots];
	if (p->taken == p->opened)
		decode_one(p, &p->own);
	while (!s->ready)
		pthread_cond_wait(&p->done, &p->lock);
	*out = *s;
	*s = (struct slot){ 0 };
	p->opened++;
	p->ahead -= out->bytes;
	/* Not for each chunk: the thread that was woken up would soon wait again. */
	if (p->ahead <= p->ahead_max / 2)
		pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	return &out->d;
}

bool xtr_pool_help(struct xtr_pool *p)
{
	bool can;

	pthread_mutex_lock(&p->lock);
	can = may_take(p);
	if (can)
		decode_one(p, &p->guest);
	pthread_mutex_unlock(&p->lock);
	return can;
}

void xtr_pool_put(struct xtr_pool *p, struct xtr_decoded *d)
{
	struct slot *s = (struct slot *)d;

	pthread_mutex_lock(&p->lock);
	p->held -= s->bytes;
	if (p->n_spares < THREADS_MAX && d->recs &&
	    p->held + p->spare_bytes + d->cap <= p->memory) {
		p->spares[p->n_spares++] = (struct spare){ d->recs, d->cap };
		p->spare_bytes += d->cap;
		d->recs = NULL;
	}
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	free(d->recs);
	free(s);
}

void xtr_pool_close(struct xtr_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	for (size_t i = 0; i < p->n_slots; i++)
		free(p->slots[i].d.recs);
	for (size_t i = 0; i < p->n_spares; i++)
		free(p->spares[i].recs);
	xtr_decode_sorted_free(&p->own);
	xtr_decode_sorted_free(&p->guest);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	free(p->slots);
	free(p);
}

/* --- merge tree ------------------------------------------------------------------------------- */

#define LEAVES_FIRST 8u

/* Of two leaves with the same time: true if a comes before b. */
static bool tie(const struct xtr_tree *t, uint32_t a, uint32_t b)
{
	const struct xtr_tree_order *x = &t->order[a], *y = &t->order[b];

	if (x->used != y->used)
		return x->used;
	if (x->stream != y->stream)
		return x->stream < y->stream;
	return x->seq < y->seq;
}

uint64_t xtr_tree_set_tied(struct xtr_tree *t, uint32_t leaf, uint64_t ts)
{
	struct xtr_tree_node *nodes = t->nodes, first = { ts, leaf };
	uint64_t others = UINT64_MAX;

	for (size_t n = (size_t)t->cap + leaf; n > 1;) {
		const struct xtr_tree_node *s = &nodes[n ^ 1];

		n /= 2;
		others = s->ts < others ? s->ts : others;
		if (s->ts < first.ts || (s->ts == first.ts && tie(t, s->leaf, first.leaf)))
			first = *s;
		nodes[n] = first;
	}
	return others;
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
		bool first = a->ts != b->ts ? a->ts < b->ts : tie(t, a->leaf, b->leaf);

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
