/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of groups `nvidia` and `nvidia:uvm`. */
#ifndef XTR_RECORDER_NVIDIA_PROBES_H
#define XTR_RECORDER_NVIDIA_PROBES_H

#include "group_row.h"

#include <stddef.h>

extern const struct xtr_group_probe xtr_nvidia_probes[];
extern const size_t xtr_n_nvidia_probes;
extern const struct xtr_group_probe xtr_uvm_probes[];
extern const size_t xtr_n_uvm_probes;

#endif /* XTR_RECORDER_NVIDIA_PROBES_H */
