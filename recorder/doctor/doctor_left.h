/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks about recorders that are killed. */
#ifndef XTR_RECORDER_PROBE_LEFT_H
#define XTR_RECORDER_PROBE_LEFT_H

#include "doctor.h"

void xtr_check_bpffs(struct xtr_check *c);
void xtr_check_left(struct xtr_check *c);

#endif /* XTR_RECORDER_PROBE_LEFT_H */
