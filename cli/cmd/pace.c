/* SPDX-License-Identifier: BSD-2-Clause */
#include "pace.h"

#include <errno.h>

bool pace_turn(struct pace *p, uint64_t ts, struct timespec *at)
{
	double after = (double)(ts - p->first) / p->factor;

	if (!p->first) {
		p->first = ts;
		clock_gettime(CLOCK_MONOTONIC, &p->began);
		return false;
	}
	*at = p->began;
	at->tv_sec += (time_t)(after / 1e9);
	at->tv_nsec += (long)(after - (double)(time_t)(after / 1e9) * 1e9);
	if (at->tv_nsec >= 1000000000) {
		at->tv_nsec -= 1000000000;
		at->tv_sec++;
	}
	return true;
}

void pace_sleep(const struct timespec *at)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, NULL) == EINTR)
		;
}
