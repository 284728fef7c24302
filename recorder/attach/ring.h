/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consumer of a BPF ring buffer over its mapping (kernel/bpf/ringbuf.c), instead of libbpf's:
 * libbpf 1.1 reads until the ring is empty, so that one busy ring starves the others, and publishes
 * its position after every record.
 */
#ifndef XTR_RECORDER_RING_H
#define XTR_RECORDER_RING_H

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_ringbuf {
	int fd;             /* borrowed; -1: nobody writes */
	size_t size;        /* bytes of data */
	uint64_t pos;       /* read up to here; published by xtr_ringbuf_release */
	uint64_t *consumer; /* mapped */
	const uint64_t *producer;
	const uint8_t *data;
};

/* Map the ring behind fd, which has `size` bytes (a power of two). 0 or -errno. */
int xtr_ringbuf_map(struct xtr_ringbuf *r, int fd, size_t size);
/* A ring into which nobody writes: it is empty. Ends with xtr_ringbuf_unmap, too. */
void xtr_ringbuf_none(struct xtr_ringbuf *r);
void xtr_ringbuf_unmap(struct xtr_ringbuf *r);

#define XTR_RINGBUF_LEN (~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT))

/* First word of the record at a position: its length with two flag bits. */
static inline uint32_t xtr_ringbuf_head(const struct xtr_ringbuf *r, uint64_t pos)
{
	const uint8_t *at = r->data + (pos & (r->size - 1));

	return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/* Bytes of a record in the ring, its header among them. */
static inline uint64_t xtr_ringbuf_whole(uint32_t head)
{
	return (((uint64_t)(head & XTR_RINGBUF_LEN) + 7) & ~7ull) + BPF_RINGBUF_HDR_SZ;
}

/* Position behind the last record reserved by now. */
uint64_t xtr_ringbuf_producer(const struct xtr_ringbuf *r);
/*
 * The next record before position `limit`: 1 and *rec, *len, valid until release; 0: there is none;
 * -EAGAIN: the next one is still being written; -EBADMSG: what stands there is no record (the rest
 * up to limit is passed over).
 */
static inline int xtr_ringbuf_next(struct xtr_ringbuf *r, uint64_t limit, const uint8_t **rec,
				   uint32_t *len)
{
	while (r->pos < limit) {
		const uint8_t *at = r->data + (r->pos & (r->size - 1));
		uint32_t head = xtr_ringbuf_head(r, r->pos);
		uint64_t whole;

		if (head & BPF_RINGBUF_BUSY_BIT)
			return -EAGAIN;
		whole = xtr_ringbuf_whole(head);
		if (whole > limit - r->pos) {
			r->pos = limit;
			return -EBADMSG;
		}
		r->pos += whole;
		if (head & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*rec = at + BPF_RINGBUF_HDR_SZ;
		*len = head & XTR_RINGBUF_LEN;
		return 1;
	}
	return 0;
}
/* Records that are there and were not read, unfinished ones too. */
uint64_t xtr_ringbuf_left(const struct xtr_ringbuf *r);
/* Give what was read back to the kernel. */
void xtr_ringbuf_release(struct xtr_ringbuf *r);

#endif /* XTR_RECORDER_RING_H */
