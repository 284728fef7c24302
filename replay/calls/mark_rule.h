/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that are more than something that happened: one table, by event and field names. */
#ifndef XTR_MARK_RULE_H
#define XTR_MARK_RULE_H

#include "mark.h"

#define MARK_KEYS 2u /* fields that name a track, or an object */

/* How a rule's event makes the value of its counter. */
enum mark_how {
	MARK_NO_COUNTER,
	MARK_SET,    /* it has the value */
	MARK_SUM,    /* all amounts since the trace's begin */
	MARK_OPEN,   /* an object begins: its amount is held until it ends */
	MARK_CLOSE,  /* it ends */
	MARK_PERIOD, /* time from one sequence number to the next one */
};

/* A number that has a name. */
struct mark_name {
	uint64_t value;
	const char *name;
};

struct mark_rule {
	const char *event;
	enum xtr_mark_kind kind;
	enum mark_how how;
	const char *track;           /* name, with the values of the keys behind it */
	const char *keys[MARK_KEYS]; /* field names, with alternatives as in event_bind.h */
	const char
		*words[MARK_KEYS]; /* before the values; NULL: the key's name, if there are more */
	const char *
		object[MARK_KEYS]; /* fields that tell the object on its track, of OPEN and CLOSE */
	const char *value;         /* of SET; amount of SUM and OPEN, else 1 */
	const char *unit;
	const char *unit_field;            /* the field that says it; NULL: `unit` is it */
	const struct mark_name *key_names; /* of values of the first key; name NULL: the end */
	const char *label;                 /* the mark's name is this and the value */
};

extern const struct mark_rule mark_rules[];
extern const size_t mark_n_rules;

#endif /* XTR_MARK_RULE_H */
