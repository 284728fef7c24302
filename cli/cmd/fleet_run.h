/* SPDX-License-Identifier: BSD-2-Clause */
/* One summary of each of many recordings, for the commands that show them together. */
#ifndef XTR_CLI_FLEET_RUN_H
#define XTR_CLI_FLEET_RUN_H

#include "analysis/fleet/fleet.h"
#include "stats_run.h"

#include <stdatomic.h>

struct fleet_run {
	const struct cli_command *cmd;
	const struct replay_opts *o;
	/* Cohorts; no key: one of all recordings. */
	bool by_key;
	enum xtr_fleet_key key;
	const char *label;
	/* Of each section that was gathered, if not NULL: then files are read one after the other,
	 * in their order. 0 or -errno. */
	int (*section)(struct fleet_run *r, struct stats_run *run, struct xtr_view *v);
	uint64_t parts;    /* for section: as in stats_run */
	uint32_t top;      /* the same */
	bool all_findings; /* the same */
	void *ctx;
	/* What it came to. */
	struct xtr_fleet *fleet;
	bool any; /* a file was read */
	/* inside */
	char **file;
	size_t n_files;
	struct filters filters;
	atomic_bool stop; /* nothing more is read or told */
	int status, err;
};

/*
 * Files and directories (cli_paths_expand). What was lost or damaged is told, and ends no other
 * file: XTR_EXIT_LOSS; what could not be read neither: XTR_EXIT_FAILURE. any says whether there is
 * something to show. Usage errors, and a lack of memory for the whole, end it. Then fleet_free.
 */
int fleet_gather(struct fleet_run *r, size_t n, const char *const *args);
void fleet_free(struct fleet_run *r);

#endif /* XTR_CLI_FLEET_RUN_H */
