/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside calls: what is open, by owner. call.c has calls of rules, call_marker.c those of markers.
 */
#ifndef XTR_CALL_IMPL_H
#define XTR_CALL_IMPL_H

#include "base/map.h"
#include "call.h"
#include "marker.h"
#include "replay/model/loss_gaps.h"

/* --- call rule -------------------------------------------------------------------------------- */

/* Inside calls: which events begin and end one, and where in their records its name is. */
#define CALL_NAME_MAX 64u /* bytes, with the NUL */

/* What a call hangs on: calls of one owner nest, or follow each other. */
enum call_owner {
	OWNER_THREAD,
	OWNER_CPU,     /* handlers interrupt each other */
	OWNER_CPU_TASK /* the one thread that has the CPU */
};

enum call_side {
	SIDE_BEGIN,
	SIDE_END,
	SIDE_SWITCH /* ends one call and begins the next */
};

struct call_rule {
	const char *event;
	enum call_side side;
	enum call_owner owner;
	enum xtr_call_kind kind;
	const char *fixed, *name_field;
	bool named;
	bool alone; /* an owner has one of the kind at a time: the next begin ends what is open */
	bool pair;  /* named SCOPE:NAME and SCOPE:NAME:ret; without the second there is no call */
};

/* A rule bound to an event of this section. */
struct call_binding {
	const struct call_rule *rule;
	const struct xtr_event_desc *desc;
	enum call_side side;
	const char *name; /* of the call if the event or the rule gives it, else NULL */
	const char *key;  /* of a named call: begin and end have the same text */
	char *owned;      /* name, module and key of a pair, allocated */
	const char *module;
	const struct xtr_field *name_field, *ret, *next_tid, *prev_tid, *ctx, *seqno, *context,
		*stack;
};

/* Bind an event to its rule. 1; 0: it neither begins nor ends a call; -ENOMEM. */
int call_bind(struct call_binding *b, const struct xtr_meta *meta, const struct xtr_event_desc *d);
void call_unbind(struct call_binding *b);
/* The text of a name field: a string as it is, a number in digits or by its name. f NULL: none. */
void call_field_name(char name[CALL_NAME_MAX], const struct xtr_tables *t,
		     const struct xtr_field *f, const struct xtr_event *ev);

/* --- call impl -------------------------------------------------------------------------------- */

#define NONE         XTR_MAP_NONE
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
	struct xtr_map by_type;         /* event type to binding */
	struct xtr_map top;             /* owner to its innermost call */
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
