/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slice for people. A table is a list of columns, most important first: one that does not fit
 * into the width is left out with all behind it, so that no number is ever cut.
 */
#include "slice_view.h"

#include "analysis/core/rate.h"
#include "replay/event/process.h"
#include "replay/notes/notes.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH_MAX 24u
#define BAR_WIDTH      12u
#define CELL           64u /* bytes of a cell with its NUL */

#define SGR_BOLD   "\033[1m"
#define SGR_RED    "\033[1;31m"
#define SGR_GREEN  "\033[32m"
#define SGR_YELLOW "\033[33m"
#define SGR_NONE   "\033[0m"

const struct xtr_slice_sort_row xtr_slice_sorts[XTR_SLICE_SORT_COUNT] = {
#define SORT_ROW(id, name, key, help) { name, key, help },
	XTR_SLICE_SORTS(SORT_ROW)
#undef SORT_ROW
};

/* What is being written. */
struct page {
	FILE *f;
	const struct xtr_slice *s;
	const struct xtr_slice_facts *facts;
	const struct xtr_slice_look *look;
	unsigned int lines; /* of the header */
	/* Of the table that is being written. */
	const struct table *table;
	unsigned int name_width;
};

static unsigned int columns_of(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* The first `most` characters of s; returns how many. */
static unsigned int put_cut(FILE *f, const char *s, unsigned int most)
{
	unsigned int n = 0;

	for (; *s; s++) {
		if (((unsigned char)*s & 0xc0) != 0x80 && n++ == most)
			return most;
		fputc(*s, f);
	}
	return n;
}

static void color(const struct page *p, const char *sgr)
{
	if (p->look->color)
		fputs(sgr, p->f);
}

/* A line of the header, cut at the width. */
static void line(struct page *p, const char *sgr, const char *text)
{
	color(p, sgr);
	put_cut(p->f, text, p->look->width ? p->look->width : UINT32_MAX);
	color(p, SGR_NONE);
	fputc('\n', p->f);
	p->lines++;
}

/* --- header ----------------------------------------------------------------------------------- */

static void header_losses(struct page *p)
{
	const struct xtr_slice_facts *f = p->facts;
	char text[256], n[3][XTR_TEXT_NUMBER];

	if (f->lost || p->s->lost) {
		snprintf(text, sizeof(text),
			 "LOST %s events while recording, %s in this slice: figures may be too low",
			 xtr_text_count(n[0], f->lost > p->s->lost ? f->lost : p->s->lost),
			 xtr_text_count(n[1], p->s->lost));
		line(p, SGR_RED, text);
	}
	if (f->problems || f->unreadable) {
		snprintf(text, sizeof(text), "DAMAGED: %s problem%s, %s events cannot be read",
			 xtr_text_count(n[0], f->problems), f->problems == 1 ? "" : "s",
			 xtr_text_count(n[1], f->unreadable));
		line(p, SGR_RED, text);
	}
}

static void header_place(struct page *p)
{
	const struct xtr_slice_facts *f = p->facts;
	const struct xtr_system *sys = xtr_meta_system(f->meta);
	const char *from = f->path ? xtr_text_input(f->path) : NULL;
	char text[512], name[XTR_TEXT_NAME], at[XTR_TEXT_NUMBER], span[XTR_TEXT_NUMBER];
	char host[XTR_TEXT_NAME], release[XTR_TEXT_NAME];
	uint64_t in = p->s->end > f->first_ns ? p->s->end - f->first_ns : 0;

	snprintf(text, sizeof(text), "xtr top: %s  %s  at %s s (the last %s)",
		 from ? xtr_text_name(name, sizeof(name), from, strlen(from)) : "this machine",
		 f->state, xtr_text_stamp(at, in), xtr_text_ns(span, p->s->end - p->s->begin));
	line(p, SGR_BOLD, text);
	snprintf(text, sizeof(text), "machine: %s  Linux %s%s",
		 sys->hostname
			 ? xtr_text_name(host, sizeof(host), sys->hostname, strlen(sys->hostname))
			 : "-",
		 xtr_text_name(release, sizeof(release), sys->release, strlen(sys->release)),
		 xtr_redacted(f->meta) ? "  REDACTED: names and ids are made up" : "");
	line(p, "", text);
}

static void header_cost(struct page *p)
{
	const struct xtr_slice_facts *f = p->facts;
	char text[256], n[XTR_TEXT_NUMBER], cost[XTR_TEXT_NUMBER];
	uint64_t span = p->s->end - p->s->begin;

	snprintf(text, sizeof(text), "events/s: %s  recorder: %s",
		 xtr_text_count(n, xtr_rate_per_second(p->s->events, span)),
		 f->cost_ns && f->cost_over_ns ? xtr_text_percent(cost, f->cost_ns, f->cost_over_ns)
					       : "cost not known yet");
	if (f->cost_ns && f->cost_over_ns)
		strcat(text, " of a CPU");
	line(p, "", text);
}

static void header_counters(struct page *p)
{
	for (size_t i = 0; i < p->s->n_counters; i++) {
		const struct xtr_slice_counter *c = &p->s->counter[i];
		char text[256], name[XTR_TEXT_NAME], n[XTR_TEXT_NUMBER];

		snprintf(text, sizeof(text), "%s: %s%s%s",
			 xtr_text_name(name, sizeof(name), c->track, strlen(c->track)),
			 xtr_text_count(n, c->value), c->unit ? " " : "", c->unit ? c->unit : "");
		line(p, "", text);
	}
}

/* --- cells ------------------------------------------------------------------------------------ */

static char *or_dash(char buf[CELL], const char *s)
{
	snprintf(buf, CELL, "%s", s && *s ? s : "-");
	return buf;
}

static char *name_text(char buf[CELL], const char *s, size_t n)
{
	if (!s || !n)
		return or_dash(buf, NULL);
	return xtr_text_name(buf, CELL, s, n);
}

typedef void cell_fn(const struct page *p, const struct xtr_slice_row *r, char buf[CELL]);

static void cell_name(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	size_t n = 0;
	const char *s;

	if (r->ring) {
		name_text(buf, r->ring->name, strlen(r->ring->name));
	} else if (r->device) {
		name_text(buf, r->device->name, strlen(r->device->name));
	} else if (!r->known) {
		or_dash(buf, "(not known)");
	} else {
		s = r->comm ? xtr_tables_string(p->facts->tables, r->comm, &n) : NULL;
		name_text(buf, s, n);
	}
}

static void cell_device(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	name_text(buf, r->ring->device_name, strlen(r->ring->device_name));
}

static void cell_pid(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	xtr_text_process(buf, r->process);
}

static void cell_busy(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	xtr_text_percent(buf, r->busy_ns, p->s->end - p->s->begin);
}

static void cell_known(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	enum xtr_quality q = xtr_slice_known_as(r);

	(void)p;
	if (r->unsure)
		or_dash(buf, "unsure");
	else
		or_dash(buf, q == XTR_QUALITY_COUNT ? NULL : xtr_quality_name(q));
}

static void rate(const struct page *p, uint64_t n, char buf[CELL])
{
	xtr_text_count(buf, xtr_rate_per_second(n, p->s->end - p->s->begin));
}

static void cell_jobs(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	rate(p, r->jobs, buf);
}

static void cell_waits(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	rate(p, r->waits, buf);
}

#define CELL_COUNT(name, field)                                                      \
	static void cell_##name(const struct page *p, const struct xtr_slice_row *r, \
				char buf[CELL])                                      \
	{                                                                            \
		(void)p;                                                             \
		xtr_text_count(buf, r->field);                                       \
	}
CELL_COUNT(queued, queued)
CELL_COUNT(running, in_flight)
CELL_COUNT(errors, errors)
CELL_COUNT(allocs, allocs)
CELL_COUNT(bytes, alloc_bytes)

static void quantile(char buf[CELL], const struct xtr_hist *h, unsigned int permille, bool bounded)
{
	char n[XTR_TEXT_NUMBER];

	if (h->n)
		snprintf(buf, CELL, "%s%s", bounded ? "<=" : "",
			 xtr_text_ns(n, xtr_hist_quantile(h, permille)));
	else
		or_dash(buf, NULL);
}

static void cell_exec50(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	quantile(buf, &r->exec, 500, r->bounded);
}

static void cell_exec99(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	quantile(buf, &r->exec, 990, r->bounded);
}

static void cell_wait50(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	quantile(buf, &r->queue_wait, 500, false);
}

static void cell_wait99(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	quantile(buf, &r->queue_wait, 990, false);
}

static void cell_longest(const struct page *p, const struct xtr_slice_row *r, char buf[CELL])
{
	(void)p;
	if (r->waits)
		xtr_text_ns(buf, r->wait_max_ns);
	else
		or_dash(buf, NULL);
}

/* --- tables ----------------------------------------------------------------------------------- */

struct column {
	const char *title;
	unsigned int width; /* 0: as wide as the names need */
	cell_fn *cell;
	bool left; /* aligned */
	bool bar;  /* of the busy share, before the number */
};

#define COLUMN(column_title, column_width, column_cell)                                 \
	{                                                                               \
		.title = (column_title), .width = (column_width), .cell = (column_cell) \
	}
#define LEFT(column_title, column_width, column_cell)                                    \
	{                                                                                \
		.title = (column_title), .width = (column_width), .cell = (column_cell), \
		.left = true                                                             \
	}
#define BUSY(column_title)                                                                      \
	{                                                                                       \
		.title = (column_title), .width = BAR_WIDTH + 9, .cell = cell_busy, .bar = true \
	}
#define COLUMNS_COMMON                                                                \
	LEFT("known as", 8, cell_known), COLUMN("jobs/s", 9, cell_jobs),              \
		COLUMN("running", 7, cell_running), COLUMN("queued", 7, cell_queued), \
		COLUMN("exec p50", 10, cell_exec50), COLUMN("p99", 10, cell_exec99),  \
		COLUMN("queue p50", 10, cell_wait50), COLUMN("p99", 10, cell_wait99)

static const struct column device_columns[] = {
	LEFT("DEVICE", 0, cell_name),
	BUSY("busy"),
	COLUMNS_COMMON,
	COLUMN("errors", 6, cell_errors),
};
static const struct column ring_columns[] = {
	LEFT("RING", 0, cell_name),
	BUSY("busy"),
	COLUMNS_COMMON,
	COLUMN("errors", 6, cell_errors),
	LEFT("device", 16, cell_device),
};
/* Where the ring's name alone does not say which one it is. */
static const struct column twin_columns[] = {
	LEFT("RING", 0, cell_name),
	LEFT("device", 16, cell_device),
	BUSY("busy"),
	COLUMNS_COMMON,
	COLUMN("errors", 6, cell_errors),
};
static const struct column process_columns[] = {
	LEFT("PROCESS", 0, cell_name),
	COLUMN("pid", 8, cell_pid),
	BUSY("GPU time"),
	COLUMNS_COMMON,
	COLUMN("waits/s", 8, cell_waits),
	COLUMN("longest", 9, cell_longest),
	COLUMN("NPU bufs", 8, cell_allocs),
	COLUMN("bytes", 15, cell_bytes),
};

#define TABLE(columns)                                          \
	{                                                       \
		(columns), sizeof(columns) / sizeof(*(columns)) \
	}
static const struct table {
	const struct column *c;
	size_t n;
} tables[XTR_SLICE_BY_COUNT] = {
	[XTR_SLICE_DEVICE] = TABLE(device_columns),
	[XTR_SLICE_RING] = TABLE(ring_columns),
	[XTR_SLICE_PROCESS] = TABLE(process_columns),
}, twins = TABLE(twin_columns);

static void spaces(FILE *f, unsigned int n)
{
	fprintf(f, "%*s", (int)n, "");
}

static void put_aligned(FILE *f, const char *s, unsigned int width, bool left)
{
	unsigned int n = columns_of(s);

	if (!left && n < width)
		spaces(f, width - n);
	n = put_cut(f, s, width);
	if (left && n < width)
		spaces(f, width - n);
}

/* A share as a bar: full where it is all, and something as soon as it is not nothing. */
static void put_bar(const struct page *p, uint64_t part, uint64_t whole)
{
	unsigned int n =
		whole ? (unsigned int)(((unsigned __int128)part * BAR_WIDTH + whole - 1) / whole)
		      : 0;

	if (n > BAR_WIDTH)
		n = BAR_WIDTH;
	fputc('[', p->f);
	color(p, n > BAR_WIDTH * 3 / 4 ? SGR_RED : n > BAR_WIDTH / 2 ? SGR_YELLOW : SGR_GREEN);
	for (unsigned int i = 0; i < n; i++)
		fputc('|', p->f);
	color(p, SGR_NONE);
	spaces(p->f, BAR_WIDTH - n);
	fputc(']', p->f);
}

static unsigned int width_of(const struct page *p, const struct column *c)
{
	return c->width ? c->width : p->name_width;
}

/* How many of the columns fit. */
static size_t fitting(const struct page *p)
{
	unsigned int at = 0;
	size_t i;

	for (i = 0; i < p->table->n; i++) {
		at += width_of(p, &p->table->c[i]) + (i ? 1 : 0);
		if (p->look->width && at > p->look->width)
			break;
	}
	return i ? i : 1;
}

static void put_row(const struct page *p, const struct xtr_slice_row *r, size_t n)
{
	char buf[CELL];

	for (size_t i = 0; i < n; i++) {
		const struct column *c = &p->table->c[i];
		unsigned int width = width_of(p, c);

		if (i)
			fputc(' ', p->f);
		if (c->bar) {
			put_bar(p, r->busy_ns, p->s->end - p->s->begin);
			width -= BAR_WIDTH + 2;
		}
		if (p->look->width && width > p->look->width)
			width = p->look->width;
		c->cell(p, r, buf);
		put_aligned(p->f, buf, c->left && i + 1 == n ? columns_of(buf) : width, c->left);
	}
	fputc('\n', p->f);
}

/* --- order ------------------------------------------------------------------------------------ */

static uint64_t figure(const struct xtr_slice_row *r, enum xtr_slice_sort sort)
{
	switch (sort) {
	case XTR_SLICE_SORT_JOBS:
		return r->jobs;
	case XTR_SLICE_SORT_QUEUED:
		return r->queued;
	case XTR_SLICE_SORT_RUNNING:
		return r->in_flight;
	case XTR_SLICE_SORT_EXEC:
		return xtr_hist_quantile(&r->exec, 990);
	case XTR_SLICE_SORT_WAIT:
		return xtr_hist_quantile(&r->queue_wait, 990);
	case XTR_SLICE_SORT_BUSY:
		return r->busy_ns;
	default:
		return 0;
	}
}

static int by_name(const struct xtr_slice_row *a, const struct xtr_slice_row *b)
{
	int cmp = 0;

	if (a->ring)
		cmp = strcmp(a->ring->device_name, b->ring->device_name);
	if (a->ring && !cmp)
		cmp = strcmp(a->ring->name, b->ring->name);
	if (a->device)
		cmp = strcmp(a->device->name, b->device->name);
	if (!cmp)
		cmp = xtr_process_cmp(a->process, b->process);
	if (!cmp && a->ring && a->ring->id != b->ring->id)
		cmp = a->ring->id < b->ring->id ? -1 : 1;
	return cmp;
}

struct sorted {
	const struct xtr_slice_row *r;
	uint64_t figure;
};

/* Equal ones by name, so that rows do not jump about. */
static int compare(const void *pa, const void *pb)
{
	const struct sorted *a = pa, *b = pb;

	if (a->figure != b->figure)
		return a->figure > b->figure ? -1 : 1;
	return by_name(a->r, b->r);
}

#define ROWS_COMPARED 256u /* of more, names are taken to be shared: looking would be quadratic */

/* Has a ring of another device the same name? */
static bool names_shared(const struct sorted *rows, size_t n)
{
	for (size_t i = 1; i < n && n <= ROWS_COMPARED; i++)
		for (size_t k = 0; k < i; k++) {
			const struct xtr_model_ring *a = rows[i].r->ring, *b = rows[k].r->ring;

			if (a && b && a->device != b->device && !strcmp(a->name, b->name))
				return true;
		}
	return n > ROWS_COMPARED;
}

static void put_titles(const struct page *p, size_t n)
{
	fputc('\n', p->f);
	color(p, SGR_BOLD);
	for (size_t i = 0; i < n; i++) {
		const struct column *c = &p->table->c[i];
		unsigned int width = width_of(p, c);

		if (i)
			fputc(' ', p->f);
		if (p->look->width && width > p->look->width)
			width = p->look->width;
		put_aligned(p->f, c->title, c->left && i + 1 == n ? columns_of(c->title) : width,
			    c->left);
	}
	color(p, SGR_NONE);
	fputc('\n', p->f);
}

/* Each row of a kind, in order, and how wide its name is. */
static void sort_rows(struct page *p, enum xtr_slice_by by, struct sorted *rows)
{
	p->name_width = columns_of(tables[by].c[0].title);
	for (size_t i = 0; i < p->s->n[by]; i++) {
		char buf[CELL];
		unsigned int w;

		rows[i].r = p->s->row[by][i];
		rows[i].figure = figure(rows[i].r, p->look->sort);
		cell_name(p, rows[i].r, buf);
		w = columns_of(buf);
		if (w > p->name_width)
			p->name_width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
	}
	qsort(rows, p->s->n[by], sizeof(*rows), compare);
}

static int put_table(struct page *p, enum xtr_slice_by by)
{
	struct sorted *rows = calloc(p->s->n[by] + 1, sizeof(*rows));
	size_t n;

	if (!rows)
		return -ENOMEM;
	if (!p->s->n[by]) {
		free(rows);
		return 0;
	}
	sort_rows(p, by, rows);
	p->table = by == XTR_SLICE_RING && names_shared(rows, p->s->n[by]) ? &twins : &tables[by];
	n = fitting(p);
	put_titles(p, n);
	for (size_t i = 0; i < p->s->n[by]; i++)
		put_row(p, rows[i].r, n);
	free(rows);
	return 0;
}

int xtr_slice_text(FILE *f, const struct xtr_slice *s, const struct xtr_slice_facts *facts,
		   const struct xtr_slice_look *look)
{
	struct page p = { .f = f, .s = s, .facts = facts, .look = look };
	int err = 0;

	header_losses(&p);
	header_place(&p);
	header_cost(&p);
	header_counters(&p);
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT && !err; by++)
		err = put_table(&p, by);
	return err ? err : (int)p.lines;
}
