/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mapping: one writable page with the consumer position, then read-only the producer position's
 * page and the data, twice in a row, so that a record is contiguous wherever it starts. A record
 * has an 8-byte header, whose first word is its length with two flag bits.
 */
#include "ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int xtr_ringbuf_map(struct xtr_ringbuf *r, int fd, size_t size)
{
	size_t page = page_size();
	void *p;

	*r = (struct xtr_ringbuf){ .fd = fd, .size = size };
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	r->consumer = p;
	p = mmap(NULL, page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (p == MAP_FAILED) {
		int err = -errno;

		xtr_ringbuf_unmap(r);
		return err;
	}
	r->producer = p;
	r->data = (const uint8_t *)p + page;
	r->pos = *r->consumer;
	return 0;
}

void xtr_ringbuf_none(struct xtr_ringbuf *r)
{
	*r = (struct xtr_ringbuf){ .fd = -1 };
}

void xtr_ringbuf_unmap(struct xtr_ringbuf *r)
{
	size_t page = page_size();

	if (r->consumer)
		munmap(r->consumer, page);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, page + 2 * r->size);
	r->consumer = NULL;
	r->producer = NULL;
}

uint64_t xtr_ringbuf_producer(const struct xtr_ringbuf *r)
{
	return r->producer ? __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) : r->pos;
}

uint64_t xtr_ringbuf_left(const struct xtr_ringbuf *r)
{
	uint64_t end = xtr_ringbuf_producer(r), pos, n = 0;
	uint32_t head;

	for (pos = r->pos; pos < end; pos += xtr_ringbuf_whole(head)) {
		head = xtr_ringbuf_head(r, pos);
		n += !(head & BPF_RINGBUF_DISCARD_BIT);
	}
	return n;
}

void xtr_ringbuf_release(struct xtr_ringbuf *r)
{
	if (r->consumer)
		__atomic_store_n(r->consumer, r->pos, __ATOMIC_RELEASE);
}
