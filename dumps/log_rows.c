/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of the kernel's log that tell of a hang, by driver. The first one that is found in a line
 * counts: the longer of two that begin alike stands first.
 */
#include "dump_rows.h"

#define F   DUMP_F
#define ROW DUMP_ROW

#define HANG          .mode = DUMP_NEW, .failure = true, .also = F(MESSAGE)
#define OUTCOME(text) .mode = DUMP_LAST, .also = F(OUTCOME), .is = (text)
/* The first that is said of it. */
#define RESET(text) .mode = DUMP_NEW, .failure = true, .also = F(OUTCOME), .is = (text)
#define OF(name)    .driver = (name)

const struct dump_row dump_log_rows[] = {
	/* drivers/gpu/drm/amd/amdgpu/amdgpu_job.c, amdgpu_job_timedout */
	{ ROW("ring %w timeout, signaled seq=%u, emitted seq=%u", F(RING), F(SIGNALED), F(EMITTED)),
	  HANG, OF("amdgpu") },
	{ ROW("ring %w timeout, but soft recovered", F(RING)), HANG, OF("amdgpu") },
	{ ROW("Process information: process %s pid %d thread ", F(COMM), F(PID)), .mode = DUMP_NEW,
	  OF("amdgpu") },
	{ ROW("Starting %w ring reset", F(RING)), .mode = DUMP_NEW, OF("amdgpu") },
	{ ROW("Ring %w reset succeeded", F(RING)), OUTCOME("ring reset"), OF("amdgpu") },
	{ ROW("Ring %w reset fail", F(RING)), OUTCOME("ring reset failed"), OF("amdgpu") },
	/* amdgpu_device.c, amdgpu_device_gpu_recover */
	{ ROW("GPU reset(%u) succeeded!"), OUTCOME("device reset"), OF("amdgpu") },
	{ ROW("GPU Recovery Failed: %d"), OUTCOME("device reset failed"), OF("amdgpu") },
	{ ROW("VRAM is lost due to GPU reset!"), OUTCOME("device reset, memory lost"),
	  OF("amdgpu") },
	/* gmc_v9_0.c, gmc_v10_0.c ...: *_process_interrupt; gfxhub_*.c; amdgpu_vm.c,
	 * amdgpu_vm_print_task_info */
	{ ROW("pasid:%u, for process %s pid %d thread ", 0, F(COMM), F(PID)), .mode = DUMP_NEW,
	  OF("amdgpu") },
	{ ROW(" in process %s pid %d thread ", F(COMM), F(PID)), .mode = DUMP_NEW, OF("amdgpu") },
	{ ROW("Process %s pid %d thread ", F(COMM), F(PID)), .mode = DUMP_NEW, OF("amdgpu") },
	{ ROW("in page starting at address %x", F(FAULT)), OF("amdgpu") },
	{ ROW("PROTECTION_FAULT_STATUS:%x", F(STATUS)), OF("amdgpu") },
	{ ROW("Faulty UTCL2 client ID: %w", F(CLIENT)), OF("amdgpu") },
	/* drivers/gpu/drm/radeon/radeon_ring.c, radeon_fence.c */
	{ ROW("GPU lockup (current fence id %x last fence id %x on ring %u)", F(SIGNALED),
	      F(EMITTED), F(SLOT)),
	  HANG, OF("radeon") },
	/* drivers/gpu/drm/xe/xe_guc_submit.c: guc_exec_queue_timedout_job, and what firmware says
	 */
	{ ROW("Timedout job: seqno=%u, lrc_seqno=%u, guc_id=%u, flags=%x in %s [%d]", F(SEQNO), 0,
	      F(GUC_ID), 0, F(COMM), F(PID)),
	  HANG, OF("xe") },
	{ ROW("Timedout job: seqno=%u, lrc_seqno=%u, guc_id=%u,", F(SEQNO), 0, F(GUC_ID)), HANG,
	  OF("xe") },
	{ ROW("Timedout job: seqno=%u, guc_id=%u,", F(SEQNO), F(GUC_ID)), HANG, OF("xe") },
	{ ROW("Engine reset: engine_class=%w, logical_mask: %x, guc_id=%u", F(ENGINE), 0,
	      F(GUC_ID)),
	  HANG, OF("xe") },
	{ ROW("Engine memory CAT error [%u]: class=%w, logical_mask: %x, guc_id=%u", 0, F(ENGINE),
	      0, F(GUC_ID)),
	  .mode = DUMP_NEW, .failure = true, OF("xe") },
	{ ROW("Engine memory CAT error: class=%w, logical_mask: %x, guc_id=%u", F(ENGINE), 0,
	      F(GUC_ID)),
	  .mode = DUMP_NEW, .failure = true, OF("xe") },
	/* xe_pagefault.c; its fields are lines of their own */
	{ ROW("Faulted Address: %x", F(FAULT)), OF("xe") },
	/* drivers/gpu/drm/i915/i915_gpu_error.c, gt/intel_reset.c */
	{ ROW("GPU HANG: ecode %w, in %s [%d]", F(CODE), F(COMM), F(PID)), HANG, OF("i915") },
	{ ROW("GPU HANG: ecode %w", F(CODE)), HANG, OF("i915") },
	{ ROW("Resetting chip for %s"), RESET("device reset"), OF("i915") },
	{ ROW("Resetting %w for %s", F(ENGINE)), RESET("engine reset"), OF("i915") },
	{ ROW("] %s[%d] context reset due to GPU hang", F(COMM), F(PID)), .mode = DUMP_NEW,
	  .failure = true, OF("i915") },
	/* drivers/accel/ivpu/ivpu_pm.c, ivpu_mmu.c */
	{ ROW("Recovery triggered by %s"), HANG, OF("intel_vpu") },
	{ ROW("TDR detected, timeout %u ms"), HANG, OF("intel_vpu") },
	{ ROW("MMU EVTQ: %s in addr: %x", 0, F(FAULT)), OF("intel_vpu") },
	/* NVIDIA's driver, nv_report_error: https://docs.nvidia.com/deploy/xid-errors */
	{ ROW("NVRM: Xid (PCI:%w): %u, pid=%u, name=%w, ", F(DEVICE), F(CODE), F(PID), F(COMM)),
	  HANG, OF("nvidia") },
	{ ROW("NVRM: Xid (PCI:%w): %u, pid=%u, ", F(DEVICE), F(CODE), F(PID)), HANG, OF("nvidia") },
	{ ROW("NVRM: Xid (PCI:%w): %u", F(DEVICE), F(CODE)), HANG, OF("nvidia") },
	/* drivers/gpu/drm/nouveau/nvkm/engine/fifo */
	{ ROW("fault %x [%w] at %x engine %x [%w] client %x [%s] reason", 0, F(ACCESS), F(FAULT), 0,
	      F(ENGINE), 0, F(CLIENT)),
	  HANG, OF("nouveau") },
	{ ROW("SCHED_ERROR %x [%w]", 0, F(CODE)), HANG, OF("nouveau") },
	/* drivers/gpu/drm/panfrost/panfrost_job.c, panfrost_mmu.c; panthor/panthor_sched.c */
	{ ROW("gpu sched timeout, js=%u, config=%x, status=%x, head=%x,", F(SLOT), 0, F(CODE),
	      F(HEAD)),
	  HANG, OF("panfrost") },
	{ ROW("Unhandled Page fault in AS%u at VA %x", 0, F(FAULT)) },
	{ ROW("raw fault status: %x", F(STATUS)) },
	{ ROW("job timeout: pid=%d, comm=%s, seqno=%u", F(PID), F(COMM), F(SEQNO)), HANG,
	  OF("panthor") },
	/* drivers/gpu/drm/lima/lima_sched.c, and panthor before it told more */
	{ ROW("job timeout"), HANG },
	/* drivers/gpu/drm/v3d/v3d_gem.c, v3d_reset */
	{ ROW("Resetting GPU for hang"), HANG, OF("v3d") },
	{ ROW("V3D_ERR_STAT: %x", F(STATUS)), OF("v3d") },
	/* drivers/gpu/drm/etnaviv/etnaviv_gpu.c, etnaviv_gpu_recover_hang */
	{ ROW("recover hung GPU!"), HANG, OF("etnaviv-gpu") },
	/* drivers/gpu/drm/msm/msm_gpu.c, hangcheck_handler, recover_worker; adreno/adreno_gpu.c,
	 * adreno_fault_handler. etnaviv says who as msm does. */
	{ ROW("hangcheck detected gpu lockup rb %u!", F(SLOT)), HANG, OF("msm") },
	{ ROW("    completed fence: %u", F(SIGNALED)), OF("msm") },
	{ ROW("    submitted fence: %u", F(EMITTED)), OF("msm") },
	{ ROW("offending task: %s (", F(COMM)) },
	{
		ROW("*** gpu fault: ttbr0=%x iova=%x dir=%w type=%w source=%w (", 0, F(FAULT),
		    F(ACCESS), 0, F(CLIENT)),
	},
	/* drivers/gpu/drm/drm_drv.c, drm_dev_wedged_event: of all drivers */
	{ ROW("device wedged, but recovered through reset"), OUTCOME("recovered by a reset") },
	{ ROW("device wedged, needs recovery"), OUTCOME("not recovered") },
	{ 0 }
};
