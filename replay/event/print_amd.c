/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print formats of AMD's drivers. amdgpu: amdgpu_trace.h of Linux 4.4 to 7.2 (`timeline`
 * since 4.11; until 4.16 the ring's name was a pointer, of which the text is what is printed).
 * radeon: radeon_trace.h. amdgpu_dm: amdgpu_dm_trace.h.
 */
#include "print_format.h"

/* clang-format off */
#define ADEV "%(adev=%p{adev}, %)"
#define OLD_JOB \
	ADEV "sched_job=%u{sched_job_id}%(, first ib=%p{ib}%)%(, first_ib=%p{ib}%)" \
	"%(, sched fence=%p{fence}%)%(, sched_fence=%p{fence}%)"
#define TIMELINE "%(, timeline=%s{timeline}, context=%u{context}, seqno=%u{seqno}%)"
#define RANGE "soffs=%x{soffset}, eoffs=%x{eoffset}, flags=%x{flags}"
#define MAPPING \
	"bo=%p{bo}, start=%x{start}, last=%x{last}, offset=%x{offset}, flags=%x{flags}"
#define DM_PLANE \
	"plane_id=%u{plane_id} plane_type=%d{plane_type} plane_state=%p{plane_state} " \
	"state=%p{state} crtc_id=%u{crtc_id} fb(id=%u{fb_id} fmt=%s{fb_format} " \
	"planes=%u{fb_planes} mod=%u{fb_modifier}) fence=%p{fence}"

static const struct xtr_print rows[] = {
	{ "amdgpu", "amdgpu_cs_ioctl amdgpu_sched_run_job",
	  OLD_JOB TIMELINE ", ring_name=%s{ring}, num_ibs=%u{num_ibs}" },
	{ "amdgpu", "amdgpu_cs_ioctl amdgpu_sched_run_job",
	  "timeline=%s{timeline}, fence=%u{context}:%u{seqno}, ring_name=%s{ring}, "
	  "num_ibs=%u{num_ibs}" },
	{ "amdgpu", "amdgpu_cs_ioctl amdgpu_sched_run_job",
	  OLD_JOB TIMELINE ", ring name%(:%)%(=%)%s{ring}, num_ibs%(:%)%(=%)%u{num_ibs}" },
	/* A pointer to the job instead of its number. */
	{ "amdgpu", "amdgpu_cs_ioctl amdgpu_sched_run_job",
	  ADEV "sched_job=%p{sched_job}%(, first ib=%p{ib}%)%(, first_ib=%p{ib}%)"
	  "%(, sched fence=%p{fence}%)%(, sched_fence=%p{fence}%)" TIMELINE
	  ", ring%( %)%(_%)name%(:%)%(=%)%s{ring}, num_ibs%(:%)%(=%)%u{num_ibs}" },
	{ "amdgpu", "amdgpu_cs",
	  "bo_list=%p{bo_list}, ring=%u{ring}, dw=%u{dw}, fences=%u{fences}" },
	{ "amdgpu", "amdgpu_cs_bo_status",
	  "total%( %)%(_%)bo%( %)%(_%)size%( %)=%( %)%d{total_bo}, "
	  "total%( %)%(_%)bo%( %)%(_%)count%( %)=%( %)%d{total_size}" },
	{ "amdgpu", "amdgpu_bo_list_set",
	  "list=%p{list}, bo=%p{bo}, bo_size%( %)=%( %)%d{bo_size}" },
	{ "amdgpu", "amdgpu_bo_create",
	  "bo=%p{bo},%( %)pages=%u{pages},%( %)type=%d{type},%( %)prefer%(r%)ed=%d{prefer},"
	  "%( %)allowed=%d{allow},%( %)visible=%d{visible}" },
	{ "amdgpu", "amdgpu_bo_move amdgpu_ttm_bo_move",
	  "bo=%p{bo}, from=%d{old_placement}, to=%d{new_placement}, size=%d{bo_size}" },
	{ "amdgpu", "amdgpu_ttm_bo_move",
	  "bo=%p{bo} from:%d{old_placement} to %d{new_placement} with size = %d{bo_size}" },
	{ "amdgpu", "amdgpu_device_rreg amdgpu_device_wreg amdgpu_mm_rreg amdgpu_mm_wreg",
	  "%x{did}, %x{reg}, %x{value}" },
	{ "amdgpu", "amdgpu_iv",
	  "%(ih:%u{ih} %)client_id:%u{client_id} src_id:%u{src_id} ring:%u{ring_id} "
	  "%(vmid:%u{vmid} %)%(vm_id:%u{vm_id} %)timestamp: %u{timestamp} "
	  "%(pasid:%u{pasid} %)%(pas_id:%u{pas_id} %)src_data: %s{src_data}" },
	{ "amdgpu", "amdgpu_ib_pipe_sync",
	  "job ring=%s{ring}, id=%u{id}, need pipe sync to fence=%p{fence}, context=%u{ctx}, "
	  "seq=%u{seqno}" },
	{ "amdgpu", "amdgpu_ib_pipe_sync",
	  "job ring=%s{ring} need pipe sync to fence=%u{ctx}:%u{seqno}" },
	{ "amdgpu", "amdgpu_vm_bo_update amdgpu_vm_bo_mapping amdgpu_vm_bo_cs", RANGE },
	{ "amdgpu", "amdgpu_vm_bo_map amdgpu_vm_bo_unmap", MAPPING },
	{ "amdgpu", "amdgpu_vm_set_ptes",
	  "pe=%x{pe}, addr=%x{addr}, incr=%u{incr}, flags=%x{flags}, count=%u{count}"
	  "%(, direct=%d{direct}%)%(, immediate=%d{immediate}%)" },
	{ "amdgpu", "amdgpu_vm_copy_ptes",
	  "pe=%x{pe}, src=%x{src}, count=%u{count}%(, direct=%d{direct}%)"
	  "%(, immediate=%d{immediate}%)" },
	{ "amdgpu", "amdgpu_vm_update_ptes",
	  "pid:%u{pid} vm_ctx:%x{vm_ctx} start:%x{start} end:%x{end}, flags:%x{flags}, "
	  "incr:%u{incr}, dst:%s{dst}" },
	{ "amdgpu", "amdgpu_vm_flush",
	  "ring=%t{ring}, id=%u{vmid}, hub=%u{vm_hub}, pd_addr=%x{pd_addr}" },
	{ "amdgpu", "amdgpu_vm_flush", "ring=%t{ring}, id=%u{id}, pd_addr=%x{pd_addr}" },
	{ "amdgpu", "amdgpu_vm_grab_id",
	  "%(vm=%p{vm}, %)%(pasid=%d{pasid}, %)ring=%t{ring}, id=%u{vmid}%(, hub=%u{vm_hub}%), "
	  "pd_addr=%x{pd_addr} needs_flush=%u{needs_flush}" },
	{ "amdgpu", "amdgpu_reset_reg_dumps", "amdgpu register dump %x{address}: %x{value}" },
	{ "amdgpu", "amdgpu_runpm_reference_dumps",
	  "amdgpu runpm reference dump %x{index}: 0x%s{func}" },
	{ "amdgpu", "amdgpu_isolation", "prev=%p{prev}, next=%p{next}" },
	{ "amdgpu", "amdgpu_cleaner_shader", "ring=%s{ring}, seqno=%u{seqno}" },
	{ "amdgpu", "amdgpu_ttm_tt_populate amdgpu_ttm_tt_unpopulate",
	  "%x{domain}:%x{bus}:%x{slot}.%x{func}: %x{dma} => %x{phys}" },
	{ "amdgpu_dm", "amdgpu_refresh_rate_track",
	  "crtc_index=%d{crtc_index} refresh_rate=%d{refresh_rate_hz}Hz (%d{refresh_rate_ns})" },
	{ "amdgpu_dm", "amdgpu_dm_plane_atomic_check amdgpu_dm_atomic_update_cursor", DM_PLANE },
	{ "amdgpu_dm", "amdgpu_dc_performance",
	  "%s{func}:%d{line} reads=%u{read_delta} (%u{reads} total), writes=%u{write_delta} "
	  "(%u{writes} total)" },
	/* radeon */
	{ "radeon", "radeon_bo_create", "bo=%p{bo}, pages=%u{pages}" },
	{ "radeon", "radeon_cs", "ring=%u{ring}, dw=%u{dw}, fences=%u{fences}" },
	{ "radeon", "radeon_fence_emit radeon_fence_wait_begin radeon_fence_wait_end",
	  "dev=%u{dev}, ring=%d{ring}, seqno=%u{seqno}" },
	{ "radeon", "radeon_semaphore_signale radeon_semaphore_wait",
	  "ring=%u{ring}, waiters=%d{waiters}, addr=%x{gpu_addr}" },
	{ "radeon", "radeon_vm_grab_id", "vmid=%u{vmid}, ring=%u{ring}" },
	{ "radeon", "radeon_vm_flush", "pd_addr=%x{pd_addr}, ring=%u{ring}, id=%u{id}" },
	{ "radeon", "radeon_vm_bo_update", RANGE },
	{ "radeon", "radeon_vm_set_page",
	  "pe=%x{pe}, addr=%x{addr}, incr=%u{incr}, flags=%x{flags}, count=%u{count}" },
	/* amdxdna: the NPU */
	{ "amdxdna", "xdna_job",
	  "fence=(context:%u{fence_context}, seqno:%u{fence_seqno}), %s{name} seq#:%u{seq} "
	  "%s{str}, op=%u{op}" },
	{ "amdxdna", "mbox_set_tail mbox_set_head",
	  "%s{name}.%d{chann_id} id %x{msg_id} opcode %x{opcode}" },
	{ "amdxdna", "mbox_irq_handle mbox_rx_worker", "%s{name}.%d{irq}" },
	{ "amdxdna", "amdxdna_debug_point", "%s{name}:%u{number} %s{str}" },
};
/* clang-format on */

const struct xtr_print_table xtr_print_amd = { rows, sizeof(rows) / sizeof(rows[0]) };
