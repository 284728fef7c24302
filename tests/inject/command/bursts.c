/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command that is recorded: 3 bursts of 2000 system calls that nothing else makes
 * (sched_get_priority_min), some time apart. It makes no other call (bare.h).
 */
#include "bare.h"

#include <time.h>

enum {
	BURSTS = 3,
	CALLS = 2000,
	APART_MS = 30,
};

/* The kernel enters with another alignment of the stack than a caller. */
#if defined(__x86_64__)
#define ENTRY __attribute__((noreturn, force_align_arg_pointer))
#else
#define ENTRY __attribute__((noreturn))
#endif

ENTRY void _start(void);

void _start(void)
{
	const struct timespec apart = { .tv_nsec = APART_MS * 1000000L };

	for (int i = 0; i < BURSTS; i++) {
		for (int k = 0; k < CALLS; k++)
			call(SYS_sched_get_priority_min, 0, 0, 0, 0);
		call(SYS_nanosleep, (long)&apart, 0, 0, 0);
	}
	leave(0);
}
