/* SPDX-License-Identifier: BSD-2-Clause */
/* The exporter: what each section gives, as JSON. */
#include "report_impl.h"
#include "base/buf.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct report {
	struct xtr_report *r;
	FILE *f; /* into r->data */
	struct xtr_json j;
	uint32_t most_jobs; /* of a section */
	size_t sections_left;
	size_t sections_left_out;
	/* of the present section */
	struct xtr_export_section s;
	bool skipped;
	struct report_cells cells;
	struct report_keep keep;
	struct report_names names;
	struct report_marks marks;
	uint64_t rings_left_out_jobs; /* of rings that are not drawn */
};

static unsigned int wants(const struct xtr_export_opts *o)
{
	return o->jobs_only ? XTR_EXPORT_DEPTH : XTR_EXPORT_DEPTH | XTR_EXPORT_MARKS;
}

static void close_report(void *self)
{
	struct report *r = self;

	if (!r)
		return;
	report_cells_free(&r->cells);
	report_keep_free(&r->keep);
	report_names_free(&r->names);
	report_marks_free(&r->marks);
	if (r->f)
		fclose(r->f);
	free(r);
}

static int open_report(void **self, const struct xtr_export_opts *o, const char **why)
{
	struct report *r;

	(void)why;
	*self = NULL;
	if (!o->report)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->r = o->report;
	r->f = xtr_memory_stream(&r->r->data);
	if (!r->f) {
		free(r);
		return -ENOMEM;
	}
	xtr_json_init(&r->j, r->f, false);
	xtr_json_begin_object(&r->j);
	xtr_json_kv_str(&r->j, "schema", "xtr.report/1");
	xtr_json_kv_str(&r->j, "xtr", XTR_VERSION);
	xtr_json_kv_array(&r->j, "sections");
	*self = r;
	return 0;
}

/* The first section tells how many there are. */
static void share_out(struct report *r, const struct xtr_export_section *s)
{
	uint32_t most = r->r->most_jobs ? r->r->most_jobs : XTR_REPORT_JOBS;
	size_t n = xtr_reader_n_sections(s->reader);

	if (n > XTR_REPORT_SECTIONS) {
		r->sections_left_out = n - XTR_REPORT_SECTIONS;
		n = XTR_REPORT_SECTIONS;
	}
	r->sections_left = n;
	r->most_jobs = most / (uint32_t)(n ? n : 1);
}

static int begin_section(void *self, const struct xtr_export_section *s)
{
	struct report *r = self;
	int err;

	if (!s->index)
		share_out(r, s);
	r->skipped = s->index >= XTR_REPORT_SECTIONS;
	if (r->skipped)
		return 0;
	r->s = *s;
	r->rings_left_out_jobs = 0;
	err = report_cells_init(&r->cells, xtr_model_n_rings(s->rings), s->from, s->to) ?:
	      report_keep_init(&r->keep, r->most_jobs) ?:
	      report_names_init(&r->names);
	report_marks_init(&r->marks, s->from, s->to);
	return err;
}

/* A ring's number in s.rings, where rings may have appeared in another order. */
static uint32_t number_of(const struct report *r, const struct xtr_model_ring *ring)
{
	const struct xtr_model_ring *known = xtr_model_ring_by_id(r->s.rings, ring->id);

	return known ? known->index : UINT32_MAX;
}

static int add_job(void *self, const struct xtr_job *j)
{
	struct report *r = self;
	uint32_t ring;
	int64_t pid;

	if (r->skipped)
		return 0;
	ring = number_of(r, j->ring);
	if (ring >= r->cells.n) {
		r->rings_left_out_jobs++;
		return 0;
	}
	pid = report_names_process(&r->names, j->queue_ns ? xtr_process(j->pid, j->nth) : 0);
	if (pid < 0)
		return (int)pid;
	return report_cells_job(&r->cells, ring, j, (uint16_t)pid)
		       ?: report_keep_job(&r->keep, ring, j, r->cells.ring[ring].jobs - 1);
}

static int add_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts)
{
	struct report *r = self;

	if (r->skipped)
		return 0;
	return report_cells_depth(&r->cells, number_of(r, ring), ring->queued, ring->on_hw, ts);
}

static int add_mark(void *self, const struct xtr_mark *m)
{
	struct report *r = self;

	return r->skipped ? 0 : report_marks_mark(&r->marks, m);
}

/* --- what of it is written ---------------------------------------------------------------------
 */

static size_t as_text(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* All rings' cells, in as many parts as fit into `most` bytes of text. */
static int fit_cells(struct report *r, size_t most)
{
	struct xtr_buf b = { 0 };
	int err;

	do {
		if (b.n)
			report_cells_fold(&r->cells);
		b.n = 0;
		for (size_t i = 0; i < r->cells.n; i++)
			report_cells_put(&r->cells, i, &b);
	} while (!b.err && as_text(b.n) > most && r->cells.bins > REPORT_BINS_MIN);
	err = b.err;
	xtr_buf_free(&b);
	return err;
}

static int ring_json(struct report *r, size_t i)
{
	const struct xtr_model_ring *ring = xtr_model_ring(r->s.rings, i);
	struct xtr_json *j = &r->j;
	struct xtr_buf b = { 0 };
	int err;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "index", i);
	xtr_json_kv_u64(j, "id", ring->id);
	report_json_text(j, "device", ring->device_name);
	report_json_text(j, "ring", ring->name);
	report_json_text(j, "driver", ring->driver);
	xtr_json_kv_str(j, "kind", xtr_job_kind_name(ring->kind));
	xtr_json_kv_str(j, "bounded_because", xtr_ring_why(ring));
	xtr_json_kv_u64(j, "limit", ring->limit);
	xtr_json_kv_u64(j, "jobs", r->cells.ring[i].jobs);
	report_cells_put(&r->cells, i, &b);
	err = report_json_bytes(j, "cells", &b);
	xtr_json_end_object(j);
	xtr_buf_free(&b);
	return err;
}

static int rings_json(struct report *r)
{
	int err = 0;

	xtr_json_kv_u64(&r->j, "bins", r->cells.bins);
	report_json_exact(&r->j, "width", r->cells.width);
	xtr_json_kv_u64(&r->j, "rings_left_out", xtr_model_n_rings(r->s.rings) - r->cells.n);
	xtr_json_kv_u64(&r->j, "rings_left_out_jobs", r->rings_left_out_jobs);
	xtr_json_kv_array(&r->j, "rings");
	for (size_t i = 0; i < r->cells.n && !err; i++)
		if (r->cells.ring[i].cell)
			err = ring_json(r, i);
	xtr_json_end_array(&r->j);
	return err;
}

#define FEWER_MAX 20u

/* Texts of strangers, which may be long; each byte takes at most six. */
#define TEXT_BYTES 64u

static const char *comm_of(const struct report *r, size_t i, size_t *n)
{
	const char *s = i ? xtr_tables_string(r->s.tables, (uint32_t)r->names.comm[i], n) : NULL;

	*n = s && *n < TEXT_BYTES ? *n : TEXT_BYTES;
	return s;
}

static size_t names_bytes(const struct report *r)
{
	size_t n, sum = 0;

	for (size_t i = 1; i < r->names.n_comms; i++)
		if (comm_of(r, i, &n))
			sum += 6 * n + 3;
	return sum;
}

/* As many of the kept jobs as fit into `most` bytes of text, with their names. */
static int fit_jobs(struct report *r, size_t most, struct xtr_buf *b, size_t *n,
		    unsigned int *fewer)
{
	struct report_job *job = NULL;
	int err = 0;

	*b = (struct xtr_buf){ 0 };
	*fewer = 0;
	do {
		if (*fewer > FEWER_MAX) {
			*n /= 2;
		} else {
			free(job);
			job = report_keep_all(&r->keep, *fewer, n);
			if (!job)
				return -ENOMEM;
		}
		b->n = 0;
		report_names_forget_comms(&r->names);
		err = report_keep_put(job, *n, r->s.from, &r->names, r->s.rings, b);
		++*fewer;
	} while (!err && *n && as_text(b->n) + names_bytes(r) > most);
	--*fewer;
	free(job);
	return err;
}

static void names_json(struct report *r)
{
	xtr_json_kv_array(&r->j, "pids");
	for (size_t i = 0; i < r->names.n_processes; i++) {
		char text[XTR_TEXT_PROCESS];
		uint64_t process = r->names.process[i];

		if (xtr_process_nth(process))
			xtr_json_str(&r->j, xtr_text_process(text, process));
		else
			xtr_json_u64(&r->j, process);
	}
	xtr_json_end_array(&r->j);
	xtr_json_kv_array(&r->j, "comms");
	for (size_t i = 0; i < r->names.n_comms; i++) {
		size_t n;
		const char *s = comm_of(r, i, &n);

		xtr_json_strn(&r->j, s, n);
	}
	xtr_json_end_array(&r->j);
}

static int jobs_json(struct report *r, size_t most)
{
	struct xtr_buf b;
	unsigned int fewer;
	size_t n;
	int err = fit_jobs(r, most, &b, &n, &fewer);

	if (!err) {
		xtr_json_kv_object(&r->j, "jobs");
		report_json_exact(&r->j, "all", r->keep.n);
		xtr_json_kv_u64(&r->j, "shown", n);
		report_json_exact(&r->j, "every", r->keep.stride << (fewer < 20 ? fewer : 20));
		err = report_json_bytes(&r->j, "data", &b);
		xtr_json_end_object(&r->j);
	}
	xtr_buf_free(&b);
	return err;
}

/* Texts that the numbers of jobs stand for. */
static void texts_json(struct xtr_json *j)
{
	const char *name;

	xtr_json_kv_array(j, "kinds");
	for (unsigned int i = 0; i < XTR_KIND_COUNT; i++)
		xtr_json_str(j, xtr_job_kind_name(i));
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "qualities");
	for (unsigned int i = 0; i < XTR_QUALITY_COUNT; i++)
		xtr_json_str(j, xtr_quality_name(i));
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "quality_help");
	for (unsigned int i = 0; i < XTR_QUALITY_COUNT; i++)
		xtr_json_str(j, xtr_quality_help(i));
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "flags");
	for (unsigned int i = 0; (name = xtr_job_flag_name(i)); i++)
		xtr_json_str(j, name);
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "flag_help");
	for (unsigned int i = 0; (name = xtr_job_flag_help(i)); i++)
		xtr_json_str(j, name);
	xtr_json_end_array(j);
}

static size_t written(struct report *r)
{
	xtr_line_flush(&r->j.line);
	fflush(r->f);
	return r->r->data.n;
}

/* Bytes that this section may still take. */
static size_t room(struct report *r, size_t limit)
{
	size_t n = written(r);

	return n < limit ? limit - n : 0;
}

static int section_json(struct report *r)
{
	size_t n = written(r), limit = n;
	int err;

	if (r->r->most > n)
		limit = n + (r->r->most - n) / r->sections_left;
	xtr_json_begin_object(&r->j);
	report_json_facts(&r->j, &r->s);
	report_json_losses(&r->j, &r->s);
	err = report_marks_json(&r->marks, &r->j);
	report_paths_json(&r->j, &r->s, room(r, limit) / 10);
	report_frames_json(&r->j, &r->s, room(r, limit) / 5);
	err = err ?: fit_cells(r, room(r, limit) / 5 * 2) ?: rings_json(r) ?:
	      jobs_json(r, room(r, limit) / 20 * 19);
	if (!err)
		names_json(r);
	xtr_json_end_object(&r->j);
	return err;
}

static int end_section(void *self)
{
	struct report *r = self;
	int err;

	if (r->skipped)
		return 0;
	report_cells_end(&r->cells, r->s.to);
	err = section_json(r);
	r->sections_left--;
	report_cells_free(&r->cells);
	report_keep_free(&r->keep);
	report_names_free(&r->names);
	report_marks_free(&r->marks);
	return err;
}

static int finish(void *self)
{
	struct report *r = self;

	xtr_json_end_array(&r->j);
	xtr_json_kv_u64(&r->j, "sections_left_out", r->sections_left_out);
	texts_json(&r->j);
	xtr_json_end_object(&r->j);
	xtr_line_flush(&r->j.line);
	return xtr_memory_flush(r->f, &r->r->data);
}

const struct xtr_exporter xtr_exporter_report = {
	.name = "report",
	.suffix = ".html",
	.help = "an HTML page",
	.wants = wants,
	.open = open_report,
	.section = begin_section,
	.job = add_job,
	.depth = add_depth,
	.mark = add_mark,
	.end_section = end_section,
	.finish = finish,
	.close = close_report,
};
