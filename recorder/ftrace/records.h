/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of events in the kernel's trace ring, in the form in which the generic BPF program makes
 * them (bpf/xtr_ctl.h).
 */
#ifndef XTR_RECORDER_RING_RECORDS_H
#define XTR_RECORDER_RING_RECORDS_H

#include "recorder/groups/generic.h"
#include "ring_page.h"

#include <stdbool.h>
#include <stdint.h>

/* What of an event becomes a record: all that is looked at for each one, in one place. */
struct xtr_ring_shape {
	const struct xtr_generic *g;
	uint64_t head;        /* type and size, as they stand in the record */
	uint64_t rest;        /* which bytes of the word behind the last whole one are copied */
	uint32_t fixed, size; /* bytes copied; of the record without strings */
	uint32_t zero;        /* from here on it is zero where nothing is copied */
	uint32_t max;         /* bytes of the longest record */
	bool strings;
	bool plain; /* a record is its head and these bytes */
	bool as_is; /* nothing is to be converted */
};

static inline uint32_t xtr_load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* g must outlive the shape. */
void xtr_ring_shape_of(struct xtr_ring_shape *s, const struct xtr_generic *g);
/*
 * Make the record of an event in s->max bytes at out. Returns its bytes; 0: the event is shorter
 * than its format says.
 */
uint32_t xtr_ring_record(const struct xtr_ring_shape *s, const struct xtr_ring_event *ev,
			 uint32_t tid, uint8_t *out);
/*
 * The same of the events that follow ev, the last one that was taken of pg, as long as they are of
 * its shape, which is plain, its length and its thread, and happened before `until` (ns): at most
 * max records, one behind the other. Most events come like this, and what was found out about the
 * first holds for them. May stop before such an event. Returns how many.
 */
uint32_t xtr_ring_records_alike(struct xtr_ring_page *pg, const struct xtr_ring_shape *s,
				const struct xtr_ring_event *ev, uint64_t until, uint8_t *out,
				uint32_t max);

#endif /* XTR_RECORDER_RING_RECORDS_H */
