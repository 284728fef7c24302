/* SPDX-License-Identifier: BSD-2-Clause */
#include "room.h"

#include "base/checked.h"
#include "bundle/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define AHEAD (8ull << 20) /* bytes: so often what is used is counted */
#define NAME  64

/* d: a digit; anything else is itself. */
static const char shape[] = "hang-ddddddddTddddddZ-dddd";

bool xtr_hang_is_name(const char *name, const char *ending)
{
	for (const char *p = shape; *p; p++, name++)
		if (*p == 'd' ? *name < '0' || *name > '9' : *name != *p)
			return false;
	return !strcmp(name, ending);
}

struct found {
	uint64_t bytes; /* on disk */
	uint64_t parts; /* of these, of what is being taken */
	uint32_t n;     /* bundles */
	char oldest[NAME];
};

static uint64_t size_on_disk(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : (uint64_t)st.st_blocks * 512;
}

static DIR *open_again(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static uint64_t size_of_part(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	uint64_t sum = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			sum = xtr_sat_add(sum, size_on_disk(fd, e->d_name));
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return sum;
}

/* Names have the time in them: the least is the oldest. but: NULL, or one that is not to go. */
static int look(int dir, const char *but, struct found *f)
{
	DIR *d = open_again(dir);
	const struct dirent *e;

	*f = (struct found){ 0 };
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (xtr_hang_is_name(e->d_name, XTR_HANG_PART)) {
			f->parts = xtr_sat_add(f->parts, size_of_part(dir, e->d_name));
			continue;
		}
		if (!xtr_hang_is_name(e->d_name, XTR_BUNDLE_ENDING))
			continue;
		f->bytes = xtr_sat_add(f->bytes, size_on_disk(dir, e->d_name));
		f->n++;
		if ((!but || strcmp(e->d_name, but) != 0) &&
		    (!f->oldest[0] || strcmp(e->d_name, f->oldest) < 0))
			snprintf(f->oldest, sizeof(f->oldest), "%.63s", e->d_name);
	}
	closedir(d);
	f->bytes = xtr_sat_add(f->bytes, f->parts);
	return 0;
}

/* Another process may be as quick: then there is room, too. */
static int drop(int dir, const struct found *f)
{
	if (!f->oldest[0])
		return -ENOENT;
	return unlinkat(dir, f->oldest, 0) && errno != ENOENT ? -errno : 0;
}

int xtr_hang_room_drop(const struct xtr_hang_room *r)
{
	struct found f;

	return look(r->dir, NULL, &f) ?: drop(r->dir, &f);
}

/* -errno if n bytes do not fit; else how many more would. */
static int lacks(const struct xtr_hang_room *r, const struct found *f, uint64_t n,
		 uint64_t *free_bytes)
{
	const uint64_t need = xtr_sat_add(xtr_sat_add(n, n), f->parts);
	const uint64_t left = !r->max ? UINT64_MAX : r->max > f->bytes ? r->max - f->bytes : 0;
	uint64_t disk = UINT64_MAX;
	struct statvfs fs;

	if (!fstatvfs(r->dir, &fs) && !__builtin_mul_overflow(fs.f_bavail, fs.f_frsize, &disk) &&
	    disk < need)
		return -ENOSPC;
	if (left < need)
		return -EDQUOT;
	*free_bytes = (left < disk ? left : disk) - need;
	return 0;
}

int xtr_hang_room_take(struct xtr_hang_room *r, uint64_t n)
{
	struct found f;
	uint64_t free_bytes;
	int err;

	if (r->ahead >= n) {
		r->ahead -= n;
		return 0;
	}
	while (!(err = look(r->dir, NULL, &f)) && (err = lacks(r, &f, n, &free_bytes)))
		if (drop(r->dir, &f))
			return err;
	if (err)
		return err;
	/* Others take, too: where it is narrow each step is looked at. */
	r->ahead = free_bytes < 16 * AHEAD ? 0 : AHEAD - (n < AHEAD ? n : AHEAD);
	return 0;
}

int xtr_hang_room_trim(const struct xtr_hang_room *r, const char *name)
{
	struct found f;
	int err = 0;

	while (!err && !(err = look(r->dir, name, &f)) &&
	       ((r->keep && f.n > r->keep) || (r->max && f.bytes > r->max))) {
		err = drop(r->dir, &f);
		if (err == -ENOENT)
			return 0;
	}
	return err;
}
