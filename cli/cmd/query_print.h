/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of SQL statements as text, CSV or JSON lines. */
#ifndef XTR_CLI_QUERY_PRINT_H
#define XTR_CLI_QUERY_PRINT_H

#include <sqlite3.h>

enum query_format {
	QUERY_TEXT,
	QUERY_CSV,
	QUERY_JSON
};

/* Run all statements one after the other and print what they answer. Returns the exit status. */
int query_run(sqlite3 *db, const char *sql, enum query_format format);

#endif /* XTR_CLI_QUERY_PRINT_H */
