/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr report: a trace as one HTML page. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "bundle_dumps.h"
#include "export_frames.h"
#include "export_path.h"
#include "hang_head_cmd.h"
#include "stats_run.h"
#include "base/buf.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

#define JOBS_MAX 1000000u

struct report_opts {
	const char *output;
	struct replay_opts replay;
	uint64_t jobs;
	bool force;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct report_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct report_opts, force),
	  "replace an existing file" },
	{ 0, "jobs", "N", CLI_U64, offsetof(struct report_opts, jobs),
	  "show at most so many jobs one by one (40000); the page stays below 3 MB" },
	REPLAY_OPTIONS(struct report_opts, replay),
};

static void defaults(void *opts)
{
	((struct report_opts *)opts)->jobs = XTR_REPORT_JOBS;
}

struct report_run {
	const struct report_opts *o;
	struct replay_cmd cmd;
	struct outfile out;
	struct xtr_buf stats; /* what `xtr stats --json` prints */
	struct xtr_report report;
	struct export_path path;
	struct export_frames frames;
	struct hang_told hang;
};

/* Histograms' buckets are left out where the document would fill the page. */
#define STATS_BYTES (XTR_REPORT_BYTES / 5 * 2)

static void put_section(struct report_run *r, struct xtr_json *j, struct xtr_view *v, size_t most)
{
	struct xtr_json before;
	size_t n;

	xtr_line_flush(&j->line);
	fflush(v->f);
	before = *j;
	n = r->stats.n;
	xtr_view_json(v, j);
	xtr_line_flush(&j->line);
	fflush(v->f);
	if (r->stats.n - n <= most)
		return;
	r->stats.n = n;
	*j = before;
	v->no_buckets = true;
	xtr_view_json(v, j);
}

static int stats_document(struct report_run *r, FILE *f)
{
	struct stats_run s = { .cmd = &r->cmd, .parts = xtr_view_usual(), .top = STATS_TOP };
	size_t i, n = xtr_reader_n_sections(r->cmd.reader);
	struct xtr_json j;
	struct xtr_view v;
	int err = 0;

	if (n > XTR_REPORT_SECTIONS)
		n = XTR_REPORT_SECTIONS;
	xtr_json_init(&j, f, false);
	stats_json_begin(&s, &j);
	for (i = 0; i < n && !err; i++) {
		err = stats_gather(&s, xtr_reader_section(r->cmd.reader, i), &v);
		v.f = f;
		if (!err)
			put_section(r, &j, &v, STATS_BYTES / n);
		if (!err)
			hang_told_by(&r->hang, &s, bundle_dumps(), i + 1 == n);
		stats_drop(&s);
	}
	if (err)
		return err;
	xtr_json_end_array(&j);
	if (bundle_dumps())
		hang_told_json(&r->hang, &j);
	xtr_json_document_end(&j);
	return xtr_memory_flush(f, &r->stats);
}

static int gather_stats(struct report_run *r)
{
	FILE *f = xtr_memory_stream(&r->stats);
	int err;

	if (!f)
		return -ENOMEM;
	err = stats_document(r, f);
	fclose(f);
	return err;
}

static void on_progress(void *ctx, unsigned int permille)
{
	cli_progress(((struct report_run *)ctx)->cmd.path, permille, 1000);
}

/* Damaged chunks were told of when the statistics were made. */
static int gather_timeline(struct report_run *r)
{
	size_t taken = xtr_report_page_bytes() + xtr_report_document_bytes(&r->stats);
	struct xtr_export e = {
		.sz = sizeof(e),
		.exporter = &xtr_exporter_report,
		.opts = { .sz = sizeof(e.opts),
			  .report = &r->report,
			  .paths = export_path,
			  .paths_ctx = &r->path,
			  .frames = export_frames,
			  .frames_ctx = &r->frames },
		.reader = r->cmd.reader,
		.progress = on_progress,
		.ctx = r,
	};
	int err;

	r->report.most = taken < XTR_REPORT_BYTES ? XTR_REPORT_BYTES - taken : 0;
	r->report.most_jobs = (uint32_t)r->o->jobs;
	r->path.cmd = r->frames.cmd = &r->cmd;
	r->path.most = XTR_REPORT_PATHS;
	r->path.most_sections = XTR_REPORT_SECTIONS;
	replay_select_given(&r->cmd, &e.select);
	err = xtr_export(&e);
	cli_progress_done();
	return err;
}

static int make(struct report_run *r)
{
	int err = gather_stats(r) ?: gather_timeline(r);

	if (err)
		return err;
	xtr_report_page(r->out.f, &r->stats, &r->report.data);
	fflush(r->out.f);
	return 0;
}

/* The path is told on a terminal only; what went wrong always. */
static int report(struct report_run *r)
{
	int status, err = make(r);
	bool of_output = outfile_broken(&r->out);

	if (err || of_output) {
		outfile_abandon(&r->out);
		status = replay_end(&r->cmd, of_output ? 0 : err);
		return of_output ? XTR_EXIT_FAILURE : status;
	}
	status = outfile_commit_told(&r->out);
	err = replay_end(&r->cmd, 0);
	return status == XTR_EXIT_OK ? err : status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct report_run r = { .o = opts, .cmd.part = true };
	int status;

	if (!r.o->jobs || r.o->jobs > JOBS_MAX)
		return cli_usage_error(&cmd_report, "--jobs: 1 to %u", JOBS_MAX);
	status = replay_begin(&r.cmd, &cmd_report, &r.o->replay, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = outfile_open_for(&r.out, r.o->output, r.cmd.path, ".html", r.o->force);
	if (status == XTR_EXIT_OK)
		status = report(&r);
	else
		replay_end(&r.cmd, 0);
	outfile_free(&r.out);
	xtr_buf_free(&r.stats);
	xtr_buf_free(&r.report.data);
	export_path_free(&r.path);
	export_frames_free(&r.frames);
	return status;
}

const struct cli_command cmd_report = {
	.name = "report",
	.summary = "a trace as one HTML page: timeline, waits, statistics, findings",
	.args = "FILE",
	.examples = "xtr report run.xtr\tmakes run.html",
	CLI_OPTIONS(options, struct report_opts),
	.defaults = defaults,
	.run = run,
};
