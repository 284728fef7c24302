/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be asked for in SQL: the tables, views and columns of a database. */
#ifndef XTR_CLI_QUERY_SCHEMA_H
#define XTR_CLI_QUERY_SCHEMA_H

#include "replay_cmd.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Of xtr's tables and views those that the database has, with what their columns mean; then the
 * names of others. Returns the exit status; what is wrong was said.
 */
int query_schema(FILE *f, sqlite3 *db);

/* --- query sections --------------------------------------------------------------------------- */

/*
 * Tables of the sections of `xtr stats` in a query's database: SECTION_TABLE, made of the same
 * columns and rows as its text and JSON. Each begins with the column section, as table files has
 * it.
 */
/* Bit of the section (its place in xtr_analyses, or one behind the last) that this table is of; 0:
 * it is none. */
uint32_t query_sections_of(const char *table);
/*
 * several: behind the section stands the column file_id, as table files has it.
 * Those whose names occur in asked, empty; all where it asks what tables there are, and if it is
 * NULL. SQLite's code.
 */
int query_sections_create(sqlite3 *db, const char *asked, bool several);
/* Plays the trace once for these sections and fills their tables. Returns the exit status; a line
 * is said if it is no success. */
int query_sections_fill(sqlite3 *db, struct replay_cmd *cmd, uint32_t sections, bool several);

#endif /* XTR_CLI_QUERY_SCHEMA_H */
