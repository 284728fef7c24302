/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"
#include "foreign_files.h"
#include "cli/ui/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add(struct cli_paths *p, const char *path)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 16;
		char **v = reallocarray(p->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n] = strdup(path);
	if (!p->v[p->n])
		return -ENOMEM;
	p->n++;
	return 0;
}

static bool is_trace(const char *name)
{
	static const char suffix[] = ".xtr";
	size_t n = strlen(name);

	return n >= sizeof(suffix) && !strcmp(name + n - (sizeof(suffix) - 1), suffix);
}

/* What opening a file may not say again. */
static bool is_passing(int err)
{
	return err == EIO || err == ENOMEM;
}

/* 0, 1 or -errno. */
static int is_directory(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return 0;
	if (stat(path, &st))
		return is_passing(errno) ? -errno : 0;
	return S_ISDIR(st.st_mode);
}

bool cli_is_directory(const char *path)
{
	return is_directory(path) == 1;
}

int cli_paths_several(int argc, char **argv)
{
	int is = argc == 1 ? is_directory(argv[0]) : argc > 1;

	if (is < 0)
		cli_failed(argv[0], is);
	return is;
}

/* --- directories ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Its path, of a directory that may end with a slash. 0 or -ENOMEM. */
static int add_name(struct cli_paths *to, const char *path, const char *name)
{
	size_t n = strlen(path);
	char *one;
	int err;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (asprintf(&one, "%s%s%s", path, n && path[n - 1] == '/' ? "" : "/", name) < 0)
		return -ENOMEM;
	err = add(to, one);
	free(one);
	return err;
}

/*
 * What is in a directory, in order of names. 0 or -errno. fts(3) will not do: glibc's takes an
 * error for the end of the directory, and writes to memory that it did not get.
 */
static int list(struct cli_paths *to, const char *path)
{
	const struct dirent *e;
	DIR *d = opendir(path);
	int err = 0;

	if (!d)
		return -errno;
	while (!err && (errno = 0, e = readdir(d)))
		err = add_name(to, path, e->d_name);
	err = err ? err : -errno;
	closedir(d);
	if (to->n)
		qsort(to->v, to->n, sizeof(*to->v), by_name);
	return err;
}

static int add_below(struct cli_paths *p, const char *path, int *status);

/* A file, a link to one, or a directory, but for one that a link leads to. *status: of what could
 * not be read, which is told. 0 or -ENOMEM. */
static int add_found(struct cli_paths *p, const char *path, int *status)
{
	struct stat st;

	if (lstat(path, &st)) {
		if (errno != ENOENT) /* gone meanwhile */
			*status = cli_failed(path, -errno);
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return add_below(p, path, status);
	if (!is_trace(strrchr(path, '/') + 1))
		return 0;
	if (S_ISLNK(st.st_mode) && stat(path, &st)) {
		if (is_passing(errno))
			*status = cli_failed(path, -errno);
		return 0;
	}
	return S_ISREG(st.st_mode) ? add(p, path) : 0;
}

static int add_below(struct cli_paths *p, const char *path, int *status)
{
	struct cli_paths found = { 0 };
	int err = list(&found, path);

	if (err && err != -ENOMEM) {
		*status = cli_failed(path, err);
		err = 0;
	}
	for (size_t i = 0; i < found.n && !err; i++)
		err = add_found(p, found.v[i], status);
	cli_paths_free(&found);
	return err;
}

/* Returns the exit status. */
static int add_directory(struct cli_paths *p, const char *path)
{
	const size_t before = p->n;
	int status = XTR_EXIT_OK, err = add_below(p, path, &status);

	if (err)
		return cli_failed(path, err);
	if (p->n > before || status != XTR_EXIT_OK)
		return status;
	if (!foreign_is_directory(path, -EISDIR))
		cli_error("'%s': there is no .xtr file in this directory", path);
	return XTR_EXIT_FAILURE;
}

int cli_paths_expand(struct cli_paths *p, size_t n, const char *const *args)
{
	int status = XTR_EXIT_OK, one;

	for (size_t i = 0; i < n; i++) {
		int is = is_directory(args[i]);

		if (is < 0)
			one = cli_failed(args[i], is);
		else if (is)
			one = add_directory(p, args[i]);
		else
			one = add(p, args[i]) ? cli_failed(args[i], -ENOMEM) : XTR_EXIT_OK;
		status = status ?: one;
	}
	return status;
}

void cli_paths_free(struct cli_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct cli_paths){ 0 };
}
