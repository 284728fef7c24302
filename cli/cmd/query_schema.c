/* SPDX-License-Identifier: BSD-2-Clause */
/* A database may be a stranger's, or of another xtr: its own names are shown, as far as it has any.
 */
#include "query_schema.h"
#include "analysis/core/section_rows.h"
#include "base/text.h"
#include "converters/out/tables/sqlite_schema.h"
#include "query_db.h"
#include "stats_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- query sections --------------------------------------------------------------------------- */

uint32_t query_sections_of(const char *table)
{
	struct xtr_table_at at = { 0 };

	while (xtr_table_next(&at))
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

/* SQLite's own tables, of which some list all tables. */
static bool asks_for_all(const char *sql)
{
	return !sql || strcasestr(sql, "sqlite_") || strcasestr(sql, "pragma");
}

int query_sections_create(sqlite3 *db, const char *asked, bool several)
{
	const bool all = asks_for_all(asked);
	sqlite3_str *sql = sqlite3_str_new(db);
	struct xtr_table_at at = { 0 };
	char *text;
	int err;

	while (xtr_table_next(&at)) {
		if (!all && !strcasestr(asked, at.name))
			continue;
		sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"(section INTEGER%s", at.name,
				    several ? ", file_id TEXT" : "");
		xtr_section_columns(at.table, add_column, sql);
		sqlite3_str_appendall(sql, ");");
	}
	err = sqlite3_str_errcode(sql);
	text = sqlite3_str_finish(sql); /* NULL without a table */
	if (err == SQLITE_OK && text)
		err = sqlite3_exec(db, text, NULL, NULL, NULL);
	sqlite3_free(text);
	return err;
}

/* --- filling them ----------------------------------------------------------------------------- */

#define ROWS_OF_LISTS 10000u /* as many as xtr stats --top may ask for */

struct insert {
	sqlite3_stmt *st;
	size_t recording;
	const char *file_id; /* NULL: there is no such column */
	int rc;              /* SQLite's */
};

/* SQLite's code. Texts are the traced programs': made UTF-8 without NUL, as in all tables. */
static int bind(sqlite3_stmt *st, int i, const struct xtr_cell *c)
{
	struct xtr_utf8 made = { 0 };
	const char *s;
	size_t n = c->n;

	if (c->kind != XTR_CELL_TEXT)
		return xtr_sql_bind(st, i, c);
	s = xtr_text_utf8(&made, c->s, &n);
	return s ? sqlite3_bind_text64(st, i, s, n, made.p ? free : SQLITE_STATIC, SQLITE_UTF8)
		 : SQLITE_NOMEM;
}

static int put_row(void *ctx, const struct xtr_cell *cell, size_t n)
{
	struct insert *in = ctx;

	int at = 1;

	in->rc = sqlite3_bind_int64(in->st, at++, (sqlite3_int64)in->recording);
	if (in->file_id && in->rc == SQLITE_OK)
		in->rc = sqlite3_bind_text(in->st, at++, in->file_id, -1, SQLITE_STATIC);
	for (size_t i = 0; i < n && in->rc == SQLITE_OK; i++)
		in->rc = bind(in->st, at++, &cell[i]);
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
static int prepare(sqlite3 *db, const struct xtr_table_at *at, bool several, sqlite3_stmt **st)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	char *text;
	int err;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES(?%s", at->name, several ? ",?" : "");
	xtr_section_columns(at->table, count_column, sql);
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	err = text ? sqlite3_prepare_v2(db, text, -1, st, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return err;
}

/* file_id: NULL, unless the tables have it. */
static int fill_tables(sqlite3 *db, const struct xtr_view *v, uint32_t sections, size_t recording,
		       const char *file_id)
{
	struct xtr_table_at at = { 0 };
	int err = 0;

	while (!err && xtr_table_next(&at)) {
		struct insert in = { .recording = recording, .file_id = file_id };
		const void *self = xtr_table_self(&at, v);

		if (!(sections & 1u << at.section) || !self)
			continue;
		in.rc = prepare(db, &at, file_id, &in.st);
		err = in.rc == SQLITE_OK
			      ? xtr_section_cells(at.table, self, xtr_analyses_opts(v->analyses),
						  put_row, &in)
			      : -EIO;
		sqlite3_finalize(in.st);
	}
	return err;
}

int query_sections_fill(sqlite3 *db, struct replay_cmd *cmd, uint32_t sections, bool several)
{
	struct stats_run run = { .cmd = cmd,
				 .parts = (uint64_t)sections << XTR_VIEW_PART_COUNT,
				 .top = ROWS_OF_LISTS };
	size_t i, n = xtr_reader_n_sections(cmd->reader);
	struct xtr_view v;
	char id[17];
	int err = 0;

	cmd->again = true;
	if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		err = -EIO;
	for (i = 0; i < n && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(cmd->reader, i);

		snprintf(id, sizeof(id), "%016" PRIx64, xtr_section_file_id(s));
		err = stats_gather(&run, s, &v)
			      ?: fill_tables(db, &v, sections, i, several ? id : NULL);
		stats_drop(&run);
	}
	if (!err && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		err = -EIO;
	if (!err)
		return XTR_EXIT_OK;
	cli_error("cannot make the tables of sections of '%s': %s", cmd->path,
		  err == -EIO ? sqlite3_errmsg(db) : cli_strerror(err));
	return XTR_EXIT_FAILURE;
}

/* --- showing them ----------------------------------------------------------------------------- */

static void show_section_column(void *ctx, const char *name, enum xtr_column_type type,
				const char *help)
{
	fprintf(ctx, "  %-20s %-4s  %s\n", name, type == XTR_COLUMN_TEXT ? "text" : "int", help);
}

/* Those that the database has, with columns and meanings. Returns the exit status. */
static int query_sections_show(FILE *f, sqlite3 *db)
{
	struct xtr_table_at at = { 0 };
	bool any = false;

	while (xtr_table_next(&at)) {
		if (sqlite3_table_column_metadata(db, NULL, at.name, NULL, NULL, NULL, NULL, NULL,
						  NULL) != SQLITE_OK)
			continue;
		if (!any)
			fputs("\nTables of the sections of xtr stats, of a trace only; each begins "
			      "with the column\nsection, as in table files:\n",
			      f);
		any = true;
		fprintf(f, "\n%s: %s\n", at.name, at.table->help);
		xtr_section_columns(at.table, show_section_column, f);
	}
	return XTR_EXIT_OK;
}

/* --- query schema ----------------------------------------------------------------------------- */

/* What is shown, so far: how tables begin is said once, before the first one. */
struct schema {
	FILE *f;
	sqlite3 *db;
	bool any;
};

static void show_column(FILE *f, const struct xtr_column *c)
{
	static const char *const types[] = {
		[XTR_COLUMN_U64] = "u64",
		[XTR_COLUMN_INT] = "int",
		[XTR_COLUMN_TEXT] = "text",
	};

	fprintf(f, "  %-20s %-4s  %s\n", c->name, types[c->type], c->help);
}

static const struct xtr_column *find(const struct xtr_column *c, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(c[i].name, name))
			return &c[i];
	return NULL;
}

/* The columns of a table or view, one a row; none if there is none. Returns the exit status. */
static int columns_of(sqlite3 *db, const char *table, sqlite3_stmt **st)
{
	char *sql = sqlite3_mprintf("PRAGMA table_info(%Q)", table);
	int err = sql ? sqlite3_prepare_v2(db, sql, -1, st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return err == SQLITE_OK ? XTR_EXIT_OK : query_sql_error(db, err);
}

/* Of the row; never NULL. */
static const char *name_of(sqlite3_stmt *st)
{
	const char *name = (const char *)sqlite3_column_text(st, 1);

	return name ? name : "";
}

/* After the last row, which rc tells, unless something was wrong before: then status does. */
static int finish(sqlite3 *db, sqlite3_stmt *st, int rc, int status)
{
	if (status == XTR_EXIT_OK && rc != SQLITE_DONE)
		status = query_sql_error(db, rc);
	sqlite3_finalize(st);
	return status;
}

static void table_head(struct schema *s, const struct xtr_relation *rel)
{
	if (!s->any) {
		fputs("Every table begins with:\n", s->f);
		for (size_t i = 0; i < XTR_ORIGIN_N; i++)
			show_column(s->f, &xtr_origin_columns[i]);
	}
	s->any = true;
	fprintf(s->f, "\n%s: %s\n", rel->name, rel->help);
}

/* The number of the recording, which tables have inside, is not told. */
static bool is_origin(const char *name)
{
	return find(xtr_origin_columns, XTR_ORIGIN_N, name) || !strcmp(name, "file");
}

static int show_table(struct schema *s, const struct xtr_relation *rel)
{
	const struct xtr_column *known;
	sqlite3_stmt *st = NULL;
	int err = SQLITE_ERROR, n = 0, status = columns_of(s->db, rel->name, &st);

	while (status == XTR_EXIT_OK && (err = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = name_of(st);

		if (!n++)
			table_head(s, rel);
		known = find(rel->columns, rel->n, name);
		if (known) {
			show_column(s->f, known);
		} else if (!is_origin(name)) {
			fputs("  ", s->f);
			xtr_text_put(s->f, name, strlen(name));
			fputc('\n', s->f);
		}
	}
	return finish(s->db, st, err, status);
}

/* "  a, b, c": what there is in front of them is printed before the first one. */
static int show_names(struct schema *s, const char *table, const char *help)
{
	sqlite3_stmt *st = NULL;
	int err = SQLITE_ERROR, n = 0, status = columns_of(s->db, table, &st);

	while (status == XTR_EXIT_OK && (err = sqlite3_step(st)) == SQLITE_ROW) {
		if (!n) {
			fputc('\n', s->f);
			xtr_text_put(s->f, table, strlen(table));
			fprintf(s->f, "%s%s\n", *help ? ": " : ":", help);
		}
		fputs(n++ ? ", " : "  ", s->f);
		xtr_text_put(s->f, name_of(st), strlen(name_of(st)));
	}
	if (n)
		fputc('\n', s->f);
	return finish(s->db, st, err, status);
}

static bool is_ours(const char *name)
{
	const struct xtr_sql_view *v;

	if (xtr_relation_by_name(name) || xtr_sql_relation(name) < XTR_REL_COUNT ||
	    query_sections_of(name))
		return true;
	for (v = xtr_sql_views; v->name; v++)
		if (!strcmp(v->name, name))
			return true;
	return false;
}

/* Tables and views that are neither xtr's nor SQLite's own. */
static int show_others(struct schema *s)
{
	static const char sql[] = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
				  "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
	sqlite3_stmt *st = NULL;
	int status = XTR_EXIT_OK, n = 0;
	int err = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	while (err == SQLITE_OK || err == SQLITE_ROW) {
		const char *name;

		err = sqlite3_step(st);
		name = err == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
		if (!name || is_ours(name))
			continue;
		if (!n++)
			fprintf(s->f, "%sTables and views that are not xtr's:\n",
				s->any ? "\n" : "");
		status = show_names(s, name, "");
		if (status != XTR_EXIT_OK)
			break;
	}
	return finish(s->db, st, err, status);
}

int query_schema(FILE *f, sqlite3 *db)
{
	struct schema s = { .f = f, .db = db };
	const struct xtr_sql_view *v;
	int status = XTR_EXIT_OK;

	for (size_t i = 0; i < XTR_REL_COUNT && status == XTR_EXIT_OK; i++)
		status = show_table(&s, &xtr_relations[i]);
	if (s.any)
		fputs("\nViews for common questions:\n", f);
	for (v = xtr_sql_views; v->name && status == XTR_EXIT_OK; v++)
		status = show_names(&s, v->name, v->help);
	return status ?: query_sections_show(f, db) ?: show_others(&s);
}
