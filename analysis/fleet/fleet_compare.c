/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cohorts against each other. Recordings are what is independent, not their jobs: each gives one
 * value to a test, and the test is the one that recordings of two sides of a comparison get
 * (analysis/diff): Mann and Whitney's, exact for up to XTR_RANK_EXACT values, corrected by Holm for
 * all tests that can say anything.
 */
#include "fleet_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdicts[] = {
#define VERDICT(id, name) name,
	XTR_FLEET_VERDICTS(VERDICT)
#undef VERDICT
};

const char *xtr_fleet_verdict_name(unsigned int verdict)
{
	return verdict < XTR_FLEET_VERDICT_COUNT ? verdicts[verdict] : NULL;
}

/* --- cohorts ---------------------------------------------------------------------------------- */

/* "6.10" behind "6.9"; what the version order has as equal, by its bytes. */
static int by_version(const char *a, const char *b)
{
	int by = strverscmp(a, b);

	return by ? by : strcmp(a, b);
}

/* Recordings by cohort, then by host, those without one at the end. */
static int by_cohort(const void *a, const void *b, void *f)
{
	const struct xtr_fleet_recording *r = ((struct xtr_fleet *)f)->recording;
	const struct xtr_fleet_recording *x = &r[*(const uint32_t *)a],
					 *y = &r[*(const uint32_t *)b];
	int by = by_version(x->cohort, y->cohort);

	if (by)
		return by;
	if (!x->host || !y->host)
		return !x->host - !y->host;
	return strcmp(x->host, y->host);
}

static void count(struct xtr_fleet_cohort *c, const struct xtr_fleet_recording *r,
		  const struct xtr_fleet_recording *before)
{
	c->recordings++;
	c->span_ns += r->span_ns;
	c->jobs += r->jobs;
	c->hosts += r->host && !(before && before->host && !strcmp(r->host, before->host));
}

/* of: gets the cohort of each recording. */
static int make_cohorts(struct xtr_fleet *f, uint32_t *of)
{
	uint32_t *order = calloc(f->n_recordings + 1, sizeof(*order));
	const struct xtr_fleet_recording *before = NULL;
	size_t n = 0;
	int err = 0;

	f->cohort = calloc(XTR_FLEET_COHORTS_MAX, sizeof(*f->cohort));
	if (!order || !f->cohort)
		err = -ENOMEM;
	for (size_t i = 0; i < f->n_recordings && !err; i++)
		if (!f->recording[i].repeated)
			order[n++] = (uint32_t)i;
	if (!err)
		qsort_r(order, n, sizeof(*order), by_cohort, f);
	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_fleet_recording *r = &f->recording[order[i]];
		bool another = !before || strcmp(before->cohort, r->cohort);

		if (another && f->n_cohorts == XTR_FLEET_COHORTS_MAX) {
			err = -E2BIG;
			break;
		}
		if (another)
			f->cohort[f->n_cohorts++].name = r->cohort;
		of[order[i]] = (uint32_t)f->n_cohorts - 1;
		count(&f->cohort[f->n_cohorts - 1], r, another ? NULL : before);
		before = r;
	}
	free(order);
	return err;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* What the tests are made with: the rows of one group, and room for the values of two sides. */
struct bench {
	const uint32_t *cohort; /* of each recording */
	uint32_t *row;          /* of the group, one for each recording */
	size_t n;
	struct xtr_value_run *side[2];
};

static int by_value(const void *a, const void *b)
{
	const struct xtr_value_run *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static uint64_t median_of(const struct xtr_value_run *v, size_t n)
{
	return n ? v[(n - 1) / 2].value + (v[n / 2].value - v[(n - 1) / 2].value) / 2 : 0;
}

static void gather(const struct xtr_fleet *f, const struct bench *b, struct xtr_fleet_change *c)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct xtr_fleet_row *row = &f->row[b->row[i]];
		const uint32_t cohort = b->cohort[row->recording];
		unsigned int side;

		if (!fleet_has(row, c->metric))
			continue;
		if (cohort == c->b)
			side = 1;
		else if (cohort == c->a || c->a == XTR_FLEET_REST)
			side = 0;
		else
			continue;
		b->side[side][c->n[side]++] = (struct xtr_value_run){ row->value[c->metric], 1 };
	}
	for (unsigned int side = 0; side < 2; side++) {
		qsort(b->side[side], c->n[side], sizeof(**b->side), by_value);
		c->median[side] = median_of(b->side[side], c->n[side]);
	}
}

static int test(struct xtr_fleet *f, const struct bench *b, struct xtr_fleet_change c)
{
	struct xtr_two_samples two = { .factor_a = 1, .factor_b = 1 };
	struct xtr_fleet_change *to;
	int err;

	gather(f, b, &c);
	if (!c.n[0] || !c.n[1])
		return 0;
	two.a = b->side[0];
	two.b = b->side[1];
	two.n_a = c.n[0];
	two.n_b = c.n[1];
	two.n_a_runs = xtr_join_runs(b->side[0], c.n[0]);
	two.n_b_runs = xtr_join_runs(b->side[1], c.n[1]);
	err = xtr_rank_test(&two, &c.test);
	if (err)
		return err;
	xtr_ratio(&two, c.test.deviation, 1 - XTR_FLEET_ALPHA, &c.ratio);
	to = fleet_grow(f->change, f->n_changes, &f->cap_changes, sizeof(*to));
	if (!to)
		return -ENOMEM;
	f->change = to;
	to[f->n_changes++] = c;
	return 0;
}

/* The first of two cohorts is what the second is compared with: one test, not two of the same. */
static int test_group(struct xtr_fleet *f, const struct bench *b, enum xtr_fleet_order order)
{
	const bool rest = order == XTR_FLEET_AGAINST_REST && f->n_cohorts > 2;
	struct xtr_fleet_change c = { .group = f->row[b->row[0]].group };
	int err = 0;

	for (c.b = !rest; c.b < f->n_cohorts && !err; c.b++)
		for (unsigned int m = 0; m < XTR_FLEET_METRIC_COUNT && !err; m++) {
			if (!(f->metrics & 1u << m))
				continue;
			c.metric = m;
			c.a = rest ? XTR_FLEET_REST : c.b - 1;
			err = test(f, b, c);
		}
	return err;
}

static int by_group(const void *a, const void *b, void *f)
{
	const struct xtr_fleet_row *r = ((struct xtr_fleet *)f)->row;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (r[x].group != r[y].group)
		return r[x].group < r[y].group ? -1 : 1;
	return (x > y) - (x < y);
}

static int test_all(struct xtr_fleet *f, struct bench *b, enum xtr_fleet_order order)
{
	uint32_t *row = calloc(f->n_rows + 1, sizeof(*row));
	size_t n = 0;
	int err = row ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->n_rows && !err; i++)
		if (f->row[i].whole)
			row[n++] = (uint32_t)i;
	if (!err)
		qsort_r(row, n, sizeof(*row), by_group, f);
	for (size_t i = 0; i < n && !err; i += b->n) {
		b->row = row + i;
		for (b->n = 1; i + b->n < n; b->n++)
			if (f->row[row[i + b->n]].group != f->row[row[i]].group)
				break;
		err = test_group(f, b, order);
	}
	free(row);
	return err;
}

/* --- verdicts --------------------------------------------------------------------------------- */

static int by_p(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Values that are all equal tell nothing, however many they are. */
static double least_p(const struct xtr_fleet_change *c)
{
	return c->test.tied >= 1 ? 1 : xtr_rank_least_p(c->n[0], c->n[1]);
}

/*
 * Tests that cannot reach the level, however different the values are, take nothing from those that
 * can: which they are depends on the numbers of recordings, not on their values. As many as can
 * reach it together are made: the largest k so that the k-th smallest p that can be had, times k,
 * is at the level or below. *most: what that p is.
 */
static int choose_tests(struct xtr_fleet *f, double *most)
{
	double *p = calloc(f->n_changes + 1, sizeof(*p));

	*most = 0;
	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_changes; i++)
		p[i] = least_p(&f->change[i]);
	qsort(p, f->n_changes, sizeof(*p), by_p);
	for (size_t k = f->n_changes; k && !f->n_tests; k--)
		if ((k == f->n_changes || p[k] > p[k - 1]) &&
		    p[k - 1] * (double)k <= XTR_FLEET_ALPHA) {
			f->n_tests = k;
			*most = p[k - 1];
		}
	free(p);
	return 0;
}

static enum xtr_fleet_verdict verdict(const struct xtr_fleet_change *c)
{
	if (c->p > XTR_FLEET_ALPHA)
		return XTR_FLEET_SAME;
	return c->test.superiority > 0.5 ? XTR_FLEET_MORE : XTR_FLEET_LESS;
}

/* p: room for one of each test. */
static int correct(struct xtr_fleet *f, double *p, double most)
{
	size_t n = 0;
	int err;

	for (size_t i = 0; i < f->n_changes; i++)
		if (least_p(&f->change[i]) <= most)
			p[n++] = f->change[i].test.p;
	err = xtr_holm(p, n);
	n = 0;
	for (size_t i = 0; i < f->n_changes && !err; i++) {
		struct xtr_fleet_change *c = &f->change[i];
		const bool tells = least_p(c) <= most;

		c->p = tells ? p[n++] : 1;
		c->verdict = tells               ? verdict(c)
			     : c->test.tied >= 1 ? XTR_FLEET_SAME
						 : XTR_FLEET_FEW;
	}
	return err;
}

static int judge(struct xtr_fleet *f)
{
	double *p = calloc(f->n_changes + 1, sizeof(*p)), most;
	int err = p ? choose_tests(f, &most) ?: correct(f, p, most) : -ENOMEM;

	free(p);
	return err;
}

/* How far from 1 the ratio is, in either direction. */
static double size_of(const struct xtr_fleet_change *c)
{
	double l = fabs(log(c->ratio.ratio));

	return isnan(l) ? 0 : l;
}

static int by_size(const void *a, const void *b)
{
	const struct xtr_fleet_change *x = a, *y = b;
	const bool x_same = x->verdict >= XTR_FLEET_SAME, y_same = y->verdict >= XTR_FLEET_SAME;

	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	if (x_same != y_same)
		return x_same - y_same;
	if (size_of(x) != size_of(y))
		return size_of(x) > size_of(y) ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (int)x->metric - (int)y->metric;
}

int xtr_fleet_compare(struct xtr_fleet *f, enum xtr_fleet_order order)
{
	uint32_t *cohort = calloc(f->n_recordings + 1, sizeof(*cohort));
	struct bench b = { .cohort = cohort };
	int err = cohort ? make_cohorts(f, cohort) : -ENOMEM;

	for (unsigned int side = 0; side < 2 && !err; side++) {
		b.side[side] = calloc(f->n_recordings + 1, sizeof(**b.side));
		err = b.side[side] ? 0 : -ENOMEM;
	}
	err = err ?: test_all(f, &b, order) ?: judge(f);
	if (!err && f->n_changes)
		qsort(f->change, f->n_changes, sizeof(*f->change), by_size);
	free(b.side[0]);
	free(b.side[1]);
	free(cohort);
	return err;
}

/* --- reading ---------------------------------------------------------------------------------- */

size_t xtr_fleet_n_cohorts(const struct xtr_fleet *f)
{
	return f->n_cohorts;
}

const struct xtr_fleet_cohort *xtr_fleet_cohort(const struct xtr_fleet *f, size_t i)
{
	return &f->cohort[i];
}

size_t xtr_fleet_n_changes(const struct xtr_fleet *f)
{
	return f->n_changes;
}

const struct xtr_fleet_change *xtr_fleet_change(const struct xtr_fleet *f, size_t i)
{
	return &f->change[i];
}

uint64_t xtr_fleet_n_tests(const struct xtr_fleet *f)
{
	return f->n_tests;
}
