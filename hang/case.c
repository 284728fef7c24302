/* SPDX-License-Identifier: BSD-2-Clause */
#include "case.h"
#include "room.h"

#include "base/buf.h"
#include "bundle/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 10000u /* names in a second */

void xtr_hang_name(int64_t s, unsigned int n, char name[XTR_HANG_NAME])
{
	const time_t t = (time_t)s;
	struct tm tm = { 0 };
	char when[32];

	gmtime_r(&t, &tm);
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, XTR_HANG_NAME, "hang-%s-%04u", when, n);
}

static bool with(char *path, const char *name, const char *ending)
{
	return (size_t)snprintf(path, NAME_MAX, "%s%s", name, ending) < NAME_MAX;
}

static int open_folder(int dir, const char *part)
{
	int fd = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int xtr_hang_open(int dir, const char *name)
{
	char part[NAME_MAX];

	return with(part, name, XTR_HANG_PART) ? open_folder(dir, part) : -ENAMETOOLONG;
}

int xtr_hang_begin(int dir, const char *boot, char name[XTR_HANG_NAME])
{
	const int64_t now = (int64_t)time(NULL);
	char path[NAME_MAX];
	struct stat st;
	int fd;

	for (unsigned int n = 0; n < TRIES; n++) {
		xtr_hang_name(now, n, name);
		if (!with(path, name, XTR_BUNDLE_ENDING))
			return -ENAMETOOLONG;
		if (!fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!with(path, name, XTR_HANG_PART))
			return -ENAMETOOLONG;
		if (mkdirat(dir, path, 0700)) {
			if (errno == EEXIST)
				continue;
			return -errno;
		}
		fd = open_folder(dir, path);
		if (fd >= 0)
			(void)xtr_hang_note(fd, XTR_HANG_BOOT, boot);
		return fd;
	}
	return -EEXIST;
}

int xtr_hang_note(int folder, const char *file, const char *line)
{
	int fd = openat(folder, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t n = strlen(line);
	ssize_t put;
	char *text;
	int err;

	if (fd < 0)
		return -errno;
	text = malloc(n + 1);
	err = text ? 0 : -ENOMEM;
	if (text) {
		memcpy(text, line, n);
		text[n] = '\n';
		do
			put = write(fd, text, n + 1);
		while (put < 0 && errno == EINTR);
		err = put < 0 ? -errno : (size_t)put == n + 1 ? 0 : -ENOSPC;
		free(text);
	}
	close(fd);
	return err;
}

/* The recorder may remove its own name of it (--keep), the bytes stay. */
int xtr_hang_put_trace(int folder, const char *path)
{
	char whole[PATH_MAX];

	if (!linkat(AT_FDCWD, path, folder, XTR_HANG_TRACE, 0) || errno == EEXIST)
		return 0;
	if (!realpath(path, whole))
		return -errno;
	return symlinkat(whole, folder, XTR_HANG_TRACE) && errno != EEXIST ? -errno : 0;
}

/* --- the directory ---------------------------------------------------------------------------- */

static DIR *list(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = again < 0 ? NULL : fdopendir(again);

	if (!d && again >= 0)
		close(again);
	return d;
}

static int empty(int folder)
{
	DIR *d = list(folder);
	const struct dirent *e;
	int err = d ? 0 : -errno;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlinkat(folder, e->d_name, 0))
			err = -errno;
	if (d)
		closedir(d);
	return err;
}

int xtr_hang_remove(int dir, const char *name)
{
	char part[NAME_MAX];
	int fd, err;

	if (!with(part, name, XTR_HANG_PART))
		return -ENAMETOOLONG;
	fd = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = empty(fd);
	close(fd);
	return err ? err : unlinkat(dir, part, AT_REMOVEDIR) ? -errno : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int collect(DIR *d, char ***names, size_t *n)
{
	const struct dirent *e;
	size_t cap = 0;

	while ((e = readdir(d))) {
		if (!xtr_hang_is_name(e->d_name, XTR_HANG_PART))
			continue;
		if (xtr_grow_array(names, &cap, *n + 1, sizeof(**names)))
			return -ENOMEM;
		(*names)[*n] = xtr_copy_text(e->d_name, strlen(e->d_name) - strlen(XTR_HANG_PART));
		if (!(*names)[*n])
			return -ENOMEM;
		++*n;
	}
	return 0;
}

int xtr_hang_each(int dir, int (*f)(void *ctx, const char *name), void *ctx)
{
	DIR *d = list(dir);
	char **names = NULL;
	size_t n = 0;
	int err = d ? collect(d, &names, &n) : -errno;

	if (d)
		closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n && !err; i++)
		err = f(ctx, names[i]);
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return err;
}

/* A file system that cannot do the first: a link refuses to replace, too. */
static int put_in_place(int dir, int folder, const char *to)
{
	if (!renameat2(folder, XTR_HANG_WHOLE, dir, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return linkat(folder, XTR_HANG_WHOLE, dir, to, 0) ? -errno : 0;
}

int xtr_hang_finish(int dir, int folder, const char *name)
{
	char to[NAME_MAX];
	int err;

	if (!with(to, name, XTR_BUNDLE_ENDING))
		return -ENAMETOOLONG;
	err = put_in_place(dir, folder, to);
	if (!err && fsync(dir))
		err = -errno;
	return err ? err : xtr_hang_remove(dir, name);
}
