/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of command lines, driven by the option tables. */
#ifndef XTR_CLI_OPTIONS_H
#define XTR_CLI_OPTIONS_H

#include "cli.h"

#include <stddef.h>

/* What every command takes, and xtr itself before the command's name. */
struct cli_globals {
	const char *color;
	bool quiet, no_pager, help, version;
};

extern struct cli_globals cli_globals;
extern const struct cli_option cli_global_options[];
extern const size_t cli_n_global_options;

/*
 * The i-th option of a command: first its own, then the global ones that it does not define itself;
 * *global says which. NULL past the last.
 */
const struct cli_option *cli_option_at(const struct cli_command *cmd, size_t i, bool *global);

/*
 * Parse argv (argv[0] is not looked at) into opts, which holds the defaults. *first is the index of
 * the first argument that is no option; arguments are permuted behind the options unless
 * cmd->stop_at_first. Stops at --help and --version. Returns XTR_EXIT_OK, or prints one line and
 * returns XTR_EXIT_USAGE.
 */
int cli_parse(const struct cli_command *cmd, int argc, char **argv, void *opts, int *first);
/* Free what cli_parse allocated in opts (lists). */
void cli_free_options(const struct cli_command *cmd, void *opts);

/* --- nearest ---------------------------------------------------------------------------------- */

/* "Did you mean": the nearest of several names. */
/*
 * The one of n names (NULL ones are passed over) nearest to s, the first of equals, or NULL if none
 * is near enough to be meant.
 */
const char *cli_nearest(const char *s, const char *const *names, size_t n);

#endif /* XTR_CLI_OPTIONS_H */
