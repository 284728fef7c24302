/* SPDX-License-Identifier: BSD-2-Clause */
/* Many recordings for programs (docs/fleet.md). */
#include "fleet_impl.h"
#include "analysis/core/view.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

static const char *const states[] = {
	[XTR_FLEET_WHOLE] = "whole",
	[XTR_FLEET_DAMAGED] = "losses",
	[XTR_FLEET_UNREADABLE] = "unreadable",
};

/* A key of JSON has '_' where a metric has '.'. */
static void metric_key(struct xtr_json *j, unsigned int m)
{
	const bool ns = xtr_fleet_metric_unit(m) == XTR_FLEET_NS;
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", xtr_fleet_metric_name(m), ns ? "ns" : "ppm");
	for (char *p = key; *p; p++)
		if (*p == '.')
			*p = '_';
	xtr_json_key(j, key);
}

static void values(struct xtr_json *j, const struct xtr_fleet_row *row)
{
	for (unsigned int m = 0; m < XTR_FLEET_LOST; m++) {
		metric_key(j, m);
		if (fleet_has(row, m))
			xtr_json_u64(j, row->value[m]);
		else
			xtr_json_null(j);
	}
}

/* Devices of a recording alone, and the one that is the only one of its group. */
static void recording_rings(const struct xtr_fleet *f, const struct xtr_fleet_recording *r,
			    struct xtr_json *j)
{
	xtr_json_kv_array(j, "rings");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct xtr_fleet_row *row = &f->row[r->first_row + i];

		if (!row->group)
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "ring", f->group[row->group].name);
		xtr_json_kv_str(j, "device", row->device);
		xtr_json_kv_u64(j, "jobs", row->jobs);
		values(j, row);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void file_id(struct xtr_json *j, uint64_t id)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, id);
	xtr_json_kv_str(j, "file_id", text);
}

static void recording(const struct xtr_fleet *f, const struct xtr_fleet_recording *r,
		      struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "section", r->section);
	file_id(j, r->file_id);
	xtr_json_kv_str(j, "host", r->host);
	xtr_json_kv_str(j, "cohort", *r->cohort ? r->cohort : NULL);
	xtr_json_kv_bool(j, "repeated", r->repeated);
	xtr_json_kv_bool(j, "times", r->times);
	xtr_json_kv_u64_if(j, "span_ns", r->times, r->span_ns);
	xtr_json_kv_u64(j, "events", r->events);
	xtr_json_kv_u64(j, "lost_events", r->lost);
	xtr_json_kv_u64(j, "missing_events", r->missing);
	xtr_json_kv_u64(j, "jobs", r->jobs);
	xtr_json_kv_u64(j, "not_in_groups", r->left_out);
	recording_rings(f, r, j);
	xtr_json_end_object(j);
}

void xtr_fleet_json_files(const struct xtr_fleet *f, struct xtr_json *j)
{
	size_t at = 0;

	xtr_json_kv_array(j, "files");
	for (size_t i = 0; i < f->n_files; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "file", f->file[i].path);
		xtr_json_kv_str(j, "state", states[f->file[i].state]);
		xtr_json_kv_array(j, "recordings");
		for (; at < f->n_recordings && f->recording[at].file == i; at++)
			recording(f, &f->recording[at], j);
		xtr_json_end_array(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

/* --- merged ----------------------------------------------------------------------------------- */

static void merged_ring(const struct xtr_fleet_group *g, struct xtr_json *j)
{
	const struct xtr_fleet_sums *s = &g->sums;

	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "ring", g->name);
	xtr_json_kv_u64(j, "recordings", g->recordings);
	xtr_json_kv_u64(j, "rings", s->rings);
	xtr_json_kv_u64(j, "jobs", s->jobs);
	xtr_json_kv_u64(j, "completed", s->completed);
	xtr_json_kv_u64(j, "failed", s->failed);
	xtr_json_kv_u64(j, "open", s->open);
	xtr_json_kv_u64(j, "busy_ns", s->busy_ns);
	xtr_json_kv_bool(j, "busy_bounded", s->busy_bounded);
	xtr_json_kv_u64(j, "recorded_ns", s->recorded_ns);
	xtr_json_kv_u64_if(j, "utilisation_ppm", s->recorded_ns,
			   fleet_ppm(s->busy_ns, s->recorded_ns));
	xtr_view_json_hist(j, "exec_ns", &s->exec, true);
	xtr_view_json_hist(j, "residence_ns", &s->residence, true);
	xtr_view_json_hist(j, "queue_wait_ns", &s->queue_wait, true);
	xtr_view_json_hist(j, "hw_wait_ns", &s->hw_wait, true);
	xtr_json_end_object(j);
}

int xtr_fleet_json_merged(const struct xtr_fleet *f, struct xtr_json *j)
{
	struct xtr_fleet_total t;
	int err = xtr_fleet_total(f, &t);

	if (err)
		return err;
	xtr_json_kv_object(j, "merged");
	xtr_json_kv_u64(j, "recordings", t.recordings);
	xtr_json_kv_u64(j, "repeated", t.repeated);
	xtr_json_kv_u64(j, "hosts", t.hosts);
	xtr_json_kv_u64(j, "span_ns", t.span_ns);
	xtr_json_kv_u64(j, "events", t.events);
	xtr_json_kv_u64(j, "lost_events", t.lost);
	xtr_json_kv_u64(j, "missing_events", t.missing);
	xtr_json_kv_u64(j, "jobs", t.jobs);
	xtr_json_kv_u64(j, "not_in_groups", t.left_out);
	xtr_json_kv_array(j, "rings");
	for (size_t i = 1; i < f->n_groups; i++)
		merged_ring(&f->group[i], j);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
	return 0;
}

/* --- what was compared ------------------------------------------------------------------------ */

static void scaled(struct xtr_json *j, const char *key, double v, double by)
{
	const bool known = isfinite(v) && fabs(v) * by < 9e18;

	xtr_json_key(j, key);
	if (known)
		xtr_json_s64(j, llround(v * by));
	else
		xtr_json_null(j);
}

/* NULL of the recording itself. */
static const char *group_name(const struct xtr_fleet *f, uint32_t group)
{
	return group ? f->group[group].name : NULL;
}

static void outlier(const struct xtr_fleet *f, const struct xtr_fleet_outlier *o,
		    struct xtr_json *j)
{
	const struct xtr_fleet_recording *r = &f->recording[o->row->recording];

	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "file", f->file[r->file].path);
	xtr_json_kv_u64(j, "section", r->section);
	file_id(j, r->file_id);
	xtr_json_kv_str(j, "host", r->host);
	xtr_json_kv_str(j, "device", o->row->device);
	xtr_json_kv_str(j, "cohort", *o->cohort ? o->cohort : NULL);
	xtr_json_kv_str(j, "ring", group_name(f, o->row->group));
	xtr_json_kv_str(j, "metric", xtr_fleet_metric_name(o->metric));
	xtr_json_kv_u64(j, "value", o->value);
	xtr_json_kv_u64(j, "median", o->median);
	scaled(j, "deviation", o->deviation, 1);
	xtr_json_kv_bool(j, "mean_deviation", o->mean_deviation);
	scaled(j, "z_milli", o->z, 1000);
	xtr_json_kv_u64(j, "members", o->members);
	xtr_json_end_object(j);
}

void xtr_fleet_json_outliers(const struct xtr_fleet *f, struct xtr_json *j)
{
	xtr_json_kv_u64(j, "sets", f->n_sets);
	xtr_json_kv_u64(j, "small_sets", f->n_small_sets);
	xtr_json_kv_array(j, "outliers");
	for (size_t i = 0; i < f->n_outliers; i++)
		outlier(f, &f->outlier[i], j);
	xtr_json_end_array(j);
}

static void change(const struct xtr_fleet *f, const struct xtr_fleet_change *c, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "a", c->a == XTR_FLEET_REST ? NULL : f->cohort[c->a].name);
	xtr_json_kv_str(j, "b", f->cohort[c->b].name);
	xtr_json_kv_str(j, "ring", group_name(f, c->group));
	xtr_json_kv_str(j, "metric", xtr_fleet_metric_name(c->metric));
	xtr_json_kv_str(j, "verdict", xtr_fleet_verdict_name(c->verdict));
	xtr_json_kv_u64(j, "n_a", c->n[0]);
	xtr_json_kv_u64(j, "n_b", c->n[1]);
	xtr_json_kv_u64(j, "median_a", c->median[0]);
	xtr_json_kv_u64(j, "median_b", c->median[1]);
	scaled(j, "ratio_ppm", c->ratio.ratio, 1e6);
	scaled(j, "ratio_low_ppm", c->ratio.low, 1e6);
	scaled(j, "ratio_high_ppm", c->ratio.high, 1e6);
	scaled(j, "superiority_ppm", c->test.superiority, 1e6);
	xtr_json_kv_bool(j, "exact_p", c->test.exact);
	scaled(j, "p_uncorrected_ppb", c->test.p, 1e9);
	scaled(j, "p_ppb", c->verdict == XTR_FLEET_FEW ? NAN : c->p, 1e9);
	xtr_json_end_object(j);
}

void xtr_fleet_json_compare(const struct xtr_fleet *f, struct xtr_json *j)
{
	xtr_json_kv_array(j, "cohorts");
	for (size_t i = 0; i < f->n_cohorts; i++) {
		const struct xtr_fleet_cohort *c = &f->cohort[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "cohort", c->name);
		xtr_json_kv_u64(j, "recordings", c->recordings);
		xtr_json_kv_u64(j, "hosts", c->hosts);
		xtr_json_kv_u64(j, "span_ns", c->span_ns);
		xtr_json_kv_u64(j, "jobs", c->jobs);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "tests", f->n_tests);
	xtr_json_kv_array(j, "differences");
	for (size_t i = 0; i < f->n_changes; i++)
		change(f, &f->change[i], j);
	xtr_json_end_array(j);
}
