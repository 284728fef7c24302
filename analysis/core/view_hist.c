/* SPDX-License-Identifier: BSD-2-Clause */
/* The text view's histograms. */
#include "view.h"
#include "base/text.h"

#include <string.h>

#define BAR         40u
#define POWERS      65u
#define RINGS_SHOWN 8u

static unsigned int power_of(uint64_t v)
{
	return v ? 64u - (unsigned int)__builtin_clzll(v) : 0;
}

/* Buckets of a power of two: [0], [1], [2, 3], [4, 7], ... */
static void fold(const struct xtr_hist *h, uint64_t n[POWERS])
{
	struct xtr_hist_bucket b;
	uint32_t pos = 0;

	memset(n, 0, POWERS * sizeof(*n));
	while (xtr_hist_next(h, &pos, &b))
		n[power_of(b.lo)] += b.n;
}

static void bounds(unsigned int power, bool times, char lo[XTR_TEXT_NUMBER],
		   char hi[XTR_TEXT_NUMBER])
{
	uint64_t from = power ? 1ull << (power - 1) : 0;
	uint64_t to = power ? from + (from - 1) : 0;

	if (times) {
		xtr_text_ns(lo, from);
		xtr_text_ns(hi, to);
	} else {
		xtr_text_count(lo, from);
		xtr_text_count(hi, to);
	}
}

void xtr_view_text_hist(FILE *f, const struct xtr_hist *h, bool times)
{
	char lo[XTR_TEXT_NUMBER], hi[XTR_TEXT_NUMBER], count[XTR_TEXT_NUMBER];
	uint64_t n[POWERS], most = 0;
	unsigned int first = POWERS, last = 0, bar;

	fold(h, n);
	for (unsigned int i = 0; i < POWERS; i++) {
		if (!n[i])
			continue;
		if (first == POWERS)
			first = i;
		last = i;
		if (n[i] > most)
			most = n[i];
	}
	for (unsigned int i = first; i <= last && first < POWERS; i++) {
		bounds(i, times, lo, hi);
		fprintf(f, "    %9s .. %-9s %12s |", lo, hi, xtr_text_count(count, n[i]));
		bar = (unsigned int)((__uint128_t)n[i] * BAR / most);
		for (unsigned int k = 0; k < bar || (n[i] && !k); k++)
			fputc('#', f);
		fputc('\n', f);
	}
}

static void ring_histograms(const struct xtr_view *v, const struct xtr_stats_row *row)
{
	const struct xtr_stats_ring *ring = xtr_stats_ring(v->stats, row->ring->index);
	char name[XTR_TEXT_NAME + 16], dev[XTR_TEXT_NAME];
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER];

	xtr_text_name(dev, sizeof(dev), row->device, strlen(row->device));
	xtr_view_ring(v, row->ring, name, sizeof(name));
	if (row->agg.exec.n) {
		fprintf(v->f, "  %s %s: execution time of %s of %s %s\n", dev, name,
			xtr_text_count(n, row->agg.exec.n), xtr_text_count(m, row->agg.resided),
			row->agg.resided == 1 ? "job" : "jobs");
		xtr_view_text_hist(v->f, &row->agg.exec, true);
	} else if (row->agg.residence.n) {
		fprintf(v->f, "  %s %s: residence (upper bound of execution time)\n", dev, name);
		xtr_view_text_hist(v->f, &row->agg.residence, true);
	}
	if (ring->depth_run.n) {
		fprintf(v->f, "  %s %s: queue depth when a job was run\n", dev, name);
		xtr_view_text_hist(v->f, &ring->depth_run, false);
	}
}

void xtr_view_text_histograms(const struct xtr_view *v)
{
	size_t i, n = xtr_stats_n_rows(v->stats, XTR_BY_RING);

	for (i = 0; i < n && i < RINGS_SHOWN; i++)
		ring_histograms(v, xtr_stats_row(v->stats, XTR_BY_RING, i));
	if (n > RINGS_SHOWN)
		fprintf(v->f, "  ... and %zu more rings (select with --ring)\n", n - RINGS_SHOWN);
}
