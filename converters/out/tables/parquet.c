/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parquet: a directory of tables that engines read as one (docs/export.md). Each recording makes
 * one file of each table, DIR/table=NAME/date=DATE/host=HOST/FILEID.parquet, so that another export
 * of the same recording replaces it. No file has its name before all of a recording were written.
 */
#include "base/text.h"
#include "converters/out/core/export.h"
#include "feed.h"
#include "parquet_more.h"
#include "row_time.h"
#include "format/xtr_format.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS       1000000000
#define UNKNOWN  "__HIVE_DEFAULT_PARTITION__" /* what engines take for a value that is not known */
#define TIME_COL XTR_ORIGIN_N                 /* behind the origin */
#define FIRST    (TIME_COL + 1)
#define HOSTS    (NAME_MAX + 1u - 5u) /* bytes of HOST, with its end, in the name "host=HOST" */

_Static_assert(FIRST + XTR_ROW_MAX <= XTR_PARQUET_COLUMNS_MAX, "columns of a table");

struct parquet_out {
	struct xtr_feed feed; /* first: what is exported goes to it */
	const char *dir;
	struct xtr_parquet_file *files; /* of the present recording, XTR_REL_COUNT; NULL: none */
	struct xtr_wall wall;
	bool broken; /* the last error was of what is written */
	struct xtr_export_section section;
	int (*more_of)(void *ctx, const struct xtr_export_section *s, struct xtr_export_tables *to);
	void *more_ctx;
	struct xtr_parquet_more more; /* tables that more_of gave */
};

static uint32_t tables_of(const struct xtr_export_opts *o)
{
	uint32_t tables = (1u << XTR_REL_COUNT) - 1;

	if (!o->raw)
		tables &= ~(1u << XTR_REL_EVENTS);
	if (o->jobs_only)
		tables &= ~(1u << XTR_REL_CALLS);
	return tables;
}

static unsigned int wants(const struct xtr_export_opts *o)
{
	return xtr_feed_wants(tables_of(o));
}

/* --- where files are -------------------------------------------------------------------------- */

/* A value as part of a path, as Hive writes it; of one that is too long for a name, its begin. */
static void put_value(char *to, size_t room, const char *s, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		bool plain = isalnum(c) || c == '_' || c == '-' || (c == '.' && i);

		if (at + (plain ? 1 : 3) >= room)
			break;
		at += (size_t)snprintf(to + at, room - at, plain ? "%c" : "%%%02X", c);
	}
	to[at] = 0;
}

static void host_of(char to[HOSTS], const struct xtr_cell *host)
{
	if (host->kind == XTR_CELL_TEXT && host->n)
		put_value(to, HOSTS, host->s, host->n);
	else
		snprintf(to, HOSTS, "%s", UNKNOWN);
}

/* Of the recording's begin, in UTC. */
static void date_of(char to[sizeof(UNKNOWN)], const struct parquet_out *p,
		    const struct xtr_cell *first)
{
	time_t t = (time_t)((int64_t)(first->u + (uint64_t)p->wall.offset) / NS);
	struct tm tm;

	if (!p->wall.known || first->kind == XTR_CELL_NULL || !gmtime_r(&t, &tm) ||
	    !strftime(to, sizeof(UNKNOWN), "%Y-%m-%d", &tm))
		snprintf(to, sizeof(UNKNOWN), "%s", UNKNOWN);
}

/* --- tables ----------------------------------------------------------------------------------- */

static int begin_table(struct parquet_out *p, enum xtr_relation_id id, const char *date,
		       const char *host)
{
	const struct xtr_relation *rel = &xtr_relations[id];
	struct xtr_parquet_file *f = &p->files[id];
	char *path;
	int err = xtr_parquet_fact(f, "xtr.table", rel->name)
			  ?: xtr_parquet_fact(f, "xtr.row", rel->help);

	for (size_t i = 0; i < XTR_ORIGIN_N && !err; i++)
		err = xtr_parquet_describe(f, &xtr_origin_columns[i]);
	f->sorted_by = TIME_COL;
	xtr_parquet_column(f, "time", XTR_PARQUET_TIME, false);
	for (size_t i = 0; i < rel->n && !err; i++)
		err = xtr_parquet_describe(f, &rel->columns[i]);
	if (err || asprintf(&path, "%s/table=%s/date=%s/host=%s/%s.parquet", p->dir, rel->name,
			    date, host, p->feed.origin.file_id) < 0)
		return -ENOMEM;
	err = xtr_parquet_directories(path) ?: xtr_parquet_open(f, path);
	p->broken |= err && err != -ENOMEM;
	free(path);
	return err;
}

/* A recording begins with its row of table files, which says when and where it was. */
static int begin_tables(struct parquet_out *p, const struct xtr_row *row)
{
	char host[HOSTS], date[sizeof(UNKNOWN)];
	int err = 0;

	p->files = calloc(XTR_REL_COUNT, sizeof(*p->files));
	if (!p->files)
		return -ENOMEM;
	p->wall = xtr_wall_of(row);
	host_of(host, &p->feed.origin_cell[0]);
	date_of(date, p, &row->cell[XTR_COL_FILE_FIRST]);
	err = xtr_parquet_more_begin(&p->more, p->dir, date, host, &p->feed);
	for (enum xtr_relation_id id = 0; id < XTR_REL_COUNT && !err; id++)
		if (p->feed.want & 1u << id)
			err = begin_table(p, id, date, host);
	return err;
}

static int put(struct xtr_feed *feed, enum xtr_relation_id id, const struct xtr_row *row)
{
	struct parquet_out *p = (struct parquet_out *)feed;
	struct xtr_parquet_file *f;
	struct xtr_cell time;
	int err = id == XTR_REL_FILES ? begin_tables(p, row) : 0;

	if (err)
		return err;
	time = xtr_row_time(&p->wall, id, row);
	f = &p->files[id];
	for (size_t i = 0; i < XTR_ORIGIN_N && !err; i++)
		err = xtr_parquet_add_cell(&f->column[i], &feed->origin_cell[i]);
	err = err ?: xtr_parquet_add_cell(&f->column[TIME_COL], &time);
	for (size_t i = 0; i < xtr_relations[id].n && !err; i++)
		err = xtr_parquet_add_cell(&f->column[FIRST + i], &row->cell[i]);
	if (err)
		return err;
	err = xtr_parquet_row(f);
	p->broken |= err && err != -ENOMEM;
	return err;
}

/* --- the exporter ----------------------------------------------------------------------------- */

static void free_files(struct parquet_out *p)
{
	for (size_t i = 0; p->files && i < XTR_REL_COUNT; i++)
		xtr_parquet_free(&p->files[i]);
	free(p->files);
	p->files = NULL;
	xtr_parquet_more_free(&p->more);
}

static void close_parquet(void *self)
{
	struct parquet_out *p = self;

	if (!p)
		return;
	free_files(p);
	xtr_feed_free(&p->feed);
	free(p);
}

static int open_parquet(void **self, const struct xtr_export_opts *o, const char **why)
{
	struct parquet_out *p;

	*self = NULL;
	*why = o->path ? NULL : "Parquet is a directory of files: use -o DIR";
	if (*why)
		return -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->dir = o->path;
	p->feed.want = tables_of(o);
	p->feed.put = put;
	/* Of a few jobs only, they would be tables of the few. */
	p->more_of = o->jobs_only ? NULL : o->more;
	p->more_ctx = o->more_ctx;
	*self = p;
	return 0;
}

static bool is_open(const struct parquet_out *p, size_t id)
{
	return p->feed.want & 1u << id;
}

static int export_more(struct parquet_out *p)
{
	int err = p->more_of ? p->more_of(p->more_ctx, &p->section, &p->more.to) : 0;

	p->broken |= p->more.broken;
	return err;
}

/* Table files comes last: where it has a recording, all tables have it. */
static int end_files(struct parquet_out *p)
{
	int err = xtr_parquet_more_end(&p->more);

	for (size_t id = 0; id < XTR_REL_COUNT && !err; id++)
		if (is_open(p, id))
			err = xtr_parquet_end(&p->files[id]);
	err = err ?: xtr_parquet_more_publish(&p->more);
	for (size_t id = XTR_REL_COUNT; id-- && !err;)
		if (is_open(p, id))
			err = xtr_parquet_publish(&p->files[id]);
	p->broken |= err && err != -ENOMEM;
	return err;
}

static int end_section(void *self)
{
	struct parquet_out *p = self;
	int err = export_more(p) ?: end_files(p);

	free_files(p);
	return err;
}

static int section(void *self, const struct xtr_export_section *s)
{
	((struct parquet_out *)self)->section = *s;
	return xtr_feed_section(self, s);
}

static int finish(void *self)
{
	(void)self;
	return 0;
}

static bool failed(void *self)
{
	return ((const struct parquet_out *)self)->broken;
}

extern const struct xtr_exporter xtr_exporter_parquet;

const struct xtr_exporter xtr_exporter_parquet = {
	.name = "parquet",
	.suffix = ".parquet",
	.help = "all tables as Parquet files in a directory",
	.by_path = true,
	.by_folder = true,
	.wants = wants,
	.open = open_parquet,
	.section = section,
	.job = xtr_feed_job,
	.call = xtr_feed_call,
	.event = xtr_feed_event,
	.gap = xtr_feed_gap,
	.end_section = end_section,
	.finish = finish,
	.failed = failed,
	.close = close_parquet,
};
