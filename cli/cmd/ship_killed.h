/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces that recorders have open, or had when they were killed, in one directory. */
#ifndef XTR_CLI_SHIP_KILLED_H
#define XTR_CLI_SHIP_KILLED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A recorder of this directory. */
struct ship_recorder {
	char output[NAME_MAX + 1]; /* "run.xtr": pieces are named after it */
	uint64_t first, last;      /* numbers of the pieces that are open */
	bool alive;
};

struct ship_recorders {
	struct ship_recorder *v;
	size_t n;
	/* Some are another user's: what they have open, and where, is not known. */
	bool unknown;
};

/*
 * All that have something open in the directory that dir is open on. What dead ones have left that
 * is in their files already is removed first. 0 or -errno: none can be looked at.
 */
int ship_recorders(int dir, struct ship_recorders *all);
void ship_recorders_free(struct ship_recorders *all);

#endif /* XTR_CLI_SHIP_KILLED_H */
