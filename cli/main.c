/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr COMMAND [options] [arguments]: finds the command, parses its options, runs it. */
#include "cli/ui/cli.h"
#include "cli/ui/help.h"
#include "cli/cmd/completion_names.h"
#include "cli/ui/options.h"
#include "cli/ui/secure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct top_opts {
	const char *completion;
	bool man;
};

/*
 * Whoever starts xtr with a standard stream closed would have the next file that is opened take its
 * place. A closed output must not look like a working one: it is opened so that writing fails.
 */
static int fill_standard_streams(void)
{
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -1;
	}
	return 0;
}

/* --help and --version of xtr itself or of a command. */
static int show(const struct cli_command *cmd)
{
	if (cli_globals.version)
		cli_version(stdout);
	else if (cmd == &cli_top)
		cli_help_all(cli_out());
	else
		cli_help_command(cli_out(), cmd);
	return cli_finish(XTR_EXIT_OK);
}

static int no_memory(void)
{
	cli_error("%s", cli_strerror(ENOMEM));
	return XTR_EXIT_FAILURE;
}

static int run_command(const struct cli_command *cmd, int argc, char **argv)
{
	void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
	int first, status;

	if (!opts)
		return cli_finish(no_memory());
	if (cmd->defaults)
		cmd->defaults(opts);
	status = cli_parse(cmd, argc, argv, opts, &first);
	if (status == XTR_EXIT_OK) {
		if (cli_globals.help || cli_globals.version)
			status = show(cmd);
		else
			status = cmd->run(opts, argc - first, argv + first);
	}
	status = cli_finish(status);
	cli_free_options(cmd, opts);
	free(opts);
	return status;
}

/*
 * Options that only the build and the completions use: xtr --dump-commands,
 * --dump-completion SHELL, --dump-names KIND [WORD]...
 */
static int run_dump(int argc, char **argv)
{
	if (!strcmp(argv[1], "--dump-commands")) {
		for (size_t i = 0; cli_commands[i]; i++)
			puts(cli_commands[i]->name);
		return cli_finish(XTR_EXIT_OK);
	}
	if (!strcmp(argv[1], "--dump-names"))
		return cli_finish(cli_dump_names(stdout, argc > 2 ? argv[2] : NULL, argv + 3,
						 argc > 3 ? (size_t)argc - 3 : 0));
	if (argc == 3 && cli_dump_completion(stdout, argv[2]))
		return cli_finish(XTR_EXIT_OK);
	return cli_usage_error(NULL, "--dump-completion takes bash, zsh or fish");
}

/* Before anything is opened; cmd may be NULL. */
static int keep_rights_for(const struct cli_command *cmd)
{
	int err = cli_secure(cmd && cmd->privileged);

	if (err)
		cli_error("cannot give up privileges: %s", cli_strerror(err));
	return err;
}

int main(int argc, char **argv)
{
	bool dump = argc > 1 && !strncmp(argv[1], "--dump-", 7);
	const struct cli_command *cmd = NULL;
	int first = argc, status = XTR_EXIT_OK;

	if (fill_standard_streams())
		return XTR_EXIT_FAILURE;
	if (cli_out_init())
		return no_memory();
	if (!dump)
		status = cli_parse(&cli_top, argc, argv, NULL, &first);
	if (status != XTR_EXIT_OK)
		return status;
	if (first < argc)
		cmd = cli_find_any(argv[first]);
	if (keep_rights_for(cmd))
		return XTR_EXIT_PRIVILEGE;
	if (dump)
		return run_dump(argc, argv);
	if (cli_globals.help || cli_globals.version)
		return show(&cli_top);
	if (first >= argc) {
		cli_help_all(stderr);
		return XTR_EXIT_USAGE;
	}
	if (!cmd)
		return cli_unknown_command(argv[first]);
	return run_command(cmd, argc - first, argv + first);
}
