/* SPDX-License-Identifier: BSD-2-Clause */
/* The hang of a trace, or of a bundle, for the commands that show it first. */
#ifndef XTR_CLI_HANG_HEAD_CMD_H
#define XTR_CLI_HANG_HEAD_CMD_H

#include "analysis/hang/hang_head.h"
#include "stats_run.h"

/* What is told of a hang, and stays when the section's analyses are gone. All zero: nothing. */
struct hang_told {
	struct xtr_hang_head head;
	char speaks[XTR_DUMP_REPORTS_MAX][HANG_SPEAKS]; /* of each file of dumps */
};

/*
 * Of a section that was gathered, with what d says (bundle_dumps(), as a rule; NULL: nothing): the
 * first hang; of the last section what the dumps say alone. What was told of a section before
 * stays. True: it was told just now.
 */
bool hang_told_by(struct hang_told *t, const struct stats_run *run, const struct xtr_dumps *d,
		  bool last);
/* The same of all sections of the trace that is open, which plays them. 0 or -errno. */
int hang_told_find(struct hang_told *t, struct replay_cmd *c, const struct xtr_dumps *d);

/* The lines, and an empty one. */
void hang_told_text(const struct hang_told *t, FILE *f);
/* Keys "hang" and "dumps" of the object that is open; nothing if nothing is told. */
void hang_told_json(const struct hang_told *t, struct xtr_json *j);

#endif /* XTR_CLI_HANG_HEAD_CMD_H */
