/* SPDX-License-Identifier: BSD-2-Clause */
#include "flame_play.h"
#include "analysis/idle/idle.h"
#include "cli/ui/cli.h"

#include <string.h>

struct play {
	struct replay_cmd *c;
	struct xtr_flame_feed *feed;
	const struct xtr_section *s;
	struct xtr_select select;
	struct xtr_model_opts mo;
	struct xtr_model *verdict, *model;
	struct xtr_calls *calls;
	struct xtr_idle *idle;
	struct flame_idle *sums;
};

static int on_job(void *ctx, const struct xtr_job *j)
{
	return xtr_flame_feed_job(((struct play *)ctx)->feed, j);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int run_model(struct play *p, struct xtr_model *m, bool order)
{
	size_t n;
	const uint32_t *types = xtr_model_types(m, order, &n);

	p->c->again = !order;
	return replay_play(p->c, p->s, types, n, on_event, m) ?: xtr_model_finish(m);
}

/* Two passes: whether a ring executes in order must be known before its first job is weighed. */
static int play_jobs(struct play *p)
{
	int err = xtr_model_new(&p->verdict, &p->mo) ?: run_model(p, p->verdict, true);

	p->mo.verdict = p->verdict;
	p->mo.job = on_job;
	p->mo.ctx = p;
	return err ?: xtr_model_new(&p->model, &p->mo) ?: run_model(p, p->model, false);
}

static int on_call(void *ctx, const struct xtr_call *call)
{
	return xtr_flame_feed_call(((struct play *)ctx)->feed, call);
}

/* The model knows the rings, the feed the jobs' stacks, before a wait for them ends. */
static int on_any(void *ctx, const struct xtr_event *ev)
{
	struct play *p = ctx;
	int err = xtr_model_event(p->model, ev);

	if (!err && !ev->gap)
		err = xtr_flame_feed_event(p->feed, ev);
	if (!err)
		err = xtr_calls_event(p->calls, ev);
	return err < 0 ? err : 0;
}

/* Waits and other calls. */
static int play_calls(struct play *p)
{
	const struct xtr_calls_opts co = { .sz = sizeof(co),
					   .meta = p->mo.meta,
					   .tables = p->mo.tables,
					   .call = on_call,
					   .ctx = p };
	int err = xtr_model_new(&p->model, &p->mo) ?: xtr_calls_new(&p->calls, &co);

	if (err)
		return err;
	xtr_flame_feed_section(p->feed, p->mo.tables, &p->select, p->model);
	return replay_play(p->c, p->s, NULL, 0, on_any, p) ?: xtr_calls_finish(p->calls);
}

/* --- idle time -------------------------------------------------------------------------------- */

static int on_idle_job(void *ctx, const struct xtr_job *j)
{
	return xtr_idle_job(((struct play *)ctx)->idle, j);
}

static int on_idle_event(void *ctx, const struct xtr_event *ev)
{
	struct play *p = ctx;

	return xtr_model_event(p->model, ev) ?: xtr_idle_event(p->idle, ev);
}

static int feed_idle(struct play *p)
{
	int err = xtr_idle_finish(p->idle);

	p->sums->any |= xtr_idle_any(p->idle);
	for (size_t i = 0; i < xtr_idle_n_devices(p->idle); i++) {
		p->sums->idle_ns += xtr_idle_device(p->idle, i)->idle_ns;
		p->sums->explained_ns += xtr_idle_device(p->idle, i)->explained_ns;
		p->sums->lost_ns += xtr_idle_device(p->idle, i)->lost_ns;
	}
	for (size_t i = 0; !err && i < xtr_idle_n_rows(p->idle); i++) {
		const struct xtr_idle_row *r = xtr_idle_row(p->idle, i);

		err = xtr_flame_feed_time(
			p->feed, &(struct xtr_flame_time){
					 .device = xtr_idle_device(p->idle, r->device)->name,
					 .mark = xtr_idle_state_mark(r->state),
					 .process = r->process,
					 .comm = r->comm,
					 .ts = r->ts,
					 .stack = r->stack,
					 .without = !r->stack && xtr_idle_explains(p->idle, r),
					 .ns = r->ns });
	}
	return err;
}

/* As for jobs, two passes, for the same reason. */
static int play_idle(struct play *p)
{
	int err = xtr_model_new(&p->verdict, &p->mo) ?: run_model(p, p->verdict, true);

	p->mo.verdict = p->verdict;
	p->mo.job = on_idle_job;
	p->mo.ctx = p;
	p->c->again = true;
	err = err ?: xtr_model_new(&p->model, &p->mo) ?:
	      xtr_idle_new(&p->idle, p->mo.meta, p->mo.tables) ?:
	      replay_play(p->c, p->s, NULL, 0, on_idle_event, p) ?:
	      xtr_model_finish(p->model) ?: feed_idle(p);
	xtr_idle_free(p->idle);
	return err;
}

static int (*const plays[])(struct play *) = {
	[XTR_FLAME_OF_JOBS] = play_jobs,
	[XTR_FLAME_OF_WAITS] = play_calls,
	[XTR_FLAME_OF_CALLS] = play_calls,
	[XTR_FLAME_OF_TIME] = play_idle,
};

static int section(struct play *p, enum xtr_flame_weight weight)
{
	int err;

	p->mo = (struct xtr_model_opts){ .sz = sizeof(p->mo),
					 .meta = xtr_section_meta(p->s),
					 .tables = xtr_section_tables(p->s) };
	replay_select(p->c, p->s, &p->select);
	xtr_flame_feed_section(p->feed, p->mo.tables, &p->select, NULL);
	err = plays[xtr_flame_weights[weight].of](p);
	xtr_calls_free(p->calls);
	xtr_model_free(p->model);
	xtr_model_free(p->verdict);
	return err;
}

int flame_play(struct replay_cmd *c, struct xtr_flame_feed *feed, enum xtr_flame_weight weight,
	       struct flame_idle *idle)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(c->reader) && !err; i++) {
		struct play p = {
			.c = c, .feed = feed, .sums = idle, .s = xtr_reader_section(c->reader, i)
		};

		err = section(&p, weight);
	}
	return err;
}

/* --- flame samples ---------------------------------------------------------------------------- */

/* Folded stacks have no modules; a kernel's frame may end as stackcollapse-perf.pl marks it. */
static enum xtr_flame_kind kind_of(const struct xtr_samples_frame *f)
{
	if (f->thread)
		return XTR_FLAME_MARK;
	if (!f->n_module && f->n_name > 4 && !memcmp(f->name + f->n_name - 4, "_[k]", 4))
		return XTR_FLAME_KERNEL;
	return xtr_flame_kind_of(f->module ? f->module : "", f->n_module);
}

static int on_stack(void *ctx, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	struct xtr_flame *flame = ctx;
	int64_t node = XTR_FLAME_ROOT, frame;

	for (size_t i = 0; i < n && node >= 0; i++) {
		frame = xtr_flame_frame(flame, f[i].name, f[i].n_name,
					f[i].module ? f[i].module : "", f[i].n_module,
					kind_of(&f[i]));
		node = frame < 0 ? frame : xtr_flame_child(flame, (uint32_t)node, (uint32_t)frame);
	}
	if (!n) {
		frame = xtr_flame_mark(flame, "[no stack]");
		node = frame < 0 ? frame : xtr_flame_child(flame, XTR_FLAME_ROOT, (uint32_t)frame);
	}
	if (node < 0)
		return (int)node;
	xtr_flame_add(flame, (uint32_t)node, weight);
	return 0;
}

int flame_samples_into(struct xtr_io *io, struct xtr_flame *flame, struct xtr_samples_result *r)
{
	const struct xtr_samples_opts o = { .sz = sizeof(o), .stack = on_stack, .ctx = flame };

	return xtr_samples_read(io, &o, r);
}

int flame_samples(const char *path, struct xtr_flame *flame, struct xtr_samples_result *r)
{
	struct xtr_io *io;
	int err = xtr_io_open_read(path, &io);

	if (err)
		return cli_failed(path, err);
	err = flame_samples_into(io, flame, r);
	xtr_io_close(io);
	if (err)
		return cli_failed(path, err);
	if (!r->stacks) {
		cli_error("'%s': no stacks: neither folded ones nor what perf script prints", path);
		return XTR_EXIT_FAILURE;
	}
	if (r->other)
		cli_warn("'%s': %s lines are not stacks and were skipped, first line %s", path,
			 cli_count(r->other), cli_count(r->other_line));
	return r->other ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}
