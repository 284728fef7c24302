/* SPDX-License-Identifier: BSD-2-Clause */
#include "cgroups.h"
#include "recorder/host/proc_task.h"

#include <string.h>

size_t xtr_cgroup_path(const char *names, uint32_t used, char path[XTR_CGROUP_PATH])
{
	size_t end = used < XTR_CGROUP_PATH ? used : XTR_CGROUP_PATH - 1, n = 0;

	while (end > 0) { /* the name in front of the NUL at end - 1 */
		size_t from = --end;

		while (from && names[from - 1])
			from--;
		path[n++] = '/';
		memcpy(path + n, names + from, end - from);
		n += end - from;
		end = from;
	}
	if (!n)
		path[n++] = '/';
	path[n] = 0;
	return n;
}

int xtr_cgroups_take(struct xtr_cgroups *c, const struct xtr_ctl_cgroup *def)
{
	char path[XTR_CGROUP_PATH];
	const uint64_t *told;
	size_t at, n;

	if (def->cut || def->used >= sizeof(path))
		return 0;
	n = xtr_cgroup_path(def->names, def->used, path);
	/* Programs tell again what they had to forget (BPF_MAP_TYPE_LRU_HASH). */
	told = xtr_map_get(&c->by_id, def->id, 0);
	if (told && !strcmp((const char *)c->paths.p + *told, path))
		return 0;
	if (c->by_id.n >= XTR_CGROUPS_MAX)
		xtr_cgroups_free(c);
	at = c->paths.n;
	xtr_buf_add(&c->paths, path, n + 1);
	return c->paths.err ?: xtr_map_put(&c->by_id, def->id, 0, at);
}

static uint32_t intern(struct xtr_tables *t, const char *path)
{
	uint32_t id;

	return xtr_tables_intern(t, path, strlen(path), &id) ? 0 : id;
}

/* Asked anew each time: a process that begins a program has often just been moved. */
static uint32_t ask_proc(struct xtr_tables *t, uint32_t pid)
{
	char path[XTR_CGROUP_PATH];

	return pid && xtr_proc_cgroup(pid, path, sizeof(path)) ? intern(t, path) : 0;
}

/* Interned anew each time: the next piece's tables lack what nobody named when it began. */
uint32_t xtr_cgroups_of(const struct xtr_cgroups *c, struct xtr_tables *t,
			const struct xtr_ctl_task *def)
{
	const uint64_t *told = def->cgroup ? xtr_map_get(&c->by_id, def->cgroup, 0) : NULL;

	return told ? intern(t, (const char *)c->paths.p + *told) : ask_proc(t, def->tgid);
}

void xtr_cgroups_free(struct xtr_cgroups *c)
{
	xtr_map_free(&c->by_id);
	xtr_buf_free(&c->paths);
}
