/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of NVIDIA's driver as steps: who entered or left which function, with the values of the
 * entry given again at the return. A call in an interrupt belongs to the CPU. Memory is bounded;
 * calls that there is no room for have a return without an entry.
 */
#ifndef XTR_NVIDIA_TRACK_H
#define XTR_NVIDIA_TRACK_H

#include "base/map.h"
#include "format/meta/meta.h"
#include "format/meta/tables.h"
#include "format/read/merge.h"
#include "replay/event/event_bind.h"

/* --- nvidia role ------------------------------------------------------------------------------ */

/*
 * Which events say something about NVIDIA's kernel driver: functions of nvidia.ko and
 * nvidia-uvm.ko, told by name, and the driver's tracepoints. A function that several releases have
 * under different names is taken once, by the best name that the trace has: the others call it, or
 * are called by it.
 */
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

/* --- nvidia track ----------------------------------------------------------------------------- */

#define NV_OPEN_CALLS_MAX 16384u

struct nv_step {
	enum nv_role role;
	bool end;          /* it returned; else: it was entered, or the tracepoint fired */
	bool entered;      /* of a return: its entry is known, and so are begin_ns and v */
	bool begun_inside; /* of a return: the entry is known and was given with inside */
	bool on_cpu;       /* in an interrupt: tid and pid are those of whom it interrupted */
	bool nested;       /* nvidia_isr, called by nvidia_isr_msix */
	bool ret_known;
	int64_t ret;
	uint64_t ts, begin_ns; /* ns; begin_ns 0: not known */
	uint64_t process;      /* replay/event/process.h; 0: not known */
	uint32_t tid, cpu;
	uint32_t comm; /* string id of the process's name, 0: not known */
	uint64_t v[NV_VALUES];
	bool has[NV_VALUES];
	bool paired;                    /* entry and return of it are recorded */
	const struct xtr_bind *binding; /* of this event */
	const struct xtr_event *event;
};

struct nv_call {
	uint64_t owner, begin_ns, epoch;
	uint32_t next_free;
	bool nested, inside;
	uint64_t v[NV_VALUES];
	bool has[NV_VALUES];
};

struct nv_track { /* all zero, then nv_track_open */
	const struct xtr_tables *tables;
	struct nv_bindings b;
	struct xtr_map open; /* (owner, role) to call */
	struct nv_call *call;
	uint32_t n_calls, free;
	uint64_t epoch; /* gaps so far */
};

/* Whose open calls those in interrupts of this CPU are: key in nv_track.open. A thread's is its
 * tid. */
static inline uint64_t nv_cpu_owner(uint32_t cpu)
{
	return 1ull << 32 | cpu;
}

int nv_track_open(struct nv_track *t, const struct xtr_meta *meta, const struct xtr_tables *tables);
void nv_track_free(struct nv_track *t);
/*
 * 1: *s is filled in; 0: not the driver's event; -ENOMEM. A gap: 0, and what is open is forgotten.
 * inside: as of struct xtr_analysis.
 */
int nv_track_event(struct nv_track *t, const struct xtr_event *ev, bool inside, struct nv_step *s);
/* Does it look at events of this type (0: gaps)? */
bool nv_track_takes(const struct nv_track *t, uint32_t type);

#endif /* XTR_NVIDIA_TRACK_H */
