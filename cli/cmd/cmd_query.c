/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr query: SQL over a trace. */
#include "paths.h"
#include "query_db.h"
#include "query_print.h"
#include "query_schema.h"
#include "seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	  "show the tables, views and columns there are (in FILE, if one is given), and what they mean" },
	REPLAY_OPTIONS(struct query_opts, replay),
};

/* --- --schema --------------------------------------------------------------------------------- */

static int show_schema_of_database(const char *path)
{
	sqlite3 *db = NULL;
	int status = query_open_database(&db, path) ?: query_schema(cli_out(), db);

	sqlite3_close(db);
	return status;
}

/* The database of a trace has all tables and views, whatever is in it. */
static int show_schema_of_traces(void)
{
	sqlite3 *db = NULL;
	int status = query_open_empty(&db, NULL, false) ?: query_schema(cli_out(), db);

	sqlite3_close(db);
	return status;
}

/* Without a FILE: of any trace. */
static int show_schema(const struct query_opts *o, int argc, char **argv)
{
	struct replay_cmd cmd = { 0 };
	bool database = false;
	int status = XTR_EXIT_OK, of_file;

	if (argc > 1 || o->file)
		return cli_usage_error(&cmd_query, "--schema takes one FILE, or none, and no SQL");
	if (!argc)
		return show_schema_of_traces();
	status = query_is_database(argv[0], &database);
	if (status == XTR_EXIT_OK && database)
		return show_schema_of_database(argv[0]);
	if (status == XTR_EXIT_OK)
		status = replay_begin(&cmd, &cmd_query, &o->replay, 1, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = show_schema_of_traces();
	of_file = replay_end(&cmd, 0);
	return status == XTR_EXIT_OK ? of_file : status;
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
	int err = xtr_io_open_read(path, &io) ?: read_all(io, &sql);

	if (err)
		cli_error("'%s': %s", path, cli_strerror(err));
	xtr_io_close(io);
	return sql;
}

static int check(const struct query_opts *o, int argc, char **argv)
{
	const int files = o->file ? argc : argc - 1;
	const char *from = o->file ? o->file : argv[argc - 1];

	if (o->csv && o->json)
		return cli_usage_error(&cmd_query, "--csv or --json, not both");
	if (argc == 1 && !o->file)
		return cli_usage_error(&cmd_query, "which SQL? 'SELECT * FROM usage_by_ring', "
						   "for example; --schema shows what there is");
	/* Two texts of SQL look like a file that is not there. */
	for (int i = 1; i < files; i++)
		if (strpbrk(argv[i], " \t\n") && access(argv[i], F_OK))
			return cli_usage_error(&cmd_query,
					       "files, and one SQL text: there is no file '%s'",
					       argv[i]);
	for (int i = 0; i < files; i++)
		if (!strcmp(argv[i], "-") && !strcmp(from, "-"))
			return cli_usage_error(
				&cmd_query, "trace and SQL cannot both come from standard input");
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
	status = query_open_database(&db, path) ?: query_run(db, sql, format);
	sqlite3_close(db);
	return status;
}

static int run_on_trace(const struct query_opts *o, char **argv, const char *sql,
			enum query_format format)
{
	struct replay_cmd cmd = { 0 };
	sqlite3 *db = NULL;
	struct query_needs needs = { 0 };
	int status = query_tables(sql, &needs), of_file;

	if (status == XTR_EXIT_OK)
		status = replay_begin(&cmd, &cmd_query, &o->replay, 1, argv);
	if (status != XTR_EXIT_OK)
		return status;
	status = query_open_trace(&db, &cmd, &needs) ?: query_run(db, sql, format);
	sqlite3_close(db);
	of_file = replay_end(&cmd, 0);
	return status == XTR_EXIT_OK ? of_file : status;
}

/* --- several traces --------------------------------------------------------------------------- */

struct files {
	const struct query_opts *o;
	struct query_needs needs;
	struct filters filters; /* what they match, in any of the files */
	struct seen seen;
	size_t good; /* files that were read */
	int broken;  /* the database is: exit status */
};

/* A file that cannot be read ends no other; SQLite's failures end all. Returns the exit status. */
static int add_file(sqlite3 *db, struct files *f, char **path)
{
	struct replay_cmd cmd = { .filters = &f->filters };
	int status = replay_begin(&cmd, &cmd_query, &f->o->replay, 1, path), seen, of_file;

	if (status != XTR_EXIT_OK)
		return status;
	seen = seen_file(&f->seen, *path, cmd.reader);
	if (seen < 0)
		return replay_end(&cmd, seen);
	if (!seen)
		f->broken = query_add_trace(db, &cmd, &f->needs, !f->good);
	f->good++;
	of_file = replay_end(&cmd, 0);
	return f->broken ? f->broken : of_file;
}

static int add_files(sqlite3 *db, struct files *f, const struct cli_paths *p)
{
	int status = XTR_EXIT_OK, one;
	bool database;

	for (size_t i = 0; i < p->n; i++) {
		one = query_is_database(p->v[i], &database);
		if (one == XTR_EXIT_OK && database)
			return cli_usage_error(&cmd_query, "'%s' is a database: ask it alone",
					       p->v[i]);
		if (one == XTR_EXIT_OK)
			one = add_file(db, f, &p->v[i]);
		if (f->broken || one == XTR_EXIT_USAGE)
			return one;
		status = cli_worse(status, one);
	}
	return status;
}

static int run_on_files(const struct query_opts *o, const struct cli_paths *p, const char *sql,
			enum query_format format)
{
	struct files f = { .o = o, .needs.several = true };
	sqlite3 *db = NULL;
	int status, answer;

	status = query_tables(sql, &f.needs)
			 ?: filters_see_files(&f.filters, &cmd_query, &o->replay, p)
			 ?: query_open_temporary(&db)
			 ?: add_files(db, &f, p);
	if (f.good && !f.broken && status != XTR_EXIT_USAGE) {
		query_guard(db);
		answer = query_run(db, sql, format);
		status = answer == XTR_EXIT_OK ? status : answer;
	}
	sqlite3_close(db);
	filters_free(&f.filters);
	seen_free(&f.seen);
	return status;
}

static int run_on_several(const struct query_opts *o, int n, char **argv, const char *sql,
			  enum query_format format)
{
	struct cli_paths paths = { 0 };
	int of_paths = cli_paths_expand(&paths, (size_t)n, (const char *const *)argv), status;

	status = paths.n ? run_on_files(o, &paths, sql, format) : of_paths;
	cli_paths_free(&paths);
	return cli_worse(status, of_paths);
}

static int run_on(const struct query_opts *o, int n, char **argv, const char *sql)
{
	enum query_format format = o->csv ? QUERY_CSV : o->json ? QUERY_JSON : QUERY_TEXT;
	bool database;
	int status, many = cli_paths_several(n, argv);

	if (many < 0)
		return XTR_EXIT_FAILURE;
	if (many)
		return run_on_several(o, n, argv, sql, format);
	status = query_is_database(argv[0], &database);
	if (status != XTR_EXIT_OK)
		return status;
	return database ? run_on_database(o, argv[0], sql, format)
			: run_on_trace(o, argv, sql, format);
}

static int run(const void *opts, int argc, char **argv)
{
	const struct query_opts *o = opts;
	const char *from, *sql;
	char *read = NULL;
	int status;

	if (o->schema)
		return show_schema(o, argc, argv);
	if (!argc)
		return cli_usage_error(&cmd_query, "which FILE?");
	status = check(o, argc, argv);
	if (status != XTR_EXIT_OK)
		return status;
	sql = argv[argc - 1];
	from = o->file ? o->file : !strcmp(sql, "-") ? "-" : NULL;
	if (from)
		read = read_sql(from);
	if (from && !read)
		return XTR_EXIT_FAILURE;
	status = run_on(o, o->file ? argc : argc - 1, argv, from ? read : sql);
	free(read);
	return status;
}

const struct cli_command cmd_query = {
	.name = "query",
	.summary = "ask a trace in SQL",
	.args = "FILE|DIR... [SQL]",
	.examples = "xtr query run.xtr \"SELECT * FROM usage_by_ring\"\tone of the views\n"
		    "xtr query --schema run.xtr\twhat can be queried",
	CLI_OPTIONS(options, struct query_opts),
	.run = run,
};
