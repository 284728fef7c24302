/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside calls: which events begin and end one, and where in their records its name is. */
#ifndef XTR_CALL_RULE_H
#define XTR_CALL_RULE_H

#include "call.h"

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

#endif /* XTR_CALL_RULE_H */
