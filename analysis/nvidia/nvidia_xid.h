/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis `xid`: errors that NVIDIA's driver reports, and what went before. */
#ifndef XTR_NVIDIA_XID_H
#define XTR_NVIDIA_XID_H

#include "analysis/core/analysis.h"
#include "nvidia_past.h"

#include <stdbool.h>
#include <stdint.h>

/* --- xid table -------------------------------------------------------------------------------- */

/* What NVIDIA's Xids mean, how grave they are and what is to be done; docs/nvidia.md has the table.
 */
/* Identifier, name in JSON, is it a notable finding. The gravity follows from the action. */
#define XID_SEVERITIES(X)                                                            \
	X(UNKNOWN, "unknown", true)         /* the number is in no table */          \
	X(NONE, "none", false)              /* NVIDIA: ignore */                     \
	X(FOLLOWS, "follows", true)         /* caused by another Xid */              \
	X(NOT_GIVEN, "not-given", true)     /* NVIDIA names no action */             \
	X(APPLICATION, "application", true) /* restart it, or update software */     \
	X(DEVICE, "device", true)           /* reset, a workflow, or its hardware */ \
	X(MACHINE, "machine", true)         /* restart it */

enum xid_severity {
#define XID_SEVERITY_ENUM(id, text, notable) XID_##id,
	XID_SEVERITIES(XID_SEVERITY_ENUM)
#undef XID_SEVERITY_ENUM
	XID_SEVERITY_COUNT
};

struct xid_meaning {
	uint32_t first, last; /* Xids */
	const char *mnemonic; /* NVIDIA's, abridged */
	const char *meaning;  /* "" where the mnemonic says it */
	const char *action;   /* "-": none is given */
	enum xid_severity severity;
};

/* NULL: in no table. */
const struct xid_meaning *xid_find(uint32_t xid);
const char *xid_severity_name(enum xid_severity severity);
bool xid_severity_notable(enum xid_severity severity);

/* --- nvidia xid ------------------------------------------------------------------------------- */

#define XIDS_KEPT     128u /* the first ones, told one by one */
#define XID_KINDS_MAX 256u
#define XID_DEVICES   64u
#define XID_DEV_MAX   64u /* bytes, with the NUL */
#define XID_MSG_MAX   200u

/* How the process, or the device's interrupts, are known. Identifier, name in JSON. */
#define XID_FROM_LIST(X)                                                     \
	X(NOTHING, "")        /* not known */                                \
	X(MESSAGE, "message") /* pid=N in the message */                     \
	X(THREAD, "thread")   /* reported while this thread was in a call */ \
	X(HANDLER, "handler") /* reported in a handler of this device */     \
	X(EARLIER, "earlier") /* another Xid of the device was */            \
	X(ONLY, "only")       /* inferred: the trace has interrupts of one device */

enum xid_from {
#define XID_FROM_ENUM(id, text) XID_FROM_##id,
	XID_FROM_LIST(XID_FROM_ENUM)
#undef XID_FROM_ENUM
};

struct xid_device {
	char dev[XID_DEV_MAX]; /* PCI address, or the pointer of its pci_dev */
	bool known;            /* handler is its pointer in interrupts */
	uint64_t handler;
};

struct xid_kind {
	uint32_t device, code;
	bool sxid;
	uint64_t n, first_ns, last_ns;
	uint32_t first; /* index of the first of it in xid, UINT32_MAX: not kept */
};

struct xid {
	uint64_t ts, handler;
	uint64_t who; /* replay/event/process.h */
	uint32_t device, code, tid, comm, cpu;
	bool sxid;
	enum xid_from process_from, handler_from;
	char msg[XID_MSG_MAX]; /* safe for terminals; "" where nv_report_error told */
	uint64_t xids_before;  /* other Xids of the device in the second before */
	struct nv_before process, interrupts;
};

struct xids {
	const struct xtr_analysis_opts *o;
	struct nv_track track;
	struct nv_pasts pasts;
	struct xid_device device[XID_DEVICES];
	struct xid_kind kind[XID_KINDS_MAX];
	struct xid *xid; /* XIDS_KEPT */
	uint32_t n_devices, n_kinds, n_xids;
	uint64_t n, left_out; /* all; of kinds for which there was no room */
	uint64_t handlers[2]; /* pointers in interrupts, the first two different ones */
	uint32_t n_handlers;
	bool lost;
};

const char *xid_from_name(enum xid_from from);
/* nvidia_xid_view.c */
int xid_text(const void *self, const struct xtr_view *v);
void xid_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const xid_tables[];

#endif /* XTR_NVIDIA_XID_H */
