/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock.h"
#include "recorder/host/util.h"

#include <time.h>

#define TRIES 5 /* the snapshot with the closest brackets is taken: an interrupt widens them */

static const struct {
	const char *name;
	clockid_t id;
} clocks[] = {
	{ "boottime", CLOCK_BOOTTIME },
	{ "monotonic-raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "tai", CLOCK_TAI },
};

struct snapshot {
	uint64_t before, after;
	struct xtr_clock_reading r[ARRAY_LEN(clocks)];
};

static void take(struct snapshot *s)
{
	struct timespec ts[ARRAY_LEN(clocks)];

	s->before = xtr_now();
	for (size_t i = 0; i < ARRAY_LEN(clocks); i++)
		clock_gettime(clocks[i].id, &ts[i]);
	s->after = xtr_now();
	for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
		s->r[i].clock = clocks[i].name;
		s->r[i].ns = (uint64_t)ts[i].tv_sec * NS_PER_S + (uint64_t)ts[i].tv_nsec;
	}
}

int xtr_clock_write(struct xtr_writer *w)
{
	struct snapshot best, s;

	take(&best);
	for (int i = 1; i < TRIES; i++) {
		take(&s);
		if (s.after - s.before < best.after - best.before)
			best = s;
	}
	return xtr_writer_clock(w, best.before, best.after, best.r, ARRAY_LEN(best.r));
}
