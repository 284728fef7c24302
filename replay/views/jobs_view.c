/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs_view.h"
#include "cell.h"
#include "relation.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Columns of table jobs that are not in the CSV of `xtr jobs`, which stays as it is. */
static const bool not_in_csv[XTR_COLS_OF_JOBS] = {
	[XTR_COL_JOB_RING_ID] = true, [XTR_COL_JOB_EXEC_MIN] = true,  [XTR_COL_JOB_EXEC_MAX] = true,
	[XTR_COL_JOB_ERROR] = true,   [XTR_COL_JOB_DEP_WAITS] = true,
};

static const struct xtr_relation *const jobs = &xtr_relations[XTR_REL_JOBS];

void xtr_jobs_csv_header(FILE *f, const struct xtr_jobs_from *from)
{
	const char *sep = from ? "host,file," : "";

	for (size_t i = 0; i < jobs->n; i++) {
		if (not_in_csv[i])
			continue;
		fprintf(f, "%s%s", sep, jobs->columns[i].name);
		sep = ",";
	}
	fputs("\r\n", f);
}

static void fill(struct xtr_row *row, const struct xtr_tables *t, bool times,
		 const struct xtr_job *j)
{
	xtr_row_job(row, t, j);
	if (!times)
		xtr_row_without_times(jobs, row);
}

static void csv_text(struct xtr_line *l, const char *s)
{
	const struct xtr_cell cell = { .kind = s ? XTR_CELL_TEXT : XTR_CELL_NULL,
				       .n = s ? strlen(s) : 0,
				       .s = s };

	xtr_cell_csv(l, &cell);
	xtr_line_char(l, ',');
}

void xtr_jobs_csv(FILE *f, const struct xtr_jobs_from *from, const struct xtr_tables *t, bool times,
		  const struct xtr_job *j)
{
	struct xtr_row row = { 0 };
	struct xtr_line l;

	fill(&row, t, times, j);
	xtr_line_begin(&l, f);
	if (from) {
		csv_text(&l, from->host);
		csv_text(&l, from->file);
	}
	for (size_t i = 0; i < jobs->n; i++) {
		if (not_in_csv[i])
			continue;
		if (i)
			xtr_line_char(&l, ',');
		xtr_cell_csv(&l, &row.cell[i]);
	}
	xtr_line_put(&l, "\r\n", 2);
	xtr_line_flush(&l);
}

static void json_deps(struct xtr_json *json, bool times, const struct xtr_job *j)
{
	if (!j->n_deps)
		return;
	xtr_json_kv_array(json, "deps");
	for (uint32_t i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];

		xtr_json_begin_object(json);
		xtr_json_kv_u64(json, "context", d->ctx);
		xtr_json_kv_u64(json, "seqno", d->seqno);
		if (d->ring_id)
			xtr_json_kv_u64(json, "ring_id", d->ring_id);
		xtr_json_kv_str(json, "until", d->scheduled ? "run" : "done");
		if (times && d->from_ns) { /* 0: told by a trace that has jobs alone */
			xtr_json_kv_u64(json, "from_ns", d->from_ns);
			xtr_json_kv_u64(json, "until_ns", d->until_ns);
		}
		xtr_json_end_object(json);
	}
	xtr_json_end_array(json);
}

static void json_flags(struct xtr_json *json, uint32_t flags)
{
	const char *name;

	xtr_json_kv_array(json, "flags");
	for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)); bit++)
		if (flags & 1u << bit)
			xtr_json_str(json, name);
	xtr_json_end_array(json);
}

/* What is not known is left out, but device and ring. */
static void json_cell(struct xtr_json *json, size_t column, const struct xtr_cell *c)
{
	bool always = column == XTR_COL_JOB_DEVICE || column == XTR_COL_JOB_RING;

	if (c->kind == XTR_CELL_NULL && !always)
		return;
	xtr_json_key(json, jobs->columns[column].name);
	if (c->kind == XTR_CELL_UINT)
		xtr_json_u64(json, c->u);
	else if (c->kind == XTR_CELL_INT)
		xtr_json_s64(json, c->i);
	else
		xtr_json_strn(json, c->kind == XTR_CELL_TEXT ? c->s : "", c->n);
}

void xtr_jobs_json(struct xtr_json *json, const struct xtr_jobs_from *from,
		   const struct xtr_tables *t, bool times, const struct xtr_job *j)
{
	struct xtr_row row = { 0 };

	fill(&row, t, times, j);
	xtr_json_begin_object(json);
	if (from && from->host)
		xtr_json_kv_str(json, "host", from->host);
	if (from)
		xtr_json_kv_str(json, "file", from->file);
	for (size_t i = 0; i < jobs->n; i++) {
		if (i == XTR_COL_JOB_FLAGS)
			json_flags(json, j->flags);
		else if (i == XTR_COL_JOB_PROCESS)
			xtr_json_kv_process_nth(json, "pid", xtr_process(j->pid, j->nth));
		else
			json_cell(json, i, &row.cell[i]);
		if (i == XTR_COL_JOB_DEP_WAITS)
			json_deps(json, times, j);
	}
	xtr_json_document_end(json);
}

/*
 * Streaming, so places are fixed: those of ordinary names and times make 120 columns with all but
 * the flags. What is wider than its place is not cut: it takes from the spaces of what follows, and
 * the first that has enough of them stands in its place again.
 */
static const struct text_column {
	const char *title;
	unsigned int width;
	bool left;
} text_columns[] = {
	{ "done s", 16, false }, { "device", 12, true },    { "ring", 9, true },
	{ "job", 8, false },     { "pid", 5, false },       { "comm", 15, true },
	{ "kind", 6, true },     { "queue", 7, false },     { "dep", 7, false },
	{ "hw wait", 7, false }, { "execution", 9, false }, { "quality", 8, true },
	{ "flags", 0, true },
};
#define TEXT_COLUMNS (sizeof(text_columns) / sizeof(text_columns[0]))

/* A line as far as it is written. */
struct text_line {
	FILE *f;
	size_t column;      /* of text_columns: the next one */
	unsigned int place; /* where that begins */
	unsigned int at;    /* characters written */
};

static unsigned int characters(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80; /* not within one of UTF-8 */
	return n;
}

static void put_text(struct text_line *l, const char *s)
{
	const struct text_column *c = &text_columns[l->column++];
	unsigned int n = characters(s), from = l->place;

	if (!c->left && n < l->place + c->width)
		from = l->place + c->width - n;
	if (l->at && from <= l->at)
		from = l->at + 1;
	fprintf(l->f, "%*s%s", (int)(from - l->at), "", s);
	l->at = from + n;
	l->place += c->width + 1;
}

#define HOST_WIDTH 12u
#define PATH_TEXT  1024u /* bytes */

static void put_padded(FILE *f, const char *s, unsigned int width)
{
	char name[PATH_TEXT];
	unsigned int n = characters(xtr_text_name(name, sizeof(name), s, strlen(s)));

	fprintf(f, "%s%*s", name, n < width ? (int)(width - n + 1) : 1, "");
}

static void text_from(FILE *f, const struct xtr_jobs_from *from)
{
	if (!from)
		return;
	put_padded(f, from->host ? from->host : "-", HOST_WIDTH);
	put_padded(f, from->file, from->file_width);
}

void xtr_jobs_text_header(FILE *f, const struct xtr_jobs_from *from)
{
	struct xtr_jobs_from title = { .host = "host", .file = "file" };
	struct text_line l = { .f = f };

	if (from) {
		title.file_width = from->file_width;
		text_from(f, &title);
	}
	while (l.column < TEXT_COLUMNS)
		put_text(&l, text_columns[l.column].title);
	fputc('\n', f);
}

static const char *text_number(char buf[XTR_TEXT_NUMBER], const struct xtr_cell *c)
{
	return c->kind != XTR_CELL_NULL ? xtr_text_ns(buf, c->u) : "-";
}

static const char *text_exec(char *buf, size_t cap, bool times, const struct xtr_job *j,
			     const struct xtr_cell *exec)
{
	char ns[XTR_TEXT_NUMBER];

	if (!times || !xtr_job_resided(j))
		return "-";
	snprintf(buf, cap, "%s%s",
		 exec->kind != XTR_CELL_NULL ? "" : "<=", xtr_text_ns(ns, j->exec_max_ns));
	return buf;
}

static const char *name_or_dash(char buf[XTR_TEXT_NAME], const struct xtr_cell *c)
{
	return c->kind != XTR_CELL_NULL && c->n ? xtr_text_name(buf, XTR_TEXT_NAME, c->s, c->n)
						: "-";
}

/* Flags' names stand behind one another, with spaces. */
static void text_flags(struct text_line *l, uint32_t flags)
{
	const char *name;
	bool any = false;

	for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)); bit++) {
		if (!(flags & 1u << bit))
			continue;
		if (any)
			fprintf(l->f, " %s", name);
		else
			put_text(l, name);
		any = true;
	}
}

void xtr_jobs_text(FILE *f, const struct xtr_jobs_from *from, const struct xtr_tables *t,
		   bool times, const struct xtr_job *j)
{
	char done[XTR_TEXT_NUMBER], queue[XTR_TEXT_NUMBER], dep[XTR_TEXT_NUMBER],
		hw[XTR_TEXT_NUMBER];
	char exec[XTR_TEXT_NUMBER + 4], job[2 * XTR_TEXT_NUMBER], pid[XTR_TEXT_PROCESS];
	char device[XTR_TEXT_NAME], ring[XTR_TEXT_NAME], comm[XTR_TEXT_NAME];
	const struct xtr_cell *c;
	struct text_line l = { .f = f };
	struct xtr_row row = { 0 };

	fill(&row, t, times, j);
	c = row.cell;
	snprintf(job, sizeof(job), "%" PRIu64 ":%" PRIu64, j->ctx, j->seqno);
	xtr_text_process(pid, xtr_process(j->pid, j->nth));
	text_from(f, from);
	put_text(&l, j->done_ns ? xtr_text_place(done, times, j->done_ns) : "-");
	put_text(&l, name_or_dash(device, &c[XTR_COL_JOB_DEVICE]));
	put_text(&l, name_or_dash(ring, &c[XTR_COL_JOB_RING]));
	put_text(&l, job);
	put_text(&l, c[XTR_COL_JOB_PID].kind != XTR_CELL_NULL ? pid : "-");
	put_text(&l, name_or_dash(comm, &c[XTR_COL_JOB_COMM]));
	put_text(&l, xtr_job_kind_name(j->kind));
	put_text(&l, text_number(queue, &c[XTR_COL_JOB_QUEUE_WAIT]));
	put_text(&l, j->dep_wait_ns ? text_number(dep, &c[XTR_COL_JOB_DEP_WAIT]) : "-");
	put_text(&l, text_number(hw, &c[XTR_COL_JOB_HW_WAIT]));
	put_text(&l, text_exec(exec, sizeof(exec), times, j, &c[XTR_COL_JOB_EXEC]));
	put_text(&l, xtr_quality_name(j->quality));
	text_flags(&l, j->flags);
	fputc('\n', f);
}
