/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control groups of tasks. Programs tell the path of each
 * group before the first task in it, so that it is known of a process that lived for a moment in a
 * group that is gone. Of tasks that the trace ring told, and where there was no room for the path,
 * /proc is asked: whose process is gone by then has none.
 */
#ifndef XTR_RECORDER_CGROUPS_H
#define XTR_RECORDER_CGROUPS_H

#include "recorder/host/bpfdefs.h"

#include "base/buf.h"
#include "base/map.h"
#include "format/meta/tables.h"

/* As many as programs remember to have told (bpf/cgroup.bpf.h); then all are forgotten. */
#define XTR_CGROUPS_MAX 8192u

struct xtr_cgroups {          /* all zero: empty */
	struct xtr_map by_id; /* the kernel's id -> where its path begins */
	struct xtr_buf paths; /* each with its NUL */
};

/* Take what a program told. 0 or -ENOMEM. */
int xtr_cgroups_take(struct xtr_cgroups *c, const struct xtr_ctl_cgroup *def);
/* String id of the path of a task's group; 0: not known. */
uint32_t xtr_cgroups_of(const struct xtr_cgroups *c, struct xtr_tables *t,
			const struct xtr_ctl_task *def);
void xtr_cgroups_free(struct xtr_cgroups *c);

#define XTR_CGROUP_PATH (XTR_CGROUP_NAMES + XTR_CGROUP_NAME + 1) /* bytes, with the NUL */

/* The path of names upwards, `used` bytes of them: "c\0b\0" is "/b/c", none is "/". Its length. */
size_t xtr_cgroup_path(const char *names, uint32_t used, char path[XTR_CGROUP_PATH]);

#endif /* XTR_RECORDER_CGROUPS_H */
