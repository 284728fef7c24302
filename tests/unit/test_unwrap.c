/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace is wrapped in: pages of systrace, archives; and memory that is out. */
#include "bundle/unwrap.h"
#include "converters/in/known_files.h"
#include "converters/in/text/systrace.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] = "<!DOCTYPE html>\n"
			     "  <script class=\"trace-data\" type=\"application/text\">\n"
			     "left out\n"
			     "  </script>\n"
			     "  <script class=\"trace-data\" type=\"application/text\">\n"
			     "# a &lt;b&gt; &amp;lt; &x\n"
			     "last</script>\n"
			     "behind\n";

static bool is_wanted(void *ctx, const uint8_t *head, size_t n)
{
	(void)ctx;
	return n && head[0] == '#';
}

/* The traces in a page; the status. */
static int traces(const char *page, size_t n, char *text, size_t cap)
{
	struct xtr_io *in, *out = NULL;
	const uint8_t *data;
	size_t len = 0;
	int err = xtr_io_mem_view(page, n, &in);

	if (err)
		return err;
	err = xtr_io_mem_new(&out);
	if (!err)
		err = xtr_html_trace(in, out, is_wanted, NULL);
	data = out ? xtr_io_mem_data(out, &len) : NULL;
	if (!err && text)
		snprintf(text, cap, "%.*s", (int)len, data ? (const char *)data : "");
	xtr_io_close(in);
	xtr_io_close(out);
	return err;
}

Test(unwrap, a_page_gives_the_scripts_that_are_wanted)
{
	static const char old[] =
		"<html>\n var linuxPerfData = \"\\\n# a \\\"b\\\" \\\\ c\\n\\\n7\\t8\\n\\\n"
		"           dummy-0000  [000] 0.0: 0: x\\n\";\n";
	char text[200] = "";

	cr_assert(eq(int, traces(script, strlen(script), text, sizeof(text)), 0));
	cr_assert(eq(str, text, "# a <b> &lt; &x\nlast\n"));
	cr_assert(eq(int, traces(old, strlen(old), text, sizeof(text)), 0));
	cr_assert(eq(str, text, "# a \"b\" \\ c\n7\t8\n"));
	cr_assert(eq(int, traces("<html>\n", 7, text, sizeof(text)), -ENODATA));
	cr_assert(xtr_html_detect((const uint8_t *)script, strlen(script)));
	cr_assert(not(xtr_html_detect((const uint8_t *)"# html <html>", 13)));
}

static int script_again(void *arg)
{
	(void)arg;
	return traces(script, strlen(script), NULL, 0);
}

Test(unwrap, a_page_gets_over_a_lack_of_memory)
{
	cr_assert(gt(uint, oom_each(script_again, NULL, 0), 2));
}

Test(unwrap, what_a_file_may_become_is_limited)
{
	cr_assert(eq(u64, xtr_unwrap_limit(0), XTR_UNWRAP_MORE));
	cr_assert(eq(u64, xtr_unwrap_limit(1000), 256000 + XTR_UNWRAP_MORE));
	cr_assert(eq(u64, xtr_unwrap_limit(UINT64_MAX), UINT64_MAX));
}

/* Of a magic not a byte may be missing, and no head is read behind its end. */
Test(unwrap, what_is_known_is_told_by_all_of_its_bytes)
{
	static const char *const whole[] = {
		"\xc1\x1f\xfc\xc1", "PERFILE2",         "GFXR",
		"\177ELF",          "{\"traceEvents\"", "{\"log\":{\"entries\""
	};
	const struct xtr_known *k;

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const size_t n = strlen(whole[i]);
		uint8_t *copy = malloc(n);

		memcpy(copy, whole[i], n);
		k = xtr_known_file(copy, n, "x");
		cr_assert(ne(ptr, (void *)k, NULL), "%s", whole[i]);
		cr_assert(gt(sz, strlen(k->what), 0));
		cr_assert(eq(ptr, (void *)xtr_known_file(copy, n - 1, "x"), NULL), "%s", whole[i]);
		free(copy);
	}
	cr_assert(eq(ptr, (void *)xtr_known_file((const uint8_t *)"", 0, "x.xtr"), NULL));
	cr_assert(ne(ptr, (void *)xtr_known_file((const uint8_t *)"", 0, "x.QDREP"), NULL));
}

#ifdef HAVE_LIBARCHIVE
/* A zip of one file, "a", that is "#", stored. */
static const uint8_t zip[] =
	"PK\3\4\24\0\0\0\0\0\0\0\0\0\377\236\145\160\1\0\0\0\1\0\0\0\1\0\0\0a#"
	"PK\1\2\24\0\24\0\0\0\0\0\0\0\0\0\377\236\145\160\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\200\1\0\0\0\0a"
	"PK\5\6\0\0\0\0\1\0\1\0\57\0\0\0\40\0\0\0\0\0";

static int unzip(void *arg)
{
	struct xtr_unwrap u = { .how = xtr_wrapping_of(zip, sizeof(zip) - 1),
				.limit = 100,
				.readable = is_wanted };
	struct xtr_io *in, *out = NULL;
	uint64_t *size = arg;
	int err = xtr_io_mem_view(zip, sizeof(zip) - 1, &in);

	if (err)
		return err;
	err = xtr_unwrap(in, &u, &out);
	if (!err && size)
		out->ops->size(out, size);
	xtr_io_close(in);
	xtr_io_close(out);
	return err;
}

Test(unwrap, of_a_zip_comes_its_one_file)
{
	uint64_t size = 0;

	cr_assert(eq(int, unzip(&size), 0));
	cr_assert(eq(u64, size, 1));
	cr_assert(gt(uint, oom_each(unzip, NULL, 0), 3));
}
#endif
