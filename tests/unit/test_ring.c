/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring consumer over a ring in plain memory, mapped twice in a row as the kernel does; and
 * SipHash. */
#include "recorder/attach/ring.h"
#include "base/siphash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

static uint64_t consumer, producer;
static uint8_t *data;

static struct xtr_ringbuf ring_new(void)
{
	int fd = memfd_create("ring", 0);

	cr_assert(zero(int, ftruncate(fd, SIZE)));
	data = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(data, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	mmap(data + SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	close(fd);
	consumer = producer = 0;
	return (struct xtr_ringbuf){
		.size = SIZE, .consumer = &consumer, .producer = &producer, .data = data
	};
}

static void put(uint32_t len, uint32_t flags, uint8_t fill)
{
	uint8_t *at = data + (producer & (SIZE - 1));
	uint32_t head = len | flags;

	memcpy(at, &head, 4);
	memset(at + 8, fill, len);
	producer += 8 + ((len + 7) & ~7u);
}

Test(ring, what_was_not_read_is_counted)
{
	struct xtr_ringbuf r = ring_new();
	const uint8_t *rec;
	uint32_t len;

	cr_expect(eq(u64, xtr_ringbuf_left(&r), 0));
	put(16, 0, 1);
	put(20, BPF_RINGBUF_BUSY_BIT, 2);
	put(100, BPF_RINGBUF_DISCARD_BIT, 3);
	put(24, 0, 4);
	cr_expect(eq(u64, xtr_ringbuf_left(&r), 3));
	cr_assert(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 1));
	cr_assert(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), -EAGAIN));
	cr_expect(eq(u64, xtr_ringbuf_left(&r), 2));
}

Test(ring, records_come_in_order_and_discarded_ones_are_passed_over)
{
	struct xtr_ringbuf r = ring_new();
	const uint8_t *rec;
	uint32_t len;

	put(16, 0, 1);
	put(100, BPF_RINGBUF_DISCARD_BIT, 2);
	put(20, 0, 3);
	cr_assert(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 1));
	cr_expect(eq(u32, len, 16));
	cr_expect(eq(int, rec[0], 1));
	cr_assert(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 1));
	cr_expect(eq(u32, len, 20));
	cr_expect(eq(int, rec[19], 3));
	cr_expect(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 0));
	cr_expect(eq(u64, consumer, 0), "nothing is given back before release");
	xtr_ringbuf_release(&r);
	cr_expect(eq(u64, consumer, producer));
}

Test(ring, stops_at_the_limit_and_at_a_busy_record)
{
	struct xtr_ringbuf r = ring_new();
	const uint8_t *rec;
	uint64_t limit;
	uint32_t len;

	put(16, 0, 1);
	limit = producer;
	put(16, BPF_RINGBUF_BUSY_BIT, 2);
	cr_assert(eq(int, xtr_ringbuf_next(&r, limit, &rec, &len), 1));
	cr_expect(eq(int, xtr_ringbuf_next(&r, limit, &rec, &len), 0));
	cr_expect(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), -EAGAIN));
	cr_expect(eq(u64, r.pos, limit));
}

Test(ring, wraps_with_records_in_one_piece)
{
	struct xtr_ringbuf r = ring_new();
	const uint8_t *rec;
	uint32_t len;

	for (int i = 0; i < 1000; i++) {
		put(1000, 0, (uint8_t)i);
		cr_assert(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 1));
		for (uint32_t k = 0; k < len; k++)
			cr_assert(eq(int, rec[k], (uint8_t)i));
		xtr_ringbuf_release(&r);
	}
	cr_expect(eq(u64, consumer, 1000 * 1008));
}

#define RECORDS 20000u

static uint32_t length_of(uint32_t i)
{
	return 8 + i % 50 * 8;
}

/* As the kernel does: the place is taken with the busy bit set, filled, and then let go. */
static void *produce(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < RECORDS; i++) {
		uint32_t len = length_of(i);
		uint64_t pos = producer;
		uint8_t *at = data + (pos & (SIZE - 1));

		while (pos + 8 + len - __atomic_load_n(&consumer, __ATOMIC_ACQUIRE) > SIZE)
			sched_yield();
		__atomic_store_n((uint32_t *)(void *)at, len | BPF_RINGBUF_BUSY_BIT,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&producer, pos + 8 + len, __ATOMIC_RELEASE);
		memset(at + 8, (uint8_t)i, len);
		__atomic_store_n((uint32_t *)(void *)at, len, __ATOMIC_RELEASE);
	}
	return NULL;
}

Test(ring, records_of_another_thread_are_read_once_and_whole)
{
	struct xtr_ringbuf r = ring_new();
	uint32_t len, n = 0, wrong = 0;
	const uint8_t *rec;
	pthread_t thread;

	cr_assert(zero(int, pthread_create(&thread, NULL, produce, NULL)));
	while (n < RECORDS) {
		int rc = xtr_ringbuf_next(&r, xtr_ringbuf_producer(&r), &rec, &len);

		if (rc != 1) {
			cr_assert(ne(int, rc, -EBADMSG));
			sched_yield();
			continue;
		}
		wrong += len != length_of(n);
		for (uint32_t k = 0; k < len; k++)
			wrong += rec[k] != (uint8_t)n;
		n++;
		xtr_ringbuf_release(&r);
	}
	pthread_join(thread, NULL);
	cr_expect(eq(u32, wrong, 0));
	cr_expect(eq(u64, xtr_ringbuf_left(&r), 0));
}

Test(ring, a_length_that_cannot_be_is_not_followed)
{
	struct xtr_ringbuf r = ring_new();
	const uint8_t *rec;
	uint32_t len;

	put(16, 0, 1);
	data[1] = 0xff;
	cr_expect(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), -EBADMSG));
	cr_expect(eq(int, xtr_ringbuf_next(&r, producer, &rec, &len), 0));
}

/* The reference vector of SipHash-2-4 for key 00..0f and message 00..07. */
Test(siphash, reference_vector)
{
	struct xtr_siphash_key key = { 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull };

	cr_expect(eq(u64, xtr_siphash(&key, 0x0706050403020100ull), 0x93f5f5799a932462ull));
}
