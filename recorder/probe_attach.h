/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching the programs for calls of functions: what kernel functions and libraries share. */
#ifndef XTR_RECORDER_PROBE_ATTACH_H
#define XTR_RECORDER_PROBE_ATTACH_H

#include "loader.h"

struct perf_event_attr;

/*
 * Attach all functions of the selection. What became of each is in the probe (state, attach, why)
 * and in the results of b. Returns the number of functions attached, or -errno.
 */
int xtr_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel);

/*
 * Open the perf event, attach a program to it with this cookie, and keep the attachment with b's
 * links. 0 or -errno.
 */
int xtr_probe_attach_perf(struct xtr_bpf *b, const struct perf_event_attr *attr, int prog_fd,
			  uint64_t cookie);
/* Type of a PMU by name ("kprobe", "uprobe"), -ENOENT: the kernel has none. */
int xtr_probe_pmu(const char *name);

/* May this process open no perf events, although it has CAP_PERFMON? */
bool xtr_perf_forbidden(void);
/* Words for an error of attaching by a perf event. */
const char *xtr_perf_why(int err);

#endif /* XTR_RECORDER_PROBE_ATTACH_H */
