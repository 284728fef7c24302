// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names and arguments as in drivers/accel/ivpu of Linux 6.3 to 7.2, ioctl data as in
 * include/uapi/drm/ivpu_accel.h.
 */
#include "npu_probes.h"

#define IN   XTR_IOCTL_IN
#define OUT  XTR_IOCTL_OUT
#define SIZE XTR_IOCTL_SIZE
#define ARG(field, representation)                                                      \
	{                                                                               \
		.name = (field), .repr = XTR_REPR_##representation, .argument = (field) \
	}
/* A buffer object begins with its drm_gem_object: ivpu_bo, drm_gem_shmem_object. */
#define OBJECT_SIZE                                                                                \
	{                                                                                          \
		.name = "size", .unit = "bytes", .repr = XTR_REPR_U64, .number = 0, .deref = true, \
		.structure = "drm_gem_object", .member = "size"                                    \
	}

#define NPU(what, ...) .purpose = (what), .module = "intel_vpu", .candidates = { __VA_ARGS__ }

const struct xtr_group_probe xtr_npu_probes[] = {
	/* Submission and completion. */
	{ NPU("submit", "ivpu_submit_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("buffer_count", 8, U32), IN("engine", 12, U32) } },
	{ NPU("cmdq_submit", "ivpu_cmdq_submit_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("buffer_count", 8, U32), IN("cmdq_id", 12, U32) } },
	{ NPU("cmdq_create", "ivpu_cmdq_create_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("priority", 4, U32), OUT("cmdq_id", 0, U32) } },
	{ NPU("cmdq_destroy", "ivpu_cmdq_destroy_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("cmdq_id", 0, U32) } },
	{ NPU("db_set", "ivpu_hw_ip_db_set", "ivpu_hw_db_set"), .captures = { ARG("db_id", U32) } },
	{ NPU("job_done_callback", "ivpu_job_done_callback") },
	{ NPU("job_signal", "ivpu_job_signal", "ivpu_job_signal_and_destroy", "ivpu_job_done"),
	  .captures = { ARG("job_id", U32), ARG("job_status", U32) } },
	{ NPU("job_timeout", "ivpu_job_timeout_work") },

	/* Buffers. */
	{ NPU("bo_create", "ivpu_bo_create_ioctl"), .ret = XTR_RET_INT,
	  .captures = { SIZE(0), IN("flags", 8, HEX32), OUT("handle", 12, U32),
			OUT("vpu_addr", 16, HEX64) } },
	{ NPU("bo_create_from_userptr", "ivpu_bo_create_from_userptr_ioctl"), .ret = XTR_RET_INT,
	  .captures = { SIZE(8), IN("flags", 16, HEX32), OUT("handle", 20, U32),
			OUT("vpu_addr", 24, HEX64) } },
	{ NPU("bo_info", "ivpu_bo_info_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("handle", 0, U32), OUT("vpu_addr", 8, HEX64),
			OUT("mmap_offset", 16, HEX64), OUT("size", 24, U64) } },
	{ NPU("bo_wait", "ivpu_bo_wait_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("handle", 0, U32), OUT("job_status", 16, U32) } },
	/* Buffers that the driver makes for itself. */
	{ NPU("bo_create_internal", "ivpu_bo_create_global", "ivpu_bo_alloc_internal") },
	{ NPU("bo_bind", "ivpu_bo_bind", "ivpu_bo_pin"), .ret = XTR_RET_INT,
	  .captures = { OBJECT_SIZE } },
	/* drm_gem_mmap, and bo_bind for buffers that nobody mapped, lead to `pages`, and from there
	 * to `page_alloc` where the buffer has no pages yet. Both serve other drivers, too. */
	{ .purpose = "pages",
	  .module = "drm_shmem_helper",
	  .candidates = { "drm_gem_shmem_get_pages_locked", "drm_gem_shmem_get_pages" },
	  .ret = XTR_RET_INT,
	  .captures = { OBJECT_SIZE } },
	{ .purpose = "page_alloc",
	  .module = "drm",
	  .candidates = { "drm_gem_get_pages" },
	  .captures = { OBJECT_SIZE } },
	{ NPU("map_sgt", "ivpu_mmu_context_map_sgt"), .ret = XTR_RET_INT,
	  .captures = { { .name = "vpu_addr", .repr = XTR_REPR_HEX64, .number = 2 },
			{ .name = "bo_size",
			  .unit = "bytes",
			  .repr = XTR_REPR_U64,
			  .argument = "bo_size" } } },
	{ NPU("unmap_sgt", "ivpu_mmu_context_unmap_sgt"),
	  .captures = { { .name = "vpu_addr", .repr = XTR_REPR_HEX64, .number = 2 } } },
	{ NPU("invalidate_tlb", "ivpu_mmu_invalidate_tlb"), .ret = XTR_RET_INT },

	/* Messages to and from the firmware, and interrupts. */
	{ NPU("ipc_send", "ivpu_ipc_send"), .ret = XTR_RET_INT },
	{ NPU("ipc_send_receive", "ivpu_ipc_send_receive"), .ret = XTR_RET_INT },
	{ NPU("ipc_receive", "ivpu_ipc_receive"), .ret = XTR_RET_INT },
	{ NPU("ipc_irq_handler", "ivpu_ipc_irq_handler") },
	{ NPU("hw_irq_handler", "ivpu_hw_irq_handler"), .ret = XTR_RET_IRQ },
	/* 6.12 has both; the second is then called by the first. */
	{ NPU("irq_thread", "ivpu_irq_thread_handler", "ivpu_ipc_irq_thread_handler"),
	  .ret = XTR_RET_IRQ },

	/* Parameters, open and close. */
	{ NPU("get_param", "ivpu_get_param_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("param", 0, U32), OUT("value", 8, U64) } },
	{ NPU("set_param", "ivpu_set_param_ioctl"), .ret = XTR_RET_INT,
	  .captures = { IN("param", 0, U32), IN("value", 8, U64) } },
	{ NPU("open", "ivpu_open"), .ret = XTR_RET_INT },
	{ NPU("close", "ivpu_postclose") },

	/* Boot and power. */
	{ NPU("boot", "ivpu_boot"), .ret = XTR_RET_INT },
	{ NPU("boot_fw", "ivpu_hw_boot_fw"), .ret = XTR_RET_INT },
	{ NPU("fw_load", "ivpu_fw_load") },
	{ NPU("wait_for_ready", "ivpu_wait_for_ready"), .ret = XTR_RET_INT },
	{ NPU("shutdown", "ivpu_shutdown"), .ret = XTR_RET_INT },
	{ NPU("rpm_get", "ivpu_rpm_get"), .ret = XTR_RET_INT },
	{ NPU("runtime_resume", "ivpu_pm_runtime_resume_cb"), .ret = XTR_RET_INT },
	{ NPU("runtime_suspend", "ivpu_pm_runtime_suspend_cb"), .ret = XTR_RET_INT },
	{ NPU("pm_resume", "ivpu_pm_resume_cb"), .ret = XTR_RET_INT },
	{ NPU("pm_suspend", "ivpu_pm_suspend_cb"), .ret = XTR_RET_INT },
	{ NPU("resume", "ivpu_resume"), .ret = XTR_RET_INT },
	{ NPU("power_up", "ivpu_hw_power_up"), .ret = XTR_RET_INT },
	{ NPU("power_down", "ivpu_hw_power_down"), .ret = XTR_RET_INT },
	{ NPU("recovery", "ivpu_pm_recovery_work") },
};
const size_t xtr_n_npu_probes = sizeof(xtr_npu_probes) / sizeof(*xtr_npu_probes);
