/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/ui/help.h"
#include "cli/ui/options.h"
#include "cli/ui/secure.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* Whether man(1) has a page. */
static bool has_page(const char *page)
{
	int status = 0, null;
	pid_t pid;

	/* With more rights than who runs it, the program starts no other one. */
	if (!cli_getenv("PATH"))
		return false;
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("man", "man", "-w", page, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Becomes man(1). Returns if there is no such page. */
static void show_page(const char *name)
{
	char page[64];

	snprintf(page, sizeof(page), "xtr-%s", name);
	if (!has_page(page))
		return;
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
