/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls without the C library: a program that runs under injection inherits a filter that
 * sends those of calls.c to a handler that it does not have.
 */
#ifndef INJECT_BARE_H
#define INJECT_BARE_H

#include <sys/syscall.h>

#if defined(__x86_64__)
static long call(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}
#else
static long call(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#endif

__attribute__((noreturn)) static void leave(int status)
{
	for (;;)
		call(SYS_exit_group, status, 0, 0, 0);
}

#endif /* INJECT_BARE_H */
