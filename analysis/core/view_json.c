/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr stats --json`: schema xtr.stats/1, docs/stats-json.md. */
#include "view.h"
#include "base/checked.h"
#include "format/read/reader.h"
#include "replay/notes/notes.h"

static void hist_buckets(struct xtr_json *j, const struct xtr_hist *h)
{
	struct xtr_hist_bucket b;
	uint32_t pos = 0;

	xtr_json_kv_array(j, "buckets");
	while (xtr_hist_next(h, &pos, &b)) {
		xtr_json_begin_array(j);
		xtr_json_u64(j, b.lo);
		xtr_json_u64(j, b.hi);
		xtr_json_u64(j, b.n);
		xtr_json_end_array(j);
	}
	xtr_json_end_array(j);
}

/* A time, or what follows from times: null where the trace has none. */
static void kv_ns(const struct xtr_view *v, struct xtr_json *j, const char *key, uint64_t ns)
{
	xtr_json_key(j, key);
	if (xtr_view_times(v))
		xtr_json_u64(j, ns);
	else
		xtr_json_null(j);
}

void xtr_view_json_hist(struct xtr_json *j, const char *key, const struct xtr_hist *h, bool buckets)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "n", h->n);
	xtr_json_kv_u64(j, "sum", h->sum);
	xtr_json_kv_u64(j, "mean", xtr_hist_mean(h));
	xtr_json_kv_u64(j, "min", h->min);
	xtr_json_kv_u64(j, "p50", xtr_hist_quantile(h, 500));
	xtr_json_kv_u64(j, "p90", xtr_hist_quantile(h, 900));
	xtr_json_kv_u64(j, "p99", xtr_hist_quantile(h, 990));
	xtr_json_kv_u64(j, "max", h->max);
	if (h->coarse)
		xtr_json_kv_bool(j, "coarse", true);
	if (buckets)
		hist_buckets(j, h);
	xtr_json_end_object(j);
}

static void pieced(const struct xtr_view *v, struct xtr_json *j)
{
	const struct xtr_agg *a = &xtr_stats_total(v->stats)->agg;

	xtr_pieced_json(j, v->section);
	if (a->before)
		xtr_json_kv_u64(j, "jobs_from_piece_before", a->before);
	if (a->after)
		xtr_json_kv_u64(j, "jobs_into_next_piece", a->after);
}

static void head(const struct xtr_view *v, struct xtr_json *j)
{
	const struct xtr_section_summary *sum = xtr_section_summary(v->section);
	uint64_t first, last;

	xtr_stats_span(v->stats, &first, &last);
	xtr_json_kv_u64(j, "events", xtr_stats_events(v->stats));
	xtr_json_kv_u64(j, "lost", sum->lost);
	xtr_json_kv_u64(j, "missing", xtr_sat_add(sum->missing, v->unreadable));
	xtr_json_kv_u64(j, "gaps", xtr_loss_n_losses(xtr_section_loss(v->section)));
	xtr_json_kv_u64(j, "problems", v->problems);
	xtr_import_damage_json(j, xtr_section_meta(v->section));
	xtr_sampled_json(j, xtr_section_meta(v->section));
	xtr_budgeted_json(j, v->section);
	xtr_flown_json(j, v->section);
	pieced(v, j);
	xtr_redacted_json(j, xtr_section_meta(v->section));
	xtr_json_kv_bool(j, "closed", sum->closed);
	kv_ns(v, j, "first_ns", first);
	kv_ns(v, j, "last_ns", last);
	kv_ns(v, j, "duration_ns", last - first);
	xtr_json_kv_str(j, "clock", xtr_meta_clock(xtr_section_meta(v->section)));
}

/* A section whose data the trace does not have is not there. */
static void analyses(const struct xtr_view *v, struct xtr_json *j)
{
	if (v->parts & 1ull << XTR_VIEW_FINDINGS) {
		xtr_json_key(j, "findings");
		xtr_findings_json(xtr_analyses_findings(v->analyses), j);
		xtr_json_key(j, "findings_left_out");
		xtr_findings_left_out_json(xtr_analyses_findings(v->analyses), j);
	}
	for (size_t i = 0; i < xtr_n_analyses; i++) {
		if (!(xtr_view_analyses(v->parts) & 1u << i) || !xtr_analyses_has(v->analyses, i))
			continue;
		xtr_json_key(j, xtr_analyses[i]->name);
		xtr_analyses_json(v->analyses, i, j);
	}
}

void xtr_view_json(const struct xtr_view *v, struct xtr_json *j)
{
	const struct xtr_model_counts *c = xtr_model_counts(xtr_stats_model(v->stats));

	xtr_json_begin_object(j);
	head(v, j);
	xtr_view_json_tables(v, j);
	analyses(v, j);
	xtr_json_kv_object(j, "anomalies");
	xtr_json_kv_u64(j, "malformed_records", c->malformed);
	xtr_json_kv_u64(j, "duplicate_done", c->duplicates);
	xtr_json_kv_u64(j, "recycled_fences", c->recycled);
	xtr_json_kv_u64(j, "evicted_jobs", c->evicted);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}
