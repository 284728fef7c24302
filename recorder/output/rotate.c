/* SPDX-License-Identifier: BSD-2-Clause */
#include "rotate.h"
#include "recorder/host/caps.h"
#include "recorder/host/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SUFFIX ".xtr"
#define DIGITS 24 /* room for ".NUMBER" */

/* "dir/run.xtr" to the directory, "run" and ".xtr". */
static int split(struct xtr_rotate *p, const char *output)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
	size_t n = strlen(name), cut = strlen(SUFFIX);
	bool has = n > cut && !strcmp(name + n - cut, SUFFIX);

	p->dir_len = (size_t)(name - output);
	p->base = strndup(name, has ? n - cut : n);
	p->suffix = strdup(has ? SUFFIX : "");
	p->path_size = strlen(output) + DIGITS;
	p->path = malloc(p->path_size);
	if (!p->base || !p->suffix || !p->path)
		return -ENOMEM;
	memcpy(p->path, output, p->dir_len);
	p->path[p->dir_len] = '\0';
	return *p->base ? 0 : -EISDIR;
}

/* p->path becomes that of a piece; returns its name in the directory. */
static const char *name_of(struct xtr_rotate *p, uint64_t number)
{
	xtr_piece_name(p->path + p->dir_len, p->path_size - p->dir_len, p->base, number, p->suffix);
	return p->path + p->dir_len;
}

/* Is this the name of a piece of this recording? */
static bool is_piece(const struct xtr_rotate *p, const char *name)
{
	size_t base = strlen(p->base), digits;

	if (strncmp(name, p->base, base) || name[base] != '.')
		return false;
	name += base + 1;
	digits = strspn(name, "0123456789");
	return digits >= XTR_PIECE_DIGITS && !strcmp(name + digits, p->suffix);
}

static int open_path(struct xtr_rotate *p)
{
	char *dir = p->dir_len ? strndup(p->path, p->dir_len) : strdup(".");

	p->dir = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	free(dir);
	return p->dir < 0 ? -errno : 0;
}

/* Pieces of an earlier recording would be taken for this one's. */
static int clear_dir(struct xtr_rotate *p)
{
	int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(d))) {
		if (!is_piece(p, e->d_name))
			continue;
		snprintf(p->path + p->dir_len, p->path_size - p->dir_len, "%s", e->d_name);
		if (!p->force)
			err = -EEXIST;
		else if (unlinkat(p->dir, e->d_name, 0))
			err = -errno;
	}
	closedir(d);
	return err;
}

/* Root goes anywhere; what the program's file gives somebody else is not for files. */
static int open_dir(struct xtr_rotate *p)
{
	uint64_t caps;
	int err, err2;

	if (geteuid() == 0)
		return open_path(p);
	err = xtr_caps_suspend(&caps);
	if (err)
		return err;
	err = open_path(p);
	err2 = xtr_caps_resume(caps);
	return err ? err : err2;
}

static int look(struct xtr_rotate *p, const char *output)
{
	struct xtr_dir_user user;
	int err = split(p, output) ?: open_dir(p);

	if (err) {
		if (p->path)
			snprintf(p->path, p->path_size, "%s", output);
		return err;
	}
	err = xtr_dir_user_enter(&user, p->dir, &p->owner) ?: clear_dir(p);
	xtr_dir_user_leave(&user);
	return err;
}

int xtr_rotate_open(struct xtr_rotate *p, const struct xtr_record_opts *opts,
		    struct xtr_record_err *err)
{
	int ret;

	p->dir = -1;
	p->bytes = opts->rotate_bytes;
	p->ns = opts->rotate_ns;
	p->owner = (struct xtr_owner){ opts->owner, opts->owner_group };
	p->on = p->bytes || p->ns || opts->flight.on;
	if (!p->on)
		return 0;
	p->keep = opts->keep;
	p->force = opts->force;
	p->oldest = 1;
	ret = look(p, opts->output) ?: xtr_draw_id(&p->piece.of);
	if (!ret)
		return 0;
	err->code = ret;
	snprintf(err->what, sizeof(err->what), "'%.180s': %s", p->path ? p->path : opts->output,
		 strerror(-ret));
	if (ret == -EEXIST)
		snprintf(err->hint, sizeof(err->hint),
			 "use --force to replace all pieces of that name, or -o for another");
	return ret;
}

int xtr_rotate_create(struct xtr_rotate *p, struct xtr_io **io)
{
	return xtr_io_create_new(p->dir, name_of(p, p->piece.number + 1), io);
}

int xtr_rotate_undo(struct xtr_rotate *p)
{
	int err = unlinkat(p->dir, name_of(p, p->piece.number + 1), 0) ? -errno : 0;

	name_of(p, p->piece.number);
	return err;
}

void xtr_rotate_begin(struct xtr_rotate *p, const struct xtr_piece *piece)
{
	uint64_t late = xtr_now() - piece->began;

	p->piece = *piece;
	if (p->ns)
		p->next_at = piece->began + (late / p->ns + 1) * p->ns;
	p->ending = true;
	atomic_store(&p->count, piece->number);
}

void xtr_rotate_ended(struct xtr_rotate *p, uint64_t bytes)
{
	p->past_bytes += bytes;
	p->ending = false;
}

bool xtr_rotate_due(const struct xtr_rotate *p, uint64_t bytes, uint64_t events, uint64_t now,
		    uint64_t *border)
{
	bool by_time = p->ns && now >= p->next_at;

	*border = by_time ? p->next_at : 0;
	return p->on && !p->ending && (by_time || (p->bytes && events && bytes >= p->bytes));
}

/* What cannot be removed is left: it does not come up again. */
static void remove_oldest(struct xtr_rotate *p)
{
	if (!unlinkat(p->dir, name_of(p, p->oldest), 0))
		atomic_fetch_add(&p->removed, 1);
	p->oldest++;
	name_of(p, p->piece.number);
}

void xtr_rotate_trim(struct xtr_rotate *p, bool last)
{
	uint64_t complete = p->piece.number - !last;

	while (p->keep && complete >= p->oldest && complete - p->oldest + 1 > p->keep)
		remove_oldest(p);
}

bool xtr_rotate_drop(struct xtr_rotate *p)
{
	if (!p->on || !p->keep || p->oldest + p->ending >= p->piece.number)
		return false;
	remove_oldest(p);
	return true;
}

uint64_t xtr_rotate_space(const struct xtr_rotate *p)
{
	struct statvfs fs;

	return fstatvfs(p->dir, &fs) ? UINT64_MAX : (uint64_t)fs.f_bavail * fs.f_frsize;
}

void xtr_rotate_free(struct xtr_rotate *p)
{
	if (p->on && p->dir >= 0)
		close(p->dir);
	free(p->base);
	free(p->suffix);
	free(p->path);
	*p = (struct xtr_rotate){ 0 };
}
