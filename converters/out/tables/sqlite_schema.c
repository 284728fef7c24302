/* SPDX-License-Identifier: BSD-2-Clause */
#include "sqlite_schema.h"
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static const char data_suffix[] = "_data";

/*
 * Keys and what may be relied on, by table. Traces may come from strangers: only what the exporter
 * itself sees to is a constraint. A job's fence may be used again, and a dependency may be of no
 * job in the trace, so neither is one.
 */
static const char *const constraints[XTR_REL_COUNT] = {
	[XTR_REL_JOBS] = "FOREIGN KEY (file, ring_id) REFERENCES rings_data (file, ring_id)",
	[XTR_REL_DEPS] = "FOREIGN KEY (file, ring_id) REFERENCES rings_data (file, ring_id)",
	[XTR_REL_DEVICES] = "PRIMARY KEY (file, device)",
	[XTR_REL_RINGS] = "PRIMARY KEY (file, ring_id)",
	[XTR_REL_PROCESSES] = "PRIMARY KEY (file, process)",
	[XTR_REL_META] = "PRIMARY KEY (file, key)",
	[XTR_REL_LABELS] = "PRIMARY KEY (file, key)",
};

static const struct {
	enum xtr_relation_id id;
	const char *name, *columns;
} indexes[] = {
	{ XTR_REL_JOBS, "jobs_by_time", "done_ns" },
	{ XTR_REL_JOBS, "jobs_by_ring", "file, ring_id, run_ns, done_ns" },
	{ XTR_REL_JOBS, "jobs_by_pid", "pid, done_ns" },
	{ XTR_REL_JOBS, "jobs_by_fence", "context, seqno" },
	{ XTR_REL_DEPS, "deps_by_job", "context, seqno" },
	{ XTR_REL_DEPS, "deps_by_fence", "dep_context, dep_seqno" },
	{ XTR_REL_CALLS, "calls_by_time", "begin_ns" },
	{ XTR_REL_CALLS, "calls_by_pid", "pid, begin_ns" },
	{ XTR_REL_CALLS, "calls_by_fence", "context, seqno" },
	{ XTR_REL_EVENTS, "events_by_time", "ts_ns" },
	{ XTR_REL_EVENTS, "events_by_name", "event, ts_ns" },
	{ XTR_REL_TASKS, "tasks_by_tid", "tid, since_ns" },
	{ XTR_REL_GAPS, "gaps_by_time", "first_ns" },
};

static const char *sql_type(enum xtr_column_type type)
{
	static const char *const types[] = {
		[XTR_COLUMN_U64] = "UNSIGNED BIG INT",
		[XTR_COLUMN_INT] = "INTEGER",
		[XTR_COLUMN_TEXT] = "TEXT",
	};

	return types[type];
}

static bool has_key(enum xtr_relation_id id)
{
	return constraints[id] && !strncmp(constraints[id], "PRIMARY", 7);
}

static void put_columns(FILE *f, const struct xtr_relation *rel)
{
	for (size_t i = 0; i < rel->n; i++)
		fprintf(f, ",\n  %s %s", rel->columns[i].name, sql_type(rel->columns[i].type));
}

static void put_files(FILE *f)
{
	fputs("CREATE TABLE files (\n  file INTEGER PRIMARY KEY,\n  host TEXT,\n"
	      "  boot_id TEXT NOT NULL,\n  file_id TEXT NOT NULL",
	      f);
	put_columns(f, &xtr_relations[XTR_REL_FILES]);
	fputs("\n);\n", f);
}

static void put_table(FILE *f, enum xtr_relation_id id)
{
	const struct xtr_relation *rel = &xtr_relations[id];

	fprintf(f, "CREATE TABLE %s%s (\n  file INTEGER NOT NULL REFERENCES files", rel->name,
		data_suffix);
	put_columns(f, rel);
	if (constraints[id])
		fprintf(f, ",\n  %s", constraints[id]);
	fprintf(f, "\n)%s;\n", has_key(id) ? " WITHOUT ROWID" : "");
}

/* A left join: where no column of the origin is asked for, SQLite leaves it out. */
static void put_view(FILE *f, const struct xtr_relation *rel)
{
	fprintf(f, "CREATE VIEW %s AS SELECT f.host, f.boot_id, f.file_id", rel->name);
	for (size_t i = 0; i < rel->n; i++)
		fprintf(f, ", d.%s", rel->columns[i].name);
	fprintf(f, "\n  FROM %s%s AS d LEFT JOIN files AS f ON f.file = d.file;\n", rel->name,
		data_suffix);
}

char *xtr_sql_schema(void)
{
	const struct xtr_sql_view *v;
	struct xtr_buf sql;
	FILE *f = xtr_memory_stream(&sql);

	if (!f)
		return NULL;
	put_files(f);
	for (size_t i = 0; i < XTR_REL_COUNT; i++) {
		if (i == XTR_REL_FILES)
			continue;
		put_table(f, i);
		put_view(f, &xtr_relations[i]);
	}
	for (v = xtr_sql_views; v->name; v++)
		fprintf(f, "CREATE VIEW %s AS\n%s;\n", v->name, v->sql);
	return xtr_memory_text(f, &sql);
}

char *xtr_sql_indexes(uint32_t tables)
{
	struct xtr_buf sql;
	FILE *f = xtr_memory_stream(&sql);

	if (!f)
		return NULL;
	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++)
		if (tables & 1u << indexes[i].id)
			fprintf(f, "CREATE INDEX %s ON %s%s (%s);\n", indexes[i].name,
				xtr_relations[indexes[i].id].name, data_suffix, indexes[i].columns);
	return xtr_memory_text(f, &sql);
}

/* Where there is a key, a trace that says the same thing twice is no error. */
char *xtr_sql_insert(enum xtr_relation_id id)
{
	const struct xtr_relation *rel = &xtr_relations[id];
	bool files = id == XTR_REL_FILES;
	struct xtr_buf sql;
	FILE *f = xtr_memory_stream(&sql);

	if (!f)
		return NULL;
	fprintf(f, "INSERT %sINTO %s%s VALUES (?1", files || has_key(id) ? "OR IGNORE " : "",
		rel->name, files ? "" : data_suffix);
	for (size_t i = 0; i < rel->n + (files ? XTR_ORIGIN_N : 0); i++)
		fprintf(f, ", ?%zu", i + 2);
	fputs(")", f);
	return xtr_memory_text(f, &sql);
}

enum xtr_relation_id xtr_sql_relation(const char *name)
{
	size_t i, n;

	for (i = 0; i < XTR_REL_COUNT; i++) {
		n = strlen(xtr_relations[i].name);
		if (!strncmp(name, xtr_relations[i].name, n) &&
		    !strcmp(name + n, i == XTR_REL_FILES ? "" : data_suffix))
			break;
	}
	return i;
}
