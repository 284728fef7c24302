/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes events whose truth it keeps: `produce TRUTH THREADS RATE COUNT [log|soak]`. Each thread
 * stays on a CPU of its own (0, 1, ...) and makes two system calls that nothing else makes, three
 * of io_cancel to one of mq_getsetattr, RATE of both per second and thread (0: as fast as it can),
 * until it has made COUNT (0: until SIGTERM). With `soak` they are tee and inotify_rm_watch, so
 * that other tests can run beside it. All of them fail, or do nothing.
 *
 * TRUTH is a file that others can map: the threads' counts, as they go, and with `log` the time
 * before each call (CLOCK_MONOTONIC, ns). Everything in it is u64:
 *   threads, capacity of a log, finished, 0, {cpu, calls of the first kind, of the second, 0} per
 *   thread, then the logs.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define TICK_NS     1000000u /* calls of one tick are made at once */
#define SECOND      1000000000u

struct thread {
	uint64_t *counts, *log;
	uint64_t rate, count;
	int cpu;
	bool soak;
	pthread_t t;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static void call(bool soak, bool second)
{
	if (soak && second)
		syscall(SYS_inotify_rm_watch, -1, 0);
	else if (soak)
		syscall(SYS_tee, -1, -1, 0, 0);
	else if (second)
		syscall(SYS_mq_getsetattr, -1, NULL, NULL);
	else
		syscall(SYS_io_cancel, 0, NULL, NULL);
}

static void one(struct thread *t, uint64_t i)
{
	int kind = i % 4 == 3;

	if (t->log)
		t->log[i] = now_ns();
	call(t->soak, kind);
	__atomic_store_n(&t->counts[1 + kind], t->counts[1 + kind] + 1, __ATOMIC_RELEASE);
}

static void *thread(void *arg)
{
	struct thread *t = arg;
	uint64_t i = 0, due;
	struct timespec tick = { .tv_nsec = TICK_NS };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(3);
	for (uint64_t began = now_ns(); !stop && (!t->count || i < t->count);) {
		due = UINT64_MAX;
		if (t->rate)
			due = (uint64_t)((unsigned __int128)(now_ns() - began) * t->rate / SECOND);
		for (; i < due && !stop && (!t->count || i < t->count); i++)
			one(t, i);
		if (t->rate)
			nanosleep(&tick, NULL);
	}
	return NULL;
}

static uint64_t *map_truth(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
	static struct thread t[THREADS_MAX];
	uint64_t n, rate, count, *truth;
	bool log = argc == 6 && !strcmp(argv[5], "log");
	bool soak = argc == 6 && !strcmp(argv[5], "soak");

	if (argc != 5 + (log || soak))
		return 2;
	n = strtoull(argv[2], NULL, 10);
	rate = strtoull(argv[3], NULL, 10);
	count = strtoull(argv[4], NULL, 10);
	if (!n || n > THREADS_MAX || (log && !count))
		return 2;
	truth = map_truth(argv[1], (4 + 4 * n + (log ? n * count : 0)) * sizeof(*truth));
	if (!truth)
		return 1;
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	truth[0] = n;
	truth[1] = log ? count : 0;
	for (uint64_t i = 0; i < n; i++) {
		t[i] = (struct thread){ .counts = truth + 4 + 4 * i,
					.log = log ? truth + 4 + 4 * n + i * count : NULL,
					.rate = rate,
					.count = count,
					.cpu = (int)i,
					.soak = soak };
		t[i].counts[0] = i;
		if (pthread_create(&t[i].t, NULL, thread, &t[i]))
			return 1;
	}
	for (uint64_t i = 0; i < n; i++)
		pthread_join(t[i].t, NULL);
	__atomic_store_n(&truth[2], 1, __ATOMIC_RELEASE);
	return 0;
}
