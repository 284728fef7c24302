/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of markers: its tables, and what else text and JSON say. */
#include "analysis/core/section_table.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "markers_impl.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN 20u /* rows of each kind in text */

#define AT(member) XTR_AT(struct markers_row, member)
#define NAME(title, what)                                                        \
	{ "name", title, XTR_C_TEXT, XTR_PUT, "name of the " what },             \
		{ "pid", NULL, XTR_C_NUMBER | XTR_C_KNOWN, AT(pid), "process" }, \
	{                                                                        \
		NULL, "pid", XTR_C_TEXT, XTR_PUT                                 \
	}

static const struct xtr_section_column slice_columns[] = {
	NAME("<slice", "slices"),
	{ "count", "slices", XTR_C_COUNT, AT(n), "slices" },
	{ "open", NULL, XTR_C_COUNT, AT(open), "whose begin or end is not in the trace" },
	{ NULL, "total", XTR_C_SUM, AT(time), .own = true },
	{ "time_ns", "p50|p99|max", XTR_C_HIST, AT(time), "of the others", .own = true },
	{ NULL, "open", XTR_C_COUNT, AT(open) },
};

static const struct xtr_section_column counter_columns[] = {
	NAME("<counter", "counter"),
	{ "count", "values", XTR_C_COUNT, AT(n), "values" },
	{ "min", "min", XTR_C_SIGNED, AT(least), "the least" },
	{ "max", "max", XTR_C_SIGNED, AT(most), "the most" },
	{ "last", "last", XTR_C_SIGNED, AT(last), "the last" },
};

static const struct xtr_section_column moment_columns[] = {
	NAME("<moment", "moments"),
	{ "count", "times", XTR_C_COUNT, AT(n), "moments" },
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
	uint64_t left = xtr_rows_text(r) ? SHOWN : UINT64_MAX;
	uint32_t i;

	for (i = 0; i < m->n_rows && left; i++) {
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

const struct xtr_section_table *const markers_tables[] = {
	[MARKERS_SLICE] = &slices, [MARKERS_COUNTER] = &counters, [MARKERS_MOMENT] = &moments, NULL
};

int markers_text(const void *self, const struct xtr_view *v)
{
	const struct markers *m = self;
	char text[XTR_TEXT_NUMBER];
	uint64_t rows;
	int ret = 0;

	for (unsigned int kind = 0; kind < MARKERS_KINDS && !ret; kind++) {
		rows = 0;
		for (uint32_t i = 0; i < m->n_rows; i++)
			rows += m->row[i].kind == kind;
		ret = xtr_table_text(markers_tables[kind], m, m->o, v->f);
		if (rows > SHOWN)
			fprintf(v->f, "  ... and %s more (all of them with --json)\n",
				xtr_text_count(text, rows - SHOWN));
	}
	if (m->left_out)
		fprintf(v->f, "  %s of further names are not told apart\n",
			xtr_text_count(text, m->left_out));
	return ret;
}

void markers_json(const void *self, struct xtr_json *j)
{
	const struct markers *m = self;

	xtr_json_begin_object(j);
	xtr_tables_json(markers_tables, m, m->o, j);
	xtr_json_kv_u64(j, "left_out", m->left_out);
	xtr_json_end_object(j);
}
