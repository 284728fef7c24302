/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of what recording calls of functions needs (doctor.h). They attach nothing. */
#ifndef XTR_RECORDER_PROBE_CALLS_H
#define XTR_RECORDER_PROBE_CALLS_H

#include "doctor.h"

void xtr_check_kprobes(struct xtr_check *c);
void xtr_check_kprobe_multi(struct xtr_check *c);
void xtr_check_kprobe_session(struct xtr_check *c);
void xtr_check_uprobes(struct xtr_check *c);
/* An Intel NPU and its driver. */
void xtr_check_npu(struct xtr_check *c);

#endif /* XTR_RECORDER_PROBE_CALLS_H */
