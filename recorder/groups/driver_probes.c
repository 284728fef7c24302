/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of drivers, for what their tracepoints do not tell: tables without code. */
#include "driver_probes.h"

/* --- drm probes ------------------------------------------------------------------------------- */

/*
 * Names and arguments as in drivers/gpu/drm and drivers/accel/amdxdna of Linux 6.1 to 7.2, ioctl
 * data as in include/uapi/drm.
 */

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
	/* Nor does drm_vblank_event_delivered: the file is that of the thread that asks for flips.
	 */
	{ ROW("drm", "page_flip", "drm_mode_page_flip_ioctl"),
	  .captures = { XTR_OBJECT("file", 2) } },
	{ ROW("drm", "atomic", "drm_mode_atomic_ioctl"), .captures = { XTR_OBJECT("file", 2) } },
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

/* --- npu probes ------------------------------------------------------------------------------- */

/*
 * Names and arguments as in drivers/accel/ivpu of Linux 6.3 to 7.2, ioctl data as in
 * include/uapi/drm/ivpu_accel.h.
 */

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

/* --- nvidia probes ---------------------------------------------------------------------------- */

/*
 * Names and arguments as in the kernel interface layer of NVIDIA's open modules, 515 to 595, which
 * the closed build shares. The modules may come without types of their own; what is read by member
 * are structures of the kernel.
 */

/*
 * An ioctl: the second word of RM_CONTROL's structure in the caller's memory is its command, the
 * third of RM_ALLOC's its class. A load cannot depend on the ioctl's number: both are read of every
 * ioctl, and mean something only where that is the right one.
 */
#define OLD_IOCTL "nvidia_ioctl" /* (inode *, file *, cmd, arg); the others are without inode */
#define IOCTL(first, of)                                                                           \
	{ .name = "file",                                                                          \
	  .repr = XTR_REPR_HEX64,                                                                  \
	  .sens = XTR_SENS_KPTR,                                                                   \
	  .number = (first),                                                                       \
	  .only = (of) },                                                                          \
		{ .name = "cmd", .repr = XTR_REPR_HEX32, .number = (first) + 1, .only = (of) },    \
		{ .name = "arg_cmd",                                                               \
		  .repr = XTR_REPR_HEX32,                                                          \
		  .number = (first) + 2,                                                           \
		  .deref = true,                                                                   \
		  .user = true,                                                                    \
		  .offset = 8,                                                                     \
		  .only = (of) },                                                                  \
	{                                                                                          \
		.name = "arg_class", .repr = XTR_REPR_HEX32, .number = (first) + 2, .deref = true, \
		.user = true, .offset = 12, .only = (of)                                           \
	}
#define NEW_IOCTL   "nvidia_unlocked_ioctl"          /* since 545 */
#define FRONT_IOCTL "nvidia_frontend_unlocked_ioctl" /* up to 535 */

#define FILE_ARG(n) XTR_OBJECT("file", n)
#define DEVICE(n)   XTR_OBJECT("device", n)
#define MEMBER(field, n, s, m)                                                         \
	{                                                                              \
		.name = (field), .repr = XTR_REPR_HEX64, .number = (n), .deref = true, \
		.structure = (s), .member = (m), .sens = XTR_SENS_UPTR                 \
	}
/* Of the process: size = vm_end - vm_start. */
#define VMA(n)                                               \
	MEMBER("vm_start", n, "vm_area_struct", "vm_start"), \
		MEMBER("vm_end", n, "vm_area_struct", "vm_end")
/* Device number of the node: its minor tells /dev/nvidiactl (255) from /dev/nvidiaN. */
#define NODE                                                                        \
	{                                                                           \
		.name = "rdev", .repr = XTR_REPR_HEX32, .number = 0, .deref = true, \
		.structure = "inode", .member = "i_rdev"                            \
	}
#define LENGTH(n)                                                                      \
	{                                                                              \
		.name = "length", .unit = "bytes", .repr = XTR_REPR_U64, .number = (n) \
	}
#define ADDRESS(n)                                                               \
	{                                                                        \
		.name = "virtual_address", .repr = XTR_REPR_HEX64, .number = (n) \
	}

#define NV(what, ...)  .purpose = (what), .module = "nvidia", .candidates = { __VA_ARGS__ }
#define UVM(what, ...) .purpose = (what), .module = "nvidia_uvm", .candidates = { __VA_ARGS__ }

const struct xtr_group_probe xtr_nvidia_probes[] = {
	/* What processes do. Newer names first: where both exist, the newer one is the outer call.
	 */
	{ NV("open", "nvidia_open"), .ret = XTR_RET_INT, .captures = { FILE_ARG(1), NODE } },
	{ NV("close", "nvidia_close"), .ret = XTR_RET_INT, .captures = { FILE_ARG(1), NODE } },
	{ NV("ioctl", NEW_IOCTL, FRONT_IOCTL, OLD_IOCTL), .ret = XTR_RET_INT, .key = "cmd",
	  .sub = { { 0x2a, "arg_cmd" }, { 0x2b, "arg_class" } },
	  .captures = { IOCTL(0, NEW_IOCTL), IOCTL(0, FRONT_IOCTL), IOCTL(1, OLD_IOCTL) } },
	{ NV("mmap", "nvidia_mmap"), .ret = XTR_RET_INT, .captures = { FILE_ARG(0), VMA(1) } },
	{ NV("vma_open", "nvidia_vma_open"), .captures = { VMA(0) } },
	{ NV("vma_release", "nvidia_vma_release"), .captures = { VMA(0) } },
	{ NV("poll", "nvidia_poll"), .ret = XTR_RET_INT, .captures = { FILE_ARG(0) } },
	/* A processor's fault on a mapping of device memory that was taken back. */
	{ NV("fault", "nvidia_fault"), .ret = XTR_RET_INT,
	  .captures = { MEMBER("address", 0, "vm_fault", "address") } },

	/* Interrupts. With MSI-X nvidia_isr is called by nvidia_isr_msix, unless it is inlined. */
	{ NV("isr", "nvidia_isr"), .ret = XTR_RET_IRQ, .captures = { DEVICE(1) } },
	{ NV("isr_msix", "nvidia_isr_msix"), .ret = XTR_RET_IRQ, .captures = { DEVICE(1) } },
	{ NV("isr_kthread_bh", "nvidia_isr_kthread_bh"), .ret = XTR_RET_IRQ,
	  .captures = { DEVICE(1) } },
	{ NV("isr_msix_kthread_bh", "nvidia_isr_msix_kthread_bh"), .ret = XTR_RET_IRQ,
	  .captures = { DEVICE(1) } },

	/* Memory for other PCI devices (GPUDirect RDMA). */
	{ NV("p2p_get_pages", "nvidia_p2p_get_pages"), .ret = XTR_RET_INT,
	  .captures = { ADDRESS(2), LENGTH(3) } },
	{ NV("p2p_get_pages_persistent", "nvidia_p2p_get_pages_persistent"), .ret = XTR_RET_INT,
	  .captures = { ADDRESS(0), LENGTH(1) } },
	{ NV("p2p_dma_map_pages", "nvidia_p2p_dma_map_pages"), .ret = XTR_RET_INT,
	  .captures = { XTR_OBJECT("peer", 0) } },

	/* Power and errors. */
	{ NV("suspend", "nvidia_suspend"), .ret = XTR_RET_INT, .captures = { DEVICE(0) } },
	{ NV("resume", "nvidia_resume"), .ret = XTR_RET_INT, .captures = { DEVICE(0) } },
	{ NV("report_error", "nv_report_error"),
	  .captures = { DEVICE(0), { .name = "xid", .repr = XTR_REPR_U32, .number = 1 } } },
};
const size_t xtr_n_nvidia_probes = sizeof(xtr_nvidia_probes) / sizeof(*xtr_nvidia_probes);

const struct xtr_group_probe xtr_uvm_probes[] = {
	{ UVM("uvm_open", "uvm_open_entry"), .ret = XTR_RET_INT, .captures = { FILE_ARG(1) } },
	{ UVM("uvm_ioctl", "uvm_unlocked_ioctl_entry"), .ret = XTR_RET_INT, .key = "cmd",
	  .captures = { FILE_ARG(0), { .name = "cmd", .repr = XTR_REPR_U32, .number = 1 } } },
	{ UVM("uvm_mmap", "uvm_mmap_entry"), .ret = XTR_RET_INT,
	  .captures = { FILE_ARG(0), VMA(1) } },
};
const size_t xtr_n_uvm_probes = sizeof(xtr_uvm_probes) / sizeof(*xtr_uvm_probes);
