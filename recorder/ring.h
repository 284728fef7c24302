/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consumer of a BPF ring buffer over its mapping (kernel/bpf/ringbuf.c), instead of libbpf's:
 * libbpf 1.1 reads until the ring is empty, so that one busy ring starves the others, and publishes
 * its position after every record.
 */
#ifndef XTR_RECORDER_RING_H
#define XTR_RECORDER_RING_H

#include <stddef.h>
#include <stdint.h>

struct xtr_ringbuf {
	int fd;             /* borrowed */
	size_t size;        /* bytes of data */
	uint64_t pos;       /* read up to here; published by xtr_ringbuf_release */
	uint64_t *consumer; /* mapped */
	const uint64_t *producer;
	const uint8_t *data;
};

/* Map the ring behind fd, which has `size` bytes (a power of two). 0 or -errno. */
int xtr_ringbuf_map(struct xtr_ringbuf *r, int fd, size_t size);
void xtr_ringbuf_unmap(struct xtr_ringbuf *r);

/* Position behind the last record reserved by now. */
uint64_t xtr_ringbuf_producer(const struct xtr_ringbuf *r);
/*
 * The next record before position `limit`: 1 and *rec, *len, valid until release; 0: there is none;
 * -EAGAIN: the next one is still being written; -EBADMSG: what stands there is no record (the rest
 * up to limit is passed over).
 */
int xtr_ringbuf_next(struct xtr_ringbuf *r, uint64_t limit, const uint8_t **rec, uint32_t *len);
/* Records that are there and were not read, unfinished ones too. */
uint64_t xtr_ringbuf_left(const struct xtr_ringbuf *r);
/* Give what was read back to the kernel. */
void xtr_ringbuf_release(struct xtr_ringbuf *r);

#endif /* XTR_RECORDER_RING_H */
