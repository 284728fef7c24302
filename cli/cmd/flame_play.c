/* SPDX-License-Identifier: BSD-2-Clause */
#include "flame_play.h"

struct play {
	struct replay_cmd *c;
	struct xtr_flame_feed *feed;
	const struct xtr_section *s;
	struct xtr_select select;
	struct xtr_model_opts mo;
	struct xtr_model *verdict, *model;
	struct xtr_calls *calls;
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
	int ret = replay_play(p->c, p->s, types, n, on_event, m);

	return ret ? ret : xtr_model_finish(m);
}

/* Two passes: whether a ring executes in order must be known before its first job is weighed. */
static int play_jobs(struct play *p)
{
	int ret = xtr_model_new(&p->verdict, &p->mo);

	if (!ret)
		ret = run_model(p, p->verdict, true);
	p->mo.verdict = p->verdict;
	p->mo.job = on_job;
	p->mo.ctx = p;
	if (!ret)
		ret = xtr_model_new(&p->model, &p->mo);
	return ret ? ret : run_model(p, p->model, false);
}

static int on_call(void *ctx, const struct xtr_call *call)
{
	return xtr_flame_feed_call(((struct play *)ctx)->feed, call);
}

/* The model knows the rings, the feed the jobs' stacks, before a wait for them ends. */
static int on_any(void *ctx, const struct xtr_event *ev)
{
	struct play *p = ctx;
	int ret = xtr_model_event(p->model, ev);

	if (!ret && !ev->gap)
		ret = xtr_flame_feed_event(p->feed, ev);
	if (!ret)
		ret = xtr_calls_event(p->calls, ev);
	return ret < 0 ? ret : 0;
}

/* Waits and other calls. */
static int play_calls(struct play *p)
{
	const struct xtr_calls_opts co = { .sz = sizeof(co),
					   .meta = p->mo.meta,
					   .tables = p->mo.tables,
					   .call = on_call,
					   .ctx = p };
	int ret = xtr_model_new(&p->model, &p->mo);

	if (!ret)
		ret = xtr_calls_new(&p->calls, &co);
	if (ret)
		return ret;
	xtr_flame_feed_section(p->feed, p->mo.tables, &p->select, p->model);
	ret = replay_play(p->c, p->s, NULL, 0, on_any, p);
	return ret ? ret : xtr_calls_finish(p->calls);
}

static int section(struct play *p, enum xtr_flame_weight weight)
{
	int ret;

	p->mo = (struct xtr_model_opts){ .sz = sizeof(p->mo),
					 .meta = xtr_section_meta(p->s),
					 .tables = xtr_section_tables(p->s) };
	replay_select(p->c, p->s, &p->select);
	xtr_flame_feed_section(p->feed, p->mo.tables, &p->select, NULL);
	ret = xtr_flame_weights[weight].of == XTR_FLAME_OF_JOBS ? play_jobs(p) : play_calls(p);
	xtr_calls_free(p->calls);
	xtr_model_free(p->model);
	xtr_model_free(p->verdict);
	return ret;
}

int flame_play(struct replay_cmd *c, struct xtr_flame_feed *feed, enum xtr_flame_weight weight)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < xtr_reader_n_sections(c->reader) && !ret; i++) {
		struct play p = { .c = c, .feed = feed, .s = xtr_reader_section(c->reader, i) };

		ret = section(&p, weight);
	}
	return ret;
}
