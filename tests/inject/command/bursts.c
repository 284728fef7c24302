/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command that is recorded: 3 bursts of 2000 system calls that nothing else makes
 * (sched_get_priority_min), some time apart. It makes no
 * other call, as what it inherits sends those to a handler that a new program does not have
 * (calls.c): so it goes without the C library.
 */
#include <sys/syscall.h>
#include <time.h>

enum {
	BURSTS = 3,
	CALLS = 2000,
	APART_MS = 30,
};

#if defined(__x86_64__)
/* The kernel enters with another alignment of the stack than a caller. */
#define ENTRY __attribute__((noreturn, force_align_arg_pointer))

static long call(long nr, long a, long b)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return ret;
}
#else
#define ENTRY __attribute__((noreturn))

static long call(long nr, long a, long b)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
}
#endif

ENTRY void _start(void);

void _start(void)
{
	const struct timespec apart = { .tv_nsec = APART_MS * 1000000L };

	for (int i = 0; i < BURSTS; i++) {
		for (int k = 0; k < CALLS; k++)
			call(SYS_sched_get_priority_min, 0, 0);
		call(SYS_nanosleep, (long)&apart, 0);
	}
	for (;;)
		call(SYS_exit_group, 0, 0);
}
