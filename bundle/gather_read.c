/* SPDX-License-Identifier: BSD-2-Clause */
#include "gather.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool join(char *path, const char *root, const char *rest)
{
	return (size_t)snprintf(path, PATH_MAX, "%s%s", root, rest) < PATH_MAX;
}

int gather_open(const char *root, const char *path)
{
	char full[PATH_MAX];
	int fd = join(full, root, path) ? open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
					: -1;

	return fd < 0 ? -errno : fd;
}

int gather_file(const char *root, const char *path, size_t max, struct xtr_buf *b)
{
	int fd = gather_open(root, path), err = 0;
	size_t n = 0;

	if (fd < 0)
		return fd;
	while (!err) {
		uint8_t *room = xtr_buf_room(b, 4096);
		ssize_t got = room ? read(fd, room, 4096) : 0;

		if (!room)
			err = -ENOMEM;
		else if (got < 0 && errno != EINTR)
			err = -errno;
		else if (!got)
			break;
		else if (got > 0 && (n += (size_t)got) > max)
			err = -EFBIG;
		b->n += !err && got > 0 ? (size_t)got : 0;
	}
	close(fd);
	return err;
}

bool gather_line(const char *root, const char *path, char *line, size_t n)
{
	int fd = gather_open(root, path);
	ssize_t got = -1;

	if (fd < 0)
		return false;
	do
		got = read(fd, line, n - 1);
	while (got < 0 && errno == EINTR);
	close(fd);
	if (got < 0)
		return false;
	line[got] = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	return true;
}

bool gather_link(const char *root, const char *path, char *name, size_t n)
{
	char full[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t len = -1;

	if (join(full, root, path))
		len = readlink(full, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = 0;
	slash = strrchr(target, '/');
	return (size_t)snprintf(name, n, "%s", slash ? slash + 1 : target) < n;
}

int gather_glob(const char *root, const char *pattern, int (*f)(void *ctx, const char *path),
		void *ctx)
{
	char full[PATH_MAX];
	glob_t found = { 0 };
	int err = 0;

	if (!join(full, root, pattern))
		return 0;
	switch (glob(full, 0, NULL, &found)) {
	case 0:
		for (size_t i = 0; i < found.gl_pathc && !err; i++)
			err = f(ctx, found.gl_pathv[i] + strlen(root));
		break;
	case GLOB_NOSPACE:
		err = -ENOMEM;
		break;
	default:
		break;
	}
	globfree(&found);
	return err;
}
