/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to three passes over each section: which rings execute in order (the model must know it before
 * its first job), which jobs are the longest (if only those are wanted), and the one that exports.
 */
#include "export.h"
#include "replay/play/play.h"
#include "top.h"

#include <errno.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct run {
	struct xtr_export *e;
	const struct xtr_exporter *x;
	void *self;
	unsigned int wants;
	struct xtr_top top;
	struct xtr_select select; /* with times on the section's clock */
	size_t passes, pass;      /* over all sections: in all, and done */
	bool exporting;           /* the present pass is the last one over its section */
	/* of the present section */
	const struct xtr_section *s;
	size_t index;
	struct xtr_model *verdict, *model;
	struct xtr_calls *calls;
	struct xtr_marks *marks;
};

static void on_damage(void *ctx, const struct xtr_err *err)
{
	const struct run *r = ctx;

	/* Once: each pass comes by. */
	if (r->e->damage && r->exporting)
		r->e->damage(r->e->ctx, err);
}

static void on_progress(void *ctx, unsigned int permille)
{
	const struct run *r = ctx;

	if (r->e->progress)
		r->e->progress(r->e->ctx, (unsigned int)((r->pass * 1000 + permille) / r->passes));
}

/* Jobs end later than they begin: all passes start early enough to see those selected whole. */
static int play(struct run *r, const uint32_t *types, size_t n,
		int (*event)(void *, const struct xtr_event *))
{
	struct xtr_play p = {
		.reader = r->e->reader,
		.section = r->s,
		.from = xtr_play_lead_in(r->select.from),
		.to = r->select.to,
		.types = types,
		.n_types = n,
		.event = event,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = r,
	};
	struct xtr_err err = { 0 };

	return xtr_play(&p, &err);
}

static int new_model(struct run *r, struct xtr_model **m,
		     int (*job)(void *, const struct xtr_job *),
		     int (*depth)(void *, const struct xtr_model_ring *, uint64_t))
{
	struct xtr_model_opts o = {
		.sz = sizeof(o),
		.meta = xtr_section_meta(r->s),
		.tables = xtr_section_tables(r->s),
		.job = job,
		.depth = depth,
		.ctx = r,
		.verdict = m == &r->verdict ? NULL : r->verdict,
	};

	return xtr_model_new(m, &o);
}

/* Only what says something about jobs. */
static int play_jobs(struct run *r, const struct xtr_model *m, bool order,
		     int (*event)(void *, const struct xtr_event *))
{
	size_t n;
	const uint32_t *types = xtr_model_types(m, order, &n);

	return play(r, types, n, event);
}

static int on_verdict_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(((struct run *)ctx)->verdict, ev);
}

static int verdict_pass(struct run *r)
{
	return new_model(r, &r->verdict, NULL, NULL) ?:
	       play_jobs(r, r->verdict, true, on_verdict_event) ?:
	       xtr_model_finish(r->verdict);
}

static int on_model_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(((struct run *)ctx)->model, ev);
}

static int on_top_job(void *ctx, const struct xtr_job *j)
{
	struct run *r = ctx;

	return xtr_select_job(&r->select, j) ? xtr_top_add(&r->top, r->index, j) : 0;
}

static int top_pass(struct run *r)
{
	return new_model(r, &r->model, on_top_job, NULL) ?:
	       play_jobs(r, r->model, false, on_model_event) ?:
	       xtr_model_finish(r->model);
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct run *r = ctx;

	if (!xtr_select_job(&r->select, j) || (r->top.most && !xtr_top_has(&r->top, r->index, j)))
		return 0;
	return r->x->job(r->self, j);
}

static bool in_window(const struct run *r, uint64_t first, uint64_t last)
{
	return last >= r->select.from && (!r->select.to || first <= r->select.to);
}

static int on_depth(void *ctx, const struct xtr_model_ring *ring, uint64_t ts)
{
	struct run *r = ctx;

	if (!in_window(r, ts, ts) || !xtr_select_ring(&r->select, ring))
		return 0;
	return r->x->depth(r->self, ring, ts);
}

static bool pid_selected(const struct run *r, uint32_t pid)
{
	for (size_t i = 0; i < r->select.n_pids; i++)
		if (pid && pid == r->select.pids[i])
			return true;
	return !r->select.n_pids;
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct run *r = ctx;

	if (!(r->wants & XTR_EXPORT_CALLS) || !xtr_select_call(&r->select, c))
		return 0;
	return r->x->call(r->self, c);
}

static int give_marks(struct run *r, const struct xtr_event *ev, bool inside)
{
	struct xtr_mark mark[XTR_MARKS_MAX];
	int n = xtr_marks_event(r->marks, ev, mark), ret = n < 0 ? n : 0;

	for (int i = 0; i < n && inside && !ret; i++)
		if (pid_selected(r, mark[i].pid))
			ret = r->x->mark(r->self, &mark[i]);
	return ret;
}

static int give_raw(struct run *r, const struct xtr_event *ev)
{
	const struct xtr_task *task;
	uint32_t pid = 0;

	if (r->select.n_pids) {
		task = xtr_tables_task(xtr_section_tables(r->s), ev->tid, ev->ts);
		pid = task ? task->pid : 0;
	}
	return pid_selected(r, pid) ? r->x->event(r->self, ev) : 0;
}

static int give_gap(struct run *r, const struct xtr_gap *gap)
{
	if (!r->x->gap || !in_window(r, gap->first, gap->last))
		return 0;
	return r->x->gap(r->self, gap);
}

/* Calls and marks that the event makes. */
static int derive(struct run *r, const struct xtr_event *ev, bool inside)
{
	int err = r->calls ? xtr_calls_event(r->calls, ev) : 0;

	if (!err && r->marks && !ev->gap)
		err = give_marks(r, ev, inside);
	return err < 0 ? err : 0;
}

/*
 * The model gets what `xtr jobs` gives it, whatever else is wanted: what is open at the end is cut
 * off at its last event.
 */
static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct run *r = ctx;
	bool inside = in_window(r, ev->ts, ev->ts);
	int err = xtr_model_takes(r->model, ev) ? xtr_model_event(r->model, ev) : 0;

	if (!err && ev->gap)
		err = give_gap(r, ev->gap);
	if (!err)
		err = derive(r, ev, inside);
	if (!err && inside && !ev->gap && r->wants & XTR_EXPORT_EVENTS)
		err = give_raw(r, ev);
	return err;
}

static int begin_section(struct run *r)
{
	const struct xtr_section_summary *sum = xtr_section_summary(r->s);
	struct xtr_export_section es = {
		.reader = r->e->reader,
		.section = r->s,
		.meta = xtr_section_meta(r->s),
		.tables = xtr_section_tables(r->s),
		.rings = r->verdict,
		.index = r->index,
		.from = r->select.from > sum->ts_min ? r->select.from : sum->ts_min,
		.to = r->select.to && r->select.to < sum->ts_max ? r->select.to : sum->ts_max,
	};
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = es.meta, .tables = es.tables, .call = on_call, .ctx = r
	};
	int err = new_model(r, &r->model, on_job, r->wants & XTR_EXPORT_DEPTH ? on_depth : NULL);

	if (!err && r->e->opts.paths)
		err = r->e->opts.paths(r->e->opts.paths_ctx, r->s, &es.paths);
	if (!err && r->e->opts.frames)
		err = r->e->opts.frames(r->e->opts.frames_ctx, r->s, &es.frames);
	if (es.to < es.from) /* all of the section is before what was asked for */
		es.to = es.from;
	/* What begins or ends a call is no mark, even where calls are not wanted. */
	if (!err && r->wants & (XTR_EXPORT_CALLS | XTR_EXPORT_MARKS))
		err = xtr_calls_new(&r->calls, &co);
	if (!err && r->wants & XTR_EXPORT_MARKS)
		err = xtr_marks_new(&r->marks, es.meta, es.tables);
	return err ? err : r->x->section(r->self, &es);
}

static int export_pass(struct run *r)
{
	bool all = r->wants & (XTR_EXPORT_CALLS | XTR_EXPORT_MARKS | XTR_EXPORT_EVENTS);
	int err = begin_section(r);

	r->exporting = true;
	err = err ?: (all ? play(r, NULL, 0, on_event) : play_jobs(r, r->model, false, on_event)) ?:
	      xtr_model_finish(r->model);
	if (!err && r->calls)
		err = xtr_calls_finish(r->calls);
	r->exporting = false;
	return err ? err : r->x->end_section(r->self);
}

static void free_section(struct run *r)
{
	xtr_model_free(r->model);
	xtr_model_free(r->verdict);
	xtr_calls_free(r->calls);
	xtr_marks_free(r->marks);
	r->model = r->verdict = NULL;
	r->calls = NULL;
	r->marks = NULL;
}

/* The passes first to last (exclusive) over all sections. */
static int all_sections(struct run *r, int (*const *pass)(struct run *), size_t n)
{
	int err = 0;

	for (r->index = 0; r->index < xtr_reader_n_sections(r->e->reader) && !err; r->index++) {
		r->s = xtr_reader_section(r->e->reader, r->index);
		r->select.from = r->e->select.from;
		r->select.to = r->e->select.to;
		xtr_play_window(r->s, &r->select.from, &r->select.to);
		for (size_t i = 0; i < n && !err; i++, r->pass++)
			err = pass[i](r);
		free_section(r);
	}
	return err;
}

static int export_all(struct run *r)
{
	static int (*const longest[])(struct run *) = { verdict_pass, top_pass };
	static int (*const out[])(struct run *) = { verdict_pass, export_pass };
	int err = 0;

	r->passes = r->top.most ? N(longest) + N(out) : N(out);
	r->passes *= xtr_reader_n_sections(r->e->reader);
	if (r->top.most)
		err = all_sections(r, longest, N(longest));
	return err ?: all_sections(r, out, N(out)) ?: r->x->finish(r->self);
}

/* A timeline of a section without times would be made up. */
static bool can_show(const struct xtr_export *e)
{
	for (size_t i = 0; e->exporter->timeline && i < xtr_reader_n_sections(e->reader); i++)
		if (!xtr_meta_has_times(xtr_section_meta(xtr_reader_section(e->reader, i))))
			return false;
	return true;
}

int xtr_export(struct xtr_export *e)
{
	struct run r = { .e = e, .x = e->exporter, .select = e->select, .top.most = e->top };
	int err;

	e->why = NULL;
	e->broken = false;
	e->opts.by_pid = e->select.n_pids;
	if (e->top > XTR_EXPORT_TOP_MAX)
		return -EINVAL;
	if (!can_show(e)) {
		e->why = "the trace has no times, and a timeline needs them";
		return -ENODATA;
	}
	/* The longest jobs are few: what else happened would bury them. */
	r.wants = e->top ? 0 : r.x->wants(&e->opts);
	err = r.x->open(&r.self, &e->opts, &e->why);
	e->broken = err && r.x->by_path;
	if (err)
		return err;
	err = export_all(&r);
	if (!err && e->opts.out && ferror(e->opts.out))
		err = -EIO;
	e->broken = err && r.x->failed && r.x->failed(r.self);
	r.x->close(r.self);
	xtr_top_free(&r.top);
	return err;
}

const struct xtr_exporter *xtr_exporter_by_name(const char *name)
{
	const struct xtr_exporter *const *x;

	for (x = xtr_exporters; *x; x++)
		if (!strcmp((*x)->name, name))
			return *x;
	return NULL;
}

/* --- exporters -------------------------------------------------------------------------------- */

/* The formats that there are. converters/NAME.c defines xtr_exporter_NAME. */

extern const struct xtr_exporter xtr_exporter_perfetto, xtr_exporter_chrome;
extern const struct xtr_exporter xtr_exporter_sqlite, xtr_exporter_csv, xtr_exporter_jsonl,
	xtr_exporter_parquet, xtr_exporter_arrow;

const struct xtr_exporter *const xtr_exporters[] = {
	&xtr_exporter_perfetto, &xtr_exporter_chrome,  &xtr_exporter_sqlite, &xtr_exporter_csv,
	&xtr_exporter_jsonl,    &xtr_exporter_parquet, &xtr_exporter_arrow,  NULL,
};
