/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks: what one event alone says at one moment: a counter's new value, a vblank, or just that it
 * happened. Which event says what is one table in mark.c, by event and field names.
 */
#ifndef XTR_MARK_H
#define XTR_MARK_H

#include "format/merge.h"

enum xtr_mark_kind {
	XTR_MARK_COUNTER, /* value of a counter on its track */
	XTR_MARK_VBLANK,  /* a display event on a CRTC's track */
	XTR_MARK_EVENT,   /* any other event of no built-in type, on its thread's track */
};

struct xtr_mark {
	enum xtr_mark_kind kind;
	const char *track; /* "gpu_mem_total gpu 0 pid 123", "CRTC 0"; NULL for XTR_MARK_EVENT */
	const char *name;  /* of the event without its system: "drm_vblank_event" */
	const char *unit;  /* of a counter: "bytes", "kHz", ...; NULL if it has none */
	uint64_t ts;       /* ns: of the event */
	uint64_t value;    /* of a counter, in unit */
	uint64_t time_ns; /* of a vblank: when it happened by the event's own field; 0: not known */
	uint64_t seq;     /* of a vblank: the frame counter */
	uint32_t tid, pid;          /* pid 0: not known */
	uint32_t comm;              /* string id, 0: not known */
	uint32_t stream;            /* CPU */
	const struct xtr_event *ev; /* for all its fields */
};

struct xtr_marks;

/* meta and tables (may be NULL) are borrowed. 0 or -ENOMEM. */
int xtr_marks_new(struct xtr_marks **m, const struct xtr_meta *meta,
		  const struct xtr_tables *tables);
void xtr_marks_free(struct xtr_marks *m);
/*
 * 1: *mark says what the event says, valid until the next call; 0: nothing (built-in events, gaps).
 * Ask xtr_calls_event first: an event that begins or ends a call is no mark.
 */
int xtr_marks_event(struct xtr_marks *m, const struct xtr_event *ev, struct xtr_mark *mark);

#endif /* XTR_MARK_H */
