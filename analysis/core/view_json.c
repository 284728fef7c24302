/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr stats --json`: schema xtr.stats/1, docs/stats-json.md. */
#include "view.h"
#include "base/checked.h"
#include "format/read/reader.h"
#include "replay/notes/notes.h"
#include "replay/event/process.h"

#include <stdlib.h>
#include <string.h>

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

static void kv_hist_ns(const struct xtr_view *v, struct xtr_json *j, const char *key,
		       const struct xtr_hist *h, bool buckets)
{
	if (xtr_view_times(v)) {
		xtr_view_json_hist(j, key, h, buckets && !v->no_buckets);
		return;
	}
	xtr_json_key(j, key);
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

static void counts(const struct xtr_view *v, struct xtr_json *j, const struct xtr_agg *a)
{
	const struct {
		const char *key;
		uint64_t n;
	} c[] = {
		{ "kernel", a->kernel },       { "killed", a->killed },
		{ "errors", a->errors },       { "timeouts", a->timeouts },
		{ "batches", a->batches },     { "batch_jobs", a->batch_jobs },
		{ "overtaken", a->overtaken }, { "on_hardware", a->on_hardware },
		{ "in_queue", a->in_queue },   { "dep_waits", a->waits },
		{ "late", a->late },
	};

	xtr_json_kv_u64(j, "jobs", a->jobs);
	xtr_json_kv_u64(j, "completed", a->resided);
	xtr_json_kv_object(j, "quality");
	for (unsigned int q = 0; q < XTR_QUALITY_COUNT; q++)
		xtr_json_kv_u64(j, xtr_quality_name(q), a->quality[q]);
	xtr_json_end_object(j);
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		xtr_json_kv_u64(j, c[i].key, c[i].n);
	kv_ns(v, j, "dep_wait_ns", a->dep_wait);
}

static uint64_t ppm(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((__uint128_t)part * 1000000 / whole) : 0;
}

static void row_body(const struct xtr_view *v, struct xtr_json *j, const struct xtr_stats_row *row,
		     bool buckets)
{
	const struct xtr_agg *a = &row->agg;
	char buf[XTR_VIEW_KNOWN_AS];

	counts(v, j, a);
	xtr_json_kv_str(j, "known_as",
			xtr_view_times(v) ? xtr_view_known_as(row, false, buf) : NULL);
	if (!row->partial) {
		kv_ns(v, j, "busy_ns", row->busy.total);
		xtr_json_kv_bool(j, "busy_exact", !row->busy.inexact);
		xtr_json_kv_bool(j, "busy_bounded", row->busy_bounded);
		kv_ns(v, j, "utilisation_ppm", ppm(row->busy.total, xtr_view_duration(v)));
	}
	xtr_json_kv_bool(j, "bounded", row->bounded);
	kv_ns(v, j, "exec_min_sum_ns", a->exec_min);
	kv_ns(v, j, "exec_max_sum_ns", a->exec_max);
	kv_hist_ns(v, j, "exec_ns", &a->exec, buckets);
	kv_hist_ns(v, j, "residence_ns", &a->residence, buckets);
	kv_hist_ns(v, j, "queue_wait_ns", &a->queue_wait, buckets);
	kv_hist_ns(v, j, "hw_wait_ns", &a->hw_wait, buckets);
}

static void string_of(const struct xtr_view *v, struct xtr_json *j, const char *key,
		      uint32_t string)
{
	size_t n = 0;
	const char *s = NULL;

	if (string)
		s = xtr_tables_string(xtr_section_tables(v->section), string, &n);
	xtr_json_key(j, key);
	xtr_json_strn(j, s, n);
}

static void ring_name(struct xtr_json *j, const struct xtr_model_ring *ring)
{
	xtr_json_kv_u64(j, "ring_id", ring->id);
	xtr_json_kv_str(j, "device", ring->device_name);
	xtr_json_kv_str(j, "ring", ring->name);
}

static void device_row(const struct xtr_view *v, struct xtr_json *j,
		       const struct xtr_stats_row *row)
{
	xtr_json_kv_str(j, "device", row->device);
	row_body(v, j, row, false);
}

static void ring_row(const struct xtr_view *v, struct xtr_json *j, const struct xtr_stats_row *row)
{
	const struct xtr_stats_ring *ring = xtr_stats_ring(v->stats, row->ring->index);

	ring_name(j, row->ring);
	xtr_json_kv_str(j, "driver", row->ring->driver);
	xtr_json_kv_u64(j, "limit", row->ring->limit);
	xtr_json_kv_str(j, "bounded_because", xtr_ring_why(row->ring));
	row_body(v, j, row, true);
	xtr_json_kv_u64(j, "queue_events", ring->queued);
	xtr_json_kv_u64(j, "run_events", ring->run);
	xtr_view_json_hist(j, "depth_at_queue", &ring->depth_queue, !v->no_buckets);
	xtr_view_json_hist(j, "depth_at_run", &ring->depth_run, !v->no_buckets);
	kv_hist_ns(v, j, "dep_wait_each_ns", &ring->dep_wait, true);
}

static void process_row(const struct xtr_view *v, struct xtr_json *j,
			const struct xtr_stats_row *row)
{
	xtr_json_kv_process(j, "pid", row->known ? row->process : 0);
	string_of(v, j, "name", row->comm);
	row_body(v, j, row, false);
}

static void client_row(const struct xtr_view *v, struct xtr_json *j,
		       const struct xtr_stats_row *row)
{
	xtr_json_key(j, "client");
	if (row->known)
		xtr_json_u64(j, row->client_id);
	else
		xtr_json_null(j);
	xtr_json_kv_str(j, "device", row->device);
	row_body(v, j, row, false);
}

static const struct {
	enum xtr_view_part part;
	enum xtr_stats_by by;
	void (*row)(const struct xtr_view *, struct xtr_json *, const struct xtr_stats_row *);
} tables[] = {
	{ XTR_VIEW_DEVICES, XTR_BY_DEVICE, device_row },
	{ XTR_VIEW_RINGS, XTR_BY_RING, ring_row },
	{ XTR_VIEW_PROCESSES, XTR_BY_PROCESS, process_row },
	{ XTR_VIEW_CLIENTS, XTR_BY_CLIENT, client_row },
};

static void rows(const struct xtr_view *v, struct xtr_json *j)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!(v->parts & 1ull << tables[i].part))
			continue;
		xtr_json_kv_array(j, xtr_view_part_name(tables[i].part));
		for (size_t k = 0; k < xtr_stats_n_rows(v->stats, tables[i].by); k++) {
			xtr_json_begin_object(j);
			tables[i].row(v, j, xtr_stats_row(v->stats, tables[i].by, k));
			xtr_json_end_object(j);
		}
		xtr_json_end_array(j);
	}
}

static void dependencies(const struct xtr_view *v, struct xtr_json *j)
{
	const struct xtr_model *m = xtr_stats_model(v->stats);

	xtr_json_kv_array(j, "blockers");
	for (size_t i = 0; i < xtr_stats_n_blockers(v->stats); i++) {
		const struct xtr_stats_blocker *b = xtr_stats_blocker(v->stats, i);

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "ring_id", b->ring_id);
		xtr_json_kv_u64(j, "blocked_by_ring_id", b->blocker_id);
		xtr_json_kv_u64(j, "waits", b->n);
		kv_ns(v, j, "sum_ns", b->total);
		kv_ns(v, j, "max_ns", b->max);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "longest_waits");
	for (size_t i = 0; xtr_view_times(v) && i < xtr_stats_n_waits(v->stats); i++) {
		const struct xtr_stats_wait *w = xtr_stats_wait(v->stats, i);

		xtr_json_begin_object(j);
		ring_name(j, xtr_model_ring(m, w->ring));
		xtr_json_kv_u64(j, "context", w->ctx);
		xtr_json_kv_u64(j, "seqno", w->seqno);
		xtr_json_kv_u64(j, "dep_context", w->dep.ctx);
		xtr_json_kv_u64(j, "dep_seqno", w->dep.seqno);
		xtr_json_kv_u64(j, "dep_ring_id", w->dep.ring_id);
		xtr_json_kv_str(j, "until", w->dep.scheduled ? "run" : "done");
		kv_ns(v, j, "from_ns", w->dep.from_ns);
		kv_ns(v, j, "wait_ns", w->dep.until_ns - w->dep.from_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void slowest(const struct xtr_view *v, struct xtr_json *j)
{
	xtr_json_kv_array(j, "slowest");
	for (size_t i = 0; xtr_view_times(v) && i < xtr_stats_n_slowest(v->stats); i++) {
		const struct xtr_stats_job *s = xtr_stats_slowest(v->stats, i);

		xtr_json_begin_object(j);
		ring_name(j, xtr_model_ring(xtr_stats_model(v->stats), s->ring));
		xtr_json_kv_u64(j, "context", s->job.ctx);
		xtr_json_kv_u64(j, "seqno", s->job.seqno);
		if (s->job.pid)
			xtr_json_kv_process(j, "pid", xtr_process(s->job.pid, s->job.nth));
		string_of(v, j, "comm", s->job.comm);
		kv_ns(v, j, "run_ns", s->job.run_ns);
		kv_ns(v, j, "done_ns", s->job.done_ns);
		xtr_json_key(j, "exec_ns");
		if (s->bounded || !s->job.start_ns)
			xtr_json_null(j);
		else
			xtr_json_u64(j, s->value);
		xtr_json_kv_u64(j, "exec_max_ns", s->value);
		xtr_json_kv_str(j, "quality",
				s->bounded ? "bounded" : xtr_quality_name(s->job.quality));
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void events(const struct xtr_view *v, struct xtr_json *j)
{
	uint64_t *left_out = xtr_budgeted_by_type(v->section);
	const struct xtr_event_desc *desc;

	xtr_json_kv_array(j, "events_by_type");
	for (uint32_t type = 1; type < 65536; type++) {
		if (!xtr_stats_events_of(v->stats, type) && !(left_out && left_out[type]))
			continue;
		desc = xtr_meta_event(xtr_section_meta(v->section), type);
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "type", type);
		xtr_json_kv_str(j, "name", desc ? desc->name : NULL);
		xtr_json_kv_u64(j, "count", xtr_stats_events_of(v->stats, type));
		if (left_out)
			xtr_json_kv_u64(j, "left_out", left_out[type]);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	free(left_out);
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
	xtr_json_kv_object(j, "total");
	row_body(v, j, xtr_stats_total(v->stats), false);
	xtr_json_end_object(j);
	rows(v, j);
	if (v->parts & 1ull << XTR_VIEW_DEPENDENCIES)
		dependencies(v, j);
	if (v->parts & 1ull << XTR_VIEW_SLOWEST)
		slowest(v, j);
	if (v->parts & 1ull << XTR_VIEW_EVENTS)
		events(v, j);
	analyses(v, j);
	xtr_json_kv_object(j, "anomalies");
	xtr_json_kv_u64(j, "malformed_records", c->malformed);
	xtr_json_kv_u64(j, "duplicate_done", c->duplicates);
	xtr_json_kv_u64(j, "recycled_fences", c->recycled);
	xtr_json_kv_u64(j, "evicted_jobs", c->evicted);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}
