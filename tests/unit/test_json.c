/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static char *out;
static size_t out_len;
static struct xtr_json j;

static void start(bool pretty)
{
	xtr_json_init(&j, open_memstream(&out, &out_len), pretty);
}

static void expect(const char *want)
{
	fclose(j.line.f);
	cr_expect(eq(str, out, (char *)want));
	free(out);
}

static void expect_string(const char *in, size_t n, const char *want)
{
	start(false);
	xtr_json_strn(&j, in, n);
	expect(want);
}

Test(json, nested_in_one_line)
{
	start(false);
	xtr_json_begin_object(&j);
	xtr_json_kv_u64(&j, "a", UINT64_MAX);
	xtr_json_kv_array(&j, "b");
	xtr_json_s64(&j, INT64_MIN);
	xtr_json_null(&j);
	xtr_json_begin_object(&j);
	xtr_json_end_object(&j);
	xtr_json_begin_array(&j);
	xtr_json_end_array(&j);
	xtr_json_end_array(&j);
	xtr_json_kv_bool(&j, "c", true);
	xtr_json_kv_str(&j, "d", NULL);
	xtr_json_end_object(&j);
	expect("{\"a\":18446744073709551615,\"b\":[-9223372036854775808,null,{},[]],\"c\":true,"
	       "\"d\":null}");
}

Test(json, pretty_indents_and_keeps_empty_ones_short)
{
	start(true);
	xtr_json_begin_object(&j);
	xtr_json_kv_object(&j, "x");
	xtr_json_kv_s64(&j, "y", -1);
	xtr_json_end_object(&j);
	xtr_json_kv_array(&j, "z");
	xtr_json_end_array(&j);
	xtr_json_end_object(&j);
	xtr_json_newline(&j);
	expect("{\n  \"x\": {\n    \"y\": -1\n  },\n  \"z\": []\n}\n");
}

Test(json, lines_are_separate_documents)
{
	start(false);
	xtr_json_u64(&j, 1);
	xtr_json_newline(&j);
	xtr_json_begin_array(&j);
	xtr_json_end_array(&j);
	xtr_json_newline(&j);
	expect("1\n[]\n");
}

Test(json, control_characters_quotes_and_nul_are_escaped)
{
	expect_string("a\"\\\n\t\r\b\f\x01\x1b[31m\x7f/", 16,
		      "\"a\\\"\\\\\\n\\t\\r\\b\\f\\u0001\\u001b[31m\\u007f/\"");
	expect_string("a\0b", 3, "\"a\\u0000b\"");
	expect_string("", 0, "\"\"");
}

Test(json, what_a_terminal_obeys_is_escaped_and_its_neighbours_are_not)
{
	expect_string("\xc2\x80\xc2\x9f\xc2\xa0", 6, "\"\\u0080\\u009f\xc2\xa0\"");
	expect_string("\u2027\u2028\u202e\u202f", 12, "\"\u2027\\u2028\\u202e\u202f\"");
	expect_string("\u2065\u2066\u2069\u206a", 12, "\"\u2065\\u2066\\u2069\u206a\"");
	expect_string("\u20a8\u3028\U0001f600", 10, "\"\u20a8\u3028\U0001f600\"");
}

Test(json, utf8_passes_and_anything_else_becomes_fffd)
{
	expect_string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		      "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	expect_string("a\xff\xfe z", 5, "\"a\\ufffd\\ufffd z\"");
	expect_string("\xc3", 1, "\"\\ufffd\"");                       /* cut short */
	expect_string("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");            /* overlong '/' */
	expect_string("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
}

Test(utf8, length_of_each_form)
{
	cr_expect(eq(sz, xtr_utf8_len("A", 1), 1));
	cr_expect(eq(sz, xtr_utf8_len("\xdf\xbf", 2), 2));
	cr_expect(eq(sz, xtr_utf8_len("\xef\xbf\xbf", 3), 3));
	cr_expect(eq(sz, xtr_utf8_len("\xf4\x8f\xbf\xbf", 4), 4));
	cr_expect(eq(sz, xtr_utf8_len("\xf4\x90\x80\x80", 4), 0)); /* above U+10FFFF */
	cr_expect(eq(sz, xtr_utf8_len("\xe0\x9f\xbf", 3), 0));
	cr_expect(eq(sz, xtr_utf8_len("\xf0\x9f\x98\x80", 3), 0));
	cr_expect(eq(sz, xtr_utf8_len("\x80", 1), 0));
	cr_expect(eq(sz, xtr_utf8_len("", 0), 0));
}

Test(json, bytes_as_hexadecimal_digits)
{
	start(false);
	xtr_json_begin_array(&j);
	xtr_json_hex(&j, (const uint8_t *)"\x00\x9f\xff", 3);
	xtr_json_hex(&j, NULL, 0);
	xtr_json_end_array(&j);
	expect("[\"009fff\",\"\"]");
}
