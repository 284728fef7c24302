/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr stats` for people: losses first, then the tables. */
#include "view.h"
#include "base/checked.h"
#include "format/read/reader.h"
#include "missing.h"
#include "grid.h"
#include "replay/notes/notes.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_SHOWN 40u
#define ROWS_BRIEF 8u

/* A cell that is a time or follows from times, where there are none. */
static void cells_unknown(struct xtr_grid *t, size_t n)
{
	while (n--)
		xtr_grid_cell(t, "-");
}

static void cell_ns(struct xtr_grid *t, uint64_t ns, bool bounded)
{
	char n[XTR_TEXT_NUMBER], buf[XTR_TEXT_NUMBER + 4];

	snprintf(buf, sizeof(buf), "%s%s", bounded ? "<=" : "", xtr_text_ns(n, ns));
	xtr_grid_cell(t, buf);
}

/* Sum, mean, p50, p90, p99, max: of execution, or as upper bounds of residence, where only that is
 * known. Briefly: no mean and no p90. */
static void cells_exec(struct xtr_grid *t, const struct xtr_agg *a, bool brief)
{
	static const unsigned int q[] = { 500, 900, 990, 1000 };
	const struct xtr_hist *h = a->exec.n ? &a->exec : &a->residence;
	char lo[XTR_TEXT_NUMBER], hi[XTR_TEXT_NUMBER], buf[2 * XTR_TEXT_NUMBER + 2];

	xtr_text_ns(lo, a->exec_min);
	xtr_text_ns(hi, a->exec_max);
	snprintf(buf, sizeof(buf), "%s%s%s", strcmp(lo, hi) ? lo : "", strcmp(lo, hi) ? ".." : "",
		 hi);
	xtr_grid_cell(t, a->resided ? buf : "-");
	if (!h->n) {
		cells_unknown(t, brief ? 3 : 5);
		return;
	}
	if (!brief)
		cell_ns(t, xtr_hist_mean(h), !a->exec.n);
	for (size_t i = 0; i < 4; i++)
		if (!brief || q[i] != 900)
			cell_ns(t, xtr_hist_quantile(h, q[i]), !a->exec.n);
}

static void cells_busy(const struct xtr_view *v, struct xtr_grid *t,
		       const struct xtr_stats_row *row)
{
	char n[XTR_TEXT_NUMBER], buf[XTR_TEXT_NUMBER + 4];

	xtr_text_percent(n, row->busy.total, xtr_view_duration(v));
	snprintf(buf, sizeof(buf), "%s%s", row->busy_bounded ? "<=" : "",
		 row->busy_bounded && *n == '>' ? "100 %" : n);
	xtr_grid_cell(t, buf);
	if (!v->brief)
		cell_ns(t, row->busy.total, row->busy_bounded);
}

/* What the times of a row say. */
static void cells_times(const struct xtr_view *v, struct xtr_grid *t,
			const struct xtr_stats_row *row)
{
	char buf[XTR_VIEW_KNOWN_AS];

	if (!xtr_view_times(v)) {
		cells_unknown(t, v->brief ? 5 : 8);
		xtr_grid_cell(t, "the trace has no times");
		return;
	}
	if (row->partial)
		cells_unknown(t, v->brief ? 1 : 2);
	else
		cells_busy(v, t, row);
	cells_exec(t, &row->agg, v->brief);
	xtr_grid_cell(t, xtr_view_known_as(row, v->brief, buf));
}

/* The cells that name a row. */
static void cells_name(const struct xtr_view *v, struct xtr_grid *t, enum xtr_stats_by by,
		       const struct xtr_stats_row *row)
{
	char name[XTR_TEXT_NAME], buf[XTR_TEXT_NAME + 16];

	switch (by) {
	case XTR_BY_RING:
	case XTR_BY_DEVICE:
		xtr_text_name(name, sizeof(name), row->device, strlen(row->device));
		xtr_grid_cell(t, *name ? name : "(unknown)");
		if (by == XTR_BY_RING)
			xtr_grid_cell(t, xtr_view_ring(v, row->ring, buf, sizeof(buf)));
		break;
	case XTR_BY_PROCESS:
		xtr_grid_cell(t, xtr_text_process(buf, row->known ? row->process : 0));
		xtr_grid_cell(t, row->known ? xtr_view_string(v, row->comm, name, sizeof(name))
					    : "(unknown)");
		break;
	default:
		snprintf(buf, sizeof(buf), "%" PRIu64, row->client_id);
		xtr_grid_cell(t, row->known ? buf : "(unknown)");
		xtr_text_name(name, sizeof(name), row->known ? row->device : "",
			      row->known ? strlen(row->device) : 0);
		xtr_grid_cell(t, name);
	}
}

/* Devices, rings, processes and clients differ in what names a row. */
static int exec_table(const struct xtr_view *v, enum xtr_stats_by by, enum xtr_view_part part)
{
	static const char *const names[XTR_BY_COUNT][2] = {
		[XTR_BY_DEVICE] = { "<device", NULL },
		[XTR_BY_RING] = { "<device", "<ring" },
		[XTR_BY_PROCESS] = { "pid", "<process" },
		[XTR_BY_CLIENT] = { "client", "<device" },
	};
	static const char *const all[] = { "jobs", "util", "busy", "execution", "mean", "p50",
					   "p90",  "p99",  "max",  "<known as", NULL };
	static const char *const brief[] = { "jobs", "util", "execution", "p50",
					     "p99",  "max",  "<known as", NULL };
	const char *titles[XTR_GRID_COLUMNS] = { names[by][0], names[by][1] };
	size_t i, n = xtr_stats_n_rows(v->stats, by), first = names[by][1] ? 2 : 1;
	size_t most = v->brief ? ROWS_BRIEF : ROWS_SHOWN;
	struct xtr_grid *t;
	int err;

	memcpy(titles + first, v->brief ? brief : all, v->brief ? sizeof(brief) : sizeof(all));
	t = xtr_grid_new(titles);
	for (i = 0; i < n && i < most; i++) {
		const struct xtr_stats_row *row = xtr_stats_row(v->stats, by, i);

		cells_name(v, t, by, row);
		xtr_grid_count(t, row->agg.jobs);
		cells_times(v, t, row);
	}
	err = xtr_grid_print(t, v->f, 2);
	if (n > most && v->brief)
		fprintf(v->f, "  ... and %zu more (-s %s)\n", n - most, xtr_view_part_name(part));
	else if (n > most)
		fprintf(v->f, "  ... and %zu more (all of them with --json)\n", n - most);
	return err;
}

static int devices(const struct xtr_view *v)
{
	return exec_table(v, XTR_BY_DEVICE, XTR_VIEW_DEVICES);
}

static int rings(const struct xtr_view *v)
{
	return exec_table(v, XTR_BY_RING, XTR_VIEW_RINGS);
}

static int processes(const struct xtr_view *v)
{
	return exec_table(v, XTR_BY_PROCESS, XTR_VIEW_PROCESSES);
}

static int clients(const struct xtr_view *v)
{
	return exec_table(v, XTR_BY_CLIENT, XTR_VIEW_CLIENTS);
}

static bool is_unusual(const struct xtr_agg *a)
{
	return a->quality[XTR_QUALITY_OPEN] || a->quality[XTR_QUALITY_LOST] || a->killed ||
	       a->errors || a->batch_jobs || a->overtaken;
}

static int unusual(const struct xtr_view *v)
{
	static const char *const titles[] = { "<device",   "<ring",     "jobs",    "on hardware",
					      "in queue",  "open",      "lost",    "killed",
					      "errors",    "timeouts",  "batches", "in batches",
					      "overtaken", "by kernel", NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	size_t shown = 0;
	int err;

	for (size_t i = 0; i < xtr_stats_n_rows(v->stats, XTR_BY_RING) && shown < ROWS_SHOWN; i++) {
		const struct xtr_stats_row *row = xtr_stats_row(v->stats, XTR_BY_RING, i);
		const struct xtr_agg *a = &row->agg;

		if (!is_unusual(a))
			continue;
		shown++;
		cells_name(v, t, XTR_BY_RING, row);
		xtr_grid_count(t, a->jobs);
		xtr_grid_count(t, a->on_hardware);
		xtr_grid_count(t, a->in_queue);
		xtr_grid_count(t, a->quality[XTR_QUALITY_OPEN]);
		xtr_grid_count(t, a->quality[XTR_QUALITY_LOST]);
		xtr_grid_count(t, a->killed);
		xtr_grid_count(t, a->errors);
		xtr_grid_count(t, a->timeouts);
		xtr_grid_count(t, a->batches);
		xtr_grid_count(t, a->batch_jobs);
		xtr_grid_count(t, a->overtaken);
		xtr_grid_count(t, a->kernel);
	}
	err = shown ? xtr_grid_print(t, v->f, 2) : xtr_grid_print(t, NULL, 0);
	if (!shown)
		fputs("  none: every job ran and completed\n", v->f);
	return err;
}

static const char *ring_of(const void *v, uint32_t id, char *buf, size_t cap)
{
	return xtr_view_ring_id(v, id, buf, cap);
}

static int findings(const struct xtr_view *v)
{
	const struct xtr_findings *all = xtr_analyses_findings(v->analyses);
	const struct xtr_findings_view how = { .f = v->f,
					       .times = xtr_view_times(v),
					       .lines = v->brief ? ROWS_BRIEF : 0,
					       .ring = ring_of,
					       .ctx = v };

	if (!all->n)
		fputs("  none\n", v->f);
	xtr_findings_text(all, &how);
	return 0;
}

static const char *const titles[] = {
#define TITLE(id, name, title) [XTR_VIEW_##id] = (title),
	XTR_VIEW_PARTS(TITLE)
};

static int (*const part_text[])(const struct xtr_view *) = {
	[XTR_VIEW_DEVICES] = devices,
	[XTR_VIEW_RINGS] = rings,
	[XTR_VIEW_PROCESSES] = processes,
	[XTR_VIEW_CLIENTS] = clients,
	[XTR_VIEW_WAITS] = xtr_view_text_waits,
	[XTR_VIEW_DEPTH] = xtr_view_text_depth,
	[XTR_VIEW_DEPENDENCIES] = xtr_view_text_dependencies,
	[XTR_VIEW_SLOWEST] = xtr_view_text_slowest,
	[XTR_VIEW_UNUSUAL] = unusual,
	[XTR_VIEW_FINDINGS] = findings,
	[XTR_VIEW_HISTOGRAMS] = xtr_view_text_histograms,
	[XTR_VIEW_EVENTS] = xtr_view_text_events,
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
	return is_of_times(part) && !xtr_view_times(v) ? xtr_view_text_no_times(v)
						       : part_text[part](v);
}

static bool any_unusual(const struct xtr_view *v)
{
	for (size_t i = 0; i < xtr_stats_n_rows(v->stats, XTR_BY_RING); i++)
		if (is_unusual(&xtr_stats_row(v->stats, XTR_BY_RING, i)->agg))
			return true;
	return false;
}

bool xtr_view_has(const struct xtr_view *v, unsigned int part)
{
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
		return xtr_stats_events(v->stats);
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
	losses(v);
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
