/* SPDX-License-Identifier: BSD-2-Clause */
/* What an export leaves in a database: hostile names, 64-bit numbers, keys, a full disk. */
#include "named.h"
#include "trace.h"
#include "converters/out/core/export.h"
#include "converters/out/tables/sqlite_schema.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(us) (1000000000ull + (us)*1000ull)

#define QUEUE "gpu_scheduler:drm_sched_job_queue"
#define RUN   "gpu_scheduler:drm_sched_job_run"
#define DONE  "gpu_scheduler:drm_sched_job_done"
#define WAIT  "gpu_scheduler:drm_sched_job_wait_dep"

/* --- a trace ---------------------------------------------------------------------------------- */

static struct named n;
static uint8_t buf[65536];
static size_t len;
static uint32_t records;
static struct xtr_io *io;
static struct xtr_reader *reader;
static sqlite3 *db;

static void put(void)
{
	memcpy(buf + len, n.rec, n.ev.size);
	len += n.ev.size;
	records++;
}

static void job(const char *name, uint64_t at, uint64_t ctx, uint64_t seqno, uint32_t ring)
{
	named_emit(&n, name, AT(at), 7, 0);
	named_set(&n, "ctx", ctx);
	named_set(&n, "seqno", seqno);
	named_set(&n, "ring", ring);
	if (!strcmp(name, QUEUE)) {
		named_set(&n, "client_id", 1ull << 63);
		named_set(&n, "flags", XTR_JOB_CLIENT_KNOWN);
	}
	put();
}

static void add_ring(uint32_t id, const char *name)
{
	struct xtr_ring r = { .id = id, .limit = 2 };

	r.device = named_string(&n, "gpu'; DROP TABLE files; --");
	r.name = named_string(&n, name);
	cr_assert(eq(int, xtr_tables_add_ring(n.tables, &r), 0));
}

static void fill(void)
{
	job(QUEUE, 10, UINT64_MAX, 1, 1);
	job(RUN, 20, UINT64_MAX, 1, 1);
	job(QUEUE, 25, UINT64_MAX, 2, 1);
	named_emit(&n, WAIT, AT(26), 7, 0);
	named_set(&n, "ctx", UINT64_MAX);
	named_set(&n, "seqno", 2);
	named_set(&n, "ring", 1);
	named_set(&n, "dep_ctx", 99);
	named_set(&n, "dep_seqno", 3);
	put();
	job(DONE, 50, UINT64_MAX, 1, 1);
	job(RUN, 60, UINT64_MAX, 2, 1);
	job(DONE, 90, UINT64_MAX, 2, 1);
	job(QUEUE, 100, 5, 1, 2); /* a ring of which nothing is run */
	job(QUEUE, 110, 6, 1, UINT32_MAX);
}

static void write_trace(void)
{
	static const uint8_t boot[16] = { 0xab };
	const struct xtr_system sys = { .release = "6.18", .hostname = "ho\"st" };
	struct xtr_batch b = { .recs = buf, .len = len, .n = records };
	struct xtr_loss *loss = xtr_loss_new();
	struct xtr_writer_opts o;
	struct xtr_writer *w;

	xtr_writer_opts_init(&o);
	o.file_id = 0xfedcba9876543210;
	cr_assert(eq(int, xtr_meta_set_writer(n.meta, "test", "1"), 0));
	cr_assert(eq(int, xtr_meta_set_clock(n.meta, "monotonic", boot, 1), 0));
	cr_assert(eq(int, xtr_meta_set_system(n.meta, &sys), 0));
	cr_assert(eq(int, xtr_io_mem_new(&io), 0));
	cr_assert(eq(int, xtr_writer_open(&w, io, n.meta, n.tables, loss, &o), 0));
	cr_assert(eq(int, xtr_writer_events(w, &b), 0));
	cr_assert(eq(int, xtr_writer_finish(w, "end", NULL), 0));
	xtr_writer_free(w);
	xtr_loss_free(loss);
}

static void setup(void)
{
	const uint8_t *p;
	struct xtr_err err;
	size_t size;

	named_init(&n);
	named_task(&n, 7, 5, "a\xff'\"\x1b");
	add_ring(1, "gfx\xc3");
	add_ring(2, "");
	fill();
	write_trace();
	p = xtr_io_mem_data(io, &size);
	cr_assert(eq(int, trace_read(&reader, p, size, &err), 0));
	cr_assert(eq(int, sqlite3_open(":memory:", &db), SQLITE_OK));
}

static void teardown(void)
{
	sqlite3_close(db);
	xtr_reader_close(reader);
	xtr_io_close(io);
	named_free(&n);
}

TestSuite(sqlite, .init = setup, .fini = teardown);

/* --- running it ------------------------------------------------------------------------------- */

static struct xtr_export begin(void)
{
	return (struct xtr_export){
		.sz = sizeof(struct xtr_export),
		.exporter = xtr_exporter_by_name("sqlite"),
		.opts = { .sz = sizeof(struct xtr_export_opts), .db = db },
		.reader = reader,
	};
}

static void export(void)
{
	struct xtr_export e = begin();

	cr_assert(eq(int, xtr_export(&e), 0));
}

/* The answer's rows with "|" between columns and a line feed behind each; valid until the next. */
static const char *ask(const char *sql)
{
	static char answer[4096];
	sqlite3_stmt *st;
	size_t used = 0;

	answer[0] = '\0';
	cr_assert(eq(int, sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK), "%s: %s", sql,
		  sqlite3_errmsg(db));
	while (sqlite3_step(st) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const char *s = (const char *)sqlite3_column_text(st, i);

			used += (size_t)snprintf(answer + used, sizeof(answer) - used, "%s%s",
						 s ? s : "-",
						 i + 1 < sqlite3_column_count(st) ? "|" : "\n");
		}
	cr_assert(eq(int, sqlite3_finalize(st), SQLITE_OK), "%s", sql);
	return answer;
}

static void expect(const char *sql, const char *want)
{
	cr_expect(eq(str, (char *)ask(sql), (char *)want), "%s", sql);
}

/* --- tests ------------------------------------------------------------------------------------ */

Test(sqlite, names_are_text_and_nothing_else)
{
	export();
	expect("SELECT DISTINCT device, ring, comm FROM jobs WHERE ring_id = 1",
	       "gpu'; DROP TABLE files; --|gfx\xef\xbf\xbd|a\xef\xbf\xbd'\"\x1b\n");
	expect("SELECT ring FROM rings WHERE ring_id = 2", "-\n");
	expect("SELECT host, boot_id, file_id FROM files",
	       "ho\"st|ab000000000000000000000000000000|fedcba9876543210\n");
	expect("SELECT count(*) FROM jobs WHERE host = 'ho\"st'", "4\n");
	expect("SELECT DISTINCT typeof(ring), typeof(context), typeof(done_ns) FROM jobs"
	       " WHERE ring_id = 1",
	       "text|integer|integer\n");
}

Test(sqlite, numbers_from_2_63_are_stored_less_2_64)
{
	export();
	expect("SELECT context, seqno, client FROM jobs WHERE ring_id = 1 ORDER BY seqno",
	       "-1|1|-9223372036854775808\n-1|2|-9223372036854775808\n");
	expect("SELECT DISTINCT printf('%u', context), printf('%u', client) FROM jobs"
	       " WHERE ring_id = 1",
	       "18446744073709551615|9223372036854775808\n");
	expect("SELECT count(*) FROM jobs j JOIN deps d ON j.context = d.context"
	       " AND j.seqno = d.seqno",
	       "1\n");
}

Test(sqlite, keys_hold)
{
	export();
	expect("PRAGMA foreign_key_check", "");
	expect("PRAGMA integrity_check", "ok\n");
	/* Rings of which nothing was run have a row too. */
	expect("SELECT ring_id FROM rings ORDER BY 1", "0\n1\n2\n4294967295\n");
	expect("SELECT run_ns, residence_ns, quality FROM jobs WHERE ring_id = 2", "-|-|open\n");
	expect("SELECT dep_context, dep_seqno, dep_ring_id, wait_ns, until FROM deps",
	       "99|3|-|34000|done\n");
}

Test(sqlite, only_the_tables_asked_for)
{
	struct xtr_export e = begin();

	e.opts.tables = 1u << XTR_REL_DEPS;
	cr_assert(eq(int, xtr_export(&e), 0));
	expect("SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM jobs),"
	       " (SELECT count(*) FROM deps), (SELECT count(*) FROM events)",
	       "1|0|1|0\n");
}

Test(sqlite, views_answer)
{
	const struct xtr_sql_view *v;
	char sql[128];

	export();
	for (v = xtr_sql_views; v->name; v++) {
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", v->name);
		ask(sql);
	}
	expect("SELECT ring_id, jobs, completed, residence_ns, busy_ns, utilisation"
	       " FROM usage_by_ring ORDER BY 1",
	       "1|2|2|60000|60000|0.6\n2|1|0|-|-|-\n4294967295|1|0|-|-|-\n");
	expect("SELECT ring_id, dep_ring, waits, wait_ns, max_wait_ns FROM waits_by_blocker",
	       "1|-|1|34000|34000\n");
	expect("SELECT ring_id, jobs, mean_ns, p50_ns, p90_ns, p99_ns, max_ns"
	       " FROM queue_wait_by_ring",
	       "1|2|22500|10000|35000|35000|35000\n");
}

/* Every table and column of the schema is named in the answer of xtr_sql_relation, no other is. */
Test(sqlite, tables_are_known_by_their_names_in_the_database)
{
	char name[64];
	enum xtr_relation_id id;

	for (id = 0; id < XTR_REL_COUNT; id++) {
		snprintf(name, sizeof(name), "%s%s", xtr_relations[id].name,
			 id == XTR_REL_FILES ? "" : "_data");
		cr_expect(eq(int, xtr_sql_relation(name), id), "%s", name);
	}
	cr_expect(eq(int, xtr_sql_relation("jobs"), XTR_REL_COUNT));
	cr_expect(eq(int, xtr_sql_relation("sqlite_master"), XTR_REL_COUNT));
	cr_expect(eq(int, xtr_sql_relation("files_data"), XTR_REL_COUNT));
}

Test(sqlite, options_that_do_not_go_together)
{
	struct xtr_export e = begin();

	e.opts.table = "jobs";
	cr_expect(eq(int, xtr_export(&e), -EINVAL));
	cr_expect(ne(ptr, (void *)e.why, NULL));
	e = begin();
	e.opts.db = NULL;
	cr_expect(eq(int, xtr_export(&e), -EINVAL));
	cr_expect(ne(ptr, (void *)e.why, NULL));
}

/* A database that may not grow is what a full disk looks like. */
Test(sqlite, a_full_disk_is_an_error)
{
	struct xtr_export e;
	int needed;
	char sql[64];

	export();
	needed = atoi(ask("PRAGMA page_count"));
	cr_assert(needed > 10);
	for (int pages = 1; pages < needed; pages++) {
		sqlite3_close(db);
		cr_assert(eq(int, sqlite3_open(":memory:", &db), SQLITE_OK));
		snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %d", pages);
		ask(sql);
		e = begin();
		cr_expect(eq(int, xtr_export(&e), -ENOSPC), "%d of %d pages", pages, needed);
		cr_expect(e.broken);
	}
}

Test(sqlite, a_file_that_cannot_be_opened)
{
	struct xtr_export e = begin();

	e.opts.db = NULL;
	e.opts.path = "/nowhere/at/all";
	cr_expect(eq(int, xtr_export(&e), -ENOENT));
	cr_expect(e.broken);
}

/* SQLite opens it, for reading. Nobody may write to a program that runs. */
Test(sqlite, a_file_that_cannot_be_written)
{
	struct xtr_export e = begin();

	e.opts.db = NULL;
	e.opts.path = "/proc/self/exe";
	cr_expect(eq(int, xtr_export(&e), -EACCES));
	cr_expect(e.broken);
}
