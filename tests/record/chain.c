/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One process, two programs: `chain N PROGRAM ARGUMENT...` sleeps N times for 1 ms in chain_nap and
 * prints "chain", waits until a line comes on its input, and executes the other program. With N
 * below 0 it sleeps -N times, prints nothing and does not wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Between chain_nap and libc, as in nap.c. */
static __attribute__((noinline)) int ms(void)
{
	int ret = clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 1000000 }, NULL);

	__asm__ volatile("" : : : "memory");
	return ret;
}

static __attribute__((noinline)) int chain_nap(void)
{
	int ret = ms();

	__asm__ volatile("" : : : "memory"); /* nothing here ends in a jump to another function */
	return ret;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	char c = 0;

	for (int i = 0; i < abs(n); i++) {
		if (chain_nap())
			return 1;
	}
	if (n > 0 && write(STDOUT_FILENO, "chain\n", 6) != 6)
		return 1;
	while (n > 0 && c != '\n') { /* byte by byte: the rest is the other program's */
		if (read(STDIN_FILENO, &c, 1) != 1)
			return 1;
	}
	if (n)
		execv(argv[2], argv + 2);
	return 2;
}
