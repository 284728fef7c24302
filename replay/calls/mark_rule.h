/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that are more than something that happened: one table, by event and field names. */
#ifndef XTR_MARK_RULE_H
#define XTR_MARK_RULE_H

#include "base/map.h"
#include "mark.h"

#include <stdbool.h>

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

/* --- mark level ------------------------------------------------------------------------------- */

/*
 * Counters that no event has the value of: sums, and what is held by objects between their begin
 * and end. Memory is bounded; what there is no more room for is not counted.
 */
#define LEVELS_MAX  4096u   /* counters */
#define OBJECTS_MAX 262144u /* open at one time, of all counters */

struct level {
	uint64_t value;
	uint64_t seq, time_ns; /* of the sequence number seen last */
	bool known;            /* they are */
};

struct levels { /* all zero: empty */
	struct level *level;
	uint32_t n, cap;
	struct xtr_map by_track;
	struct xtr_map objects; /* (its name with its counter, its name) to an index of held */
	uint64_t *held;         /* amounts; of a free one the next free one + 1 */
	uint32_t n_held, cap_held, free_held;
};

/* An object of a counter. Not named: it is one of many. */
struct level_object {
	bool named;
	uint64_t a, b;
};

void levels_free(struct levels *l);
/* The counter of this name. 0, -ENOSPC (no more room) or -ENOMEM. */
int levels_find(struct levels *l, const char *track, uint32_t *i);
/* 0, -ENOSPC (it is not counted) or -ENOMEM. One that is open already is replaced. */
int levels_open(struct levels *l, uint32_t i, struct level_object o, uint64_t amount);
/* False: it is not known. */
bool levels_close(struct levels *l, uint32_t i, struct level_object o);

#endif /* XTR_MARK_RULE_H */
