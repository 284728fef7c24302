/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a command and writes what it took, with all its children, as one line into FILE: ns of CPU
 * time; ns on the clock; bytes of peak memory, of which those of the program that starts this are
 * no part, as they would be if it started the command itself. With -s also the ns of CPU time that
 * the other processes of this session had taken when the command began: a recorder that was started
 * in a session of its own, and runs this as its command, tells what its start took.
 *
 *     spend [-s] FILE COMMAND [ARG]... ends with COMMAND's status, 126 if it did not run, 127 if a
 * signal ended it
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* CPU time of a process that is of this session and is not this one, else 0. */
static uint64_t taken_by(pid_t pid)
{
	clockid_t clock;

	if (pid <= 0 || pid == getpid() || getsid(pid) != getsid(0))
		return 0;
	return clock_getcpuclockid(pid, &clock) ? 0 : clock_ns(clock);
}

static uint64_t taken_by_others(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t sum = 0;

	if (!proc)
		return 0;
	while ((entry = readdir(proc)))
		sum += taken_by((pid_t)strtol(entry->d_name, NULL, 10));
	closedir(proc);
	return sum;
}

static int report(const char *path, const struct rusage *u, uint64_t wall, uint64_t before)
{
	uint64_t cpu = ns(&u->ru_utime) + ns(&u->ru_stime);
	FILE *f = fopen(path, "we");

	if (!f)
		return -1;
	fprintf(f, "%llu %llu %llu", (unsigned long long)cpu, (unsigned long long)wall,
		(unsigned long long)u->ru_maxrss << 10);
	if (before)
		fprintf(f, " %llu", (unsigned long long)before);
	fputc('\n', f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	bool session = argc > 1 && !strcmp(argv[1], "-s");
	uint64_t start, before = 0;
	struct rusage usage;
	int status;
	pid_t child;

	argv += session;
	if (argc - session < 3)
		return 2;
	if (session)
		before = taken_by_others();
	start = clock_ns(CLOCK_MONOTONIC);
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(126);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child ||
	    report(argv[1], &usage, clock_ns(CLOCK_MONOTONIC) - start, before)) {
		perror("spend");
		return 126;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}
