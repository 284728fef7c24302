/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which recordings differ from their cohort: the modified z-score of Iglewicz and Hoaglin (How to
 * Detect and Handle Outliers, 1993), 0.6745 (x - median) / MAD, MAD the median distance from the
 * median. Where more than half of the values are equal MAD is 0, and the mean distance stands for
 * it: (x - median) / (1.253314 mean distance). Both denominators are estimates of the standard
 * deviation of normal values.
 */
#include "fleet_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAD_NORMAL  0.6745
#define MEAN_NORMAL 1.253314

/* Members of a set, and what they are measured by. */
struct set {
	const char *cohort;
	uint64_t *value; /* in order */
	size_t n;
	uint64_t median;
	double deviation;
	bool mean_deviation;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of values in order; of an even number the mean of the two in the middle. */
static uint64_t median_of(const uint64_t *v, size_t n)
{
	uint64_t low = v[(n - 1) / 2], high = v[n / 2];

	return low + (high - low) / 2;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void measure(struct set *s)
{
	double sum = 0;

	qsort(s->value, s->n, sizeof(*s->value), by_number);
	s->median = median_of(s->value, s->n);
	for (size_t i = 0; i < s->n; i++) {
		s->value[i] = distance(s->value[i], s->median);
		sum += (double)s->value[i];
	}
	qsort(s->value, s->n, sizeof(*s->value), by_number);
	s->deviation = (double)median_of(s->value, s->n) / MAD_NORMAL;
	s->mean_deviation = s->deviation <= 0;
	if (s->mean_deviation)
		s->deviation = sum / (double)s->n * MEAN_NORMAL;
}

/* The score; 0 where the value does not differ by more than a histogram may make it. */
static double score(const struct set *s, uint64_t value)
{
	const double d = (double)value - (double)s->median;

	if (s->deviation <= 0 || fabs(d) <= (double)s->median * XTR_FLEET_OUTLIER_SHARE)
		return 0;
	return d / s->deviation;
}

static int add(struct xtr_fleet *f, const struct set *s, uint32_t row, unsigned int metric)
{
	const uint64_t value = f->row[row].value[metric];
	const double z = score(s, value);
	struct xtr_fleet_outlier *o;

	if (fabs(z) <= XTR_FLEET_OUTLIER_Z)
		return 0;
	o = fleet_grow(f->outlier, f->n_outliers, &f->cap_outliers, sizeof(*o));
	if (!o)
		return -ENOMEM;
	f->outlier = o;
	o[f->n_outliers++] = (struct xtr_fleet_outlier){
		.row = &f->row[row],
		.metric = metric,
		.cohort = s->cohort,
		.members = (uint32_t)s->n,
		.value = value,
		.median = s->median,
		.deviation = s->deviation,
		.mean_deviation = s->mean_deviation,
		.z = z,
	};
	return 0;
}

/* n rows of one cohort and group; room for as many values. */
static int look_at(struct xtr_fleet *f, const uint32_t *row, size_t n, uint64_t *room)
{
	int err = 0;

	for (unsigned int m = 0; m < XTR_FLEET_METRIC_COUNT && !err; m++) {
		struct set s = { .cohort = f->recording[f->row[row[0]].recording].cohort,
				 .value = room };

		for (size_t i = 0; i < n && f->metrics & 1u << m; i++)
			if (fleet_has(&f->row[row[i]], m))
				room[s.n++] = f->row[row[i]].value[m];
		if (!s.n)
			continue;
		if (s.n < XTR_FLEET_OUTLIER_MEMBERS) {
			f->n_small_sets++;
			continue;
		}
		f->n_sets++;
		measure(&s);
		for (size_t i = 0; i < n && !err; i++)
			if (fleet_has(&f->row[row[i]], m))
				err = add(f, &s, row[i], m);
	}
	return err;
}

/* In one cohort and group? The order is that of by_place. */
static int compare_places(const struct xtr_fleet *f, uint32_t a, uint32_t b)
{
	const struct xtr_fleet_row *x = &f->row[a], *y = &f->row[b];
	int by = strcmp(f->recording[x->recording].cohort, f->recording[y->recording].cohort);

	return by ? by : (x->group > y->group) - (x->group < y->group);
}

static int by_place(const void *a, const void *b, void *f)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int by = compare_places(f, x, y);

	return by ? by : (x > y) - (x < y);
}

static int by_score(const void *a, const void *b)
{
	const struct xtr_fleet_outlier *x = a, *y = b;

	if (fabs(x->z) != fabs(y->z))
		return fabs(x->z) > fabs(y->z) ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (int)x->metric - (int)y->metric;
}

int xtr_fleet_outliers(struct xtr_fleet *f)
{
	uint32_t *row = calloc(f->n_rows + 1, sizeof(*row));
	uint64_t *room = calloc(f->n_rows + 1, sizeof(*room));
	int err = row && room ? 0 : -ENOMEM;
	size_t n = 0;

	/* Each device is a member, and not also all devices of its recording. */
	for (size_t i = 0; i < f->n_rows && !err; i++)
		if (f->row[i].part)
			row[n++] = (uint32_t)i;
	if (!err)
		qsort_r(row, n, sizeof(*row), by_place, f);
	for (size_t i = 0, next; i < n && !err; i = next) {
		for (next = i + 1; next < n && !compare_places(f, row[i], row[next]);)
			next++;
		err = look_at(f, row + i, next - i, room);
	}
	if (!err && f->n_outliers)
		qsort(f->outlier, f->n_outliers, sizeof(*f->outlier), by_score);
	free(row);
	free(room);
	return err;
}

size_t xtr_fleet_n_outliers(const struct xtr_fleet *f)
{
	return f->n_outliers;
}

const struct xtr_fleet_outlier *xtr_fleet_outlier(const struct xtr_fleet *f, size_t i)
{
	return &f->outlier[i];
}

uint64_t xtr_fleet_n_sets(const struct xtr_fleet *f)
{
	return f->n_sets;
}

uint64_t xtr_fleet_n_small_sets(const struct xtr_fleet *f)
{
	return f->n_small_sets;
}
