/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr why: what the time of a job went into, and whose it was. */
#include "cli/ui/cli.h"
#include "bundle_dumps.h"
#include "frames_why.h"
#include "hang_head_cmd.h"
#include "why_pass.h"
#include "analysis/blame/why_view.h"
#include "base/text.h"

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
	int32_t root_prio[XTR_PARTS_MAX];
	struct xtr_path path;
	uint32_t ring;  /* index; rings move while there are more */
	size_t section; /* from 1; 0: none was found */
};

struct why_run {
	const struct why_opts *o;
	struct replay_cmd cmd;
	struct xtr_job_name name; /* that is asked for */
	bool named;
	bool played;         /* for the hang */
	uint64_t at;         /* ns on the section's clock, or NO_TIME */
	const char *release; /* of the section's kernel */
	struct why_pass pass;
	struct found found;
	size_t section;
	struct xtr_json json;
	uint64_t told, undivided; /* jobs that match; those without begin or end */
};

static const struct xtr_model_ring *ring_by_id(const void *ctx, uint32_t id)
{
	return xtr_model_ring_by_id(((const struct why_run *)ctx)->pass.model, id);
}

static struct xtr_why why_of(const struct why_run *r, const struct found *f)
{
	return (struct xtr_why){ .job = &f->job,
				 .parts = &f->parts,
				 .path = r->o->path ? &f->path : NULL,
				 .names = &r->pass.names,
				 .release = r->release,
				 .root_prio = f->root_prio,
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
		uint64_t begin = xtr_job_first_ns(j);

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

/* -1: it is not known. */
static int32_t priority_of(const struct xtr_past *past, const struct xtr_job_name *name)
{
	const struct xtr_past_job *j = xtr_past_job(past, name->ctx, name->seqno);

	return j && j->prio_known ? j->prio : -1;
}

static void take(struct why_run *r, const struct xtr_job *j, const struct xtr_job_parts *parts)
{
	const struct xtr_job_name name = { j->ctx, j->seqno };

	r->found.job = *j;
	r->found.parts = *parts;
	for (uint32_t i = 0; i < parts->n; i++)
		r->found.root_prio[i] = priority_of(r->pass.past, &parts->part[i].root);
	if (r->o->path)
		xtr_path_to(r->pass.past, r->pass.submits, &name, &r->found.path);
	r->found.ring = j->ring->index;
	r->found.section = r->section;
}

static int on_job(void *ctx, const struct xtr_job *j, const struct xtr_job_parts *parts)
{
	struct why_run *r = ctx;

	if (!asked_for(r, j))
		return 0;
	r->undivided += !parts;
	if (!parts)
		return 0;
	r->told++;
	if (all_jobs(r)) {
		take(r, j, parts);
		line(r, &r->found);
	} else if (!r->found.section || took(parts) > took(&r->found.parts)) {
		take(r, j, parts);
	}
	return ferror(r->cmd.out) ? -EIO : 0;
}

static int tell(struct why_run *r)
{
	struct xtr_why why;

	r->found.job.ring = xtr_model_ring(r->pass.model, r->found.ring);
	if (all_jobs(r))
		return 0;
	why = why_of(r, &r->found);
	if (!r->o->jsonl)
		return xtr_why_text(&why, r->cmd.out);
	line(r, &r->found);
	return 0;
}

static int section(struct why_run *r, const struct xtr_section *s)
{
	int err;

	r->at = r->o->at == NO_TIME ? NO_TIME : xtr_play_time(s, r->o->at);
	r->cmd.again = r->played; /* then damage has been told */
	r->release = xtr_meta_system(xtr_section_meta(s))->release;
	err = why_pass(&r->pass, s);
	if (!err && r->found.section == r->section)
		err = tell(r);
	why_pass_free(&r->pass);
	return err;
}

/* Of a bundle, and of no job that is asked for: the hang, first. 0 or -errno. */
static int tell_hang(struct why_run *r)
{
	struct hang_told *t;
	int err;

	if (r->named || r->o->at != NO_TIME || r->o->jsonl || !bundle_dumps())
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = hang_told_find(t, &r->cmd, bundle_dumps());
	r->played = true;
	if (!err && t->head.n)
		hang_told_text(t, r->cmd.out);
	free(t);
	return err;
}

static int all_sections(struct why_run *r)
{
	int err = tell_hang(r);

	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);

		r->section = i + 1;
		r->found.section = 0;
		if (!xtr_meta_has_times(xtr_section_meta(s)))
			continue;
		err = section(r, s);
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
	r->pass = (struct why_pass){
		.cmd = &r->cmd, .threads_too = r->o->path, .job = on_job, .ctx = r
	};
	r->named = argc > 1;
	if (argc > 2)
		status = cli_usage_error(&cmd_why, "one FILE and one JOB");
	else if (r->named && r->o->at != NO_TIME)
		status = cli_usage_error(&cmd_why, "JOB or --at, not both");
	else if (r->named && !why_parse_job(argv[1], &r->name))
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
