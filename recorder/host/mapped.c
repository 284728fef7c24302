/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc(5): a mapping is "from-to perms offset major:minor inode path". Its file is opened through
 * map_files where that is allowed, which leads to the very file even if it was replaced or deleted
 * since; else through the process' root, which leads into its container.
 */
#include "mapped.h"
#include "util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define DELETED    " (deleted)"

struct walk {
	struct xtr_mapped *all;
	const char *proc;
	bool (*wanted)(void *ctx, const char *name);
	void *ctx;
};

struct mapping {
	uint64_t from, to, dev, ino;
	char path[PATH_BYTES];
};

/* One line of maps that runs code of a file. */
static bool parse(char *line, struct mapping *m)
{
	unsigned int major, minor;
	char perms[5];
	size_t n;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64 " %n", &m->from, &m->to,
		   perms, &major, &minor, &m->ino, &at) < 6 ||
	    !at || perms[2] != 'x' || !m->ino || line[at] != '/')
		return false;
	n = strcspn(line + at, "\n");
	if (n >= sizeof(m->path))
		return false;
	memcpy(m->path, line + at, n);
	m->path[n] = 0;
	m->dev = (uint64_t)major << 32 | minor;
	return true;
}

static bool have(const struct xtr_mapped *all, const struct mapping *m)
{
	for (size_t i = all->n; i-- > 0;) {
		const struct xtr_mapped_file *f = &all->v[i];

		if (f->ino == m->ino && f->dev == m->dev && strcmp(f->path, m->path) == 0)
			return true;
	}
	return false;
}

/* A path that leads to the file from here, in *way, NULL if there is none. 0 or -ENOMEM. */
static int way_to(const char *proc, uint32_t pid, const struct mapping *m, char **way)
{
	size_t n = strlen(m->path), cut = strlen(DELETED);

	if (asprintf(way, "%s/%u/map_files/%" PRIx64 "-%" PRIx64, proc, pid, m->from, m->to) < 0)
		return -ENOMEM;
	if (xtr_access(*way, R_OK) == 0)
		return 0;
	free(*way);
	if (n > cut && strcmp(m->path + n - cut, DELETED) == 0)
		n -= cut;
	if (asprintf(way, "%s/%u/root%.*s", proc, pid, (int)n, m->path) < 0)
		return -ENOMEM;
	if (xtr_access(*way, R_OK) == 0)
		return 0;
	free(*way);
	*way = NULL;
	return 0;
}

static int add(struct xtr_mapped *all, const char *proc, uint32_t pid, const struct mapping *m)
{
	struct xtr_mapped_file *more;
	char *way;
	int err = way_to(proc, pid, m, &way);

	if (err || !way)
		return err;
	more = reallocarray(all->v, all->n + 1, sizeof(*more));
	if (!more) {
		free(way);
		return -ENOMEM;
	}
	all->v = more;
	more[all->n] = (struct xtr_mapped_file){
		.path = strdup(m->path), .open_as = way, .dev = m->dev, .ino = m->ino
	};
	return more[all->n++].path ? 0 : -ENOMEM;
}

static int read_process(const struct walk *w, uint32_t pid)
{
	char path[300], *line = NULL;
	struct mapping m;
	size_t size = 0;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.250s/%u/maps", w->proc, pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!err && w->all->n < XTR_MAPPED_MAX && getline(&line, &size, f) > 0) {
		if (parse(line, &m) && w->wanted(w->ctx, strrchr(m.path, '/') + 1) &&
		    !have(w->all, &m))
			err = add(w->all, w->proc, pid, &m);
	}
	free(line);
	fclose(f);
	w->all->n_processes++;
	return err;
}

static int read_all(const struct walk *w)
{
	struct dirent *de;
	DIR *d = opendir(w->proc);
	int err = 0;

	while (d && !err && (de = readdir(d))) {
		if (isdigit((unsigned char)de->d_name[0]))
			err = read_process(w, (uint32_t)strtoul(de->d_name, NULL, 10));
	}
	if (d)
		closedir(d);
	return err;
}

int xtr_mapped_read(struct xtr_mapped *m, const char *proc, const uint32_t *pids, size_t n_pids,
		    bool (*wanted)(void *ctx, const char *name), void *ctx)
{
	const struct walk w = { m, proc, wanted, ctx };
	int err = 0;

	*m = (struct xtr_mapped){ 0 };
	if (!n_pids)
		err = read_all(&w);
	for (size_t i = 0; i < n_pids && !err; i++)
		err = read_process(&w, pids[i]);
	if (err)
		xtr_mapped_free(m);
	return err;
}

void xtr_mapped_free(struct xtr_mapped *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].path);
		free(m->v[i].open_as);
	}
	free(m->v);
	*m = (struct xtr_mapped){ 0 };
}
