/* SPDX-License-Identifier: BSD-2-Clause */
#include "pin.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PATH_LEN 128
#define ID_LEN   17 /* a name, NUL included */
#define TRIES    20

static void path_of(char *path, uint64_t id, const char *name)
{
	snprintf(path, PATH_LEN, XTR_PIN_DIR "/%016" PRIx64 "%s%.60s", id, name ? "/" : "",
		 name ? name : "");
}

static int open_locked(struct xtr_pin *p)
{
	char path[PATH_LEN];
	int err;

	path_of(path, p->id, NULL);
	p->all = open(XTR_PIN_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->all >= 0)
		p->lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->lock < 0) {
		err = -errno;
		xtr_pin_close(p);
		return err;
	}
	p->dir = fdopendir(p->lock);
	if (p->dir && !flock(p->lock, LOCK_EX | LOCK_NB))
		return 0;
	err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	xtr_pin_close(p);
	return err;
}

/* The directory of all is everybody's, as the root of the file system is where it is mounted so. */
static int make_dir(struct xtr_pin *p)
{
	char path[PATH_LEN];

	if (!mkdir(XTR_PIN_DIR, 0700))
		(void)!chmod(XTR_PIN_DIR, 01777);
	else if (errno != EEXIST)
		return -errno;
	path_of(path, p->id, NULL);
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	return open_locked(p);
}

/*
 * Those that are empty: that of one recorder, and that of the last. By the descriptor, as a
 * recorder that has dropped its capabilities may not walk there: systemd mounts the file system for
 * root alone.
 */
static int remove_dirs(const struct xtr_pin *p)
{
	char name[ID_LEN];
	int err;

	snprintf(name, sizeof(name), "%016" PRIx64, p->id);
	err = unlinkat(p->all, name, AT_REMOVEDIR) ? -errno : 0;
	rmdir(XTR_PIN_DIR);
	return err;
}

/* Somebody who looks for what dead recorders left may get between making and locking. */
int xtr_pin_new(struct xtr_pin *p, uint64_t id)
{
	char path[PATH_LEN];
	struct statfs fs;
	int err = -EBUSY;

	*p = XTR_PIN_NONE(id);
	if (statfs(XTR_PIN_ROOT, &fs))
		return -errno;
	if ((unsigned long)fs.f_type != BPF_FS_MAGIC)
		return -ENODEV;
	for (int i = 0; i < TRIES && (err == -EBUSY || err == -ENOENT); i++) {
		if (i)
			usleep(1000);
		err = make_dir(p);
	}
	if (err) {
		path_of(path, id, NULL);
		rmdir(path);
		rmdir(XTR_PIN_DIR);
	}
	return err;
}

int xtr_pin_adopt(struct xtr_pin *p, uint64_t id)
{
	*p = XTR_PIN_NONE(id);
	return open_locked(p);
}

bool xtr_pin_is_own(uint64_t id)
{
	char path[PATH_LEN];
	struct stat st;

	path_of(path, id, NULL);
	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

int xtr_pin_put(const struct xtr_pin *p, const char *name, int fd)
{
	char path[PATH_LEN];

	path_of(path, p->id, name);
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

int xtr_pin_get(const struct xtr_pin *p, const char *name)
{
	char path[PATH_LEN];
	int fd;

	path_of(path, p->id, name);
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static int remove_others(const struct xtr_pin *p, const char *last)
{
	const struct dirent *e;
	int err = 0;

	rewinddir(p->dir);
	while ((e = readdir(p->dir))) {
		if (e->d_name[0] == '.' || strcmp(e->d_name, last) == 0)
			continue;
		if (unlinkat(p->lock, e->d_name, 0) && errno != ENOENT)
			err = -errno;
	}
	return err;
}

static int remove_all(const struct xtr_pin *p, const char *last)
{
	int err = remove_others(p, last);

	if (!err && unlinkat(p->lock, last, 0) && errno != ENOENT)
		err = -errno;
	return err ? err : remove_dirs(p);
}

/* What is left takes memory until somebody collects it: an error that passes shall not leave it. */
int xtr_pin_remove(struct xtr_pin *p, const char *last)
{
	int err;

	if (p->lock < 0)
		return 0;
	err = remove_all(p, last);
	if (err)
		err = remove_all(p, last);
	xtr_pin_close(p);
	return err;
}

void xtr_pin_close(struct xtr_pin *p)
{
	if (p->dir)
		closedir(p->dir); /* and the lock */
	else if (p->lock >= 0)
		close(p->lock);
	if (p->all >= 0)
		close(p->all);
	p->dir = NULL;
	p->all = p->lock = -1;
}

static bool is_id(const char *name, uint64_t *id)
{
	char *end;

	if (strlen(name) != 16 || strspn(name, "0123456789abcdef") != 16)
		return false;
	*id = strtoull(name, &end, 16);
	return true;
}

int xtr_pin_list(uint64_t **ids, size_t *n)
{
	DIR *dir = opendir(XTR_PIN_DIR);
	struct dirent *e;
	uint64_t id, *more;

	*ids = NULL;
	*n = 0;
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(dir))) {
		if (!is_id(e->d_name, &id))
			continue;
		more = reallocarray(*ids, *n + 1, sizeof(*more));
		if (!more) {
			closedir(dir);
			free(*ids);
			*ids = NULL;
			return -ENOMEM;
		}
		*ids = more;
		more[(*n)++] = id;
	}
	closedir(dir);
	return 0;
}
