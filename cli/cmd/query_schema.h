/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be asked for in SQL: the tables, views and columns of a database. */
#ifndef XTR_CLI_QUERY_SCHEMA_H
#define XTR_CLI_QUERY_SCHEMA_H

#include <sqlite3.h>
#include <stdio.h>

/*
 * Of xtr's tables and views those that the database has, with what their columns mean; then the
 * names of others. Returns the exit status; what is wrong was said.
 */
int query_schema(FILE *f, sqlite3 *db);

#endif /* XTR_CLI_QUERY_SCHEMA_H */
