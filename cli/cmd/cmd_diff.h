/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CMD_DIFF_H
#define XTR_CMD_DIFF_H

#include "analysis/diff/diff.h"
#include "replay_cmd.h"

/* --- diff opts -------------------------------------------------------------------------------- */

/* What the options of xtr diff say. */
/* "ring,process": a bit for each name. 0, or -EINVAL: one is not known, or there is none. */
int diff_parse_list(const char *s, const char *(*name)(unsigned int), uint32_t *bits);
/*
 * "5%": a limit for all kinds of times, "execution=5%" for one; limit[] are shares (0.05). What is
 * given later replaces what was given before. 0 or -EINVAL.
 */
int diff_parse_limit(const char *s, double limit[XTR_DIFF_METRIC_COUNT]);

/* "5%" as a share, 0.05; more than 0. 0 or -EINVAL. */
int diff_parse_percent(const char *s, double *share);

/* --- diff files ------------------------------------------------------------------------------- */

/* `xtr diff` of many files: cohorts against each other, or what stands out from its cohort. */
struct diff_files {
	const struct replay_opts *o;
	const char *by; /* the cohorts; NULL: all recordings are one */
	bool outliers, json, all;
	const char *against; /* "previous", "rest", or NULL: by what the cohorts are */
	const char *metric;  /* a list, or NULL: all */
	const struct cli_list *fail_on;
	uint32_t top;
};

/* Returns the exit status. */
int diff_files(const struct diff_files *d, int argc, char **argv);
/* Is it what cohorts can be made of, if there are many files? */
bool diff_files_key(const char *by);
/* The i-th such word that is no group of a recording, NULL past the last. */
const char *diff_files_word(size_t i);

#endif /* XTR_CMD_DIFF_H */
