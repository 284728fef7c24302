/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schema of the databases that xtr makes (docs/tables.md), as SQL made from the columns of
 * replay/views/relation_columns.h.
 *
 * Rows are in tables NAME_data that have a number of the recording (`file`: its file_id as a signed
 * integer) instead of three texts; view NAME is what people use: host, boot_id and file_id of table
 * `files`, then the row.
 */
#ifndef XTR_SQLITE_SCHEMA_H
#define XTR_SQLITE_SCHEMA_H

#include "replay/views/relation.h"

/* A question that is asked often. The last row has no name. */
struct xtr_sql_view {
	const char *name, *help, *sql;
};

extern const struct xtr_sql_view xtr_sql_views[];

/* All tables and views; malloc'ed; NULL: no memory. */
char *xtr_sql_schema(void);
/* Indexes of these tables (bits of enum xtr_relation_id), for when they are full; malloc'ed. */
char *xtr_sql_indexes(uint32_t tables);
/* INSERT with a parameter for the number of the recording and one for each column; malloc'ed. */
char *xtr_sql_insert(enum xtr_relation_id id);
/* The table behind a table of the database; XTR_REL_COUNT: none of ours. */
enum xtr_relation_id xtr_sql_relation(const char *name);

struct sqlite3_stmt;

/*
 * Bind a cell to parameter i; a text must stay until the statement was run. SQLite's code. Signed
 * is all that SQLite has: from 2^63 on numbers are stored less 2^64.
 */
int xtr_sql_bind(struct sqlite3_stmt *st, int i, const struct xtr_cell *c);

#endif /* XTR_SQLITE_SCHEMA_H */
