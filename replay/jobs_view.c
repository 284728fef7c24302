/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs_view.h"
#include "cell.h"
#include "relation.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

/* Columns of table jobs that are not in the CSV of `xtr jobs`, which stays as it is. */
static const bool not_in_csv[XTR_COLS_OF_JOBS] = {
	[XTR_COL_JOB_RING_ID] = true, [XTR_COL_JOB_EXEC_MIN] = true,  [XTR_COL_JOB_EXEC_MAX] = true,
	[XTR_COL_JOB_ERROR] = true,   [XTR_COL_JOB_DEP_WAITS] = true,
};

static const struct xtr_relation *const jobs = &xtr_relations[XTR_REL_JOBS];

void xtr_jobs_csv_header(FILE *f)
{
	const char *sep = "";
	size_t i;

	for (i = 0; i < jobs->n; i++) {
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

void xtr_jobs_csv(FILE *f, const struct xtr_tables *t, bool times, const struct xtr_job *j)
{
	struct xtr_row row = { 0 };
	struct xtr_line l;
	size_t i;

	fill(&row, t, times, j);
	xtr_line_begin(&l, f);
	for (i = 0; i < jobs->n; i++) {
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
	uint32_t i;

	if (!j->n_deps)
		return;
	xtr_json_kv_array(json, "deps");
	for (i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];

		xtr_json_begin_object(json);
		xtr_json_kv_u64(json, "context", d->ctx);
		xtr_json_kv_u64(json, "seqno", d->seqno);
		if (d->ring_id)
			xtr_json_kv_u64(json, "ring_id", d->ring_id);
		xtr_json_kv_str(json, "until", d->scheduled ? "run" : "done");
		if (times) {
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
	unsigned int bit;

	xtr_json_kv_array(json, "flags");
	for (bit = 0; (name = xtr_job_flag_name(bit)); bit++)
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

void xtr_jobs_json(struct xtr_json *json, const struct xtr_tables *t, bool times,
		   const struct xtr_job *j)
{
	struct xtr_row row = { 0 };
	size_t i;

	fill(&row, t, times, j);
	xtr_json_begin_object(json);
	for (i = 0; i < jobs->n; i++) {
		if (i == XTR_COL_JOB_FLAGS)
			json_flags(json, j->flags);
		else if (i == XTR_COL_JOB_PROCESS)
			xtr_json_kv_process_nth(json, "pid",
						j->queue_ns ? xtr_process(j->pid, j->nth) : 0);
		else
			json_cell(json, i, &row.cell[i]);
		if (i == XTR_COL_JOB_DEP_WAITS)
			json_deps(json, times, j);
	}
	xtr_json_end_object(json);
	xtr_json_newline(json);
}

/* Streaming, so widths are fixed: wide enough for what drivers use. */
#define TEXT_FORMAT "%19s  %-14s %-14s %12s %7s %-15s %-6s %9s %9s %9s %10s  %-8s"

void xtr_jobs_text_header(FILE *f)
{
	fprintf(f, TEXT_FORMAT " %s\n", "done s", "device", "ring", "job", "pid", "comm", "kind",
		"queue", "dep", "hw wait", "execution", "quality", "flags");
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
static void text_flags(FILE *f, uint32_t flags)
{
	const char *name;
	unsigned int bit;

	for (bit = 0; (name = xtr_job_flag_name(bit)); bit++)
		if (flags & 1u << bit)
			fprintf(f, " %s", name);
}

void xtr_jobs_text(FILE *f, const struct xtr_tables *t, bool times, const struct xtr_job *j)
{
	char done[XTR_TEXT_NUMBER], queue[XTR_TEXT_NUMBER], dep[XTR_TEXT_NUMBER],
		hw[XTR_TEXT_NUMBER];
	char exec[XTR_TEXT_NUMBER + 4], job[2 * XTR_TEXT_NUMBER], pid[XTR_TEXT_PROCESS];
	char device[XTR_TEXT_NAME], ring[XTR_TEXT_NAME], comm[XTR_TEXT_NAME];
	const struct xtr_cell *c;
	struct xtr_row row = { 0 };

	fill(&row, t, times, j);
	c = row.cell;
	snprintf(job, sizeof(job), "%" PRIu64 ":%" PRIu64, j->ctx, j->seqno);
	xtr_text_process(pid, xtr_process(j->pid, j->nth));
	fprintf(f, TEXT_FORMAT, j->done_ns ? xtr_text_place(done, times, j->done_ns) : "-",
		name_or_dash(device, &c[XTR_COL_JOB_DEVICE]),
		name_or_dash(ring, &c[XTR_COL_JOB_RING]), job,
		c[XTR_COL_JOB_PID].kind != XTR_CELL_NULL ? pid : "-",
		name_or_dash(comm, &c[XTR_COL_JOB_COMM]), xtr_job_kind_name(j->kind),
		text_number(queue, &c[XTR_COL_JOB_QUEUE_WAIT]),
		j->dep_wait_ns ? text_number(dep, &c[XTR_COL_JOB_DEP_WAIT]) : "-",
		text_number(hw, &c[XTR_COL_JOB_HW_WAIT]),
		text_exec(exec, sizeof(exec), times, j, &c[XTR_COL_JOB_EXEC]),
		xtr_quality_name(j->quality));
	text_flags(f, j->flags);
	fputc('\n', f);
}
