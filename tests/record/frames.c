/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that prepares frames: each time around it calls sched_rr_get_interval (what the tests
 * take for the submission of a job), computes for 15 ms of CPU time in prepare_frame, and sleeps
 * for 10 ms in wait_for_input. `frames 0`: until its input ends; `frames N`: N times, each sleep as
 * short as can be.
 *
 * Its last line: "SWITCHES COMPUTED SLEPT": how often it slept between its first call and its last
 * one, as the kernel counts it, and the ns in the two functions as it saw them.
 */
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define FRAME_NS 15000000
#define INPUT_NS 10000000

static volatile unsigned long done;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* libc's functions keep no frame pointer: a walk by these may miss the one that calls them. */
static __attribute__((noinline)) void spin(uint64_t until)
{
	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 20000; i++)
			done++;
	__asm__ volatile("" : : : "memory"); /* nothing here ends in a jump to another function */
}

static __attribute__((noinline)) void prepare_frame(uint64_t ns)
{
	spin(now(CLOCK_THREAD_CPUTIME_ID) + ns);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void nap(long ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, ns }, NULL);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void wait_for_input(long ns)
{
	nap(ns);
	__asm__ volatile("" : : : "memory");
}

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw;
}

static void submit(void)
{
	struct timespec t;

	sched_rr_get_interval(0, &t);
}

static bool more(int n, int i)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };

	return n ? i < n : poll(&in, 1, 0) == 0;
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0;
	uint64_t computed = 0, slept = 0, at;
	long before;

	prepare_frame(1); /* what it needs is in memory then */
	before = switches();
	submit();
	for (int i = 0; more(n, i); i++) {
		at = now(CLOCK_MONOTONIC);
		prepare_frame(n ? 1 : FRAME_NS);
		computed += now(CLOCK_MONOTONIC) - at;
		at = now(CLOCK_MONOTONIC);
		wait_for_input(n ? 1000 : INPUT_NS);
		slept += now(CLOCK_MONOTONIC) - at;
		if (!n)
			submit();
	}
	submit();
	printf("%ld %llu %llu\n", switches() - before, (unsigned long long)computed,
	       (unsigned long long)slept);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
