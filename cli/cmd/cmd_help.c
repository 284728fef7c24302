// SPDX-License-Identifier: BSD-2-Clause
#include "cli/ui/help.h"
#include "cli/ui/nearest.h"

#include <string.h>

const struct cli_command *cli_find_any(const char *name)
{
	return strcmp(name, cmd_help.name) ? cli_find_command(name) : &cmd_help;
}

int cli_unknown_command(const char *name)
{
	const char *names[64] = { cmd_help.name }, *near;
	size_t n = 1;

	for (size_t i = 0; cli_commands[i] && n < 64; i++)
		names[n++] = cli_commands[i]->name;
	near = cli_nearest(name, names, n);
	if (near)
		return cli_usage_error(NULL, "unknown command '%s': did you mean '%s'?", name,
				       near);
	return cli_usage_error(NULL, "unknown command '%s'", name);
}

static int run_help(const void *opts, int argc, char **argv)
{
	const struct cli_command *cmd;

	(void)opts;
	if (argc > 1)
		return cli_usage_error(&cmd_help, "help takes one command");
	if (argc == 0) {
		cli_help_all(cli_out());
		return XTR_EXIT_OK;
	}
	cmd = cli_find_any(argv[0]);
	if (!cmd)
		return cli_unknown_command(argv[0]);
	cli_help_long(cli_out(), cmd);
	return XTR_EXIT_OK;
}

const struct cli_command cmd_help = {
	.name = "help",
	.summary = "show the list of commands, or the manual of one command",
	.args = "[COMMAND]",
	.run = run_help,
};
