/* SPDX-License-Identifier: BSD-2-Clause */
#include "ship_killed.h"

#include "recorder/salvage/salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What may be another time: what is not known now must not be taken for nothing. */
static bool is_passing(int err)
{
	return err == -ENOMEM || err == -EIO || err == -EMFILE || err == -ENFILE;
}

/* Is the file of this path, which need not be there, in the directory? 0, 1 or -errno. */
static int is_in(const char *path, const struct stat *dir)
{
	const char *slash = strrchr(path, '/');
	char *folder;
	struct stat st;
	int is;

	if (!slash)
		return 0;
	folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!folder)
		return -ENOMEM;
	if (!stat(folder, &st))
		is = st.st_dev == dir->st_dev && st.st_ino == dir->st_ino;
	else
		is = is_passing(-errno) ? -errno : 0;
	free(folder);
	return is;
}

static int take(struct ship_recorders *all, const struct xtr_leftover *l, const struct stat *dir)
{
	struct ship_recorder *r = &all->v[all->n];
	int is = 0;

	if (is_passing(l->error))
		return l->error;
	if (!l->alive && l->nothing && l->last)
		is = is_in(l->output, dir);
	if (is == 1)
		xtr_leftover_drop(l->id); /* while its files are here: they say that it is done */
	if (is < 0 || l->nothing || (!l->error && !l->last))
		return is < 0 ? is : 0; /* all is in its files; or it writes one file */
	if (l->error == -EACCES || l->error == -EPERM) {
		all->unknown = true;
		return 0;
	}
	is = is_in(l->output, dir);
	if (is != 1)
		return is;
	*r = (struct ship_recorder){ .first = l->first, .last = l->last, .alive = l->alive };
	snprintf(r->output, sizeof(r->output), "%s", strrchr(l->output, '/') + 1);
	all->n++;
	return 0;
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
	err = all->v ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = take(all, &v[i], &st);
	free(v);
	return err;
}

void ship_recorders_free(struct ship_recorders *all)
{
	free(all->v);
	*all = (struct ship_recorders){ 0 };
}
