// SPDX-License-Identifier: BSD-2-Clause
#include "serial.h"

#include <math.h>

#define LEAST       10u  /* values from which anything can be said */
#define LEAST_BATCH 16u  /* batches */
#define CLEARLY     1.64 /* standard errors: of independent series one in twenty seems more */
#define R_MAX       0.99

/* Two neighbours become one. */
static void halve(struct xtr_serial *s)
{
	uint32_t i;

	for (i = 0; i < XTR_SERIAL_BATCHES / 2; i++)
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
	uint32_t i;

	if (s->n_batches < LEAST_BATCH || s->size < 2)
		return 1;
	for (i = 0; i < s->n_batches; i++)
		sum += s->batch[i];
	for (i = 0; i < s->n_batches; i++)
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
