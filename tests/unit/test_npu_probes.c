// SPDX-License-Identifier: BSD-2-Clause
/* The table of the NPU's functions: what must hold of every row. */
#include "recorder/npu_probes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ctype.h>
#include <string.h>

#define MODULE_LEN 64 /* bytes of a module's name, kernel/module.h: MODULE_NAME_LEN is less */
#define SYMBOL_LEN 128
#define IOCTL_DATA 32 /* bytes of the largest structure of the driver's ioctls */

static bool is_name(const char *s, size_t max)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789");

	return n > 0 && n < max && !s[n] && !isdigit((unsigned char)s[0]);
}

Test(npu_probes, have_one_row_per_purpose_and_function)
{
	for (size_t i = 0; i < xtr_n_npu_probes; i++) {
		const struct xtr_group_probe *a = &xtr_npu_probes[i];

		cr_expect(is_name(a->purpose, 32), "%s", a->purpose);
		cr_expect(is_name(a->module, MODULE_LEN), "%s: %s", a->purpose, a->module);
		cr_expect(a->candidates[0] != NULL, "%s", a->purpose);
		for (size_t k = 0; k < XTR_CANDIDATES && a->candidates[k]; k++)
			cr_expect(is_name(a->candidates[k], SYMBOL_LEN), "%s: candidate %zu",
				  a->purpose, k);
		for (size_t j = 0; j < i; j++) {
			const struct xtr_group_probe *b = &xtr_npu_probes[j];

			cr_expect(ne(str, (char *)a->purpose, (char *)b->purpose));
			for (size_t k = 0; k < XTR_CANDIDATES * XTR_CANDIDATES; k++) {
				const char *x = a->candidates[k / XTR_CANDIDATES],
					   *y = b->candidates[k % XTR_CANDIDATES];

				if (x && y)
					cr_expect(ne(str, (char *)x, (char *)y));
			}
		}
	}
}

static void check_capture(const char *purpose, const struct xtr_group_capture *c)
{
	uint32_t width = xtr_repr_width(c->repr);
	bool both = c->argument && c->number, half = !c->structure != !c->member;
	bool fixed = c->deref && !c->member;

	cr_expect(is_name(c->name, 32), "%s: %s", purpose, c->name);
	cr_expect(width == 4 || width == 8, "%s: %s", purpose, c->name);
	cr_expect(lt(int, c->number, 6), "%s: %s: only arguments in registers", purpose, c->name);
	cr_expect(not(both), "%s: %s: by name or by number", purpose, c->name);
	cr_expect(not(half), "%s: %s", purpose, c->name);
	if (c->member)
		cr_expect(c->deref && c->offset == 0, "%s: %s", purpose, c->name);
	if (fixed)
		cr_expect(c->offset % width == 0 && c->offset + width <= IOCTL_DATA, "%s: %s",
			  purpose, c->name);
	/* A value that is not pointed to cannot have changed by the time of the return. */
	if (c->at_ret)
		cr_expect(c->deref, "%s: %s", purpose, c->name);
}

Test(npu_probes, capture_what_can_be_captured_and_no_field_twice)
{
	for (size_t i = 0; i < xtr_n_npu_probes; i++) {
		const struct xtr_group_capture *c = xtr_npu_probes[i].captures;

		for (size_t k = 0; k < XTR_GROUP_CAPTURES && c[k].name; k++) {
			check_capture(xtr_npu_probes[i].purpose, &c[k]);
			cr_expect(ne(str, (char *)c[k].name, "ret"));
			cr_expect(ne(str, (char *)c[k].name, "context"));
			for (size_t j = 0; j < k; j++)
				cr_expect(c[j].at_ret != c[k].at_ret ||
						  strcmp(c[j].name, c[k].name),
					  "%s: %s twice", xtr_npu_probes[i].purpose, c[k].name);
		}
	}
}

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
