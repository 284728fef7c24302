/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of ftrace that Perfetto's protos describe, as in pftrace_table.c: those of GPUs, NPUs,
 * fences and displays. The protos' names of some have the system in front, so that they differ.
 */
#include "pftrace_core.h"

/* clang-format off */
#define FENCE     "u:context s:driver u:seqno s:timeline"
#define OLD_JOB   "p:entity p:fence d:hw_job_count u:id u:job_count s:name"
#define NEW_JOB   "s:name u:job_count d:hw_job_count s:dev u:fence_context u:fence_seqno u:client_id"
#define DEPENDS   "u:fence_context u:fence_seqno u:ctx u:seqno"
#define VIRTIO    "u:ctx_id d:dev u:fence_id x:flags s:name u:num_free u:seqno x:type u:vq"
#define SSPP      "u:num u:play_cnt u:mixer u:stage x:flags x:format u:img_w u:img_h u:src_x u:src_y " \
		  "u:src_w u:src_h u:dst_x u:dst_y u:dst_w u:dst_h"
#define PERF_CRTC "u:bw_ctl_ebi u:bw_ctl_llcc u:bw_ctl_mnoc u:core_clk_rate"
#define FRAME     "d:display_id u:output_id d:frames_pending d:te_count"
#define CQS       "u:id x:info_val1 x:info_val2 u:kctx_id d:kctx_tgid"
#define KCPU      "x:info_val1 x:info_val2 d:kctx_tgid u:kctx_id u:id"
#define MCU(number, name) \
	{ number, "mali:mali_" name, "d:kctx_tgid u:kctx_id x:info_val" }

static const struct pft_row rows[] = {
	{ 38, "sync:sync_pt", "s:timeline s:value" },
	{ 39, "sync:sync_timeline", "s:name s:value" },
	{ 40, "sync:sync_wait", "s:name d:status u:begin" },
	{ 76, "mdss:mdp_cmd_kickoff", "u:ctl_num d:kickoff_cnt" },
	{ 77, "mdss:mdp_commit", "u:num u:play_cnt u:clk_rate u:bandwidth" },
	{ 78, "mdss:mdp_perf_set_ot", "u:pnum u:xin_id u:rd_lim u:is_vbif_rt" },
	{ 79, "mdss:mdp_sspp_change", SSPP },
	{ 80, "mdss:tracing_mark_write", "d:pid s:trace_name u:trace_begin" },
	{ 81, "mdss:mdp_cmd_pingpong_done", "u:ctl_num u:intf_num u:pp_num d:koff_cnt" },
	{ 82, "mdss:mdp_compare_bw",
	  "u:new_ab u:new_ib u:new_wb u:old_ab u:old_ib u:old_wb u:params_changed u:update_bw" },
	{ 83, "mdss:mdp_perf_set_panic_luts", "u:pnum x:fmt u:mode x:panic_lut x:robust_lut" },
	{ 84, "mdss:mdp_sspp_set", SSPP },
	{ 85, "mdss:mdp_cmd_readptr_done", "u:ctl_num d:koff_cnt" },
	{ 86, "mdss:mdp_misr_crc", "u:block_id u:vsync_cnt x:crc" },
	{ 87, "mdss:mdp_perf_set_qos_luts", "u:pnum x:fmt u:intf u:rot u:fl x:lut u:linear" },
	{ 88, "mdss:mdp_trace_counter", "d:pid s:counter_name d:value" },
	{ 89, "mdss:mdp_cmd_release_bw", "u:ctl_num" },
	{ 90, "mdss:mdp_mixer_update", "u:mixer_num" },
	{ 91, "mdss:mdp_perf_set_wm_levels",
	  "u:pnum u:use_space u:priority_bytes u:wm0 u:wm1 u:wm2 u:mb_cnt u:mb_size" },
	{ 92, "mdss:mdp_video_underrun_done", "u:ctl_num u:underrun_cnt" },
	{ 93, "mdss:mdp_cmd_wait_pingpong", "u:ctl_num d:kickoff_cnt" },
	{ 94, "mdss:mdp_perf_prefill_calc",
	  "u:pnum u:latency_buf u:ot u:y_buf u:y_scaler u:pp_lines u:pp_bytes u:post_sc "
	  "u:fbc_bytes u:prefill_bytes" },
	{ 95, "mdss:mdp_perf_update_bus", "d:client u:ab_quota u:ib_quota" },
	{ 96, "mdss:rotator_bw_ao_as_context", "u:state" },
	{ 316, "fence:fence_init", FENCE },
	{ 317, "fence:fence_destroy", FENCE },
	{ 318, "fence:fence_enable_signal", FENCE },
	{ 319, "fence:fence_signaled", FENCE },
	{ 331, "systrace:0", "d:flag s:name d:pid d:value" },
	{ 332, "power:gpu_frequency", "u:gpu_id u:state" },
	{ 333, "sde:tracing_mark_write", "d:pid s:trace_name u:trace_type d:value u:trace_begin" },
	{ 340, "gpu_mem:gpu_mem_total", "u:gpu_id u:pid u:size" },
	{ 348, "dpu:tracing_mark_write",
	  "d:pid s:trace_name u:trace_begin s:name u:type d:value" },
	{ 349, "g2d:tracing_mark_write", "d:pid - - s:name u:type d:value" },
	{ 350, "mali:tracing_mark_write", "s:name d:pid u:type d:value" },
	{ 354, "sde:sde_evtlog",
	  "s:evtlog_tag d:pid u:tag_id x:d00 x:d01 x:d02 x:d03 x:d04 x:d05 x:d06 x:d07 x:d08 "
	  "x:d09 x:d10 x:d11 x:d12 x:d13 x:d14" },
	{ 355, "sde:sde_perf_calc_crtc", PERF_CRTC " u:crtc u:ib_ebi u:ib_llcc u:ib_mnoc" },
	{ 356, "sde:sde_perf_crtc_update",
	  PERF_CRTC " u:crtc d:params u:per_pipe_ib_ebi u:per_pipe_ib_llcc u:per_pipe_ib_mnoc "
		    "u:stop_req u:update_bus u:update_clk" },
	{ 357, "sde:sde_perf_set_qos_luts", "u:fl x:fmt x:lut u:lut_usage u:pnum u:rt" },
	{ 358, "sde:sde_perf_update_bus", "u:ab_quota u:bus_id d:client u:ib_quota" },
	{ 409, "drm:drm_vblank_event", "d:crtc u:high_prec u:seq d:time" },
	{ 410, "drm:drm_vblank_event_delivered", "d:crtc p:file u:seq" },
	{ 411, "gpu_scheduler:drm_sched_job", OLD_JOB },
	{ 412, "gpu_scheduler:drm_run_job", OLD_JOB },
	{ 413, "gpu_scheduler:drm_sched_process_job", "p:fence" },
	{ 414, "dma_fence:dma_fence_init", FENCE },
	{ 415, "dma_fence:dma_fence_emit", FENCE },
	{ 416, "dma_fence:dma_fence_signaled", FENCE },
	{ 417, "dma_fence:dma_fence_wait_start", FENCE },
	{ 418, "dma_fence:dma_fence_wait_end", FENCE },
	{ 428, "panel:dsi_cmd_fifo_status", "u:header u:payload" },
	{ 429, "panel:dsi_rx", "x:cmd - s:rx_buf" },
	{ 430, "panel:dsi_tx", "u:last - x:type s:tx_buf" },
	{ 467, "lwis:tracing_mark_write", "s:lwis_name u:type d:pid s:func_name d:value" },
	{ 468, "virtio_gpu:virtio_gpu_cmd_queue", VIRTIO },
	{ 469, "virtio_gpu:virtio_gpu_cmd_response", VIRTIO },
	{ 470, "mali:mali_KCPU_CQS_SET", CQS },
	{ 471, "mali:mali_KCPU_CQS_WAIT_START", CQS },
	{ 472, "mali:mali_KCPU_CQS_WAIT_END", CQS },
	{ 473, "mali:mali_KCPU_FENCE_SIGNAL", KCPU },
	{ 474, "mali:mali_KCPU_FENCE_WAIT_START", KCPU },
	{ 475, "mali:mali_KCPU_FENCE_WAIT_END", KCPU },
	MCU(482, "CSF_INTERRUPT_START"),
	MCU(483, "CSF_INTERRUPT_END"),
	{ 484, "samsung:tracing_mark_write",
	  "d:pid s:trace_name u:trace_begin u:trace_type d:value" },
	{ 488, "power:gpu_work_period",
	  "u:gpu_id u:uid u:start_time_ns u:end_time_ns u:total_active_duration_ns" },
	{ 490, "panel:panel_write_generic",
	  "d:pid s:trace_name u:trace_begin s:name u:type d:value" },
	{ 492, "dpu:dsi_cmd_fifo_status", "u:header u:payload" },
	{ 493, "dpu:dsi_rx", "x:cmd - s:rx_buf" },
	{ 494, "dpu:dsi_tx", "x:type - u:last u:delay_ms s:tx_buf" },
	{ 509, "kgsl:gpu_frequency", "u:gpu_freq u:gpu_id" },
	MCU(510, "PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND"),
	MCU(511, "PM_MCU_HCTL_CORES_NOTIFY_PEND"),
	MCU(512, "PM_MCU_HCTL_CORE_INACTIVE_PEND"),
	MCU(513, "PM_MCU_HCTL_MCU_ON_RECHECK"),
	MCU(514, "PM_MCU_HCTL_SHADERS_CORE_OFF_PEND"),
	MCU(515, "PM_MCU_HCTL_SHADERS_PEND_OFF"),
	MCU(516, "PM_MCU_HCTL_SHADERS_PEND_ON"),
	MCU(517, "PM_MCU_HCTL_SHADERS_READY_OFF"),
	MCU(518, "PM_MCU_IN_SLEEP"),
	MCU(519, "PM_MCU_OFF"),
	MCU(520, "PM_MCU_ON"),
	MCU(521, "PM_MCU_ON_CORE_ATTR_UPDATE_PEND"),
	MCU(522, "PM_MCU_ON_GLB_REINIT_PEND"),
	MCU(523, "PM_MCU_ON_HALT"),
	MCU(524, "PM_MCU_ON_HWCNT_DISABLE"),
	MCU(525, "PM_MCU_ON_HWCNT_ENABLE"),
	MCU(526, "PM_MCU_ON_PEND_HALT"),
	MCU(527, "PM_MCU_ON_PEND_SLEEP"),
	MCU(528, "PM_MCU_ON_SLEEP_INITIATE"),
	MCU(529, "PM_MCU_PEND_OFF"),
	MCU(530, "PM_MCU_PEND_ON_RELOAD"),
	MCU(531, "PM_MCU_POWER_DOWN"),
	MCU(532, "PM_MCU_RESET_WAIT"),
	{ 534, "kgsl:adreno_cmdbatch_queued", "u:id u:timestamp u:queued x:flags u:prio" },
	{ 535, "kgsl:adreno_cmdbatch_submitted",
	  "u:id u:timestamp d:inflight x:flags u:ticks u:secs u:usecs d:prio d:rb_id u:rptr u:wptr "
	  "d:q_inflight d:dispatch_queue" },
	{ 536, "kgsl:adreno_cmdbatch_sync", "u:id u:timestamp u:ticks d:prio" },
	{ 537, "kgsl:adreno_cmdbatch_retired",
	  "u:id u:timestamp d:inflight u:recovery x:flags u:start u:retire d:prio d:rb_id u:rptr "
	  "u:wptr d:q_inflight x:fault_recovery u:dispatch_queue u:submitted_to_rb u:retired_on_gmu "
	  "u:active" },
	{ 548, "mali:gpu_power_state", "u:change_ns d:from_state d:to_state" },
	{ 549, "dpu:disp_dpu_underrun", "d:id d:frames_pending d:vsync_count" },
	{ 550, "dpu:disp_vblank_irq_enable", "d:id d:output_id d:enable" },
	{ 591, "gpu_scheduler:drm_sched_job_add_dep", DEPENDS },
	{ 592, "gpu_scheduler:drm_sched_job_done", "u:fence_context u:fence_seqno" },
	{ 593, "gpu_scheduler:drm_sched_job_queue", NEW_JOB },
	{ 594, "gpu_scheduler:drm_sched_job_run", NEW_JOB },
	{ 595, "gpu_scheduler:drm_sched_job_unschedulable", DEPENDS },
	{ 601, "power:gpu_power_state", "d:old_state d:new_state" },
	{ 605, "dpu:disp_frame_done_timeout", FRAME " u:during_disable" },
	{ 606, "dpu:disp_frame_start_timeout", FRAME },
	{ 609, "dpu:disp_frame_done_missing", FRAME },
	{ 610, "dpu:disp_frame_start_missing", FRAME },
	{ 613, "dpu:disp_dpu_line_underrun", "d:id d:frames_pending d:vsync_count" },
};
/* clang-format on */

const struct pft_row *pft_row_of_gpu(uint32_t number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}
