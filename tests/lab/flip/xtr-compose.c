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
#include "../fakegpu/fakegpu_uapi.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MS      1000000ull
#define JOB_NS  (10 * MS)
#define LATE_NS (250 * MS)
#define NODES   16

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

struct job {
	uint64_t handle, context, seqno;
};

struct client {
	int ask[2], answer[2]; /* pipes */
};

static atomic_bool spin;

/* As in <drm/drm.h>. */
struct drm_version {
	int version_major, version_minor, version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
#define DRM_IOCTL_VERSION _IOWR('d', 0x00, struct drm_version)

/* The first of its devices. */
static int open_gpu(void)
{
	char path[32], name[16];

	for (int i = 128; i < 128 + NODES; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, DRM_IOCTL_VERSION, &v) && v.name_len == 7 &&
		    !memcmp(name, "fakegpu", 7))
			return fd;
		close(fd);
	}
	errno = ENODEV;
	screen_die("fakegpu");
}

static struct job submit(int gpu, uint64_t ns, const uint64_t *deps, uint32_t n)
{
	struct drm_fakegpu_submit s = { .duration_ns = ns, .deps = (uintptr_t)deps, .n_deps = n };

	if (ioctl(gpu, DRM_IOCTL_FAKEGPU_SUBMIT, &s))
		screen_die("submit");
	return (struct job){ s.handle, s.context, s.seqno };
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / (1000 * MS)),
			      .tv_nsec = (long)(ns % (1000 * MS)) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static void move(int fd, bool out, void *p, size_t n)
{
	if ((out ? write(fd, p, n) : read(fd, p, n)) != (ssize_t)n)
		screen_die("pipe");
}

/* Submits a job each time it is asked. */
static void serve(const char *name, struct client *c)
{
	int gpu = open_gpu();
	enum late late;
	struct job j;

	prctl(PR_SET_NAME, name);
	while (read(c->ask[0], &late, sizeof(late)) == (ssize_t)sizeof(late)) {
		bool game = !strcmp(name, "game");

		if (late == SLEEPS && game)
			sleep_ns(LATE_NS);
		j = submit(gpu, (late == LONG && game) || !strcmp(name, "hog") ? LATE_NS : JOB_NS,
			   NULL, 0);
		move(c->answer[1], true, &j, sizeof(j));
	}
	_exit(0);
}

static void start(const char *name, struct client *c)
{
	pid_t child;

	if (pipe2(c->ask, O_CLOEXEC) || pipe2(c->answer, O_CLOEXEC))
		screen_die("pipe");
	fflush(NULL);
	child = fork();
	if (child < 0)
		screen_die("fork");
	if (!child) {
		close(c->ask[1]);
		serve(name, c);
	}
	close(c->ask[0]);
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
		sleep_ns(MS / 10);
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

static struct job asked(struct client *c, enum late late)
{
	struct job j;

	move(c->ask[1], true, &late, sizeof(late));
	move(c->answer[0], false, &j, sizeof(j));
	return j;
}

static void wait_for(int gpu, const struct job *j)
{
	struct drm_fakegpu_wait wait = { .handle = j->handle, .timeout_ns = 10000 * MS };

	if (ioctl(gpu, DRM_IOCTL_FAKEGPU_WAIT, &wait))
		screen_die("wait");
}

static void frame(struct screen *s, int gpu, struct client *c, enum late late, bool depend)
{
	struct screen_event e;
	struct job game, video, last;

	if (late == HOG)
		asked(&c[2], late);
	move(c[0].ask[1], true, &late, sizeof(late));
	video = asked(&c[1], late);
	move(c[0].answer[0], false, &game, sizeof(game));
	if (!depend) {
		wait_for(gpu, &game); /* one that has ended is not waited for */
		wait_for(gpu, &video);
	}
	last = submit(gpu, JOB_NS, (uint64_t[]){ video.handle, game.handle }, depend ? 2 : 0);
	wait_for(gpu, &last);
	if (late == COMMIT)
		sleep_ns(LATE_NS);
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
	struct client c[3];
	struct screen s;
	int gpu;

	prctl(PR_SET_NAME, "compositor");
	start("game", &c[0]);
	start("video", &c[1]);
	start("hog", &c[2]);
	gpu = open_gpu();
	screen_open(&s, NULL);
	for (long i = 0; i < n; i++)
		frame(&s, gpu, c, i % 4 == 3 ? 1 + (enum late)(i / 4 % (N_LATE - 1)) : IN_TIME,
		      depend);
	return 0;
}
