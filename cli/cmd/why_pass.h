/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides the time of each job of a section (analysis/blame): of why, and of paths in exports. */
#ifndef XTR_CLI_WHY_PASS_H
#define XTR_CLI_WHY_PASS_H

#include "analysis/blame/path.h"
#include "analysis/blame/run_threads.h"
#include "analysis/blame/split.h"
#include "analysis/blame/who.h"
#include "replay/model/model.h"
#include "replay_cmd.h"

struct why_pass {
	struct replay_cmd *cmd;
	bool threads_too; /* for paths: what the submitting threads did */
	/*
	 * A job that is selected; parts: of its time, NULL: it was not divided. It is in the past
	 * by now, so that a path can be asked for. 0 or -errno.
	 */
	int (*job)(void *ctx, const struct xtr_job *j, const struct xtr_job_parts *parts);
	void *ctx;
	/* Of the present section, until why_pass_free. */
	struct xtr_select select;
	struct xtr_model *verdict, *model;
	struct xtr_past *past;
	struct xtr_who names;
	struct xtr_run_threads *threads; /* NULL: not known */
	struct xtr_submits *submits;     /* with threads_too */
	struct xtr_job_parts parts;
};

/* Two passes: whether a ring executes in order must be known before its first job is divided. 0 or
 * -errno. */
int why_pass(struct why_pass *p, const struct xtr_section *s);
void why_pass_free(struct why_pass *p);

/* "372:48": as jobs, stats and the page of report name it. */
bool why_parse_job(const char *text, struct xtr_job_name *name);

#endif /* XTR_CLI_WHY_PASS_H */
