/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree: mounting, looking up and listing. The parser is in tpformat.c. */
#include "tracefs.h"
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TRACEFS_MAGIC 0x74726163 /* include/uapi/linux/magic.h */
#define FORMAT_MAX    (1u << 20) /* bytes of a format file */

static const char *const tracefs_places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static bool is_tracefs(const char *dir)
{
	struct statfs st;

	return statfs(dir, &st) == 0 && st.f_type == TRACEFS_MAGIC;
}

const char *xtr_tracefs_dir(int *err)
{
	*err = 0;
	for (size_t i = 0; i < ARRAY_LEN(tracefs_places); i++) {
		if (is_tracefs(tracefs_places[i]))
			return tracefs_places[i];
	}
	if (mount("tracefs", tracefs_places[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL) == 0)
		return tracefs_places[0];
	*err = -errno;
	return NULL;
}

/* Names that stand in a path: no separators, not hidden. */
static bool plain_name(const char *s)
{
	return s[0] && s[0] != '.' && !strchr(s, '/');
}

static int event_path(char *buf, size_t n, const char *system, const char *event, const char *file)
{
	int err, len;
	const char *dir = xtr_tracefs_dir(&err);

	if (!dir)
		return err;
	if (!plain_name(system) || !plain_name(event))
		return -ENOENT;
	len = snprintf(buf, n, "%s/events/%s/%s/%s", dir, system, event, file);
	return len < 0 || (size_t)len >= n ? -ENAMETOOLONG : 0;
}

int xtr_tracefs_format(const char *system, const char *event, struct xtr_tp_format **f)
{
	char path[512], *text;
	size_t n;
	int err = event_path(path, sizeof(path), system, event, "format")
			  ?: xtr_read_file(path, FORMAT_MAX, &text, &n);

	if (err)
		return err;
	err = xtr_tp_format_parse(f, text, n);
	free(text);
	return err;
}

int xtr_tracefs_look(const char *system, const char *event)
{
	char path[512];

	return event_path(path, sizeof(path), system, event, "format") ?: xtr_access(path, F_OK);
}

bool xtr_tracefs_has(const char *system, const char *event)
{
	return xtr_tracefs_look(system, event) == 0;
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void free_list(struct dirent **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

static int each_event(const char *dir, const char *system,
		      int (*fn)(void *ctx, const char *system, const char *event), void *ctx)
{
	char path[1024];
	struct dirent **list;
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, system);
	n = scandir(path, &list, not_hidden, alphasort);
	if (n < 0)
		return errno == ENOTDIR ? 0 : -errno;
	for (int i = 0; i < n && !err; i++) {
		err = xtr_tracefs_look(system, list[i]->d_name);
		if (!err)
			err = fn(ctx, system, list[i]->d_name);
		else if (err == -ENOENT || err == -ENOTDIR || err == -EACCES)
			err = 0; /* no event, or not for us */
	}
	free_list(list, n);
	return err;
}

int xtr_tracefs_each(int (*fn)(void *ctx, const char *system, const char *event), void *ctx)
{
	char path[512];
	struct dirent **list;
	int n, ret = 0, err;
	const char *dir = xtr_tracefs_dir(&err);

	if (!dir)
		return err;
	snprintf(path, sizeof(path), "%s/events", dir);
	n = scandir(path, &list, not_hidden, alphasort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n && !ret; i++) {
		if (list[i]->d_type != DT_REG)
			ret = each_event(path, list[i]->d_name, fn, ctx);
	}
	free_list(list, n);
	return ret;
}
