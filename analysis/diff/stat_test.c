/* SPDX-License-Identifier: BSD-2-Clause */
#include "stat_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double xtr_normal_p(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

double xtr_normal_z(double p)
{
	double low = 0, high = 40, z;

	for (int i = 0; i < 100; i++) {
		z = (low + high) / 2;
		if (xtr_normal_p(z) > p)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}

size_t xtr_join_runs(struct xtr_value_run *run, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && run[kept - 1].value == run[i].value)
			run[kept - 1].n += run[i].n;
		else
			run[kept++] = run[i];
	}
	return kept;
}

/* --- both samples in one order ---------------------------------------------------------------- */

struct step { /* a value that occurs */
	uint64_t a, b;
};

struct both {
	const struct xtr_two_samples *s;
	size_t i, k;
};

/* The next value in order; false at the end. */
static bool next(struct both *w, struct step *step)
{
	const struct xtr_two_samples *s = w->s;
	bool more_a = w->i < s->n_a_runs, more_b = w->k < s->n_b_runs;
	uint64_t value;

	if (!more_a && !more_b)
		return false;
	if (more_a && (!more_b || s->a[w->i].value <= s->b[w->k].value))
		value = s->a[w->i].value;
	else
		value = s->b[w->k].value;
	step->a = more_a && s->a[w->i].value == value ? s->a[w->i++].n : 0;
	step->b = more_b && s->b[w->k].value == value ? s->b[w->k++].n : 0;
	return true;
}

struct ranks {
	double larger; /* pairs in which b is larger; half of the equal ones */
	double tied;   /* pairs that are equal */
	double cubes;  /* sum of t^3 - t over groups of t equal values */
};

static void rank(const struct xtr_two_samples *s, struct ranks *r)
{
	struct both w = { .s = s };
	struct step step;
	double below = 0, t;

	*r = (struct ranks){ 0 };
	while (next(&w, &step)) {
		r->larger += (double)step.b * (below + (double)step.a / 2);
		r->tied += (double)step.a * (double)step.b;
		t = (double)step.a + (double)step.b;
		r->cubes += t * t * t - t;
		below += (double)step.a;
	}
}

/* --- the test --------------------------------------------------------------------------------- */

#define SUMS (XTR_RANK_EXACT * (XTR_RANK_EXACT + 1) + 1) /* doubled rank sums, from 0 */

struct ways {
	/* [k][sum]: ways to choose k of the values so far with this doubled rank sum */
	double n[XTR_RANK_EXACT / 2 + 1][SUMS];
};

/* t more values of doubled rank `twice`. */
static void add_rank(struct ways *w, unsigned int most, unsigned int twice, uint64_t t)
{
	for (; t; t--)
		for (unsigned int k = most; k > 0; k--)
			for (unsigned int sum = SUMS - 1; sum >= twice; sum--)
				w->n[k][sum] += w->n[k - 1][sum - twice];
}

/* Twice the smaller tail of the rank sums of the smaller sample, over all ways to choose it. */
static int exact_p(const struct xtr_two_samples *s, double *p)
{
	struct ways *w = calloc(1, sizeof(*w));
	struct both both = { .s = s };
	struct step step;
	bool of_a = s->n_a <= s->n_b;
	unsigned int k = (unsigned int)(of_a ? s->n_a : s->n_b), below = 0, twice, seen = 0, sum;
	double low = 0, high = 0, all = 0;

	if (!w)
		return -ENOMEM;
	w->n[0][0] = 1;
	while (next(&both, &step)) {
		twice = 2 * below + (unsigned int)(step.a + step.b) + 1;
		add_rank(w, k, twice, step.a + step.b);
		seen += twice * (unsigned int)(of_a ? step.a : step.b);
		below += (unsigned int)(step.a + step.b);
	}
	for (sum = 0; sum < SUMS; sum++) {
		all += w->n[k][sum];
		low += sum <= seen ? w->n[k][sum] : 0;
		high += sum >= seen ? w->n[k][sum] : 0;
	}
	free(w);
	*p = fmin(1, 2 * fmin(low, high) / all);
	return 0;
}

/* What dependence among neighbours makes of the variance. */
static double inflation(const struct xtr_two_samples *s)
{
	double a = 1 / (double)s->n_a, b = 1 / (double)s->n_b;

	return (s->factor_a * a + s->factor_b * b) / (a + b);
}

/* The same p with the standard deviation so many times as large. */
static double widened(double p, double by)
{
	if (by <= 1 || p >= 1)
		return p;
	return xtr_normal_p(xtr_normal_z(p) / by);
}

int xtr_rank_test(const struct xtr_two_samples *s, struct xtr_rank_test *t)
{
	double pairs = (double)s->n_a * (double)s->n_b, n = (double)s->n_a + (double)s->n_b, off;
	double wider;
	struct ranks r;
	int err = 0;

	*t = (struct xtr_rank_test){ .p = 1, .superiority = 0.5 };
	if (!s->n_a || !s->n_b)
		return 0;
	rank(s, &r);
	wider = sqrt(inflation(s));
	t->superiority = r.larger / pairs;
	t->tied = r.tied / pairs;
	t->deviation = wider * sqrt(fmax(0, pairs / 12 * (n + 1 - r.cubes / (n * (n - 1)))));
	if (s->n_a <= XTR_RANK_EXACT && s->n_b <= XTR_RANK_EXACT && n <= XTR_RANK_EXACT) {
		t->exact = true;
		err = exact_p(s, &t->p);
		t->p = widened(t->p, wider);
		return err;
	}
	off = fmax(0, fabs(r.larger - pairs / 2) - 0.5);
	t->p = t->deviation > 0 ? xtr_normal_p(off / t->deviation) : 1;
	return 0;
}

double xtr_rank_least_p(uint64_t n_a, uint64_t n_b)
{
	uint64_t few = n_a < n_b ? n_a : n_b;
	double p = 2;

	if (!few)
		return 1;
	/* 2 / (n_a + n_b choose few); beyond 64 steps it is less than 1e-30 */
	for (uint64_t i = 1; i <= few && i <= 64; i++)
		p *= (double)i / ((double)(n_a > n_b ? n_a : n_b) + (double)i);
	return fmin(1, p);
}

/* --- the shift -------------------------------------------------------------------------------- */

/* Pairs with b - a <= d. */
static double pairs_within(const struct xtr_two_samples *s, int64_t d)
{
	double within = 0, of_b = 0;
	size_t k = 0;

	for (size_t i = 0; i < s->n_a_runs; i++) {
		for (; k < s->n_b_runs && (int64_t)s->b[k].value - (int64_t)s->a[i].value <= d; k++)
			of_b += (double)s->b[k].n;
		within += (double)s->a[i].n * of_b;
	}
	return within;
}

/* The difference of rank `wanted`, from 1, of all pairs in order. */
static int64_t difference(const struct xtr_two_samples *s, double wanted)
{
	int64_t low = (int64_t)s->b[0].value - (int64_t)s->a[s->n_a_runs - 1].value, d;
	int64_t high = (int64_t)s->b[s->n_b_runs - 1].value - (int64_t)s->a[0].value;

	while (low < high) {
		d = low + (high - low) / 2; /* towards low: high - low is positive */
		if (pairs_within(s, d) >= wanted)
			high = d;
		else
			low = d + 1;
	}
	return low;
}

/* What the test's inverse says of n pairs in order: ranks from 1. */
struct wanted {
	double below, above; /* the middle: the same if n is odd */
	double low, high;    /* the interval's ends; below 1 or above n: none */
};

static struct wanted wanted_of(double n, double deviation, double confidence)
{
	double off = xtr_normal_z(1 - confidence) * deviation;

	return (struct wanted){ .below = floor((n + 1) / 2),
				.above = floor(n / 2) + 1,
				.low = floor(n / 2 - off),
				.high = ceil(n / 2 + off) + 1 };
}

void xtr_shift(const struct xtr_two_samples *s, double deviation, double confidence,
	       struct xtr_shift *shift)
{
	double pairs = (double)s->n_a * (double)s->n_b;
	struct wanted w = wanted_of(pairs, deviation, confidence);

	shift->shift = ((double)difference(s, w.below) + (double)difference(s, w.above)) / 2;
	shift->low = w.low < 1 ? -INFINITY : (double)difference(s, w.low);
	shift->high = w.high > pairs ? INFINITY : (double)difference(s, w.high);
}

/* --- the ratio -------------------------------------------------------------------------------- */

/* Zeros come first. How many. */
static uint64_t zeros(const struct xtr_value_run *runs, size_t n)
{
	return n && !runs[0].value ? runs[0].n : 0;
}

/* Pairs by their ratio: 0, of two positive values, INFINITY. */
struct by_ratio {
	struct xtr_two_samples positive;
	double none, some, infinite;
};

static struct by_ratio by_ratio(const struct xtr_two_samples *s)
{
	uint64_t a = zeros(s->a, s->n_a_runs), b = zeros(s->b, s->n_b_runs);
	struct by_ratio r = { .positive = *s };

	r.positive.a += !!a;
	r.positive.b += !!b;
	r.positive.n_a_runs -= !!a;
	r.positive.n_b_runs -= !!b;
	r.positive.n_a -= a;
	r.positive.n_b -= b;
	r.none = (double)r.positive.n_a * (double)b;
	r.some = (double)r.positive.n_a * (double)r.positive.n_b;
	r.infinite = (double)a * (double)r.positive.n_b;
	return r;
}

/* Rounded alike wherever it is asked for; not smaller for a larger b, nor for a smaller a. */
static double quotient(const struct xtr_value_run *b, const struct xtr_value_run *a)
{
	return (double)b->value / (double)a->value;
}

/* Pairs of positive values with b / a <= r. */
static double quotients_within(const struct xtr_two_samples *s, double r)
{
	double within = 0, of_b = 0;
	size_t k = 0;

	for (size_t i = 0; i < s->n_a_runs; i++) {
		for (; k < s->n_b_runs && quotient(&s->b[k], &s->a[i]) <= r; k++)
			of_b += (double)s->b[k].n;
		within += (double)s->a[i].n * of_b;
	}
	return within;
}

/* Positive numbers are in the order of their bits. */
static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static double from_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The ratio of this rank, from 1, of all pairs in order. */
static double ratio_at(const struct by_ratio *r, double rank)
{
	const struct xtr_two_samples *s = &r->positive;
	uint64_t low, high, middle;

	if (rank <= r->none)
		return 0;
	if (rank > r->none + r->some)
		return INFINITY;
	low = bits_of(quotient(&s->b[0], &s->a[s->n_a_runs - 1]));
	high = bits_of(quotient(&s->b[s->n_b_runs - 1], &s->a[0]));
	while (low < high) {
		middle = low + (high - low) / 2;
		if (quotients_within(s, from_bits(middle)) >= rank - r->none)
			high = middle;
		else
			low = middle + 1;
	}
	return from_bits(low);
}

void xtr_ratio(const struct xtr_two_samples *s, double deviation, double confidence,
	       struct xtr_ratio *ratio)
{
	struct by_ratio r = by_ratio(s);
	double pairs = r.none + r.some + r.infinite, below, above;
	struct wanted w = wanted_of(pairs, deviation, confidence);

	if (!(pairs > 0)) {
		*ratio = (struct xtr_ratio){ NAN, NAN, NAN };
		return;
	}
	below = ratio_at(&r, w.below);
	above = ratio_at(&r, w.above);
	ratio->ratio = below < above ? sqrt(below * above) : below;
	ratio->low = w.low < 1 ? 0 : ratio_at(&r, w.low);
	ratio->high = w.high > pairs ? INFINITY : ratio_at(&r, w.high);
}

/* --- many tests ------------------------------------------------------------------------------- */

static int by_p(const void *pa, const void *pb)
{
	const double *const *a = pa, *const *b = pb;

	return (**a > **b) - (**a < **b);
}

int xtr_holm(double *p, size_t n)
{
	double **order = calloc(n + 1, sizeof(double *)), most = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = &p[i];
	qsort((void *)order, n, sizeof(*order), by_p);
	for (size_t i = 0; i < n; i++) {
		most = fmax(most, fmin(1, *order[i] * (double)(n - i)));
		*order[i] = most;
	}
	free((void *)order);
	return 0;
}
