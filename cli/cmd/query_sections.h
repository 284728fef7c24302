/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of the sections of `xtr stats` in a query's database: SECTION_TABLE, made of the same
 * columns and rows as its text and JSON. Each begins with the column section, as table files has
 * it.
 */
#ifndef XTR_CLI_QUERY_SECTIONS_H
#define XTR_CLI_QUERY_SECTIONS_H

#include "replay_cmd.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

/* Bit of the section (its place in xtr_analyses) that this table is of; 0: it is none. */
uint32_t query_sections_of(const char *table);
/* All of them, empty. SQLite's code. */
int query_sections_create(sqlite3 *db);
/* Plays the trace once for these sections and fills their tables. Returns the exit status; a line
 * is said if it is no success. */
int query_sections_fill(sqlite3 *db, struct replay_cmd *cmd, uint32_t sections);
/* Those that the database has, with columns and meanings. Returns the exit status. */
int query_sections_show(FILE *f, sqlite3 *db);

#endif /* XTR_CLI_QUERY_SECTIONS_H */
