/* SPDX-License-Identifier: BSD-2-Clause */
/* A database may be a stranger's, or of another xtr: its own names are shown, as far as it has any.
 */
#include "query_schema.h"
#include "query_db.h"
#include "query_sections.h"
#include "converters/out/tables/sqlite_schema.h"
#include "base/text.h"

#include <string.h>

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
	int rc = sql ? sqlite3_prepare_v2(db, sql, -1, st, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return rc == SQLITE_OK ? XTR_EXIT_OK : query_sql_error(db, rc);
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
	int rc = SQLITE_ERROR, n = 0, status = columns_of(s->db, rel->name, &st);

	while (status == XTR_EXIT_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
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
	return finish(s->db, st, rc, status);
}

/* "  a, b, c": what there is in front of them is printed before the first one. */
static int show_names(struct schema *s, const char *table, const char *help)
{
	sqlite3_stmt *st = NULL;
	int rc = SQLITE_ERROR, n = 0, status = columns_of(s->db, table, &st);

	while (status == XTR_EXIT_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
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
	return finish(s->db, st, rc, status);
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
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		const char *name;

		rc = sqlite3_step(st);
		name = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
		if (!name || is_ours(name))
			continue;
		if (!n++)
			fprintf(s->f, "%sTables and views that are not xtr's:\n",
				s->any ? "\n" : "");
		status = show_names(s, name, "");
		if (status != XTR_EXIT_OK)
			break;
	}
	return finish(s->db, st, rc, status);
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
	if (status == XTR_EXIT_OK)
		status = query_sections_show(f, db);
	return status == XTR_EXIT_OK ? show_others(&s) : status;
}
