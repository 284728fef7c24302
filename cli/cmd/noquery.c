/* SPDX-License-Identifier: BSD-2-Clause */
/* Where libsqlite3 was not found by the build: the command that needs it says so. */
#include "cli/ui/cli.h"

static int run(const void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	cli_error("this xtr was built without SQLite");
	cli_hint("install libsqlite3-dev and build it again; 'xtr export -f csv' needs no SQLite");
	return XTR_EXIT_FAILURE;
}

const struct cli_command cmd_query = {
	.name = "query",
	.summary = "ask a trace in SQL (not built in)",
	.args = "FILE|DIR... [SQL]",
	.run = run,
};
