/* SPDX-License-Identifier: BSD-2-Clause */
/* The files in the working directory, and in the folders that are in it. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FOLDERS = 16, /* descriptors of nftw(3) */
};

static uint64_t hash_file(const char *name)
{
	static const char database[] = "SQLite format 3";
	static char buf[1 << 16];
	uint64_t h = 0xcbf29ce484222325u;
	int fd = open(name, O_RDONLY | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	if (n > (ssize_t)sizeof(database) && !memcmp(buf, database, sizeof(database)))
		h = inject_hash_database(name);
	else
		for (; n > 0; n = read(fd, buf, sizeof(buf)))
			h = inject_hash(h, buf, (size_t)n);
	if (fd >= 0)
		close(fd);
	return h;
}

/* --- looking ---------------------------------------------------------------------------------- */

static struct dir_state *looking;

static int note(const char *path, const struct stat *st, int type, struct FTW *at)
{
	struct file_state *f = &looking->file[looking->n];

	(void)st;
	if (type == FTW_D || type == FTW_DNR) {
		looking->folders += at->level > 0;
		return 0;
	}
	if (looking->n == FILES_MAX)
		exit(3); /* what is not looked at is not judged */
	snprintf(f->name, sizeof(f->name), "%.255s", path + strlen("./"));
	f->hash = hash_file(path);
	looking->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file_state *)a)->name, ((const struct file_state *)b)->name);
}

void inject_look_at_dir(struct dir_state *d)
{
	d->n = d->folders = 0;
	looking = d;
	nftw(".", note, FOLDERS, FTW_PHYS);
	qsort(d->file, d->n, sizeof(d->file[0]), by_name);
}

bool inject_same_dir(const struct dir_state *a, const struct dir_state *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->file[i].name, b->file[i].name) || a->file[i].hash != b->file[i].hash)
			return false;
	return true;
}

/* --- making ----------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	return at->level && remove(path) ? -1 : 0;
}

static const char *copied;

static int copy_file(const char *from, const char *to, const struct stat *st)
{
	static char buf[1 << 20];
	const struct timespec times[] = { st->st_mtim, st->st_mtim };
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ssize_t n = in < 0 ? -1 : read(in, buf, sizeof(buf));
	int err = n < 0 || n == sizeof(buf) || out < 0 || write(out, buf, (size_t)n) != n ||
		  futimens(out, times);

	close(in);
	close(out);
	return err;
}

/* Times as they were: they may be an order. */
static int copy_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *to = path + strlen(copied) + 1;

	if (!at->level)
		return 0;
	return type == FTW_D ? mkdir(to, 0700) : copy_file(path, to, st);
}

static int make_old(const char *name)
{
	int fd = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0 && write(fd, "old\n", 4) == 4)
		close(fd);
	return 0;
}

void inject_make_before(const struct scenario *s)
{
	copied = s->tree;
	if (nftw(".", remove_one, FOLDERS, FTW_PHYS | FTW_DEPTH) || make_old(s->old) ||
	    (copied && nftw(copied, copy_one, FOLDERS, FTW_PHYS))) {
		perror("what was there before a run");
		exit(3);
	}
}

void inject_clean(const struct scenario *s, const struct dir_state *d)
{
	if (!inject_same_dir(d, &s->before) || d->folders != s->before.folders)
		inject_make_before(s);
}
