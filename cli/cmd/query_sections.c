/* SPDX-License-Identifier: BSD-2-Clause */
#include "query_sections.h"
#include "analysis/core/section_cells.h"
#include "base/text.h"
#include "query_db.h"
#include "stats_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A table of a section, one after the other: all zero before the first. */
struct at {
	size_t section, next;
	const struct xtr_section_table *table;
	char name[XTR_SECTION_NAME];
};

static bool next_table(struct at *at)
{
	for (; at->section < xtr_n_analyses; at->section++, at->next = 0) {
		const struct xtr_analysis *of = xtr_analyses[at->section];

		while (of->tables && of->tables[at->next]) {
			at->table = of->tables[at->next++];
			if (!at->table->name)
				continue;
			xtr_section_table_name(of, at->table, at->name);
			return true;
		}
	}
	return false;
}

uint32_t query_sections_of(const char *table)
{
	struct at at = { 0 };

	while (next_table(&at))
		if (!sqlite3_stricmp(at.name, table))
			return 1u << at.section;
	return 0;
}

/* --- making them ------------------------------------------------------------------------------ */

static void add_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	(void)help;
	sqlite3_str_appendf(ctx, ", \"%w\" %s", name, type == XTR_COLUMN_TEXT ? "TEXT" : "INTEGER");
}

int query_sections_create(sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	struct at at = { 0 };
	char *text;
	int rc;

	while (next_table(&at)) {
		sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"(section INTEGER", at.name);
		xtr_section_columns(at.table, add_column, sql);
		sqlite3_str_appendall(sql, ");");
	}
	text = sqlite3_str_finish(sql);
	rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

/* --- filling them ----------------------------------------------------------------------------- */

#define ROWS_OF_LISTS 10000u /* as many as xtr stats --top may ask for */

struct insert {
	sqlite3_stmt *st;
	size_t recording;
	int rc; /* SQLite's */
};

/* SQLite's code. Texts are the traced programs': made UTF-8 without NUL, as in all tables. */
static int bind(sqlite3_stmt *st, int i, const struct xtr_cell *c)
{
	struct xtr_utf8 made = { 0 };
	const char *s;
	size_t n = c->n;
	int rc;

	if (c->kind == XTR_CELL_NULL)
		return sqlite3_bind_null(st, i);
	if (c->kind != XTR_CELL_TEXT)
		return sqlite3_bind_int64(st, i, (sqlite3_int64)c->u);
	s = xtr_text_utf8(&made, c->s, &n);
	rc = s ? sqlite3_bind_text64(st, i, s, n, SQLITE_TRANSIENT, SQLITE_UTF8) : SQLITE_NOMEM;
	free(made.p);
	return rc;
}

static int put_row(void *ctx, const struct xtr_cell *cell, size_t n)
{
	struct insert *in = ctx;
	size_t i;

	in->rc = sqlite3_bind_int64(in->st, 1, (sqlite3_int64)in->recording);
	for (i = 0; i < n && in->rc == SQLITE_OK; i++)
		in->rc = bind(in->st, (int)i + 2, &cell[i]);
	if (in->rc != SQLITE_OK)
		return -EIO;
	in->rc = sqlite3_step(in->st) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
	if (sqlite3_reset(in->st) != SQLITE_OK || in->rc != SQLITE_OK)
		return -EIO;
	return 0;
}

static void count_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	(void)name;
	(void)type;
	(void)help;
	sqlite3_str_appendall(ctx, ",?");
}

/* SQLite's code. */
static int prepare(sqlite3 *db, const struct at *at, sqlite3_stmt **st)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;
	int rc;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES(?", at->name);
	xtr_section_columns(at->table, count_column, sql);
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	rc = text ? sqlite3_prepare_v2(db, text, -1, st, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return rc;
}

static int fill_tables(sqlite3 *db, const struct xtr_analyses *a, uint32_t sections,
		       size_t recording)
{
	struct at at = { 0 };
	int ret = 0;

	while (!ret && next_table(&at)) {
		struct insert in = { .recording = recording };

		if (!(sections & 1u << at.section) || !xtr_analyses_has(a, at.section))
			continue;
		in.rc = prepare(db, &at, &in.st);
		ret = in.rc == SQLITE_OK
			      ? xtr_section_cells(at.table, xtr_analyses_self(a, at.section),
						  xtr_analyses_opts(a), put_row, &in)
			      : -EIO;
		sqlite3_finalize(in.st);
	}
	return ret;
}

int query_sections_fill(sqlite3 *db, struct replay_cmd *cmd, uint32_t sections)
{
	struct stats_run run = { .cmd = cmd,
				 .parts = (uint64_t)sections << XTR_VIEW_PART_COUNT,
				 .top = ROWS_OF_LISTS };
	size_t i, n = xtr_reader_n_sections(cmd->reader);
	struct xtr_view v;
	int ret = 0;

	cmd->again = true;
	if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		ret = -EIO;
	for (i = 0; i < n && !ret; i++) {
		ret = stats_gather(&run, xtr_reader_section(cmd->reader, i), &v);
		if (!ret)
			ret = fill_tables(db, run.analyses, sections, i);
		stats_drop(&run);
	}
	if (!ret && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		ret = -EIO;
	if (!ret)
		return XTR_EXIT_OK;
	cli_error("cannot make the tables of sections of '%s': %s", cmd->path,
		  ret == -EIO ? sqlite3_errmsg(db) : cli_strerror(ret));
	return XTR_EXIT_FAILURE;
}

/* --- showing them ----------------------------------------------------------------------------- */

static void show_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	fprintf(ctx, "  %-20s %-4s  %s\n", name, type == XTR_COLUMN_TEXT ? "text" : "int", help);
}

int query_sections_show(FILE *f, sqlite3 *db)
{
	struct at at = { 0 };
	bool any = false;

	while (next_table(&at)) {
		if (sqlite3_table_column_metadata(db, NULL, at.name, NULL, NULL, NULL, NULL, NULL,
						  NULL) != SQLITE_OK)
			continue;
		if (!any)
			fputs("\nTables of the sections of xtr stats, of a trace only; each begins "
			      "with the column\nsection, as in table files:\n",
			      f);
		any = true;
		fprintf(f, "\n%s: %s\n", at.name, at.table->help);
		xtr_section_columns(at.table, show_column, f);
	}
	return XTR_EXIT_OK;
}
