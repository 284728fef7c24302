/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr stats` computes of each section, for the commands that show it. */
#ifndef XTR_CLI_STATS_RUN_H
#define XTR_CLI_STATS_RUN_H

#include "replay_cmd.h"
#include "analysis/core/view.h"

struct stats_run {
	struct replay_cmd *cmd;
	uint64_t parts;    /* as in xtr_view */
	uint32_t top;      /* rows of lists */
	bool all_findings; /* even if parts shows none */
	/* of the present section */
	struct xtr_stats *stats;
	struct xtr_analyses *analyses;
};

#define STATS_TOP 10u /* rows of lists where nothing else is asked for */

/* Play a section; fills v, but for v->f. 0 or -errno; stats_drop in any case. */
int stats_gather(struct stats_run *r, const struct xtr_section *s, struct xtr_view *v);
void stats_drop(struct stats_run *r);

/* What stands before the sections of `xtr stats --json`, and behind them. */
void stats_json_begin(const struct stats_run *r, struct xtr_json *j);
void stats_json_end(struct xtr_json *j);

#endif /* XTR_CLI_STATS_RUN_H */
