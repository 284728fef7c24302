/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrow: one table as a stream of Arrow messages, with the columns that it has in Parquet
 * (docs/tables.md). Its recordings follow each other, rows in the order of JSON lines.
 */
#include "arrow_stream.h"
#include "base/text.h"
#include "converters/out/core/export.h"
#include "feed.h"
#include "row_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct arrow_out {
	struct xtr_feed feed; /* first: what is exported goes to it */
	struct xtr_arrow stream;
	const struct xtr_relation *rel; /* the table; NULL: one of a section: */
	const char *table;
	struct xtr_wall wall; /* of the section */
	struct xtr_export_section section;
	int (*more_of)(void *ctx, const struct xtr_export_section *s, struct xtr_export_tables *to);
	void *more_ctx;
	struct more {
		struct xtr_export_tables to; /* first: what gives tables has it */
		struct arrow_out *out;
		bool taken, known; /* the present table is that one; its columns are described */
		struct xtr_utf8 clean;
	} more;
};

static unsigned int wants(const struct xtr_export_opts *o)
{
	return xtr_feed_wants(xtr_feed_table_bit(o));
}

static int describe_origin(struct xtr_arrow *a)
{
	int err = 0;

	for (size_t i = 0; i < XTR_ORIGIN_N && !err; i++)
		err = xtr_arrow_describe(a, &xtr_origin_columns[i]);
	return err;
}

/* --- tables of enum xtr_relation_id ----------------------------------------------------------- */

static int describe_relation(struct arrow_out *o)
{
	struct xtr_arrow *a = &o->stream;
	int err = describe_origin(a) ?: xtr_arrow_column(a, "time", XTR_ARROW_TIME, NULL, NULL);

	for (size_t i = 0; i < o->rel->n && !err; i++)
		err = xtr_arrow_describe(a, &o->rel->columns[i]);
	return err;
}

/* A recording begins with its row of table files, which says when it was. */
static int put(struct xtr_feed *feed, enum xtr_relation_id id, const struct xtr_row *row)
{
	struct arrow_out *o = (struct arrow_out *)feed;
	struct xtr_cell time;

	if (id == XTR_REL_FILES)
		o->wall = xtr_wall_of(row);
	if (&xtr_relations[id] != o->rel)
		return 0;
	time = xtr_row_time(&o->wall, id, row);
	return xtr_arrow_cells(&o->stream, feed->origin_cell, XTR_ORIGIN_N) ?:
	       xtr_arrow_cells(&o->stream, &time, 1) ?:
	       xtr_arrow_cells(&o->stream, row->cell, o->rel->n) ?:
	       xtr_arrow_row(&o->stream);
}

/* --- tables of sections ----------------------------------------------------------------------- */

/* Columns are the same in each recording: those of the first one are described. */
static int begin_more(struct xtr_export_tables *to, const char *name, const char *help, bool always)
{
	struct more *m = (struct more *)to;
	struct arrow_out *o = m->out;

	(void)always; /* the one table of a stream is there in any case */
	m->taken = !strcmp(name, o->table);
	m->known = o->stream.n_columns;
	if (!m->taken || m->known)
		return 0;
	return xtr_arrow_table(&o->stream, o->stream.f, name, help) ?: describe_origin(&o->stream);
}

static int column_more(struct xtr_export_tables *to, const struct xtr_column *c)
{
	struct more *m = (struct more *)to;

	return m->taken && !m->known ? xtr_arrow_describe(&m->out->stream, c) : 0;
}

static int add_clean(struct more *m, struct xtr_cell cell)
{
	if (cell.kind == XTR_CELL_TEXT)
		cell.s = xtr_text_utf8(&m->clean, cell.s, &cell.n);
	if (cell.kind == XTR_CELL_TEXT && !cell.s)
		return -ENOMEM;
	return xtr_arrow_cells(&m->out->stream, &cell, 1);
}

static int row_more(struct xtr_export_tables *to, const struct xtr_cell *cell, size_t n)
{
	struct more *m = (struct more *)to;
	int err;

	if (!m->taken)
		return 0;
	err = xtr_arrow_cells(&m->out->stream, m->out->feed.origin_cell, XTR_ORIGIN_N);
	for (size_t i = 0; i < n && !err; i++)
		err = add_clean(m, cell[i]);
	return err ?: xtr_arrow_row(&m->out->stream);
}

/* --- the exporter ----------------------------------------------------------------------------- */

static void close_arrow(void *self)
{
	struct arrow_out *o = self;

	if (!o)
		return;
	xtr_arrow_free(&o->stream);
	xtr_feed_free(&o->feed);
	free(o->more.clean.p);
	free(o);
}

/* Another name may be that of a table of the sections. */
static const char *why_not(const struct xtr_export_opts *o)
{
	if (xtr_feed_table(o) || !o->more)
		return xtr_feed_why_not(o);
	return o->jobs_only ? "--jobs-only leaves out the table that --table asks for" : NULL;
}

static int open_arrow(void **self, const struct xtr_export_opts *opts, const char **why)
{
	struct arrow_out *o;
	int err = 0;

	*self = NULL;
	*why = why_not(opts);
	if (*why)
		return -EINVAL;
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->rel = xtr_feed_table(opts);
	o->table = opts->table;
	o->feed.want = 1u << XTR_REL_FILES | xtr_feed_table_bit(opts);
	o->feed.put = put;
	o->more_of = o->rel ? NULL : opts->more;
	o->more_ctx = opts->more_ctx;
	o->more.to = (struct xtr_export_tables){ begin_more, column_more, row_more };
	o->more.out = o;
	o->stream.f = opts->out;
	if (o->rel)
		err = xtr_arrow_table(&o->stream, opts->out, o->rel->name, o->rel->help)
			      ?: describe_relation(o);
	if (err) {
		close_arrow(o);
		return err;
	}
	*self = o;
	return 0;
}

static int section(void *self, const struct xtr_export_section *s)
{
	((struct arrow_out *)self)->section = *s;
	return xtr_feed_section(self, s);
}

static int end_section(void *self)
{
	struct arrow_out *o = self;

	return o->more_of ? o->more_of(o->more_ctx, &o->section, &o->more.to) : 0;
}

static int finish(void *self)
{
	return xtr_arrow_end(&((struct arrow_out *)self)->stream);
}

extern const struct xtr_exporter xtr_exporter_arrow;

const struct xtr_exporter xtr_exporter_arrow = {
	.name = "arrow",
	.suffix = ".arrows",
	.help = "one table as an Arrow stream",
	.wants = wants,
	.open = open_arrow,
	.section = section,
	.job = xtr_feed_job,
	.call = xtr_feed_call,
	.event = xtr_feed_event,
	.gap = xtr_feed_gap,
	.end_section = end_section,
	.finish = finish,
	.close = close_arrow,
};
