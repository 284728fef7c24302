/* SPDX-License-Identifier: BSD-2-Clause */
/* From groups to rows: which times can be compared, the tests, and what they say. */
#include "diff_impl.h"
#include "base/checked.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what can be compared --------------------------------------------------------------------- */

static uint64_t n_of(const struct diff_group *g, unsigned int side, enum xtr_diff_metric metric)
{
	const struct diff_cell *c = g->cell[side][metric];

	return c ? c->all.n + c->all.dropped : 0;
}

/* Of nearly all jobs that ended, execution is known. */
static bool exec_known(const struct diff_group *g, unsigned int side)
{
	uint64_t known = n_of(g, side, XTR_DIFF_EXECUTION);

	return known && (double)known * 100 >=
				(double)n_of(g, side, XTR_DIFF_RESIDENCE) * XTR_DIFF_KNOWN_PERCENT;
}

/* The worst of what the times of a side are. */
static const char *how_known(const struct diff_group *g, const struct xtr_diff_row *row,
			     unsigned int side)
{
	const uint64_t *quality = g->count.quality[side];

	if (row->metric == XTR_DIFF_RESIDENCE && row->instead)
		return exec_known(g, side) ? "known, as residence" : "bounded, as residence";
	if (row->metric != XTR_DIFF_EXECUTION)
		return "recorded";
	return quality[XTR_QUALITY_INFERRED] ? "inferred" : "exact";
}

/*
 * The row's metric: residence instead of execution where that is only bounded. False: there is
 * nothing to compare, or it has a row of its own.
 */
static bool choose(const struct xtr_diff *d, const struct diff_group *g, struct xtr_diff_row *row)
{
	if (row->metric == XTR_DIFF_RESIDENCE && !(d->o.metrics & 1u << XTR_DIFF_RESIDENCE))
		return false;
	if (row->metric == XTR_DIFF_EXECUTION && !(exec_known(g, 0) && exec_known(g, 1))) {
		if (d->o.metrics & 1u << XTR_DIFF_RESIDENCE)
			return false;
		row->metric = XTR_DIFF_RESIDENCE;
		row->instead = true;
	}
	return n_of(g, 0, row->metric) && n_of(g, 1, row->metric);
}

/* --- one row ---------------------------------------------------------------------------------- */

struct samples {
	struct xtr_value_run *run[2];
	size_t n[2];
};

static void samples_free(struct samples *s)
{
	free(s->run[0]);
	free(s->run[1]);
}

static int samples_of(struct samples *s, const struct xtr_values *a, const struct xtr_values *b)
{
	bool coarse = a->coarse || b->coarse;
	int err = xtr_values_runs(a, coarse, &s->run[0], &s->n[0]);

	return err ? err : xtr_values_runs(b, coarse, &s->run[1], &s->n[1]);
}

static void fill_side(struct xtr_diff_side *s, const struct diff_cell *c,
		      const struct xtr_value_run *runs, size_t n)
{
	const struct xtr_values *v = &c->all;

	*s = (struct xtr_diff_side){
		.n = v->n,
		.sum = v->sum,
		.min = v->min,
		.max = v->max,
		.p50 = xtr_runs_quantile(runs, n, 500),
		.p90 = xtr_runs_quantile(runs, n, 900),
		.p99 = xtr_runs_quantile(runs, n, 990),
		.dropped = v->dropped,
		.factor = xtr_values_factor(v),
		.runs = c->runs,
		.median = c->median,
		.values = v,
	};
}

/* Both times of a ratio may be off by this much, in either direction. */
static void widen(struct xtr_ratio *r)
{
	double by = (1 + XTR_VALUES_OFF) / (1 - XTR_VALUES_OFF);

	r->low /= by;
	r->high *= by;
}

static int test(struct xtr_diff_row *row, const struct samples *s)
{
	struct xtr_two_samples two = {
		.a = s->run[0],
		.b = s->run[1],
		.n_a_runs = s->n[0],
		.n_b_runs = s->n[1],
		.n_a = row->side[0].n,
		.n_b = row->side[1].n,
		.factor_a = row->side[0].factor,
		.factor_b = row->side[1].factor,
	};
	int err = xtr_rank_test(&two, &row->test);

	if (err)
		return err;
	row->tested = true;
	row->p = row->test.p;
	xtr_shift(&two, row->test.deviation, XTR_DIFF_CONFIDENCE, &row->shift);
	xtr_ratio(&two, row->test.deviation, XTR_DIFF_CONFIDENCE, &row->ratio);
	if (row->coarse)
		widen(&row->ratio);
	return 0;
}

static int by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* Medians of recordings, as runs; how many. */
static size_t medians(const struct xtr_diff_side *s, struct xtr_value_run *runs)
{
	uint64_t sorted[XTR_DIFF_RUNS_MAX];

	memcpy(sorted, s->median, s->runs * sizeof(*sorted));
	qsort(sorted, s->runs, sizeof(*sorted), by_number);
	for (uint32_t i = 0; i < s->runs; i++)
		runs[i] = (struct xtr_value_run){ sorted[i], 1 };
	return xtr_join_runs(runs, s->runs);
}

/* The recordings' own word: their medians, one for each. */
static int test_runs(struct xtr_diff_row *row)
{
	struct xtr_value_run a[XTR_DIFF_RUNS_MAX], b[XTR_DIFF_RUNS_MAX];
	uint32_t n_a = row->side[0].runs, n_b = row->side[1].runs;
	struct xtr_two_samples two = { a, b, 0, 0, n_a, n_b, 1, 1 };

	row->runs_agree = true;
	if (n_a < 2 || n_b < 2)
		return 0;
	two.n_a_runs = medians(&row->side[0], a);
	two.n_b_runs = medians(&row->side[1], b);
	row->runs_tested = true;
	return xtr_rank_test(&two, &row->runs_test);
}

static int fill_row(struct xtr_diff *d, const struct diff_group *g, struct xtr_diff_row *row)
{
	const struct diff_cell *a = g->cell[0][row->metric], *b = g->cell[1][row->metric];
	struct samples s = { 0 };
	int err = samples_of(&s, &a->all, &b->all);

	if (err) {
		samples_free(&s);
		return err;
	}
	row->coarse = a->all.coarse || b->all.coarse;
	row->known[0] = how_known(g, row, 0);
	row->known[1] = how_known(g, row, 1);
	fill_side(&row->side[0], a, s.run[0], s.n[0]);
	fill_side(&row->side[1], b, s.run[1], s.n[1]);
	row->runs_p = 1;
	if (a->all.dropped || b->all.dropped) {
		row->verdict = XTR_DIFF_UNLIKE;
		row->why = "there was no room for all values";
	} else {
		err = test(row, &s);
		if (!err)
			err = test_runs(row);
		d->n_tests += row->tested;
		d->n_run_tests += row->runs_tested;
	}
	samples_free(&s);
	return err;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* What the first of all tests must reach: p, and how many standard deviations that are. */
struct diff_level {
	double p, z;
};

/* How a row's p is found, of the test of all values or of that of the recordings; NULL: none. */
typedef double *p_fn(struct xtr_diff_row *row);

static double *p_of_values(struct xtr_diff_row *row)
{
	return row->tested ? &row->p : NULL;
}

static double *p_of_runs(struct xtr_diff_row *row)
{
	return row->runs_tell ? &row->runs_p : NULL;
}

/* Holm's correction over the rows of all tables that have this p. */
static int correct(struct xtr_diff *d, p_fn *p_of)
{
	double *p = calloc(d->n_rows + 1, sizeof(*p));
	size_t i, k = 0;
	int err;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < d->n_rows; i++)
		if (p_of(&d->row[i]))
			p[k++] = *p_of(&d->row[i]);
	err = xtr_holm(p, k);
	for (i = 0, k = 0; i < d->n_rows && !err; i++)
		if (p_of(&d->row[i]))
			*p_of(&d->row[i]) = p[k++];
	free(p);
	return err;
}

/*
 * Recordings are enough if the first of so many tests could find something. Where they are not, all
 * of one side must lie above all of the other, which says less.
 */
static int weigh_runs(struct xtr_diff *d)
{
	int err;

	for (size_t i = 0; i < d->n_rows; i++) {
		struct xtr_diff_row *row = &d->row[i];
		double least = xtr_rank_least_p(row->side[0].runs, row->side[1].runs);

		row->runs_tell =
			row->runs_tested && least * (double)d->n_run_tests <= XTR_DIFF_ALPHA;
		row->runs_p = row->runs_tell ? row->runs_test.p : 1;
	}
	err = correct(d, p_of_runs);
	for (size_t i = 0; i < d->n_rows && !err; i++) {
		struct xtr_diff_row *row = &d->row[i];
		bool larger = row->test.superiority > 0.5;

		if (row->runs_tell)
			row->runs_agree = row->runs_p <= XTR_DIFF_ALPHA &&
					  larger == (row->runs_test.superiority > 0.5);
		else if (row->runs_tested)
			row->runs_agree = row->runs_test.superiority == (larger ? 1.0 : 0.0);
	}
	return err;
}

/*
 * So few values, or so dependent ones, that no change, however large, reaches the level of the
 * first of all tests.
 */
static bool too_few(const struct diff_level *l, const struct xtr_diff_row *row)
{
	double pairs = (double)row->side[0].n * (double)row->side[1].n;

	if (xtr_rank_least_p(row->side[0].n, row->side[1].n) > l->p)
		return true;
	return !row->test.exact && l->z * row->test.deviation > pairs / 2;
}

/*
 * The smallest growth that would be seen with this many values that scatter like this, at the level
 * that the first of all tests must reach. The interval of the logarithm is as wide as its error.
 */
static double detectable(const struct diff_level *l, const struct xtr_diff_row *row)
{
	const struct xtr_ratio *r = &row->ratio;
	double error;

	if (!row->side[0].max && !row->side[1].max)
		return 0;
	if (too_few(l, row) || !(r->low > 0) || !isfinite(r->high))
		return INFINITY;
	error = log(r->high / r->low) / 2 / xtr_normal_z(1 - XTR_DIFF_CONFIDENCE);
	/* One-sided: a change in the direction in which it is. */
	return expm1(error * (l->z + xtr_normal_z(2 * (1 - XTR_DIFF_POWER))));
}

static void decide(const struct diff_level *l, struct xtr_diff_row *row)
{
	if (!row->tested)
		return;
	row->detectable = detectable(l, row);
	if (row->p <= XTR_DIFF_ALPHA && row->runs_agree)
		row->verdict = row->test.superiority > 0.5 ? XTR_DIFF_SLOWER : XTR_DIFF_FASTER;
	else
		row->verdict =
			isinf(row->detectable) && too_few(l, row) ? XTR_DIFF_FEW : XTR_DIFF_SAME;
}

static bool changed(const struct xtr_diff_row *row)
{
	return row->verdict == XTR_DIFF_SLOWER || row->verdict == XTR_DIFF_FASTER;
}

static int by_change(const void *pa, const void *pb)
{
	const struct xtr_diff_row *a = pa, *b = pb;
	/* Twice as slow is as much as twice as fast. */
	double x = fabs(log(a->ratio.ratio)), y = fabs(log(b->ratio.ratio));
	int order;

	if (changed(a) != changed(b))
		return changed(a) ? -1 : 1;
	if (!changed(a) && a->verdict != b->verdict)
		return a->verdict < b->verdict ? -1 : 1;
	if (changed(a) && x != y)
		return x < y ? 1 : -1;
	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : (int)a->metric - (int)b->metric;
}

static int by_time(const void *pa, const void *pb)
{
	const struct xtr_diff_count *a = pa, *b = pb;
	uint64_t x = xtr_sat_add(a->time[0], a->time[1]), y = xtr_sat_add(b->time[0], b->time[1]);

	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	if (x != y)
		return x < y ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int make_counts(struct xtr_diff *d)
{
	d->counts = calloc(d->n_groups + 1, sizeof(*d->counts));
	if (!d->counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n_groups; i++) {
		d->group[i].count.name = d->group[i].name;
		d->counts[i] = d->group[i].count;
	}
	qsort(d->counts, d->n_groups, sizeof(*d->counts), by_time);
	return 0;
}

int diff_make_rows(struct xtr_diff *d)
{
	struct diff_level level;
	int err = make_counts(d);

	if (err)
		return err;
	d->row = calloc((size_t)d->n_groups * XTR_DIFF_METRIC_COUNT + 1, sizeof(*d->row));
	if (!d->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n_groups; i++)
		for (unsigned int m = 0; m < XTR_DIFF_METRIC_COUNT && !err; m++) {
			struct xtr_diff_row *row = &d->row[d->n_rows];

			*row = (struct xtr_diff_row){ .by = d->group[i].by,
						      .name = d->group[i].name,
						      .metric = m };
			if (!choose(d, &d->group[i], row))
				continue;
			err = fill_row(d, &d->group[i], row);
			d->n_rows++;
		}
	if (!err)
		err = correct(d, p_of_values);
	if (!err)
		err = weigh_runs(d);
	level.p = XTR_DIFF_ALPHA / (double)(d->n_tests ? d->n_tests : 1);
	level.z = xtr_normal_z(level.p);
	for (size_t k = 0; k < d->n_rows && !err; k++)
		decide(&level, &d->row[k]);
	if (!err && d->n_rows)
		qsort(d->row, d->n_rows, sizeof(*d->row), by_change);
	return err;
}
