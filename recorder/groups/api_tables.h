/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the functions of the GPU and NPU programming interfaces: in which libraries they
 * are, which are recorded by the interface's name (`-e api:level-zero`), what they return, and
 * which arguments are worth keeping. Data only; what kind of call each is, is in
 * analysis/calls/api_kind.h.
 */
#ifndef XTR_RECORDER_API_TABLES_H
#define XTR_RECORDER_API_TABLES_H

#include "format/meta/schema.h"

#include <stddef.h>
#include <stdint.h>

#define XTR_API_VALUE (-1)

/* A captured argument: its value, or what stands so many bytes behind where it points. */
struct xtr_api_capture {
	const char *name, *unit; /* of the field; unit may be NULL */
	enum xtr_repr repr;
	uint8_t arg; /* from 0; those in registers, at most 5 */
	int16_t at;  /* XTR_API_VALUE or an offset in bytes */
};

#define XTR_API_CAPTURES 3

/* What a function returns. */
struct xtr_api_ret {
	enum xtr_repr repr; /* XTR_REPR_COUNT: nothing */
	uint32_t n_names;
	const struct xtr_value_name *names; /* sorted by value, sign-extended to 64 bits */
};

/* Functions of one signature, as far as it is of interest. The first row that matches holds. */
struct xtr_api_row {
	const char *glob;
	const struct xtr_api_ret *ret;
	struct xtr_api_capture capture[XTR_API_CAPTURES]; /* up to the first without a name */
};

struct xtr_api_group {
	const char *name;             /* "level-zero" */
	const char *title;            /* "oneAPI Level Zero" */
	const char *const *libraries; /* sonames; ends with NULL, as the others */
	const char *const *functions; /* globs of those recorded by the group's name */
	const struct xtr_api_row *rows;
};

extern const struct xtr_api_group xtr_api_groups[]; /* ends with a name of NULL */

/* By name, or NULL. */
const struct xtr_api_group *xtr_api_group(const char *name);
/* The row of a function, in whatever library it stands; never NULL: the last resort returns hex64.
 */
const struct xtr_api_row *xtr_api_row(const char *function);

/* --- api results ------------------------------------------------------------------------------ */

/* Types that the functions of the programming interfaces return, with the names of common values.
 */
extern const struct xtr_api_ret xtr_api_ze_result, xtr_api_cu_result, xtr_api_hip_error,
	xtr_api_cl_int, xtr_api_vk_result;
extern const struct xtr_api_ret xtr_api_handle; /* a pointer or another number of 64 bits */
extern const struct xtr_api_ret xtr_api_void;

#endif /* XTR_RECORDER_API_TABLES_H */
