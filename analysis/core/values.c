/* SPDX-License-Identifier: BSD-2-Clause */
#include "values.h"
#include "base/checked.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES  (XTR_VALUES_SUB * sizeof(uint64_t))
#define PAGES_BYTES (XTR_VALUES_GROUPS * sizeof(uint64_t *))
#define FIRST_CAP   16u

/* Group 0 holds 0..1023; group g >= 1 holds [1024 << (g-1), 2048 << (g-1)). */
static unsigned int group_of(uint64_t value)
{
	return 64u - XTR_VALUES_SUB_BITS -
	       (unsigned int)__builtin_clzll(value | (XTR_VALUES_SUB - 1));
}

static uint32_t slot_of(uint64_t value, unsigned int g)
{
	return (uint32_t)(value >> (g - !!g)) & (XTR_VALUES_SUB - 1);
}

static uint64_t middle(unsigned int g, uint32_t slot)
{
	uint64_t width = g ? 1ull << (g - 1) : 1;

	return (g ? (uint64_t)XTR_VALUES_SUB + slot : slot) * width + (width - 1) / 2;
}

static uint64_t rounded(uint64_t value)
{
	unsigned int g = group_of(value);

	return middle(g, slot_of(value, g));
}

/* True if there is room for them. */
static bool take(size_t *left, size_t bytes)
{
	if (bytes > *left)
		return false;
	*left -= bytes;
	return true;
}

/* 1: counted; 0: no room; -ENOMEM. */
static int count(struct xtr_values *v, uint64_t value, uint64_t n, size_t *left)
{
	unsigned int g = group_of(value);

	if (!v->page[g]) {
		if (!take(left, PAGE_BYTES))
			return 0;
		v->page[g] = calloc(XTR_VALUES_SUB, sizeof(uint64_t));
		if (!v->page[g]) {
			*left += PAGE_BYTES;
			return -ENOMEM;
		}
	}
	v->page[g][slot_of(value, g)] += n;
	return 1;
}

static void drop(struct xtr_values *v, uint64_t n)
{
	v->dropped += n;
}

/* The values so far into a histogram; those that it has no room for are dropped. 0 or -ENOMEM. */
static int make_coarse(struct xtr_values *v, size_t *left)
{
	uint64_t *exact = v->exact, n = v->n;
	int err = 1;

	if (!take(left, PAGES_BYTES))
		return -ENOSPC;
	v->page = calloc(XTR_VALUES_GROUPS, sizeof(uint64_t *));
	if (!v->page) {
		*left += PAGES_BYTES;
		return -ENOMEM;
	}
	v->coarse = true;
	/* Counted as given back: what it holds is to have room, and it soon is. */
	*left += v->cap * sizeof(uint64_t);
	for (uint64_t i = 0; i < n && err >= 0; i++) {
		err = count(v, exact[i], 1, left);
		if (!err) {
			v->n--;
			drop(v, 1);
		}
	}
	free(exact);
	v->exact = NULL;
	v->cap = 0;
	return err < 0 ? err : 0;
}

/* Room for n more as they are: 1, 0 (there is none), or -ENOMEM. */
static int grow(struct xtr_values *v, uint64_t n, size_t *left)
{
	uint32_t cap = v->cap ? v->cap : FIRST_CAP;
	size_t more;
	uint64_t *exact;

	while (cap < v->n + n)
		cap *= 2;
	if (cap == v->cap)
		return 1;
	more = (cap - v->cap) * sizeof(*exact);
	if (!take(left, more))
		return 0;
	exact = realloc(v->exact, cap * sizeof(*exact));
	if (!exact) {
		*left += more;
		return -ENOMEM;
	}
	v->exact = exact;
	v->cap = cap;
	return 1;
}

/* 1: kept; 0: there is no room; -ENOMEM. */
static int keep(struct xtr_values *v, uint64_t value, uint64_t n, size_t *left)
{
	int err;

	if (!v->coarse && n <= XTR_VALUES_EXACT && v->n + n <= XTR_VALUES_EXACT) {
		err = grow(v, n, left);
		for (uint64_t i = 0; i < n && err > 0; i++)
			v->exact[v->n + i] = value;
		return err;
	}
	err = v->coarse ? 0 : make_coarse(v, left);
	if (err)
		return err == -ENOSPC ? 0 : err;
	return count(v, value, n, left);
}

int xtr_values_add_n(struct xtr_values *v, uint64_t value, uint64_t n, size_t *left)
{
	uint64_t sum;
	int err;

	value = value < XTR_VALUES_MOST ? value : XTR_VALUES_MOST;
	err = keep(v, value, n, left);
	if (err < 0)
		return err;
	v->sum = __builtin_mul_overflow(value, n, &sum) ? UINT64_MAX : xtr_sat_add(v->sum, sum);
	if (!err) {
		drop(v, n);
		return 0;
	}
	if (!v->n || value < v->min)
		v->min = value;
	if (value > v->max)
		v->max = value;
	v->n += n;
	return 0;
}

int xtr_values_add(struct xtr_values *v, uint64_t value, size_t *left)
{
	xtr_serial_add(&v->row, log((double)value + 1));
	return xtr_values_add_n(v, value, 1, left);
}

int xtr_values_merge(struct xtr_values *dst, const struct xtr_values *src, size_t *left)
{
	/* What rounding makes of it is not its sum, nor are its ends its ends. */
	uint64_t sum = xtr_sat_add(dst->sum, src->sum), i;
	uint64_t min = dst->n && (!src->n || dst->min < src->min) ? dst->min : src->min;
	uint64_t max = dst->max > src->max ? dst->max : src->max;
	double dependent = xtr_values_factor(dst) * (double)dst->n;
	struct xtr_value_run *runs;
	size_t n;
	int err = xtr_values_runs(src, src->coarse, &runs, &n);

	if (err)
		return err;
	/* One that was kept exactly stays so as long as both together fit. */
	for (i = 0; i < n && !err; i++)
		err = xtr_values_add_n(dst, runs[i].value, runs[i].n, left);
	free(runs);
	dst->sum = sum;
	dst->dropped += src->dropped;
	dst->min = min;
	dst->max = max;
	dst->dependent = dependent + xtr_values_factor(src) * (double)src->n;
	dst->row = (struct xtr_serial){ 0 };
	return err;
}

void xtr_values_free(struct xtr_values *v, size_t *left)
{
	for (unsigned int g = 0; v->page && g < XTR_VALUES_GROUPS; g++) {
		*left += v->page[g] ? PAGE_BYTES : 0;
		free(v->page[g]);
	}
	*left += v->page ? PAGES_BYTES : 0;
	*left += v->cap * sizeof(uint64_t);
	free((void *)v->page);
	free(v->exact);
	*v = (struct xtr_values){ 0 };
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static void put(struct xtr_value_run *runs, size_t *n, uint64_t value, uint64_t k)
{
	if (*n && runs[*n - 1].value == value)
		runs[*n - 1].n += k;
	else
		runs[(*n)++] = (struct xtr_value_run){ value, k };
}

static int exact_runs(const struct xtr_values *v, bool coarse, struct xtr_value_run *runs,
		      size_t *n)
{
	uint64_t *sorted = malloc((v->n + 1) * sizeof(*sorted)), i;

	if (!sorted)
		return -ENOMEM;
	if (v->n) {
		memcpy(sorted, v->exact, v->n * sizeof(*sorted));
		qsort(sorted, v->n, sizeof(*sorted), by_value);
	}
	for (i = 0; i < v->n; i++)
		put(runs, n, coarse ? rounded(sorted[i]) : sorted[i], 1);
	free(sorted);
	return 0;
}

static size_t full_slots(const struct xtr_values *v)
{
	size_t n = 0;

	for (unsigned int g = 0; g < XTR_VALUES_GROUPS; g++)
		for (unsigned int i = 0; v->page[g] && i < XTR_VALUES_SUB; i++)
			n += !!v->page[g][i];
	return n;
}

int xtr_values_runs(const struct xtr_values *v, bool coarse, struct xtr_value_run **out, size_t *n)
{
	size_t most = v->coarse ? full_slots(v) : v->n;
	struct xtr_value_run *runs = calloc(most + 1, sizeof(*runs));
	int err = 0;

	*n = 0;
	if (!runs)
		return -ENOMEM;
	if (!v->coarse)
		err = exact_runs(v, coarse, runs, n);
	for (unsigned int g = 0; v->coarse && g < XTR_VALUES_GROUPS; g++)
		for (unsigned int i = 0; v->page[g] && i < XTR_VALUES_SUB; i++)
			if (v->page[g][i])
				put(runs, n, middle(g, i), v->page[g][i]);
	if (err)
		free(runs);
	else
		*out = runs;
	return err;
}

uint64_t xtr_runs_quantile(const struct xtr_value_run *runs, size_t n_runs, unsigned int permille)
{
	uint64_t n = 0, rank, below = 0;

	for (size_t i = 0; i < n_runs; i++)
		n += runs[i].n;
	rank = (uint64_t)(((unsigned __int128)n * permille + 999) / 1000);
	rank = rank ? rank : 1;
	for (size_t i = 0; i < n_runs; i++) {
		below += runs[i].n;
		if (below >= rank)
			return runs[i].value;
	}
	return 0;
}

double xtr_values_factor(const struct xtr_values *v)
{
	if (!v->n)
		return 1;
	return v->row.n ? xtr_serial_factor(&v->row) : v->dependent / (double)v->n;
}

/* --- serial ----------------------------------------------------------------------------------- */

#define LEAST       10u  /* values from which anything can be said */
#define LEAST_BATCH 16u  /* batches */
#define CLEARLY     1.64 /* standard errors: of independent series one in twenty seems more */
#define R_MAX       0.99

/* Two neighbours become one. */
static void halve(struct xtr_serial *s)
{
	for (uint32_t i = 0; i < XTR_SERIAL_BATCHES / 2; i++)
		s->batch[i] = s->batch[2 * i] + s->batch[2 * i + 1];
	s->n_batches = XTR_SERIAL_BATCHES / 2;
	s->size *= 2;
}

void xtr_serial_add(struct xtr_serial *s, double x)
{
	if (!s->n) {
		s->first = x;
		s->size = 1;
	}
	x -= s->first;
	if (s->n)
		s->product += x * s->last;
	s->last = x;
	s->sum += x;
	s->squares += x * x;
	s->n++;
	s->part += x;
	if (++s->in_part < s->size)
		return;
	s->batch[s->n_batches++] = s->part;
	s->part = 0;
	s->in_part = 0;
	if (s->n_batches == XTR_SERIAL_BATCHES)
		halve(s);
}

/* From the correlation of neighbours. */
static double of_neighbours(const struct xtr_serial *s, double mean, double variance)
{
	double n = (double)s->n, r;

	/* The sum over n - 1 products, each less the mean: the first x is 0, the last one known. */
	r = s->product - mean * (2 * s->sum - s->last) + (n - 1) * mean * mean;
	r /= n * variance;
	if (r < CLEARLY / sqrt(n))
		return 1;
	r = r > R_MAX ? R_MAX : r;
	return (1 + r) / (1 - r);
}

static double of_batches(const struct xtr_serial *s, double variance)
{
	double sum = 0, squares = 0, k = s->n_batches, f;

	if (s->n_batches < LEAST_BATCH || s->size < 2)
		return 1;
	for (uint32_t i = 0; i < s->n_batches; i++)
		sum += s->batch[i];
	for (uint32_t i = 0; i < s->n_batches; i++)
		squares += (s->batch[i] - sum / k) * (s->batch[i] - sum / k);
	f = squares / (k - 1) / (double)s->size / variance;
	return f < 1 + CLEARLY * sqrt(2 / (k - 1)) ? 1 : f;
}

double xtr_serial_factor(const struct xtr_serial *s)
{
	double mean, variance, near, far;

	if (s->n < LEAST)
		return 1;
	mean = s->sum / (double)s->n;
	variance = s->squares / (double)s->n - mean * mean;
	if (!(variance > 1e-12 * s->squares / (double)s->n)) /* all the same, but for rounding */
		return 1;
	near = of_neighbours(s, mean, variance);
	far = of_batches(s, variance);
	return near > far ? near : far;
}
