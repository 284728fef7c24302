/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of jobs that `xtr stats` shows for every trace. What they are made of: the view. */
#include "base/text.h"
#include "format/read/reader.h"
#include "replay/event/process.h"
#include "section_rows.h"
#include "view_tables.h"

#include <string.h>

/* A text of the trace; in text another one where it is empty. */
static void put_or(struct xtr_rows *r, const char *s, const char *empty)
{
	if (xtr_rows_text(r) && (!s || !*s))
		xtr_put_text(r, empty);
	else
		xtr_put_name(r, s, s ? strlen(s) : 0);
}

void view_put_ring(struct xtr_rows *r, const struct xtr_model_ring *ring)
{
	char buf[XTR_TEXT_NAME + 16];

	xtr_put_u64(r, true, ring->id);
	put_or(r, ring->device_name, "(unknown)");
	if (xtr_rows_text(r))
		xtr_put_copy(r, xtr_view_ring(view_of(r), ring, buf, sizeof(buf)));
	else
		xtr_put_text(r, ring->name);
}

/* --- sums of jobs ----------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xtr_stats_row, member)

/* Which parts show a column: own. Those with FULL are not shown on one screen. */
enum {
	EXEC = 1,
	WAITS = 2,
	DEPTH = 4,
	UNUSUAL = 8,
	FULL = 16
};

#define COUNTED(key, title, member, help)                                     \
	{                                                                     \
		key, title, XTR_C_COUNT, AT(agg.member), help, .own = UNUSUAL \
	}
/* hist: with buckets or without. */
#define SPREAD(key, title, hist, member, help)                                       \
	{                                                                            \
		key, title, (hist) | XTR_C_TIMES, AT(agg.member), help, .own = WAITS \
	}

#define QUALITY(id, text, help) COUNT("quality." text, agg.quality[XTR_QUALITY_##id], help),

#define SUMS(hist)                                                                                 \
	{ "jobs", "jobs", XTR_C_COUNT, AT(agg.jobs), "jobs", .own = EXEC | UNUSUAL },              \
		COUNT("completed", agg.resided, "of which run and done are known"),                \
		IN_TEXT("on hardware", COUNT, UNUSUAL, AT(agg.on_hardware)),                       \
		IN_TEXT("in queue", COUNT, UNUSUAL, AT(agg.in_queue)),                             \
		IN_TEXT("open", COUNT, UNUSUAL, AT(agg.quality[XTR_QUALITY_OPEN])),                \
		IN_TEXT("lost", COUNT, UNUSUAL, AT(agg.quality[XTR_QUALITY_LOST])),                \
		XTR_QUALITIES(QUALITY) COUNT("kernel", agg.kernel, "of the kernel's own"),         \
		COUNTED("killed", "killed", killed, "never run, fence signalled with an error"),   \
		COUNTED("errors", "errors", errors, "with an error"),                              \
		COUNTED("timeouts", "timeouts", timeouts, "with a timeout"),                       \
		COUNTED("batches", "batches", batches,                                             \
			"interrupts that completed several jobs of a ring"),                       \
		COUNTED("batch_jobs", "in batches", batch_jobs, "jobs in them"),                   \
		COUNTED("overtaken", "overtaken", overtaken,                                       \
			"that a younger job of their ring overtook"),                              \
		IN_TEXT("by kernel", COUNT, UNUSUAL, AT(agg.kernel)),                              \
		COUNT("on_hardware", agg.on_hardware, "run, not done when the trace ends"),        \
		COUNT("in_queue", agg.in_queue, "queued, not run when the trace ends"),            \
		COUNT("dep_waits", agg.waits, "dependency waits"),                                 \
		COUNT("late", agg.late, "only known to have ended by their done"),                 \
		TIMED("dep_wait_ns", agg.dep_wait, "sum of the dependency waits"),                 \
		IN_TEXT("util", TEXT, EXEC, XTR_PUT), IN_TEXT("busy", TEXT, EXEC | FULL, XTR_PUT), \
		IN_TEXT("execution", TEXT, EXEC, XTR_PUT),                                         \
		IN_TEXT("mean", TEXT, EXEC | FULL, XTR_PUT), IN_TEXT("p50", TEXT, EXEC, XTR_PUT),  \
		IN_TEXT("p90", TEXT, EXEC | FULL, XTR_PUT), IN_TEXT("p99", TEXT, EXEC, XTR_PUT),   \
		IN_TEXT("max", TEXT, EXEC, XTR_PUT),                                               \
		{ "known_as", "<known as", XTR_C_TEXT, XTR_PUT, "how execution times are known",   \
		  .own = EXEC },                                                                   \
		{ "busy_ns", NULL, XTR_C_NS | XTR_C_TIMES, XTR_PUT, "union of busy intervals" },   \
		{ "busy_exact", NULL, XTR_C_BOOL, XTR_PUT,                                         \
		  "0: busy_ns is too high, for want of memory" },                                  \
		{ "busy_bounded", NULL, XTR_C_BOOL, XTR_PUT, "1: busy_ns is an upper bound" },     \
		{ "utilisation_ppm", NULL, XTR_C_COUNT | XTR_C_TIMES, XTR_PUT,                     \
		  "busy_ns in millionths of the duration" },                                       \
		FLAG("bounded", bounded,                                                           \
		     "some execution time is only bounded because of its ring"),                   \
		TIMED("exec_min_sum_ns", agg.exec_min,                                             \
		      "lower bound of the sum of execution times"),                                \
		TIMED("exec_max_sum_ns", agg.exec_max,                                             \
		      "upper bound of the sum of execution times"),                                \
		SPREAD("exec_ns", NULL, hist, exec, "execution, of jobs whose start is known"),    \
		SPREAD("residence_ns", NULL, hist, residence, "done - run"),                       \
		SPREAD("queue_wait_ns", "queue p50|p99|max", hist, queue_wait, "run - queue"),     \
		SPREAD("hw_wait_ns", "hw p50|p99|max", hist, hw_wait, "start - run")

void view_put_ns(struct xtr_rows *r, bool bounded, uint64_t ns)
{
	char n[XTR_TEXT_NUMBER];

	if (!xtr_rows_text(r))
		xtr_put_absent(r);
	else
		xtr_put_format(r, "%s%s", bounded ? "<=" : "", xtr_text_ns(n, ns));
}

static void put_busy_text(struct xtr_rows *r, const struct xtr_stats_row *row)
{
	char n[XTR_TEXT_NUMBER];

	xtr_text_percent(n, row->busy.total, xtr_view_duration(view_of(r)));
	xtr_put_format(r, "%s%s", row->busy_bounded ? "<=" : "",
		       row->busy_bounded && *n == '>' ? "100 %" : n);
	view_put_ns(r, row->busy_bounded, row->busy.total);
}

static void put_unknown(struct xtr_rows *r, unsigned int n)
{
	while (n--)
		xtr_put_absent(r);
}

/* Of execution, or as upper bounds of residence, where only that is known. */
static void put_exec_text(struct xtr_rows *r, const struct xtr_agg *a)
{
	static const unsigned int q[] = { 500, 900, 990, 1000 };
	const struct xtr_hist *h = a->exec.n ? &a->exec : &a->residence;
	char lo[XTR_TEXT_NUMBER], hi[XTR_TEXT_NUMBER];

	xtr_text_ns(lo, a->exec_min);
	xtr_text_ns(hi, a->exec_max);
	if (!a->resided)
		put_unknown(r, 1);
	else if (strcmp(lo, hi))
		xtr_put_format(r, "%s..%s", lo, hi);
	else
		xtr_put_copy(r, hi);
	if (!h->n) {
		put_unknown(r, 5);
		return;
	}
	view_put_ns(r, !a->exec.n, xtr_hist_mean(h));
	for (size_t i = 0; i < 4; i++)
		view_put_ns(r, !a->exec.n, xtr_hist_quantile(h, q[i]));
}

/* What only text has of times, and known_as. */
static void put_times_text(struct xtr_rows *r, const struct xtr_stats_row *row)
{
	const struct xtr_view *v = view_of(r);
	char buf[XTR_VIEW_KNOWN_AS];

	if (!xtr_rows_text(r) || !xtr_view_times(v)) {
		put_unknown(r, 8);
	} else {
		if (row->partial)
			put_unknown(r, 2);
		else
			put_busy_text(r, row);
		put_exec_text(r, &row->agg);
	}
	if (xtr_view_times(v))
		xtr_put_copy(r, xtr_view_known_as(row, v->brief, buf));
	else
		xtr_put_text(r, xtr_rows_text(r) ? "the trace has no times" : NULL);
}

static uint64_t ppm(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((__uint128_t)part * 1000000 / whole) : 0;
}

/* What SUMS has without a member. */
static bool put_sums(struct xtr_rows *r, const void *of)
{
	const struct xtr_stats_row *row = of;

	put_times_text(r, row);
	if (row->partial) {
		put_unknown(r, 4);
		return true;
	}
	xtr_put_u64(r, true, row->busy.total);
	xtr_put_u64(r, true, !row->busy.inexact);
	xtr_put_u64(r, true, row->busy_bounded);
	xtr_put_u64(r, true, ppm(row->busy.total, xtr_view_duration(view_of(r))));
	return true;
}

static bool shows(const void *self, const struct xtr_section_column *c)
{
	return !(c->own & FULL) || !((const struct xtr_view *)self)->brief;
}

static const struct xtr_section_column total_columns[] = { SUMS(XTR_C_HIST) };

static const struct xtr_section_table total_table = {
	.name = "total",
	.help = "all jobs selected",
	XTR_TABLE_COLUMNS(total_columns),
	.rows = { .where = XTR_ROWS_ARRAY,
		  .via = XTR_VIA(struct xtr_view, stats),
		  .at = offsetof(struct xtr_stats, total),
		  .fixed = 1 },
	.put = put_sums,
	.shape = XTR_SHAPE_OBJECT,
};

#define SUMS_TABLE(name_, help_, columns_, by, put_)                                          \
	{                                                                                     \
		.name = (name_), .help = (help_), XTR_TABLE_COLUMNS(columns_), .put = (put_), \
		.rows = ROWS(rows[by].row, rows[by].n), .shows = shows, .parts = EXEC,        \
		.limit = XTR_SHOW_TOP,                                                        \
	}

static const struct xtr_section_column device_columns[] = {
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "name of the device" }, SUMS(XTR_C_HIST)
};

static bool put_device(struct xtr_rows *r, const void *row)
{
	if (xtr_rows_full(r))
		return true;
	put_or(r, ((const struct xtr_stats_row *)row)->device, "(unknown)");
	return put_sums(r, row);
}

static const struct xtr_section_table devices_table =
	SUMS_TABLE("devices", "jobs of a device", device_columns, XTR_BY_DEVICE, put_device);

static const struct xtr_section_column process_columns[] = {
	{ "pid", "pid", XTR_C_PROCESS, XTR_PUT, "the submitter, if it is in the trace" },
	{ "name", "<process", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT, "its name" },
	SUMS(XTR_C_HIST)
};

static bool put_process(struct xtr_rows *r, const void *of)
{
	const struct xtr_stats_row *row = of;
	const char *s = NULL;
	size_t n = 0;

	if (xtr_rows_full(r))
		return true;
	if (row->comm)
		s = xtr_tables_string(xtr_section_tables(view_of(r)->section), row->comm, &n);
	xtr_put_u64(r, row->known, row->known ? row->process : 0);
	if (xtr_rows_text(r) && !row->known)
		xtr_put_text(r, "(unknown)");
	else
		xtr_put_name(r, s, n);
	return put_sums(r, of);
}

static const struct xtr_section_table processes_table =
	SUMS_TABLE("processes", "jobs of a process", process_columns, XTR_BY_PROCESS, put_process);

static const struct xtr_section_column client_columns[] = {
	{ "client", "client", XTR_C_NUMBER, XTR_PUT, "id of the DRM client" },
	{ "device", "<device", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT, "its device" },
	SUMS(XTR_C_HIST)
};

static bool put_client(struct xtr_rows *r, const void *of)
{
	const struct xtr_stats_row *row = of;

	if (xtr_rows_full(r))
		return true;
	if (xtr_rows_text(r) && !row->known) {
		xtr_put_text(r, "(unknown)");
		xtr_put_text(r, "");
	} else {
		xtr_put_u64(r, row->known, row->client_id);
		put_or(r, row->device, "");
	}
	return put_sums(r, of);
}

static const struct xtr_section_table clients_table =
	SUMS_TABLE("clients", "jobs of a DRM client", client_columns, XTR_BY_CLIENT, put_client);

/* --- rings ------------------------------------------------------------------------------------ */

#define DEPTHS "depth p50|p99|max", XTR_C_BUCKETS | XTR_C_PLAIN, XTR_PUT

static const struct xtr_section_column ring_columns[] = {
	RING_COLUMNS,
	{ "driver", NULL, XTR_C_TEXT, XTR_PUT, "driver of the device" },
	{ "limit", NULL, XTR_C_COUNT, XTR_PUT,
	  "jobs (credits) on the hardware at once; 0: not known" },
	{ "bounded_because", NULL, XTR_C_TEXT, XTR_PUT,
	  "why execution times on it are only bounded" },
	SUMS(XTR_C_BUCKETS),
	IN_TEXT("blocked", SHARE, WAITS, XTR_PUT),
	IN_TEXT("dep waits", COUNT, WAITS, AT(agg.waits)),
	IN_TEXT("dep sum", NS, WAITS, AT(agg.dep_wait)),
	{ "queue_events", "queued", XTR_C_COUNT, XTR_PUT, "events of queued jobs", .own = DEPTH },
	{ "run_events", NULL, XTR_C_COUNT, XTR_PUT, "events of jobs that were run" },
	{ "depth_at_queue", DEPTHS, "jobs in the submitter's queue when one came", .own = DEPTH },
	IN_TEXT("run", COUNT, DEPTH, XTR_PUT),
	{ "depth_at_run", DEPTHS, "jobs in the submitter's queue when one was run", .own = DEPTH },
	{ "dep_wait_each_ns", "dep p50|p99|max", XTR_C_BUCKETS | XTR_C_TIMES, XTR_PUT,
	  "single dependency waits", .own = WAITS },
};

static bool put_ring_row(struct xtr_rows *r, const void *of)
{
	const struct xtr_stats_row *row = of;
	const struct xtr_stats_ring *ring = xtr_stats_ring(view_of(r)->stats, row->ring->index);

	if (xtr_rows_full(r))
		return true;
	view_put_ring(r, row->ring);
	xtr_put_text(r, row->ring->driver);
	xtr_put_u64(r, true, row->ring->limit);
	xtr_put_text(r, xtr_ring_why(row->ring));
	put_sums(r, of);
	xtr_put_share(r, true, row->agg.blocked, row->agg.queue_wait.sum);
	xtr_put_u64(r, true, ring->queued);
	xtr_put_u64(r, true, ring->run);
	xtr_put_hist(r, &ring->depth_queue);
	xtr_put_u64(r, true, ring->run);
	xtr_put_hist(r, &ring->depth_run);
	xtr_put_hist(r, xtr_stats_dep_wait(view_of(r)->stats, row->ring->index));
	return true;
}

static const struct xtr_section_table rings_table =
	SUMS_TABLE("rings", "jobs of a ring", ring_columns, XTR_BY_RING, put_ring_row);

/* The same rows, other columns. */
#define RINGS_TEXT(own_, put_, ...)                                                              \
	{                                                                                        \
		XTR_TABLE_COLUMNS(ring_columns),                                                 \
			.put = (put_), .rows = ROWS(rows[XTR_BY_RING].row, rows[XTR_BY_RING].n), \
			.parts = (own_), .limit = XTR_SHOW_TOP_QUIET, __VA_ARGS__                \
	}

static const struct xtr_section_table waits_table =
	RINGS_TEXT(WAITS, put_ring_row,
		   .heading = "  queue: from queue to run (dependency waits included; blocked: "
			      "their share); hw: from run to start\n");

static const struct xtr_section_table depth_table = RINGS_TEXT(DEPTH, put_ring_row);

bool xtr_view_unusual(const struct xtr_agg *a)
{
	return a->quality[XTR_QUALITY_OPEN] || a->quality[XTR_QUALITY_LOST] || a->killed ||
	       a->errors || a->batch_jobs || a->overtaken;
}

static bool put_unusual(struct xtr_rows *r, const void *row)
{
	return xtr_view_unusual(&((const struct xtr_stats_row *)row)->agg) && put_ring_row(r, row);
}

static const struct xtr_section_table unusual_table = RINGS_TEXT(UNUSUAL, put_unusual);

/* --- all of them ------------------------------------------------------------------------------ */

const struct xtr_view_table xtr_view_tables[] = {
	{ XTR_VIEW_PART_COUNT, &total_table },
	{ XTR_VIEW_DEVICES, &devices_table },
	{ XTR_VIEW_RINGS, &rings_table },
	{ XTR_VIEW_PROCESSES, &processes_table },
	{ XTR_VIEW_CLIENTS, &clients_table },
	{ XTR_VIEW_WAITS, &waits_table },
	{ XTR_VIEW_DEPTH, &depth_table },
	{ XTR_VIEW_UNUSUAL, &unusual_table },
	{ XTR_VIEW_DEPENDENCIES, &view_blockers },
	{ XTR_VIEW_DEPENDENCIES, &view_longest_waits },
	{ XTR_VIEW_SLOWEST, &view_slowest },
	{ XTR_VIEW_EVENTS, &view_events },
	{ 0, NULL },
};

#define ROWS_SHOWN 40u

static struct xtr_analysis_opts opts_of(const struct xtr_view *v)
{
	return (struct xtr_analysis_opts){ .meta = xtr_section_meta(v->section),
					   .tables = xtr_section_tables(v->section),
					   .times = xtr_view_times(v),
					   .no_buckets = v->no_buckets,
					   .top = v->brief ? XTR_VIEW_ROWS_BRIEF : ROWS_SHOWN,
					   .more = "all of them with --json" };
}

int xtr_view_text_tables(const struct xtr_view *v, unsigned int part)
{
	struct xtr_analysis_opts o = opts_of(v);
	char more[32];
	int err = 0;

	if (part == XTR_VIEW_DEPENDENCIES) {
		o.top = v->top;
		o.more = "--top; all of them with --json";
	} else if (v->brief) {
		snprintf(more, sizeof(more), "-s %s", xtr_view_part_name(part));
		o.more = more;
	}
	for (const struct xtr_view_table *t = xtr_view_tables; t->table && !err; t++)
		if (t->part == part)
			err = xtr_table_text(t->table, v, &o, v->f);
	return err;
}

void xtr_view_json_tables(const struct xtr_view *v, struct xtr_json *j)
{
	struct xtr_analysis_opts o = opts_of(v);

	for (const struct xtr_view_table *t = xtr_view_tables; t->table; t++)
		if (t->table->name &&
		    (t->part == XTR_VIEW_PART_COUNT || v->parts & 1ull << t->part))
			xtr_table_json(t->table, v, &o, j);
}

/* --- by name ---------------------------------------------------------------------------------- */

static const struct xtr_section_table *table_at(struct xtr_table_at *at)
{
	const struct xtr_view_table *every;

	if (at->section < xtr_n_analyses) {
		at->part = 1ull << (XTR_VIEW_PART_COUNT + at->section);
		return xtr_analyses[at->section]->tables
			       ? xtr_analyses[at->section]->tables[at->next]
			       : NULL;
	}
	every = &xtr_view_tables[at->next];
	at->part = 1ull << (every->part < XTR_VIEW_PART_COUNT ? every->part : 63);
	return every->table;
}

bool xtr_table_next(struct xtr_table_at *at)
{
	for (; at->section <= xtr_n_analyses; at->section++, at->next = 0)
		while ((at->table = table_at(at))) {
			at->next++;
			if (!at->table->name)
				continue;
			xtr_section_table_name(at->section < xtr_n_analyses
						       ? xtr_analyses[at->section]->name
						       : "stats",
					       at->table, at->name);
			return true;
		}
	return false;
}

const void *xtr_table_self(const struct xtr_table_at *at, const struct xtr_view *v)
{
	if (at->section == xtr_n_analyses)
		return v;
	return xtr_analyses_has(v->analyses, at->section)
		       ? xtr_analyses_self(v->analyses, at->section)
		       : NULL;
}
