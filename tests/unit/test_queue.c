/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue between drain and writer: bounded, in order, with a thread at each end. */
#include "recorder/host/bpfdefs.h"
#include "recorder/drain/persistent.h"
#include "recorder/drain/queue.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#define BUFFERS 4u
#define BATCHES 20000u

static struct xtr_persistent keep;

static void queue_make(struct xtr_queue *q)
{
	const struct xtr_persistent_size size = { .n_cpus = 1, .n_slots = 1, .n_bufs = BUFFERS };

	cr_assert(zero(int, xtr_persistent_new(&keep, &size, false)));
	cr_assert(zero(int, xtr_queue_init(q, &keep)));
}

static void queue_free(struct xtr_queue *q)
{
	xtr_queue_destroy(q);
	xtr_queue_destroy(q); /* nothing is left to do */
	xtr_persistent_close(&keep);
}

static void *fill(void *arg)
{
	struct xtr_queue *q = arg;

	for (uint32_t i = 0; i < BATCHES; i++) {
		struct xtr_ring_batch *b;

		while (!(b = xtr_queue_take(q, XTR_BATCH_EVENTS, i)))
			sched_yield();
		b->len = 4;
		b->n = 1;
		memcpy(b->data, &i, 4);
		xtr_ring_batch_commit(b, i);
		b->raw = xtr_queue_permille(q) > 500;
		xtr_queue_push(q, b);
	}
	xtr_queue_close(q);
	return NULL;
}

Test(queue, batches_of_another_thread_come_in_order_and_whole)
{
	uint32_t wrong = 0, n = 0, value;
	bool closed = false;
	struct xtr_queue q;
	struct xtr_ring_batch *b;
	pthread_t thread;

	queue_make(&q);
	cr_assert(zero(int, pthread_create(&thread, NULL, fill, &q)));
	while (!closed) {
		b = xtr_queue_pop(&q, 1000000, &closed);
		if (!b)
			continue;
		memcpy(&value, b->data, 4);
		wrong += b->cpu != n || value != n || b->len != 4;
		n++;
		xtr_queue_give_back(&q, b);
	}
	pthread_join(thread, NULL);
	cr_expect(eq(u32, n, BATCHES));
	cr_expect(eq(u32, wrong, 0));
	cr_expect(le(u32, q.used, BUFFERS));
	queue_free(&q);
}

Test(queue, there_are_no_more_buffers_than_said)
{
	struct xtr_ring_batch *b[BUFFERS];
	struct xtr_queue q;
	bool closed;

	queue_make(&q);
	for (uint32_t i = 0; i < BUFFERS; i++)
		cr_assert(ne(ptr, b[i] = xtr_queue_take(&q, XTR_BATCH_EVENTS, 0), NULL));
	cr_expect(zero(ptr, xtr_queue_take(&q, XTR_BATCH_EVENTS, 0)));
	for (uint32_t i = 0; i < BUFFERS; i++)
		xtr_queue_push(&q, b[i]);
	cr_expect(eq(u32, xtr_queue_permille(&q), 1000));
	b[0] = xtr_queue_pop(&q, 0, &closed);
	cr_expect(eq(u32, xtr_queue_permille(&q), 750));
	xtr_queue_give_back(&q, b[0]);
	cr_expect(eq(ptr, xtr_queue_take(&q, XTR_BATCH_DEFS, 0), b[0]));
	xtr_queue_give_back(&q, b[0]);
	queue_free(&q); /* with what is still in it */
}

Test(queue, an_empty_queue_is_waited_for_and_may_be_closed)
{
	struct xtr_queue q;
	bool closed = true;

	queue_make(&q);
	cr_expect(zero(ptr, xtr_queue_pop(&q, 1000, &closed)));
	cr_expect(not(closed));
	xtr_queue_close(&q);
	cr_expect(zero(ptr, xtr_queue_pop(&q, 1000, &closed)));
	cr_expect(closed);
	queue_free(&q);
}

Test(queue, a_batch_takes_records_and_nothing_else)
{
	static _Alignas(8) uint8_t rec[XTR_BATCH_BYTES + 8];
	const uint32_t head = sizeof(struct xtr_rec);
	struct xtr_rec h = { .size = (uint16_t)head };
	struct xtr_queue q;
	struct xtr_ring_batch *b;

	queue_make(&q);
	b = xtr_queue_take(&q, XTR_BATCH_EVENTS, 0);
	memcpy(rec, &h, head);
	cr_assert(xtr_ring_batch_put(b, rec, head));
	cr_assert(eq(u32, b->n, 1));
	cr_assert(eq(u32, b->len, head));
	cr_assert(zero(int, memcmp(b->data, rec, head)));

	cr_assert(not(xtr_ring_batch_put(b, rec, head - 1)), "shorter than a record's head");
	cr_assert(not(xtr_ring_batch_put(b, rec, head + 8)), "not as long as it says");
	h.size = (uint16_t)(head + 4);
	memcpy(rec, &h, head);
	cr_assert(not(xtr_ring_batch_put(b, rec, head + 4)), "not a multiple of 8");
	cr_assert(not(xtr_ring_batch_put(b, rec, sizeof(rec))), "longer than a batch");
	cr_assert(eq(u32, b->n, 1));
	cr_assert(eq(u32, b->len, head));
	queue_free(&q);
}

Test(queue, a_batch_knows_its_room)
{
	struct xtr_queue q;
	struct xtr_ring_batch *b;

	queue_make(&q);
	b = xtr_queue_take(&q, XTR_BATCH_EVENTS, 0);
	cr_assert(xtr_ring_batch_has_room(b, XTR_BATCH_BYTES));
	cr_assert(not(xtr_ring_batch_has_room(b, XTR_BATCH_BYTES + 1)));
	cr_assert(not(xtr_ring_batch_has_room(b, UINT32_MAX)));
	b->len = XTR_BATCH_BYTES - 32;
	cr_assert(xtr_ring_batch_has_room(b, 32));
	cr_assert(not(xtr_ring_batch_has_room(b, 40)));
	b->len = 32;
	b->n = XTR_BATCH_RECORDS;
	cr_assert(not(xtr_ring_batch_has_room(b, 32)));
	queue_free(&q);
}
