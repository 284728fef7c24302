/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr query: SQL over a trace. */
#include "query_db.h"
#include "query_print.h"
#include "text.h"
#include "converters/sqlite_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SQL_MAX (1u << 20) /* bytes */

struct query_opts {
	const char *file;
	struct replay_opts replay;
	bool csv, json, schema;
};

static const struct cli_option options[] = {
	{ 'f', "file", "SQLFILE", CLI_STRING, offsetof(struct query_opts, file),
	  "take the SQL from this file, \"-\" for standard input" },
	{ 0, "csv", NULL, CLI_FLAG, offsetof(struct query_opts, csv), "CSV" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct query_opts, json), "JSON lines" },
	{ 0, "schema", NULL, CLI_FLAG, offsetof(struct query_opts, schema),
	  "show the tables, views and columns there are, and what they mean" },
	REPLAY_OPTIONS(struct query_opts, replay),
};

extern const struct cli_command cmd_query;

/* --- --schema --------------------------------------------------------------------------------- */

static void show_columns(FILE *f, const struct xtr_column *c, size_t n)
{
	static const char *const types[] = {
		[XTR_COLUMN_U64] = "u64",
		[XTR_COLUMN_INT] = "int",
		[XTR_COLUMN_TEXT] = "text",
	};
	size_t i;

	for (i = 0; i < n; i++)
		fprintf(f, "  %-20s %-4s  %s\n", c[i].name, types[c[i].type], c[i].help);
}

/* Names of a view's columns, as the database tells them. */
static int show_view(FILE *f, sqlite3 *db, const struct xtr_sql_view *v)
{
	const char *columns;
	sqlite3_stmt *st = NULL;
	int status = XTR_EXIT_OK;
	int rc = sqlite3_prepare_v2(db, "SELECT group_concat(name, ', ') FROM pragma_table_info(?)",
				    -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(st, 1, v->name, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	columns = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
	if (columns)
		fprintf(f, "\n%s: %s\n  %s\n", v->name, v->help, columns);
	else
		status = query_sql_error(db, rc == SQLITE_ROW ? SQLITE_NOMEM : rc);
	sqlite3_finalize(st);
	return status;
}

static int show_schema(void)
{
	const struct xtr_sql_view *v;
	sqlite3 *db = NULL;
	int status = query_open_empty(&db);
	FILE *f = cli_out();
	size_t i;

	fputs("Every table begins with:\n", f);
	show_columns(f, xtr_origin_columns, XTR_ORIGIN_N);
	for (i = 0; i < XTR_REL_COUNT; i++) {
		fprintf(f, "\n%s: %s\n", xtr_relations[i].name, xtr_relations[i].help);
		show_columns(f, xtr_relations[i].columns, xtr_relations[i].n);
	}
	fputs("\nViews for common questions:\n", f);
	for (v = xtr_sql_views; v->name && status == XTR_EXIT_OK; v++)
		status = show_view(f, db, v);
	sqlite3_close(db);
	return status;
}

/* --- the statements --------------------------------------------------------------------------- */

/* malloc'ed text of a whole file, or -errno. */
static int read_all(struct xtr_io *io, char **sql)
{
	uint64_t n = 0;
	int err = io->ops->size(io, &n);

	if (!err && n > SQL_MAX)
		err = -EFBIG;
	if (err)
		return err;
	*sql = calloc(1, (size_t)n + 1);
	if (!*sql)
		return -ENOMEM;
	err = io->ops->read_at(io, 0, *sql, (size_t)n);
	if (err) {
		free(*sql);
		*sql = NULL;
	}
	return err;
}

/* malloc'ed; NULL: a line was said. */
static char *read_sql(const char *path)
{
	struct xtr_io *io = NULL;
	char *sql = NULL;
	int err = xtr_io_open_read(path, &io);

	if (!err)
		err = read_all(io, &sql);
	if (err)
		cli_error("'%s': %s", path, cli_strerror(err));
	xtr_io_close(io);
	return sql;
}

static int check(const struct query_opts *o, int argc, char **argv)
{
	const char *from = o->file ? o->file : argc == 2 ? argv[1] : "";

	if (o->csv && o->json)
		return cli_usage_error(&cmd_query, "--csv or --json, not both");
	if (argc == 1 && !o->file)
		return cli_usage_error(&cmd_query, "which SQL? 'SELECT * FROM usage_by_ring', "
						   "for example; --schema shows what there is");
	if (argc != (o->file ? 1 : 2))
		return cli_usage_error(&cmd_query, "a FILE and %s",
				       o->file ? "the SQL of --file, nothing else"
					       : "one SQL text");
	if (!strcmp(argv[0], "-") && !strcmp(from, "-"))
		return cli_usage_error(&cmd_query,
				       "trace and SQL cannot both come from standard input");
	return XTR_EXIT_OK;
}

static bool selects(const struct replay_opts *o)
{
	return o->window.from || o->window.to || o->devices.n || o->rings.n || o->pids.n;
}

/* --- running them ----------------------------------------------------------------------------- */

static int run_on_database(const struct query_opts *o, const char *path, const char *sql,
			   enum query_format format)
{
	sqlite3 *db = NULL;
	int status;

	if (selects(&o->replay))
		return cli_usage_error(&cmd_query,
				       "'%s' is a database: select in the SQL, or when exporting",
				       path);
	status = query_open_database(&db, path);
	if (status == XTR_EXIT_OK)
		status = query_run(db, sql, format);
	sqlite3_close(db);
	return status;
}

static int run_on_trace(const struct query_opts *o, char **argv, const char *sql,
			enum query_format format)
{
	struct replay_cmd cmd = { 0 };
	sqlite3 *db = NULL;
	uint32_t tables;
	int status = query_tables(sql, &tables), of_file;

	if (status == XTR_EXIT_OK)
		status = replay_begin(&cmd, &cmd_query, &o->replay, 1, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = query_open_trace(&db, &cmd, tables);
	if (status == XTR_EXIT_OK)
		status = query_run(db, sql, format);
	sqlite3_close(db);
	of_file = replay_end(&cmd, 0);
	return status == XTR_EXIT_OK ? of_file : status;
}

static int run(const void *opts, int argc, char **argv)
{
	const struct query_opts *o = opts;
	enum query_format format = o->csv ? QUERY_CSV : o->json ? QUERY_JSON : QUERY_TEXT;
	const char *from, *sql;
	char *read = NULL;
	bool database;
	int status;

	if (o->schema)
		return argc ? cli_usage_error(&cmd_query, "--schema takes no FILE") : show_schema();
	if (!argc)
		return cli_usage_error(&cmd_query, "which FILE?");
	status = check(o, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	from = o->file ? o->file : !strcmp(argv[1], "-") ? "-" : NULL;
	if (from)
		read = read_sql(from);
	if (from && !read)
		return XTR_EXIT_FAILURE;
	sql = from ? read : argv[1];
	status = query_is_database(argv[0], &database);
	if (status != XTR_EXIT_OK) {
		free(read);
		return status;
	}
	if (database)
		status = run_on_database(o, argv[0], sql, format);
	else
		status = run_on_trace(o, argv, sql, format);
	free(read);
	return status;
}

const struct cli_command cmd_query = {
	.name = "query",
	.summary = "ask a trace in SQL",
	.args = "FILE [SQL]",
	.about =
		"FILE is a trace, or a database that 'xtr export -f sqlite' made. Of a trace the tables that "
		"the SQL reads go into a temporary database first (in TMPDIR, without a name: nothing is left "
		"behind); a question of a large trace asked often is faster on an exported database. Tables, "
		"columns and views: --schema, and docs/tables.md. SQL is SQLite's; several statements are "
		"separated by semicolons. Statements can only read.\n\n"
		"--from, --to, --device, --ring and --pid choose what goes into the temporary database, as for "
		"'xtr export'. Times are ns on the event clock. In the table a value that is not known is \"-\"; "
		"in CSV it is empty, in JSON null.\n\n"
		"Exit status 2: wrong SQL; 3: events were lost while recording, or the file is damaged (table "
		"losses and gaps tell more).",
	.examples =
		"xtr query run.xtr \"SELECT * FROM usage_by_ring\"\tone of the views\n"
		"xtr query run.xtr \"SELECT comm, count(*), sum(exec_ns) FROM jobs GROUP BY 1\"\tby program\n"
		"xtr query --csv run.xtr \"SELECT * FROM longest_jobs LIMIT 10\"\tfor a spreadsheet\n"
		"xtr query -f report.sql run.xtr\tstatements from a file\n"
		"xtr query --schema\twhat can be asked for",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct query_opts),
	.run = run,
};
