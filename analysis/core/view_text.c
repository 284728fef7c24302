/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr stats` for people: losses first, then the tables. */
#include "view.h"
#include "base/checked.h"
#include "format/read/reader.h"
#include "missing.h"
#include "grid.h"
#include "replay/notes/notes.h"
#include "replay/event/process.h"
#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FINDINGS_BRIEF 5u /* of two or three lines each */

/* What `say` prints, with its long lines folded. */
static int folded(const struct xtr_view *v, void (*say)(const struct xtr_view *v))
{
	struct xtr_buf text;
	struct xtr_view to = *v;
	int err;

	to.f = xtr_memory_stream(&text);
	if (!to.f)
		return -ENOMEM;
	say(&to);
	err = xtr_memory_flush(to.f, &text);
	fclose(to.f);
	if (!err)
		xtr_text_fold(v->f, (const char *)text.p, text.n);
	xtr_buf_free(&text);
	return err;
}

static const char *ring_of(const void *v, uint32_t id, char *buf, size_t cap)
{
	return xtr_view_ring_id(v, id, buf, cap);
}

static void findings(const struct xtr_view *v)
{
	const struct xtr_findings_view how = { .f = v->f,
					       .times = xtr_view_times(v),
					       .lines = v->brief ? FINDINGS_BRIEF : 0,
					       .ring = ring_of,
					       .ctx = v };

	xtr_findings_text(xtr_analyses_findings(v->analyses), &how);
}

static const char *const titles[] = {
#define TITLE(id, name, title) [XTR_VIEW_##id] = (title),
	XTR_VIEW_PARTS(TITLE)
};

/* What stands in the place of a part that has nothing. */
static const char *const none[XTR_VIEW_PART_COUNT] = {
	[XTR_VIEW_FINDINGS] = "  none\n",
	[XTR_VIEW_DEPENDENCIES] = "  none: no job was seen waiting for a fence\n",
	[XTR_VIEW_SLOWEST] = "  none\n",
	[XTR_VIEW_UNUSUAL] = "  none: every job ran and completed\n",
	[XTR_VIEW_EVENTS] = "  none\n",
};

/* A file that is not whole may lack the chunks which would tell of more losses. */
static void damage(const struct xtr_view *v)
{
	char n[XTR_TEXT_NUMBER];

	if (!v->problems)
		return;
	fprintf(v->f, "DAMAGED: the file has %s %s (see 'xtr check'): %s.\n",
		xtr_text_count(n, v->problems),
		v->problems == 1 ? "problem" : "problems, the first", xtr_problem_help(v->problem));
}

/* What was lost in the damage of a trace from which this one was made. */
static uint64_t damaged_before(const struct xtr_section *s)
{
	const struct xtr_loss *l = xtr_section_loss(s);
	uint64_t sum = 0;

	for (size_t i = 0; i < xtr_loss_n_entries(l); i++)
		if (xtr_loss_entry_at(l, i)->cause == XTR_LOSS_DAMAGED)
			sum = xtr_sat_add(sum, xtr_loss_entry_at(l, i)->total);
	return sum;
}

/* What is missing, before any number that may suffer from it. */
static void losses(const struct xtr_view *v)
{
	const struct xtr_section_summary *sum = xtr_section_summary(v->section);
	const struct xtr_agg *a = &xtr_stats_total(v->stats)->agg;
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER], k[XTR_TEXT_NUMBER];
	const uint64_t damaged = damaged_before(v->section);
	const uint64_t recording = sum->lost > damaged ? sum->lost - damaged : 0;
	const uint64_t missing = xtr_sat_add(sum->missing, v->unreadable);
	const uint64_t unread = xtr_import_damage_of(xtr_section_meta(v->section), NULL);
	uint64_t unsure, open;

	xtr_meta_config_u64(xtr_section_meta(v->section), "import-lost-unsure", &unsure);
	xtr_meta_config_u64(xtr_section_meta(v->section), "recovered-unsure", &open);
	if (!sum->lost && !missing && !v->problems && !open && !unread)
		fputs("Lost: nothing.", v->f);
	else if (!sum->lost && !missing && !open)
		fputs("Lost: nothing known, but what is damaged may have said more.", v->f);
	else
		fprintf(v->f,
			"LOST: events lost while recording: %s%s; in damaged chunks: %s%s; gaps: %s.",
			unsure ? "at least " : "", xtr_text_count(n, recording),
			open ? "at least " : "", xtr_text_count(m, xtr_sat_add(missing, damaged)),
			xtr_text_count(k, xtr_loss_n_losses(xtr_section_loss(v->section))));
	if (a->quality[XTR_QUALITY_LOST])
		fprintf(v->f, " Jobs that lack records: %s.",
			xtr_text_count(n, a->quality[XTR_QUALITY_LOST]));
	if (a->quality[XTR_QUALITY_OPEN])
		fprintf(v->f, " Jobs that begin or end outside the trace: %s.",
			xtr_text_count(n, a->quality[XTR_QUALITY_OPEN]));
	fputc('\n', v->f);
}

static void pieced(const struct xtr_view *v)
{
	const struct xtr_agg *a = &xtr_stats_total(v->stats)->agg;
	char n[XTR_TEXT_NUMBER];

	xtr_pieced_text(v->f, v->section);
	if (a->before)
		fprintf(v->f, "Jobs that began in the piece before: %s.\n",
			xtr_text_count(n, a->before));
	if (a->after)
		fprintf(v->f, "Jobs that go on in the next piece: %s.\n",
			xtr_text_count(n, a->after));
}

static void headline(const struct xtr_view *v)
{
	char n[XTR_TEXT_NUMBER], d[XTR_TEXT_NUMBER], e[XTR_TEXT_NUMBER], path[XTR_TEXT_NAME];
	const struct xtr_stats_row *total = xtr_stats_total(v->stats);
	size_t n_rings = xtr_stats_n_rows(v->stats, XTR_BY_RING);
	size_t n_devs = xtr_stats_n_rows(v->stats, XTR_BY_DEVICE);
	const char *from = xtr_text_input(v->path);
	const char *events = xtr_stats_events(v->stats) == 1 ? "event" : "events";

	xtr_text_name(path, sizeof(path), from, strlen(from));
	xtr_text_count(e, xtr_stats_events(v->stats));
	if (xtr_view_times(v))
		fprintf(v->f, "%s: %s %s in %s: ", path, e, events,
			xtr_text_ns(d, xtr_view_duration(v)));
	else
		fprintf(v->f, "%s: %s %s, in order, without times: ", path, e, events);
	if (total->agg.jobs)
		fprintf(v->f, "%s %s on %zu %s, %zu %s\n", xtr_text_count(n, total->agg.jobs),
			total->agg.jobs == 1 ? "job" : "jobs", n_devs,
			n_devs == 1 ? "device" : "devices", n_rings,
			n_rings == 1 ? "ring" : "rings");
	else
		fprintf(v->f, "no GPU or NPU jobs\nWhy: %s (docs/drivers.md).\n",
			xtr_no_jobs(xtr_section_meta(v->section)));
}

/* Parts that hold nothing but times. */
static bool is_of_times(unsigned int part)
{
	return part == XTR_VIEW_WAITS || part == XTR_VIEW_SLOWEST || part == XTR_VIEW_HISTOGRAMS;
}

int xtr_view_text_part(const struct xtr_view *v, unsigned int part)
{
	if (part >= XTR_VIEW_PART_COUNT) {
		part -= XTR_VIEW_PART_COUNT;
		fprintf(v->f, "\n%s\n", xtr_analyses[part]->title);
		return xtr_analyses_text(v->analyses, part, v);
	}
	fprintf(v->f, "\n%s\n", titles[part]);
	if (is_of_times(part) && !xtr_view_times(v))
		fputs("  not known: the trace has no times\n", v->f);
	else if (none[part] && !xtr_view_has(v, part))
		fputs(none[part], v->f);
	else if (part == XTR_VIEW_FINDINGS)
		return folded(v, findings);
	else if (part == XTR_VIEW_HISTOGRAMS)
		xtr_view_text_histograms(v);
	else
		return xtr_view_text_tables(v, part);
	return 0;
}

static bool any_unusual(const struct xtr_view *v)
{
	for (size_t i = 0; i < xtr_stats_n_rows(v->stats, XTR_BY_RING); i++)
		if (xtr_view_unusual(&xtr_stats_row(v->stats, XTR_BY_RING, i)->agg))
			return true;
	return false;
}

bool xtr_view_has(const struct xtr_view *v, unsigned int part)
{
	struct xtr_budgeted budget;

	if (part >= XTR_VIEW_PART_COUNT)
		return xtr_analyses_has(v->analyses, part - XTR_VIEW_PART_COUNT);
	if (is_of_times(part) && !xtr_view_times(v))
		return false;
	switch (part) {
	case XTR_VIEW_FINDINGS:
		return xtr_analyses_findings(v->analyses)->n;
	case XTR_VIEW_SLOWEST:
		return xtr_stats_n_slowest(v->stats);
	case XTR_VIEW_DEPENDENCIES:
		return xtr_stats_n_blockers(v->stats);
	case XTR_VIEW_UNUSUAL:
		return any_unusual(v);
	case XTR_VIEW_EVENTS:
		return xtr_stats_events(v->stats) || xtr_budgeted_read(&budget, v->section);
	default:
		return xtr_stats_total(v->stats)->agg.jobs;
	}
}

/* In full, a part without jobs is left out, and one that has nothing says so. */
static bool is_there(const struct xtr_view *v, unsigned int part)
{
	if (part == XTR_VIEW_FINDINGS && v->parts == 1ull << XTR_VIEW_FINDINGS)
		return true;
	if (part == XTR_VIEW_FINDINGS || part >= XTR_VIEW_PART_COUNT)
		return xtr_view_has(v, part);
	return part == XTR_VIEW_EVENTS || xtr_stats_total(v->stats)->agg.jobs;
}

/* Those from `from` on, up to `to`. */
static int text_parts(const struct xtr_view *v, unsigned int from, unsigned int to)
{
	int err = 0;

	for (unsigned int i = from; i < to && !err; i++)
		if (v->parts & 1ull << i && is_there(v, i))
			err = xtr_view_text_part(v, i);
	return err;
}

int xtr_view_text(const struct xtr_view *v)
{
	int err;

	headline(v);
	damage(v);
	xtr_import_damage_text(v->f, xtr_section_meta(v->section));
	err = folded(v, losses);
	if (err)
		return err;
	xtr_pids_text(v->f, xtr_section_meta(v->section));
	xtr_sampled_text(v->f, xtr_section_meta(v->section));
	xtr_budgeted_text(v->f, v->section);
	xtr_flown_text(v->f, v->section);
	pieced(v);
	xtr_redacted_text(v->f, xtr_section_meta(v->section));
	if (v->brief)
		return xtr_view_text_brief(v);
	/* The analyses, histograms and events behind them. */
	err = text_parts(v, 0, XTR_VIEW_HISTOGRAMS);
	if (!err)
		err = text_parts(v, XTR_VIEW_PART_COUNT,
				 XTR_VIEW_PART_COUNT + (unsigned int)xtr_n_analyses);
	return err ? err : text_parts(v, XTR_VIEW_HISTOGRAMS, XTR_VIEW_PART_COUNT);
}
