/* SPDX-License-Identifier: BSD-2-Clause */
#include "markers_impl.h"

#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "replay/event/process.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN 20u /* rows of each kind */

static const char *const slices[] = { "<slice", "pid", "slices", "total", "p50",
				      "p99",    "max", "open",   NULL };
static const char *const untimed[] = { "<slice", "pid", "slices", "open", NULL };
static const char *const counters[] = { "<counter", "pid", "values", "min", "max", "last", NULL };
static const char *const moments[] = { "<moment", "pid", "times", NULL };

/* Which process of that number, from the second on. */
static void put_process(struct xtr_grid *t, const struct markers_row *row)
{
	char text[32];

	if (!row->pid)
		snprintf(text, sizeof(text), "-");
	else if (row->nth)
		snprintf(text, sizeof(text), "%" PRIu32 " (%" PRIu64 ")", row->pid,
			 (uint64_t)row->nth + 1);
	else
		snprintf(text, sizeof(text), "%" PRIu32, row->pid);
	xtr_grid_cell(t, text);
}

static void put_number(struct xtr_grid *t, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, v);
	xtr_grid_cell(t, text);
}

static void put_row(struct xtr_grid *t, const struct markers_row *row, bool times)
{
	bool known = row->time.n;
	char name[XTR_TEXT_NAME];

	xtr_grid_cell(t, xtr_text_name(name, sizeof(name), row->name, strlen(row->name)));
	put_process(t, row);
	xtr_grid_value(t, true, xtr_text_count, row->n);
	if (row->kind == MARKERS_COUNTER) {
		put_number(t, row->least);
		put_number(t, row->most);
		put_number(t, row->last);
	}
	if (row->kind != MARKERS_SLICE)
		return;
	if (times) {
		xtr_grid_value(t, known, xtr_text_ns, row->time.sum);
		xtr_grid_times(t, &row->time);
	}
	xtr_grid_value(t, true, xtr_text_count, row->open);
}

static int put_kind(const struct markers *m, enum markers_kind kind, FILE *f)
{
	const char *const *const columns[] = { [MARKERS_SLICE] = m->o->times ? slices : untimed,
					       [MARKERS_COUNTER] = counters,
					       [MARKERS_MOMENT] = moments };
	struct xtr_grid *t = xtr_grid_new(columns[kind]);
	char text[XTR_TEXT_NUMBER];
	uint64_t shown = 0, more = 0;
	int ret;

	for (uint32_t i = 0; i < m->n_rows; i++) {
		if (m->row[i].kind != kind)
			continue;
		if (shown < SHOWN) {
			put_row(t, &m->row[i], m->o->times);
			shown++;
		} else {
			more++;
		}
	}
	ret = xtr_grid_print(t, f, 2);
	if (more)
		fprintf(f, "  ... and %s more (all of them with --json)\n",
			xtr_text_count(text, more));
	return ret;
}

int markers_text(const void *self, const struct xtr_view *v)
{
	const struct markers *m = self;
	char text[XTR_TEXT_NUMBER];
	int ret = 0;

	for (unsigned int kind = 0; kind < MARKERS_KINDS && !ret; kind++)
		if (m->n[kind])
			ret = put_kind(m, kind, v->f);
	if (m->left_out)
		fprintf(v->f, "  %s of further names are not told apart\n",
			xtr_text_count(text, m->left_out));
	return ret;
}

static void row_json(struct xtr_json *j, const struct markers_row *row)
{
	xtr_json_begin_object(j);
	xtr_json_key(j, "name");
	xtr_json_strn(j, row->name, strlen(row->name));
	xtr_json_kv_known(j, "pid", row->pid);
	xtr_json_kv_u64(j, "count", row->n);
	if (row->kind == MARKERS_COUNTER) {
		xtr_json_kv_s64(j, "min", row->least);
		xtr_json_kv_s64(j, "max", row->most);
		xtr_json_kv_s64(j, "last", row->last);
	}
	if (row->kind == MARKERS_SLICE) {
		xtr_json_kv_u64(j, "open", row->open);
		xtr_view_json_hist(j, "time_ns", &row->time, false);
	}
	xtr_json_end_object(j);
}

void markers_json(const void *self, struct xtr_json *j)
{
	static const char *const keys[] = { [MARKERS_SLICE] = "slices",
					    [MARKERS_COUNTER] = "counters",
					    [MARKERS_MOMENT] = "moments" };
	const struct markers *m = self;

	xtr_json_begin_object(j);
	for (unsigned int kind = 0; kind < MARKERS_KINDS; kind++) {
		xtr_json_kv_array(j, keys[kind]);
		for (uint32_t i = 0; i < m->n_rows; i++)
			if (m->row[i].kind == kind)
				row_json(j, &m->row[i]);
		xtr_json_end_array(j);
	}
	xtr_json_kv_u64(j, "left_out", m->left_out);
	xtr_json_end_object(j);
}
