/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of the kernel's trace ring as trace_pipe_raw gives it, of this machine's own byte order
 * and word size: the time stamp of its first event, how far it is filled, then events
 * (format/meta/tpring.h).
 */
#ifndef XTR_RECORDER_RING_PAGE_H
#define XTR_RECORDER_RING_PAGE_H

#include "format/meta/tpring.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define XTR_RING_PAGE_HEAD (8u + sizeof(long)) /* time stamp and local_t commit */

struct xtr_ring_page {
	const uint8_t *at, *end; /* of events that were not taken */
	uint64_t ts;             /* of the event before */
};

struct xtr_ring_event {
	uint64_t ts;
	const uint8_t *data; /* aligned to 4 */
	uint32_t n;          /* bytes */
};

/* Begin with a page of n bytes. False: it is none. */
static inline bool xtr_ring_page_begin(struct xtr_ring_page *pg, const uint8_t *page, uint32_t n)
{
	unsigned long commit;
	uint32_t filled;

	if (n < XTR_RING_PAGE_HEAD)
		return false;
	memcpy(&pg->ts, page, sizeof(pg->ts));
	memcpy(&commit, page + 8, sizeof(commit));
	filled = commit & XTR_TPRING_COMMIT_MASK;
	pg->at = page + XTR_RING_PAGE_HEAD;
	pg->end = pg->at + filled;
	return filled <= n - XTR_RING_PAGE_HEAD;
}

/* An event without data: what it does to the time. 0: go on, or -1: the page is broken. */
int xtr_ring_page_special(struct xtr_ring_page *pg, uint32_t type, uint32_t delta,
			  struct xtr_ring_event *ev);

/* The next event: 1; 0: there is none; -1: the rest of the page is broken. */
static inline int xtr_ring_page_next(struct xtr_ring_page *pg, struct xtr_ring_event *ev)
{
	while (pg->end - pg->at >= 4) {
		uint32_t head, type;
		int got;

		memcpy(&head, pg->at, sizeof(head));
		type = head & 31;
		pg->at += 4;
		if (__builtin_expect(type - 1 < XTR_TPRING_DATA_MAX, 1)) {
			ev->n = type * 4;
			if (ev->n > (uint32_t)(pg->end - pg->at))
				return -1;
			pg->ts += head >> 5;
			ev->ts = pg->ts;
			ev->data = pg->at;
			pg->at += ev->n;
			return 1;
		}
		got = xtr_ring_page_special(pg, type, head >> 5, ev);
		if (got)
			return got;
	}
	return pg->at == pg->end ? 0 : -1;
}

#endif /* XTR_RECORDER_RING_PAGE_H */
