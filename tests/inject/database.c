/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a database holds: with less memory SQLite may put the same rows in another order, which is
 * no fault. The rows of all tables count, its own among them, whatever their order.
 */
#include "server.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_SQLITE
#include <sqlite3.h>

static uint64_t hash_row(sqlite3_stmt *st, uint64_t h)
{
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		const int type = sqlite3_column_type(st, i);
		const void *p = sqlite3_column_blob(st, i);

		h = inject_hash(h, &type, sizeof(type));
		h = inject_hash(h, p, (size_t)sqlite3_column_bytes(st, i));
	}
	return h;
}

/* The sum of its rows' hashes; 0: something is wrong with it. */
static uint64_t hash_answer(sqlite3 *db, const char *sql, uint64_t seed)
{
	sqlite3_stmt *st;
	uint64_t sum = 1;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		sum += hash_row(st, seed);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? sum : 0;
}

static uint64_t hash_tables(sqlite3 *db)
{
	static const char all[] = "SELECT name FROM sqlite_schema WHERE type = 'table'";
	uint64_t sum = hash_answer(db, "SELECT type, name, sql FROM sqlite_schema", 1);
	sqlite3_stmt *st;
	int rc = sqlite3_prepare_v2(db, all, -1, &st, NULL);

	while (sum && rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		char sql[300];
		uint64_t one;

		snprintf(sql, sizeof(sql), "SELECT * FROM \"%s\"", name);
		one = hash_answer(db, sql, inject_hash(2, name, strlen(name)));
		sum = one ? sum + one : 0;
	}
	sqlite3_finalize(st);
	return sum;
}

uint64_t inject_hash_database(const char *path)
{
	sqlite3 *db;
	uint64_t h = 0;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
		h = hash_tables(db);
	if (h)
		h += hash_answer(db, "PRAGMA integrity_check", 3);
	sqlite3_close(db);
	return h;
}
#else
uint64_t inject_hash_database(const char *path)
{
	(void)path;
	return 0;
}
#endif
