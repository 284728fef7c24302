/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints as the drivers of Linux 6.1, 6.12 and 7.2 have them. What fires too often to be
 * recorded unasked stands in tables of its own.
 */
#include "group_row.h"

#define V6_12     "Linux 6.12 has it, later kernels have other events instead"
#define V7_3      "Linux 7.3 has it"
#define LOW_LEVEL "the kernel is built without CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS"

const struct xtr_group_event xtr_amdgpu_events[] = {
	EV("amdgpu:amdgpu_bo_create"),
	EV("amdgpu:amdgpu_bo_list_set"),
	EV("amdgpu:amdgpu_bo_move"),
	EV("amdgpu:amdgpu_cleaner_shader"),
	EV("amdgpu:amdgpu_cs"),
	EV("amdgpu:amdgpu_cs_bo_status"),
	EV("amdgpu:amdgpu_cs_ioctl"),
	EV("amdgpu:amdgpu_ib_pipe_sync"),
	EV("amdgpu:amdgpu_isolation"),
	EV("amdgpu:amdgpu_iv"),
	EV("amdgpu:amdgpu_pasid_allocated"),
	EV("amdgpu:amdgpu_pasid_freed"),
	EV("amdgpu:amdgpu_reset_reg_dumps"),
	EV("amdgpu:amdgpu_sched_run_job"),
	EV("amdgpu:amdgpu_vm_bo_cs"),
	EV("amdgpu:amdgpu_vm_bo_map"),
	EV("amdgpu:amdgpu_vm_bo_mapping"),
	EV("amdgpu:amdgpu_vm_bo_unmap"),
	EV("amdgpu:amdgpu_vm_bo_update"),
	EV("amdgpu:amdgpu_vm_flush"),
	EV("amdgpu:amdgpu_vm_grab_id"),
	OF("amdgpu:amdgpu_userq_create_start", V7_3),
	OF("amdgpu:amdgpu_userq_create_end", V7_3),
	OF("amdgpu:amdgpu_userq_destroy_start", V7_3),
	OF("amdgpu:amdgpu_userq_destroy_end", V7_3),
	OF("amdgpu:amdgpu_userq_state_start", V7_3),
	OF("amdgpu:amdgpu_userq_state_changed", V7_3),
	OF("amdgpu:amdgpu_userq_emit_fence", V7_3),
	OF("amdgpu:amdgpu_userq_wait_deps", V7_3),
	REST("amdgpu:*"),
	{ 0 },
};

const struct xtr_group_event xtr_amdgpu_vm_events[] = {
	EV("amdgpu:amdgpu_vm_copy_ptes"),
	EV("amdgpu:amdgpu_vm_set_ptes"),
	EV("amdgpu:amdgpu_vm_update_ptes"),
	{ 0 },
};

const struct xtr_group_event xtr_amdgpu_regs_events[] = {
	EV("amdgpu:amdgpu_device_rreg"),
	EV("amdgpu:amdgpu_device_wreg"),
	{ 0 },
};

const struct xtr_group_event xtr_i915_events[] = {
	EV("i915:i915_context_create"),
	EV("i915:i915_context_free"),
	EV("i915:i915_gem_evict"),
	EV("i915:i915_gem_evict_node"),
	EV("i915:i915_gem_evict_vm"),
	EV("i915:i915_gem_object_clflush"),
	EV("i915:i915_gem_object_create"),
	EV("i915:i915_gem_object_destroy"),
	EV("i915:i915_gem_object_fault"),
	EV("i915:i915_gem_object_pread"),
	EV("i915:i915_gem_object_pwrite"),
	EV("i915:i915_gem_shrink"),
	EV("i915:i915_ppgtt_create"),
	EV("i915:i915_ppgtt_release"),
	EV("i915:i915_request_add"),
	EV("i915:i915_request_queue"),
	EV("i915:i915_request_retire"),
	EV("i915:i915_request_wait_begin"),
	EV("i915:i915_request_wait_end"),
	EV("i915:i915_vma_bind"),
	EV("i915:i915_vma_unbind"),
	EV("i915:intel_gpu_freq_change"),
	OF("i915:i915_request_submit", LOW_LEVEL),
	OF("i915:i915_request_execute", LOW_LEVEL),
	OF("i915:i915_request_in", LOW_LEVEL),
	OF("i915:i915_request_out", LOW_LEVEL),
	OF("i915:i915_request_guc_submit", LOW_LEVEL),
	OF("i915:intel_context_*", LOW_LEVEL),
	REST("i915:i915_*"),
	{ 0 },
};

const struct xtr_group_event xtr_i915_regs_events[] = {
	EV("i915:i915_reg_rw"),
	{ 0 },
};

const struct xtr_group_event xtr_i915_display_events[] = {
	EV("i915:intel_*"),
	EV("i915:g4x_*"),
	EV("i915:vlv_*"),
	{ 0 },
};

const struct xtr_group_event xtr_xe_events[] = {
	EV("xe:xe_bo_cpu_fault"),
	EV("xe:xe_bo_create"),
	EV("xe:xe_bo_move"),
	EV("xe:xe_bo_validate"),
	EV("xe:xe_eu_stall_data_read"),
	EV("xe:xe_exec_queue_cgp_context_error"),
	EV("xe:xe_exec_queue_cleanup_entity"),
	EV("xe:xe_exec_queue_close"),
	EV("xe:xe_exec_queue_create"),
	EV("xe:xe_exec_queue_create_multi_queue"),
	EV("xe:xe_exec_queue_deregister"),
	EV("xe:xe_exec_queue_deregister_done"),
	EV("xe:xe_exec_queue_destroy"),
	EV("xe:xe_exec_queue_kill"),
	EV("xe:xe_exec_queue_memory_cat_error"),
	EV("xe:xe_exec_queue_reach_max_job_count"),
	EV("xe:xe_exec_queue_register"),
	EV("xe:xe_exec_queue_reset"),
	EV("xe:xe_exec_queue_resubmit"),
	EV("xe:xe_exec_queue_scheduling_disable"),
	EV("xe:xe_exec_queue_scheduling_done"),
	EV("xe:xe_exec_queue_scheduling_enable"),
	EV("xe:xe_exec_queue_stop"),
	EV("xe:xe_exec_queue_submit"),
	EV("xe:xe_exec_queue_supress_resume"),
	EV("xe:xe_guc_ct_g2h_flow_control"),
	EV("xe:xe_guc_ct_h2g_flow_control"),
	EV("xe:xe_guc_ctb_g2h"),
	EV("xe:xe_guc_ctb_h2g"),
	EV("xe:xe_guc_engine_activity"),
	EV("xe:xe_hw_fence_create"),
	EV("xe:xe_hw_fence_signal"),
	EV("xe:xe_lrc_update_queue_timestamp"),
	EV("xe:xe_lrc_update_timestamp"),
	EV("xe:xe_pm_resume"),
	EV("xe:xe_pm_runtime_get"),
	EV("xe:xe_pm_runtime_get_ioctl"),
	EV("xe:xe_pm_runtime_put"),
	EV("xe:xe_pm_runtime_resume"),
	EV("xe:xe_pm_runtime_suspend"),
	EV("xe:xe_pm_suspend"),
	EV("xe:xe_sched_job_ban"),
	EV("xe:xe_sched_job_create"),
	EV("xe:xe_sched_job_exec"),
	EV("xe:xe_sched_job_free"),
	EV("xe:xe_sched_job_run"),
	EV("xe:xe_sched_job_set_error"),
	EV("xe:xe_sched_job_timedout"),
	EV("xe:xe_sched_msg_add"),
	EV("xe:xe_sched_msg_recv"),
	EV("xe:xe_tlb_inval_fence_recv"),
	EV("xe:xe_tlb_inval_fence_send"),
	EV("xe:xe_tlb_inval_fence_signal"),
	EV("xe:xe_tlb_inval_fence_timeout"),
	EV("xe:xe_vm_cpu_bind"),
	EV("xe:xe_vm_create"),
	EV("xe:xe_vm_free"),
	EV("xe:xe_vm_kill"),
	EV("xe:xe_vm_ops_fail"),
	EV("xe:xe_vm_rebind_worker_enter"),
	EV("xe:xe_vm_rebind_worker_exit"),
	EV("xe:xe_vm_rebind_worker_retry"),
	EV("xe:xe_vm_restart"),
	EV("xe:xe_vma_acc"),
	EV("xe:xe_vma_bind"),
	EV("xe:xe_vma_evict"),
	EV("xe:xe_vma_flush"),
	EV("xe:xe_vma_invalidate"),
	EV("xe:xe_vma_pagefault"),
	EV("xe:xe_vma_pf_bind"),
	EV("xe:xe_vma_rebind_exec"),
	EV("xe:xe_vma_rebind_worker"),
	EV("xe:xe_vma_unbind"),
	EV("xe:xe_vma_userptr_invalidate"),
	EV("xe:xe_vma_userptr_invalidate_complete"),
	EV("xe:xe_vma_userptr_rebind_exec"),
	EV("xe:xe_vma_userptr_rebind_worker"),
	OF("xe:xe_exec_queue_lr_cleanup", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_create", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_work_func", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_cb", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_send", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_recv", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_signal", V6_12),
	OF("xe:xe_gt_tlb_invalidation_fence_timeout", V6_12),
	REST("xe:xe_*"),
	{ 0 },
};

const struct xtr_group_event xtr_xe_regs_events[] = {
	EV("xe:xe_reg_rw"),
	{ 0 },
};

const struct xtr_group_event xtr_xe_display_events[] = {
	EV("xe:intel_*"),
	EV("xe:g4x_*"),
	EV("xe:vlv_*"),
	{ 0 },
};

const struct xtr_group_event xtr_display_events[] = {
	EV("drm:drm_vblank_event"),
	EV("drm:drm_vblank_event_queued"),
	EV("drm:drm_vblank_event_delivered"),
	BY("i915", "i915:intel_crtc_vblank_work_start"),
	BY("i915", "i915:intel_crtc_vblank_work_end"),
	BY("i915", "i915:intel_pipe_update_start"),
	BY("i915", "i915:intel_pipe_update_vblank_evaded"),
	BY("i915", "i915:intel_pipe_update_end"),
	BY("i915", "i915:intel_crtc_flip_done"),
	BY("i915", "i915:intel_plane_async_flip"),
	BY("i915", "i915:intel_pipe_enable"),
	BY("i915", "i915:intel_pipe_disable"),
	BY("i915", "i915:intel_cpu_fifo_underrun"),
	BY("i915", "i915:intel_pch_fifo_underrun"),
	BY("xe", "xe:intel_crtc_vblank_work_start"),
	BY("xe", "xe:intel_crtc_vblank_work_end"),
	BY("xe", "xe:intel_pipe_update_start"),
	BY("xe", "xe:intel_pipe_update_vblank_evaded"),
	BY("xe", "xe:intel_pipe_update_end"),
	BY("xe", "xe:intel_crtc_flip_done"),
	BY("xe", "xe:intel_plane_async_flip"),
	BY("xe", "xe:intel_pipe_enable"),
	BY("xe", "xe:intel_pipe_disable"),
	BY("xe", "xe:intel_cpu_fifo_underrun"),
	BY("xe", "xe:intel_pch_fifo_underrun"),
	BY("amdgpu", "amdgpu_dm:amdgpu_dm_atomic_commit_tail_begin"),
	BY("amdgpu", "amdgpu_dm:amdgpu_dm_atomic_commit_tail_finish"),
	BY("amdgpu", "amdgpu_dm:amdgpu_dm_atomic_check_begin"),
	BY("amdgpu", "amdgpu_dm:amdgpu_dm_atomic_check_finish"),
	BY("amdgpu", "amdgpu_dm:amdgpu_refresh_rate_track"),
	{ 0 },
};

const struct xtr_group_event xtr_nvidia_events[] = {
	OF("nvidia:nvidia_dev_xid",
	   "drivers before 575 have no tracepoints: nv_report_error tells of Xids"),
	OF("nvswitch:nvswitch_dev_sxid", "this driver has no tracepoints of NVSwitch"),
	{ 0 },
};

const struct xtr_group_event xtr_amdxdna_events[] = {
	EV("amdxdna:amdxdna_debug_point"),
	EV("amdxdna:mbox_irq_handle"),
	EV("amdxdna:mbox_rx_worker"),
	EV("amdxdna:mbox_set_head"),
	EV("amdxdna:mbox_set_tail"),
	EV("amdxdna:xdna_job"),
	REST("amdxdna:*"),
	REST("amdxdna_trace:*"),
	{ 0 },
};

const struct xtr_group_event xtr_virtio_gpu_events[] = {
	EV("virtio_gpu:virtio_gpu_cmd_queue"),
	EV("virtio_gpu:virtio_gpu_cmd_response"),
	REST("virtio_gpu:*"),
	{ 0 },
};

const struct xtr_group_event xtr_npu_events[] = {
	EV("vpu:*"),
	{ 0 },
};

const struct xtr_group_event xtr_cpu_events[] = {
	EV("sched:sched_switch"),    EV("sched:sched_wakeup"),   EV("sched:sched_wakeup_new"),
	EV("irq:irq_handler_entry"), EV("irq:irq_handler_exit"), EV("irq:softirq_entry"),
	EV("irq:softirq_exit"),      EV("irq:softirq_raise"),    { 0 },
};

/* --- group events soc ------------------------------------------------------------------------- */

/*
 * Tracepoints of the drivers of GPUs in systems on a chip, and of old AMD cards: those of Linux as
 * 6.1, 6.12 and 7.2 have them, Qualcomm's (KGSL) and Arm's (kbase) as they are delivered.
 */

#define V6_8     "Linux 6.8 and later have it"
#define V6_13    "kernels after Linux 6.12 have it"
#define NEWER    "a newer kernel has it"
#define GPU_MEM  "the kernel is built without CONFIG_TRACE_GPU_MEM"
#define PERIOD   "drivers for Android 13 and later have it"
#define GATOR    "the driver is built without support for gator (CONFIG_MALI_*GATOR_SUPPORT)"
#define SYSTRACE "the driver is not Samsung's, or built without MALI_SYSTRACE_SUPPORT"
#define SYSGRAPH "the driver is built without CONFIG_MALI_SYSTEM_TRACE, or is another version"
#define OLD      "the driver is built without CONFIG_GPU_TRACEPOINTS: old kernels of Android have it"
#define RECENT   "newer versions of KGSL have it"

const struct xtr_group_event xtr_radeon_events[] = {
	EV("radeon:radeon_bo_create"),
	EV("radeon:radeon_cs"),
	EV("radeon:radeon_fence_emit"),
	EV("radeon:radeon_fence_wait_begin"),
	EV("radeon:radeon_fence_wait_end"),
	EV("radeon:radeon_semaphore_signale"),
	EV("radeon:radeon_semaphore_wait"),
	EV("radeon:radeon_vm_bo_update"),
	EV("radeon:radeon_vm_flush"),
	EV("radeon:radeon_vm_grab_id"),
	REST("radeon:*"),
	{ 0 },
};

const struct xtr_group_event xtr_radeon_vm_events[] = {
	EV("radeon:radeon_vm_set_page"),
	{ 0 },
};

const struct xtr_group_event xtr_msm_events[] = {
	EV("drm_msm_gpu:msm_gpu_submit"),
	EV("drm_msm_gpu:msm_gpu_submit_flush"),
	EV("drm_msm_gpu:msm_gpu_submit_retired"),
	EV("drm_msm_gpu:msm_gpu_freq_change"),
	EV("drm_msm_gpu:msm_gmu_freq_change"),
	EV("drm_msm_gpu:msm_gpu_suspend"),
	EV("drm_msm_gpu:msm_gpu_resume"),
	EV("drm_msm_gpu:msm_gem_shrink"),
	EV("drm_msm_gpu:msm_gem_purge_vmaps"),
	OF("drm_msm_gpu:msm_gpu_preemption_trigger", V6_13),
	OF("drm_msm_gpu:msm_gpu_preemption_irq", V6_13),
	OF("drm_msm_gpu:msm_mmu_prealloc_cleanup", NEWER),
	OF("gpu_mem:gpu_mem_total", GPU_MEM),
	REST("drm_msm_gpu:*"),
	{ 0 },
};

const struct xtr_group_event xtr_v3d_events[] = {
	EV("v3d:v3d_submit_cl_ioctl"),
	EV("v3d:v3d_submit_tfu_ioctl"),
	EV("v3d:v3d_submit_csd_ioctl"),
	EV("v3d:v3d_submit_cl"),
	EV("v3d:v3d_submit_tfu"),
	EV("v3d:v3d_submit_csd"),
	EV("v3d:v3d_bcl_irq"),
	EV("v3d:v3d_rcl_irq"),
	EV("v3d:v3d_tfu_irq"),
	EV("v3d:v3d_csd_irq"),
	EV("v3d:v3d_cache_clean_begin"),
	EV("v3d:v3d_cache_clean_end"),
	EV("v3d:v3d_reset_begin"),
	EV("v3d:v3d_reset_end"),
	OF("v3d:v3d_submit_cpu_ioctl", V6_8),
	OF("v3d:v3d_cpu_job_begin", V6_8),
	OF("v3d:v3d_cpu_job_end", V6_8),
	REST("v3d:*"),
	{ 0 },
};

const struct xtr_group_event xtr_vc4_events[] = {
	EV("vc4:vc4_wait_for_seqno_begin"),
	EV("vc4:vc4_wait_for_seqno_end"),
	OF("vc4:vc4_submit_cl_ioctl", NEWER),
	OF("vc4:vc4_submit_cl", NEWER),
	OF("vc4:vc4_bcl_end_irq", NEWER),
	OF("vc4:vc4_rcl_end_irq", NEWER),
	REST("vc4:*"),
	{ 0 },
};

const struct xtr_group_event xtr_lima_events[] = {
	EV("lima:lima_task_submit"),
	EV("lima:lima_task_run"),
	REST("lima:*"),
	{ 0 },
};

const struct xtr_group_event xtr_panthor_events[] = {
	OF("panthor:gpu_job_irq", NEWER),
	OF("panthor:gpu_power_status", NEWER),
	REST("panthor:*"),
	{ 0 },
};

const struct xtr_group_event xtr_powervr_events[] = {
	OF("pvr:pvr_job_submit_ioctl", NEWER),
	OF("pvr:pvr_job_create", NEWER),
	OF("pvr:pvr_job_submit_fw", NEWER),
	OF("pvr:pvr_job_done", NEWER),
	REST("pvr:*"),
	{ 0 },
};

const struct xtr_group_event xtr_host1x_events[] = {
	EV("host1x:host1x_cdma_begin"),
	EV("host1x:host1x_cdma_end"),
	EV("host1x:host1x_channel_open"),
	EV("host1x:host1x_channel_release"),
	EV("host1x:host1x_channel_submit"),
	EV("host1x:host1x_channel_submit_complete"),
	EV("host1x:host1x_channel_submitted"),
	EV("host1x:host1x_syncpt_load_min"),
	EV("host1x:host1x_syncpt_wait_check"),
	EV("host1x:host1x_wait_cdma"),
	REST("host1x:*"),
	{ 0 },
};

const struct xtr_group_event xtr_host1x_push_events[] = {
	EV("host1x:host1x_cdma_push"),
	EV("host1x:host1x_cdma_push_gather"),
	EV("host1x:host1x_cdma_push_wide"),
	{ 0 },
};

/* Of KGSL only what tells of jobs, contexts, frequency and faults: it has some sixty more. */
const struct xtr_group_event xtr_kgsl_events[] = {
	EV("kgsl:adreno_cmdbatch_queued"),
	EV("kgsl:adreno_cmdbatch_submitted"),
	EV("kgsl:adreno_cmdbatch_sync"),
	EV("kgsl:adreno_cmdbatch_retired"),
	EV("kgsl:adreno_cmdbatch_fault"),
	EV("kgsl:adreno_cmdbatch_recovery"),
	OF("kgsl:adreno_cmdbatch_ready", RECENT),
	OF("kgsl:adreno_cmdbatch_done", RECENT),
	EV("kgsl:adreno_drawctxt_switch"),
	EV("kgsl:adreno_drawctxt_wait_start"),
	EV("kgsl:adreno_drawctxt_wait_done"),
	EV("kgsl:adreno_gpu_fault"),
	EV("kgsl:adreno_preempt_trigger"),
	EV("kgsl:adreno_preempt_done"),
	EV("kgsl:kgsl_context_create"),
	EV("kgsl:kgsl_context_detach"),
	EV("kgsl:kgsl_context_destroy"),
	EV("kgsl:kgsl_issueibcmds"),
	EV("kgsl:kgsl_waittimestamp_entry"),
	EV("kgsl:kgsl_waittimestamp_exit"),
	EV("kgsl:kgsl_mmu_pagefault"),
	EV("kgsl:kgsl_pwrlevel"),
	EV("kgsl:kgsl_pwr_set_state"),
	OF("gpu_mem:gpu_mem_total", GPU_MEM),
	OF("power:gpu_work_period", PERIOD),
	REST("kgsl:adreno_cmdbatch_*"),
	{ 0 },
};

const struct xtr_group_event xtr_mali_events[] = {
	OF("mali:mali_job_slots_event", GATOR),
	OF("mali_systrace:mali_job_systrace_event_start", SYSTRACE),
	OF("mali_systrace:mali_job_systrace_event_stop", SYSTRACE),
	OF("mali:mali_pm_status", GATOR),
	OF("mali:mali_page_fault_insert_pages", GATOR),
	OF("mali:mali_total_alloc_pages_change", GATOR),
	OF("mali:sysgraph", SYSGRAPH),
	OF("mali:sysgraph_gpu", SYSGRAPH),
	OF("gpu:gpu_job_enqueue", OLD),
	OF("gpu:gpu_sched_switch", OLD),
	OF("gpu_mem:gpu_mem_total", GPU_MEM),
	OF("power:gpu_work_period", PERIOD),
	{ 0 },
};
