/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CMD_STATS_H
#define XTR_CMD_STATS_H

#include "analysis/core/stats.h"

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

#endif /* XTR_CMD_STATS_H */
