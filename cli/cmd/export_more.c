/* SPDX-License-Identifier: BSD-2-Clause */
#include "export_more.h"
#include "analysis/core/section_rows.h"
#include "base/buf.h"
#include "base/json.h"
#include "stats_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS      "findings"
#define ROWS_OF_LISTS 10000u /* as many as xtr stats --top may ask for */

/* --- findings --------------------------------------------------------------------------------- */

static const struct xtr_column finding_columns[] = {
	{ "id", XTR_COLUMN_TEXT, NULL, "what kind of finding it is" },
	{ "severity", XTR_COLUMN_TEXT, NULL, "fault, notable or note" },
	{ "at_ns", XTR_COLUMN_INT, "ns", "first event of the evidence; unknown: the whole trace" },
	{ "text", XTR_COLUMN_TEXT, NULL, "one line for people" },
	{ "rule", XTR_COLUMN_TEXT, NULL, "the limits that its rule used" },
	{ "advice", XTR_COLUMN_TEXT, NULL, "what to do about it, or where to look" },
	{ "evidence", XTR_COLUMN_TEXT, NULL, "a JSON object: the numbers behind it" },
};

/* malloc'ed JSON; NULL: no memory. */
static char *evidence_of(const struct xtr_finding *f)
{
	struct xtr_buf buf = { 0 };
	FILE *stream = xtr_memory_stream(&buf);
	struct xtr_json j;

	if (!stream)
		return NULL;
	xtr_json_init(&j, stream, false);
	xtr_json_begin_object(&j);
	for (uint32_t i = 0; i < f->n_evidence; i++)
		xtr_json_kv_u64(&j, f->evidence[i].key, f->evidence[i].value);
	xtr_json_end_object(&j);
	return xtr_memory_text(stream, &buf);
}

static int put_finding(struct xtr_export_tables *to, const struct xtr_finding *f, bool times)
{
	char rule[XTR_FINDING_RULE_MAX];
	char *evidence = evidence_of(f);
	const struct xtr_cell cell[] = {
		xtr_cell_str(f->id),
		xtr_cell_str(xtr_severity_name(xtr_finding_severity(f))),
		xtr_cell_uint(times && f->at_ns, f->at_ns),
		xtr_cell_str(f->text),
		xtr_cell_name(xtr_finding_rule_text(f, rule)),
		xtr_cell_str(xtr_finding_advice(f->id)),
		xtr_cell_str(evidence),
	};
	int err = evidence ? to->row(to, cell, sizeof(cell) / sizeof(cell[0])) : -ENOMEM;

	free(evidence);
	return err;
}

static int put_findings(struct xtr_export_tables *to, const struct xtr_view *v)
{
	const struct xtr_findings *all = xtr_analyses_findings(v->analyses);
	int err = to->begin(to, FINDINGS, "what is worth a look, with its evidence", true);

	for (size_t i = 0; i < sizeof(finding_columns) / sizeof(finding_columns[0]) && !err; i++)
		err = to->column(to, &finding_columns[i]);
	for (uint32_t i = 0; i < all->n && !err; i++)
		err = put_finding(to, &all->finding[i], xtr_view_times(v));
	return err;
}

/* --- sections --------------------------------------------------------------------------------- */

struct table {
	struct xtr_export_tables *to;
	int err;
};

/* By the end of its name, as all names have it (docs/stats-json.md). */
static const char *unit_of(const char *name)
{
	static const char *const units[] = { "ns", "bytes", "ppm", "permille" };
	size_t n = strlen(name), m;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		m = strlen(units[i]);
		if (n > m && name[n - m - 1] == '_' && !strcmp(name + n - m, units[i]))
			return units[i];
	}
	return NULL;
}

static void put_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	struct table *t = ctx;
	const struct xtr_column c = { name, type, unit_of(name), help ? help : "" };

	if (!t->err)
		t->err = t->to->column(t->to, &c);
}

static int put_row(void *ctx, const struct xtr_cell *cell, size_t n)
{
	const struct table *t = ctx;

	return t->to->row(t->to, cell, n);
}

static int put_table(struct xtr_export_tables *to, const struct xtr_table_at *at,
		     const struct xtr_view *v)
{
	const void *self = xtr_table_self(at, v);
	struct table t = { .to = to, .err = to->begin(to, at->name, at->table->help, false) };

	if (!t.err)
		xtr_section_columns(at->table, put_column, &t);
	if (t.err || !self)
		return t.err;
	return xtr_section_cells(at->table, self, xtr_analyses_opts(v->analyses), put_row, &t);
}

int export_more(void *cmd, const struct xtr_export_section *s, struct xtr_export_tables *to)
{
	struct stats_run run = {
		.cmd = cmd, .parts = ~0ull, .top = ROWS_OF_LISTS, .all_findings = true
	};
	struct xtr_table_at at = { 0 };
	struct xtr_view v;
	int err;

	((struct replay_cmd *)cmd)->again = true;
	err = stats_gather(&run, s->section, &v) ?: put_findings(to, &v);
	while (!err && xtr_table_next(&at))
		err = put_table(to, &at, &v);
	stats_drop(&run);
	return err;
}

bool export_more_has(const char *table)
{
	struct xtr_table_at at = { 0 };
	bool found = !strcmp(table, FINDINGS);

	while (!found && xtr_table_next(&at))
		found = !strcmp(table, at.name);
	return found;
}
