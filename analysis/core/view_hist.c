/* SPDX-License-Identifier: BSD-2-Clause */
/* The text view's histograms, and what events a trace holds. */
#include "view.h"
#include "format/read/reader.h"
#include "grid.h"
#include "replay/notes/notes.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
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

int xtr_view_text_histograms(const struct xtr_view *v)
{
	size_t i, n = xtr_stats_n_rows(v->stats, XTR_BY_RING);

	for (i = 0; i < n && i < RINGS_SHOWN; i++)
		ring_histograms(v, xtr_stats_row(v->stats, XTR_BY_RING, i));
	if (n > RINGS_SHOWN)
		fprintf(v->f, "  ... and %zu more rings (select with --ring)\n", n - RINGS_SHOWN);
	return 0;
}

/* An event of a kind that the trace has, or that was left out of it. */
struct event_row {
	const char *name; /* NULL: META does not describe it */
	uint32_t type;
	uint64_t n, left_out;
};

/* Most frequent first, then by name; those without one at the end, by number. */
static int by_count(const void *pa, const void *pb)
{
	const struct event_row *a = pa, *b = pb;
	int order;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	if (!a->name != !b->name)
		return a->name ? -1 : 1;
	order = a->name ? strcmp(a->name, b->name) : 0;
	return order ? order : a->type < b->type ? -1 : a->type > b->type;
}

/* Into rows, or, if that is NULL, only how many there are. */
static size_t event_rows(const struct xtr_view *v, const uint64_t *left_out, struct event_row *rows)
{
	const struct xtr_event_desc *desc;
	size_t n = 0;

	for (uint32_t type = 1; type < 65536; type++) {
		struct event_row row = { .type = type,
					 .n = xtr_stats_events_of(v->stats, type),
					 .left_out = left_out ? left_out[type] : 0 };

		if (!row.n && !row.left_out)
			continue;
		if (rows) {
			desc = xtr_meta_event(xtr_section_meta(v->section), type);
			row.name = desc ? desc->name : NULL;
			rows[n] = row;
		}
		n++;
	}
	return n;
}

static const char *event_name(const struct event_row *row, char *buf, size_t size)
{
	if (row->name)
		xtr_text_name(buf, size, row->name, strlen(row->name));
	else
		snprintf(buf, size, "type %u", row->type);
	return buf;
}

static int print_events(const struct xtr_view *v, const struct event_row *rows, size_t n,
			bool budget)
{
	static const char *const titles[] = { "<event", "count", NULL };
	static const char *const with_left_out[] = { "<event", "count", "left out", NULL };
	struct xtr_grid *t = xtr_grid_new(budget ? with_left_out : titles);
	char buf[XTR_TEXT_NAME];

	for (size_t i = 0; i < n; i++) {
		xtr_grid_cell(t, event_name(&rows[i], buf, sizeof(buf)));
		xtr_grid_cell(t, xtr_text_count(buf, rows[i].n));
		if (budget)
			xtr_grid_cell(t, xtr_text_count(buf, rows[i].left_out));
	}
	return xtr_grid_print(t, v->f, 2);
}

/* With a budget, also what it left out: in the whole file, whatever part of it is shown. */
int xtr_view_text_events(const struct xtr_view *v)
{
	uint64_t *left_out = xtr_budgeted_by_type(v->section);
	size_t n = event_rows(v, left_out, NULL);
	struct event_row *rows = calloc(n + 1, sizeof(*rows));
	int err = -ENOMEM;

	if (rows) {
		event_rows(v, left_out, rows);
		qsort(rows, n, sizeof(*rows), by_count);
		err = print_events(v, rows, n, left_out);
	}
	free(rows);
	free(left_out);
	return err;
}
