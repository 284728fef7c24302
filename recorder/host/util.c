/* SPDX-License-Identifier: BSD-2-Clause */
#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The files read here (procfs, sysfs, tracefs) tell no size: read until the end. */
static int read_fd(int fd, size_t max, char **text, size_t *n)
{
	size_t cap = 4096, len = 0;
	char *buf = malloc(cap + 1), *more;
	ssize_t got;

	if (!buf)
		return -ENOMEM;
	while ((got = read(fd, buf + len, cap - len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			goto fail_errno;
		len += (size_t)got;
		if (len < cap)
			continue;
		if (cap > max) {
			errno = EFBIG;
			goto fail_errno;
		}
		cap *= 2;
		more = realloc(buf, cap + 1);
		if (!more) {
			errno = ENOMEM;
			goto fail_errno;
		}
		buf = more;
	}
	buf[len] = 0;
	*text = buf;
	*n = len;
	return 0;

fail_errno:
	free(buf);
	return -errno;
}

int xtr_read_file(const char *path, size_t max, char **text, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = read_fd(fd, max, text, n);
	close(fd);
	return err;
}

bool xtr_read_line(const char *path, char *buf, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, buf, n - 1);
	close(fd);
	if (got <= 0)
		return false;
	buf[got] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return buf[0] != 0;
}

int xtr_access(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) ? -errno : 0;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t xtr_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t xtr_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int xtr_draw(void *bytes, size_t n)
{
	ssize_t got;

	do
		got = getrandom(bytes, n, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got == (ssize_t)n ? 0 : -EIO;
}

int xtr_draw_id(uint64_t *id)
{
	int err = 0;

	for (*id = 0; !err && !*id;)
		err = xtr_draw(id, sizeof(*id));
	return err;
}

int xtr_open_regular(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC), fd;
	char self[40];
	struct stat st;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) || !S_ISREG(st.st_mode)) {
		close(at);
		return -ENOEXEC;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	fd = open(self, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

/* --- proc lines ------------------------------------------------------------------------------- */

int xtr_lines_open(struct xtr_lines *l, const char *path)
{
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	l->err = l->fd < 0 ? -errno : 0;
	l->at = l->n = 0;
	return l->err;
}

/* False: the end, or err. */
static bool fill(struct xtr_lines *l)
{
	ssize_t got;

	do
		got = read(l->fd, l->buf, sizeof(l->buf));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		l->err = -errno;
	l->at = 0;
	l->n = got > 0 ? (size_t)got : 0;
	return got > 0;
}

bool xtr_lines_next(struct xtr_lines *l, char *line, size_t n)
{
	size_t len = 0;

	while (len + 1 < n && (l->at < l->n || fill(l))) {
		const char *from = l->buf + l->at, *end;
		size_t part = l->n - l->at;

		if (part > n - 1 - len)
			part = n - 1 - len;
		end = memchr(from, '\n', part);
		part = end ? (size_t)(end - from) + 1 : part;
		memcpy(line + len, from, part);
		len += part;
		l->at += part;
		if (end)
			break;
	}
	line[len] = '\0';
	return len && !l->err;
}

int xtr_lines_close(struct xtr_lines *l)
{
	close(l->fd);
	return l->err;
}
