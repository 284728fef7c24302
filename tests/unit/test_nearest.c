/* SPDX-License-Identifier: BSD-2-Clause */
/* "Did you mean" (cli/ui/options.c). */
#include "cli/ui/options.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "record", "list", NULL,    "info", "stats",
				     "jobs",   "dump", "check", "help", "keep-pointers" };
enum {
	N = sizeof(names) / sizeof(names[0])
};

Test(nearest, slips_are_understood)
{
	static const char *const cases[][2] = {
		{ "recrod", "record" },  /* exchanged */
		{ "recor", "record" },   /* too few */
		{ "reecord", "record" }, /* too many */
		{ "rexord", "record" },  /* wrong */
		{ "stat", "stats" },
		{ "inof", "info" },
		{ "lst", "list" },
		{ "kee", "keep-pointers" }, /* the beginning */
		{ "keep-pionter", "keep-pointers" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *found = cli_nearest(cases[i][0], names, N);

		cr_assert(ne(ptr, (void *)found, NULL), "%s", cases[i][0]);
		cr_expect(eq(str, (char *)found, (char *)cases[i][1]), "%s", cases[i][0]);
	}
}

Test(nearest, what_is_far_is_not_suggested)
{
	static const char *const cases[] = { "", "x", "zz", "frobnicate", "zebra", "12345" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(ptr, (void *)cli_nearest(cases[i], names, N), NULL), "%s", cases[i]);
}

Test(nearest, long_words_and_long_names_are_safe)
{
	char word[300], name[300];
	const char *list[] = { name };

	memset(word, 'a', sizeof(word));
	memset(name, 'a', sizeof(name));
	word[299] = name[299] = '\0';
	cr_expect(eq(ptr, (void *)cli_nearest(word, names, N), NULL));
	cr_expect(eq(ptr, (void *)cli_nearest("aaa", list, 1), NULL));
	word[64] = name[64] = '\0';
	word[10] = 'b';
	cr_expect(eq(ptr, (void *)cli_nearest(word, list, 1), name));
}

Test(nearest, no_names)
{
	cr_expect(eq(ptr, (void *)cli_nearest("record", NULL, 0), NULL));
}
