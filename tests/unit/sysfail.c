/* SPDX-License-Identifier: BSD-2-Clause */
#include "sysfail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLANS 4

static struct plan {
	const char *name;
	unsigned int left; /* calls until it comes true; 0: it has */
	int err;
	void (*then)(void);
} plans[PLANS];
static unsigned int n_plans;

static void add(struct plan p)
{
	if (n_plans < PLANS)
		plans[n_plans++] = p;
}

void sys_fail(const char *name, unsigned int n, int err)
{
	add((struct plan){ .name = name, .left = n, .err = err });
}

void sys_before(const char *name, unsigned int n, void (*then)(void))
{
	add((struct plan){ .name = name, .left = n, .then = then });
}

unsigned int sys_end(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_plans; i++)
		n += !plans[i].left;
	n_plans = 0;
	return n;
}

/* True if the call is not to be made; *ret is what it returns then. */
static bool fails(const char *name, int *ret)
{
	for (unsigned int i = 0; i < n_plans; i++) {
		struct plan *p = &plans[i];

		if (strcmp(p->name, name) != 0 || !p->left || --p->left)
			continue;
		if (p->then) {
			p->then();
			return false;
		}
		errno = p->err;
		*ret = p->err ? -1 : 0;
		return true;
	}
	return false;
}

/* The linker puts __wrap_NAME in the place of NAME, and NAME in that of __real_NAME (ld, --wrap).
 */
#define WRAP(type, name, params, args)                                \
	type __real_##name params;                                    \
	type __wrap_##name params;                                    \
	type __wrap_##name params                                     \
	{                                                             \
		int ret;                                              \
		return fails(#name, &ret) ? ret : __real_##name args; \
	}

WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAP(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
WRAP(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
WRAP(int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(int, lstat, (const char *path, struct stat *st), (path, st))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, close, (int fd), (fd))
WRAP(int, poll, (struct pollfd * p, nfds_t n, int ms), (p, n, ms))
WRAP(int, mkostemp, (char *path, int flags), (path, flags))
WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(ssize_t, getrandom, (void *p, size_t n, unsigned int flags), (p, n, flags))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...);

int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int mode, ret;

	va_start(args, flags);
	mode = va_arg(args, int); /* whatever, where there is none: open does not look then */
	va_end(args);
	return fails("open", &ret) ? ret : __real_open(path, flags, mode);
}

int __wrap_fcntl(int fd, int cmd, ...)
{
	va_list args;
	void *arg;
	int ret;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	return fails("fcntl", &ret) ? ret : __real_fcntl(fd, cmd, arg);
}
