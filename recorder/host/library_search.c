/* SPDX-License-Identifier: BSD-2-Clause */
#include "library_search.h"
#include "ldcache.h"
#include "mapped.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CACHE_MAX    (64u << 20) /* bytes */
#define FILES_MAX    64          /* of one library */
#define NUMBERED_MAX 1024
#define CACHE_PATH   "/etc/ld.so.cache"

/* ld.so(8): its default directories, and Debian's. */
static const char *const default_dirs[] = {
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
	"/usr/local/lib",
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
#endif
	NULL,
};

/* Directories below one of LD_LIBRARY_PATH that the loader looks into first. */
static const char *const below[] = {
#if defined(__x86_64__)
	"/glibc-hwcaps/x86-64-v4",
	"/glibc-hwcaps/x86-64-v3",
	"/glibc-hwcaps/x86-64-v2",
#endif
	"",
};

struct search {
	const struct xtr_library *libs;
	size_t n;
};

bool xtr_library_named(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	if (strcmp(name, wanted) == 0)
		return true;
	return n > 3 && strcmp(wanted + n - 3, ".so") == 0 && strncmp(name, wanted, n) == 0 &&
	       name[n] == '.';
}

static bool on_overlay(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * Two containers of one image see the same file through mounts of their own. Probes sit on the file
 * below, so it must be taken once: an overlay gives its inode number, size and times.
 */
static bool same_file(int fd, int other)
{
	struct stat a, b;

	if (fstat(fd, &a) || fstat(other, &b) || a.st_ino != b.st_ino)
		return false;
	if (a.st_dev == b.st_dev)
		return true;
	return a.st_size == b.st_size && same_time(&a.st_mtim, &b.st_mtim) &&
	       same_time(&a.st_ctim, &b.st_ctim) && (on_overlay(fd) || on_overlay(other));
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name for events: other characters than those of library names become '_'. */
static char *event_name(const struct xtr_library *lib, const struct xtr_elf *elf, const char *path)
{
	const char *from = xtr_elf_soname(elf);
	char *name;

	if (!from)
		from = strchr(lib->name, '/') ? file_name(path) : lib->name;
	name = strdup(from[0] ? from : "_");
	for (char *p = name; p && *p; p++) {
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9') || strchr("._+-", *p)))
			*p = '_';
	}
	return name;
}

static void note_bad(struct xtr_library *lib, const char *path, int err)
{
	const char *what = err == -ENOEXEC ? "no library or program that can be read"
			   : err == -EXDEV ? "built for another machine"
					   : strerror(-err);

	if (err != -ENOENT && err != -ENOTDIR)
		snprintf(lib->why, sizeof(lib->why), "%.90s: %s", path, what);
}

static int add_file(struct xtr_library *lib, const struct xtr_library_file *f)
{
	struct xtr_library_file *more;

	more = reallocarray(lib->files, lib->n_files + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	lib->files = more;
	more[lib->n_files++] = *f;
	return 0;
}

static void drop(struct xtr_library_file *f)
{
	xtr_elf_free(f->elf);
	free(f->path);
	free(f->name);
	if (f->fd >= 0)
		close(f->fd);
}

static bool have(const struct xtr_library *lib, int fd)
{
	for (size_t i = 0; i < lib->n_files; i++) {
		if (same_file(lib->files[i].fd, fd))
			return true;
	}
	return false;
}

/*
 * Take the file that `open_as` leads to if it is new and fit. by_soname: only if that is the one
 * asked for. 0 or -ENOMEM.
 */
static int take(struct xtr_library *lib, const char *open_as, const char *path, bool by_soname)
{
	struct xtr_library_file f = { .fd = xtr_open_regular(open_as) };
	const char *soname;
	int err = 0;

	if (f.fd >= 0 && (have(lib, f.fd) || lib->n_files == FILES_MAX)) {
		close(f.fd);
		return 0;
	}
	err = f.fd < 0 ? f.fd : xtr_elf_open(&f.elf, f.fd);
	soname = err ? NULL : xtr_elf_soname(f.elf);
	if (err || (by_soname && !(soname && xtr_library_named(soname, lib->name)))) {
		if (err && !by_soname)
			note_bad(lib, path, err);
		drop(&f);
		return err == -ENOMEM ? err : 0;
	}
	f.path = strdup(path);
	f.name = event_name(lib, f.elf, path);
	err = f.path && f.name ? add_file(lib, &f) : -ENOMEM;
	if (err)
		drop(&f);
	return err;
}

static int take_path(void *ctx, const char *path)
{
	return take(ctx, path, path, false);
}

/* A name without a version may have several files in a directory. */
static int take_versions(struct xtr_library *lib, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	char path[4096];
	int err = 0;

	while (d && !err && (de = readdir(d))) {
		if (strcmp(de->d_name, lib->name) == 0 || !xtr_library_named(de->d_name, lib->name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		err = take(lib, path, path, false);
	}
	if (d)
		closedir(d);
	return err;
}

static int look_in_dir(struct xtr_library *lib, const char *dir)
{
	size_t n = strlen(lib->name);
	char path[4096];
	int err;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, lib->name) >= sizeof(path))
		return 0;
	err = take(lib, path, path, false);
	if (!err && n > 3 && strcmp(lib->name + n - 3, ".so") == 0)
		err = take_versions(lib, dir);
	return err;
}

/* Elements with $ORIGIN and the like depend on the program, and are not looked at. */
static int look_in_list(struct xtr_library *lib, const char *list)
{
	char dir[4096];
	int err = 0;

	while (*list && !err) {
		size_t n = strcspn(list, ":;");

		for (size_t i = 0; i < ARRAY_LEN(below) && !err; i++) {
			if (memchr(list, '$', n) ||
			    (size_t)snprintf(dir, sizeof(dir), "%.*s%s", n ? (int)n : 1,
					     n ? list : ".", below[i]) >= sizeof(dir))
				continue;
			err = look_in_dir(lib, dir);
		}
		list += n;
		list += *list != 0;
	}
	return err;
}

static int look_in_cache(struct xtr_library *lib, const char *path)
{
	char *text;
	size_t n;
	int err;

	if (xtr_read_file(path, CACHE_MAX, &text, &n))
		return 0;
	err = xtr_ldcache_each(text, n, lib->name, take_path, lib);
	free(text);
	return err == -EBADMSG ? 0 : err;
}

static int look_like_loader(struct xtr_library *lib, const struct xtr_library_places *p)
{
	int err = (p->ld_library_path ? look_in_list(lib, p->ld_library_path) : 0)
			  ?: look_in_cache(lib, p->cache);

	for (size_t i = 0; p->dirs[i] && !err; i++)
		err = look_in_dir(lib, p->dirs[i]);
	return err;
}

/* A mapped file has the name that the soname's link leads to: libcuda.so.535.1 for libcuda.so.1. */
static bool may_be(const char *name, const char *wanted)
{
	return xtr_library_named(name, wanted) ||
	       (strncmp(name, wanted, strcspn(wanted, ".")) == 0 && strstr(name, ".so"));
}

static int look_at_mapped(struct xtr_library *lib, const struct xtr_mapped *m)
{
	int err = 0;

	for (size_t i = 0; i < m->n && !err; i++) {
		const char *name = file_name(m->v[i].path);

		if (may_be(name, lib->name))
			err = take(lib, m->v[i].open_as, m->v[i].path,
				   !xtr_library_named(name, lib->name));
	}
	return err;
}

static void say_where(struct xtr_library *lib, const struct xtr_library_places *p,
		      size_t n_processes)
{
	if (lib->why[0] || lib->n_files)
		return;
	if (strchr(lib->name, '/'))
		snprintf(lib->why, sizeof(lib->why), "there is no such file");
	else
		snprintf(lib->why, sizeof(lib->why),
			 "not found in %s%.60s or the loader's directories, nor mapped by any of "
			 "%zu processes",
			 p->ld_library_path ? "LD_LIBRARY_PATH, " : "", p->cache, n_processes);
}

static int look(struct xtr_library *lib, const struct xtr_library_places *p,
		const struct xtr_mapped *mapped)
{
	int err;

	lib->files = NULL;
	lib->n_files = 0;
	lib->why[0] = 0;
	if (strchr(lib->name, '/')) {
		err = take(lib, lib->name, lib->name, false);
	} else {
		err = look_like_loader(lib, p) ?: look_at_mapped(lib, mapped);
	}
	say_where(lib, p, mapped->n_processes);
	return err;
}

/* One file may be found under several names. */
static void number_files(struct xtr_library *libs, size_t n)
{
	const struct xtr_library_file *seen[NUMBERED_MAX];
	size_t n_seen = 0, id;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < libs[i].n_files; k++) {
			struct xtr_library_file *f = &libs[i].files[k];

			for (id = 0; id < n_seen && !same_file(seen[id]->fd, f->fd); id++)
				;
			f->id = id;
			if (id == n_seen && n_seen < NUMBERED_MAX)
				seen[n_seen++] = f;
		}
	}
}

static bool wanted(void *ctx, const char *name)
{
	const struct search *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		if (!strchr(s->libs[i].name, '/') && may_be(name, s->libs[i].name))
			return true;
	}
	return false;
}

int xtr_libraries_find(struct xtr_library *libs, size_t n, const uint32_t *pids, size_t n_pids,
		       const struct xtr_library_places *places)
{
	struct xtr_library_places p = places ? *places : (struct xtr_library_places){ 0 };
	struct xtr_mapped mapped = { 0 };
	struct search s = { libs, n };
	int err;

	if (!places)
		p.ld_library_path = getenv("LD_LIBRARY_PATH");
	p.cache = p.cache ? p.cache : CACHE_PATH;
	p.dirs = p.dirs ? p.dirs : default_dirs;
	p.proc = p.proc ? p.proc : "/proc";
	err = xtr_mapped_read(&mapped, p.proc, pids, n_pids, wanted, &s);
	for (size_t i = 0; i < n && !err; i++)
		err = look(&libs[i], &p, &mapped);
	xtr_mapped_free(&mapped);
	if (!err)
		number_files(libs, n);
	return err;
}

void xtr_libraries_free(struct xtr_library *libs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < libs[i].n_files; k++)
			drop(&libs[i].files[k]);
		free(libs[i].files);
		libs[i].files = NULL;
		libs[i].n_files = 0;
	}
}
