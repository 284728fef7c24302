/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring_page.h"

/* The bytes of an event whose length `whole` counts its own 4 bytes, too. */
static bool take(struct xtr_ring_page *pg, uint32_t whole, struct xtr_ring_event *ev)
{
	uint32_t room = (uint32_t)(pg->end - pg->at), n = whole - 4;

	if (whole < 4 || n > room)
		return false;
	ev->data = pg->at;
	ev->n = n;
	n = (n + 3) & ~3u;
	pg->at += n < room ? n : room;
	return true;
}

int xtr_ring_page_special(struct xtr_ring_page *pg, uint32_t type, uint32_t delta,
			  struct xtr_ring_event *ev)
{
	uint32_t word;

	if (type == XTR_TPRING_PADDING && !delta) { /* the rest of the page */
		pg->at = pg->end;
		return 0;
	}
	if (pg->end - pg->at < 4)
		return -1;
	memcpy(&word, pg->at, sizeof(word));
	pg->at += 4;
	switch (type) {
	case XTR_TPRING_LONG:
		pg->ts += delta;
		ev->ts = pg->ts;
		return take(pg, word, ev) ? 1 : -1;
	case XTR_TPRING_PADDING: /* an event that was taken back; the next one counts from it */
		pg->ts += delta;
		return take(pg, word, ev) ? 0 : -1;
	case XTR_TPRING_TIME_EXTEND:
		pg->ts += delta + ((uint64_t)word << XTR_TPRING_DELTA_BITS);
		return 0;
	default:
		pg->ts = xtr_tpring_stamp(pg->ts, delta | (uint64_t)word << XTR_TPRING_DELTA_BITS);
		return 0;
	}
}
