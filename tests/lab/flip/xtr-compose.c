/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compositor with two clients on the fake GPU and a screen. For each frame "game" and "video"
 * submit a job, "compositor" one that waits for both, waits for its end, and flips. Each fourth
 * frame something is late on purpose, in turn. Prints a line of JSON for each frame.
 * usage: xtr-compose FRAMES depend|wait
 * depend: its job depends on theirs; wait: its thread waits for theirs before it submits.
 */
#define _GNU_SOURCE
#include "screen.h"
#include "../fakegpu/fakegpu-client.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define JOB_NS  (10 * GPU_MS)
#define LATE_NS (250 * GPU_MS)

enum late {
	IN_TIME,
	HOG,    /* another process' job has the ring */
	LONG,   /* the game's own job takes long */
	SLEEPS, /* the game submits late */
	COMMIT, /* the compositor asks for the flip late */
	SHOWN,  /* the kernel's worker, which shows it, gets no CPU */
	N_LATE
};
static const char *const names[] = { "in-time", "hog", "long", "sleeps", "commit", "shown" };

static atomic_bool spin;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * GPU_MS + (uint64_t)t.tv_nsec;
}

/* Submits a job when it is asked; the game may be late. */
static struct gpu_job serve(const char *name, uint64_t late)
{
	static int gpu = -1;
	bool game = !strcmp(name, "game");

	if (gpu < 0)
		gpu = gpu_open(0);
	if (late == SLEEPS && game)
		gpu_sleep(LATE_NS);
	return gpu_submit(gpu, 0, (late == LONG && game) || !strcmp(name, "hog") ? LATE_NS : JOB_NS,
			  NULL, 0);
}

static void on_cpu(int cpu, int priority)
{
	cpu_set_t set;
	struct sched_param p = { .sched_priority = priority };

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &p))
		screen_die("scheduler");
}

static void spin_for(uint64_t ns)
{
	for (uint64_t end = now() + ns; now() < end;)
		;
}

static void *spinner(void *arg)
{
	on_cpu(1, 50);
	atomic_store(&spin, true);
	spin_for(LATE_NS);
	return arg;
}

/* Ask for the flip; nobody else gets a CPU for a while. */
static void flip_without_worker(struct screen *s)
{
	pthread_t other;
	cpu_set_t all;

	on_cpu(0, 50);
	atomic_store(&spin, false);
	if (pthread_create(&other, NULL, spinner, NULL))
		screen_die("thread");
	while (!atomic_load(&spin))
		gpu_sleep(GPU_MS / 10);
	screen_flip(s);
	spin_for(LATE_NS);
	pthread_join(other, NULL);
	on_cpu(0, 0);
	CPU_ZERO(&all);
	CPU_SET(0, &all);
	CPU_SET(1, &all);
	if (sched_setaffinity(0, sizeof(all), &all))
		screen_die("affinity");
}

static void frame(struct screen *s, int gpu, struct gpu_client *c, enum late late, bool depend)
{
	struct screen_event e;
	struct gpu_job game, video, last;

	if (late == HOG) {
		gpu_client_ask(&c[2], late);
		gpu_client_answer(&c[2]);
	}
	gpu_client_ask(&c[0], late);
	gpu_client_ask(&c[1], late);
	video = gpu_client_answer(&c[1]);
	game = gpu_client_answer(&c[0]);
	if (!depend) {
		gpu_wait(gpu, &game); /* one that has ended is not waited for */
		gpu_wait(gpu, &video);
	}
	last = gpu_submit(gpu, 0, JOB_NS, (uint64_t[]){ video.handle, game.handle },
			  depend ? 2 : 0);
	gpu_wait(gpu, &last);
	if (late == COMMIT)
		gpu_sleep(LATE_NS);
	if (late == SHOWN)
		flip_without_worker(s);
	else
		screen_flip(s);
	e = screen_event(s);
	printf("{\"late\":\"%s\",\"sequence\":%u,\"usec\":%" PRIu64 ",\"context\":%" PRIu64
	       ",\"seqno\":%" PRIu64 ",\"game\":[%" PRIu64 ",%" PRIu64 "],\"video\":[%" PRIu64
	       ",%" PRIu64 "]}\n",
	       names[late], e.sequence, e.usec, last.context, last.seqno, game.context, game.seqno,
	       video.context, video.seqno);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	bool depend = argc > 2 && !strcmp(argv[2], "depend");
	struct gpu_client c[3];
	struct screen s;
	int gpu;

	prctl(PR_SET_NAME, "compositor");
	gpu_client_start(&c[0], "game", serve);
	gpu_client_start(&c[1], "video", serve);
	gpu_client_start(&c[2], "hog", serve);
	gpu = gpu_open(0);
	screen_open(&s, NULL);
	for (long i = 0; i < n; i++)
		frame(&s, gpu, c, i % 4 == 3 ? 1 + (enum late)(i / 4 % (N_LATE - 1)) : IN_TIME,
		      depend);
	return 0;
}
