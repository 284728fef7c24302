/* SPDX-License-Identifier: BSD-2-Clause */
/* What NVIDIA's Xids mean, how grave they are and what is to be done; docs/nvidia.md has the table.
 */
#ifndef XTR_XID_TABLE_H
#define XTR_XID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* XTR_XID_TABLE_H */
