/* SPDX-License-Identifier: BSD-2-Clause */
#include "instance.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX       "xtr-"
#define REMOVE_TRIES 50 /* the kernel may hold it for a moment after its last file was closed */

static int instances_dir(char *path, size_t n)
{
	int err;
	const char *dir = xtr_tracefs_dir(&err);

	if (!dir)
		return err;
	return snprintf(path, n, "%s/instances", dir) < (int)n ? 0 : -ENAMETOOLONG;
}

void xtr_instance_name(char name[XTR_INSTANCE_NAME], uint64_t id, const char *what)
{
	snprintf(name, XTR_INSTANCE_NAME, PREFIX "%016" PRIx64 "%s", id, what);
}

/* Below path; a name has no slash. */
static int open_named(struct xtr_instance *i, const char *name, bool make)
{
	char whole[sizeof(i->path) + sizeof(i->name) + 1];
	int err;

	*i = (struct xtr_instance){ .dir = -1 };
	err = instances_dir(i->path, sizeof(i->path));
	if (err)
		return err;
	if (strncmp(name, PREFIX, strlen(PREFIX)) || strchr(name, '/') ||
	    strlen(name) >= sizeof(i->name))
		return -EINVAL;
	snprintf(i->name, sizeof(i->name), "%s", name);
	snprintf(whole, sizeof(whole), "%s/%s", i->path, i->name);
	if (make && mkdir(whole, 0700))
		return -errno;
	i->dir = open(whole, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (i->dir >= 0)
		return 0;
	err = -errno;
	if (make)
		rmdir(whole);
	return err;
}

int xtr_instance_new(struct xtr_instance *i, const char *name)
{
	return open_named(i, name, true);
}

int xtr_instance_get(struct xtr_instance *i, const char *name)
{
	return open_named(i, name, false);
}

int xtr_instance_open(const struct xtr_instance *i, const char *file, int flags)
{
	int fd = openat(i->dir, file, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *text)
{
	ssize_t n;

	do
		n = write(fd, text, strlen(text));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : (size_t)n == strlen(text) ? 0 : -EIO;
}

int xtr_instance_write(const struct xtr_instance *i, const char *file, const char *text)
{
	int fd = xtr_instance_open(i, file, O_WRONLY | O_TRUNC), err;

	if (fd < 0)
		return fd;
	err = write_all(fd, text);
	close(fd);
	return err;
}

int xtr_instance_remove(struct xtr_instance *i)
{
	char whole[sizeof(i->path) + sizeof(i->name) + 1];
	int err = 0;

	if (i->dir < 0)
		return 0;
	xtr_instance_write(i, "tracing_on", "0");
	xtr_instance_write(i, "events/enable", "0");
	close(i->dir);
	i->dir = -1;
	snprintf(whole, sizeof(whole), "%s/%s", i->path, i->name);
	for (int n = 0; n < REMOVE_TRIES; n++) {
		err = rmdir(whole) ? -errno : 0;
		if (err != -EBUSY)
			break;
		usleep(2000);
	}
	return err;
}

/* What a recorder made is named after its ID. */
static bool id_of(const char *name, uint64_t *id)
{
	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       sscanf(name + strlen(PREFIX), "%16" SCNx64, id) == 1;
}

void xtr_instances_sweep(bool (*keep)(void *ctx, uint64_t id), void *ctx)
{
	char path[256], whole[600];
	struct dirent *d;
	uint64_t id;
	DIR *dir;

	if (instances_dir(path, sizeof(path)) || !(dir = opendir(path)))
		return;
	while ((d = readdir(dir))) {
		if (!id_of(d->d_name, &id) || (keep && keep(ctx, id)) ||
		    snprintf(whole, sizeof(whole), "%s/%s", path, d->d_name) >= (int)sizeof(whole))
			continue;
		(void)rmdir(whole); /* EBUSY: somebody records in it */
	}
	closedir(dir);
}
