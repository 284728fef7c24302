/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the NPU's functions: where the ioctls' members lie. */
#include "recorder/groups/driver_probes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const struct xtr_group_capture *capture(const char *purpose, const char *name, bool at_ret)
{
	for (size_t i = 0; i < xtr_n_npu_probes; i++) {
		const struct xtr_group_capture *c = xtr_npu_probes[i].captures;

		for (size_t k = 0; k < XTR_GROUP_CAPTURES && c[k].name; k++) {
			if (!strcmp(xtr_npu_probes[i].purpose, purpose) &&
			    !strcmp(c[k].name, name) && c[k].at_ret == at_ret)
				return &c[k];
		}
	}
	return NULL;
}

/* include/uapi/drm/ivpu_accel.h */
Test(npu_probes, read_the_ioctls_where_their_members_lie)
{
	static const struct {
		const char *purpose, *name;
		bool at_ret;
		uint16_t offset;
		enum xtr_repr repr;
	} rows[] = {
		{ "submit", "buffer_count", false, 8, XTR_REPR_U32 },
		{ "submit", "engine", false, 12, XTR_REPR_U32 },
		{ "cmdq_submit", "buffer_count", false, 8, XTR_REPR_U32 },
		{ "cmdq_submit", "cmdq_id", false, 12, XTR_REPR_U32 },
		{ "bo_create", "size", false, 0, XTR_REPR_U64 },
		{ "bo_create", "flags", false, 8, XTR_REPR_HEX32 },
		{ "bo_create", "handle", true, 12, XTR_REPR_U32 },
		{ "bo_create", "vpu_addr", true, 16, XTR_REPR_HEX64 },
		{ "bo_wait", "handle", false, 0, XTR_REPR_U32 },
		{ "bo_wait", "job_status", true, 16, XTR_REPR_U32 },
		{ "get_param", "param", false, 0, XTR_REPR_U32 },
		{ "get_param", "value", true, 8, XTR_REPR_U64 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct xtr_group_capture *c =
			capture(rows[i].purpose, rows[i].name, rows[i].at_ret);

		cr_assert(c != NULL, "%s: %s", rows[i].purpose, rows[i].name);
		cr_expect(eq(u16, c->offset, rows[i].offset));
		cr_expect(eq(int, c->repr, rows[i].repr));
		cr_expect(c->deref && c->number == 1);
	}
}
