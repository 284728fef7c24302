/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded before libc into a recorder (LD_PRELOAD), it makes the disk fail. FAULT is one of
 *   N:ERRNO   the Nth write of a chunk and all that follow fail with this number
 *   sync:E    each fdatasync fails so
 *   sync:kill the process is killed before an fdatasync: all is written
 *   N:kill    the process is killed when the Nth write is done, before it hears of it
 *   N:torn    it is killed when half of the Nth write is done
 *   step:N:before, step:N:after
 *             the process is killed at its Nth rename, unlink or fsync; with FAULT_OF only if that
 *             is its command ("ship" of `xtr ship`)
 *   slow:MS   each write of a chunk takes so many milliseconds
 * Writes of anything else are left alone, and with FAULT_AFTER those before that file is there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int n_writes;

static bool is_chunk(const void *p, size_t n)
{
	return n >= 80 && memcmp(p, "\xd8XTC", 4) == 0;
}

/* Ending takes time, in which the process is still one: the file `dying` tells that it began. */
static void die(void)
{
	close(open("dying", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* Nothing fails before this file is there. */
static int is_armed(void)
{
	const char *after = getenv("FAULT_AFTER");

	return !after || !access(after, F_OK);
}

/* A write that is to be left alone: 0; made slow: 1; the one that fails: 2. */
static int fate(const void *p, size_t n, const char **what)
{
	const char *fault = getenv("FAULT");
	int at;

	if (!fault || !strncmp(fault, "step:", 5) || !is_chunk(p, n) || !is_armed())
		return 0;
	*what = strchr(fault, ':') + 1;
	if (strncmp(fault, "slow:", 5) == 0)
		return 1;
	at = atoi(fault);
	return !at || __atomic_add_fetch(&n_writes, 1, __ATOMIC_SEQ_CST) < at ? 0 : 2;
}

/* What a write that fails returns: real, of half of it or of all, comes before the process dies. */
static ssize_t fail(const char *what, ssize_t (*real)(int, const void *, size_t, off_t), int fd,
		    const void *p, size_t n, off_t at)
{
	if (strcmp(what, "kill") && strcmp(what, "torn")) {
		errno = atoi(what);
		return -1;
	}
	real(fd, p, strcmp(what, "kill") ? n / 2 : n, at);
	die();
	return -1;
}

static ssize_t real_write(int fd, const void *p, size_t n, off_t at)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");

	(void)at;
	return real(fd, p, n);
}

static ssize_t real_pwrite(int fd, const void *p, size_t n, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");

	return real(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
	const char *what;
	int f = fate(p, n, &what);

	if (f == 1)
		usleep((useconds_t)atoi(what) * 1000);
	return f == 2 ? fail(what, real_write, fd, p, n, 0) : real_write(fd, p, n, 0);
}

/* Of a flight recorder's names, which go to memory: no disk is slow or full there. */
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	const char *what;
	int f = fate(p, n, &what);

	return f == 2 ? fail(what, real_pwrite, fd, p, n, at) : real_pwrite(fd, p, n, at);
}

int fdatasync(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
	const char *fault = getenv("FAULT");

	if (!fault || strncmp(fault, "sync:", 5) || !is_armed())
		return real(fd);
	if (strcmp(fault, "sync:kill") == 0)
		die();
	errno = atoi(fault + 5);
	return -1;
}

/* --- steps from one name to another ----------------------------------------------------------- */

static int n_steps;

/* Is this `xtr FAULT_OF`? */
static int is_command(void)
{
	const char *of = getenv("FAULT_OF");
	char line[256] = "";
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);

	close(fd);
	return !of || (n > 0 && !strcmp(line + strlen(line) + 1, of));
}

/* Before a step, or after it. */
static void step(const char *when)
{
	const char *fault = getenv("FAULT");
	static int of = -1;

	if (!fault || strncmp(fault, "step:", 5) || !is_armed())
		return;
	if (of < 0)
		of = is_command();
	n_steps += !strcmp(when, "before");
	if (of && atoi(fault + 5) == n_steps && !strcmp(strchr(fault + 5, ':') + 1, when))
		die();
}

int renameat(int from, const char *old, int to, const char *new)
{
	int (*real)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
	int ret;

	step("before");
	ret = real(from, old, to, new);
	step("after");
	return ret;
}

int rename(const char *old, const char *new)
{
	int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
	int ret;

	step("before");
	ret = real(old, new);
	step("after");
	return ret;
}

int unlinkat(int dir, const char *name, int flags)
{
	int (*real)(int, const char *, int) = dlsym(RTLD_NEXT, "unlinkat");
	int ret;

	step("before");
	ret = real(dir, name, flags);
	step("after");
	return ret;
}

int fsync(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
	int ret;

	step("before");
	ret = real(fd);
	step("after");
	return ret;
}
