/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr whatif: the recorded schedule, replayed with changes. */
#include "cli/ui/cli.h"
#include "replay_cmd.h"
#include "whatif_changes.h"
#include "analysis/whatif/whatif.h"
#include "analysis/whatif/whatif_view.h"
#include "base/buf.h"
#include "base/text.h"
#include "replay/event/priority.h"
#include "replay/model/model.h"

#include <errno.h>
#include <stdlib.h>

struct whatif_opts {
	struct replay_opts replay;
	struct cli_list change[CHANGE_KINDS];
	bool json, as_submitted;
};

#define CHANGE(name, arg, kind, help)                                                            \
	{                                                                                        \
		0, name, arg, CLI_LIST,                                                          \
			offsetof(struct whatif_opts, change) + (kind) * sizeof(struct cli_list), \
			help                                                                     \
	}

static const struct cli_option options[] = {
	CHANGE("scale", "ring=PATTERN:FACTOR", CHANGE_SCALE,
	       "jobs of these rings execute so much longer, 0.5x: half as long"),
	CHANGE("depth", "PATTERN=N", CHANGE_DEPTH,
	       "the hardware of these rings takes N jobs at once"),
	CHANGE("without", "process=PID|NAME", CHANGE_WITHOUT,
	       "jobs of this process were never submitted"),
	CHANGE("prio", "PATTERN=LEVEL", CHANGE_PRIO,
	       "queues of these processes have priority high, normal or low"),
	{ 0, "as-submitted", NULL, CLI_FLAG, offsetof(struct whatif_opts, as_submitted),
	  "threads that wait for their jobs submit when they did, too" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct whatif_opts, json), "JSON for programs" },
	REPLAY_OPTIONS(struct whatif_opts, replay),
};

struct whatif_run {
	const struct whatif_opts *o;
	struct replay_cmd cmd;
	struct changes changes;
	struct xtr_select select;
	const struct xtr_tables *tables;
	const char *release; /* of the kernel */
	struct xtr_model *model;
	struct xtr_whatif *w;
	struct xtr_whatif_sums *sums; /* of each kind of replay, one behind the other */
	struct xtr_buf text;          /* what is printed once all is known to fit */
	FILE *to;
	struct xtr_json json;
	size_t told; /* sections */
	uint64_t jobs;
	bool too_many;
};

/* What it has is known by its name; a job of which it is not is taken for a normal one. */
static void set_priority(struct whatif_run *r, const struct xtr_job *j)
{
	const char *name = j->prio_known ? xtr_priority_name(r->release, j->prio) : NULL;
	int had = xtr_priority_level(name), level = changes_level(&r->changes, r->tables, j);

	if (had < 0)
		had = XTR_PRIORITY_NORMAL;
	xtr_whatif_prio(r->w, (unsigned int)(level < 0 ? had : level), level >= 0 && level != had);
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct whatif_run *r = ctx;
	int err = xtr_whatif_add(r->w, j, xtr_select_job(&r->select, j),
				 changes_remove(&r->changes, r->tables, j));

	if (!err && r->changes.n[CHANGE_PRIO])
		set_priority(r, j);
	r->too_many = err == -EFBIG;
	return err;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int play(struct whatif_run *r, const struct xtr_section *s)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s),
				     .job = on_job,
				     .ctx = r };
	const uint32_t *types;
	size_t n;
	int err = xtr_model_new(&r->model, &mo);

	if (err)
		return err;
	r->tables = mo.tables;
	r->release = xtr_meta_system(mo.meta)->release;
	replay_select(&r->cmd, s, &r->select);
	types = xtr_model_types(r->model, false, &n);
	return replay_play(&r->cmd, s, types, n, on_event, r->model) ?: xtr_model_finish(r->model);
}

/* Each kind of replay; the last one only if something is changed. */
static int replay_all(struct whatif_run *r, struct xtr_whatif_view *v)
{
	size_t n = xtr_whatif_n_rings(r->w) + 1;
	bool changed = changes_any(&r->changes);
	int err = 0;

	r->sums = calloc((XTR_WHATIF_CHANGED + 1) * n, sizeof(*r->sums));
	if (!r->sums)
		return -ENOMEM;
	for (int kind = 0; kind <= XTR_WHATIF_CHANGED && !err; kind++)
		if (kind != XTR_WHATIF_CHANGED || changed)
			err = xtr_whatif_play(r->w, (enum xtr_whatif_kind)kind,
					      r->sums + (size_t)kind * n);
	*v = (struct xtr_whatif_view){ .w = r->w,
				       .recorded = r->sums + XTR_WHATIF_RECORDED * n,
				       .replayed = r->sums + XTR_WHATIF_REPLAYED * n,
				       .typical = r->sums + XTR_WHATIF_TYPICAL * n,
				       .changed =
					       changed ? r->sums + XTR_WHATIF_CHANGED * n : NULL };
	return err;
}

static int tell(struct whatif_run *r)
{
	struct xtr_whatif_view v;
	int err = replay_all(r, &v);

	if (err)
		return err;
	r->jobs += v.recorded[xtr_whatif_n_rings(r->w)].jobs;
	if (r->o->json) {
		xtr_whatif_json(&v, &r->json);
		return 0;
	}
	if (r->told)
		fputc('\n', r->to);
	return xtr_whatif_text(&v, r->to);
}

static int section(struct whatif_run *r, const struct xtr_section *s)
{
	int err;

	r->w = xtr_whatif_new();
	err = r->w ? play(r, s) : -ENOMEM;
	err = err ?: xtr_whatif_learn(r->w, r->model);
	if (!err) {
		if (r->o->as_submitted)
			xtr_whatif_as_submitted(r->w);
		changes_apply(&r->changes, r->w);
		err = tell(r);
		r->told++;
	}
	xtr_whatif_free(r->w);
	xtr_model_free(r->model);
	free(r->sums);
	r->w = NULL;
	r->model = NULL;
	r->sums = NULL;
	return err;
}

static int all_sections(struct whatif_run *r)
{
	int err = 0, flushed;

	r->to = xtr_memory_stream(&r->text);
	if (!r->to)
		return -ENOMEM;
	if (r->o->json) {
		xtr_json_document(&r->json, r->to, "xtr.whatif/1");
		xtr_json_kv_array(&r->json, "sections");
	}
	for (size_t i = 0; i < xtr_reader_n_sections(r->cmd.reader) && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->cmd.reader, i);

		if (xtr_meta_has_times(xtr_section_meta(s)))
			err = section(r, s);
	}
	if (r->o->json) {
		xtr_json_end_array(&r->json);
		xtr_json_document_end(&r->json);
	}
	flushed = xtr_memory_flush(r->to, &r->text);
	fclose(r->to);
	return err ?: flushed;
}

/* Returns the exit status; nothing is printed where nothing is to be told. */
static int finish(struct whatif_run *r, int err)
{
	int status;

	if (r->too_many) {
		cli_error("'%s': more than %s jobs, or %s dependencies",
			  xtr_text_input(r->cmd.path), cli_count(XTR_WHATIF_JOBS_MAX),
			  cli_count(XTR_WHATIF_DEPS_MAX));
		cli_hint("--from and --to choose a part");
		replay_end(&r->cmd, 0);
		return XTR_EXIT_FAILURE;
	}
	status = replay_end(&r->cmd, err);
	if (err)
		return status;
	if (!r->told) {
		cli_error("'%s': the trace has no times", xtr_text_input(r->cmd.path));
		return XTR_EXIT_FAILURE;
	}
	if (changes_check(&r->changes) != XTR_EXIT_OK)
		return XTR_EXIT_USAGE;
	if (!r->jobs && !r->o->json) {
		fputs("no jobs in this trace\n", replay_out(&r->cmd));
		return status;
	}
	fwrite(r->text.p, 1, r->text.n, replay_out(&r->cmd));
	return status;
}

static int run(const void *opts, int argc, char **argv)
{
	struct whatif_run *r = calloc(1, sizeof(*r));
	int status = XTR_EXIT_OK;

	if (!r)
		return cli_failed(argc ? argv[0] : "whatif", -ENOMEM);
	r->o = opts;
	for (int kind = 0; kind < CHANGE_KINDS && status == XTR_EXIT_OK; kind++)
		status = changes_parse(&r->changes, (enum change_kind)kind, &r->o->change[kind]);
	if (status == XTR_EXIT_OK)
		status = replay_begin(&r->cmd, &cmd_whatif, &r->o->replay, argc, argv);
	if (status == XTR_EXIT_OK)
		status = finish(r, all_sections(r));
	changes_free(&r->changes);
	xtr_buf_free(&r->text);
	free(r);
	return status;
}

const struct cli_command cmd_whatif = {
	.name = "whatif",
	.summary =
		"the schedule replayed with other execution times, depths, priorities or processes",
	.args = "FILE",
	.examples = "xtr whatif run.xtr\ta replay without a change: the error of the model\n"
		    "xtr whatif --scale 'ring=vcn*:0.5x' run.xtr\tthe video rings twice as fast\n"
		    "xtr whatif --depth 'gfx*=4' --without process=hog run.xtr\tseveral changes",
	CLI_OPTIONS(options, struct whatif_opts),
	.run = run,
};
