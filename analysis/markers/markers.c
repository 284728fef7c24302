/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Markers that programs and drivers write: for each name of a process how many slices and how long,
 * the range of a counter, how many moments. Memory is bounded whatever the names are.
 */
#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"
#include "replay/calls/marker.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARKERS_MAX 8192u /* rows; what is of further ones is counted together */

enum markers_kind {
	MARKERS_SLICE,
	MARKERS_COUNTER,
	MARKERS_MOMENT,
	MARKERS_KINDS
};

/* All that one process says under one name. */
struct markers_row {
	enum markers_kind kind;
	char *name;
	uint32_t pid, nth; /* pid 0: not known */
	uint64_t n;
	uint64_t open;             /* of slices: begin or end is not in the trace */
	struct xtr_hist time;      /* of slices, ns */
	int64_t least, most, last; /* of counters */
};

struct markers {
	const struct xtr_analysis_opts *o;
	struct xtr_marker_event *event;
	uint32_t n_events;
	struct xtr_map by_type;
	struct markers_row *row;
	uint32_t n_rows;
	size_t cap_rows;
	struct xtr_map by_name; /* hash of a row's name, kind and process, to its index */
	uint64_t n[MARKERS_KINDS];
	uint64_t left_out; /* of further rows */
	uint32_t hist_left;
	struct xtr_marker marker;
};

/* --- markers view ----------------------------------------------------------------------------- */

/* The section of markers: its tables, and what else text and JSON say. */

#define ROWS_SHOWN 20u /* rows of each kind in text */

#define AT(member) XTR_AT(struct markers_row, member)
#define NAME(title, what)                                                        \
	{ "name", title, XTR_C_TEXT, XTR_PUT, "name of the " what },             \
		{ "pid", NULL, XTR_C_NUMBER | XTR_C_KNOWN, AT(pid), "process" }, \
	{                                                                        \
		NULL, "pid", XTR_C_TEXT, XTR_PUT                                 \
	}

static const struct xtr_section_column slice_columns[] = {
	NAME("<slice", "slices"),
	SHOWN("count", "slices", n, "slices"),
	COUNT("open", open, "whose begin or end is not in the trace"),
	{ NULL, "total", XTR_C_SUM, AT(time), .own = true },
	{ "time_ns", "p50|p99|max", XTR_C_HIST, AT(time), "of the others", .own = true },
	{ NULL, "open", XTR_C_COUNT, AT(open) },
};

static const struct xtr_section_column counter_columns[] = {
	NAME("<counter", "counter"),
	SHOWN("count", "values", n, "values"),
	{ "min", "min", XTR_C_SIGNED, AT(least), "the least" },
	{ "max", "max", XTR_C_SIGNED, AT(most), "the most" },
	{ "last", "last", XTR_C_SIGNED, AT(last), "the last" },
};

static const struct xtr_section_column moment_columns[] = {
	NAME("<moment", "moments"),
	SHOWN("count", "times", n, "moments"),
};
#undef AT

static void put_row(struct xtr_rows *r, const struct markers_row *row)
{
	xtr_put_name(r, row->name, strlen(row->name));
	if (!row->pid)
		xtr_put_text(r, NULL);
	else if (row->nth) /* which process of that number, from the second on */
		xtr_put_format(r, "%" PRIu32 " (%" PRIu64 ")", row->pid, (uint64_t)row->nth + 1);
	else
		xtr_put_format(r, "%" PRIu32, row->pid);
	xtr_row(r, row);
}

static void fill_kind(const struct markers *m, struct xtr_rows *r, enum markers_kind kind)
{
	uint64_t left = xtr_rows_text(r) ? ROWS_SHOWN : UINT64_MAX;

	for (uint32_t i = 0; i < m->n_rows && left; i++) {
		if (m->row[i].kind != kind)
			continue;
		put_row(r, &m->row[i]);
		left--;
	}
}

static void fill_slices(const void *self, struct xtr_rows *r)
{
	fill_kind(self, r, MARKERS_SLICE);
}

static void fill_counters(const void *self, struct xtr_rows *r)
{
	fill_kind(self, r, MARKERS_COUNTER);
}

static void fill_moments(const void *self, struct xtr_rows *r)
{
	fill_kind(self, r, MARKERS_MOMENT);
}

static bool shows(const void *self, const struct xtr_section_column *c)
{
	return !c->own || ((const struct markers *)self)->o->times;
}

static const struct xtr_section_table slices = {
	.name = "slices",
	.help = "slices of a name and process",
	XTR_TABLE_COLUMNS(slice_columns),
	.fill = fill_slices,
	.shows = shows,
};
static const struct xtr_section_table counters = XTR_TABLE(
	"counters", "a counter of a process", counter_columns, fill_counters, XTR_SHOW_ALL);
static const struct xtr_section_table moments = XTR_TABLE(
	"moments", "moments of a name and process", moment_columns, fill_moments, XTR_SHOW_ALL);

static const struct xtr_section_table *const markers_tables[] = {
	[MARKERS_SLICE] = &slices, [MARKERS_COUNTER] = &counters, [MARKERS_MOMENT] = &moments, NULL
};

static int markers_text(const void *self, const struct xtr_view *v)
{
	const struct markers *m = self;
	char text[XTR_TEXT_NUMBER];
	uint64_t rows;
	int err = 0;

	for (unsigned int kind = 0; kind < MARKERS_KINDS && !err; kind++) {
		rows = 0;
		for (uint32_t i = 0; i < m->n_rows; i++)
			rows += m->row[i].kind == kind;
		err = xtr_table_text(markers_tables[kind], m, m->o, v->f);
		if (rows > ROWS_SHOWN)
			fprintf(v->f, "  ... and %s more (all of them with --json)\n",
				xtr_text_count(text, rows - ROWS_SHOWN));
	}
	if (m->left_out)
		fprintf(v->f, "  %s of further names are not told apart\n",
			xtr_text_count(text, m->left_out));
	return err;
}

static void markers_json(const void *self, struct xtr_json *j)
{
	const struct markers *m = self;

	xtr_json_begin_object(j);
	xtr_tables_json(markers_tables, m, m->o, j);
	xtr_json_kv_u64(j, "left_out", m->left_out);
	xtr_json_end_object(j);
}

/* --- markers ---------------------------------------------------------------------------------- */

#define HIST_MAX 16384u /* powers of two of all histograms: 8 MiB */

static bool applies(const struct xtr_meta *meta)
{
	struct xtr_marker_event e;

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++)
		if (xtr_marker_bind(&e, xtr_meta_event_at(meta, i)))
			return true;
	return false;
}

static void markers_free(void *self)
{
	struct markers *m = self;

	for (uint32_t i = 0; i < m->n_rows; i++) {
		free(m->row[i].name);
		xtr_hist_free(&m->row[i].time);
	}
	free(m->row);
	free(m->event);
	xtr_map_free(&m->by_type);
	xtr_map_free(&m->by_name);
	free(m);
}

static int add_event(struct markers *m, const struct xtr_event_desc *d)
{
	struct xtr_marker_event one, *more;

	if (!xtr_marker_bind(&one, d))
		return 0;
	more = reallocarray(m->event, m->n_events + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->event = more;
	m->event[m->n_events] = one;
	return xtr_map_put(&m->by_type, d->type, 0, m->n_events++);
}

static int markers_open(void **self, const struct xtr_analysis_opts *o)
{
	struct markers *m = calloc(1, sizeof(*m));
	int err = 0;

	if (!m)
		return -ENOMEM;
	m->o = o;
	m->hist_left = HIST_MAX;
	for (size_t i = 0; i < xtr_meta_n_events(o->meta) && !err; i++)
		err = add_event(m, xtr_meta_event_at(o->meta, i));
	if (err)
		markers_free(m);
	else
		*self = m;
	return err;
}

static bool is_row(const struct markers_row *row, const struct markers_row *want)
{
	return row->kind == want->kind && row->pid == want->pid && row->nth == want->nth &&
	       !strcmp(row->name, want->name);
}

static int new_row(struct markers *m, const struct markers_row *want, uint64_t hash, uint64_t k)
{
	char *name = strdup(want->name);

	if (!name || xtr_grow_array(&m->row, &m->cap_rows, m->n_rows + 1, sizeof(*m->row)) ||
	    xtr_map_put(&m->by_name, hash, k, m->n_rows)) {
		free(name);
		return -ENOMEM;
	}
	m->row[m->n_rows] = *want;
	m->row[m->n_rows++].name = name;
	return 0;
}

/* The row that is like this one; *out NULL: there are too many. 0 or -ENOMEM. */
static int row_of(struct markers *m, const struct markers_row *want, struct markers_row **out)
{
	uint64_t hash = xtr_hash_bytes(want->name, strlen(want->name)), k;
	const uint64_t *i;
	int err;

	hash ^= ((uint64_t)want->nth << 34 | (uint64_t)want->pid << 2 | want->kind) *
		0x9e3779b97f4a7c15u;
	*out = NULL;
	m->n[want->kind]++;
	for (k = 0; (i = xtr_map_get(&m->by_name, hash, k)); k++) {
		*out = &m->row[*i];
		if (is_row(*out, want))
			return 0;
	}
	*out = NULL;
	if (m->n_rows == MARKERS_MAX) {
		m->left_out++;
		return 0;
	}
	err = new_row(m, want, hash, k);
	if (!err)
		*out = &m->row[m->n_rows - 1];
	return err;
}

static bool markers_takes(const void *self, uint32_t type)
{
	const struct markers *m = self;

	return xtr_map_index(&m->by_type, type, 0) != XTR_MAP_NONE;
}

static void count_value(struct markers_row *row, int64_t v)
{
	if (!row->n || v < row->least)
		row->least = v;
	if (!row->n || v > row->most)
		row->most = v;
	row->last = v;
}

/* Numbers in a text that differs each time make no new row: "frame idx=#". */
static void without_numbers(char *s)
{
	char *to = s;
	bool word = false;

	while (*s) {
		if (isdigit((unsigned char)*s) && !word) {
			while (isdigit((unsigned char)*s) ||
			       (*s == '.' && isdigit((unsigned char)s[1])))
				s++;
			*to++ = '#';
			continue;
		}
		word = isalnum((unsigned char)*s) || *s == '_' || *s == '#';
		*to++ = *s++;
	}
	*to = '\0';
}

static void process_of(const struct markers *m, const struct xtr_event *ev, struct markers_row *row)
{
	const struct xtr_task *task =
		ev->tid ? xtr_tables_task(m->o->tables, ev->tid, ev->ts) : NULL;

	row->pid = task ? task->pid : 0;
	row->nth = task ? task->nth : 0;
	xtr_marker_process(&m->marker, m->o->tables, ev->ts, &row->pid, &row->nth);
}

static int markers_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct markers *m = self;
	uint32_t i = inside && !ev->gap ? xtr_map_index(&m->by_type, ev->type, 0) : XTR_MAP_NONE;
	struct markers_row want = { 0 }, *row;
	bool counter;
	int err;

	if (i == XTR_MAP_NONE || !xtr_marker_read(&m->marker, &m->event[i], ev, m->o->tables))
		return 0;
	counter = m->marker.kind == XTR_MARKER_COUNTER;
	if (!counter && m->marker.kind != XTR_MARKER_MOMENT)
		return 0;
	want.kind = counter ? MARKERS_COUNTER : MARKERS_MOMENT;
	want.name = m->marker.name;
	if (m->marker.form == XTR_MARKER_TEXT)
		without_numbers(want.name);
	process_of(m, ev, &want);
	err = row_of(m, &want, &row);
	if (err || !row)
		return err;
	if (counter)
		count_value(row, m->marker.value);
	row->n++;
	return 0;
}

/* Half of a loose pair is a moment. */
static int markers_call(void *self, const struct xtr_call *c)
{
	struct markers *m = self;
	struct markers_row want = { .pid = c->pid, .nth = c->nth }, *row;
	bool timed;
	uint64_t ns;
	int err;

	if (c->kind != XTR_CALL_MARKER)
		return 0;
	timed = xtr_call_time(c, &ns);
	want.kind = c->loose && !timed ? MARKERS_MOMENT : MARKERS_SLICE;
	want.name = (char *)(*c->name ? c->name : xtr_call_kind_name(c->kind));
	err = row_of(m, &want, &row);
	if (err || !row)
		return err;
	row->n++;
	if (timed)
		return xtr_hist_add_within(&row->time, ns, &m->hist_left);
	row->open += want.kind == MARKERS_SLICE;
	return 0;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct markers_row *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->time.sum != b->time.sum)
		return a->time.sum < b->time.sum ? 1 : -1;
	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* by_name is not needed any more. */
static int markers_finish(void *self)
{
	struct markers *m = self;

	if (m->n_rows)
		qsort(m->row, m->n_rows, sizeof(*m->row), by_weight);
	return 0;
}

static bool markers_any(const void *self)
{
	const struct markers *m = self;

	return m->n[MARKERS_SLICE] || m->n[MARKERS_COUNTER] || m->n[MARKERS_MOMENT];
}

const struct xtr_analysis xtr_analysis_markers = {
	.name = "markers",
	.title = "Markers: what programs say of themselves",
	.applies = applies,
	.open = markers_open,
	.free = markers_free,
	.takes = markers_takes,
	.event = markers_event,
	.call = markers_call,
	.finish = markers_finish,
	.any = markers_any,
	.text = markers_text,
	.json = markers_json,
	.tables = markers_tables,
};
