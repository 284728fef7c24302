// SPDX-License-Identifier: BSD-2-Clause
#include "proc_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
