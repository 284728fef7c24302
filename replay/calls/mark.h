/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks: what one event says of its moment: a counter's new value, a vblank, something on a device,
 * or just that it happened. Which event says what is one table in mark_rule.c, by event and field
 * names. Counters that no event has the value of (what is held, in flight, or was moved) are kept
 * from the trace's begin on: what was there before it is not in them, and after lost events they
 * may be off.
 */
#ifndef XTR_MARK_H
#define XTR_MARK_H

#include "format/read/merge.h"

enum xtr_mark_kind {
	XTR_MARK_COUNTER, /* value of a counter on its track */
	XTR_MARK_VBLANK,  /* a display event on a CRTC's or pipe's track */
	XTR_MARK_DEVICE,  /* an error or reset, on the track of its device */
	XTR_MARK_EVENT,   /* any other event of no built-in type, on its thread's track */
	XTR_MARK_MARKER, /* a moment of a program's own (marker.h), on its thread's track or `track`
			  */
};

struct xtr_mark {
	enum xtr_mark_kind kind;
	/*
	 * "gpu_mem_total gpu 0 pid 123", "CRTC 0", "0000:01:00.0"; NULL for XTR_MARK_EVENT. Of a
	 * marker the name of a counter or track of the process, and NULL for one on its thread.
	 */
	const char *track;
	const char *name; /* of the event without its system: "drm_vblank_event"; or "Xid 79" */
	const char *unit; /* of a counter: "bytes", "kHz", ...; NULL if it has none */
	uint64_t ts;      /* ns: of the event */
	uint64_t value;   /* of a counter, in unit; is_signed: of int64_t */
	uint64_t time_ns; /* of a vblank: when it happened by the event's own field; 0: not known */
	uint64_t seq;     /* of a vblank: the frame counter */
	uint32_t tid, pid; /* pid 0: not known */
	uint32_t nth;      /* which process of that number (process.h) */
	uint32_t comm;     /* string id, 0: not known */
	uint32_t stream;   /* CPU */
	bool is_signed;
	bool of_process;            /* a counter or track of process pid, not of the machine */
	const struct xtr_event *ev; /* for all its fields */
};

#define XTR_MARKS_MAX 3u /* of one event */

struct xtr_marks;

/* meta and tables (may be NULL) are borrowed. 0 or -ENOMEM. */
int xtr_marks_new(struct xtr_marks **m, const struct xtr_meta *meta,
		  const struct xtr_tables *tables);
void xtr_marks_free(struct xtr_marks *m);
/*
 * What the event says: the number of marks, valid until the next call; 0: nothing (built-in events,
 * gaps); -ENOMEM. A counter comes before what else the event is. Ask xtr_calls_event first: an
 * event that begins or ends a call is no mark. Events before a window have to be given too, for
 * the counters.
 */
int xtr_marks_event(struct xtr_marks *m, const struct xtr_event *ev,
		    struct xtr_mark mark[XTR_MARKS_MAX]);

#endif /* XTR_MARK_H */
