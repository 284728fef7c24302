/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/err.h"
#include "format/meta/schema.h"
#include "format/xtr_format.h"
#include "format/meta/meta_priv.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(schema, built_in_events_are_in_order_and_sane)
{
	uint32_t before = 0;

	for (size_t i = 0; i < xtr_builtin_event_count; i++) {
		const struct xtr_event_desc *ev = &xtr_builtin_events[i];
		uint32_t end = XTR_RECORD_HEADER_SIZE;

		cr_assert(gt(u32, ev->type, before));
		cr_assert(xtr_event_is_sane(ev));
		for (uint32_t k = 0; k < ev->n_fields; k++) { /* no gaps: every byte has a name */
			cr_assert(eq(u32, ev->fields[k].offset, end), "%s", ev->name);
			end += ev->fields[k].size;
		}
		cr_assert(eq(u32, end, ev->size), "%s", ev->name);
		cr_assert(eq(ptr, (void *)xtr_builtin_event(ev->type), (void *)ev));
		before = ev->type;
	}
	cr_assert(eq(ptr, (void *)xtr_builtin_event(15), NULL));
}

Test(schema, values_are_read_in_their_width_and_sign)
{
	const uint8_t rec[24] = { [16] = 0xfe, 0xff, 0xff, 0xff, 0x80, 0x01 };
	const struct {
		enum xtr_repr repr;
		uint32_t offset, size;
		uint64_t want;
	} cases[] = {
		{ XTR_REPR_U8, 16, 1, 0xfe },
		{ XTR_REPR_S8, 16, 1, (uint64_t)-2 },
		{ XTR_REPR_U16, 16, 2, 0xfffe },
		{ XTR_REPR_S16, 16, 2, (uint64_t)-2 },
		{ XTR_REPR_U32, 16, 4, 0xfffffffe },
		{ XTR_REPR_S32, 16, 4, (uint64_t)-2 },
		{ XTR_REPR_HEX32, 16, 4, 0xfffffffe },
		{ XTR_REPR_U64, 16, 8, 0x0180fffffffe },
		{ XTR_REPR_S64, 16, 8, 0x0180fffffffe },
		{ XTR_REPR_STRID, 20, 4, 0x180 },
		{ XTR_REPR_RING, 20, 4, 0x180 },
	};
	struct xtr_field f = { 0 };
	uint64_t v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.repr = cases[i].repr;
		f.offset = cases[i].offset;
		f.size = cases[i].size;
		cr_assert(xtr_field_get(&f, rec, sizeof(rec), &v));
		cr_assert(eq(u64, v, cases[i].want), "case %zu", i);
		cr_assert(not(xtr_field_get(&f, rec, f.offset + f.size - 1, &v)),
			  "it does not fit");
		cr_assert(zero(u64, v));
	}
	f.repr = XTR_REPR_STR;
	cr_assert(not(xtr_field_get(&f, rec, sizeof(rec), &v)));
	cr_assert(not(xtr_field_get(NULL, rec, sizeof(rec), &v)));
	f.repr = XTR_REPR_U8;
	f.size = 1;
	f.offset = UINT32_MAX;
	cr_assert(not(xtr_field_get(&f, rec, sizeof(rec), &v)));
}

Test(schema, fields_by_name)
{
	const struct xtr_event_desc *ev = xtr_builtin_event(XTR_EV_JOB_QUEUE);

	cr_assert(eq(u32, xtr_event_field(ev, "ring")->offset, 40));
	cr_assert(eq(ptr, (void *)xtr_event_field(ev, "rin"), NULL));
	cr_assert(eq(ptr, (void *)xtr_event_field(NULL, "ring"), NULL));
}

Test(schema, problems_have_names)
{
	for (int c = 0; c < XTR_P_COUNT; c++)
		cr_assert(gt(sz, strlen(xtr_problem_help((enum xtr_problem_code)c)), 0));
	cr_assert(eq(str, (char *)xtr_problem_name(XTR_P_MISSING_CHUNKS), "missing-chunks"));
	cr_assert(eq(int, xtr_problem_is_fatal(XTR_P_MAJOR), 1));
	cr_assert(eq(int, xtr_problem_is_fatal(XTR_P_NO_END), 0));
	cr_assert(eq(str, (char *)xtr_problem_name((enum xtr_problem_code)9999), "none"));
}
