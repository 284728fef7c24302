/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr jobs: one line for each job. */
#include "cli/ui/cli.h"
#include "cli/ui/text.h"
#include "paths.h"
#include "replay_cmd.h"
#include "seen.h"
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
	/* Of several files: */
	const struct xtr_jobs_from *from; /* &of, or NULL: there is one */
	struct xtr_jobs_from of;
	struct seen seen;
	struct filters filters; /* what they match, in any of them */
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
		xtr_jobs_csv(r->cmd.out, r->from, r->tables, r->times, j);
	else if (r->o->jsonl)
		xtr_jobs_json(&r->json, r->from, r->tables, r->times, j);
	else
		xtr_jobs_text(r->cmd.out, r->from, r->tables, r->times, j);
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

	r->cmd.again = !order;
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

static void begin(struct jobs_run *r)
{
	replay_out(&r->cmd);
	xtr_json_init(&r->json, r->cmd.out, false);
	if (r->o->csv)
		xtr_jobs_csv_header(r->cmd.out, r->from);
	else if (!r->o->jsonl)
		xtr_jobs_text_header(r->cmd.out, r->from);
}

static int all_sections(struct jobs_run *r)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);

		if (r->from) {
			err = seen_section(&r->seen, r->cmd.path, s);
			if (err > 0) {
				err = 0;
				continue;
			}
			r->of.host = xtr_meta_system(xtr_section_meta(s))->hostname;
		}
		err = err ?: section(r, s);
		xtr_model_free(r->model);
		xtr_model_free(r->verdict);
		r->model = r->verdict = NULL;
	}
	/* A write error is cli_finish's to report. */
	return ferror(r->cmd.out) ? 0 : err;
}

static int one(struct jobs_run *r, int argc, char **argv)
{
	int status = replay_begin(&r->cmd, &cmd_jobs, &r->o->replay, argc, argv);

	if (status != XTR_EXIT_OK)
		return status;
	begin(r);
	return replay_end(&r->cmd, all_sections(r));
}

/* --- several files ---------------------------------------------------------------------------- */

/* A file that cannot be read ends no other. Returns the exit status. */
static int file(struct jobs_run *r, char **path)
{
	FILE *out = r->cmd.out;
	int status;

	r->cmd = (struct replay_cmd){ .part = true, .filters = &r->filters, .out = out };
	r->of.file = *path;
	status = replay_begin(&r->cmd, &cmd_jobs, &r->o->replay, 1, path);
	return status == XTR_EXIT_OK ? replay_end(&r->cmd, all_sections(r)) : status;
}

static int all_files(struct jobs_run *r, const struct cli_paths *p)
{
	int status = filters_see_files(&r->filters, &cmd_jobs, &r->o->replay, p);

	if (status != XTR_EXIT_OK)
		return status;
	for (size_t i = 0; i < p->n; i++) {
		const unsigned int width = (unsigned int)cli_width(p->v[i]);

		r->of.file_width = width > r->of.file_width ? width : r->of.file_width;
	}
	begin(r);
	for (size_t i = 0; i < p->n; i++) {
		int one = file(r, &p->v[i]);

		if (one == XTR_EXIT_USAGE)
			return one;
		status = cli_worse(status, one);
	}
	return status;
}

static int several(struct jobs_run *r, int argc, char **argv)
{
	struct cli_paths paths = { 0 };
	int of_paths = cli_paths_expand(&paths, (size_t)argc, (const char *const *)argv), status;

	r->from = &r->of;
	status = all_files(r, &paths);
	filters_free(&r->filters);
	seen_free(&r->seen);
	cli_paths_free(&paths);
	return cli_worse(status, of_paths);
}

static int run(const void *opts, int argc, char **argv)
{
	struct jobs_run r = { .o = opts, .cmd.part = true };
	int many;

	if (r.o->csv && r.o->jsonl)
		return cli_usage_error(&cmd_jobs, "--csv or --jsonl, not both");
	many = cli_paths_several(argc, argv);
	if (many < 0)
		return XTR_EXIT_FAILURE;
	return many ? several(&r, argc, argv) : one(&r, argc, argv);
}

const struct cli_command cmd_jobs = {
	.name = "jobs",
	.summary = "one line for each job, with all its times and how well they are known",
	.args = "FILE|DIR...",
	.examples = "xtr jobs --csv --ring 'gfx*' run.xtr >jobs.csv\tfor a spreadsheet",
	CLI_OPTIONS(options, struct jobs_opts),
	.run = run,
};
