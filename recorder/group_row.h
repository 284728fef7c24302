/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function that a group records: what for, the names that it has had, and what is captured of a
 * call. Rows stand in tables without code (npu_probes.c); group_probes.c makes probes of them.
 */
#ifndef XTR_RECORDER_GROUP_ROW_H
#define XTR_RECORDER_GROUP_ROW_H

#include "format/schema.h"

#define XTR_CANDIDATES     3
#define XTR_GROUP_CAPTURES 4

/* What a call is asked for: an argument, or what it points to. */
struct xtr_group_capture {
	const char *name, *unit; /* of the field; unit may be NULL */
	enum xtr_repr repr;      /* an integer; as wide as what is read */
	bool at_ret; /* read when the function returns; the argument is kept from entry */
	/* The argument: by number, or, where kernels differ, by name. Without an argument of that
	 * name, or types that tell (BTF), nothing is captured. */
	uint8_t number;
	const char *argument;
	/* Read what it points to: at an offset that never changes (of an ioctl's data), or that of
	 * a member by the kernel's types, without which nothing is captured. */
	bool deref;
	uint16_t offset; /* bytes */
	const char *structure, *member;
};

enum xtr_group_ret {
	XTR_RET_NONE, /* nothing, or nothing worth having */
	XTR_RET_INT,
	XTR_RET_IRQ, /* irqreturn_t */
};

struct xtr_group_probe {
	const char *purpose; /* "submit": one function is recorded for it */
	const char *module;
	const char *candidates[XTR_CANDIDATES]; /* newest first; the first that exists is taken */
	enum xtr_group_ret ret;
	struct xtr_group_capture captures[XTR_GROUP_CAPTURES]; /* up to the first without name */
};

#endif /* XTR_RECORDER_GROUP_ROW_H */
