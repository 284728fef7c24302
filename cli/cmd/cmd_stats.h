/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CMD_STATS_H
#define XTR_CMD_STATS_H

#include "stats_run.h"

/* --- stats limit ------------------------------------------------------------------------------ */

/* xtr stats --fail-on: what a trace must not show. */
struct stats_limit {
	const char *text;      /* as it was given, borrowed */
	const char *finding;   /* shell pattern of ids of notable findings; NULL: a time */
	size_t offset;         /* of the histogram in struct xtr_agg */
	unsigned int permille; /* quantile; STATS_LIMIT_MEAN: the mean */
	uint64_t ns;
};

#define STATS_LIMIT_MEAN 1001u

/* "finding", "finding:ID", "execution.p99>50ms". 0 or -EINVAL. */
int stats_limit_parse(struct stats_limit *l, const char *s);
/* Can it be crossed at all: is there a finding of this name? A time is always known. */
bool stats_limit_known(const struct stats_limit *l);
/*
 * Does a finding of the section, or a ring's time, cross it? Says which, a line for each, at most
 * ten. Of a ring whose execution is only bounded it warns where the upper bound crosses it; of
 * rings without such times nothing is said.
 */
bool stats_limit_crossed(const struct stats_limit *l, const char *path, const struct xtr_stats *s,
			 const struct xtr_findings *f);

/* --- stats files ------------------------------------------------------------------------------ */

/* `xtr stats` of several files: all of them together, and if asked for the parts of each. */
struct stats_files {
	const struct replay_opts *o;
	uint64_t parts; /* of each section, as in xtr_view; 0: none are shown */
	bool json, all_findings;
	uint32_t top;  /* of lists of a section */
	uint32_t rows; /* of tables of all files */
	/* Of each section that was gathered; may be NULL. */
	void (*gathered)(void *ctx, const struct stats_run *run, const struct xtr_section *s);
	void *ctx;
};

#define STATS_FILES_ROWS 20u /* of tables where nothing else is asked for */

/* Returns the exit status. */
int stats_files(const struct stats_files *s, int argc, char **argv);

#endif /* XTR_CMD_STATS_H */
