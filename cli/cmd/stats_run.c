/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats_run.h"

static int on_batch(void *ctx, const struct xtr_event *ev, size_t n)
{
	return xtr_stats_batch(((struct stats_run *)ctx)->stats, ev, n);
}

static void on_keeps(void *ctx, bool keeps)
{
	xtr_stats_keeps(((struct stats_run *)ctx)->stats, keeps);
}

static void fill_view(const struct stats_run *r, const struct xtr_section *s, struct xtr_view *v)
{
	const struct replay_cmd *c = r->cmd;
	size_t problems = xtr_reader_n_problems(c->reader);

	*v = (struct xtr_view){
		.path = c->path,
		.parts = r->parts,
		.section = s,
		.stats = r->stats,
		.analyses = r->analyses,
		.top = r->top,
		.unreadable = c->unreadable,
		.problems = problems + c->damaged,
		.problem = problems ? xtr_reader_problem(c->reader, 0)->code : c->damage,
	};
}

int stats_gather(struct stats_run *r, const struct xtr_section *s, struct xtr_view *v)
{
	struct xtr_stats_opts so = {
		.sz = sizeof(so),
		.meta = xtr_section_meta(s),
		.tables = xtr_section_tables(s),
		.top = r->top,
	};
	const struct replay_batches who = {
		.batch = on_batch, .keeps = on_keeps, .keep = XTR_STATS_KEEP, .ctx = r
	};
	uint64_t analysed = r->parts;
	int err;

	replay_select(r->cmd, s, &so.select);
	/* Findings come from all of them. */
	if (r->all_findings || r->parts & 1ull << XTR_VIEW_FINDINGS)
		analysed |= xtr_view_usual();
	err = xtr_analyses_new(&r->analyses, so.meta, so.tables, &so.select,
			       xtr_view_analyses(analysed), so.top);
	so.analyses = r->analyses;
	err = err ?: xtr_stats_new(&r->stats, &so) ?:
	      replay_play_batches(r->cmd, s, &who) ?:
	      xtr_stats_finish(r->stats);
	fill_view(r, s, v);
	return err;
}

void stats_drop(struct stats_run *r)
{
	xtr_stats_free(r->stats);
	xtr_analyses_free(r->analyses);
	r->stats = NULL;
	r->analyses = NULL;
}

void stats_json_begin(const struct stats_run *r, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "schema", "xtr.stats/1");
	xtr_json_kv_str(j, "file", r->cmd->path);
	xtr_json_kv_array(j, "sections");
}

void stats_json_end(struct xtr_json *j)
{
	xtr_json_end_array(j);
	xtr_json_document_end(j);
}
