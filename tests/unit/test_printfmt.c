/* SPDX-License-Identifier: BSD-2-Clause */
/* What print formats tell about fields. */
#include "format/meta/printfmt.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t value(const char *s)
{
	uint64_t v;

	cr_assert(xtr_constant(s, strlen(s), &v), "%s", s);
	return v;
}

Test(printfmt, constants)
{
	uint64_t v;

	cr_expect(eq(u64, value("10"), 10));
	cr_expect(eq(u64, value(" 0x1fUL "), 0x1f));
	cr_expect(eq(u64, value("(1 << 3) | 0x10u"), 0x18));
	cr_expect(eq(u64, value("((( gfp_t)((((1UL))) << (6))))"), 64));
	cr_expect(eq(u64, value("(unsigned long)7"), 7));
	cr_expect(eq(u64, value("1 + 2 * 3 - 4"), 3));
	cr_expect(eq(u64, value("-1"), UINT64_MAX));
	cr_expect(eq(u64, value("~0 >> 63"), 1));
	cr_expect(eq(u64, value("8 - 2 - 1"), 5), "from the left");
	cr_expect(eq(u64, value("0xff & 0x3c ^ 4"), 0x38));
	cr_expect(eq(u64, value("1 << 64"), 0), "no shift that C leaves undefined");
	cr_expect(eq(u64, value("1 >> 64"), 0));
	for (size_t i = 0; i < 8; i++) {
		static const char *const none[] = { "",          "ENUM_NAME", "1 +", "sizeof(int)",
						    "(unsigned", "()1",       "(1",  "(x.y)1" };

		cr_expect(not(xtr_constant(none[i], strlen(none[i]), &v)), "%s", none[i]);
	}
}

Test(printfmt, deep_nesting_is_refused_not_followed)
{
	char deep[20000];
	uint64_t v;

	memset(deep, '(', sizeof(deep));
	cr_expect(not(xtr_constant(deep, sizeof(deep), &v)));
	memset(deep, '~', sizeof(deep));
	cr_expect(not(xtr_constant(deep, sizeof(deep), &v)));
}

Test(printfmt, conversions_are_matched_to_their_fields)
{
	static const char fmt[] =
		"\"%% a=%s b=%-*d, c=%p \\\"q\\\" d=%#llx e=%s\", REC->a, 8, REC->b, (void *)REC->c, "
		"((unsigned long long)(REC->d)), __get_str(e)";

	cr_expect(eq(chr, xtr_printfmt_conv(fmt, "a"), 's'));
	cr_expect(eq(chr, xtr_printfmt_conv(fmt, "b"), 'd'));
	cr_expect(eq(chr, xtr_printfmt_conv(fmt, "c"), 'p'));
	cr_expect(eq(chr, xtr_printfmt_conv(fmt, "d"), 'x'));
	cr_expect(eq(chr, xtr_printfmt_conv(fmt, "e"), 0));
	cr_expect(eq(chr, xtr_printfmt_conv("", "a"), 0));
	cr_expect(eq(chr, xtr_printfmt_conv("\"%s", "a"), 0));
}

static char *print_fmt_of(const char *name)
{
	struct xtr_tp_format *f;
	char path[256], *text;
	size_t n;

	snprintf(path, sizeof(path), "tests/data/tracefs/%s", name);
	cr_assert(zero(int, xtr_read_file(path, 1 << 20, &text, &n)));
	cr_assert(zero(int, xtr_tp_format_parse(&f, text, n)));
	free(text);
	text = strdup(f->print_fmt);
	xtr_tp_format_free(f);
	return text;
}

Test(printfmt, symbols_of_softirq_entry)
{
	char *fmt = print_fmt_of("softirq_entry");
	struct xtr_printfmt_names names;

	cr_assert(zero(int, xtr_printfmt_names(fmt, "vec", &names)));
	cr_expect(eq(int, names.kind, XTR_NAMES_ENUM));
	cr_assert(eq(u32, names.n, 10));
	cr_expect(eq(str, (char *)names.v[0].name, "HI"));
	cr_expect(eq(u64, names.v[9].value, 9));
	cr_expect(eq(str, (char *)names.v[9].name, "RCU"));
	xtr_printfmt_names_free(&names);
	free(fmt);
}

Test(printfmt, flags_behind_a_mask)
{
	char *fmt = print_fmt_of("sched_switch");
	struct xtr_printfmt_names names;

	cr_assert(zero(int, xtr_printfmt_names(fmt, "prev_state", &names)));
	cr_expect(eq(int, names.kind, XTR_NAMES_FLAGS));
	cr_assert(eq(u32, names.n, 8));
	cr_expect(eq(str, (char *)names.v[1].name, "D"));
	cr_expect(eq(u64, names.v[7].value, 0x80));
	xtr_printfmt_names_free(&names);
	cr_assert(zero(int, xtr_printfmt_names(fmt, "prev_prio", &names)));
	cr_expect(eq(int, names.kind, XTR_NAMES_NONE));
	free(fmt);
}

Test(printfmt, values_that_are_no_constants_are_left_out)
{
	struct xtr_printfmt_names names;

	cr_assert(zero(int,
		       xtr_printfmt_names(
			       "\"%s\", __print_symbolic(REC->x, { A_NAME, \"a\" }, { 3, \"c\" }, "
			       "{ 2, \"b\\\"\" }, { 3, \"again\" }, { -1, \"neg\" })",
			       "x", &names)));
	cr_assert(eq(u32, names.n, 2));
	cr_expect(eq(str, (char *)names.v[0].name, "b\""));
	cr_expect(eq(str, (char *)names.v[1].name, "c"));
	xtr_printfmt_names_free(&names);
}

Test(printfmt, cut_short_anywhere_does_no_harm)
{
	char *fmt = print_fmt_of("sched_switch");
	struct xtr_printfmt_names names;

	for (size_t n = strlen(fmt); n > 0; n--) {
		fmt[n] = 0;
		cr_assert(zero(int, xtr_printfmt_names(fmt, "prev_state", &names)));
		xtr_printfmt_names_free(&names);
		xtr_printfmt_conv(fmt, "next_prio");
	}
	free(fmt);
}
