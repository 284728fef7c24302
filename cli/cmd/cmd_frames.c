/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr frames: what reached the screen, whether it was in time, and why not. */
#include "cli/ui/cli.h"
#include "frame_spans.h"
#include "frames_why.h"
#include "replay_cmd.h"
#include "analysis/core/ring_text.h"
#include "analysis/core/view.h"
#include "analysis/frames/frame_sums.h"
#include "analysis/frames/frame_view.h"
#include "analysis/frames/frames.h"
#include "base/text.h"
#include "cli/ui/units.h"
#include "replay/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct frames_cmd_opts {
	struct window_opts window;
	const char *frame;
	uint64_t deadline, pause;
	bool late, jsonl, path, summary;
};

#define NO_PAUSE UINT64_MAX

static const struct cli_option options[] = {
	{ 0, "frame", "WHAT", CLI_STRING, offsetof(struct frames_cmd_opts, frame),
	  "mark=NAME, or ring=NAME,process=PID|NAME[,gap=TIME], in place of what screens show" },
	{ 0, "deadline", "TIME", CLI_TIME, offsetof(struct frames_cmd_opts, deadline),
	  "a frame is due so long after the one before, where there are no vblanks" },
	{ 0, "pause", "TIME", CLI_TIME, offsetof(struct frames_cmd_opts, pause),
	  "one that was begun later than that has no deadline (200ms for screens)" },
	{ 0, "late", NULL, CLI_FLAG, offsetof(struct frames_cmd_opts, late),
	  "only frames that were late" },
	{ 0, "summary", NULL, CLI_FLAG, offsetof(struct frames_cmd_opts, summary),
	  "only the sums" },
	{ 0, "jsonl", NULL, CLI_FLAG, offsetof(struct frames_cmd_opts, jsonl), "JSON lines" },
	{ 0, "path", NULL, CLI_FLAG, offsetof(struct frames_cmd_opts, path),
	  "with --jsonl: the critical path of each" },
	WINDOW_OPTIONS(struct frames_cmd_opts, window),
};

static void defaults(void *opts)
{
	((struct frames_cmd_opts *)opts)->pause = NO_PAUSE;
}

struct frames_run {
	const struct frames_cmd_opts *o;
	struct replay_cmd cmd;
	struct replay_opts none; /* nothing is filtered: frames have their numbers */
	char *words;             /* of --frame, cut up */
	struct spans_opts from;
	bool by_spans;
	struct pattern_process process;
	uint64_t number;     /* of the one that is asked for; 0: all */
	uint64_t begin, end; /* of what is shown: ns on the section's clock */
	uint64_t base;       /* frames of the sections before */
	uint64_t owner;      /* whose frames screens show, by --frame process= */
	const struct xtr_tables *tables;
	struct spans *spans; /* NULL: screens */
	struct xtr_frames *frames;
	struct xtr_frame_sums sums;
	struct xtr_analysis_opts table_opts;
	struct xtr_model *verdict, *model;
	struct xtr_json json;
	uint64_t told, seen;
};

static const struct xtr_model_ring *ring_by_id(const void *ctx, uint32_t id)
{
	const struct frames_run *r = ctx;

	return xtr_model_ring_by_id(r->model, id);
}

static const char *ring_text(const void *ctx, uint32_t id, char *buf, size_t cap)
{
	const struct xtr_model_ring *ring = ring_by_id(ctx, id);

	return ring ? xtr_ring_text(ring, "-", buf, cap) : NULL;
}

/* --- what comes out --------------------------------------------------------------------------- */

static bool shows(const struct frames_run *r, const struct xtr_shown *f)
{
	if (r->number)
		return f->number == r->number;
	if (f->shown_ns < r->begin || f->shown_ns > r->end)
		return false;
	return !r->o->late || xtr_frame_late(f) || f->verdict == XTR_FRAME_UNKNOWN;
}

static int put(struct frames_run *r, const struct xtr_shown *f, const struct xtr_path *path)
{
	const struct xtr_frame_view v = { .names = xtr_frames_names(r->frames),
					  .ring = ring_by_id,
					  .ctx = r };
	int err = 0;

	if (r->o->jsonl) {
		xtr_json_begin_object(&r->json);
		xtr_frame_json(&v, f, r->o->path || r->number ? path : NULL, &r->json);
		xtr_json_document_end(&r->json);
	} else if (r->number) {
		err = xtr_frame_text(&v, f, path, r->cmd.out);
	} else if (!r->o->summary) {
		if (!r->told)
			xtr_frame_header(r->cmd.out);
		xtr_frame_line(&v, f, r->cmd.out);
	}
	r->told++;
	return err ?: ferror(r->cmd.out) ? -EIO : 0;
}

static int on_frame(void *ctx, const struct xtr_shown *one, const struct xtr_path *path)
{
	struct frames_run *r = ctx;
	struct xtr_shown f = *one;
	bool inside = f.shown_ns >= r->begin && f.shown_ns <= r->end;
	int err;

	f.number += r->base;
	r->seen++;
	err = inside && !r->number ? xtr_frame_sums_add(&r->sums, &f) : 0;
	return err || !shows(r, &f) ? err : put(r, &f, path);
}

static int tell_sums(struct frames_run *r)
{
	if (r->o->jsonl || r->number || !r->sums.n)
		return 0;
	xtr_frame_sums_sort(&r->sums);
	if (r->told && !r->o->summary)
		fputc('\n', r->cmd.out);
	if (r->spans && spans_period(r->spans)) {
		char period[XTR_TEXT_NUMBER], gap[XTR_TEXT_NUMBER];

		fprintf(r->cmd.out, "  period: %s%s%s%s\n",
			xtr_text_ns(period, spans_period(r->spans)),
			spans_gap(r->spans) ? "; between bursts at least " : "",
			spans_gap(r->spans) ? xtr_text_ns(gap, spans_gap(r->spans)) : "",
			r->o->deadline ? "" : "; the deadline is that");
	}
	return xtr_frame_sums_text(&r->sums, r->cmd.out);
}

/* --- passes ----------------------------------------------------------------------------------- */

static int first_job(void *ctx, const struct xtr_job *j)
{
	struct frames_run *r = ctx;

	return r->spans ? spans_job(r->spans, j) : 0;
}

static int first_event(void *ctx, const struct xtr_event *ev)
{
	struct frames_run *r = ctx;
	int err = r->spans ? spans_event(r->spans, ev) : 0;

	return err ?: xtr_model_event(r->verdict, ev);
}

static uint64_t owner(void *ctx)
{
	return ((const struct frames_run *)ctx)->owner;
}

static bool mine(void *ctx, const struct xtr_job *j)
{
	return spans_mine(((const struct frames_run *)ctx)->spans, j);
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct frames_run *r = ctx;

	if (r->process.name && pattern_process_is(&r->process, r->tables, j))
		r->owner = xtr_who_of(j);
	return xtr_frames_job(r->frames, j);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct frames_run *r = ctx;

	return xtr_frames_event(r->frames, ev) ?: xtr_model_event(r->model, ev);
}

static int first_pass(struct frames_run *r, const struct xtr_section *s,
		      const struct xtr_model_opts *mo)
{
	struct xtr_model_opts first = *mo;
	const uint32_t *types;
	size_t n;
	int err = 0;

	first.job = first_job;
	first.ctx = r;
	if (r->by_spans)
		err = spans_new(&r->spans, &r->from, mo->meta, mo->tables);
	err = err ?: xtr_model_new(&r->verdict, &first);
	if (err)
		return err;
	types = xtr_model_types(r->verdict, !r->by_spans, &n);
	r->cmd.again = false;
	err = replay_play(&r->cmd, s, r->from.mark ? NULL : types, n, first_event, r);
	err = err ?: xtr_model_finish(r->verdict);
	return err || !r->spans ? err : spans_finish(r->spans);
}

static int frames_new(struct frames_run *r, const struct xtr_model_opts *mo)
{
	struct xtr_frames_opts o = { .sz = sizeof(o),
				     .meta = mo->meta,
				     .tables = mo->tables,
				     .deadline_ns = r->o->deadline,
				     .pause_ns = r->by_spans ? 0 : XTR_FRAME_PAUSE_NS,
				     .owner = owner,
				     .frame = on_frame,
				     .ctx = r };

	if (r->o->pause != NO_PAUSE)
		o.pause_ns = r->o->pause;
	if (r->spans) {
		o.span = spans_all(r->spans, &o.n_spans);
		o.mine = mine;
		if (!o.deadline_ns)
			o.deadline_ns = spans_period(r->spans);
	}
	return xtr_frames_new(&r->frames, &o);
}

static int second_pass(struct frames_run *r, const struct xtr_section *s, struct xtr_model_opts *mo)
{
	int err;

	mo->verdict = r->verdict;
	mo->job = on_job;
	mo->ctx = r;
	err = xtr_model_new(&r->model, mo) ?: frames_new(r, mo);
	if (err)
		return err;
	r->table_opts = (struct xtr_analysis_opts){
		.meta = mo->meta, .tables = mo->tables, .times = true, .top = 20
	};
	r->sums = (struct xtr_frame_sums){ .names = xtr_frames_names(r->frames),
					   .o = &r->table_opts,
					   .ring = ring_text,
					   .ctx = r };
	r->cmd.again = true;
	err = replay_play(&r->cmd, s, NULL, 0, on_event, r) ?: xtr_model_finish(r->model) ?:
	      xtr_frames_finish(r->frames);
	return err ?: tell_sums(r);
}

static void free_section(struct frames_run *r)
{
	xtr_frame_sums_free(&r->sums);
	xtr_frames_free(r->frames);
	spans_free(r->spans);
	xtr_model_free(r->model);
	xtr_model_free(r->verdict);
	r->frames = NULL;
	r->spans = NULL;
	r->model = r->verdict = NULL;
}

static int all_sections(struct frames_run *r)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);
		struct xtr_model_opts mo = { .sz = sizeof(mo),
					     .meta = xtr_section_meta(s),
					     .tables = xtr_section_tables(s) };
		const struct window_opts *w = &r->o->window;

		if (!xtr_meta_has_times(mo.meta))
			continue;
		r->tables = mo.tables;
		r->owner = 0;
		r->begin = w->from ? xtr_play_time(s, w->from) : 0;
		r->end = w->to ? xtr_play_time(s, w->to) : UINT64_MAX;
		r->base = r->seen;
		err = first_pass(r, s, &mo) ?: second_pass(r, s, &mo);
		free_section(r);
	}
	return ferror(r->cmd.out) ? 0 : err;
}

/* --- the command ------------------------------------------------------------------------------ */

/* "ring=gfx*,process=game". False: it has another form. */
static bool parse_word(struct frames_run *r, char *word)
{
	char *value = strchr(word, '=');

	if (!value || !value[1])
		return false;
	*value++ = '\0';
	if (!strcmp(word, "mark"))
		r->from.mark = value;
	else if (!strcmp(word, "ring"))
		r->from.ring = value;
	else if (!strcmp(word, "process"))
		r->from.process = value;
	else
		return !strcmp(word, "gap") && !cli_parse_time(value, &r->from.gap_ns);
	return true;
}

static int parse(struct frames_run *r, const char *text)
{
	char *at, *word;

	if (!text)
		return XTR_EXIT_OK;
	r->words = strdup(text);
	if (!r->words)
		return cli_failed("frames", -ENOMEM);
	for (at = r->words; (word = strsep(&at, ","));)
		if (!parse_word(r, word))
			return cli_usage_error(&cmd_frames,
					       "--frame: '%s' is not mark=NAME, or any of "
					       "ring=NAME, process=PID|NAME and gap=TIME",
					       text);
	if (r->from.process)
		r->process = pattern_process(r->from.process);
	/* A process alone says whose frames screens show, if they do. */
	r->by_spans = r->from.mark || r->from.ring || r->from.gap_ns;
	return XTR_EXIT_OK;
}

static bool has_flips(const struct frames_run *r)
{
	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader); i++)
		if (xtr_frames_apply(xtr_section_meta(xtr_reader_section(r->cmd.reader, i))))
			return true;
	return false;
}

/* There is nothing to show: why. Returns the exit status. */
static int nothing(const struct frames_run *r, int status)
{
	const char *path = xtr_text_input(r->cmd.path);

	if (status == XTR_EXIT_FAILURE || r->o->jsonl)
		return status;
	if (r->number) {
		cli_error("'%s': no frame %" PRIu64 ": there are %s", path, r->number,
			  cli_count(r->seen));
		return XTR_EXIT_FAILURE;
	}
	if (r->seen) {
		fputs(r->o->late ? "no frame was late\n" : "no frame was shown in that time\n",
		      r->cmd.out);
		return status;
	}
	fputs("no frames in this trace\n", r->cmd.out);
	cli_hint(r->by_spans
			 ? "'xtr jobs' lists jobs, 'xtr stats -s markers' marks"
			 : "screens tell of frames where 'xtr record -e display -e gpu' recorded "
			   "them; else name a process: --frame ring=NAME,process=NAME");
	return status;
}

static int begin(struct frames_run *r, int argc, char **argv)
{
	uint64_t number = 0;

	if (argc > 2)
		return cli_usage_error(&cmd_frames, "one FILE and one NUMBER");
	if (argc == 2 && (cli_parse_u64(argv[1], &number) || !number))
		return cli_usage_error(&cmd_frames, "invalid frame '%s': a number from 1", argv[1]);
	r->number = number;
	return replay_begin(&r->cmd, &cmd_frames, &r->none, argc ? 1 : 0, argv);
}

static int run(const void *opts, int argc, char **argv)
{
	struct frames_run *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return cli_failed(argc ? argv[0] : "frames", -ENOMEM);
	r->o = opts;
	status = parse(r, r->o->frame);
	if (status == XTR_EXIT_OK)
		status = begin(r, argc, argv);
	if (status == XTR_EXIT_OK) {
		if (r->from.process && !has_flips(r))
			r->by_spans = true;
		replay_out(&r->cmd);
		xtr_json_init(&r->json, r->cmd.out, false);
		status = replay_end(&r->cmd, all_sections(r));
		if (!r->told && status != XTR_EXIT_USAGE)
			status = nothing(r, status);
	}
	free(r->words);
	free(r);
	return status;
}

int frames_why(char *path, char *number, bool jsonl)
{
	const struct frames_cmd_opts o = { .pause = NO_PAUSE, .jsonl = jsonl };
	char *argv[] = { path, number, NULL };

	return run(&o, 2, argv);
}

const struct cli_command cmd_frames = {
	.name = "frames",
	.summary = "what reached the screen, whether it was in time, and why not",
	.args = "FILE [NUMBER]",
	.examples = "xtr frames run.xtr\teach picture that a screen showed\n"
		    "xtr frames --late run.xtr\tthose that were late, and the reason\n"
		    "xtr frames run.xtr 118\tall that is known of one, with its critical path\n"
		    "xtr frames --frame ring='gfx*',process=game run.xtr\t"
		    "without a screen: bursts of a process' jobs\n"
		    "xtr frames --frame mark=Frame --deadline 16.7ms run.xtr\t"
		    "from mark to mark",
	CLI_OPTIONS(options, struct frames_cmd_opts),
	.defaults = defaults,
	.run = run,
};
