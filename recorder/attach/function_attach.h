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

#endif /* XTR_RECORDER_PROBE_ATTACH_H */
