/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr jobs: one line for each job. */
#include "cli/ui/cli.h"
#include "replay_cmd.h"
#include "replay/views/jobs_view.h"
#include "replay/model/model.h"

#include <errno.h>

struct jobs_opts {
	struct replay_opts replay;
	bool csv, jsonl;
};

static const struct cli_option options[] = {
	{ 0, "csv", NULL, CLI_FLAG, offsetof(struct jobs_opts, csv), "CSV (docs/jobs.md)" },
	{ 0, "jsonl", NULL, CLI_FLAG, offsetof(struct jobs_opts, jsonl),
	  "JSON lines, dependencies included" },
	REPLAY_OPTIONS(struct jobs_opts, replay),
};

struct jobs_run {
	const struct jobs_opts *o;
	struct replay_cmd cmd;
	const struct xtr_tables *tables;
	bool times; /* of the section */
	struct xtr_select select;
	struct xtr_model *verdict, *model;
	struct xtr_json json;
};

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct jobs_run *r = ctx;

	if (!xtr_select_job(&r->select, j))
		return 0;
	if (r->o->csv)
		xtr_jobs_csv(r->cmd.out, r->tables, r->times, j);
	else if (r->o->jsonl)
		xtr_jobs_json(&r->json, r->tables, r->times, j);
	else
		xtr_jobs_text(r->cmd.out, r->tables, r->times, j);
	return ferror(r->cmd.out) ? -EIO : 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int play(struct jobs_run *r, const struct xtr_section *s, struct xtr_model *m, bool order)
{
	size_t n;
	const uint32_t *types = xtr_model_types(m, order, &n);

	return replay_play(&r->cmd, s, types, n, on_event, m);
}

/* Two passes: whether a ring executes in order must be known before its first job is shown. */
static int section(struct jobs_run *r, const struct xtr_section *s)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	int err = xtr_model_new(&r->verdict, &mo) ?: play(r, s, r->verdict, true) ?:
		  xtr_model_finish(r->verdict);

	if (err)
		return err;
	mo.verdict = r->verdict;
	mo.job = on_job;
	mo.ctx = r;
	r->tables = mo.tables;
	r->times = xtr_meta_has_times(mo.meta);
	replay_select(&r->cmd, s, &r->select);
	return xtr_model_new(&r->model, &mo) ?: play(r, s, r->model, false) ?:
	       xtr_model_finish(r->model);
}

static int all_sections(struct jobs_run *r)
{
	int err = 0;

	replay_out(&r->cmd);
	xtr_json_init(&r->json, r->cmd.out, false);
	if (r->o->csv)
		xtr_jobs_csv_header(r->cmd.out);
	else if (!r->o->jsonl)
		xtr_jobs_text_header(r->cmd.out);
	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		err = section(r, xtr_reader_section(r->cmd.reader, i));
		xtr_model_free(r->model);
		xtr_model_free(r->verdict);
		r->model = r->verdict = NULL;
	}
	/* A write error is cli_finish's to report. */
	return ferror(r->cmd.out) ? 0 : err;
}

static int run(const void *opts, int argc, char **argv)
{
	struct jobs_run r = { .o = opts, .cmd.part = true };

	if (r.o->csv && r.o->jsonl)
		return cli_usage_error(&cmd_jobs, "--csv or --jsonl, not both");
	return replay_begin(&r.cmd, &cmd_jobs, &r.o->replay, argc, argv)
		       ?: replay_end(&r.cmd, all_sections(&r));
}

const struct cli_command cmd_jobs = {
	.name = "jobs",
	.summary = "one line for each job, with all its times and how well they are known",
	.args = "FILE",
	.examples = "xtr jobs --csv --ring 'gfx*' run.xtr >jobs.csv\tfor a spreadsheet",
	CLI_OPTIONS(options, struct jobs_opts),
	.run = run,
};
