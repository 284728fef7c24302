/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of DRM drivers, for what their tracepoints do not tell. */
#ifndef XTR_RECORDER_DRM_PROBES_H
#define XTR_RECORDER_DRM_PROBES_H

#include "group_row.h"

#include <stddef.h>

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

#endif /* XTR_RECORDER_DRM_PROBES_H */
