/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which events say something about NVIDIA's kernel driver: functions of nvidia.ko and
 * nvidia-uvm.ko, told by name, and the driver's tracepoints. A function that several releases have
 * under different names is taken once, by the best name that the trace has: the others call it, or
 * are called by it.
 */
#ifndef XTR_NVIDIA_ROLE_H
#define XTR_NVIDIA_ROLE_H

#include "format/meta/meta.h"
#include "replay/event/event_bind.h"

/* Identifier, what people call it. */
#define NV_ROLE_LIST(X)                         \
	X(NONE, "none")                         \
	X(OPEN, "open")                         \
	X(CLOSE, "close")                       \
	X(IOCTL, "ioctl")                       \
	X(MMAP, "mmap")                         \
	X(VMA_OPEN, "vma_open")                 \
	X(VMA_RELEASE, "vma_release")           \
	X(POLL, "poll")                         \
	X(FAULT, "fault")                       \
	X(ISR, "isr")                           \
	X(ISR_MSIX, "isr_msix")                 \
	X(BOTTOM, "bottom_half")                \
	X(BOTTOM_MSIX, "bottom_half_msix")      \
	X(P2P_GET, "p2p_get_pages")             \
	X(P2P_KEEP, "p2p_get_pages_persistent") \
	X(P2P_MAP, "p2p_dma_map_pages")         \
	X(SUSPEND, "suspend")                   \
	X(RESUME, "resume")                     \
	X(REPORT, "report_error")               \
	X(UVM_OPEN, "uvm_open")                 \
	X(UVM_IOCTL, "uvm_ioctl")               \
	X(UVM_MMAP, "uvm_mmap")                 \
	X(XID, "xid")                           \
	X(SXID, "sxid")

enum nv_role {
#define NV_ROLE_ENUM(id, text) NV_##id,
	NV_ROLE_LIST(NV_ROLE_ENUM)
#undef NV_ROLE_ENUM
	NV_ROLES
};

/* Values that events carry: identifier, field. */
#define NV_VALUE_LIST(X)          \
	X(FILE, "file")           \
	X(CMD, "cmd")             \
	X(ARG_CMD, "arg_cmd")     \
	X(ARG_CLASS, "arg_class") \
	X(VM_START, "vm_start")   \
	X(VM_END, "vm_end")       \
	X(DEVICE, "device")       \
	X(LENGTH, "length")       \
	X(CODE, "xid|error_code")

enum nv_value {
#define NV_VALUE_ENUM(id, text) NV_V_##id,
	NV_VALUE_LIST(NV_VALUE_ENUM)
#undef NV_VALUE_ENUM
	NV_VALUES
};

/* Further fields, behind the values. */
enum nv_field {
	NV_F_CONTEXT = NV_VALUES,
	NV_F_RET,
	NV_F_DEV, /* texts of an Xid */
	NV_F_MSG
};

struct nv_bindings { /* all zero: empty */
	struct xtr_binds binds;
	bool has[NV_ROLES];   /* recorded */
	bool timed[NV_ROLES]; /* with returns */
	bool values[NV_ROLES][NV_VALUES];
};

/* Is one of these recorded (bit for each role)? */
bool nv_any_role(const struct xtr_meta *meta, uint32_t roles);
/* 0 or -ENOMEM. */
int nv_bind(struct nv_bindings *b, const struct xtr_meta *meta);
/* NULL: the event says nothing. *end: it is a return. */
const struct xtr_bind *nv_bound(const struct nv_bindings *b, uint32_t type, enum nv_role *role,
				bool *end);
void nv_unbind(struct nv_bindings *b);
const char *nv_role_name(enum nv_role role);

#endif /* XTR_NVIDIA_ROLE_H */
