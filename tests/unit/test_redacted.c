/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of a redacted section: as a line, and as JSON. */
#include "replay/notes/notes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* As text, or as JSON. */
static void expect_said(const struct xtr_meta *m, bool json, const char *wanted)
{
	struct xtr_json j;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (json) {
		xtr_json_init(&j, f, false);
		xtr_json_begin_object(&j);
		xtr_redacted_json(&j, m);
		xtr_json_end_object(&j);
	} else {
		xtr_redacted_text(f, m);
	}
	fclose(f);
	cr_expect(eq(str, text, (char *)wanted));
	free(text);
}

#define STANDS \
	": names such as name#7, process ids, pointers and the time of day are not the machine's"

Test(redacted, is_said_with_how_much)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-by", "xtr 0.1.0")));
	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-policy", "strict")));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "redacted-texts", 1234)));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "redacted-ids", 0)));
	cr_expect(xtr_redacted(m));
	expect_said(m, false, "REDACTED, policy strict" STANDS " (1,234 texts, 0 ids).\n");
	expect_said(m, true,
		    "{\"redacted\":{\"by\":\"xtr 0.1.0\",\"policy\":\"strict\",\"texts\":1234,"
		    "\"ids\":0}}");
	xtr_meta_free(m);
}

Test(redacted, nothing_is_said_of_what_was_not)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-policy", "strict")));
	cr_assert(zero(int, xtr_meta_set_config_u64(m, "redacted-texts", 1234)));
	cr_expect(not(xtr_redacted(m)));
	expect_said(m, false, "");
	expect_said(m, true, "{}");
	xtr_meta_free(m);
}

Test(redacted, what_meta_does_not_tell_is_left_out)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-by", "a tool")));
	expect_said(m, false, "REDACTED" STANDS ".\n");
	expect_said(
		m, true,
		"{\"redacted\":{\"by\":\"a tool\",\"policy\":null,\"texts\":null,\"ids\":null}}");
	xtr_meta_free(m);
}

Test(redacted, a_policy_cannot_move_the_cursor)
{
	struct xtr_meta *m = xtr_meta_new();

	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-by", "a tool")));
	cr_assert(zero(int, xtr_meta_set_config_str(m, "redacted-policy", "\033[2J")));
	expect_said(m, false, "REDACTED, policy \\x1b[2J" STANDS ".\n");
	xtr_meta_free(m);
}
