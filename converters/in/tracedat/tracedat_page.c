/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of the kernel's ring buffer (kernel/trace/ring_buffer.c): its first event's time stamp,
 * how far it is filled (with two bits that tell of events missing before it), then events of a
 * 4-byte header each (format/meta/tpring.h).
 */
#include "tracedat_priv.h"

#include "base/checked.h"
#include "format/meta/tpring.h"

enum { /* before 2.6.31: 2 bits of type, 3 of length */
	OLD_PADDING = 0,
	OLD_TIME_EXTEND = 1,
	OLD_TIME_STAMP = 2,
	OLD_DATA = 3,
};

#define DELTA_BITS    XTR_TPRING_DELTA_BITS
#define DELTA_MASK    ((1u << DELTA_BITS) - 1)
#define MISSED_EVENTS (1u << 31) /* of the commit field */
#define MISSED_STORED (1u << 30) /* their number stands behind the last event */

static uint64_t load(const struct dat_layout *l, const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < size; i++)
		v |= (uint64_t)p[l->big ? size - 1 - i : i] << (8 * i);
	return v;
}

bool dat_page_begin(struct dat_page *pg, const struct dat_layout *l, const uint8_t *p, uint32_t n)
{
	uint32_t commit;

	*pg = (struct dat_page){ .p = p, .n = n };
	if (n < l->data_at)
		return false;
	/* The flags are in the low 32 bits of a 64-bit long, whatever the byte order. */
	commit = (uint32_t)load(l, p + l->commit_at, l->commit_size);
	pg->ts = load(l, p, 8);
	pg->at = l->data_at;
	pg->end = l->data_at;
	pg->lost = (commit & MISSED_EVENTS) != 0;
	if ((commit & XTR_TPRING_COMMIT_MASK) > n - l->data_at)
		return false;
	pg->end += commit & XTR_TPRING_COMMIT_MASK;
	if (pg->lost && commit & MISSED_STORED && xtr_fits(pg->end, l->commit_size, n))
		pg->missed = load(l, p + pg->end, l->commit_size);
	return true;
}

/* The four bytes behind an event's header; false: the page ends before. */
static bool next_word(struct dat_page *pg, const struct dat_layout *l, uint32_t *v)
{
	if (!xtr_fits(pg->at, 4, pg->end))
		return false;
	*v = (uint32_t)load(l, pg->p + pg->at, 4);
	pg->at += 4;
	return true;
}

static bool take_data(struct dat_page *pg, uint64_t n, struct dat_event *ev)
{
	if (!xtr_fits(pg->at, n, pg->end))
		return false;
	ev->ts = pg->ts;
	ev->rec = pg->p + pg->at;
	ev->n = (uint32_t)n;
	pg->at += (uint32_t)((n + 3) & ~3ull);
	if (pg->at > pg->end)
		pg->at = pg->end;
	return true;
}

/* 2: the event is none; 1, 0, -1 as dat_page_next. */
static int take_old(struct dat_page *pg, const struct dat_layout *l, uint32_t head,
		    struct dat_event *ev)
{
	unsigned int type = l->big ? head >> 30 : head & 3;
	unsigned int len = l->big ? head >> 27 & 7 : head >> 2 & 7;
	uint32_t delta = l->big ? head & DELTA_MASK : head >> 5, word;

	switch (type) {
	case OLD_PADDING:
		return 0;
	case OLD_TIME_EXTEND:
		if (!next_word(pg, l, &word))
			return -1;
		pg->ts += delta + ((uint64_t)word << DELTA_BITS);
		return 2;
	case OLD_TIME_STAMP:
		return next_word(pg, l, &word) ? 2 : -1;
	default:
		pg->ts += delta;
		if (len)
			return take_data(pg, 4ull * len, ev) ? 1 : -1;
		if (!next_word(pg, l, &word) || word < 4)
			return -1;
		return take_data(pg, word - 4, ev) ? 1 : -1;
	}
}

static int take_new(struct dat_page *pg, const struct dat_layout *l, uint32_t head,
		    struct dat_event *ev)
{
	unsigned int type = l->big ? head >> DELTA_BITS : head & 31;
	uint32_t delta = l->big ? head & DELTA_MASK : head >> 5, word;

	if (type == XTR_TPRING_PADDING && !delta)
		return 0; /* the rest of the page */
	if (type >= 1 && type <= XTR_TPRING_DATA_MAX) {
		pg->ts += delta;
		return take_data(pg, 4ull * type, ev) ? 1 : -1;
	}
	if (!next_word(pg, l, &word))
		return -1;
	switch (type) {
	case XTR_TPRING_LONG:
		pg->ts += delta;
		return word >= 4 && take_data(pg, word - 4, ev) ? 1 : -1;
	case XTR_TPRING_PADDING: /* an event that was taken back; the next one counts from it */
		pg->ts += delta;
		if (word < 4 || !xtr_fits(pg->at, word - 4, pg->end))
			return -1;
		pg->at += word - 4;
		return 2;
	case XTR_TPRING_TIME_EXTEND:
		pg->ts += delta + ((uint64_t)word << DELTA_BITS);
		return 2;
	default:
		pg->ts = xtr_tpring_stamp(pg->ts, delta | (uint64_t)word << DELTA_BITS);
		return 2;
	}
}

int dat_page_next(struct dat_page *pg, const struct dat_layout *l, struct dat_event *ev)
{
	int err = 2;
	uint32_t head;

	while (err == 2) {
		if (pg->at >= pg->end)
			return 0;
		if (!next_word(pg, l, &head))
			return -1;
		err = l->old_events ? take_old(pg, l, head, ev) : take_new(pg, l, head, ev);
	}
	return err;
}
