/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr why: what the time of a job went into, and whose it was. */
#include "cli/ui/cli.h"
#include "frames_why.h"
#include "replay_cmd.h"
#include "analysis/blame/run_threads.h"
#include "analysis/blame/split.h"
#include "analysis/blame/why_view.h"
#include "base/text.h"
#include "replay/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct why_opts {
	struct replay_opts replay;
	bool jsonl, path;
	uint64_t at;
};

#define NO_TIME UINT64_MAX

static const struct cli_option options[] = {
	{ 0, "at", "TIME", CLI_TIME, offsetof(struct why_opts, at),
	  "the job that was in flight then, of several the one that took longest" },
	{ 0, "path", NULL, CLI_FLAG, offsetof(struct why_opts, path),
	  "the critical path to its end, back beyond its submission" },
	{ 0, "jsonl", NULL, CLI_FLAG, offsetof(struct why_opts, jsonl),
	  "JSON lines; without JOB and --at a line for each job" },
	REPLAY_OPTIONS(struct why_opts, replay),
};

static void defaults(void *opts)
{
	((struct why_opts *)opts)->at = NO_TIME;
}

/* The job that is told of, of those seen so far. */
struct found {
	struct xtr_job job;
	struct xtr_job_parts parts;
	struct xtr_path path;
	uint32_t ring;  /* index; rings move while there are more */
	size_t section; /* from 1; 0: none was found */
};

struct why_run {
	const struct why_opts *o;
	struct replay_cmd cmd;
	struct xtr_job_name name; /* that is asked for */
	bool named;
	struct xtr_select select;
	uint64_t at; /* ns on the section's clock, or NO_TIME */
	struct xtr_model *verdict, *model;
	struct xtr_past *past;
	struct xtr_who names;
	struct xtr_run_threads *threads; /* NULL: not known */
	struct xtr_submits *submits;     /* with --path */
	struct xtr_job_parts parts;
	struct found found;
	size_t section;
	struct xtr_json json;
	uint64_t told, undivided; /* jobs that match; those without begin or end */
};

static const struct xtr_model_ring *ring_by_id(const void *ctx, uint32_t id)
{
	return xtr_model_ring_by_id(((const struct why_run *)ctx)->model, id);
}

static struct xtr_why why_of(const struct why_run *r, const struct found *f)
{
	return (struct xtr_why){ .job = &f->job,
				 .parts = &f->parts,
				 .path = r->o->path ? &f->path : NULL,
				 .names = &r->names,
				 .ring = ring_by_id,
				 .ctx = r };
}

static void line(struct why_run *r, const struct found *f)
{
	const struct xtr_why why = why_of(r, f);

	xtr_json_begin_object(&r->json);
	xtr_why_json(&why, &r->json);
	xtr_json_document_end(&r->json);
}

static bool asked_for(const struct why_run *r, const struct xtr_job *j)
{
	if (r->named)
		return j->ctx == r->name.ctx && j->seqno == r->name.seqno;
	if (r->at != NO_TIME) {
		uint64_t begin = j->submit_ns ?: j->queue_ns ?: j->run_ns;

		return begin <= r->at && (!j->done_ns || r->at <= j->done_ns);
	}
	return true;
}

/* A line for each, not one that is looked for. */
static bool all_jobs(const struct why_run *r)
{
	return r->o->jsonl && !r->named && r->o->at == NO_TIME;
}

static uint64_t took(const struct xtr_job_parts *p)
{
	return p->n ? p->part[p->n - 1].to_ns - p->part[0].from_ns : 0;
}

static void take(struct why_run *r, const struct xtr_job *j)
{
	const struct xtr_job_name name = { j->ctx, j->seqno };

	r->found.job = *j;
	r->found.parts = r->parts;
	if (r->o->path)
		xtr_path_to(r->past, r->submits, &name, &r->found.path);
	r->found.ring = j->ring->index;
	r->found.section = r->section;
}

static void consider(struct why_run *r, const struct xtr_job *j)
{
	if (r->found.section && took(&r->parts) <= took(&r->found.parts))
		return;
	take(r, j);
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct why_run *r = ctx;
	bool divided = xtr_split_job(r->past, j, xtr_run_threads_of(r->threads, j), &r->parts);
	bool wanted = xtr_select_job(&r->select, j) && asked_for(r, j);
	int err =
		xtr_who_note(&r->names, j) ?: xtr_past_add(r->past, j, divided ? &r->parts : NULL);

	if (err || !wanted)
		return err;
	r->undivided += !divided;
	if (!divided)
		return 0;
	r->told++;
	if (all_jobs(r)) {
		take(r, j);
		line(r, &r->found);
	} else {
		consider(r, j);
	}
	return ferror(r->cmd.out) ? -EIO : 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct why_run *r = ctx;
	int err = ev->gap && r->model ? xtr_past_lost(r->past, ev->gap->first, ev->gap->last) : 0;

	if (!err && r->model)
		err = xtr_run_threads_event(r->threads, ev);
	if (!err && r->model && r->submits)
		err = xtr_submits_event(r->submits, ev);
	return err ?: xtr_model_event(r->model ? r->model : r->verdict, ev);
}

static int play(struct why_run *r, const struct xtr_section *s, struct xtr_model *m, bool order)
{
	size_t n;
	const uint32_t *types = xtr_model_types(m, order, &n);

	r->cmd.again = !order;
	if (!order && (r->threads || r->submits))
		types = NULL;
	return replay_play(&r->cmd, s, types, n, on_event, r) ?: xtr_model_finish(m);
}

static int tell(struct why_run *r)
{
	struct xtr_why why;

	r->found.job.ring = xtr_model_ring(r->model, r->found.ring);
	if (all_jobs(r))
		return 0;
	why = why_of(r, &r->found);
	if (!r->o->jsonl)
		return xtr_why_text(&why, r->cmd.out);
	line(r, &r->found);
	return 0;
}

static void free_section(struct why_run *r)
{
	xtr_model_free(r->model);
	xtr_model_free(r->verdict);
	xtr_past_free(r->past);
	xtr_run_threads_free(r->threads);
	xtr_submits_free(r->submits);
	xtr_who_free(&r->names);
	r->model = r->verdict = NULL;
	r->past = NULL;
	r->threads = NULL;
	r->submits = NULL;
	r->names = (struct xtr_who){ 0 };
}

/* Two passes: whether a ring executes in order must be known before its first job is divided. */
static int section(struct why_run *r, const struct xtr_section *s)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	int err;

	r->at = r->o->at == NO_TIME ? NO_TIME : xtr_play_time(s, r->o->at);
	r->names.tables = mo.tables;
	r->past = xtr_past_new();
	err = r->past ? xtr_run_threads_new(&r->threads, mo.meta, &r->names) : -ENOMEM;
	if (!err && r->o->path)
		err = xtr_submits_new(&r->submits, mo.meta);
	err = err ?: xtr_model_new(&r->verdict, &mo) ?: play(r, s, r->verdict, true);
	if (err)
		return err;
	mo.verdict = r->verdict;
	mo.job = on_job;
	mo.ctx = r;
	replay_select(&r->cmd, s, &r->select);
	err = xtr_model_new(&r->model, &mo) ?: play(r, s, r->model, false);
	return !err && r->found.section == r->section ? tell(r) : err;
}

static int all_sections(struct why_run *r)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);

		r->section = i + 1;
		r->found.section = 0;
		if (!xtr_meta_has_times(xtr_section_meta(s)))
			continue;
		err = section(r, s);
		free_section(r);
	}
	return ferror(r->cmd.out) ? 0 : err;
}

/* There is nothing to tell: why. Returns the exit status. */
static int nothing(const struct why_run *r, int status)
{
	const char *path = xtr_text_input(r->cmd.path);

	if (status == XTR_EXIT_FAILURE || all_jobs(r))
		return status; /* it was told; or no lines are what is asked for */
	if (!r->named && r->o->at == NO_TIME) {
		fputs("no job has a begin and an end in this trace\n", r->cmd.out);
		return status;
	}
	if (r->undivided)
		cli_error("'%s': the job has no begin or no end in the trace", path);
	else if (r->named)
		cli_error("'%s': no job %" PRIu64 ":%" PRIu64, path, r->name.ctx, r->name.seqno);
	else
		cli_error("'%s': no job was in flight at that time", path);
	cli_hint("'xtr jobs' lists them");
	return XTR_EXIT_FAILURE;
}

/* "372:48": as jobs, stats and the page of report name it. */
static bool parse_job(const char *text, struct xtr_job_name *name)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	name->ctx = strtoull(text, &end, 10);
	if (errno || *end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	name->seqno = strtoull(end + 1, &end, 10);
	return !errno && !*end;
}

static int run(const void *opts, int argc, char **argv)
{
	static const char frame[] = "frame:";
	const struct why_opts *o = opts;
	struct why_run *r;
	int status;

	if (argc == 2 && !strncmp(argv[1], frame, sizeof(frame) - 1))
		return frames_why(argv[0], argv[1] + sizeof(frame) - 1, o->jsonl);
	r = calloc(1, sizeof(*r));
	if (!r)
		return cli_failed(argc ? argv[0] : "why", -ENOMEM);
	r->o = o;
	r->named = argc > 1;
	if (argc > 2)
		status = cli_usage_error(&cmd_why, "one FILE and one JOB");
	else if (r->named && r->o->at != NO_TIME)
		status = cli_usage_error(&cmd_why, "JOB or --at, not both");
	else if (r->named && !parse_job(argv[1], &r->name))
		status = cli_usage_error(
			&cmd_why, "invalid job '%s': CONTEXT:SEQNO, as in 'xtr jobs'", argv[1]);
	else
		status = replay_begin(&r->cmd, &cmd_why, &r->o->replay, argc ? 1 : 0, argv);
	if (status == XTR_EXIT_OK) {
		replay_out(&r->cmd);
		xtr_json_init(&r->json, r->cmd.out, false);
		status = replay_end(&r->cmd, all_sections(r));
		if (!r->told && status != XTR_EXIT_USAGE)
			status = nothing(r, status);
	}
	free(r);
	return status;
}

const struct cli_command cmd_why = {
	.name = "why",
	.summary = "what the time of a job went into, and who had it wait",
	.args = "FILE [CONTEXT:SEQNO | frame:NUMBER]",
	.examples = "xtr why run.xtr\tthe job that took longest from submission to end\n"
		    "xtr why run.xtr 372:48\tthis job\n"
		    "xtr why run.xtr frame:118\tthis frame, as xtr frames numbers them\n"
		    "xtr why --path run.xtr 372:48\twhat its end could not have come earlier for\n"
		    "xtr why --at 1.25s -r 'gfx*' run.xtr\tthe one that was in flight then",
	CLI_OPTIONS(options, struct why_opts),
	.defaults = defaults,
	.run = run,
};
