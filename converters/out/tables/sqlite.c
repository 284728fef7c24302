/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SQLite: all tables in one database (docs/tables.md). The file is new and nobody reads it yet, so
 * it is written without a journal; memory is bounded by the page cache.
 */
#include "converters/out/core/export.h"
#include "feed.h"
#include "sqlite_schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

#define ROWS_PER_TRANSACTION 100000u
#define ALL_TABLES           ((1u << XTR_REL_COUNT) - 1)

struct sqlite_out {
	struct xtr_feed feed; /* first: what is exported goes to it */
	sqlite3 *db;
	bool own; /* db is closed at the end */
	uint32_t rows;
	int64_t file; /* number of the present recording */
	sqlite3_stmt *insert[XTR_REL_COUNT];
};

/* The page cache (16 MiB) also bounds what a sort for an index holds in memory. */
static const char settings[] = "PRAGMA journal_mode = OFF;"
			       "PRAGMA synchronous = OFF;"
			       "PRAGMA locking_mode = EXCLUSIVE;"
			       "PRAGMA cache_size = -16384;"
			       "PRAGMA application_id = 0x78747231;" /* "xtr1" */
			       "PRAGMA user_version = 1;";

static uint32_t tables_of(const struct xtr_export_opts *o)
{
	uint32_t tables = o->tables ? o->tables | 1u << XTR_REL_FILES : ALL_TABLES;

	if (o->jobs_only)
		tables &= ~(1u << XTR_REL_CALLS | 1u << XTR_REL_EVENTS);
	return tables;
}

static unsigned int wants(const struct xtr_export_opts *o)
{
	return xtr_feed_wants(tables_of(o));
}

/* What the system said of the file, if it was the system. */
static int system_error(sqlite3 *db)
{
	int err = 0;

	if (!sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &err) && err > 0)
		return -err;
	err = sqlite3_system_errno(db);
	return err > 0 ? -err : -EIO;
}

static int error_of(sqlite3 *db, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_TOOBIG:
		return -E2BIG;
	default:
		return system_error(db);
	}
}

static int exec(sqlite3 *db, const char *sql)
{
	int err = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	return err == SQLITE_OK ? 0 : error_of(db, err);
}

/* SQL that was made: freed here. */
static int exec_made(sqlite3 *db, char *sql)
{
	int err = exec(db, sql);

	free(sql);
	return err;
}

static int prepare(struct sqlite_out *s)
{
	enum xtr_relation_id id;
	char *sql;
	int err = SQLITE_OK;

	for (id = 0; id < XTR_REL_COUNT && err == SQLITE_OK; id++) {
		sql = xtr_sql_insert(id);
		err = sql ? sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					       &s->insert[id], NULL)
			  : SQLITE_NOMEM;
		free(sql);
	}
	return err == SQLITE_OK ? 0 : error_of(s->db, err);
}

int xtr_sql_bind(sqlite3_stmt *st, int i, const struct xtr_cell *c)
{
	switch (c->kind) {
	case XTR_CELL_TEXT:
		return sqlite3_bind_text64(st, i, c->s, c->n, SQLITE_STATIC, SQLITE_UTF8);
	case XTR_CELL_UINT:
		return sqlite3_bind_int64(st, i, (sqlite3_int64)c->u);
	case XTR_CELL_INT:
		return sqlite3_bind_int64(st, i, c->i);
	default:
		return sqlite3_bind_null(st, i);
	}
}

static int insert(struct sqlite_out *s, sqlite3_stmt *st)
{
	int err = sqlite3_step(st), reset = sqlite3_reset(st);

	if (err != SQLITE_DONE)
		return error_of(s->db, err != SQLITE_ROW ? err : reset);
	if (++s->rows % ROWS_PER_TRANSACTION)
		return 0;
	return exec(s->db, "COMMIT; BEGIN");
}

static int put(struct xtr_feed *f, enum xtr_relation_id id, const struct xtr_row *row)
{
	struct sqlite_out *s = (struct sqlite_out *)f;
	sqlite3_stmt *st = s->insert[id];
	int err, at = 1;

	err = sqlite3_bind_int64(st, at++, s->file);
	for (size_t i = 0; id == XTR_REL_FILES && i < XTR_ORIGIN_N && err == SQLITE_OK; i++)
		err = xtr_sql_bind(st, at++, &s->feed.origin_cell[i]);
	for (size_t i = 0; i < xtr_relations[id].n && err == SQLITE_OK; i++)
		err = xtr_sql_bind(st, at++, &row->cell[i]);
	return err == SQLITE_OK ? insert(s, st) : error_of(s->db, err);
}

static void close_sqlite(void *self)
{
	struct sqlite_out *s = self;

	if (!s)
		return;
	for (size_t i = 0; i < XTR_REL_COUNT; i++)
		sqlite3_finalize(s->insert[i]);
	if (s->own)
		sqlite3_close(s->db);
	xtr_feed_free(&s->feed);
	free(s);
}

/*
 * SQLite opens for reading alone what it cannot open for writing, and does not say why. The second
 * attempt works if the reason has passed.
 */
static int open_file(struct sqlite_out *s, const char *path)
{
	int err;

	for (int i = 0; i < 2; i++) {
		err = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				      NULL);
		if (err != SQLITE_OK)
			return error_of(s->db, err);
		if (!sqlite3_db_readonly(s->db, "main"))
			return 0;
		sqlite3_close(s->db);
		s->db = NULL;
	}
	return -EACCES;
}

static int begin(struct sqlite_out *s, const struct xtr_export_opts *o)
{
	int err = 0;

	s->db = o->db;
	if (!s->db) {
		s->own = true;
		err = open_file(s, o->path);
	}
	err = err ?: exec(s->db, settings) ?: exec(s->db, "BEGIN");
	if (!err && !o->append)
		err = exec_made(s->db, xtr_sql_schema());
	return err ?: prepare(s);
}

static int open_sqlite(void **self, const struct xtr_export_opts *o, const char **why)
{
	struct sqlite_out *s;
	int err;

	*self = NULL;
	*why = NULL;
	if (o->table)
		*why = "--table is for csv and jsonl: a database has all tables";
	else if (!o->path && !o->db)
		*why = "a database cannot be streamed: use -o FILE";
	if (*why)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->feed.want = tables_of(o);
	s->feed.put = put;
	err = begin(s, o);
	if (err)
		close_sqlite(s);
	else
		*self = s;
	return err;
}

static int section(void *self, const struct xtr_export_section *es)
{
	struct sqlite_out *s = self;

	s->file = (int64_t)xtr_section_file_id(es->section);
	return xtr_feed_section(&s->feed, es);
}

static int end_section(void *self)
{
	(void)self;
	return 0;
}

/* Whoever gives a database asks a question of it, once: indexes would cost more than they save. */
static int finish(void *self)
{
	struct sqlite_out *s = self;
	int err = exec(s->db, "COMMIT");

	if (!err && s->own)
		err = exec_made(s->db, xtr_sql_indexes(s->feed.want));
	if (!err && s->own)
		err = exec(s->db, "PRAGMA analysis_limit = 1000; ANALYZE");
	return err;
}

static bool failed(void *self)
{
	int err = sqlite3_errcode(((struct sqlite_out *)self)->db);

	return err != SQLITE_OK && err != SQLITE_ROW && err != SQLITE_DONE;
}

extern const struct xtr_exporter xtr_exporter_sqlite;

const struct xtr_exporter xtr_exporter_sqlite = {
	.name = "sqlite",
	.suffix = ".sqlite",
	.help = "all tables as an SQLite database",
	.by_path = true,
	.wants = wants,
	.open = open_sqlite,
	.section = section,
	.job = xtr_feed_job,
	.call = xtr_feed_call,
	.event = xtr_feed_event,
	.gap = xtr_feed_gap,
	.end_section = end_section,
	.finish = finish,
	.failed = failed,
	.close = close_sqlite,
};
