/* SPDX-License-Identifier: BSD-2-Clause */
/* When output is coloured (cli/ui/out.c), and how names and times of a trace are printed
 * (cli/ui/text.c).
 */
#include "cli/ui/cli.h"
#include "cli/ui/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A pseudo terminal, as stdio. */
static FILE *terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	cr_assert(ge(int, fd, 0));
	cr_assert(eq(int, grantpt(fd) | unlockpt(fd), 0));
	cr_assert(isatty(fd));
	return fdopen(fd, "r+");
}

Test(out, colour_on_terminals_only)
{
	FILE *tty = terminal(), *file = tmpfile();

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	cr_expect(cli_color(tty));
	cr_expect(not(cli_color(file)));
	cli_color_mode = "always";
	cr_expect(cli_color(file));
	cli_color_mode = "never";
	cr_expect(not(cli_color(tty)));
	fclose(file);
	fclose(tty);
}

Test(out, colour_follows_the_environment)
{
	FILE *tty = terminal();

	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	cr_expect(not(cli_color(tty)));
	cli_color_mode = "always"; /* an option is stronger than the environment */
	cr_expect(cli_color(tty));
	cli_color_mode = "auto";
	setenv("NO_COLOR", "", 1); /* empty counts as not set */
	cr_expect(cli_color(tty));
	setenv("TERM", "dumb", 1);
	cr_expect(not(cli_color(tty)));
	unsetenv("TERM");
	cr_expect(not(cli_color(tty)));
	fclose(tty);
}

static void expect_put(const char *s, int width, const char *text)
{
	char *seen = NULL;
	size_t n;
	FILE *f = open_memstream(&seen, &n);

	cli_put(f, s, width);
	fclose(f);
	cr_expect(eq(str, seen, (char *)text));
	free(seen);
}

Test(out, names_are_padded_and_made_safe)
{
	expect_put("gfx", 6, "gfx   ");
	expect_put("gfx", 2, "gfx");
	expect_put(NULL, 3, "-  ");
	expect_put("", 2, "  ");
	expect_put("a\033[2J\n", 0, "a\\x1b[2J\\x0a");
	expect_put("\033", 6, "\\x1b  ");
	expect_put("gr\xc3\xbcn", 6, "gr\xc3\xbcn  "); /* a character of two bytes is one column */
	expect_put("\xff", 0, "\\xff");
	cr_expect(eq(int, cli_width("gr\xc3\xbcn"), 4));
	cr_expect(eq(int, cli_width(NULL), 1));
}

Test(out, times_are_utc)
{
	char *seen = NULL;
	size_t n;
	FILE *f = open_memstream(&seen, &n);

	setenv("TZ", "Asia/Tokyo", 1);
	cli_put_utc(f, 1000000000123456789);
	fclose(f);
	cr_expect(eq(str, seen, "2001-09-09 01:46:40.123456789 UTC"));
	free(seen);
}
