/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracepoints of the groups (groups.h): tables without code. */
#ifndef XTR_RECORDER_GROUP_EVENTS_H
#define XTR_RECORDER_GROUP_EVENTS_H

#include <stdbool.h>

/* One tracepoint, or several of a pattern. */
struct xtr_group_event {
	const char *name;   /* "system:event", or a glob; NULL ends a table */
	const char *module; /* the driver that has it; NULL: the group's */
	const char *absent; /* why a kernel with the driver may lack it; NULL: nothing known */
	bool rest; /* whatever else there is: what newer kernels have, never said to be missing */
};

extern const struct xtr_group_event xtr_npu_events[];
extern const struct xtr_group_event xtr_amdgpu_events[];
extern const struct xtr_group_event xtr_amdgpu_vm_events[];
extern const struct xtr_group_event xtr_amdgpu_regs_events[];
extern const struct xtr_group_event xtr_i915_events[];
extern const struct xtr_group_event xtr_i915_regs_events[];
extern const struct xtr_group_event xtr_i915_display_events[];
extern const struct xtr_group_event xtr_xe_events[];
extern const struct xtr_group_event xtr_xe_regs_events[];
extern const struct xtr_group_event xtr_xe_display_events[];
extern const struct xtr_group_event xtr_display_events[];
extern const struct xtr_group_event xtr_nvidia_events[];
extern const struct xtr_group_event xtr_amdxdna_events[];
extern const struct xtr_group_event xtr_virtio_gpu_events[];
extern const struct xtr_group_event xtr_cpu_events[];

/* group_events.c */
extern const struct xtr_group_event xtr_radeon_events[];
extern const struct xtr_group_event xtr_radeon_vm_events[];
extern const struct xtr_group_event xtr_msm_events[];
extern const struct xtr_group_event xtr_v3d_events[];
extern const struct xtr_group_event xtr_vc4_events[];
extern const struct xtr_group_event xtr_lima_events[];
extern const struct xtr_group_event xtr_panthor_events[];
extern const struct xtr_group_event xtr_powervr_events[];
extern const struct xtr_group_event xtr_host1x_events[];
extern const struct xtr_group_event xtr_host1x_push_events[];
extern const struct xtr_group_event xtr_kgsl_events[];
extern const struct xtr_group_event xtr_mali_events[];

#endif /* XTR_RECORDER_GROUP_EVENTS_H */
