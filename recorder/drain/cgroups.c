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

int xtr_cgroups_take(struct xtr_cgroups *c, struct xtr_tables *t, const struct xtr_ctl_cgroup *def)
{
	char path[XTR_CGROUP_PATH];
	uint32_t id;
	int err;

	if (def->cut || def->used >= sizeof(path))
		return 0;
	err = xtr_tables_intern(t, path, xtr_cgroup_path(def->names, def->used, path), &id);
	return err ? err : xtr_map_put(&c->by_id, def->id, 0, id);
}

/* Asked anew each time: a process that begins a program has often just been moved. */
static uint32_t ask_proc(struct xtr_tables *t, uint32_t pid)
{
	char path[XTR_CGROUP_PATH];
	uint32_t id;

	if (!pid || !xtr_proc_cgroup(pid, path, sizeof(path)) ||
	    xtr_tables_intern(t, path, strlen(path), &id))
		return 0;
	return id;
}

uint32_t xtr_cgroups_of(const struct xtr_cgroups *c, struct xtr_tables *t,
			const struct xtr_ctl_task *def)
{
	const uint64_t *told = def->cgroup ? xtr_map_get(&c->by_id, def->cgroup, 0) : NULL;

	return told ? (uint32_t)*told : ask_proc(t, def->tgid);
}

void xtr_cgroups_free(struct xtr_cgroups *c)
{
	xtr_map_free(&c->by_id);
}
