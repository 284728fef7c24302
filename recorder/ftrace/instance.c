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

int xtr_instance_new(struct xtr_instance *i)
{
	char whole[sizeof(i->path) + sizeof(i->name) + 1];
	uint64_t id;
	int err = xtr_draw_id(&id);

	*i = (struct xtr_instance){ .dir = -1 };
	if (!err)
		err = instances_dir(i->path, sizeof(i->path));
	if (err)
		return err;
	snprintf(i->name, sizeof(i->name), PREFIX "%d-%08" PRIx32, (int)getpid(), (uint32_t)id);
	snprintf(whole, sizeof(whole), "%s/%s", i->path, i->name);
	if (mkdir(whole, 0700))
		return -errno;
	i->dir = open(whole, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (i->dir >= 0)
		return 0;
	err = -errno;
	rmdir(whole);
	return err;
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

void xtr_instances_sweep(void)
{
	char path[256], whole[600];
	struct dirent *d;
	DIR *dir;

	if (instances_dir(path, sizeof(path)) || !(dir = opendir(path)))
		return;
	while ((d = readdir(dir))) {
		if (strncmp(d->d_name, PREFIX, strlen(PREFIX)) ||
		    snprintf(whole, sizeof(whole), "%s/%s", path, d->d_name) >= (int)sizeof(whole))
			continue;
		(void)rmdir(whole); /* EBUSY: somebody records in it */
	}
	closedir(dir);
}
