/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs from run to run, made the same: random numbers and the time of day. */
#include "inject.h"

#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t getrandom(void *buf, size_t n, unsigned int flags)
{
	(void)flags;
	memset(buf, 0x5a, n);
	return (ssize_t)n;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (clock != CLOCK_REALTIME)
		return (int)syscall(SYS_clock_gettime, clock, ts);
	*ts = (struct timespec){ .tv_sec = 1700000000 };
	return 0;
}
