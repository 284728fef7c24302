/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fakegpu-frames N: a thread that keeps the fake GPU waiting. N times it computes for 6 ms of CPU
 * time in prepare_frame, sleeps for 4 ms in wait_for_input, and submits a job of 1 ms. For each
 * time it prints when it began to compute, to sleep, and to submit: ns of CLOCK_MONOTONIC. Then it
 * lives on for a while, so that its functions' names can be looked up.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "fakegpu_uapi.h"

#define FRAME_NS  6000000u
#define INPUT_NS  4000000
#define JOB_NS    1000000u
#define LINGER_NS 3000000000u
#define FIRST     128 /* number of the first render node */

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
		for (int i = 0; i < 2000; i++)
			done++;
	__asm__ volatile("" : : : "memory"); /* nothing here ends in a jump to another function */
}

static __attribute__((noinline)) void prepare_frame(void)
{
	spin(now(CLOCK_THREAD_CPUTIME_ID) + FRAME_NS);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void nap(long ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ ns / 1000000000, ns % 1000000000 },
			NULL);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void wait_for_input(void)
{
	nap(INPUT_NS);
	__asm__ volatile("" : : : "memory");
}

/* The first render node that takes a job. */
static int open_gpu(void)
{
	struct drm_fakegpu_ring ring = { .ring = 0 };
	char path[32];
	int fd;

	for (int i = FIRST; i < FIRST + 8; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, DRM_IOCTL_FAKEGPU_RING, &ring) &&
		    !strcmp(ring.name, "gfx_0.0.0"))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fputs("fakegpu-frames: no fake GPU\n", stderr);
	exit(1);
}

static void submit(int fd)
{
	struct drm_fakegpu_submit job = { .duration_ns = JOB_NS };

	if (!ioctl(fd, DRM_IOCTL_FAKEGPU_SUBMIT, &job))
		return;
	perror("fakegpu-frames: submit");
	exit(1);
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0, fd = open_gpu();

	submit(fd);
	for (int i = 0; i < n; i++) {
		uint64_t computes = now(CLOCK_MONOTONIC), sleeps;

		prepare_frame();
		sleeps = now(CLOCK_MONOTONIC);
		wait_for_input();
		printf("%llu %llu %llu\n", (unsigned long long)computes, (unsigned long long)sleeps,
		       (unsigned long long)now(CLOCK_MONOTONIC));
		submit(fd);
	}
	nap(LINGER_NS);
	return n < 1;
}
