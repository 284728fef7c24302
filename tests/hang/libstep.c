/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded into a process that takes hangs, and into those that it starts: all of them die at the
 * STEP_AT-th call that changes something on the disk, before or after it (STEP_AFTER); the calls
 * are counted in the file STEP_COUNT. Reads of a file whose name ends in READ_FAILS give READ_BYTES
 * bytes, then EIO.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long *count;
static long at;
static int after;

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("STEP_COUNT"), *when = getenv("STEP_AT");
	int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;

	at = when ? atol(when) : 0;
	after = getenv("STEP_AFTER") != NULL;
	if (fd < 0)
		return;
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (count == MAP_FAILED)
		abort();
	close(fd);
}

/* The whole group: the one that takes hangs leads it. */
static void die(void)
{
	kill(0, SIGKILL);
	for (;;)
		pause();
}

/* True: this is the call after which all die. */
static int step(void)
{
	if (!count || atomic_fetch_add(count, 1) + 1 != at)
		return 0;
	if (!after)
		die();
	return 1;
}

#define STEP(type, name, params, args)                            \
	type name params;                                         \
	type name params                                          \
	{                                                         \
		const int last = step();                          \
		type(*real) params = (type(*) params)next(#name); \
		type ret = real args;                             \
                                                                  \
		if (last)                                         \
			die();                                    \
		return ret;                                       \
	}

STEP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
STEP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t off), (fd, p, n, off))
STEP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t off), (fd, p, n, off))
STEP(int, renameat2, (int a, const char *from, int b, const char *to, unsigned int f),
     (a, from, b, to, f))
STEP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
STEP(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
STEP(int, linkat, (int a, const char *from, int b, const char *to, int f), (a, from, b, to, f))
STEP(int, fsync, (int fd), (fd))
STEP(int, fdatasync, (int fd), (fd))

/* --- reads that fail -------------------------------------------------------------------------- */

static int is_doomed(int fd)
{
	const char *ending = getenv("READ_FAILS");
	char link[64], path[PATH_MAX];
	ssize_t n;

	if (!ending)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	return n > (ssize_t)strlen(ending) &&
	       !memcmp(path + n - strlen(ending), ending, strlen(ending));
}

ssize_t read(int fd, void *p, size_t n)
{
	static size_t given;
	ssize_t (*real)(int fd, void *p, size_t n) = (ssize_t(*)(int, void *, size_t))next("read");
	ssize_t got;
	const char *bytes;
	size_t left;

	if (!is_doomed(fd))
		return real(fd, p, n);
	bytes = getenv("READ_BYTES");
	left = (bytes ? strtoul(bytes, NULL, 10) : 0) - given;
	if (!left) {
		errno = EIO;
		return -1;
	}
	got = real(fd, p, n < left ? n : left);
	given += got > 0 ? (size_t)got : 0;
	return got;
}
