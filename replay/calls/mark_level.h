/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that no event has the value of: sums, and what is held by objects between their begin
 * and end. Memory is bounded; what there is no more room for is not counted.
 */
#ifndef XTR_MARK_LEVEL_H
#define XTR_MARK_LEVEL_H

#include "base/keymap.h"

#include <stdbool.h>

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
	struct xtr_keymap by_track;
	struct xtr_keymap objects; /* (its name with its counter, its name) to an index of held */
	uint64_t *held;            /* amounts; of a free one the next free one + 1 */
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

#endif /* XTR_MARK_LEVEL_H */
