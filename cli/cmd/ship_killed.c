/* SPDX-License-Identifier: BSD-2-Clause */
#include "ship_killed.h"

#include "recorder/salvage/salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is the file of this path, which need not be there, in the directory? */
static bool is_in(const char *path, const struct stat *dir)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
	struct stat st;
	bool is = folder && !stat(folder, &st) && st.st_dev == dir->st_dev &&
		  st.st_ino == dir->st_ino;

	free(folder);
	return is;
}

static void take(struct ship_recorders *all, const struct xtr_leftover *l, const struct stat *dir)
{
	struct ship_recorder *r = &all->v[all->n];

	if (!l->alive && l->nothing && l->last && is_in(l->output, dir))
		xtr_leftover_drop(l->id); /* while its files are here: they say that it is done */
	if (l->nothing || (!l->error && !l->last))
		return; /* all is in its files; or it writes one file */
	if (l->error == -EACCES || l->error == -EPERM) {
		all->unknown = true;
		return;
	}
	if (!is_in(l->output, dir))
		return;
	*r = (struct ship_recorder){ .first = l->first, .last = l->last, .alive = l->alive };
	snprintf(r->output, sizeof(r->output), "%s", strrchr(l->output, '/') + 1);
	all->n++;
}

int ship_recorders(int dir, struct ship_recorders *all)
{
	struct xtr_leftover *v;
	struct stat st;
	size_t n;
	int err;

	*all = (struct ship_recorders){ 0 };
	if (fstat(dir, &st))
		return -errno;
	err = xtr_leftovers(&v, &n);
	if (err == -EACCES || err == -EPERM) {
		all->unknown = true;
		return 0;
	}
	if (err)
		return err;
	all->v = calloc(n + 1, sizeof(*all->v));
	for (size_t i = 0; all->v && i < n; i++)
		take(all, &v[i], &st);
	free(v);
	return all->v ? 0 : -ENOMEM;
}

void ship_recorders_free(struct ship_recorders *all)
{
	free(all->v);
	*all = (struct ship_recorders){ 0 };
}
