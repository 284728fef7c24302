/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser of tracefs format files, over files of real kernels (tests/data/tracefs) and damaged ones.
 */
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_tp_format *load(const char *name)
{
	struct xtr_tp_format *f = NULL;
	char path[256], *text;
	size_t n;

	snprintf(path, sizeof(path), "tests/data/tracefs/%s", name);
	cr_assert(zero(int, xtr_read_file(path, 1 << 20, &text, &n)), "%s", path);
	cr_assert(zero(int, xtr_tp_format_parse(&f, text, n)));
	free(text);
	return f;
}

static const struct xtr_tp_field *field(const struct xtr_tp_format *f, const char *name)
{
	for (size_t i = 0; i < f->n_fields; i++) {
		if (strcmp(f->fields[i].name, name) == 0)
			return &f->fields[i];
	}
	cr_fatal("no field %s", name);
	return NULL;
}

Test(tracefs, sched_switch_has_its_fields)
{
	struct xtr_tp_format *f = load("sched_switch");

	cr_expect(eq(str, f->name, "sched_switch"));
	cr_expect(eq(u32, f->id, 372));
	cr_expect(eq(sz, f->n_fields, 7), "the common_ fields are left out");
	cr_expect(eq(int, field(f, "prev_comm")->kind, XTR_TP_CHARS));
	cr_expect(eq(str, field(f, "prev_comm")->type, "char[16]"));
	cr_expect(eq(u32, field(f, "next_comm")->offset, 40));
	cr_expect(eq(int, field(f, "prev_state")->kind, XTR_TP_INT));
	cr_expect(field(f, "prev_state")->is_signed);
	cr_expect(eq(u32, field(f, "prev_state")->size, 8));
	xtr_tp_format_free(f);
}

Test(tracefs, pointers_to_text_are_told_from_others)
{
	struct xtr_tp_format *f = load("vpu_job");

	cr_expect(eq(int, field(f, "event")->kind, XTR_TP_PTR));
	cr_expect(field(f, "event")->is_char_ptr);
	xtr_tp_format_free(f);
	f = load("xe_sched_job_exec");
	cr_expect(eq(int, field(f, "fence")->kind, XTR_TP_PTR));
	cr_expect(not(field(f, "fence")->is_char_ptr));
	cr_expect(eq(int, field(f, "dev")->kind, XTR_TP_LOC_STR));
	cr_expect(eq(u32, field(f, "gt_id")->size, 1));
	xtr_tp_format_free(f);
}

Test(tracefs, dynamic_arrays_of_numbers_are_bytes_and_newlines_in_the_print_format_are_kept)
{
	struct xtr_tp_format *f = load("amdgpu_vm_update_ptes");

	cr_expect(eq(int, field(f, "dst")->kind, XTR_TP_LOC_BYTES));
	cr_expect(strstr(f->print_fmt, "__print_array") != NULL);
	xtr_tp_format_free(f);
}

Test(tracefs, relative_and_odd_declarations)
{
	static const char text[] =
		"name: x\nID: 7\nformat:\n"
		"\tfield:__rel_loc char[] s;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc u8[] b;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned char mac[6];\toffset:16;\tsize:6;\tsigned:0;\n"
		"\tfield:const char *const * argv;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:struct pair p;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:enum e kind;\toffset:40;\tsize:4;\tsigned:1;\n";
	struct xtr_tp_format *f;

	cr_assert(zero(int, xtr_tp_format_parse(&f, text, sizeof(text) - 1)));
	cr_expect(eq(int, field(f, "s")->kind, XTR_TP_REL_STR));
	cr_expect(eq(int, field(f, "b")->kind, XTR_TP_REL_BYTES));
	cr_expect(eq(int, field(f, "mac")->kind, XTR_TP_BYTES));
	cr_expect(not(field(f, "argv")->is_char_ptr));
	cr_expect(eq(int, field(f, "p")->kind, XTR_TP_BYTES));
	cr_expect(eq(int, field(f, "kind")->kind, XTR_TP_INT));
	cr_expect(eq(str, f->print_fmt, ""));
	xtr_tp_format_free(f);
}

Test(tracefs, what_is_no_format_is_refused)
{
	static const char *const bad[] = {
		"",
		"name: x\n",
		"ID: 7\n",
		"name: x\nID: seven\n",
		"name: x\nID: 99999999999\n",
		"name: x\nID: 7\n\tfield:int a;\toffset:8;\n",
		"name: x\nID: 7\n\tfield:;\toffset:8;\tsize:4;\n",
		"name: x\nID: 7\n\tfield:int;\toffset:8;\tsize:4;\n",
		"name: x\nID: 7\n\tfield:int a];\toffset:8;\tsize:4;\n",
		"name: x\nID: 7\n\tfield:int a;\toffset:8;\tsize:4294967295;\n",
	};
	struct xtr_tp_format *f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect(eq(int, xtr_tp_format_parse(&f, bad[i], strlen(bad[i])), -EINVAL), "%zu",
			  i);
}

/* Every prefix and every single changed byte of a real file parses or is refused, and nothing else
 * happens. */
Test(tracefs, damaged_text_does_no_harm)
{
	char *text, keep;
	struct xtr_tp_format *f;
	size_t n, refused = 0;

	cr_assert(zero(int, xtr_read_file("tests/data/tracefs/vpu_jsm", 1 << 20, &text, &n)));
	for (size_t i = 0; i < n; i++) {
		if (xtr_tp_format_parse(&f, text, i) == 0)
			xtr_tp_format_free(f);
		else
			refused++;
		keep = text[i];
		text[i] = ';';
		if (xtr_tp_format_parse(&f, text, n) == 0)
			xtr_tp_format_free(f);
		text[i] = keep;
	}
	cr_expect(gt(sz, refused, 20));
	free(text);
}
