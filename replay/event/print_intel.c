/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print formats of Intel's drivers. i915: i915_trace.h of Linux 4.4 to 7.2 (i915_gem_request_* up
 * to 4.16, i915_request_* since; `ring` up to 4.19, `class` and `instance` since 4.20), the
 * display's since 6.1 in intel_display_trace.h, which xe has, too. xe: xe_trace*.h. vpu:
 * ivpu_trace.h.
 */
#include "print_format.h"

/* clang-format off */
#define REQUEST \
	"dev=%u{dev}%(, hw_id=%u{hw_id}%)%(, engine=%u{class}:%u{instance}%)" \
	"%(, hw_id=%u{hw_id}%)%(, ring=%u{ring}%)%(, ctx=%u{ctx}%), seqno=%u{seqno}"
/* trace-cmd has no letters: it prints ">c<". */
#define PIPE "%(dev %t{dev}, pipe %C{pipe_name}%)%(pipe %c{pipe}%)%(pipe >c<%)"
#define FRAME "frame=%u{frame}, scanline=%u{scanline}"
#define SRC_DST "%s{src} -> %s{dst}"
#define XE_QUEUE \
	"dev=%t{dev}, %d{class}:%x{logical_mask}, gt=%d{gt_id}, width=%d{width}%(,%) " \
	"guc_id=%d{guc_id}, guc_state=%x{guc_state}, flags=%x{flags}%(, primary=%d{primary}%)"
#define XE_JOB \
	"dev=%t{dev}, fence=%p{fence}, seqno=%u{seqno}, lrc_seqno=%u{lrc_seqno}, gt=%u{gt_id}, " \
	"guc_id=%d{guc_id}, batch_addr=%x{batch_addr}, guc_state=%x{guc_state}, flags=%x{flags}, " \
	"error=%d{error}"

static const struct xtr_print rows[] = {
	{ "i915", "i915_request_in i915_gem_request_in",
	  REQUEST "%(, prio=%d{prio}%)%(, global=%u{global_seqno}%)%(, port=%u{port}%)" },
	/* Until 4.16 there was no `completed`, and the number's name was another one. */
	{ "i915", "i915_request_out i915_gem_request_out",
	  REQUEST "%(, global=%u{global_seqno}%), completed?=%u{completed}" },
	{ "i915", "i915_request_wait_begin i915_gem_request_wait_begin",
	  REQUEST "%(, global=%u{global}%)%(, blocking=%_%)%(, flags=%x{flags}%)" },
	{ "i915", "i915_gem_request_wait_begin",
	  REQUEST ", blocking=%e{blocking:yes (NB)=1|no=0}" },
	{ "i915", "i915_request_queue i915_gem_request_queue",
	  REQUEST ", flags=%x{flags}" },
	{ "i915", "i915_request_* i915_gem_request_*",
	  REQUEST "%(, global=%u{global}%)%(, tail=%u{tail}%)" },
	{ "i915", "intel_engine_notify",
	  "dev=%u{dev}%(, engine=%u{class}:%u{instance}%)%(, ring=%u{ring}%), seqno=%u{seqno}, "
	  "waiters=%u{waiters}" },
	{ "i915", "i915_gem_ring_dispatch",
	  "dev=%u{dev}, ring=%u{ring}, seqno=%u{seqno}, flags=%x{flags}" },
	{ "i915", "i915_gem_ring_flush",
	  "dev=%u{dev}, ring=%x{ring}, invalidate=%x{invalidate}, flush=%x{flush}" },
	{ "i915", "i915_gem_ring_sync_to",
	  "dev=%u{dev}, sync-from=%u{from_class}:%u{from_instance}, "
	  "sync-to=%u{to_class}:%u{to_instance}, seqno=%u{seqno}" },
	{ "i915", "i915_gem_ring_sync_to",
	  "dev=%u{dev}, sync-from=%u{sync_from}, sync-to=%u{sync_to}, seqno=%u{seqno}" },
	{ "i915", "i915_reg_rw",
	  "%e{write:write=1|read=0} reg=%x{reg}, len=%d{len}, val=(%x{val}, %h{val})" },
	{ "i915", "intel_gpu_freq_change", "new_freq=%u{freq}" },
	{ "i915", "i915_gem_object_create", "obj=%p{obj}, size=%u{size}" },
	{ "i915", "i915_gem_object_fault",
	  "obj=%p{obj}, %e{gtt:GTT=1|CPU=0} index=%u{index}%e{write: , writable=1|=0}" },
	{ "i915", "i915_gem_object_pread i915_gem_object_pwrite",
	  "obj=%p{obj}, offset=%u{offset}, len=%u{len}" },
	{ "i915", "i915_gem_object_change_domain",
	  "obj=%p{obj}, read=%x{old_read}=>%x{read_domains}, write=%x{old_write}=>%x{write_domain}" },
	{ "i915", "i915_gem_object_clflush i915_gem_object_destroy", "obj=%p{obj}" },
	{ "i915", "i915_vma_bind",
	  "obj=%p{obj}, offset=%x{offset} size=%x{size}%e{mappable:, mappable=1|=0} vm=%p{vm}" },
	{ "i915", "i915_vma_unbind", "obj=%p{obj}, offset=%x{offset} size=%x{size} vm=%p{vm}" },
	{ "i915", "i915_gem_evict",
	  "dev=%d{dev}, vm=%p{vm}, size=%d{size}, align=%d{align}"
	  "%e{mappable: , mappable=1|=0}" },
	{ "i915", "i915_gem_evict_node",
	  "dev=%d{dev}, vm=%p{vm}, start=%x{start} size=%x{size}, color=%x{color}, flags=%x{flags}" },
	{ "i915", "i915_gem_evict_vm i915_ppgtt_create i915_ppgtt_release", "dev=%d{dev}, vm=%p{vm}" },
	{ "i915", "i915_gem_shrink", "dev=%d{dev}, target=%u{target}, flags=%x{flags}" },
	{ "i915", "i915_context_create i915_context_free",
	  "dev=%u{dev}, ctx=%p{ctx}, ctx_vm=%p{vm}%(, hw_id=%u{hw_id}%)" },
	{ "i915", "switch_mm",
	  "dev=%u{dev}%(, engine=%u{class}:%u{instance}%)%(, ring=%u{ring}%), ctx=%p{to}, "
	  "ctx_vm=%p{vm}" },
	{ "i915", "i915_va_alloc", "vm=%p{vm} (%(G%)%(P%)), %x{start}-%x{end}" },
	{ "i915", "i915_page_directory_entry_alloc",
	  "vm=%p{vm}, pdpe=%d{px} (%x{start}-%x{end})" },
	{ "i915", "i915_page_directory_pointer_entry_alloc",
	  "vm=%p{vm}, pml4e=%d{px} (%x{start}-%x{end})" },
	{ "i915", "i915_page_table_entry_alloc", "vm=%p{vm}, pde=%d{px} (%x{start}-%x{end})" },
	{ "i915", "i915_page_table_entry_map",
	  "vm=%p{vm}, pde=%d{pde}, updating %u{last}:%u{first}%(\t%s{cur_ptes}%)" },
	{ "i915", "i915_flip_request i915_flip_complete", "plane=%d{plane}, obj=%p{obj}" },
	/* display */
	{ "i915", "i915_pipe_update_* intel_pipe_update_*",
	  PIPE ", " FRAME "%(, min=%u{min}, max=%u{max}%)" },
	{ "i915", "intel_cpu_fifo_underrun intel_crtc_flip_done intel_crtc_vblank_work_start "
		  "intel_crtc_vblank_work_end intel_fbc_activate intel_fbc_deactivate "
		  "intel_fbc_nuke",
	  PIPE "%(, plane %t{name}%), " FRAME },
	{ "i915", "intel_fbc_activate intel_fbc_deactivate intel_fbc_nuke intel_plane_disable_arm",
	  PIPE ", %s{name}, " FRAME },
	{ "i915", "intel_pch_fifo_underrun",
	  "%(dev %t{dev}, pch transcoder %C{pipe_name}%)%(pch transcoder %c{pipe}%), " FRAME },
	{ "i915", "intel_pipe_crc", PIPE ", " FRAME " crc=%s{crcs}" },
	{ "i915", "intel_disable_plane intel_plane_disable_arm", PIPE ", plane %s{name}, " FRAME },
	{ "i915", "intel_plane_async_flip",
	  PIPE ", %s{name}, " FRAME ", async_flip=%e{async_flip:yes=1|no=0}" },
	{ "i915", "intel_plane_async_flip", PIPE ", plane %s{name}, " FRAME },
	{ "i915", "intel_update_plane intel_plane_update_arm intel_plane_update_noarm",
	  PIPE ", plane %s{name}, " FRAME ", %(format=%s{format}, %)" SRC_DST },
	{ "i915", "intel_plane_update_arm intel_plane_update_noarm",
	  PIPE ", %s{name}, " FRAME ", format=%s{format}, " SRC_DST },
	{ "i915", "intel_pipe_scaler_update_arm",
	  PIPE ", scaler %d{scaler_id} " FRAME ", %d{w}x%d{h}%d{x}%d{y}" },
	{ "i915", "intel_plane_scaler_update_arm",
	  PIPE ", scaler %d{scaler_id}, plane %s{name}, " FRAME ", %d{w}x%d{h}%d{x}%d{y}" },
	{ "i915", "intel_scaler_disable_arm", PIPE ", scaler %d{scaler_id}, " FRAME },
	{ "i915", "intel_frontbuffer_invalidate intel_frontbuffer_flush",
	  "%(dev %t{dev}, %)frontbuffer_bits=%x{frontbuffer_bits}, origin=%u{origin}" },
	{ "i915", "intel_memory_cxsr",
	  "%(dev %t{dev}, cxsr %)%e{old:on=1|off=0}->%e{new:on=1|off=0}, %s{pipes}" },
	{ "i915", "intel_pipe_enable intel_pipe_disable",
	  "%(dev %t{dev}, pipe %C{pipe_name}%)%(pipe %c{pipe}%) %e{enable:enable=1|disable=0}, "
	  "%s{pipes}" },
	{ "i915", "g4x_wm",
	  PIPE ", " FRAME ", wm %d{primary}/%d{sprite}/%d{cursor}, "
	  "sr %e{cxsr:yes=1|no=0}/%d{sr_plane}/%d{sr_cursor}/%d{sr_fbc}, "
	  "hpll %e{hpll:yes=1|no=0}/%d{hpll_plane}/%d{hpll_cursor}/%d{hpll_fbc}, "
	  "fbc %e{fbc:yes=1|no=0}" },
	{ "i915", "vlv_wm",
	  PIPE ", " FRAME ", level=%d{level}, cxsr=%d{cxsr}, "
	  "wm %d{primary}/%d{sprite0}/%d{sprite1}/%d{cursor}, sr %d{sr_plane}/%d{sr_cursor}" },
	{ "i915", "vlv_fifo_size",
	  PIPE ", " FRAME ", %d{sprite0_start}/%d{sprite1_start}/%d{fifo_size}" },
	/* xe */
	{ "xe", "xe_exec_queue_reach_max_job_count",
	  "dev=%t{dev}, job count exceeded the maximum limit (%d{max_cnt}) per exec queue. "
	  "engine_class=%x{class}, logical_mask=%x{logical_mask}, guc_id=%d{guc_id}" },
	{ "xe", "xe_exec_queue_*", XE_QUEUE },
	{ "xe", "xe_exec_queue_*",
	  "%d{class}:%x{logical_mask}, gt=%d{gt_id}, width=%d{width}, guc_id=%d{guc_id}, "
	  "guc_state=%x{guc_state}, flags=%x{flags}" },
	{ "xe", "xe_sched_job_*", XE_JOB },
	{ "xe", "xe_sched_job_*",
	  "%(dev=%t{dev}, %)fence=%p{fence}, seqno=%u{seqno}%(, lrc_seqno=%u{lrc_seqno}%)"
	  "%(, gt=%u{gt_id}%), guc_id=%d{guc_id}, batch_addr=%x{batch_addr}, "
	  "guc_state=%x{guc_state}, flags=%x{flags}, error=%d{error}" },
	{ "xe", "xe_sched_msg_*",
	  "%(dev=%t{dev}, %)gt=%u{gt_id} guc_id=%d{guc_id}, opcode=%u{opcode}" },
	{ "xe", "xe_hw_fence_*",
	  "%(dev=%t{dev}, %)ctx=%x{ctx}, fence=%p{fence}, seqno=%u{seqno}" },
	{ "xe", "xe_tlb_inval_fence_* xe_gt_tlb_invalidation_fence_*",
	  "%(dev=%t{dev}, %)fence=%p{fence}, seqno=%d{seqno}" },
	{ "xe", "xe_bo_move",
	  "move_lacks_source:%e{move_lacks_source:yes=1|no=0}, migrate object %p{bo} "
	  "[size %u{size}] from %s{old_placement_name} to %s{new_placement_name} "
	  "device_id:%s{device_id}" },
	{ "xe", "xe_bo_*", "%(dev=%t{dev}, %)size=%u{size}, flags=%x{flags}, vm=%p{vm}" },
	{ "xe", "xe_vm_*", "%(dev=%t{dev}, %)vm=%p{vm}, asid=%x{asid}%(, vm flags=%x{flags}%)" },
	{ "xe", "xe_vma_*",
	  "%(dev=%t{dev}, %)vma=%p{vma}, %(vm=%p{vm}, %)asid=%x{asid}, start=%x{start}, "
	  "end=%x{end}, userptr=%x{ptr}" },
	{ "xe", "xe_reg_rw",
	  "%(dev=%t{dev}, %)%e{write:write=1|read=0} reg=%x{reg}, len=%d{len}, "
	  "val=(%x{val}, %h{val})" },
	{ "xe", "xe_eu_stall_data_read",
	  "slice: %u{slice} subslice: %u{subslice} read ptr: %x{read_ptr} "
	  "write ptr: %x{write_ptr} read size: %u{read_size} total read size: %u{total_size}" },
	{ "xe", "xe_guc_ct_g2h_flow_control",
	  "g2h flow control: %(dev=%t{dev}, %)head=%u{_head}, tail=%u{_tail}, size=%u{size}, "
	  "space=%u{space}, len=%u{len}" },
	{ "xe", "xe_guc_ct_h2g_flow_control",
	  "h2g flow control: %(dev=%t{dev}, %)head=%u{_head}, tail=%u{_tail}, size=%u{size}, "
	  "space=%u{space}, len=%u{len}" },
	{ "xe", "xe_guc_ctb_h2g",
	  "H2G CTB: %(dev=%t{dev}, %)gt%d{gt_id}: action=%x{action}, len=%d{len}, tail=%d{tail}, "
	  "head=%d{_head}" },
	{ "xe", "xe_guc_ctb_g2h",
	  "G2H CTB: %(dev=%t{dev}, %)gt%d{gt_id}: action=%x{action}, len=%d{len}, tail=%d{tail}, "
	  "head=%d{_head}" },
	{ "xe", "xe_pm_*", "dev=%t{dev} caller_function=%s{caller}" },
	{ "xe", "xe_lrc_update_timestamp",
	  "lrc=:%p{lrc} lrc->name=%s{name} old=%u{old} new=%u{new} device_id:%s{device_id}" },
	{ "xe", "xe_lrc_update_queue_timestamp",
	  "lrc=%p{lrc} primary_lrc=%p{primary_lrc} lrc->name=%s{name} old=%u{old} new=%u{new} "
	  "device_id:%s{device_id}" },
	/* vpu: the NPU. Its events have names that others may have, too. */
	{ "vpu", "job",
	  "%s{event} context:%d{ctx_id} engine:%d{engine_id} job:%d{job_id}" },
	{ "vpu", "pm", "%s{event}" },
	{ "vpu", "jsm",
	  "%s{event} type:%s{type}, status:%x{status}, id:%x{request_id}, result:%x{result}" },
};
/* clang-format on */

const struct xtr_print_table xtr_print_intel = { rows, sizeof(rows) / sizeof(rows[0]) };
