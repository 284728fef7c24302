// SPDX-License-Identifier: BSD-2-Clause
#include "queue.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int xtr_queue_init(struct xtr_queue *q, uint32_t max)
{
	pthread_condattr_t attr;

	*q = (struct xtr_queue){ .max = max };
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

static void free_list(struct xtr_buf *b)
{
	while (b) {
		struct xtr_buf *next = b->next;

		free(b);
		b = next;
	}
}

void xtr_queue_destroy(struct xtr_queue *q)
{
	if (!q->tail)
		return;
	free_list(q->head);
	free_list(q->pool);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
	q->tail = NULL;
}

struct xtr_buf *xtr_queue_take(struct xtr_queue *q)
{
	struct xtr_buf *b;

	pthread_mutex_lock(&q->lock);
	b = q->pool;
	if (b)
		q->pool = b->next;
	else if (q->allocated < q->max && (b = malloc(sizeof(*b))))
		q->allocated++;
	pthread_mutex_unlock(&q->lock);
	if (b) {
		b->next = NULL;
		b->n = b->len = 0;
		b->raw = false;
		b->since = 0;
	}
	return b;
}

void xtr_queue_give_back(struct xtr_queue *q, struct xtr_buf *b)
{
	pthread_mutex_lock(&q->lock);
	b->next = q->pool;
	q->pool = b;
	pthread_mutex_unlock(&q->lock);
}

void xtr_queue_push(struct xtr_queue *q, struct xtr_buf *b)
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

struct xtr_buf *xtr_queue_pop(struct xtr_queue *q, uint64_t timeout_ns, bool *closed)
{
	struct timespec until = deadline(timeout_ns);
	struct xtr_buf *b;

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
