/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of group `npu`. */
#ifndef XTR_RECORDER_NPU_PROBES_H
#define XTR_RECORDER_NPU_PROBES_H

#include "group_row.h"

#include <stddef.h>

extern const struct xtr_group_probe xtr_npu_probes[];
extern const size_t xtr_n_npu_probes;

#endif /* XTR_RECORDER_NPU_PROBES_H */
