/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Markers: what programs write into the kernel's trace_marker file about themselves, and drivers
 * with events of the same form. One event is the begin or the end of a slice, a whole slice, a
 * counter's value or a moment.
 *
 * Forms (docs/markers.md): those of Android's atrace, "B|PID|NAME" and so on; "begin_ctx=N",
 * "duration=N" and the like of gpuvis; "cros_trace_print_enter: PLACE: NAME" of ChromeOS; pairs of
 * texts that differ in one word, as "Before flush" and "After flush". Any other text is a moment.
 */
#ifndef XTR_MARKER_H
#define XTR_MARKER_H

#include "replay/event/event_bind.h"

#define XTR_MARKER_NAME_MAX 256u /* bytes of a name, with the NUL; what is longer is cut */

enum xtr_marker_kind {
	XTR_MARKER_NOTHING, /* synchronization of clocks */
	XTR_MARKER_BEGIN,
	XTR_MARKER_END,
	XTR_MARKER_SLICE, /* begin and end by one event */
	XTR_MARKER_COUNTER,
	XTR_MARKER_MOMENT,
};

/* What a slice is on, and so which begin and end belong together. */
enum xtr_marker_scope {
	XTR_MARKER_THREAD,  /* slices of the writing thread nest; an end without a key ends the
			       innermost */
	XTR_MARKER_BESIDE,  /* slices of the writing thread that may overlap others; by key */
	XTR_MARKER_PROCESS, /* slices of a track of a process, which may overlap; by key */
	XTR_MARKER_GLOBAL,  /* as BESIDE, but any thread may end it */
};

/* How a text says it. */
enum xtr_marker_form {
	XTR_MARKER_TEXT, /* any text: a moment */
	XTR_MARKER_ATRACE,
	XTR_MARKER_GPUVIS,
	XTR_MARKER_CROS,
	XTR_MARKER_WORDS,
	XTR_MARKER_FIELDS, /* fields of an event, no text */
};

struct xtr_marker {
	enum xtr_marker_form form;
	enum xtr_marker_kind kind;
	enum xtr_marker_scope scope;
	char name[XTR_MARKER_NAME_MAX];  /* without what says how it is meant; "" on most ends */
	char whole[XTR_MARKER_NAME_MAX]; /* of a loose one: all of the text */
	char track[XTR_MARKER_NAME_MAX]; /* "": the one of its scope, or the counter's name */
	/*
	 * What begin and end have in common, on the same track; with `number`, which is a cookie
	 * or a context. "" of THREAD: an end ends the innermost.
	 */
	char key[XTR_MARKER_NAME_MAX];
	uint64_t number;
	uint32_t pid;      /* that the text names, as the writer saw it; 0: none */
	uint32_t tid;      /* of another thread, which the writer speaks for; 0: itself */
	int64_t value;     /* of a counter */
	uint64_t at_ns;    /* the moment by the text, on the event clock; 0: the event's */
	int64_t offset_ns; /* from that to the begin of a slice, or to the moment */
	uint64_t length_ns;
	bool by_driver; /* the event is a driver's own: it may speak for another process */
	bool loose;     /* a pair by words: a begin or end alone is only a moment */
};

/* An event of markers and its fields. */
struct xtr_marker_event {
	const struct xtr_event_desc *desc;
	struct xtr_bind at;
	bool text; /* one field has all */
};

/* Take a text of n bytes apart; it may hold anything. */
void xtr_marker_parse(struct xtr_marker *m, const char *s, size_t n);

/* Is this an event of markers? */
bool xtr_marker_bind(struct xtr_marker_event *e, const struct xtr_event_desc *d);
/* What it says; t may be NULL. False: it has no text. */
bool xtr_marker_read(struct xtr_marker *m, const struct xtr_marker_event *e,
		     const struct xtr_event *ev, const struct xtr_tables *t);

/* When its slice begins or ends, or its moment is, of an event at ts; 0: before all times. */
uint64_t xtr_marker_time(const struct xtr_marker *m, uint64_t ts);
/*
 * *pid and *nth: the writer's process (0: not known) to the one that the marker is of. A text names
 * the writer's own, by its number in the writer's namespace, so it holds only where nothing better
 * is known; a driver names others, by the numbers of the kernel.
 */
void xtr_marker_process(const struct xtr_marker *m, const struct xtr_tables *t, uint64_t ts,
			uint32_t *pid, uint32_t *nth);

#endif /* XTR_MARKER_H */
