/* SPDX-License-Identifier: BSD-2-Clause */
#include "overlap.h"

/* Welford's method. */
static void add(struct xtr_moments *m, double x)
{
	double distance = x - m->mean;

	m->n++;
	m->mean += distance / m->n;
	m->m2 += distance * (x - m->mean);
}

static double variance(const struct xtr_moments *m)
{
	return m->n > 1 ? m->m2 / (m->n - 1) : 0;
}

static bool has_spread(const struct xtr_moments *m, double share)
{
	return variance(m) > m->mean * m->mean * share * share;
}

void xtr_overlap_add(struct xtr_overlap *o, uint64_t residence, uint64_t wait)
{
	double r = (double)residence, w = (double)wait;

	if (!wait) {
		add(&o->alone, r);
		return;
	}
	add(&o->residence, r);
	add(&o->wait, w);
	if (w >= r * XTR_OVERLAP_WAIT)
		add(&o->behind, r);
	if (r - w >= o->alone.mean * (1 - XTR_OVERLAP_SPREAD))
		o->as_long++;
}

static bool equal(const struct xtr_overlap *o)
{
	double difference = o->behind.mean - o->alone.mean;

	return !has_spread(&o->alone, XTR_OVERLAP_SPREAD) &&
	       !has_spread(&o->behind, XTR_OVERLAP_SPREAD) &&
	       difference < o->alone.mean * XTR_OVERLAP_SAME &&
	       -difference < o->alone.mean * XTR_OVERLAP_SAME;
}

bool xtr_overlap_is_parallel(const struct xtr_overlap *o)
{
	if (o->alone.n < XTR_OVERLAP_ALONE || o->behind.n < XTR_OVERLAP_BEHIND)
		return false;
	return equal(o) && variance(&o->residence) < variance(&o->wait) * XTR_OVERLAP_STEADY &&
	       o->as_long < o->residence.n * XTR_OVERLAP_FEW;
}
