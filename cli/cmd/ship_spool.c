/* SPDX-License-Identifier: BSD-2-Clause */
#include "ship_spool.h"
#include "cli/ui/cli.h"

#include "format/meta/piece.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX    ".xtr"
#define BEGINNING 64 /* bytes: a shorter file has no header, and may be a moment old */

/* --- the directory ---------------------------------------------------------------------------- */

/* In a directory that others write to, a name may lead anywhere by the time it is used. */
static int open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		err = -EPERM;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int open_folder(int dir, const char *name, bool make)
{
	int fd;

	if (make && mkdirat(dir, name, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static int lock(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

/* What `xtr recover` was writing when it was killed: it writes beside the name, then renames. */
static void sweep(const struct ship_spool *s)
{
	int fd = openat(s->taken, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d && fd >= 0)
		close(fd);
	while (d && (e = readdir(d)))
		if (strstr(e->d_name, SHIP_COLLECTED "."))
			unlinkat(s->taken, e->d_name, 0);
	if (d)
		closedir(d);
}

int ship_spool_open(struct ship_spool *s, const struct ship_opts *o, bool make)
{
	int err;

	*s = (struct ship_spool){
		.path = o->dir, .base = o->base, .dir = -1, .taken = -1, .failed = -1
	};
	err = s->dir = open_own(o->dir);
	if (err >= 0)
		err = s->taken = open_folder(s->dir, SHIP_TAKEN, make);
	if (err >= 0 || (err == -ENOENT && s->dir >= 0 && !make))
		err = s->failed = open_folder(s->dir, SHIP_FAILED, make);
	if (err == -ENOENT && s->dir >= 0 && !make)
		err = 0; /* nothing was taken, or given up, yet */
	if (err >= 0 && make)
		err = lock(s->taken);
	if (err >= 0 && make)
		sweep(s);
	if (err >= 0)
		return 0;
	ship_spool_close(s);
	return err;
}

void ship_spool_close(struct ship_spool *s)
{
	int fds[] = { s->dir, s->taken, s->failed };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	s->dir = s->taken = s->failed = -1;
}

int ship_spool_at(const struct ship_spool *s, enum ship_place place)
{
	return place == SHIP_IS_NEW ? s->dir : place == SHIP_IS_FAILED ? s->failed : s->taken;
}

/* --- what is there ---------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* "run.000007.xtr", where base is "run" or NULL. */
static bool is_new(const struct ship_spool *s, const char *name)
{
	size_t n = strlen(name), digits = 0, end = n - strlen(SUFFIX), base;

	if (*name == '.' || !ends_with(name, SUFFIX))
		return false;
	while (digits < end && name[end - digits - 1] >= '0' && name[end - digits - 1] <= '9')
		digits++;
	if (digits < XTR_PIECE_DIGITS || digits + 2 > end || name[end - digits - 1] != '.')
		return false;
	base = end - digits - 1;
	return !s->base || (strlen(s->base) == base && !strncmp(name, s->base, base));
}

static bool is_of(const struct ship_spool *s, enum ship_place place, const char *name)
{
	size_t base = s->base ? strlen(s->base) : 0;

	if (place == SHIP_IS_NEW)
		return is_new(s, name);
	if (base && (strncmp(name, s->base, base) || name[base] != '.'))
		return false;
	return ends_with(name, place == SHIP_IS_LEFT ? SHIP_COLLECTED : SUFFIX);
}

/* Only a recorder that lives holds one; a file without a header may be a moment old. 0, 1 or
 * -errno. */
static int is_written(int dir, const char *name, const struct stat *st)
{
	int fd, err;

	if (st->st_size < BEGINNING)
		return 1;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == EACCES ? 0 : -errno; /* who reads it says so */
	err = flock(fd, LOCK_SH | LOCK_NB) ? -errno : 0;
	close(fd);
	return err == -EWOULDBLOCK ? 1 : err;
}

static int add(struct ship_pieces *all, int dir, const char *name, enum ship_place place)
{
	struct ship_piece *p;
	struct stat st;
	int written = 0;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno; /* gone meanwhile */
	if (!S_ISREG(st.st_mode))
		return 0; /* none of ours */
	if (place == SHIP_IS_NEW)
		written = is_written(dir, name, &st);
	if (written < 0)
		return written == -ENOENT ? 0 : written;
	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 64;

		p = reallocarray(all->v, cap, sizeof(*p));
		if (!p)
			return -ENOMEM;
		all->v = p;
		all->cap = cap;
	}
	p = &all->v[all->n++];
	*p = (struct ship_piece){ .place = place, .bytes = (uint64_t)st.st_size, .at = st.st_mtim };
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->written = written;
	return 0;
}

static int add_all(const struct ship_spool *s, enum ship_place place, struct ship_pieces *all)
{
	int at = ship_spool_at(s, place), err = 0, fd;
	const struct dirent *e;
	DIR *d;

	if (at < 0)
		return 0;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (errno = 0, e = readdir(d)))
		if (is_of(s, place, e->d_name))
			err = add(all, at, e->d_name, place);
	err = err ? err : -errno;
	closedir(d);
	return err;
}

/* Pieces of one recording that ended within a tick of the clock have numbers. */
static int by_age(const void *a, const void *b)
{
	const struct ship_piece *p = a, *q = b;

	if (p->place != q->place)
		return p->place < q->place ? -1 : 1;
	if (p->at.tv_sec != q->at.tv_sec)
		return p->at.tv_sec < q->at.tv_sec ? -1 : 1;
	if (p->at.tv_nsec != q->at.tv_nsec)
		return p->at.tv_nsec < q->at.tv_nsec ? -1 : 1;
	return strverscmp(p->name, q->name);
}

int ship_spool_list(const struct ship_spool *s, struct ship_pieces *all)
{
	int err = 0;

	*all = (struct ship_pieces){ 0 };
	for (int place = SHIP_IS_FAILED; place <= SHIP_IS_LEFT && !err; place++)
		err = add_all(s, (enum ship_place)place, all);
	if (err)
		ship_pieces_free(all);
	else if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_age);
	return err;
}

void ship_pieces_free(struct ship_pieces *all)
{
	free(all->v);
	*all = (struct ship_pieces){ 0 };
}

/* --- steps ------------------------------------------------------------------------------------ */

static int sync_fd(int fd)
{
	while (fsync(fd))
		if (errno != EINTR)
			return errno == EINVAL ? 0 : -errno;
	return 0;
}

/* A name that is not durable would come back after a power failure: with other bytes, perhaps. */
static int move(int from, const char *old, int to, const char *name)
{
	if (renameat(from, old, to, name))
		return -errno;
	return sync_fd(to) ?: from == to ? 0 : sync_fd(from);
}

static int sync_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), err;

	if (fd < 0)
		return -errno;
	err = sync_fd(fd);
	close(fd);
	return err;
}

bool ship_collected_of(const char *name, char of[NAME_MAX + 1], uint64_t *file_id)
{
	size_t n = strlen(name), end = strlen(SHIP_COLLECTED) + SHIP_OF;

	if (n <= end || !ends_with(name, SHIP_COLLECTED) || name[n - end] != '.')
		return false;
	*file_id = strtoull(name + n - end + 1, NULL, 16);
	snprintf(of, NAME_MAX + 1, "%.*s", (int)(n - end), name);
	return true;
}

/* "run.000007.xtr" and an ID to "run.000007.ID.xtr"; of a long name, what fits. */
static void name_with(char *to, const char *name, enum ship_place place, const char *id)
{
	size_t n = strlen(name) - strlen(SUFFIX) -
		   (place == SHIP_IS_LEFT ? SHIP_OF + strlen(SHIP_COLLECTED) : 0);
	size_t room = NAME_MAX - SHIP_ID - strlen(SUFFIX);

	snprintf(to, NAME_MAX + 1, "%.*s.%s%s", (int)(n < room ? n : room), name, id, SUFFIX);
}

int ship_take(const struct ship_spool *s, struct ship_piece *p, const struct ship_facts *f)
{
	int from = ship_spool_at(s, p->place), err = sync_file(from, p->name);
	char name[NAME_MAX + 1];

	name_with(name, p->name, p->place, f->id);
	if (!err)
		err = move(from, p->name, s->taken, name);
	if (err)
		return err;
	memcpy(p->name, name, sizeof(name));
	p->place = SHIP_IS_TAKEN;
	return 0;
}

int ship_done(const struct ship_spool *s, const struct ship_piece *p)
{
	if (unlinkat(s->taken, p->name, 0) && errno != ENOENT)
		return -errno;
	return sync_fd(s->taken);
}

int ship_give_up(struct ship_spool *s, struct ship_piece *p)
{
	int err = move(ship_spool_at(s, p->place), p->name, s->failed, p->name);

	if (err)
		return err;
	s->given_up++;
	p->place = SHIP_IS_FAILED;
	return 0;
}

int ship_forget_rest(const struct ship_spool *s, const char *name, uint64_t file_id)
{
	struct ship_facts f;
	struct stat st;
	int err;

	if (fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return 0;
	if (st.st_size >= BEGINNING) {
		err = ship_facts(s->dir, name, false, &f);
		if (err == -EBADMSG || (!err && f.file_id != file_id))
			return 0; /* another recording's */
		err = err ?: is_written(s->dir, name, &st);
		if (err)
			return err == 1 || err == -ENOENT ? 0 : err;
	}
	if (unlinkat(s->dir, name, 0))
		return -errno;
	return sync_fd(s->dir);
}

/* --- a full spool ----------------------------------------------------------------------------- */

static uint64_t sum(const struct ship_pieces *all)
{
	uint64_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->v[i].bytes;
	return n;
}

static bool remove_one(struct ship_spool *s, const struct ship_piece *p)
{
	if (unlinkat(ship_spool_at(s, p->place), p->name, 0))
		return false;
	s->removed++;
	cli_warn("'%s/%s' is removed, it was not shipped: the directory holds more than --limit",
		 s->path, p->name);
	return true;
}

void ship_trim(struct ship_spool *s, uint64_t limit, const char *but)
{
	struct ship_pieces all;
	uint64_t bytes;

	if (!limit || ship_spool_list(s, &all))
		return;
	bytes = sum(&all);
	for (size_t i = 0; i < all.n && bytes > limit; i++) {
		const struct ship_piece *p = &all.v[i];

		if (p->written || (but && p->place == SHIP_IS_TAKEN && !strcmp(p->name, but)))
			continue;
		if (remove_one(s, p))
			bytes -= p->bytes;
	}
	ship_pieces_free(&all);
}
