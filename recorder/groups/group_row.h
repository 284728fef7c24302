/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function that a group records: what for, the names that it has had, and what is captured of a
 * call. Rows stand in tables without code (driver_probes.c); group_probes.c makes probes of them.
 */
#ifndef XTR_RECORDER_GROUP_ROW_H
#define XTR_RECORDER_GROUP_ROW_H

#include "format/meta/schema.h"
#include "group_events.h"

#define XTR_CANDIDATES     3
#define XTR_GROUP_SUBS     2
#define XTR_GROUP_CAPTURES 12 /* of all candidates; at most XTR_PROBE_LOADS of each half of one */

/* What a call is asked for: an argument, or what it points to. */
struct xtr_group_capture {
	const char *name, *unit; /* of the field; unit may be NULL */
	enum xtr_repr repr;      /* an integer; as wide as what is read */
	enum xtr_sens sens;      /* XTR_SENS_NONE: plain */
	const char *only; /* of this candidate alone, whose arguments are others; NULL: of all */
	bool at_ret;      /* read when the function returns; the argument is kept from entry */
	/* The argument: by number, or, where kernels differ, by name. Without an argument of that
	 * name, or types that tell (BTF), nothing is captured. */
	uint8_t number;
	const char *argument;
	/* Read what it points to: at an offset that never changes (of an ioctl's data), or that of
	 * a member by the kernel's types, without which nothing is captured. */
	bool deref, user; /* user: into the caller's memory, at a fixed offset */
	uint16_t offset;  /* bytes */
	const char *structure, *member;
};

/*
 * Arguments of an ioctl handler of DRM: (struct drm_device *, void *data, struct drm_file *). data
 * is the kernel's copy of the structure, written back when the handler has returned.
 */
#define XTR_IOCTL_IN(field, bytes, representation)                                              \
	{                                                                                       \
		.name = (field), .repr = XTR_REPR_##representation, .number = 1, .deref = true, \
		.offset = (bytes)                                                               \
	}
#define XTR_IOCTL_OUT(field, bytes, representation)                                             \
	{                                                                                       \
		.name = (field), .repr = XTR_REPR_##representation, .number = 1, .deref = true, \
		.offset = (bytes), .at_ret = true                                               \
	}
#define XTR_IOCTL_SIZE(bytes)                                                                      \
	{                                                                                          \
		.name = "size", .unit = "bytes", .repr = XTR_REPR_U64, .number = 1, .deref = true, \
		.offset = (bytes)                                                                  \
	}
/* The address of an object of the kernel. */
#define XTR_OBJECT(field, argument_number)                                            \
	{                                                                             \
		.name = (field), .repr = XTR_REPR_HEX64, .number = (argument_number), \
		.sens = XTR_SENS_KPTR                                                 \
	}

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
	/*
	 * --sample without a name means this function, and counts its calls by the value of the
	 * capture `key`; NULL: it does not. Where the low byte of that is nr, also by that of
	 * capture `by`.
	 */
	const char *key;
	struct {
		uint8_t nr;
		const char *by;
	} sub[XTR_GROUP_SUBS];
	struct xtr_group_capture captures[XTR_GROUP_CAPTURES]; /* up to the first without name */
};

/* --- group event rows ------------------------------------------------------------------------- */

/* How the rows of the tables of group_events.h are written. */
#define EV(event)               \
	{                       \
		.name = (event) \
	}
/* One that a kernel with the driver may lack, and why. */
#define OF(event, reason)                           \
	{                                           \
		.name = (event), .absent = (reason) \
	}
/* One of another driver than the group's. */
#define BY(driver, event)                           \
	{                                           \
		.name = (event), .module = (driver) \
	}
/* Whatever else there is. */
#define REST(pattern)                           \
	{                                       \
		.name = (pattern), .rest = true \
	}

#endif /* XTR_RECORDER_GROUP_ROW_H */
