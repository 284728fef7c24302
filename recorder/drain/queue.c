/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue.h"
#include "persistent.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <string.h>
#include <time.h>

int xtr_queue_init(struct xtr_queue *q, const struct xtr_persistent *keep)
{
	pthread_condattr_t attr;

	*q = (struct xtr_queue){ .keep = keep, .max = keep->head->size.n_bufs };
	q->tail = &q->head;
	if (pthread_mutex_init(&q->lock, NULL))
		return -ENOMEM;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (pthread_cond_init(&q->filled, &attr)) {
		pthread_mutex_destroy(&q->lock);
		return -ENOMEM;
	}
	return 0;
}

void xtr_queue_destroy(struct xtr_queue *q)
{
	if (!q->tail)
		return;
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
	q->tail = NULL;
}

/* A free buffer, or NULL. Those used last come first, so that few pages are touched. */
static struct xtr_ring_batch *free_buf(struct xtr_queue *q)
{
	struct xtr_ring_batch *b = q->pool;

	if (b) {
		q->pool = b->next;
		return b;
	}
	if (q->used == q->max)
		return NULL;
	b = xtr_persistent_buf(q->keep, q->used);
	b->number = q->used++;
	return b;
}

void xtr_ring_batch_begin(struct xtr_ring_batch *b, enum xtr_batch_kind kind, uint32_t cpu,
			  uint64_t order)
{
	b->next = NULL;
	b->order = order;
	b->kind = kind;
	b->cpu = cpu;
	b->n = b->len = b->counted = b->commits = 0;
	b->at[0] = (struct xtr_commit){ .n = 0 };
	b->ordinal[0] = b->ordinal[1] = XTR_NOT_BEGUN;
	b->raw = false;
	b->as_is = true;
	b->since = 0;
	__atomic_store_n(&b->state, XTR_RING_BATCH_LIVE, __ATOMIC_RELEASE);
}

struct xtr_ring_batch *xtr_queue_take(struct xtr_queue *q, enum xtr_batch_kind kind, uint32_t cpu)
{
	struct xtr_ring_batch *b;
	uint64_t order;

	pthread_mutex_lock(&q->lock);
	b = free_buf(q);
	order = b ? ++q->order : 0;
	pthread_mutex_unlock(&q->lock);
	if (b)
		xtr_ring_batch_begin(b, kind, cpu, order);
	return b;
}

void xtr_ring_batch_commit_page(struct xtr_ring_batch *b, uint64_t pos, uint64_t page,
				uint32_t place)
{
	uint32_t next = b->commits + 1;

	b->at[next % 2] = (struct xtr_commit){ b->n, b->len, pos, page, place };
	__atomic_store_n(&b->commits, next, __ATOMIC_RELEASE);
}

void xtr_ring_batch_commit(struct xtr_ring_batch *b, uint64_t pos)
{
	const struct xtr_commit *last = &b->at[b->commits % 2];

	xtr_ring_batch_commit_page(b, pos, last->page, last->place);
}

void xtr_queue_give_back(struct xtr_queue *q, struct xtr_ring_batch *b)
{
	__atomic_store_n(&b->state, XTR_RING_BATCH_FREE, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&q->lock);
	b->next = q->pool;
	q->pool = b;
	pthread_mutex_unlock(&q->lock);
}

void xtr_queue_push(struct xtr_queue *q, struct xtr_ring_batch *b)
{
	b->next = NULL;
	pthread_mutex_lock(&q->lock);
	*q->tail = b;
	q->tail = &b->next;
	q->queued++;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

static struct timespec deadline(uint64_t timeout_ns)
{
	uint64_t t = xtr_now() + timeout_ns;

	return (struct timespec){ .tv_sec = (time_t)(t / NS_PER_S),
				  .tv_nsec = (long)(t % NS_PER_S) };
}

struct xtr_ring_batch *xtr_queue_pop(struct xtr_queue *q, uint64_t timeout_ns, bool *closed)
{
	struct timespec until = deadline(timeout_ns);
	struct xtr_ring_batch *b;

	pthread_mutex_lock(&q->lock);
	while (!q->head && !q->closed) {
		if (pthread_cond_timedwait(&q->filled, &q->lock, &until))
			break;
	}
	b = q->head;
	if (b) {
		q->head = b->next;
		q->queued--;
		if (!q->head)
			q->tail = &q->head;
	}
	*closed = !b && q->closed;
	pthread_mutex_unlock(&q->lock);
	return b;
}

void xtr_queue_close(struct xtr_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

uint32_t xtr_queue_permille(struct xtr_queue *q)
{
	uint32_t n;

	pthread_mutex_lock(&q->lock);
	n = q->queued * 1000 / q->max;
	pthread_mutex_unlock(&q->lock);
	return n;
}
