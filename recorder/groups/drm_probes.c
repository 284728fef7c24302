// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names and arguments as in drivers/gpu/drm and drivers/accel/amdxdna of Linux 6.1 to 7.2, ioctl
 * data as in include/uapi/drm.
 */
#include "drm_probes.h"

#define IN                     XTR_IOCTL_IN
#define OUT                    XTR_IOCTL_OUT
#define SIZE                   XTR_IOCTL_SIZE
#define ROW(driver, what, ...) .purpose = (what), .module = (driver), .candidates = { __VA_ARGS__ }
#define COUNT(table)           (sizeof(table) / sizeof(*(table)))

/* Resets and timeouts have no tracepoints; nor has what the submission itself takes. */
const struct xtr_group_probe xtr_amdgpu_probes[] = {
	{ ROW("amdgpu", "submit", "amdgpu_cs_ioctl"), .ret = XTR_RET_INT },
	{ ROW("amdgpu", "job_timeout", "amdgpu_job_timedout"),
	  .captures = { XTR_OBJECT("job", 0) } },
	{ ROW("amdgpu", "reset", "amdgpu_device_gpu_recover"), .ret = XTR_RET_INT,
	  .captures = { XTR_OBJECT("device", 0) } },
};
const size_t xtr_n_amdgpu_probes = COUNT(xtr_amdgpu_probes);

const struct xtr_group_probe xtr_i915_probes[] = {
	{ ROW("i915", "submit", "i915_gem_execbuffer2_ioctl"), .ret = XTR_RET_INT },
	{ ROW("i915", "reset", "intel_gt_reset"),
	  .captures = { XTR_OBJECT("gt", 0),
			{ .name = "stalled_mask", .repr = XTR_REPR_HEX32, .number = 1 } } },
};
const size_t xtr_n_i915_probes = COUNT(xtr_i915_probes);

const struct xtr_group_probe xtr_xe_probes[] = {
	{ ROW("xe", "submit", "xe_exec_ioctl"), .ret = XTR_RET_INT },
	{ ROW("xe", "vm_bind", "xe_vm_bind_ioctl"), .ret = XTR_RET_INT },
	{ ROW("xe", "reset", "xe_gt_reset_async"), .captures = { XTR_OBJECT("gt", 0) } },
};
const size_t xtr_n_xe_probes = COUNT(xtr_xe_probes);

/* drm_vblank_event does not say whose it is: the device, and its pipe, of the call around it. */
const struct xtr_group_probe xtr_display_probes[] = {
	{ ROW("drm", "vblank", "drm_handle_vblank"),
	  .captures = { XTR_OBJECT("device", 0),
			{ .name = "pipe", .repr = XTR_REPR_U32, .number = 1 } } },
};
const size_t xtr_n_display_probes = COUNT(xtr_display_probes);

/* No tracepoints at all; pushbuf is the way of the classic user space driver. */
const struct xtr_group_probe xtr_nouveau_probes[] = {
	{ ROW("nouveau", "pushbuf", "nouveau_gem_ioctl_pushbuf"), .ret = XTR_RET_INT,
	  .captures = { IN("channel", 0, U32), IN("nr_buffers", 4, U32), IN("nr_push", 20, U32) } },
	{ ROW("nouveau", "exec", "nouveau_exec_ioctl_exec"), .ret = XTR_RET_INT,
	  .captures = { IN("channel", 0, U32), IN("push_count", 4, U32) } },
	{ ROW("nouveau", "vm_bind", "nouveau_uvmm_ioctl_vm_bind"), .ret = XTR_RET_INT,
	  .captures = { IN("op_count", 0, U32) } },
	{ ROW("nouveau", "bo_create", "nouveau_gem_ioctl_new"), .ret = XTR_RET_INT,
	  .captures = { SIZE(8), IN("domain", 4, HEX32), OUT("handle", 0, U32) } },
	{ ROW("nouveau", "bo_wait", "nouveau_gem_ioctl_cpu_prep"), .ret = XTR_RET_INT,
	  .captures = { IN("handle", 0, U32) } },
};
const size_t xtr_n_nouveau_probes = COUNT(xtr_nouveau_probes);

const struct xtr_group_probe xtr_amdxdna_probes[] = {
	{ ROW("amdxdna", "submit", "amdxdna_drm_submit_cmd_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("hwctx", 16, U32), IN("cmd_count", 40, U32), OUT("seq", 48, U64) } },
	{ ROW("amdxdna", "wait", "amdxdna_drm_wait_cmd_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("hwctx", 0, U32), IN("seq", 8, U64) } },
	{ ROW("amdxdna", "bo_create", "amdxdna_drm_create_bo_ioctl"), .ret = XTR_RET_INT,
	  .captures = { SIZE(16), IN("type", 24, U32), OUT("handle", 28, U32) } },
	{ ROW("amdxdna", "hwctx_create", "amdxdna_drm_create_hwctx_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("num_tiles", 36, U32), OUT("handle", 48, U32) } },
	{ ROW("amdxdna", "hwctx_destroy", "amdxdna_drm_destroy_hwctx_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("handle", 0, U32) } },
};
const size_t xtr_n_amdxdna_probes = COUNT(xtr_amdxdna_probes);
