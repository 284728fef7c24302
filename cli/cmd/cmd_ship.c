/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr ship: hand the pieces in a directory to a command, each until it is taken. */
#include "cli/ui/cli.h"
#include "ship.h"

#include <string.h>

struct opts {
	struct ship_opts ship;
};

static void defaults(void *opts)
{
	struct opts *o = opts;

	ship_defaults(&o->ship);
	o->ship.until = o->ship.ready = -1;
}

static int run(const void *opts, int argc, char **argv)
{
	const struct opts *o = opts;
	struct ship_opts so = o->ship;

	if (!argc)
		return cli_usage_error(&cmd_ship, "no directory given");
	so.dir = argv[0];
	so.quiet = cli_quiet;
	if (argc > 1 && !strcmp(argv[1], "--"))
		argc--, argv++;
	if (argc == 1 && o->ship.follow)
		return cli_usage_error(&cmd_ship, "--follow requires a command");
	if (argc == 1)
		return ship_list(&so);
	so.command = argv + 1;
	return ship_run(&so);
}

#define OPT(letter, name, arg, kind, field, help)                                \
	{                                                                        \
		letter, name, arg, kind, offsetof(struct opts, ship.field), help \
	}

static const struct cli_option options[] = {
	OPT('f', "follow", NULL, CLI_FLAG, follow,
	    "go on until a signal comes; without it: what is there, then end"),
	OPT(0, "limit", "SIZE", CLI_SIZE, limit,
	    "keep no more than SIZE in DIR: remove the oldest, shipped or not"),
	OPT(0, "tries", "N", CLI_U64, tries,
	    "give a piece up when COMMAND has failed N times (default: never)"),
	OPT(0, "pause", "TIME", CLI_TIME, pause,
	    "the longest time between two tries (default 5m); the first is 1s"),
	OPT(0, "timeout", "TIME", CLI_TIME, timeout,
	    "end a COMMAND that takes longer (default 1h; 0s: never)"),
	OPT(0, "grace", "TIME", CLI_TIME, grace,
	    "time that COMMAND has left when a signal comes (default 10s)"),
	OPT(0, "every", "TIME", CLI_TIME, every,
	    "with --follow: look for new pieces so often (default 1s)"),
};

const struct cli_command cmd_ship = {
	.name = "ship",
	.summary = "hand the pieces of recordings to a command, each once",
	.args = "DIR [-- COMMAND [ARG]...]",
	.examples =
		"xtr ship -f /var/spool/xtr -- rsync -a {} store:xtr/\tship pieces as they are complete\n"
		"xtr ship /var/spool/xtr\tlist what is there",
	CLI_OPTIONS(options, struct opts),
	.defaults = defaults,
	.run = run,
	.stop_at_first = true,
};
