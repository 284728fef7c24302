/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/line.h"
#include "base/text.h"
#include "analysis/core/grid.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

Test(text, times_have_three_digits_and_a_unit)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} t[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 12345, "12.3 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 117500, "118 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 1234567, "1.23 ms" },
		{ 123456789, "123 ms" },
		{ 1000000000, "1.00 s" },
		{ 61500000000ull, "61.5 s" },
		{ 5000000000000ull, "5000 s" },
	};
	char buf[XTR_TEXT_NUMBER];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		cr_expect(eq(str, xtr_text_ns(buf, t[i].ns), (char *)t[i].text));
}

Test(text, counts_stamps_and_shares)
{
	char buf[XTR_TEXT_NUMBER];

	cr_expect(eq(str, xtr_text_count(buf, 0), "0"));
	cr_expect(eq(str, xtr_text_count(buf, 999), "999"));
	cr_expect(eq(str, xtr_text_count(buf, 1000), "1,000"));
	cr_expect(eq(str, xtr_text_count(buf, UINT64_MAX), "18,446,744,073,709,551,615"));
	cr_expect(eq(str, xtr_text_stamp(buf, 1000000001), "1.000000001"));
	cr_expect(eq(str, xtr_text_percent(buf, 1, 3), "33.3 %"));
	cr_expect(eq(str, xtr_text_percent(buf, 1, 0), "-"));
	cr_expect(eq(str, xtr_text_percent(buf, UINT64_MAX, UINT64_MAX), "100.0 %"));
}

Test(text, hostile_names_reach_no_terminal)
{
	static const char evil[] = "a\x1b[2J\n\x7f\xff\xc2\x9b"
				   "b\\\xc3\xa4";
	char buf[XTR_TEXT_NAME];

	cr_expect(eq(str, xtr_text_name(buf, sizeof(buf), evil, sizeof(evil) - 1),
		     "a\\x1b[2J\\x0a\\x7f\\xff\\xc2\\x9bb\\x5c\xc3\xa4"));
	cr_expect(eq(str, xtr_text_name(buf, sizeof(buf), "a\0b", 3), "a\\x00b"));
	/* cut between characters, never within */
	cr_expect(eq(str, xtr_text_name(buf, 6, "ab\xe2\x82\xac", 5), "ab\xe2\x82\xac"));
	cr_expect(eq(str, xtr_text_name(buf, 5, "ab\xe2\x82\xac", 5), "ab"));
	cr_expect(eq(str, xtr_text_name(buf, 4, "\x1b", 1), ""));
}

static void expect_csv(const char *in, const char *want)
{
	size_t n;
	char *out;
	FILE *f = open_memstream(&out, &n);
	struct xtr_line l;

	xtr_line_begin(&l, f);
	xtr_line_csv(&l, in, strlen(in));
	xtr_line_flush(&l);
	fclose(f);
	cr_expect(eq(str, out, (char *)want));
	free(out);
}

Test(text, csv_quotes_what_rfc_4180_says)
{
	expect_csv("plain name", "plain name");
	expect_csv("a,b", "\"a,b\"");
	expect_csv("say \"x\"", "\"say \"\"x\"\"\"");
	expect_csv("two\nlines", "\"two\nlines\"");
	expect_csv("", "");
}

/* As the tables of xtr export: U+FFFD for each byte that is not UTF-8. */
Test(text, csv_is_utf8)
{
	struct xtr_line l;
	size_t n;
	char *out;
	FILE *f = open_memstream(&out, &n);

	expect_csv("\xc3\xa4", "\xc3\xa4");
	expect_csv("a\xff\"b", "\"a\xef\xbf\xbd\"\"b\"");
	expect_csv("\xc3", "\xef\xbf\xbd");
	expect_csv("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
	xtr_line_begin(&l, f);
	xtr_line_csv(&l, "a\0,", 3);
	xtr_line_flush(&l);
	fclose(f);
	cr_expect(eq(str, out, "\"a\xef\xbf\xbd,\""));
	free(out);
}

Test(grid, aligns_by_characters)
{
	static const char *const titles[] = { "<name", "n", NULL };
	struct xtr_grid *g = xtr_grid_new(titles);
	size_t n;
	char *out;
	FILE *f = open_memstream(&out, &n);

	xtr_grid_cell(g, "\xc3\xa4");
	xtr_grid_cell(g, "1");
	xtr_grid_cell(g, "longer");
	xtr_grid_cell(g, "1,000");
	cr_assert(eq(int, xtr_grid_print(g, f, 1), 0));
	fclose(f);
	cr_expect(eq(str, out,
		     " name        n\n"
		     " \xc3\xa4           1\n"
		     " longer  1,000\n"));
	free(out);
}
