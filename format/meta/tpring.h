/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How events stand in a page of the kernel's trace ring, since Linux 2.6.31
 * (include/linux/ring_buffer.h, kernel/trace/ring_buffer.c): a header of 4 bytes has 5 bits of type
 * or length and 27 bits of time since the event before.
 */
#ifndef XTR_TPRING_H
#define XTR_TPRING_H

#include <stdint.h>

enum xtr_tpring_type {
	XTR_TPRING_LONG = 0,         /* the length follows, its own 4 bytes included */
	XTR_TPRING_DATA_MAX = 28,    /* from 1 to this: the length, in words of 4 bytes */
	XTR_TPRING_PADDING = 29,     /* without time: the rest of the page; else an event that was
					taken back, its length follows */
	XTR_TPRING_TIME_EXTEND = 30, /* more bits of time follow */
	XTR_TPRING_TIME_STAMP = 31,  /* so do those of a time of its own */
};

#define XTR_TPRING_DELTA_BITS 27
#define XTR_TPRING_COMMIT_MASK                                                     \
	((1u << 27) - 1)         /* of a page's commit field; above: missed events \
				  */
#define XTR_TPRING_STAMP_BITS 59 /* of a time stamp; the others stay as they were */

/* The time (ns, or the ring's clock) of a time stamp behind `before`: what is above its bits cannot
 * have become less, but for the carry. */
static inline uint64_t xtr_tpring_stamp(uint64_t before, uint64_t stamp)
{
	const uint64_t mask = (1ull << XTR_TPRING_STAMP_BITS) - 1;
	uint64_t ts = (before & ~mask) | stamp;

	if (ts < before && (before & mask) - stamp > mask / 2)
		ts += 1ull << XTR_TPRING_STAMP_BITS;
	return ts;
}

#endif /* XTR_TPRING_H */
