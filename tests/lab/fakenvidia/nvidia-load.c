/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What processes ask of the stand-in: nvidia-load clean | all. Each step's outcome is known; one
 * that comes out otherwise ends the program with 1.
 */
#define _GNU_SOURCE
#include "fakenvidia_uapi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL 0xc020462au
#define ALLOC   0xc030462bu
#define PAGE    4096u

static void check(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "nvidia-load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void order(const char *text)
{
	int fd = open("/sys/kernel/debug/nvidia_lab/control", O_WRONLY);

	check(fd >= 0, "control");
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text), text);
	close(fd);
}

static int node(const char *name)
{
	int fd = open(name, O_RDWR | O_CLOEXEC);

	check(fd >= 0, name);
	return fd;
}

static void ask(int fd, uint32_t cmd, struct fakenvidia_args args)
{
	/* As long as any of the codes says. */
	struct {
		struct fakenvidia_args head;
		uint8_t rest[16384];
	} *p = calloc(1, sizeof(*p));
	int ret;

	check(p != NULL, "memory");
	p->head = args;
	ret = ioctl(fd, cmd, p);
	check(args.error ? ret < 0 && errno == (int)args.error : !ret, "ioctl");
	free(p);
}

static void *map(int fd, size_t pages, int touch)
{
	volatile uint8_t *p = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	check(p != MAP_FAILED, "mmap");
	for (size_t i = 0; touch && i < pages; i++)
		(void)p[i * PAGE];
	return (void *)p;
}

static void clean(void)
{
	int ctl = node("/dev/nvidiactl"), gpu = node("/dev/nvidia0"), i;
	void *p = map(gpu, 8, 0);

	ask(ctl, 0xc04846d2, (struct fakenvidia_args){ 0 });
	for (i = 0; i < 40; i++)
		ask(ctl, CONTROL, (struct fakenvidia_args){ .command = 0x20800102, .us = 200 });
	order("isr 0 40 2000 10");
	munmap(p, 8 * PAGE);
	close(gpu);
	close(ctl);
}

static void *thread(void *arg)
{
	int fd = *(int *)arg, other = node("/dev/nvidia1");

	ask(fd, CONTROL, (struct fakenvidia_args){ .command = 0x20800403, .us = 20000 });
	close(fd); /* opened by the other thread */
	close(other);
	return NULL;
}

/* Kinds, numbers and errors of ioctls. */
static void ioctls(int ctl)
{
	for (uint32_t i = 0; i < 256; i++)
		ask(ctl, 0xc0104600 + i, (struct fakenvidia_args){ .error = i % 16 ? 0 : EINVAL });
	for (uint32_t i = 0; i < 24; i++)
		ask(ctl, CONTROL, (struct fakenvidia_args){ .command = 0x20800100 + i % 4 * 2 });
	for (uint32_t i = 0; i < 12; i++)
		ask(ctl, ALLOC, (struct fakenvidia_args){ .hclass = 0xc36f + i % 3 * 0x100 });
	ask(ctl, 0xc020462b, (struct fakenvidia_args){ .hclass = 0xc56f, .error = ENOMEM });
	ask(ctl, 0xc0205801, (struct fakenvidia_args){ .error = ENOTTY });
}

static void maps(int gpu)
{
	void *a = map(gpu, 10, 1), *b = map(gpu, 3, 0), *c;
	pid_t child;
	int status;

	check(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, gpu, PAGE) == MAP_FAILED, "a refused mmap");
	child = fork();
	check(child >= 0, "fork");
	if (!child) {
		munmap(b, 3 * PAGE);
		_exit(0); /* the other copy goes with it */
	}
	check(waitpid(child, &status, 0) == child && !status, "child");
	munmap((char *)a + 4 * PAGE, 2 * PAGE); /* two splits */
	c = mremap(b, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)a + (1 << 20));
	check(c != MAP_FAILED, "mremap");
	munmap(a, 2 * PAGE); /* a split */
}

static void all(void)
{
	int ctl = node("/dev/nvidiactl"), gpu = node("/dev/nvidia0"), extra = node("/dev/nvidia1");
	struct pollfd p = { .fd = gpu, .events = POLLIN };
	pthread_t t;
	char line[64];

	check(open("/dev/nvidia1", O_WRONLY) < 0 && errno == EIO, "a refused open");
	check(!pthread_create(&t, NULL, thread, &extra), "thread");
	pthread_join(t, NULL);
	ioctls(ctl);
	maps(gpu);
	for (int i = 0; i < 5; i++)
		check(poll(&p, 1, 0) == 1, "poll");
	order("isr 0 60 1000 6");
	order("isr 1 40 1500 8");
	order("p2p 0 65536");
	order("p2p 0 0");
	order("p2p 1 131072");
	order("p2p 2 0");
	order("suspend 0 50000 0");
	order("suspend 1 20000 1");
	order("resume 1 10000");
	order("resume 0 40000");
	snprintf(line, sizeof(line), "xid 0 48 pid='<unknown>', a double bit");
	order(line);
	snprintf(line, sizeof(line), "xid 0 45 pid=%d, name=nvidia-load", getpid());
	order(line);
	snprintf(line, sizeof(line), "xid 1 4711 pid=%d, from the future", getpid());
	order(line);
	ask(ctl, CONTROL, (struct fakenvidia_args){ .command = 0x2080012f, .xid = 31 });
	/* ctl and gpu, and what is left of the mappings, are there until the process ends. */
}

int main(int argc, char **argv)
{
	int is_clean = argc == 2 && !strcmp(argv[1], "clean");

	if (!is_clean && (argc != 2 || strcmp(argv[1], "all"))) {
		fputs("usage: nvidia-load clean | all\n", stderr);
		return 2;
	}
	order("reset");
	if (is_clean)
		clean();
	else
		all();
	return 0;
}
