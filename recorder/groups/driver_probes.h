/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of drivers, for what their tracepoints do not tell: tables without code. */
#ifndef XTR_DRIVER_PROBES_H
#define XTR_DRIVER_PROBES_H

#include "group_row.h"

#include <stddef.h>

/* --- drm probes ------------------------------------------------------------------------------- */

/* Functions of DRM drivers, for what their tracepoints do not tell. */
extern const struct xtr_group_probe xtr_amdgpu_probes[];
extern const size_t xtr_n_amdgpu_probes;
extern const struct xtr_group_probe xtr_i915_probes[];
extern const size_t xtr_n_i915_probes;
extern const struct xtr_group_probe xtr_xe_probes[];
extern const size_t xtr_n_xe_probes;
extern const struct xtr_group_probe xtr_display_probes[];
extern const size_t xtr_n_display_probes;
extern const struct xtr_group_probe xtr_nouveau_probes[];
extern const size_t xtr_n_nouveau_probes;
extern const struct xtr_group_probe xtr_amdxdna_probes[];
extern const size_t xtr_n_amdxdna_probes;

/* --- npu probes ------------------------------------------------------------------------------- */

/* The functions of group `npu`. */
extern const struct xtr_group_probe xtr_npu_probes[];
extern const size_t xtr_n_npu_probes;

/* --- nvidia probes ---------------------------------------------------------------------------- */

/* The functions of groups `nvidia` and `nvidia:uvm`. */
extern const struct xtr_group_probe xtr_nvidia_probes[];
extern const size_t xtr_n_nvidia_probes;
extern const struct xtr_group_probe xtr_uvm_probes[];
extern const size_t xtr_n_uvm_probes;

#endif /* XTR_DRIVER_PROBES_H */
