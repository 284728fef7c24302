/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static void expect_put(const char *in, size_t n, const char *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	cr_assert(ne(ptr, f, NULL));
	xtr_text_put(f, in, n);
	fclose(f);
	cr_expect(eq(str, text, (char *)out));
	free(text);
}

Test(text, put_leaves_text_as_it_is)
{
	expect_put("", 0, "");
	expect_put("gfx_0.0.0", 9, "gfx_0.0.0");
	expect_put("\xc3\xa4\xe2\x82\xac", 5, "\xc3\xa4\xe2\x82\xac");
}

Test(text, put_escapes_at_the_ends_and_between)
{
	expect_put("\x1b[31mred\n", 9, "\\x1b[31mred\\x0a");
	expect_put("a\\b", 3, "a\\x5cb");
	expect_put("a\0\x7f"
		   "b",
		   4, "a\\x00\\x7fb");
	expect_put("\xc2\x9b", 2, "\\xc2\\x9b"); /* a control character in two bytes */
	expect_put("a\xff", 2, "a\\xff");
	expect_put("a\u202eb", 5, "a\\xe2\\x80\\xaeb"); /* turns around what follows */
}

Test(text, a_place_is_a_time_or_a_number)
{
	char buf[XTR_TEXT_NUMBER];

	cr_expect(eq(str, xtr_text_place(buf, true, 1500000000), "1.500000000"));
	cr_expect(eq(str, xtr_text_place(buf, false, UINT64_MAX), "#18446744073709551615"));
}

static void expect_percent(uint64_t part, uint64_t whole, const char *want)
{
	char buf[XTR_TEXT_NUMBER];

	cr_expect(eq(str, xtr_text_percent(buf, part, whole), (char *)want));
}

Test(text, a_share_is_rounded_to_the_nearest_tenth)
{
	expect_percent(2842, 8198, "34.7 %"); /* 34.667 */
	expect_percent(1, 3, "33.3 %");
	expect_percent(9994, 10000, "99.9 %");
	expect_percent(1, 2000, "0.1 %"); /* 0.05 */
	expect_percent(3, 2, "150.0 %");
	expect_percent(0, 0, "-");
	expect_percent(7, 0, "-");
	expect_percent(UINT64_MAX, 1, "1844674407370955161.5 %"); /* what fits */
}

Test(text, only_all_is_all_and_only_nothing_is_nothing)
{
	expect_percent(5, 5, "100.0 %");
	expect_percent(UINT64_MAX, UINT64_MAX, "100.0 %");
	expect_percent(UINT64_MAX - 1, UINT64_MAX, ">99.9 %");
	expect_percent(9995, 10000, ">99.9 %");
	expect_percent(0, 5, "0.0 %");
	expect_percent(49, 100000, "<0.1 %");
	expect_percent(1, UINT64_MAX, "<0.1 %");
}

/* --- folding ---------------------------------------------------------------------------------- */

static void expect_folded(const char *from, const char *want)
{
	char *got = NULL;
	size_t n;
	FILE *f = open_memstream(&got, &n);

	xtr_text_fold(f, from, strlen(from));
	fclose(f);
	cr_expect(eq(str, got, (char *)want));
	free(got);
}

#define TEN  "123456789 "
#define WIDE "12345678901234567890123456789012345678901234567890123456789012345"
#define LONG TEN TEN TEN TEN TEN TEN TEN TEN TEN "123456789"

Test(text, folds_what_is_too_long)
{
	expect_folded("", "");
	expect_folded("no end", "no end");
	expect_folded("a\n\n  b\n", "a\n\n  b\n");
	expect_folded(LONG "0\n", LONG "0\n"); /* 100 columns */
	expect_folded(LONG "01\n", TEN TEN TEN TEN TEN TEN TEN TEN "123456789\n  12345678901\n");
	expect_folded("    " LONG "\n", "    " TEN TEN TEN TEN TEN TEN TEN TEN "123456789\n"
					"      123456789\n");
	/* Characters count, not bytes; a word that is longer than a line stays whole. */
	expect_folded("\xc3\xa4" LONG "\n", "\xc3\xa4" LONG "\n");
	expect_folded("  " WIDE WIDE " " TEN "\n", "  " WIDE WIDE "\n    " TEN "\n");
}
