/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities of this process: asking for them, and giving them up. */
#ifndef XTR_RECORDER_CAPS_H
#define XTR_RECORDER_CAPS_H

#include <stdbool.h>
#include <stdint.h>

/* cap: CAP_* of <linux/capability.h>. */
bool xtr_cap_have(int cap);
/*
 * Keep only the capabilities of the mask (1 << CAP_*), of this thread and those it starts, for
 * good: the other ones are permitted, inheritable, ambient and, where this process may say so
 * (CAP_SETPCAP), bounding no more, and no program can bring them back (no_new_privs). 0 or -errno.
 */
int xtr_caps_keep(uint64_t mask);
/* None is effective until xtr_caps_resume, in this thread: for what shall be done with the rights
 * of the user alone. *was: what xtr_caps_resume takes. 0 or -errno. */
int xtr_caps_suspend(uint64_t *was);
int xtr_caps_resume(uint64_t was);
/* Give up what the program's file gave: for a child that runs another program. The bounding set and
 * no_new_privs stay as they are, so that it may be sudo. 0 or -errno. */
int xtr_caps_forget(void);

/* --- perf events ------------------------------------------------------------------------------ */

/* What this machine lets a process do with perf events. */
/* Type of a PMU by name ("kprobe", "uprobe"), -ENOENT: the kernel has none. */
int xtr_probe_pmu(const char *name);

/* May this process open no perf events, although it has CAP_PERFMON? */
bool xtr_perf_forbidden(void);
/* Words for an error of attaching by a perf event. */
const char *xtr_perf_why(int err);

#endif /* XTR_RECORDER_CAPS_H */
