/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command and writes what it took, with all its children, as one line into FILE: ns of CPU
 * time; ns on the clock; bytes of peak memory, of which those of the program that starts this are
 * no part, as they would be if it started the command itself.
 *
 *     spend FILE COMMAND [ARG]...      ends with COMMAND's status, 126 if it did not run, 127 if a
 * signal ended it
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

static int report(const char *path, const struct rusage *u, uint64_t wall)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return -1;
	fprintf(f, "%llu %llu %llu\n", (unsigned long long)(ns(&u->ru_utime) + ns(&u->ru_stime)),
		(unsigned long long)wall, (unsigned long long)u->ru_maxrss << 10);
	return fclose(f);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	uint64_t start;
	int status;
	pid_t child;

	if (argc < 3)
		return 2;
	start = now();
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(126);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child ||
	    report(argv[1], &usage, now() - start)) {
		perror("spend");
		return 126;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
