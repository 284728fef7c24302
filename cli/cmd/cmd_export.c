/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr export: into the formats of converters/. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "export_frames.h"
#include "export_more.h"
#include "export_path.h"
#include "paths.h"
#include "replay_cmd.h"
#include "converters/out/core/export.h"
#include "replay/views/relation.h"

#include <errno.h>
#include <string.h>

struct export_opts {
	const char *format, *output, *table, *path;
	struct replay_opts replay;
	uint64_t top;
	bool force, jobs_only, raw, ftrace, track_events, compress, frames;
};

#define FLAG(name, member, help)                                                    \
	{                                                                           \
		0, name, NULL, CLI_FLAG, offsetof(struct export_opts, member), help \
	}

static const struct cli_option options[] = {
	{ 'f', "format", "FORMAT", CLI_STRING, offsetof(struct export_opts, format),
	  "perfetto, chrome, sqlite, csv, jsonl, parquet or arrow; else by the name of -o" },
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct export_opts, output),
	  "write here, \"-\" for standard output; else named after the trace; parquet: directory" },
	FLAG("force", force, "replace an existing file"),
	REPLAY_OPTIONS(struct export_opts, replay),
	{ 0, "top", "N", CLI_U64, offsetof(struct export_opts, top),
	  "only the N longest jobs, with their submissions and waits" },
	{ 0, "path", "JOB", CLI_STRING, offsetof(struct export_opts, path),
	  "perfetto, chrome: the critical path to this job, CONTEXT:SEQNO or longest" },
	FLAG("frames", frames, "perfetto, chrome: what screens showed, and why it was late"),
	FLAG("jobs-only", jobs_only, "jobs, and nothing else"),
	FLAG("raw", raw, "every event too; perfetto: as generic ftrace, parquet: table events"),
	FLAG("ftrace", ftrace, "perfetto: scheduler events as typed ftrace, as other tools do"),
	FLAG("track-events", track_events, "perfetto: jobs as track events, for old importers"),
	FLAG("compress", compress, "perfetto: packets compressed with zlib"),
	{ 't', "table", "TABLE", CLI_STRING, offsetof(struct export_opts, table),
	  "csv, jsonl, arrow: jobs (default), deps, calls, events, ... (docs/tables.md)" },
};

struct export_run {
	const struct export_opts *o;
	struct replay_cmd cmd;
	const struct xtr_exporter *x;
	struct outfile out;
	struct xtr_export e;
	struct export_path path;     /* with --path */
	struct export_frames frames; /* with --frames */
};

/* The format whose files end as `path` does. */
static const struct xtr_exporter *by_suffix(const char *path)
{
	const struct xtr_exporter *const *x;
	size_t n = strlen(path), m;

	for (x = xtr_exporters; *x; x++) {
		m = strlen((*x)->suffix);
		if (n > m && !strcmp(path + n - m, (*x)->suffix))
			return *x;
	}
	return NULL;
}

#define FORMATS_MAX 3u /* of an option */

static bool is_one_of(const char *name, const char *const *formats)
{
	for (size_t i = 0; i < FORMATS_MAX && formats[i]; i++)
		if (!strcmp(name, formats[i]))
			return true;
	return false;
}

static int not_for(const char *option, const char *const *formats)
{
	char list[64];
	size_t n = 0, at = 0;

	while (n < FORMATS_MAX && formats[n])
		n++;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s",
				       !i          ? ""
				       : i + 1 < n ? ", "
						   : " and ",
				       formats[i]);
	return cli_usage_error(&cmd_export, "%s is for -f %s", option, list);
}

/* Options that mean something to some formats only. */
static int check_options(const struct export_run *r)
{
	const struct export_opts *o = r->o;
	const struct {
		bool given;
		const char *option, *formats[FORMATS_MAX];
	} special[] = {
		{ o->raw, "--raw", { "perfetto", "parquet" } },
		{ o->ftrace, "--ftrace", { "perfetto" } },
		{ o->track_events, "--track-events", { "perfetto" } },
		{ o->compress, "--compress", { "perfetto" } },
		{ o->path, "--path", { "perfetto", "chrome" } },
		{ o->frames, "--frames", { "perfetto", "chrome" } },
		{ o->table, "--table", { "csv", "jsonl", "arrow" } },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].given && !is_one_of(r->x->name, special[i].formats))
			return not_for(special[i].option, special[i].formats);
	if (o->top && (o->raw || o->ftrace))
		return cli_usage_error(&cmd_export, "--top leaves out what %s asks for",
				       o->raw ? "--raw" : "--ftrace");
	if (o->top && o->table && strcmp(o->table, "jobs") && strcmp(o->table, "deps"))
		return cli_usage_error(&cmd_export,
				       "--top selects jobs: it cannot be combined with table '%s'",
				       o->table);
	return XTR_EXIT_OK;
}

static int choose_format(struct export_run *r)
{
	const struct export_opts *o = r->o;

	if (o->format) {
		r->x = xtr_exporter_by_name(o->format);
		if (!r->x)
			return cli_usage_error(&cmd_export, "no format '%s'", o->format);
		return XTR_EXIT_OK;
	}
	if (!o->output || !strcmp(o->output, "-"))
		return cli_usage_error(&cmd_export, "which format? -f perfetto, for example");
	r->x = by_suffix(o->output);
	if (!r->x)
		return cli_usage_error(&cmd_export,
				       "'%s' has no suffix that names a format: use -f", o->output);
	return XTR_EXIT_OK;
}

static int open_output(struct export_run *r)
{
	const char *table = r->o->table;
	char suffix[64];

	if (r->x->by_folder)
		return XTR_EXIT_OK;
	snprintf(suffix, sizeof(suffix), "%s%s%s", table ? "." : "", table ? table : "",
		 r->x->suffix);
	return outfile_open_for(&r->out, r->o->output, r->cmd.path, suffix, r->o->force);
}

static void on_damage(void *ctx, const struct xtr_err *err)
{
	replay_damage(&((struct export_run *)ctx)->cmd, err);
}

static void on_progress(void *ctx, unsigned int permille)
{
	cli_progress(((struct export_run *)ctx)->cmd.path, permille, 1000);
}

/* Tables of the sections: all of them, or one that was asked for. */
static bool wants_more(const struct export_run *r)
{
	return !r->o->top && (!r->o->table || export_more_has(r->o->table));
}

static void fill(struct export_run *r)
{
	const struct export_opts *o = r->o;

	r->e = (struct xtr_export){
		.sz = sizeof(r->e),
		.exporter = r->x,
		.opts = { .sz = sizeof(r->e.opts),
			  .out = r->x->by_path ? NULL : r->out.f,
			  .path = r->x->by_folder ? o->output : r->out.temporary,
			  .jobs_only = o->jobs_only,
			  .raw = o->raw,
			  .ftrace = o->ftrace,
			  .track_events = o->track_events,
			  .compress = o->compress,
			  .table = o->table,
			  .more = wants_more(r) ? export_more : NULL,
			  .more_ctx = &r->cmd,
			  .paths = o->path ? export_path : NULL,
			  .paths_ctx = &r->path,
			  .frames = o->frames ? export_frames : NULL,
			  .frames_ctx = &r->frames },
		.reader = r->cmd.reader,
		.top = (uint32_t)o->top,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = r,
	};
	replay_select_given(&r->cmd, &r->e.select);
	r->path.cmd = r->frames.cmd = &r->cmd;
	r->path.most = 1;
}

/* --path: false if it is no job's name. */
static bool parse_path(struct export_run *r)
{
	r->path.named = r->o->path && strcmp(r->o->path, "longest") != 0;
	return !r->path.named || why_parse_job(r->o->path, &r->path.name);
}

/* The job that a path was asked for is none of the trace, or is not whole. */
static bool no_such_job(const struct export_run *r)
{
	if (!r->o->path || r->path.found)
		return false;
	cli_error("'%s': no job%s%s with a begin and an end", r->cmd.path, r->path.named ? " " : "",
		  r->path.named ? r->o->path : "");
	cli_hint("'xtr jobs' lists them");
	return true;
}

/* A line says that the output could not be written; of other errors the trace is told. */
static bool failed_to_write(const struct export_run *r, int ret)
{
	if (!r->x->by_path)
		return outfile_broken(&r->out);
	if (!r->e.broken || ret == -ENOMEM)
		return false;
	cli_error("cannot write '%s': %s", r->x->by_folder ? r->o->output : r->out.path,
		  cli_strerror(ret));
	return true;
}

/* What is wrong has been said, or will be. */
static void give_up(struct export_run *r)
{
	outfile_abandon(&r->out);
	replay_end(&r->cmd, 0);
}

/* A path is told on a terminal only; what went wrong always. */
static int export(struct export_run *r)
{
	int err, status;

	fill(r);
	err = xtr_export(&r->e);
	cli_progress_done();
	if (err == -ENODATA && r->e.why) {
		cli_error("'%s': %s", r->cmd.path, r->e.why);
		cli_hint("csv, jsonl and sqlite hold its events in order");
		give_up(r);
		return XTR_EXIT_FAILURE;
	}
	if (err && r->e.why) {
		give_up(r);
		return cli_usage_error(&cmd_export, "%s", r->e.why);
	}
	if (err) {
		/* The output's own errors are told with its name. */
		bool of_output = failed_to_write(r, err);

		outfile_abandon(&r->out);
		status = replay_end(&r->cmd, of_output ? 0 : err);
		return of_output ? XTR_EXIT_FAILURE : status;
	}
	if (no_such_job(r)) {
		give_up(r);
		return XTR_EXIT_FAILURE;
	}
	status = r->x->by_folder ? XTR_EXIT_OK : outfile_commit_told(&r->out);
	err = replay_end(&r->cmd, 0);
	return status == XTR_EXIT_OK ? err : status;
}

static int export_one(struct export_run *r, int argc, char **argv)
{
	int status;

	r->cmd = (struct replay_cmd){ 0 };
	status = replay_begin(&r->cmd, &cmd_export, &r->o->replay, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = open_output(r);
	if (status == XTR_EXIT_OK)
		status = export(r);
	else
		replay_end(&r->cmd, 0);
	outfile_free(&r->out);
	export_path_free(&r->path);
	export_frames_free(&r->frames);
	return status;
}

/* A file that cannot be read ends no other. */
static int export_files(struct export_run *r, int argc, char **argv)
{
	struct cli_paths paths = { 0 };
	int status = cli_paths_expand(&paths, (size_t)argc, (const char *const *)argv);

	for (size_t i = 0; i < paths.n; i++) {
		int one = export_one(r, 1, &paths.v[i]);

		status = cli_worse(status, one);
	}
	cli_paths_free(&paths);
	return status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct export_run r = { .o = opts };
	int status = choose_format(&r);

	if (status == XTR_EXIT_OK && r.x)
		status = check_options(&r);
	if (status != XTR_EXIT_OK)
		return status;
	if (!parse_path(&r))
		return cli_usage_error(
			&cmd_export,
			"invalid job '%s': CONTEXT:SEQNO, as in 'xtr jobs', or longest", r.o->path);
	if (r.o->top > XTR_EXPORT_TOP_MAX)
		return cli_usage_error(&cmd_export, "--top: at most %u", XTR_EXPORT_TOP_MAX);
	if (!r.x || !r.x->by_folder)
		return export_one(&r, argc, argv);
	if (!r.o->output || !strcmp(r.o->output, "-"))
		return cli_usage_error(&cmd_export, "-f %s writes a directory: use -o DIR",
				       r.x->name);
	if (!argc)
		return export_one(&r, argc, argv);
	return export_files(&r, argc, argv);
}

static const char *words(const char *option, size_t i)
{
	if (!strcmp(option, "format"))
		return xtr_exporters[i] ? xtr_exporters[i]->name : NULL;
	if (!strcmp(option, "table"))
		return i < XTR_REL_COUNT ? xtr_relations[i].name : NULL;
	return NULL;
}

const struct cli_command cmd_export = {
	.name = "export",
	.summary = "write a trace in the format of other tools: Perfetto, Chrome, SQLite, CSV",
	.args = "FILE",
	.examples = "xtr export -f perfetto run.xtr\tmakes run.pftrace, to open at ui.perfetto.dev",
	CLI_OPTIONS(options, struct export_opts),
	.words = words,
	.run = run,
};
