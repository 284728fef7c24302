/* SPDX-License-Identifier: BSD-2-Clause */
#include "query_db.h"
#include "converters/out/core/export.h"
#include "converters/out/tables/sqlite_schema.h"
#include "query_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is no fault of the statement. */
static bool failed(int rc)
{
	static const int failures[] = { SQLITE_FULL,    SQLITE_IOERR,  SQLITE_NOMEM,
					SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN,
					SQLITE_BUSY };

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if ((rc & 0xff) == failures[i])
			return true;
	return false;
}

int query_sql_error(sqlite3 *db, int rc)
{
	/* What failed outside of the database, it knows nothing of. */
	const char *why =
		sqlite3_errcode(db) == SQLITE_OK ? sqlite3_errstr(rc) : sqlite3_errmsg(db);
	int err = 0;

	/* A file that cannot be read is a malformed one in SQLite's words. */
	sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &err);
	if (failed(rc) && (rc & 0xff) != SQLITE_NOMEM && err > 0)
		cli_error("SQL: %s: %s", why, cli_strerror(err));
	else
		cli_error("SQL: %s", why);
	if ((rc & 0xff) == SQLITE_FULL)
		cli_hint("the temporary database did not fit: TMPDIR names another place");
	return failed(rc) ? XTR_EXIT_FAILURE : XTR_EXIT_USAGE;
}

/* --- what statements may do ------------------------------------------------------------------- */

static bool reads_only(const char *pragma)
{
	static const char *const harmless[] = {
		"table_info",  "table_xinfo",      "table_list",        "index_list",
		"index_info",  "foreign_key_list", "foreign_key_check", "integrity_check",
		"quick_check", "function_list",    "compile_options",   "page_count",
	};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!sqlite3_stricmp(pragma, harmless[i]))
			return true;
	return false;
}

/*
 * Reading is allowed, nothing else: no other database is attached, no file is written, no library
 * is loaded. needs: gets the bits of what is read (struct query_needs); may be NULL.
 */
static int authorize(void *needs, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	struct query_needs *n = needs;
	enum xtr_relation_id id;

	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_READ:
		id = xtr_sql_relation(a);
		if (n && id < XTR_REL_COUNT)
			n->tables |= 1u << id;
		else if (n)
			n->sections |= query_sections_of(a);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return sqlite3_stricmp(b, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return reads_only(a) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* From here on the database only answers; its schema may be a stranger's. */
static void guard(sqlite3 *db, struct query_needs *needs)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(db, authorize, needs);
}

int query_prepare(sqlite3 *db, const char **sql, sqlite3_stmt **st)
{
	int err = sqlite3_prepare_v2(db, *sql, -1, st, sql);

	if (err != SQLITE_OK)
		return query_sql_error(db, err);
	if (!*st || sqlite3_stmt_readonly(*st))
		return XTR_EXIT_OK;
	/* VACUUM INTO would write a file and asks no authorizer. */
	sqlite3_finalize(*st);
	*st = NULL;
	cli_error("SQL: only reading is allowed");
	return XTR_EXIT_USAGE;
}

int query_tables(const char *sql, struct query_needs *needs)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st;
	int status;

	*needs = (struct query_needs){ .sql = sql,
				       .tables = 1u << XTR_REL_FILES,
				       .several = needs->several };
	status = query_open_empty(&db, sql, needs->several);
	if (status == XTR_EXIT_OK)
		guard(db, needs);
	while (status == XTR_EXIT_OK && *sql) {
		status = query_prepare(db, &sql, &st);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
	return status;
}

/* --- databases -------------------------------------------------------------------------------- */

static int open_failed(sqlite3 *db, const char *path)
{
	int err = db ? sqlite3_system_errno(db) : ENOMEM;

	cli_error("'%s': %s", path, err ? cli_strerror(err) : sqlite3_errmsg(db));
	return XTR_EXIT_FAILURE;
}

int query_open_empty(sqlite3 **db, const char *text, bool several)
{
	char *sql = xtr_sql_schema();
	int err = sql ? sqlite3_open(":memory:", db) : SQLITE_NOMEM;

	if (err == SQLITE_OK)
		err = sqlite3_exec(*db, sql, NULL, NULL, NULL);
	free(sql);
	if (err == SQLITE_OK)
		err = query_sections_create(*db, text, several);
	if (err == SQLITE_OK)
		return XTR_EXIT_OK;
	if (*db)
		return query_sql_error(*db, err);
	cli_error("%s", cli_strerror(ENOMEM));
	return XTR_EXIT_FAILURE;
}

/* 0 or errno. */
static int read_head(int fd, char *head, size_t size, bool *whole)
{
	size_t n = 0;

	while (n < size) {
		ssize_t r = pread(fd, head + n, size - n, (off_t)n);

		if (r < 0 && errno != EINTR)
			return errno;
		if (!r)
			break;
		n += r > 0 ? (size_t)r : 0;
	}
	*whole = n == size;
	return 0;
}

int query_is_database(const char *path, bool *is)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];
	struct stat st;
	int fd, err;

	*is = false;
	if (!strcmp(path, "-"))
		return XTR_EXIT_OK;
	err = stat(path, &st) ? errno : 0;
	if (err == ENOENT) /* told when it is opened, after the SQL was looked at */
		return XTR_EXIT_OK;
	if (!err && !S_ISREG(st.st_mode)) /* from a pipe nothing could be read again */
		return XTR_EXIT_OK;
	if (!err) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? errno : read_head(fd, head, sizeof(head), is);
		if (fd >= 0)
			close(fd);
	}
	if (err) {
		cli_error("'%s': %s", path, cli_strerror(err));
		return XTR_EXIT_FAILURE;
	}
	*is = *is && !memcmp(head, magic, sizeof(magic));
	return XTR_EXIT_OK;
}

int query_open_database(sqlite3 **db, const char *path)
{
	char *plain = NULL;
	int err;

	/* "file:..." would be taken for a URI */
	if (asprintf(&plain, "%s%s", *path == '/' ? "" : "./", path) < 0) {
		cli_error("%s", cli_strerror(ENOMEM));
		return XTR_EXIT_FAILURE;
	}
	err = sqlite3_open_v2(plain, db, SQLITE_OPEN_READONLY, NULL);
	free(plain);
	if (err != SQLITE_OK)
		return open_failed(*db, path);
	guard(*db, NULL);
	return XTR_EXIT_OK;
}

static void on_damage(void *ctx, const struct xtr_err *err)
{
	replay_damage(ctx, err);
}

static void on_progress(void *ctx, unsigned int permille)
{
	cli_progress(((struct replay_cmd *)ctx)->path, permille, 1000);
}

int query_open_temporary(sqlite3 **db)
{
	/* "": a file in TMPDIR that SQLite removes as soon as it has opened it */
	int err = sqlite3_open_v2(
		"", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

	return err == SQLITE_OK ? XTR_EXIT_OK : open_failed(*db, "temporary database");
}

int query_add_trace(sqlite3 *db, struct replay_cmd *cmd, const struct query_needs *needs,
		    bool first)
{
	struct xtr_export e = {
		.sz = sizeof(e),
		.exporter = xtr_exporter_by_name("sqlite"),
		.opts = { .sz = sizeof(e.opts),
			  .db = db,
			  .append = !first,
			  .tables = needs->tables },
		.reader = cmd->reader,
		.damage = on_damage,
		.progress = on_progress,
		.ctx = cmd,
	};
	int err, status = XTR_EXIT_OK;

	replay_select_given(cmd, &e.select);
	err = xtr_export(&e);
	cli_progress_done();
	if (err) {
		cli_error("cannot make a database of '%s': %s", cmd->path, cli_strerror(err));
		if (err == -ENOSPC)
			cli_hint("TMPDIR names another place for it");
		return XTR_EXIT_FAILURE;
	}
	if (first) {
		/* A section is filled as a whole. */
		err = query_sections_create(db, needs->sections ? NULL : needs->sql,
					    needs->several);
		status = err == SQLITE_OK ? XTR_EXIT_OK : query_sql_error(db, err);
	}
	if (status == XTR_EXIT_OK && needs->sections)
		status = query_sections_fill(db, cmd, needs->sections, needs->several);
	return status;
}

void query_guard(sqlite3 *db)
{
	guard(db, NULL);
}

int query_open_trace(sqlite3 **db, struct replay_cmd *cmd, const struct query_needs *needs)
{
	int status = query_open_temporary(db) ?: query_add_trace(*db, cmd, needs, true);

	if (status == XTR_EXIT_OK)
		query_guard(*db);
	return status;
}
