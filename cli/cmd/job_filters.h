/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --device, --ring and --pid that match nothing are a mistake: a ring that is misspelt has no jobs
 * that are slow. What one trace does not have another of the same command may have.
 */
#ifndef XTR_CLI_FILTERS_H
#define XTR_CLI_FILTERS_H

#include "cli/ui/cli.h"

#include <stdbool.h>

struct replay_cmd;

#define FILTER_NAMES 12u /* that are told */

enum filter_kind {
	FILTER_DEVICE,
	FILTER_RING,
	FILTER_PID,
	FILTER_KINDS
};

struct filters { /* all zero: nothing was seen */
	struct {
		bool *matched;            /* as many as were given, in their order */
		char *name[FILTER_NAMES]; /* what there is, safe to print */
		size_t n_names, more;
	} kind[FILTER_KINDS];
};

/*
 * What of an open trace the filters of c match. A trace whose tables do not know one of them is
 * played, once. 0 or -errno.
 */
int filters_see(struct filters *f, const struct replay_cmd *c);
/*
 * All traces were seen: of the first filter that matched nothing it is said, and what there is. The
 * exit status.
 */
int filters_check(const struct filters *f, const struct replay_cmd *c,
		  const struct cli_command *cmd);
/*
 * Both, of files that are opened for nothing else, and without a word of what is wrong with them:
 * before anything of them is shown. Standard input cannot be read twice: with it, all is taken to
 * match. The exit status.
 */
struct cli_paths;
struct replay_opts;
int filters_see_files(struct filters *f, const struct cli_command *cmd, const struct replay_opts *o,
		      const struct cli_paths *paths);
void filters_free(struct filters *f);

#endif /* XTR_CLI_FILTERS_H */
