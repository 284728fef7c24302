/* SPDX-License-Identifier: BSD-2-Clause */
/* --pace: a trace is played at the speed at which it was recorded, or a multiple of it. */
#ifndef XTR_CLI_PACE_H
#define XTR_CLI_PACE_H

#include "cli/ui/cli.h"

#include <time.h>

/* A field `double pace`; 0: not given. */
#define PACE_OPTION(type, member)                                        \
	{                                                                \
		0, "pace", "FACTOR", CLI_FACTOR, offsetof(type, member), \
			"play at its own speed: 1x; slower: 0.1x"        \
	}

struct pace {
	double factor;
	uint64_t first;        /* ns: event time at which the pace began; 0: it has not */
	struct timespec began; /* ... and when that was */
};

/*
 * When it is the turn of what happened at ts (ns, at least 1), on CLOCK_MONOTONIC; *at is not set,
 * and false returned, for the first one, whose turn is now.
 */
bool pace_turn(struct pace *p, uint64_t ts, struct timespec *at);
/* Sleep until then. */
void pace_sleep(const struct timespec *at);

#endif /* XTR_CLI_PACE_H */
