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

/* What a column shows: of the row as a whole, or of the member at `at`. */
enum cell {
	CELL_NAME,
	CELL_DEVICE,
	CELL_PID,
	CELL_BUSY, /* with a bar before the number */
	CELL_KNOWN,
	CELL_COUNT,
	CELL_RATE, /* per second */
	CELL_P50,  /* of a histogram of ns */
	CELL_P99,
	CELL_LONGEST
};

struct column {
	const char *title;
	unsigned int width; /* 0: as wide as the names need */
	enum cell kind;
	size_t at; /* of the member: a number or a histogram */
	bool left; /* aligned */
};

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

static void cell_known(const struct xtr_slice_row *r, char buf[CELL])
{
	enum xtr_quality q = xtr_slice_known_as(r);

	if (r->unsure)
		or_dash(buf, "unsure");
	else
		or_dash(buf, q == XTR_QUALITY_COUNT ? NULL : xtr_quality_name(q));
}

static void quantile(char buf[CELL], const struct xtr_hist *h, unsigned int permille, bool bounded)
{
	char n[XTR_TEXT_NUMBER];

	if (h->n)
		snprintf(buf, CELL, "%s%s", bounded ? "<=" : "",
			 xtr_text_ns(n, xtr_hist_quantile(h, permille)));
	else
		or_dash(buf, NULL);
}

static void cell_text(const struct page *p, const struct column *c, const struct xtr_slice_row *r,
		      char buf[CELL])
{
	const uint64_t span = p->s->end - p->s->begin;
	const void *at = (const char *)r + c->at;

	switch (c->kind) {
	case CELL_NAME:
		return cell_name(p, r, buf);
	case CELL_DEVICE:
		name_text(buf, r->ring->device_name, strlen(r->ring->device_name));
		return;
	case CELL_PID:
		xtr_text_process(buf, r->process);
		return;
	case CELL_BUSY:
		xtr_text_percent(buf, r->busy_ns, span);
		return;
	case CELL_KNOWN:
		return cell_known(r, buf);
	case CELL_COUNT:
		xtr_text_count(buf, *(const uint64_t *)at);
		return;
	case CELL_RATE:
		xtr_text_count(buf, xtr_rate_per_second(*(const uint64_t *)at, span));
		return;
	case CELL_P50:
	case CELL_P99:
		quantile(buf, at, c->kind == CELL_P50 ? 500 : 990, at == &r->exec && r->bounded);
		return;
	case CELL_LONGEST:
		if (r->waits)
			xtr_text_ns(buf, r->wait_max_ns);
		else
			or_dash(buf, NULL);
	}
}

/* --- tables ----------------------------------------------------------------------------------- */

#define OF(member) offsetof(struct xtr_slice_row, member), false
#define LEFT       0, true
#define RIGHT      0, false
#define BUSY       BAR_WIDTH + 9, CELL_BUSY, RIGHT
#define COLUMNS_COMMON                                                                            \
	{ "known as", 8, CELL_KNOWN, LEFT }, { "jobs/s", 9, CELL_RATE, OF(jobs) },                \
		{ "running", 7, CELL_COUNT, OF(in_flight) },                                      \
		{ "queued", 7, CELL_COUNT, OF(queued) }, { "exec p50", 10, CELL_P50, OF(exec) },  \
		{ "p99", 10, CELL_P99, OF(exec) }, { "queue p50", 10, CELL_P50, OF(queue_wait) }, \
	{                                                                                         \
		"p99", 10, CELL_P99, OF(queue_wait)                                               \
	}
#define ERRORS                                      \
	{                                           \
		"errors", 6, CELL_COUNT, OF(errors) \
	}
#define DEVICE                                  \
	{                                       \
		"device", 16, CELL_DEVICE, LEFT \
	}

static const struct column device_columns[] = {
	{ "DEVICE", 0, CELL_NAME, LEFT }, { "busy", BUSY }, COLUMNS_COMMON, ERRORS
};
static const struct column ring_columns[] = {
	{ "RING", 0, CELL_NAME, LEFT }, { "busy", BUSY }, COLUMNS_COMMON, ERRORS, DEVICE
};
/* Where the ring's name alone does not say which one it is. */
static const struct column twin_columns[] = {
	{ "RING", 0, CELL_NAME, LEFT }, DEVICE, { "busy", BUSY }, COLUMNS_COMMON, ERRORS
};
static const struct column process_columns[] = {
	{ "PROCESS", 0, CELL_NAME, LEFT },
	{ "pid", 8, CELL_PID, RIGHT },
	{ "GPU time", BUSY },
	COLUMNS_COMMON,
	{ "waits/s", 8, CELL_RATE, OF(waits) },
	{ "longest", 9, CELL_LONGEST, RIGHT },
	{ "NPU bufs", 8, CELL_COUNT, OF(allocs) },
	{ "bytes", 15, CELL_COUNT, OF(alloc_bytes) },
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

/* The first n columns of a row, or, if that is NULL, their titles. */
static void put_row(const struct page *p, const struct xtr_slice_row *r, size_t n)
{
	char buf[CELL];

	for (size_t i = 0; i < n; i++) {
		const struct column *c = &p->table->c[i];
		unsigned int width = width_of(p, c);
		const char *s = r ? buf : c->title;

		if (i)
			fputc(' ', p->f);
		if (r && c->kind == CELL_BUSY) {
			put_bar(p, r->busy_ns, p->s->end - p->s->begin);
			width -= BAR_WIDTH + 2;
		}
		if (p->look->width && width > p->look->width)
			width = p->look->width;
		if (r)
			cell_text(p, c, r, buf);
		put_aligned(p->f, s, c->left && i + 1 == n ? columns_of(s) : width, c->left);
	}
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Each row of a kind, in order, and how wide its name is. */
static void sort_rows(struct page *p, enum xtr_slice_by by, struct xtr_slice_sorted *rows)
{
	p->name_width = columns_of(tables[by].c[0].title);
	for (size_t i = 0; i < p->s->n[by]; i++) {
		char buf[CELL];
		unsigned int w;

		cell_name(p, p->s->row[by][i], buf);
		w = columns_of(buf);
		if (w > p->name_width)
			p->name_width = w < NAME_WIDTH_MAX ? w : NAME_WIDTH_MAX;
	}
	xtr_slice_sort(rows, p->s->row[by], p->s->n[by], p->look->sort);
}

static int put_table(struct page *p, enum xtr_slice_by by)
{
	struct xtr_slice_sorted *rows = calloc(p->s->n[by] + 1, sizeof(*rows));
	size_t n;

	if (!rows)
		return -ENOMEM;
	if (!p->s->n[by]) {
		free(rows);
		return 0;
	}
	sort_rows(p, by, rows);
	p->table = by == XTR_SLICE_RING && xtr_slice_names_shared(rows, p->s->n[by]) ? &twins
										     : &tables[by];
	n = fitting(p);
	fputc('\n', p->f);
	color(p, SGR_BOLD);
	put_row(p, NULL, n);
	color(p, SGR_NONE);
	for (size_t i = 0; i < p->s->n[by]; i++) {
		fputc('\n', p->f);
		put_row(p, rows[i].r, n);
	}
	fputc('\n', p->f);
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
