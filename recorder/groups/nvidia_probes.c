// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names and arguments as in the kernel interface layer of NVIDIA's open modules, 515 to 595, which
 * the closed build shares. The modules may come without types of their own; what is read by member
 * are structures of the kernel.
 */
#include "nvidia_probes.h"

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
