/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine lets a process do with perf events. */
#ifndef XTR_RECORDER_PERF_EVENTS_H
#define XTR_RECORDER_PERF_EVENTS_H

#include <stdbool.h>

/* Type of a PMU by name ("kprobe", "uprobe"), -ENOENT: the kernel has none. */
int xtr_probe_pmu(const char *name);

/* May this process open no perf events, although it has CAP_PERFMON? */
bool xtr_perf_forbidden(void);
/* Words for an error of attaching by a perf event. */
const char *xtr_perf_why(int err);

#endif /* XTR_RECORDER_PERF_EVENTS_H */
