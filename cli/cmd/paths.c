/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"
#include "foreign_files.h"
#include "cli/ui/cli.h"

#include <errno.h>
#include <fts.h>
#include <stdint.h>
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

bool cli_is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool cli_paths_several(int argc, char **argv)
{
	return argc > 1 || (argc == 1 && cli_is_directory(argv[0]));
}

/* Of links what they are to. */
static bool is_file(const FTSENT *e)
{
	struct stat st;

	if (e->fts_info == FTS_F)
		return true;
	return e->fts_info == FTS_SL && !stat(e->fts_accpath, &st) && S_ISREG(st.st_mode);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What was found; *status: of what could not be read. 0 or -ENOMEM. */
static int found(struct cli_paths *p, const FTSENT *e, int *status)
{
	switch (e->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		*status = cli_failed(e->fts_path, e->fts_errno);
		return 0;
	default:
		return is_trace(e->fts_name) && is_file(e) ? add(p, e->fts_path) : 0;
	}
}

/* Returns the exit status. */
static int add_directory(struct cli_paths *p, const char *path)
{
	char *const roots[] = { (char *)(uintptr_t)path, NULL };
	const size_t before = p->n;
	int status = XTR_EXIT_OK, err = 0;
	FTSENT *e;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);

	if (!fts)
		return cli_failed(path, errno);
	for (errno = 0; !err && (e = fts_read(fts)); errno = 0)
		err = found(p, e, &status);
	if (!err && errno)
		status = cli_failed(path, errno);
	fts_close(fts);
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
		if (cli_is_directory(args[i]))
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
