/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoints' fields under limits, as importers set them. */
#include "format/meta/tpevent.h"
#include "format/meta/tpformat.h"
#include "format/xtr_format.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "name: odd\n"
			   "ID: 7\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\n"
			   "\tfield:__data_loc char[] a_path;\toffset:8;\tsize:4;\tsigned:0;\n"
			   "\tfield:__data_loc char[] profile;\toffset:12;\tsize:4;\tsigned:0;\n"
			   "\tfield:pid_t who;\toffset:16;\tsize:4;\tsigned:1;\n"
			   "\tfield:int gid;\toffset:20;\tsize:4;\tsigned:1;\n"
			   "\tfield:int tid;\toffset:24;\tsize:4;\tsigned:1;\n"
			   "\tfield:void * at;\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:int early;\toffset:4;\tsize:4;\tsigned:1;\n"
			   "\tfield:int late;\toffset:60;\tsize:8;\tsigned:1;\n"
			   "\tfield:char huge[64];\toffset:40;\tsize:64;\tsigned:0;\n"
			   "\tfield:char rest[];\toffset:68;\tsize:0;\tsigned:0;\n";

static struct xtr_tp_event *lay_out(const char *system, struct xtr_tp_limits l)
{
	struct xtr_tp_format *f;
	struct xtr_tp_event *e;

	cr_assert(zero(int, xtr_tp_format_parse(&f, text, sizeof(text) - 1)));
	cr_assert(eq(str, f->print_fmt, ""), "a format may have none");
	cr_assert(zero(int, xtr_tp_event_new(&e, system, f->name, f, 1024, &l)));
	xtr_tp_format_free(f);
	return e;
}

static const struct xtr_field *field(const struct xtr_tp_event *e, const char *name)
{
	return xtr_event_field(&e->desc, name);
}

Test(tpevent, texts_past_the_limit_stay_numbers)
{
	struct xtr_tp_event *e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 52, .texts = 1 });

	cr_expect(eq(u32, e->n_texts, 1));
	cr_expect(eq(int, field(e, "a_path")->repr, XTR_REPR_STRID));
	cr_expect(eq(int, field(e, "profile")->repr, XTR_REPR_HEX32));
	xtr_tp_event_free(e);
	e = lay_out("syscalls", (struct xtr_tp_limits){ .fixed = 52, .texts = 4 });
	cr_expect(zero(u32, e->n_texts), "what a system call is given is the caller's");
	cr_expect(eq(int, field(e, "a_path")->repr, XTR_REPR_HEX32));
	cr_expect(eq(int, field(e, "at")->sens, XTR_SENS_UPTR));
	xtr_tp_event_free(e);
}

Test(tpevent, fields_outside_of_what_is_had_are_left_out_and_counted)
{
	struct xtr_tp_event *e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 52, .texts = 4 });

	cr_expect(eq(u32, e->dropped, 3), "early, late, huge");
	cr_expect(eq(ptr, (void *)field(e, "early"), NULL));
	cr_expect(eq(ptr, (void *)field(e, "late"), NULL));
	cr_expect(eq(ptr, (void *)field(e, "huge"), NULL));
	cr_expect(eq(ptr, (void *)field(e, "rest"), NULL), "no length is known of it");
	xtr_tp_event_free(e);
	e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 512, .texts = 4, .tails = true });
	cr_expect(eq(u32, e->dropped, 1), "early");
	cr_expect(eq(int, field(e, "rest")->repr, XTR_REPR_STRID));
	cr_expect(eq(u32, field(e, "huge")->size, 64));
	xtr_tp_event_free(e);
}

Test(tpevent, privacy_follows_types_and_names)
{
	struct xtr_tp_event *e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 512, .texts = 4 });

	cr_expect(eq(int, field(e, "who")->sens, XTR_SENS_PID));
	cr_expect(eq(int, field(e, "tid")->sens, XTR_SENS_PID));
	cr_expect(eq(int, field(e, "gid")->sens, XTR_SENS_NONE));
	cr_expect(eq(int, field(e, "at")->sens, XTR_SENS_KPTR));
	cr_expect(eq(int, field(e, "a_path")->sens, XTR_SENS_PATH));
	cr_expect(eq(int, field(e, "profile")->sens, XTR_SENS_PATH));
	cr_expect(eq(int, field(e, "huge")->sens, XTR_SENS_NAME));
	xtr_tp_event_free(e);
}

/* Null stays null: it says that there is no object. */
Test(tpevent, kernel_addresses_are_hashed_but_for_null)
{
	const struct xtr_siphash_key key = { 1, 2 };
	struct xtr_tp_event *e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 52, .texts = 4 });
	uint64_t at = 0xffff888000001000u, got;
	uint8_t rec[128] = { 0 };

	xtr_tp_event_clean(&e->desc, &key, rec);
	memcpy(&got, rec + field(e, "at")->offset, 8);
	cr_expect(zero(u64, got));
	memcpy(rec + field(e, "at")->offset, &at, 8);
	xtr_tp_event_clean(&e->desc, NULL, rec);
	memcpy(&got, rec + field(e, "at")->offset, 8);
	cr_expect(eq(u64, got, at), "without a key");
	xtr_tp_event_clean(&e->desc, &key, rec);
	memcpy(&got, rec + field(e, "at")->offset, 8);
	cr_expect(eq(u64, got, xtr_siphash(&key, at)));
	xtr_tp_event_free(e);
}

/* Names in a record, with a NUL at every place and other bytes around: 0x80 and 1 are next to it.
 */
Test(tpevent, what_stands_behind_a_text_is_cleared)
{
	static const uint8_t others[] = { 'x', 0x80, 0x01, 0xff };
	uint8_t rec[64], want[64];

	for (uint32_t size = 12; size <= 24; size += 4) {
		struct xtr_field f = {
			.name = "t", .repr = XTR_REPR_STR, .offset = 16, .size = (uint16_t)size
		};
		struct xtr_event_desc desc = { .fields = &f, .n_fields = 1 };

		for (uint32_t end = 0; end <= size; end++) {
			for (uint32_t i = 0; i < sizeof(rec); i++)
				rec[i] = others[(i + end) % 4];
			if (end < size)
				rec[16 + end] = 0;
			memcpy(want, rec, sizeof(rec));
			memset(want + 16 + end, 0, size - end);
			xtr_tp_event_clean(&desc, NULL, rec);
			cr_assert(zero(int, memcmp(rec, want, sizeof(rec))), "%u of %u bytes", end,
				  size);
		}
	}
}

Test(tpevent, long_arrays_are_no_text)
{
	static const uint8_t bytes[XTR_TP_HEX_MAX + 1] = { 0x0f };
	struct xtr_tables *t = xtr_tables_new();
	uint32_t id = 0;
	size_t n;

	cr_assert(eq(int, xtr_tp_intern_hex(t, bytes, XTR_TP_HEX_MAX + 1, &id), -EBADMSG));
	cr_assert(zero(u32, id));
	cr_assert(zero(int, xtr_tp_intern_hex(t, bytes, XTR_TP_HEX_MAX, &id)));
	cr_assert(zero(int, strncmp(xtr_tables_string(t, id, &n), "0f00", 4)));
	cr_assert(eq(sz, n, 2 * XTR_TP_HEX_MAX));
	xtr_tables_free(t);
}

static int parse(void *arg)
{
	struct xtr_tp_format *f;
	int err = xtr_tp_format_parse(&f, text, sizeof(text) - 1);

	(void)arg;
	if (!err)
		xtr_tp_format_free(f);
	return err;
}

Test(tpevent, memory_for_a_format_without_print_format)
{
	cr_assert(ge(u32, oom_each(parse, NULL, 0), 20));
}

static int add_stack(void *arg)
{
	struct xtr_tp_event *e = arg;
	uint32_t n = e->desc.n_fields, size = e->desc.size;
	int err = xtr_tp_event_add_stack(e);

	cr_expect(eq(u32, e->desc.n_fields, n + !err));
	cr_expect(eq(u32, e->desc.size, size + (err ? 0 : 8)));
	e->desc.n_fields = n; /* as if it had not been added */
	e->desc.size = size;
	if (!err)
		free((char *)e->fields[n].name);
	return err;
}

Test(tpevent, a_stack_is_added_once)
{
	struct xtr_tp_event *e = lay_out("sys", (struct xtr_tp_limits){ .fixed = 52, .texts = 1 });
	uint32_t size = e->desc.size;

	cr_expect(ge(u32, oom_each(add_stack, e, 0), 2));
	cr_assert(zero(int, xtr_tp_event_add_stack(e)));
	cr_expect(eq(u32, field(e, "stack")->offset, size));
	cr_expect(eq(int, xtr_tp_event_add_stack(e), -EEXIST));
	cr_expect(eq(u32, e->desc.size, size + 8));
	xtr_tp_event_free(e);
}
