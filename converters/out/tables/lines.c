/* SPDX-License-Identifier: BSD-2-Clause */
/* csv and jsonl: one table, a line for each row (docs/tables.md). */
#include "converters/out/core/export.h"
#include "feed.h"
#include "replay/views/cell.h"

#include <errno.h>
#include <stdlib.h>

struct lines {
	struct xtr_feed feed; /* first: what is exported goes to it */
	struct xtr_line line; /* rows that are not yet written */
	bool json;
};

static unsigned int wants(const struct xtr_export_opts *o)
{
	return xtr_feed_wants(xtr_feed_table_bit(o));
}

static int put(struct xtr_feed *f, enum xtr_relation_id id, const struct xtr_row *row)
{
	struct lines *l = (struct lines *)f;

	if (l->json)
		xtr_jsonl_row(&l->line, &xtr_relations[id], l->feed.origin_cell, row);
	else
		xtr_csv_row(&l->line, &xtr_relations[id], l->feed.origin_cell, row);
	return ferror_unlocked(l->line.f) ? -EIO : 0;
}

static int open_lines(void **self, const struct xtr_export_opts *o, const char **why, bool json)
{
	struct lines *l;

	*self = NULL;
	*why = xtr_feed_why_not(o);
	if (*why)
		return -EINVAL;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	xtr_line_begin(&l->line, o->out);
	l->json = json;
	l->feed.want = xtr_feed_table_bit(o);
	l->feed.put = put;
	if (!json)
		xtr_csv_header(o->out, xtr_feed_table(o));
	*self = l;
	return 0;
}

static int open_csv(void **self, const struct xtr_export_opts *o, const char **why)
{
	return open_lines(self, o, why, false);
}

static int open_jsonl(void **self, const struct xtr_export_opts *o, const char **why)
{
	return open_lines(self, o, why, true);
}

static int write_rest(void *self)
{
	struct lines *l = self;

	xtr_line_flush(&l->line);
	return ferror_unlocked(l->line.f) ? -EIO : 0;
}

static void close_lines(void *self)
{
	struct lines *l = self;

	if (!l)
		return;
	xtr_feed_free(&l->feed);
	free(l);
}

#define LINES(id, format_name, ending, text)            \
	const struct xtr_exporter xtr_exporter_##id = { \
		.name = format_name,                    \
		.suffix = ending,                       \
		.help = text,                           \
		.wants = wants,                         \
		.open = open_##id,                      \
		.section = xtr_feed_section,            \
		.job = xtr_feed_job,                    \
		.call = xtr_feed_call,                  \
		.event = xtr_feed_event,                \
		.gap = xtr_feed_gap,                    \
		.end_section = write_rest,              \
		.finish = write_rest,                   \
		.close = close_lines,                   \
	}

extern const struct xtr_exporter xtr_exporter_csv, xtr_exporter_jsonl;

LINES(csv, "csv", ".csv", "one table as comma-separated values");
LINES(jsonl, "jsonl", ".jsonl", "one table as JSON lines");
