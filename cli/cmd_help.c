// SPDX-License-Identifier: BSD-2-Clause
#include "help.h"
#include "nearest.h"
#include "options.h"
#include "secure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Whether man(1) has a page of the command. */
static bool has_page(const char *name)
{
	char line[128], first = '\0';
	FILE *f;

	/* With more rights than who runs it, the program starts no other one. */
	if (!cli_getenv("PATH"))
		return false;
	snprintf(line, sizeof(line), "man -w xtr-%s 2>/dev/null", name);
	f = popen(line, "r");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		first = first ? first : line[0];
	return pclose(f) == 0 && first == '/';
}

/* Becomes man(1). Returns only if that cannot be run. */
static void show_page(const char *name)
{
	char page[64];

	snprintf(page, sizeof(page), "xtr-%s", name);
	if (cli_globals.no_pager)
		setenv("MANPAGER", "cat", 1);
	execlp("man", "man", page, (char *)NULL);
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
	if (has_page(cmd->name))
		show_page(cmd->name);
	cli_help_command(cli_out(), cmd);
	return XTR_EXIT_OK;
}

const struct cli_command cmd_help = {
	.name = "help",
	.summary = "show the list of commands, or the manual page of one command",
	.args = "[COMMAND]",
	.examples = "xtr help record\tthe manual page xtr-record(1)",
	.run = run_help,
};
