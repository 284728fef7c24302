/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print formats of Qualcomm's drivers. kgsl: adreno_trace.h and kgsl_trace.h of Qualcomm's kernels
 * 3.18 to 5.15 (drivers/gpu/msm). drm_msm_gpu: msm_gpu_trace.h of Linux 4.20 to 7.2;
 * drm_msm_atomic: msm_atomic_trace.h; dpu: dpu_trace.h.
 */
#include "print_format.h"

/* clang-format off */
/* KGSL_CMDBATCH_..., later KGSL_DRAWOBJ_..., of msm_kgsl.h. */
#define FLAGS \
	"%f{flags:none=0|None=0|MARKER=2|IB_LIST=4|CTX_SWITCH=8|EOF=256|SYNC=1024|" \
	"PWR_CONSTRAINT=2048}"
/* ADRENO_FT_TYPES: bits by their place in enum kgsl_ft_policy_bits. */
#define RECOVERY(field) \
	"%f{" field ":none=0|off=1|replay=2|skipib=4|skipframe=8|disable=16|temp=32|throttle=64|" \
	"skipcmd=128}"
#define BATCH "ctx=%u{id}%( ctx_prio=%d{prio}%) ts=%u{timestamp}"
/* Behind the seconds are nanoseconds in nine digits, or microseconds without leading zeros. */
#define TIME "%( time=%u{secs}.%9{nsecs}%)%( time=%u{secs}.%u{usecs}%)"
#define RING_STATE \
	"%( rb_id=%d{rb_id}%)%(,%)%( r/w=%x{rptr}/%x{wptr}%)%(,%)%( q_inflight=%d{q_inflight}%)"
#define DEVICE "d_name=%s{device_name} "

static const struct xtr_print rows[] = {
	{ "kgsl", "adreno_cmdbatch_queued",
	  BATCH " queued=%u{queued} flags=" FLAGS TIME },
	{ "kgsl", "adreno_cmdbatch_submitted",
	  BATCH " inflight=%d{inflight} flags=" FLAGS " ticks=%d{ticks}" TIME RING_STATE
	  "%(,%)%( dq_id=%d{dispatch_queue}%)" },
	{ "kgsl", "adreno_cmdbatch_retired",
	  BATCH " inflight=%d{inflight} recovery=" RECOVERY("recovery") " flags=" FLAGS
	  " start=%d{start} retire=%d{retire}" TIME RING_STATE
	  "%(,%)%( dq_id=%u{dispatch_queue}%)%(,%)%( submitted_to_rb=%u{submitted_to_rb}%)"
	  "%(,%)%( retired_on_gmu=%u{retired_on_gmu}%)%(,%)%( active=%u{active}%)" },
	{ "kgsl", "adreno_cmdbatch_sync", BATCH " ticks=%d{ticks}" },
	{ "kgsl", "adreno_cmdbatch_ready", BATCH " requeue_cnt=%u{requeue_cnt}" },
	{ "kgsl", "adreno_cmdbatch_fault",
	  BATCH " type=%e{fault:none=0|soft=1|hard=2|timeout=4}" },
	{ "kgsl", "adreno_cmdbatch_recovery", BATCH " action=" RECOVERY("action") },
	{ "kgsl", "adreno_cmdbatch_done adreno_syncobj_retired", BATCH },
	{ "kgsl", "adreno_syncobj_submitted", BATCH " num_sync=%u{num_syncobj} ticks=%d{ticks}" },
	{ "kgsl", "adreno_input_hw_fence",
	  "ctx=%u{id} id=%d{context} seqno=%d{seqno} flags=%t{flags} name=%s{fence_name}" },
	{ "kgsl", "adreno_drawctxt_sleep adreno_drawctxt_wake adreno_drawctxt_invalidate "
		  "dispatch_queue_context",
	  "ctx=%u{id} priority=%u{priority}" },
	{ "kgsl", "adreno_drawctxt_wait_start adreno_drawctxt_wait_done",
	  "rb=%u{rb_id} ctx=%u{ctx_id} ts=%u{ts}%( status=%d{status}%)" },
	{ "kgsl", "adreno_drawctxt_switch",
	  "rb level=%d{rb_level} oldctx=%u{oldctx} newctx=%u{newctx}%( flags=%x{flags}%)" },
	{ "kgsl", "adreno_gpu_fault",
	  "ctx=%w{ctx} ts=%w{ts} rb_id=%d{rb_id} status=%x{status} RB=%x{wptr}/%x{rptr} "
	  "IB1=%x{ib1base}/%x{ib1size} IB2=%x{ib2base}/%x{ib2size}" },
	{ "kgsl", "adreno_sp_tp", "func=%s{ip}" },
	{ "kgsl", "adreno_hw_preempt_comp_to_clear",
	  "cur_rb_lvl=%d{cur_level} rptr=%x{cur_rptr} wptr=%x{cur_wptr} rbbase=%x{cur_rbbase} "
	  "prev_rb_lvl=%d{new_level} rptr=%x{new_rptr} wptr_preempt_end=%x{new_wptr_end} "
	  "wptr=%x{new_wptr} rbbase=%x{new_rbbase}" },
	{ "kgsl", "adreno_hw_preempt_*",
	  "cur_rb_lvl=%d{cur_level} rptr=%x{cur_rptr}%( wptr_preempt_end=%x{cur_wptr_end}%) "
	  "wptr=%x{cur_wptr} rbbase=%x{cur_rbbase} new_rb_lvl=%d{new_level} rptr=%x{new_rptr} "
	  "wptr=%x{new_wptr} rbbase=%x{new_rbbase}" },
	{ "kgsl", "adreno_preempt_trigger",
	  "trigger from id=%d{cur} to id=%d{next} cntl=%x{cntl}" },
	{ "kgsl", "adreno_preempt_done",
	  "done switch to id=%d{next} from id=%d{cur} level=%x{level}" },
	{ "kgsl", "adreno_ifpc_count", "total times GMU entered IFPC = %d{ifpc_count}" },
	{ "kgsl", "kgsl_issueibcmds",
	  DEVICE "ctx=%u{drawctxt_id} ib=%x{ibdesc_addr} numibs=%u{numibs} ts=%u{timestamp} "
	  "flags=" FLAGS " result=%d{result} type=%s{drawctxt_type}" },
	{ "kgsl", "kgsl_readtimestamp",
	  DEVICE "context_id=%u{context_id} type=%u{type} ts=%u{timestamp}" },
	{ "kgsl", "kgsl_waittimestamp_entry",
	  DEVICE "ctx=%u{context_id} curr_ts=%u{curr_ts} ts=%u{wait_ts} timeout=%u{timeout}" },
	{ "kgsl", "kgsl_irq kgsl_bus kgsl_rail", DEVICE "flag=%e{on:on=1|off=0}" },
	{ "kgsl", "kgsl_clk", DEVICE "flag=%e{on:on=1|off=0}%( active_freq=%d{freq}%)" },
	{ "kgsl", "kgsl_gmu_pwrlevel", "gmu_freq=%d{freq} gmu_prev_freq=%d{prev_freq}" },
	{ "kgsl", "gpu_frequency kgsl_gpu_frequency",
	  "gpu_freq=%u{gpu_freq}Khz gpu_id=%u{gpu_id}" },
	{ "kgsl", "kgsl_pwrstats",
	  DEVICE "total=%d{total_time} busy=%d{busy_time} ram_time=%d{ram_time} "
	  "ram_wait=%d{ram_wait}" },
	{ "kgsl", "kgsl_mem_mmap",
	  "useraddr=%x{useraddr} gpuaddr=%x{gpuaddr} size=%u{size} usage=%s{usage} id=%u{id} "
	  "flags=%x{flags}" },
	{ "kgsl", "kgsl_mem_sync_cache",
	  "gpuaddr=%x{gpuaddr} size=%u{length} tgid=%u{tgid}  usage=%s{usage} id=%u{id} op=%t{op} "
	  "offset=%u{offset}" },
	{ "kgsl", "kgsl_mem_add_bind_range kgsl_mem_remove_bind_range",
	  "tgid=%u{tgid} target=%d{target} gpuaddr=%x{gpuaddr} length %u{length} child=%d{child}" },
	{ "kgsl", "kgsl_mem_timestamp_queue kgsl_mem_timestamp_free",
	  DEVICE "gpuaddr=%x{gpuaddr} size=%u{size} type=%s{type} usage=%s{usage} id=%u{id} "
	  "ctx=%u{drawctxt_id} curr_ts=%u{curr_ts} free_ts=%u{free_ts}" },
	{ "kgsl", "kgsl_context_create",
	  DEVICE "ctx=%u{id} flags=%t{flags}%( priority=%u{priority}%)%( type=%t{type}%)" },
	{ "kgsl", "kgsl_context_detach kgsl_context_destroy", DEVICE "ctx=%u{id}" },
	{ "kgsl", "kgsl_user_pwrlevel_constraint",
	  DEVICE "ctx=%u{id} constraint_type=%s{type} constraint_subtype=%s{sub_type}" },
	{ "kgsl", "kgsl_constraint",
	  DEVICE "constraint_type=%s{type} constraint_value=%u{value} status=%e{on:ON=1|OFF=0}" },
	{ "kgsl", "kgsl_regwrite", DEVICE "reg=%x{offset} value=%x{value}" },
	{ "kgsl", "kgsl_register_event", "ctx=%u{id} ts=%u{timestamp} cb=%s{func}" },
	{ "kgsl", "kgsl_fire_event",
	  "ctx=%u{id} ts=%u{ts} type=%t{type} age=%u{age} cb=%s{func}" },
	{ "kgsl", "kgsl_active_count", DEVICE "active_cnt=%u{count} func=%s{ip}" },
	{ "kgsl", "kgsl_pagetable_destroy", "ptbase=%x{ptbase} name=%u{name}" },
	{ "kgsl", "syncpoint_timestamp syncpoint_timestamp_expire",
	  "ctx=%u{syncobj_context_id} sync ctx=%u{context_id} ts=%u{timestamp}" },
	{ "kgsl", "syncpoint_fence syncpoint_fence_expire",
	  "ctx=%u{syncobj_context_id} fence=%s{fence_name}" },
	{ "kgsl", "kgsl_msg", "%s{msg}" },
	{ "kgsl", "kgsl_clock_throttling",
	  "idle_10=%d{idle_10pct} crc_50=%d{crc_50pct} crc_more50=%d{crc_more50pct} "
	  "crc_less50=%d{crc_less50pct} adj=%d{adj}" },
	{ "kgsl", "kgsl_bcl_clock_throttling",
	  "crc_25=%d{crc_25pct} crc_58=%d{crc_58pct} crc_75=%d{crc_75pct}" },
	{ "kgsl", "kgsl_hfi_send kgsl_hfi_receive", "id=%x{id} size=%x{size} seqnum=%x{seq}" },
	{ "kgsl", "kgsl_timeline_alloc", "id=%u{id} initial=%u{seqno}" },
	{ "kgsl", "kgsl_aux_command",
	  "context=%u{drawctxt_id} numcmds=%u{numcmds} flags=%x{flags} timestamp=%u{timestamp}" },
	{ "kgsl", "kgsl_thermal_constraint", "Thermal max freq=%d{max_freq}" },
	{ "kgsl", "kgsl_reclaim_memdesc",
	  "gpuaddr=%x{gpuaddr} size=%u{size} page_count=%u{page_count} tgid=%u{tgid} id=%u{id} "
	  "flags=%x{flags} swap=%e{swapout:out=1|in=0}" },
	{ "kgsl", "kgsl_reclaim_process",
	  "tgid=%u{pid} swapped=%u{swap_count} swapped_out_total=%u{unpinned_page_count} "
	  "swap=%e{swapout:out=1|in=0}" },
	/* msm */
	{ "drm_msm_gpu", "msm_gpu_submit",
	  "id=%w{id} pid=%d{pid} ring=%d{ringid} bos=%d{nr_bos} cmds=%d{nr_cmds}" },
	{ "drm_msm_gpu", "msm_gpu_submit_flush",
	  "id=%w{id} pid=%d{pid} ring=%d{ringid}:%w{seqno} ticks=%d{ticks}" },
	{ "drm_msm_gpu", "msm_gpu_submit_retired",
	  "id=%w{id} pid=%d{pid} ring=%d{ringid}:%w{seqno} elapsed=%d{elapsed} ns "
	  "mhz=%d{clock} start=%d{start_ticks} end=%d{end_ticks}" },
	{ "drm_msm_gpu", "msm_gpu_freq_change", "new_freq=%u{freq}" },
	{ "drm_msm_gpu", "msm_gmu_freq_change", "freq=%u{freq}, perf_index=%u{perf_index}" },
	{ "drm_msm_gpu", "msm_gem_shrink",
	  "nr_to_scan=%u{nr_to_scan} pg, purged=%u{purged} pg, evicted=%u{evicted} pg, "
	  "active_purged=%u{active_purged} pg, active_evicted=%u{active_evicted} pg" },
	{ "drm_msm_gpu", "msm_gem_purge msm_gem_evict",
	  "%(Purging %)%(Evicting %)%u{bytes} bytes" },
	{ "drm_msm_gpu", "msm_gem_purge_vmaps", "Purging %u{unmapped} vmaps" },
	{ "drm_msm_gpu", "msm_gpu_suspend msm_gpu_resume", "%u{dummy}" },
	{ "drm_msm_gpu", "msm_gpu_preemption_trigger",
	  "preempting %u{ring_id_from} -> %u{ring_id_to}%( wptr %x{wptr}%)" },
	{ "drm_msm_gpu", "msm_gpu_preemption_irq", "preempted to %u{ring_id}" },
	{ "drm_msm_atomic", "msm_atomic_*", "%(async=%d{async} %)crtc_mask=%x{crtc_mask}" },
	/* dpu: its labels are those of the fields but for these */
	{ "dpu", "dpu_trace_counter", "%d{pid}|%s{counter_name}|%d{value}" },
	{ "dpu", "dpu_enc_irq_*",
	  "id=%u{drm_id}, %(callback=%s{func}, %)intr=%d{intr_idx}, hw=%d{hw_idx}, irq=%d{irq_idx}" },
	{ "dpu", "dpu_perf_set_danger_luts",
	  "pnum=%d{pnum} fmt=%x{fmt} mode=%d{mode} luts[%x{danger_lut}, %x{safe_lut}]" },
	{ "dpu", "dpu_perf_set_ot",
	  "pnum:%d{pnum} xin_id:%d{xin_id} ot:%d{rd_lim}%( vbif:%d{vbif_idx}%)" },
	{ "dpu", "dpu_cmd_release_bw", "crtc:%d{crtc_id}" },
	{ "dpu", "dpu_enc_enable", "id=%u{drm_id}, mode=%d{hdisplay}x%d{vdisplay}" },
	{ "dpu", "dpu_enc_rc_helper dpu_enc_vblank_cb dpu_enc_frame_event_cb "
		 "dpu_enc_phys_cmd_connect_te",
	  "id=%u{drm_id}, enable=%e{enable:true=1|false=0}" },
	{ "dpu", "dpu_enc_* dpu_crtc_* dpu_kms_*", "id=%u{drm_id}" },
};
/* clang-format on */

const struct xtr_print_table xtr_print_qcom = { rows, sizeof(rows) / sizeof(rows[0]) };
