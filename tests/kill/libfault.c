/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded before libc into a recorder (LD_PRELOAD), it makes the disk fail. FAULT is one of
 *   N:ERRNO   the Nth write of a chunk and all that follow fail with this number
 *   sync:E    each fdatasync fails so
 *   N:kill    the process is killed when the Nth write is done, before it hears of it
 *   N:torn    it is killed when half of the Nth write is done
 *   slow:MS   each write of a chunk takes so many milliseconds
 * Writes of anything else are left alone, and with FAULT_AFTER those before that file is there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	const char *fault = getenv("FAULT"), *what;
	int at;

	if (!fault || !is_chunk(p, n) ||
	    (getenv("FAULT_AFTER") && access(getenv("FAULT_AFTER"), F_OK)))
		return real(fd, p, n);
	if (strncmp(fault, "slow:", 5) == 0) {
		usleep((useconds_t)atoi(fault + 5) * 1000);
		return real(fd, p, n);
	}
	what = strchr(fault, ':') + 1;
	at = atoi(fault);
	if (!at || __atomic_add_fetch(&n_writes, 1, __ATOMIC_SEQ_CST) < at)
		return real(fd, p, n);
	if (strcmp(what, "kill") && strcmp(what, "torn")) {
		errno = atoi(what);
		return -1;
	}
	real(fd, p, strcmp(what, "kill") ? n / 2 : n);
	die();
	return -1;
}

int fdatasync(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
	const char *fault = getenv("FAULT");

	if (!fault || strncmp(fault, "sync:", 5))
		return real(fd);
	errno = atoi(fault + 5);
	return -1;
}
