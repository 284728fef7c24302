/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes events of which the truth is known: `producer STATE THREADS N PAUSE` makes N system calls
 * (0: until told to stop) in each thread that nothing else makes (sched_get_priority_max), whose
 * first argument is their number in the thread, with PAUSE turns of an empty loop between two.
 * STATE is a file of 4 KiB that it shares with the test: how many calls are begun and done.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 16

struct state {
	volatile uint64_t go, stop, ended;
	struct {
		volatile uint64_t tid, begun, done;
	} thread[THREADS_MAX];
};

static struct state *state;
static uint64_t count, pause_turns;

static void *run(void *arg)
{
	uint64_t i = (uint64_t)(uintptr_t)arg;

	state->thread[i].tid = (uint64_t)syscall(SYS_gettid);
	while (!state->go)
		usleep(100);
	for (uint64_t n = 0; (!count || n < count) && !state->stop; n++) {
		state->thread[i].begun = n + 1;
		syscall(SYS_sched_get_priority_max, (int)n);
		state->thread[i].done = n + 1;
		for (volatile uint64_t k = 0; k < pause_turns; k++)
			;
	}
	__atomic_add_fetch(&state->ended, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS_MAX];
	int fd, threads;

	if (argc != 5)
		return 2;
	fd = open(argv[1], O_RDWR);
	threads = atoi(argv[2]);
	count = strtoull(argv[3], NULL, 10);
	pause_turns = strtoull(argv[4], NULL, 10);
	if (fd < 0 || threads < 1 || threads > THREADS_MAX)
		return 2;
	state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (state == MAP_FAILED)
		return 1;
	for (int i = 0; i < threads; i++) {
		if (pthread_create(&t[i], NULL, run, (void *)(uintptr_t)i))
			return 1;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	while (!state->stop)
		usleep(1000); /* its number stays its own as long as somebody filters by it */
	return 0;
}
