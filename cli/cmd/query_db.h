/* SPDX-License-Identifier: BSD-2-Clause */
/* The database that a query reads: made of a trace for this one query, or made by xtr export. */
#ifndef XTR_CLI_QUERY_DB_H
#define XTR_CLI_QUERY_DB_H

#include "replay_cmd.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* All functions that return an exit status have said what is wrong unless it is XTR_EXIT_OK. */

/* "SQL: no such table: job"; returns the exit status: of a wrong statement, or of a failure. */
int query_sql_error(sqlite3 *db, int rc);

/*
 * The next statement of *sql, which moves behind it; *st is NULL if that was only a comment, or on
 * an error. Statements that write are refused.
 */
int query_prepare(sqlite3 *db, const char **sql, sqlite3_stmt **st);

/* What statements read. */
struct query_needs {
	const char *sql;   /* the statements, borrowed */
	uint32_t tables;   /* bits of enum xtr_relation_id */
	uint32_t sections; /* bits of xtr_analyses: any of their tables */
	bool several;      /* set by the caller: tables are of several files */
};

/*
 * Prepares all statements on an empty database: *needs gets what they read; several is set. So a
 * wrong statement is told before a long trace is read.
 */
int query_tables(const char *sql, struct query_needs *needs);

/* Empty, with all tables and views. sql: as of query_sections_create. */
int query_open_empty(sqlite3 **db, const char *sql, bool several);
/* Does the file begin as SQLite's do? Returns the exit status; a line is said if it is no success.
 */
int query_is_database(const char *path, bool *is);
/* Read-only. */
int query_open_database(sqlite3 **db, const char *path);
/*
 * A temporary database of the trace's tables. Its file has no name any more once it is open, so
 * nothing can be left behind. The trace stays open.
 */
int query_open_trace(sqlite3 **db, struct replay_cmd *cmd, const struct query_needs *needs);
/*
 * The same in steps, for several traces: a database without tables; each trace, of which the first
 * makes the tables; then statements only read.
 */
int query_open_temporary(sqlite3 **db);
int query_add_trace(sqlite3 *db, struct replay_cmd *cmd, const struct query_needs *needs,
		    bool first);
void query_guard(sqlite3 *db);

#endif /* XTR_CLI_QUERY_DB_H */
