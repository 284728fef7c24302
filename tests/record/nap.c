/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits in two functions: `nap N` sleeps N times for 3 ms in nap_long and N times for 1 ms in
 * nap_short, in turns, and prints how long each of them took as it saw it: a line
 * "FUNCTION N NS" for each. It ends when its input does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* libc's own functions keep no frame pointer: a walk by these may miss the one that calls them. */
static __attribute__((noinline)) int nap(const struct timespec *ts)
{
	int ret = clock_nanosleep(CLOCK_MONOTONIC, 0, ts, NULL);

	__asm__ volatile("" : : : "memory"); /* nothing here ends in a jump to another function */
	return ret;
}

static __attribute__((noinline)) int nap_long(void)
{
	int ret = nap(&(struct timespec){ 0, 3000000 });

	__asm__ volatile("" : : : "memory");
	return ret;
}

static __attribute__((noinline)) int nap_short(void)
{
	int ret = nap(&(struct timespec){ 0, 1000000 });

	__asm__ volatile("" : : : "memory");
	return ret;
}

static uint64_t timed(int (*function)(void))
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	if (function())
		exit(1);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)b.tv_nsec -
	       (uint64_t)a.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t long_ns = 0, short_ns = 0;
	int n = argc == 2 ? atoi(argv[1]) : 0;

	for (int i = 0; i < n; i++) {
		long_ns += timed(nap_long);
		short_ns += timed(nap_short);
	}
	printf("nap_long %d %llu\nnap_short %d %llu\n", n, (unsigned long long)long_ns, n,
	       (unsigned long long)short_ns);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return n < 1;
}
