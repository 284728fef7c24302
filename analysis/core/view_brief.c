/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `xtr stats` on one screen: findings, devices, rings, processes, slowest jobs; the sections only
 * if there are no jobs. The last line names what else there is.
 */
#include "view.h"
#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINES_SECTIONS 40u /* of all sections together */
#define LINES_LEAST    6u  /* of each */

/* The first lines of a text; how many it has is said if it has more. */
static void first_lines(const struct xtr_view *v, const char *text, unsigned int part, size_t most)
{
	const char *end = text, *s;
	size_t n = 0;

	for (s = text; *s; s++)
		if (*s == '\n' && ++n <= most)
			end = s + 1;
	fwrite(text, 1, (size_t)(end - text), v->f);
	if (n > most)
		fprintf(v->f, "  ... and %zu more lines (-s %s)\n", n - most,
			xtr_view_part_name(part));
}

/* A part of which only the first lines are shown, besides its heading and the empty line above. */
static int cut_part(const struct xtr_view *v, unsigned int part, size_t most)
{
	struct xtr_buf buf;
	struct xtr_view all = *v;
	char *text = NULL;
	int err = -ENOMEM;

	all.f = xtr_memory_stream(&buf);
	if (all.f) {
		err = xtr_view_text_part(&all, part);
		text = xtr_memory_text(all.f, &buf);
	}
	if (!err && text)
		first_lines(v, text, part, most + 2);
	else if (!err)
		err = -ENOMEM;
	free(text);
	return err;
}

/* What a trace without jobs has: the sections, or else the events. Adds to what is shown. */
static int without_jobs(const struct xtr_view *v, uint64_t *shown)
{
	uint64_t wanted = 0;
	unsigned int n = 0;
	int err = 0;

	for (unsigned int i = XTR_VIEW_PART_COUNT; xtr_view_part_name(i); i++)
		if (xtr_view_has(v, i)) {
			wanted |= 1ull << i;
			n++;
		}
	if (!n && xtr_view_has(v, XTR_VIEW_EVENTS)) {
		wanted = 1ull << XTR_VIEW_EVENTS;
		n = 1;
	}
	for (unsigned int i = 0; xtr_view_part_name(i) && !err; i++)
		if (wanted & 1ull << i)
			err = cut_part(v, i,
				       LINES_SECTIONS / n > LINES_LEAST ? LINES_SECTIONS / n
									: LINES_LEAST);
	*shown |= wanted;
	return err;
}

/* "Failed jobs: errors: 2, timeouts: 1 (-s unusual)." */
static void failed(const struct xtr_view *v)
{
	const struct xtr_agg *a = &xtr_stats_total(v->stats)->agg;
	const struct {
		const char *what;
		uint64_t n;
	} kinds[] = { { "errors", a->errors },
		      { "timeouts", a->timeouts },
		      { "killed", a->killed } };
	const char *before = "Failed jobs: ";
	char n[XTR_TEXT_NUMBER];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].n)
			continue;
		fprintf(v->f, "%s%s: %s", before, kinds[i].what, xtr_text_count(n, kinds[i].n));
		before = ", ";
	}
	fputs(*before == ',' ? " (-s unusual).\n" : "", v->f);
}

/* It was not computed, but would have something. */
static bool on_request(const struct xtr_view *v, unsigned int part)
{
	return part >= XTR_VIEW_PART_COUNT &&
	       xtr_analyses[part - XTR_VIEW_PART_COUNT]->on_request &&
	       xtr_analyses[part - XTR_VIEW_PART_COUNT]->applies(xtr_section_meta(v->section)) &&
	       xtr_view_times(v) && xtr_stats_total(v->stats)->agg.resided;
}

static void more(const struct xtr_view *v, uint64_t shown)
{
	const char *before = "\nMore: -s ";

	for (unsigned int i = 0; xtr_view_part_name(i); i++) {
		if (shown & 1ull << i || !(xtr_view_has(v, i) || on_request(v, i)))
			continue;
		fprintf(v->f, "%s%s", before, xtr_view_part_name(i));
		before = ",";
	}
	fputs(*before == ',' ? " or --all\n" : "", v->f);
}

int xtr_view_text_brief(const struct xtr_view *v)
{
	static const enum xtr_view_part parts[] = { XTR_VIEW_FINDINGS, XTR_VIEW_DEVICES,
						    XTR_VIEW_RINGS, XTR_VIEW_PROCESSES,
						    XTR_VIEW_SLOWEST };
	uint64_t shown = 0;
	int err = 0;

	failed(v);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++) {
		shown |= 1ull << parts[i];
		if (xtr_view_has(v, parts[i]))
			err = xtr_view_text_part(v, parts[i]);
	}
	if (!err && !xtr_stats_total(v->stats)->agg.jobs)
		err = without_jobs(v, &shown);
	if (!err)
		more(v, shown);
	return err;
}
