/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes a known number of kernel events: `emit rename N` changes its thread's name N times
 * (task:task_rename), `emit call N` makes N system calls that nothing else makes
 * (syscalls:sys_enter_sched_rr_get_interval), `emit spread N` N of them that fail, each with
 * another address, `emit wait SECONDS` only waits. With `threads T` in front, T threads do it at
 * once, N times each.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long count;

static void *rename_thread(void *arg)
{
	char name[40]; /* the kernel takes 15 characters */

	for (long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "rn-%ld-%d", i, *(int *)arg);
		prctl(PR_SET_NAME, name);
	}
	return NULL;
}

static void *call_thread(void *arg)
{
	struct timespec ts;

	(void)arg;
	for (long i = 0; i < count; i++)
		sched_rr_get_interval(0, &ts);
	return NULL;
}

static void *spread_thread(void *arg)
{
	(void)arg;
	for (long i = 0; i < count; i++)
		syscall(SYS_sched_rr_get_interval, -1, (void *)(i + 1));
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = 1, ids[64];
	pthread_t t[64];
	void *(*run)(void *);

	if (argc > 3 && strcmp(argv[1], "threads") == 0) {
		threads = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc != 3 || threads < 1 || threads > 64)
		return 2;
	count = atol(argv[2]);
	if (strcmp(argv[1], "wait") == 0)
		return (int)sleep((unsigned int)count);
	run = strcmp(argv[1], "rename") == 0   ? rename_thread
	      : strcmp(argv[1], "spread") == 0 ? spread_thread
					       : call_thread;
	for (int i = 0; i < threads; i++) {
		ids[i] = i;
		if (pthread_create(&t[i], NULL, run, &ids[i]))
			return 1;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
