/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print formats of what GPU drivers share, and of the smaller drivers. gpu_scheduler:
 * gpu_scheduler_trace.h before and since Linux 6.17 (gpu_sched, amd_sched_*: up to 4.16);
 * dma_fence: trace/events/dma_fence.h (`fence` up to 4.9); sync: staging/android/trace/sync.h up
 * to 4.9; drm: drm_trace.h. v3d, vc4, virtio_gpu, lima, panthor, pvr: their *_trace.h; host1x:
 * trace/events/host1x.h. Android: gpu_mem.h, and gpu_work_period as several vendors print it.
 */
#include "print_format.h"

/* clang-format off */
#define OLD_JOB \
	"entity=%p{entity}%(, id=%u{id}%)%(, sched_job=%p{sched_job}%)%(, fence=%p{fence}%), " \
	"ring=%s{name}, job count:%u{job_count}, hw job count:%d{hw_job_count}"
#define NEW_JOB \
	"dev=%s{dev}, fence=%u{fence_context}:%u{fence_seqno}, ring=%s{name}, " \
	"job count:%u{job_count}, hw job count:%d{hw_job_count}"
/* Of patched kernels: names of before, keys of since. */
#define MIXED_JOB \
	"%(dev=%t{dev}, %)id=%u{id}, fence=(context:%u{fence_context}, seqno:%u{fence_seqno}), " \
	"ring=%s{name}, job count:%u{job_count}, hw job count:%d{hw_job_count}"
#define FENCE \
	"driver=%s{driver} timeline=%s{timeline} context=%u{context} seqno=%w{seqno}"
#define DEV_SEQNO "dev=%u{dev}, seqno=%u{seqno}"
#define SUBMIT_CL \
	"dev=%u{dev}, %e{is_render:RCL=1|BCL=0}, seqno=%u{seqno}, %x{ctnqba}..%x{ctnqea}"
#define WORK_PERIOD(eq) \
	"gpu_id" eq "%u{gpu_id} uid" eq "%u{uid} start_time_ns" eq "%u{start_time_ns} " \
	"end_time_ns" eq "%u{end_time_ns} " \
	"total_active_duration_ns" eq "%u{total_active_duration_ns}"

static const struct xtr_print rows[] = {
	{ "gpu_scheduler", "drm_sched_job drm_run_job", OLD_JOB },
	{ "gpu_scheduler", "drm_sched_job drm_run_job", MIXED_JOB },
	{ "gpu_scheduler", "drm_sched_process_job", "fence=%p{fence} signaled" },
	{ "gpu_scheduler", "drm_sched_process_job",
	  "fence=(context:%u{fence_context}, seqno:%u{fence_seqno}) signaled" },
	{ "gpu_scheduler", "drm_sched_job_wait_dep",
	  "job ring=%s{name}, id=%u{id}, depends fence=%p{fence}, context=%u{ctx}, "
	  "seq=%u{seqno}" },
	{ "gpu_scheduler", "drm_sched_job_queue drm_sched_job_run", NEW_JOB },
	{ "gpu_scheduler", "drm_sched_job_done",
	  "fence=%u{fence_context}:%u{fence_seqno} signaled" },
	{ "gpu_scheduler", "drm_sched_job_add_dep",
	  "fence=%u{fence_context}:%u{fence_seqno} depends on fence=%u{ctx}:%u{seqno}" },
	{ "gpu_scheduler", "drm_sched_job_unschedulable",
	  "fence=%u{fence_context}:%u{fence_seqno} depends on unsignalled "
	  "fence=%u{ctx}:%u{seqno}" },
	{ "gpu_sched", "amd_sched_job", OLD_JOB },
	{ "gpu_sched", "amd_sched_process_job", "fence=%p{fence} signaled" },
	{ "dma_fence", "dma_fence_*", FENCE },
	{ "fence", "fence_annotate_wait_on",
	  FENCE "  waits on driver=%s{waiting_driver} timeline=%s{waiting_timeline} "
	  "context=%u{waiting_context} seqno=%u{waiting_seqno}" },
	{ "fence", "fence_init fence_emit fence_enable_signal fence_signaled fence_wait_start "
		   "fence_wait_end fence_destroy",
	  FENCE },
	{ "sync", "sync_timeline", "name=%s{name} value=%s{value}" },
	{ "sync", "sync_wait", "%e{begin:begin=1|end=0} name=%s{name} state=%d{status}" },
	{ "sync", "sync_pt", "name=%s{timeline} value=%s{value}" },
	{ "drm", "drm_vblank_event",
	  "crtc=%d{crtc}, seq=%u{seq}%(, time=%d{time}%)"
	  "%(, high-prec=%e{high_prec:true=1|false=0}%)" },
	{ "drm", "drm_vblank_event_queued drm_vblank_event_delivered",
	  "%(file=%p{file}, %)%(pid=%d{pid}, %)crtc=%d{crtc}, seq=%u{seq}" },
	/* v3d, vc4 */
	{ "v3d", "v3d_submit_cl_ioctl", "dev=%u{dev}, RCL %x{ct1qba}..%x{ct1qea}" },
	{ "v3d", "v3d_submit_cl", SUBMIT_CL },
	{ "vc4", "vc4_submit_cl", SUBMIT_CL },
	{ "v3d", "v3d_bcl_irq v3d_rcl_irq v3d_tfu_irq v3d_csd_irq v3d_submit_tfu v3d_submit_csd",
	  DEV_SEQNO },
	{ "vc4", "vc4_bcl_end_irq vc4_rcl_end_irq vc4_wait_for_seqno_end", DEV_SEQNO },
	{ "v3d", "v3d_submit_tfu_ioctl", "dev=%u{dev}, IIA %x{iia}" },
	{ "v3d", "v3d_submit_csd_ioctl", "dev=%u{dev}, CFG5 %x{cfg5}, CFG6 %x{cfg6}" },
	{ "v3d", "v3d_cache_* v3d_reset_* v3d_mmu_flush_* v3d_cpu_job_* v3d_submit_cpu_ioctl",
	  "dev=%u{dev}%(, job_type=%d{job_type}%)" },
	{ "vc4", "vc4_wait_for_seqno_begin",
	  DEV_SEQNO ", timeout=%u{timeout}" },
	{ "vc4", "vc4_submit_cl_ioctl",
	  "dev=%u{dev}, bin_cl_size=%u{bin_cl_size}, shader_rec_size=%u{shader_rec_size}, "
	  "bo_count=%u{bo_count}" },
	/* others */
	{ "virtio_gpu", "virtio_gpu_cmd_queue virtio_gpu_cmd_response",
	  "vdev=%d{dev} vq=%u{vq} name=%s{name} type=%x{type} flags=%x{flags} "
	  "fence_id=%u{fence_id} ctx_id=%u{ctx_id}%( num_free=%u{num_free}%)"
	  "%( seqno=%u{seqno}%)" },
	{ "lima", "lima_task_submit lima_task_run",
	  "%(task=%u{task_id}, %)context=%u{context} seqno=%u{seqno} pipe=%s{pipe}" },
	/* Arm's driver; gpu_sched_switch has the time as one field, which is printed so. */
	{ "mali", "mali_job_slots_event",
	  "%(gpu=%u{gpu_id} %)event=%u{event_id} tgid=%u{tgid} pid=%u{pid} job_id=%u{job_id}" },
	/* Samsung's: mali_linux_systrace.h. Behind the context, its name in digits. */
	{ "mali", "mali_job_systrace_event_start mali_job_systrace_event_stop",
	  "tracing_mark_write: %(S%)%(F%)|%u{tgid}|%s{job_name}|%u{job_id}|%u{dep_0_id}|"
	  "%u{dep_0_type}|%u{dep_1_id}|%u{dep_1_type}|%x{gles_ctx_handle}|%s{unique}" },
	{ "mali", "mali_job_systrace_event_start mali_job_systrace_event_stop",
	  "tracing_mark_write: B|%u{tgid}|%s{ev_str} Job Queue %(START%)%(END%)|"
	  "JobType=%s{job_name};UniqueID=%u{start_timestamp};FrameNo=%u{frame_number};"
	  "Surface=%p{surfacep};GLContext=%x{gles_ctx_handle};JobId=%u{job_id};"
	  "Dep0ID=%u{dep_0_id};Dep0Type=%u{dep_0_type};Dep1ID=%u{dep_1_id};Dep1Type=%u{dep_1_type}" },
	{ "gpu", "gpu_sched_switch",
	  "gpu_name=%s{gpu_name} ts=%u{secs}.%u{usecs} next_ctx_id=%u{next_ctx_id} "
	  "next_prio=%d{next_prio} next_job_id=%u{next_job_id}" },
	{ "gpu", "gpu_job_enqueue", "ctx_id=%u{ctx_id} job_id=%u{job_id} type=%s{type}" },
	{ "panthor", "gpu_power_status",
	  "%s{dev_name}: shader_bitmap=%x{shader_bitmap} tiler_bitmap=%x{tiler_bitmap} "
	  "l2_bitmap=%x{l2_bitmap}" },
	{ "panthor", "gpu_job_irq",
	  "%s{dev_name}: events=%x{events} duration_ns=%w{duration_ns}" },
	{ "pvr", "pvr_job_submit_ioctl", "pvr_dev=%p{pvr_dev} count=%u{count}" },
	{ "pvr", "pvr_job_create",
	  "pvr_dev=%p{pvr_dev} ctx=%p{ctx} fw_obj=%p{fw_obj} fw_addr=%x{fw_addr} "
	  "hwrt_addr=%x{hwrt_addr} job=%p{job} "
	  "job_type=%n{job_type:geometry=0|fragment=1|compute=2|transfer=3} "
	  "sync_op_count=%u{sync_op_count}" },
	{ "pvr", "pvr_job_submit_fw pvr_job_done",
	  "job=%p{job}%( done_seqno=%u{done_seqno}%)" },
	{ "host1x", "host1x_wait_cdma", "name=%s{name}, event=%d{eventid}" },
	{ "host1x", "host1x_cdma_push host1x_cdma_push_wide",
	  "name=%s{name}, op1=%x{op1}, op2=%x{op2}%(, op3=%x{op3} op4=%x{op4}%)" },
	{ "host1x", "host1x_cdma_push_gather",
	  "name=%s{name}, bo=%p{bo}, words=%u{words}, offset=%d{offset}, contents=[%s{cmdbuf}]" },
	{ "host1x", "host1x_channel_submitted",
	  "name=%s{name}, syncpt_base=%w{syncpt_base}, syncpt_max=%w{syncpt_max}" },
	{ "host1x", "host1x_channel_submit_complete",
	  "name=%s{name}, count=%d{count}, thresh=%w{thresh}" },
	{ "host1x", "host1x_syncpt_load_min", "id=%d{id}, val=%w{val}" },
	{ "host1x", "host1x_syncpt_wait_check",
	  "bo=%p{bo}, offset=%x{offset}, id=%d{syncpt_id}, thresh=%w{thresh}, current=%w{min}" },
	{ "power", "gpu_work_period", WORK_PERIOD("=") },
	{ "power", "gpu_work_period", WORK_PERIOD(" = ") },
	{ "power", "gpu_work_period",
	  "%u{gpu_id} %u{uid} %u{start_time_ns} %u{end_time_ns} %u{total_active_duration_ns}" },
	{ "gpu_mem", "gpu_mem_total", "gpu_id=%u{gpu_id} pid=%u{pid} size=%u{size}" },
};
/* clang-format on */

const struct xtr_print_table xtr_print_gpus = { rows, sizeof(rows) / sizeof(rows[0]) };
