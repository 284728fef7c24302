/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside calls: what is open, by owner. call.c has calls of rules, call_marker.c those of markers.
 */
#ifndef XTR_CALL_IMPL_H
#define XTR_CALL_IMPL_H

#include "call_rule.h"
#include "replay/model/loss_gaps.h"
#include "base/keymap.h"
#include "marker.h"

#define NONE         XTR_KEYMAP_NONE
#define CALL_MARKERS (1u << 24) /* in by_type: from here on an index of marker_event */

struct open_call {
	struct xtr_call call;
	char name[CALL_NAME_MAX];
	const char *key; /* of a named call: points into a binding; of a marker: text; or NULL */
	uint64_t owner;
	uint8_t rec[XTR_CALL_REC_MAX]; /* the record that began it, if it is one of a pair */
	uint32_t below;                /* the call around it, or next free */
	uint32_t next, prev;           /* all open calls, oldest first */
	/* of markers */
	char *text;             /* allocated: name, track, key and whole text; else NULL */
	const char *marker_key; /* what its end has too */
	const char *whole;      /* its name if the end is missing; NULL: the same */
};

struct xtr_calls {
	struct xtr_calls_opts o;
	struct call_binding *binding;
	size_t n_bindings;
	struct xtr_marker_event *marker_event;
	uint32_t n_marker_events;
	struct xtr_marker marker;       /* of the present event */
	struct xtr_keymap by_type;      /* event type to binding */
	struct xtr_keymap top;          /* owner to its innermost call */
	struct xtr_gaps gaps, left_out; /* left_out: those of the gaps without losses */
	struct open_call *open;
	uint32_t n, cap, n_open, free, head, tail;
	uint64_t now;
};

/* The innermost call of an owner; NONE. */
uint32_t call_top(const struct xtr_calls *c, uint64_t owner);
/* A slot to fill, or -ENOMEM; then call_link makes it the innermost of its owner. */
int64_t call_alloc(struct xtr_calls *c);
int call_link(struct xtr_calls *c, uint32_t i);
void call_set_task(const struct xtr_calls *c, struct xtr_call *call, uint32_t tid, uint64_t ts);
/* Give a call to whoever wants it; below: the call around it, or NONE. */
int call_hand_out(struct xtr_calls *c, struct xtr_call *call, uint32_t below);
/* Take call i off its owner's stack (everything inside it has been closed) and hand it out. */
int call_close(struct xtr_calls *c, uint32_t i, uint64_t end);
/* Close what this owner has open inside call `outer` (NONE: all), without an end. */
int call_close_inside(struct xtr_calls *c, uint64_t owner, uint32_t outer);
/* Close the oldest call and the others of its owner, so that memory stays bounded. */
int call_evict(struct xtr_calls *c);

/* call_marker.c */
/* 0 or -ENOMEM. */
int call_marker_bind(struct xtr_calls *c, const struct xtr_event_desc *d);
/* As xtr_calls_event. */
int call_marker(struct xtr_calls *c, const struct xtr_marker_event *e, const struct xtr_event *ev);

#endif /* XTR_CALL_IMPL_H */
