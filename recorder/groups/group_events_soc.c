// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints of the drivers of GPUs in systems on a chip, and of old AMD cards: those of Linux as
 * 6.1, 6.12 and 7.2 have them, Qualcomm's (KGSL) and Arm's (kbase) as they are delivered.
 */
#include "group_event_rows.h"

#include <stddef.h>

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
