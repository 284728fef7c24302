/* SPDX-License-Identifier: BSD-2-Clause */
#include "why_view.h"
#include "analysis/core/grid.h"
#include "analysis/core/ring_text.h"
#include "base/text.h"
#include "replay/event/priority.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_JOB 48u
/* Rows of a path in text: of the sums, of the steps. */
#define PATH_SUMS  12u
#define PATH_STEPS 40u

static uint64_t length(const struct xtr_job_part *p)
{
	return p->to_ns - p->from_ns;
}

static uint64_t total(const struct xtr_why *w)
{
	const struct xtr_job_parts *p = w->parts;

	return p->n ? p->part[p->n - 1].to_ns - p->part[0].from_ns : 0;
}

static char *ring_text(const struct xtr_model_ring *ring, char buf[XTR_RING_TEXT])
{
	return xtr_ring_text(ring, "-", buf, XTR_RING_TEXT);
}

static char *job_text(const struct xtr_job_name *j, char buf[TEXT_JOB])
{
	if (xtr_job_name_any(j))
		snprintf(buf, TEXT_JOB, "%" PRIu64 ":%" PRIu64, j->ctx, j->seqno);
	else
		snprintf(buf, TEXT_JOB, "-");
	return buf;
}

/* --- text ------------------------------------------------------------------------------------- */

static bool same_cause(const struct xtr_job_part *a, const struct xtr_job_part *b)
{
	return a->kind == b->kind && a->root_kind == b->root_kind && a->root_who == b->root_who &&
	       a->root_ring == b->root_ring;
}

/* Parts of one cause, as one: from 0 to their sum. */
struct cause {
	struct xtr_job_part part;
	struct xtr_priorities prio; /* of the jobs at the ends of the chains */
};

/* Returns their number. */
static uint32_t sum(const struct xtr_why *w, struct cause out[XTR_PARTS_MAX])
{
	const struct xtr_job_parts *parts = w->parts;
	uint32_t k, n = 0;

	for (uint32_t i = 0; i < parts->n; i++) {
		const struct xtr_job_part *p = &parts->part[i];

		for (k = 0; k < n && !same_cause(&out[k].part, p); k++)
			;
		if (k == n) {
			out[n] = (struct cause){ .part = *p };
			out[n].part.from_ns = out[n].part.to_ns = 0;
			n++;
		}
		out[k].part.to_ns += length(p);
		if (out[k].part.quality < p->quality)
			out[k].part.quality = p->quality;
		if (w->root_prio[i] >= 0)
			xtr_priorities_add(&out[k].prio, w->root_prio[i]);
	}
	return n;
}

static int by_length(const void *pa, const void *pb)
{
	const struct xtr_job_part *a = &((const struct cause *)pa)->part,
				  *b = &((const struct cause *)pb)->part;

	if (length(a) != length(b))
		return length(a) < length(b) ? 1 : -1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static void cell_share(struct xtr_grid *t, uint64_t ns, uint64_t all)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, xtr_text_percent(buf, ns, all));
}

/* It waited for somebody; what it did itself has no root but itself. */
static bool is_other(const struct xtr_job_part *p)
{
	return p->kind == XTR_PART_QUEUE || p->kind == XTR_PART_DEPENDENCY ||
	       p->kind == XTR_PART_FULL || p->kind == XTR_PART_THREAD || p->kind == XTR_PART_RING;
}

/* Three cells: what the root did, whose it is, where. */
static void cells_root(const struct xtr_why *w, struct xtr_grid *t, const struct xtr_job_part *p)
{
	char who[XTR_WHO_TEXT], ring[XTR_RING_TEXT];

	xtr_grid_cell(t, is_other(p) ? xtr_part_name(p->root_kind) : "");
	xtr_grid_cell(t, is_other(p) && p->root_who
				 ? xtr_who_text(w->names, p->root_who, who, sizeof(who))
				 : "");
	xtr_grid_cell(t, is_other(p) && p->root_ring
				 ? ring_text(w->ring(w->ctx, p->root_ring), ring)
				 : "");
}

static int text_causes(const struct xtr_why *w, FILE *f)
{
	static const char *const titles[] = { "time",        "share",     "<in all",
					      "<because of", "<of whom",  "<on ring",
					      "<quality",    "<priority", NULL };
	struct cause *v = calloc(XTR_PARTS_MAX, sizeof(*v));
	struct xtr_grid *t = xtr_grid_new(titles);
	char priority[XTR_PRIORITY_TEXT];
	uint64_t all = total(w);
	uint32_t n = v ? sum(w, v) : 0;

	if (n)
		qsort(v, n, sizeof(*v), by_length);
	for (uint32_t i = 0; i < n; i++) {
		const struct xtr_job_part *p = &v[i].part;

		xtr_grid_ns(t, true, length(p));
		cell_share(t, length(p), all);
		xtr_grid_cell(t, xtr_part_name(p->kind));
		cells_root(w, t, p);
		xtr_grid_cell(t, xtr_quality_name(p->quality));
		xtr_grid_cell(t, is_other(p) ? xtr_priorities_text(&v[i].prio, w->release, priority)
					     : "");
	}
	free(v);
	return xtr_grid_print(t, v ? f : NULL, 2) ?: v ? 0 : -ENOMEM;
}

static int text_parts(const struct xtr_why *w, FILE *f)
{
	static const char *const titles[] = { "after",       "time",        "<part",
					      "<behind job", "<because of", "<of whom",
					      "<on ring",    "<job",        NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	const struct xtr_job_parts *v = w->parts;
	char job[TEXT_JOB];

	for (uint32_t i = 0; i < v->n; i++) {
		const struct xtr_job_part *p = &v->part[i];

		xtr_grid_ns(t, true, p->from_ns - v->part[0].from_ns);
		xtr_grid_ns(t, true, length(p));
		xtr_grid_cell(t, xtr_part_name(p->kind));
		xtr_grid_cell(t, xtr_job_name_any(&p->job) ? job_text(&p->job, job) : "");
		cells_root(w, t, p);
		xtr_grid_cell(t, is_other(p) && xtr_job_name_any(&p->root) ? job_text(&p->root, job)
									   : "");
	}
	return xtr_grid_print(t, f, 2);
}

/* --- path ------------------------------------------------------------------------------------- */

static uint64_t step_ns(const struct xtr_path_step *s)
{
	return s->to_ns - s->from_ns;
}

static char *step_who(const struct xtr_why *w, const struct xtr_path_step *s, char *buf, size_t cap)
{
	size_t n;

	xtr_who_text(w->names, s->who, buf, cap);
	n = strlen(buf);
	if (s->tid && n < cap)
		snprintf(buf + n, cap - n, ", thread %" PRIu32, s->tid);
	return buf;
}

static bool same_step(const struct xtr_path_step *a, const struct xtr_path_step *b)
{
	return a->kind == b->kind && a->who == b->who && a->ring == b->ring && a->tid == b->tid;
}

static int by_step(const void *pa, const void *pb)
{
	const struct xtr_path_step *a = pa, *b = pb;

	if (step_ns(a) != step_ns(b))
		return step_ns(a) < step_ns(b) ? 1 : -1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Steps of one kind, of one and in one place, as one: from 0 to their sum. Their number. */
static uint32_t sum_steps(const struct xtr_path *p, struct xtr_path_step *out)
{
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < p->n; i++) {
		for (k = 0; k < n && !same_step(&out[k], &p->step[i]); k++)
			;
		if (k == n) {
			out[n] = p->step[i];
			out[n].from_ns = out[n].to_ns = 0;
			n++;
		}
		out[k].to_ns += step_ns(&p->step[i]);
	}
	qsort(out, n, sizeof(*out), by_step);
	return n;
}

static void cells_step(const struct xtr_why *w, struct xtr_grid *t, const struct xtr_path_step *s)
{
	char who[XTR_WHO_TEXT + 32], ring[XTR_RING_TEXT];

	xtr_grid_cell(t, xtr_path_name(s->kind));
	xtr_grid_cell(t, step_who(w, s, who, sizeof(who)));
	xtr_grid_cell(t, s->ring ? ring_text(w->ring(w->ctx, s->ring), ring) : "");
}

int xtr_path_text(const struct xtr_why *w, FILE *f)
{
	static const char *const sums[] = {
		"time", "share", "<in all", "<of whom", "<on ring", NULL
	};
	static const char *const steps[] = { "after",    "time",     "<step", "<of whom",
					     "<on ring", "<for job", NULL };
	const struct xtr_path *p = w->path;
	struct xtr_path_step *all = calloc(XTR_PATH_MAX, sizeof(*all));
	uint64_t from = p->n ? p->step[0].from_ns : 0,
		 ns = p->n ? p->step[p->n - 1].to_ns - from : 0;
	struct xtr_grid *t = xtr_grid_new(sums);
	char job[TEXT_JOB], at[XTR_TEXT_NUMBER], length_text[XTR_TEXT_NUMBER];
	uint32_t n = all ? sum_steps(p, all) : 0;
	uint32_t before = p->n > PATH_STEPS ? p->n - PATH_STEPS : 0;
	int err;

	fprintf(f, "  critical path: %s from %s s to its end%s\n", xtr_text_ns(length_text, ns),
		xtr_text_stamp(at, from), p->cut ? "; there is more before it" : "");
	for (uint32_t i = 0; i < n && i < PATH_SUMS; i++) {
		xtr_grid_ns(t, true, step_ns(&all[i]));
		cell_share(t, step_ns(&all[i]), ns);
		cells_step(w, t, &all[i]);
	}
	free(all);
	err = xtr_grid_print(t, f, 2);
	if (err || !all)
		return -ENOMEM;
	if (n > PATH_SUMS)
		fprintf(f, "  ... and %" PRIu32 " shorter ones\n", n - PATH_SUMS);
	fputc('\n', f);
	if (before)
		fprintf(f, "  ... %" PRIu32 " steps before (--jsonl has them)\n", before);
	t = xtr_grid_new(steps);
	for (uint32_t i = before; i < p->n; i++) {
		xtr_grid_ns(t, true, p->step[i].from_ns - from);
		xtr_grid_ns(t, true, step_ns(&p->step[i]));
		cells_step(w, t, &p->step[i]);
		xtr_grid_cell(t, job_text(&p->step[i].job, job));
	}
	return xtr_grid_print(t, f, 2);
}

static void text_priority(const struct xtr_why *w, FILE *f)
{
	struct xtr_priorities own = { 0 };
	char text[XTR_PRIORITY_TEXT];

	if (!w->job->prio_known)
		return;
	xtr_priorities_add(&own, w->job->prio);
	fprintf(f, "  its queue has priority %s%s\n", xtr_priorities_text(&own, w->release, text),
		xtr_sched_order(w->release) == XTR_SCHED_FAIR
			? "; this kernel's scheduler is fair by default"
			: "");
}

int xtr_why_text(const struct xtr_why *w, FILE *f)
{
	const struct xtr_job *j = w->job;
	char name[TEXT_JOB], who[XTR_WHO_TEXT], ring[XTR_RING_TEXT], ns[XTR_TEXT_NUMBER],
		at[XTR_TEXT_NUMBER];
	int err;

	fprintf(f, "job %s of %s on %s: %s from %s s to its end\n",
		job_text(&(struct xtr_job_name){ j->ctx, j->seqno }, name),
		xtr_who_text(w->names, xtr_who_of(j), who, sizeof(who)), ring_text(j->ring, ring),
		xtr_text_ns(ns, total(w)),
		xtr_text_stamp(at, w->parts->n ? w->parts->part[0].from_ns : 0));
	text_priority(w, f);
	if (j->result_known && j->error)
		fprintf(f, "  it ended with error %" PRId32 "%s\n", j->error,
			j->flags & XTR_FLAG_TIMEOUT ? ", a timeout" : "");
	err = text_causes(w, f);
	if (!err && w->path) {
		fputc('\n', f);
		return xtr_path_text(w, f);
	}
	if (err || w->parts->n < 2)
		return err;
	fputc('\n', f);
	if (w->parts->folded)
		fputs("  its first parts are put together, as there are too many\n", f);
	return text_parts(w, f);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_job(struct xtr_json *j, const char *context, const char *seqno,
		     const struct xtr_job_name *name)
{
	if (!xtr_job_name_any(name))
		return;
	xtr_json_kv_u64(j, context, name->ctx);
	xtr_json_kv_u64(j, seqno, name->seqno);
}

static void json_who(const struct xtr_why *w, struct xtr_json *j, uint64_t who)
{
	size_t n;
	const char *s = xtr_who_name(w->names, who, &n);

	if (xtr_who_process(who))
		xtr_json_kv_process(j, "pid", who);
	if (!s)
		return;
	xtr_json_key(j, "comm");
	xtr_json_strn(j, s, n);
}

/* As a number and, if it has one, by its name; nothing if it is not known. */
static void json_priority(const struct xtr_why *w, struct xtr_json *j, int32_t prio)
{
	const char *name = xtr_priority_name(w->release, prio);

	if (prio < 0)
		return;
	xtr_json_kv_u64(j, "priority", (uint64_t)prio);
	if (name)
		xtr_json_kv_str(j, "priority_name", name);
}

static void json_root(const struct xtr_why *w, struct xtr_json *j, uint32_t i)
{
	const struct xtr_job_part *p = &w->parts->part[i];

	xtr_json_key(j, "root");
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "part", xtr_part_name(p->root_kind));
	json_job(j, "context", "seqno", &p->root);
	json_who(w, j, p->root_who);
	if (p->root_ring)
		xtr_json_kv_u64(j, "ring_id", p->root_ring);
	json_priority(w, j, w->root_prio[i]);
	xtr_json_end_object(j);
}

void xtr_path_json(const struct xtr_why *w, struct xtr_json *j)
{
	xtr_json_kv_bool(j, "path_cut", w->path->cut);
	xtr_json_kv_array(j, "path");
	for (uint32_t i = 0; i < w->path->n; i++) {
		const struct xtr_path_step *s = &w->path->step[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "from_ns", s->from_ns);
		xtr_json_kv_u64(j, "ns", step_ns(s));
		xtr_json_kv_str(j, "step", xtr_path_name(s->kind));
		json_job(j, "context", "seqno", &s->job);
		json_who(w, j, s->who);
		if (s->tid)
			xtr_json_kv_u64(j, "tid", s->tid);
		if (s->ring)
			xtr_json_kv_u64(j, "ring_id", s->ring);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void xtr_why_json(const struct xtr_why *w, struct xtr_json *j)
{
	const struct xtr_job *job = w->job;

	xtr_json_kv_u64(j, "context", job->ctx);
	xtr_json_kv_u64(j, "seqno", job->seqno);
	xtr_json_kv_str(j, "device", job->ring->device_name);
	xtr_json_kv_str(j, "ring", job->ring->name);
	xtr_json_kv_u64(j, "ring_id", job->ring->id);
	json_who(w, j, xtr_who_of(job));
	json_priority(w, j, job->prio_known ? job->prio : -1);
	xtr_json_kv_u64(j, "from_ns", w->parts->n ? w->parts->part[0].from_ns : 0);
	xtr_json_kv_u64(j, "to_ns", job->done_ns);
	xtr_json_kv_bool(j, "folded", w->parts->folded);
	xtr_json_kv_array(j, "parts");
	for (uint32_t i = 0; i < w->parts->n; i++) {
		const struct xtr_job_part *p = &w->parts->part[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "from_ns", p->from_ns);
		xtr_json_kv_u64(j, "ns", length(p));
		xtr_json_kv_str(j, "part", xtr_part_name(p->kind));
		xtr_json_kv_str(j, "quality", xtr_quality_name(p->quality));
		json_job(j, "context", "seqno", &p->job);
		json_root(w, j, i);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	if (w->path)
		xtr_path_json(w, j);
}
