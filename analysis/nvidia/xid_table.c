/* SPDX-License-Identifier: BSD-2-Clause */
#include "xid_table.h"

#include <stddef.h>

#define IGNORE   "ignore", XID_NONE
#define APP      "restart app", XID_APPLICATION
#define UPDATE   "update software", XID_APPLICATION
#define RESET    "reset GPU", XID_DEVICE
#define DRAIN    "drain / reset workflow", XID_DEVICE
#define HARDWARE "check hardware", XID_DEVICE
#define NVLINK   "NVLink workflow", XID_DEVICE
#define NVLINK5  "NVLink 5 workflow", XID_DEVICE
#define RESTART  "restart machine", XID_MACHINE
#define OTHERS   "see other Xids", XID_FOLLOWS
#define NO       "-", XID_NOT_GIVEN

#define ONE(n) n, n

/*
 * NVIDIA, "Analyzing Xid Errors with the Xid Catalog"; mnemonics as in nverror.h (595.45.04). The
 * action is the catalog's immediate one.
 */
static const struct xid_meaning table[] = {
	{ ONE(8), "FIFO_ERROR_IDLE_TIMEOUT", "GPU stopped processing", APP },
	{ ONE(11), "GR_ERROR_MISSING_HW", "invalid or corrupted push-buffer stream", APP },
	{ ONE(13), "GR_EXCEPTION", "graphics engine exception", APP },
	{ ONE(25), "GR_ILLEGAL_NOTIFY", "invalid or illegal push-buffer stream", APP },
	{ ONE(31), "FIFO_ERROR_MMU_ERR_FLT", "GPU memory page fault", APP },
	{ ONE(32), "PBDMA_ERROR", "invalid or corrupted push-buffer stream", APP },
	{ 37, 38, "FECS_ERR_*", "driver firmware error", IGNORE },
	{ 39, 41, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(43), "RESETCHANNEL_VERIF_ERROR",
	  "GPU stopped processing (application fault; GPU healthy)", IGNORE },
	{ ONE(44), "GR_FAULT_DURING_CTXSW", "engine fault during context switch", IGNORE },
	{ ONE(45), "PREEMPTIVE_REMOVAL", "preemptive cleanup because of earlier errors", OTHERS },
	{ ONE(46), "GPU_TIMEOUT_ERROR", "GPU stopped processing", RESET },
	{ ONE(48), "GPU_ECC_DBE", "double-bit ECC error", DRAIN },
	{ ONE(54), "SILENT_RUNNING...", "auxiliary power not connected", HARDWARE },
	{ ONE(60), "SEC2_ERROR", "video processor exception", APP },
	{ ONE(62), "PMU_HALT_ERROR", "internal micro-controller halt", RESET },
	{ ONE(63), "DRAM_RETIREMENT_EVENT",
	  "memory remapping event (page retirement on older GPUs)", IGNORE },
	{ ONE(64), "DRAM_RETIREMENT_FAILURE",
	  "memory remapping failure (page retirement on older GPUs)", RESET },
	{ ONE(68), "NVDECn_ERROR", "decoder error", APP },
	{ ONE(69), "GR_CLASS_ERROR", "graphics engine class error", APP },
	{ 70, 72, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(74), "NVLINK_ERROR", "NVLink error", NVLINK },
	{ 75, 77, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(78), "VGPU_START_ERROR", "vGPU start error", UPDATE },
	{ ONE(79), "GPU_HAS_FALLEN_OFF_THE_BUS", "GPU has fallen off the bus", RESTART },
	{ ONE(80), "PBDMA_PUSHBUFFER_CRC_MISMATCH", "corrupted data sent to GPU", APP },
	{ 83, 84, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(85), "CEn_ERROR", "copy engine exception / error", APP },
	{ 88, 89, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(92), "EXCESSIVE_SBE_INTERRUPTS", "high single-bit ECC rate", IGNORE },
	{ ONE(94), "CONTAINED_ERROR", "contained memory error", APP },
	{ ONE(95), "UNCONTAINED_ERROR", "uncontained memory error", RESET },
	{ 96, 98, "NVDECn_ERROR", "decoder error", APP },
	{ ONE(109), "CTXSW_TIMEOUT_ERROR", "context-switch time-out", RESET },
	{ ONE(110), "SEC_FAULT_ERROR", "security fault", RESET },
	{ ONE(119), "GSP_RPC_TIMEOUT", "GSP firmware RPC time-out", RESET },
	{ ONE(120), "GSP_ERROR", "GSP firmware error", RESET },
	{ ONE(121), "C2C_ERROR", "chip-to-chip link error", IGNORE },
	{ 126, 135, "CEn_ERROR", "copy engine exception / error", APP },
	{ ONE(136), "ALI_TRAINING_FAIL", "link training failed", RESET },
	{ ONE(137), "NVLINK_PRIV_ERR", "NVLink privilege error", IGNORE },
	{ ONE(140), "UNRECOVERABLE_ECC_ERROR_ESCAPE", "unrecovered ECC error", RESET },
	{ ONE(143), "GPU_INIT_ERROR", "GPU initialisation error", RESET },
	{ ONE(144), "NVLINK_SAW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(145), "NVLINK_RLW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(146), "NVLINK_TLW", "NVLink 5 unit error", NVLINK5 },
	{ ONE(147), "NVLINK_TREX", "NVLink 5 unit error", NVLINK5 },
	{ ONE(148), "NVLINK_NVLPW_CTRL", "NVLink 5 unit error", NVLINK5 },
	{ ONE(149), "NVLINK_NETIR", "NVLink 5 unit error", NVLINK5 },
	{ ONE(150), "NVLINK_MSE", "NVLink 5 unit error", NVLINK5 },
	{ ONE(154), "GPU_RECOVERY_ACTION_CHANGED", "recovery action changed (informational)", NO },
	{ ONE(156), "RESOURCE_RETIREMENT_EVENT", "", RESET },
	{ ONE(157), "RESOURCE_RETIREMENT_FAILURE", "", IGNORE },
	{ ONE(158), "GPU_FATAL_TIMEOUT", "fatal time-out", RESET },
	{ ONE(160), "CHANNEL_RETIREMENT_EVENT", "", IGNORE },
	{ ONE(161), "CHANNEL_RETIREMENT_FAILURE", "", IGNORE },
	{ ONE(167), "PCIE_FATAL_TIMEOUT", "", NO },
	{ ONE(171), "UNCORRECTABLE_DRAM_ERROR", "detail companion of Xid 48", NO },
	{ ONE(172), "UNCORRECTABLE_SRAM_ERROR", "detail companion of Xid 48", NO },
};

const struct xid_meaning *xid_find(uint32_t xid)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (xid >= table[i].first && xid <= table[i].last)
			return &table[i];
	return NULL;
}

static const struct {
	const char *name;
	bool notable;
} severities[] = {
#define SEVERITY(id, text, notable) { text, notable },
	XID_SEVERITIES(SEVERITY)
#undef SEVERITY
};

const char *xid_severity_name(enum xid_severity severity)
{
	return severities[severity].name;
}

bool xid_severity_notable(enum xid_severity severity)
{
	return severities[severity].notable;
}
