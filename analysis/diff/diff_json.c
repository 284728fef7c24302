/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison for programs: docs/diff.md. Shares are whole numbers of millionths. */
#include "diff.h"
#include "base/json.h"

#include <math.h>

#define MILLION 1e6
#define BILLION 1e9
#define MOST    9e15 /* whole numbers up to here are exact */

/* A share or ns; null for what is not finite. Rounded to the nearest. */
static void rounded(struct xtr_json *j, const char *key, double v, double by)
{
	xtr_json_key(j, key);
	v = round(v * by);
	if (isfinite(v) && fabs(v) < MOST)
		xtr_json_s64(j, (int64_t)v);
	else
		xtr_json_null(j);
}

static void qualities(struct xtr_json *j, const char *key, const uint64_t *n)
{
	xtr_json_kv_object(j, key);
	for (unsigned int q = 0; q < XTR_QUALITY_COUNT; q++)
		xtr_json_kv_u64(j, xtr_quality_name(q), n[q]);
	xtr_json_end_object(j);
}

static void total(struct xtr_json *j, const char *key, const struct xtr_diff_total *t)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_array(j, "files");
	for (uint32_t i = 0; i < t->runs; i++)
		xtr_json_str(j, t->path[i]);
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "lost_events", t->lost);
	xtr_json_kv_u64(j, "problems", t->problems);
	xtr_json_kv_u64(j, "left_out_events", t->left_out);
	xtr_json_kv_bool(j, "sampled", t->sampled);
	xtr_json_kv_bool(j, "redacted", t->redacted);
	xtr_json_kv_bool(j, "times", !t->without_times);
	xtr_json_kv_u64(j, "span_ns", t->span_ns);
	xtr_json_kv_u64(j, "jobs", t->jobs);
	xtr_json_kv_u64(j, "calls", t->calls);
	xtr_json_kv_u64(j, "not_in_groups", t->crowded);
	qualities(j, "quality", t->quality);
	xtr_json_end_object(j);
}

static void facts(struct xtr_json *j, const struct xtr_diff *d)
{
	xtr_json_kv_array(j, "recorded_differently");
	for (size_t i = 0; i < xtr_diff_n_facts(d); i++) {
		const struct xtr_diff_fact *f = xtr_diff_fact(d, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "what", f->what);
		xtr_json_kv_str(j, "a", *f->value[0] ? f->value[0] : NULL);
		xtr_json_kv_str(j, "b", *f->value[1] ? f->value[1] : NULL);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void side(struct xtr_json *j, const char *key, const struct xtr_diff_row *row,
		 unsigned int which)
{
	const struct xtr_diff_side *s = &row->side[which];

	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "n", s->n);
	xtr_json_kv_u64(j, "not_kept", s->dropped);
	xtr_json_kv_str(j, "known_as", row->known[which]);
	xtr_json_kv_u64(j, "sum_ns", s->sum);
	xtr_json_kv_u64(j, "min_ns", s->min);
	xtr_json_kv_u64(j, "p50_ns", s->p50);
	xtr_json_kv_u64(j, "p90_ns", s->p90);
	xtr_json_kv_u64(j, "p99_ns", s->p99);
	xtr_json_kv_u64(j, "max_ns", s->max);
	rounded(j, "dependence_ppm", s->factor, MILLION);
	xtr_json_kv_array(j, "run_medians_ns");
	for (uint32_t i = 0; i < s->runs; i++)
		xtr_json_u64(j, s->median[i]);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}

static void test(struct xtr_json *j, const struct xtr_diff_row *row)
{
	xtr_json_kv_bool(j, "exact_p", row->test.exact);
	rounded(j, "p_ppb", row->p, BILLION);
	rounded(j, "p_uncorrected_ppb", row->test.p, BILLION);
	rounded(j, "superiority_ppm", row->test.superiority, MILLION);
	rounded(j, "tied_ppm", row->test.tied, MILLION);
	rounded(j, "shift_ns", row->shift.shift, 1);
	rounded(j, "shift_low_ns", row->shift.low, 1);
	rounded(j, "shift_high_ns", row->shift.high, 1);
	rounded(j, "ratio_ppm", row->ratio.ratio, MILLION);
	rounded(j, "ratio_low_ppm", row->ratio.low, MILLION);
	rounded(j, "ratio_high_ppm", row->ratio.high, MILLION);
	rounded(j, "change_ppm", xtr_diff_change(row), MILLION);
	rounded(j, "detectable_ppm", row->detectable, MILLION);
	rounded(j, "runs_p_ppb", row->runs_tell ? row->runs_p : NAN, BILLION);
	rounded(j, "runs_p_uncorrected_ppb", row->runs_tested ? row->runs_test.p : NAN, BILLION);
	xtr_json_kv_bool(j, "runs_agree", row->runs_agree);
}

static void rows(struct xtr_json *j, const struct xtr_diff *d)
{
	xtr_json_kv_array(j, "times");
	for (size_t i = 0; i < xtr_diff_n_rows(d); i++) {
		const struct xtr_diff_row *row = xtr_diff_row(d, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "by", xtr_diff_by_name(row->by));
		xtr_json_kv_str(j, "group", row->name);
		xtr_json_kv_str(j, "metric", xtr_diff_metric_name(row->metric));
		xtr_json_kv_bool(j, "instead_of_execution", row->instead);
		xtr_json_kv_str(j, "verdict", xtr_diff_verdict_name(row->verdict));
		xtr_json_kv_str(j, "why", row->why);
		xtr_json_kv_bool(j, "histogram", row->coarse);
		side(j, "a", row, 0);
		side(j, "b", row, 1);
		if (row->tested)
			test(j, row);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void count_side(struct xtr_json *j, const char *key, const struct xtr_diff_count *c,
		       unsigned int which)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "n", c->n[which]);
	xtr_json_kv_u64(j, "open", c->open[which]);
	xtr_json_kv_u64(j, "lost", c->lost[which]);
	xtr_json_kv_u64(j, "time_ns", c->time[which]);
	if (!xtr_diff_is_of_calls(c->by))
		qualities(j, "quality", c->quality[which]);
	xtr_json_end_object(j);
}

static void counts(struct xtr_json *j, const struct xtr_diff *d)
{
	xtr_json_kv_array(j, "counts");
	for (size_t i = 0; i < xtr_diff_n_counts(d); i++) {
		const struct xtr_diff_count *c = xtr_diff_count(d, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "by", xtr_diff_by_name(c->by));
		xtr_json_kv_str(j, "group", c->name);
		count_side(j, "a", c, 0);
		count_side(j, "b", c, 1);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void xtr_diff_json(const struct xtr_diff *d, struct xtr_json *j)
{
	total(j, "a", xtr_diff_total(d, 0));
	total(j, "b", xtr_diff_total(d, 1));
	xtr_json_kv_bool(j, "redacted_alike", xtr_diff_redacted_alike(d));
	xtr_json_kv_u64(j, "tests", xtr_diff_n_tests(d));
	xtr_json_kv_u64(j, "run_tests", xtr_diff_n_run_tests(d));
	facts(j, d);
	rows(j, d);
	counts(j, d);
}
