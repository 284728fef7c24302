/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists that `xtr stats` shows for every trace: who waited for whom, the slowest jobs, events. */
#include "base/buf.h"
#include "base/text.h"
#include "format/read/reader.h"
#include "replay/event/process.h"
#include "replay/notes/notes.h"
#include "view_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- dependencies ----------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xtr_stats_blocker, member)

static const struct xtr_section_column blocker_columns[] = {
	IN_TEXT("<waiting ring", TEXT, 0, XTR_PUT),
	IN_TEXT("<for jobs of", TEXT, 0, XTR_PUT),
	COUNT("ring_id", ring_id, "ring of the jobs that waited"),
	COUNT("blocked_by_ring_id", blocker_id,
	      "for jobs of this one; 0: a fence of no job in the trace"),
	SHOWN("waits", "waits", n, "waits whose end is known"),
	{ "sum_ns", "sum", XTR_C_NS | XTR_C_TIMES, AT(total), "their sum" },
	{ "max_ns", "max", XTR_C_NS | XTR_C_TIMES, AT(max), "the longest" },
};

/* In text only: a fence, and a ring. */
static void put_fence(struct xtr_rows *r, uint64_t ctx, uint64_t seqno)
{
	if (xtr_rows_text(r))
		xtr_put_format(r, "%" PRIu64 ":%" PRIu64, ctx, seqno);
	else
		xtr_put_absent(r);
}

static void put_ring_id(struct xtr_rows *r, uint32_t id)
{
	char buf[2 * XTR_TEXT_NAME];

	xtr_put_copy(r,
		     xtr_rows_text(r) ? xtr_view_ring_id(view_of(r), id, buf, sizeof(buf)) : NULL);
}

static bool put_blocker(struct xtr_rows *r, const void *row)
{
	const struct xtr_stats_blocker *b = row;

	put_ring_id(r, b->ring_id);
	put_ring_id(r, b->blocker_id);
	return true;
}

const struct xtr_section_table view_blockers =
	XTR_TABLE_OF("blockers", "jobs of a ring that waited for another's", blocker_columns,
		     ROWS(blocker, n_blockers), put_blocker, XTR_SHOW_TOP);

#undef AT
#define AT(member) XTR_AT(struct xtr_stats_wait, member)

static const struct xtr_section_column wait_columns[] = {
	IN_TEXT("<job", TEXT, 0, XTR_PUT),
	IN_TEXT("<ring", TEXT, 0, XTR_PUT),
	{ "ring_id", NULL, XTR_C_COUNT, XTR_PUT, "ring of the job that waited" },
	{ "device", NULL, XTR_C_TEXT, XTR_PUT, "its device" },
	{ "ring", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	COUNT("context", ctx, "the job that waited"),
	COUNT("seqno", seqno, "the job that waited"),
	IN_TEXT("<waited for", TEXT, 0, XTR_PUT),
	IN_TEXT("<of ring", TEXT, 0, XTR_PUT),
	COUNT("dep_context", dep.ctx, "the fence waited for"),
	COUNT("dep_seqno", dep.seqno, "the fence waited for"),
	COUNT("dep_ring_id", dep.ring_id, "its ring; 0: no scheduler job of the trace"),
	{ "until", "<until", XTR_C_TEXT, XTR_PUT, "what ended it: run or done" },
	{ "from_ns", "from s", XTR_C_PLACE, AT(dep.from_ns), "begin of the wait" },
	{ "wait_ns", "wait", XTR_C_NS, XTR_PUT, "how long it lasted" },
};

static bool put_wait(struct xtr_rows *r, const void *row)
{
	const struct xtr_stats_wait *w = row;
	const struct xtr_model_ring *ring =
		xtr_model_ring(xtr_stats_model(view_of(r)->stats), w->ring);
	const bool text = xtr_rows_text(r);
	char buf[2 * XTR_TEXT_NAME];

	if (!xtr_view_times(view_of(r)))
		return false;
	put_fence(r, w->ctx, w->seqno);
	xtr_put_copy(r, text ? xtr_view_ring_path(view_of(r), ring, buf, sizeof(buf)) : NULL);
	xtr_put_u64(r, true, ring->id);
	xtr_put_text(r, ring->device_name);
	xtr_put_text(r, ring->name);
	put_fence(r, w->dep.ctx, w->dep.seqno);
	put_ring_id(r, w->dep.ring_id);
	if (w->dep.scheduled)
		xtr_put_text(r, text ? "it was run" : "run");
	else
		xtr_put_text(r, text ? "it was done" : "done");
	xtr_put_u64(r, true, w->dep.until_ns - w->dep.from_ns);
	return true;
}

const struct xtr_section_table view_longest_waits = {
	.name = "longest_waits",
	.help = "a job that waited long for a fence",
	XTR_TABLE_COLUMNS(wait_columns),
	.rows = ROWS(wait, n_waits),
	.put = put_wait,
	.heading = "  longest:\n",
};

/* --- slowest jobs ----------------------------------------------------------------------------- */

#undef AT
#define AT(member) XTR_AT(struct xtr_stats_job, member)

static const struct xtr_section_column slowest_columns[] = {
	IN_TEXT("<job", TEXT, 0, XTR_PUT),
	RING_COLUMNS,
	COUNT("context", job.ctx, "the job"),
	COUNT("seqno", job.seqno, "the job"),
	{ "pid", "pid", XTR_C_PROCESS, XTR_PUT, "the submitter" },
	{ "comm", "<comm", XTR_C_STRING | XTR_C_BLANK, AT(job.comm), "its name" },
	TIMED("run_ns", job.run_ns, "when it was run"),
	{ "done_ns", "done s", XTR_C_PLACE, AT(job.done_ns), "when it was done" },
	IN_TEXT("execution", TEXT, 0, XTR_PUT),
	IN_TEXT("hw wait", NS, 0, XTR_PUT),
	IN_TEXT("queue wait", NS, 0, XTR_PUT),
	{ "exec_ns", NULL, XTR_C_NS, XTR_PUT, "execution, if its start is known" },
	COUNT("exec_max_ns", value, "the same, or the upper bound"),
	{ "quality", "<quality", XTR_C_TEXT, XTR_PUT, "how start and end are known" },
};

static bool put_slowest(struct xtr_rows *r, const void *row)
{
	const struct xtr_view *v = view_of(r);
	const struct xtr_stats_job *s = row;
	const struct xtr_job *j = &s->job;
	const bool known = j->start_ns && !s->bounded;

	if (!xtr_view_times(v))
		return false;
	put_fence(r, j->ctx, j->seqno);
	view_put_ring(r, xtr_model_ring(xtr_stats_model(v->stats), s->ring));
	if (xtr_rows_text(r) ? j->queue_ns : j->pid)
		xtr_put_u64(r, true, xtr_process(j->pid, j->nth));
	else
		xtr_put_absent(r);
	view_put_ns(r, !known, s->value);
	xtr_put_u64(r, known, j->start_ns - j->run_ns);
	xtr_put_u64(r, j->queue_ns, j->run_ns - j->queue_ns);
	xtr_put_u64(r, known, s->value);
	xtr_put_text(r, s->bounded ? "bounded" : xtr_quality_name(j->quality));
	return true;
}

const struct xtr_section_table view_slowest =
	XTR_TABLE_OF("slowest", "a job that executed long", slowest_columns,
		     ROWS(slowest, n_slowest), put_slowest, XTR_SHOW_ALL);

/* --- events ----------------------------------------------------------------------------------- */

/* An event of a kind that the trace has, or that was left out of it. */
struct event_row {
	const char *name; /* NULL: META does not describe it */
	uint32_t type;
	uint64_t n, left_out;
};

#undef AT
#define AT(member) XTR_AT(struct event_row, member)

static const struct xtr_section_column event_columns[] = {
	COUNT("type", type, "number of the event in this recording"),
	{ "name", "<event", XTR_C_TEXT, XTR_PUT, "system:event" },
	SHOWN("count", "count", n, "events"),
	{ "left_out", "left out", XTR_C_COUNT, XTR_PUT,
	  "with --budget: left out on purpose while the whole file was recorded", .own = true },
};

/* Most frequent first, then by name; those without one at the end, by number. */
static int by_count(const void *pa, const void *pb)
{
	const struct event_row *a = pa, *b = pb;
	int order;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	if (!a->name != !b->name)
		return a->name ? -1 : 1;
	order = a->name ? strcmp(a->name, b->name) : 0;
	return order ? order : a->type < b->type ? -1 : a->type > b->type;
}

static void event_row(struct xtr_rows *r, const struct event_row *row, bool budget)
{
	if (!row->name && xtr_rows_text(r))
		xtr_put_format(r, "type %u", row->type);
	else
		xtr_put_name(r, row->name, row->name ? strlen(row->name) : 0);
	if (budget)
		xtr_put_u64(r, true, row->left_out);
	else
		xtr_put_absent(r);
	xtr_row(r, row);
}

/* With a budget, also what it left out: in the whole file, whatever part of it is shown. */
static void fill_events(const void *self, struct xtr_rows *r)
{
	const struct xtr_view *v = self;
	const struct xtr_event_desc *desc;
	const uint64_t *n = v->stats->types;
	uint64_t *left_out = xtr_budgeted_by_type(v->section);
	struct xtr_buf sorted = { 0 };
	struct event_row row, *rows;

	for (uint32_t type = 1; type < XTR_STATS_TYPES; type++) {
		if (!n[type] && !(left_out && left_out[type]))
			continue;
		desc = xtr_meta_event(xtr_section_meta(v->section), type);
		row = (struct event_row){ .type = type,
					  .n = n[type],
					  .left_out = left_out ? left_out[type] : 0,
					  .name = desc ? desc->name : NULL };
		if (!xtr_rows_text(r))
			event_row(r, &row, left_out);
		else
			xtr_buf_add(&sorted, &row, sizeof(row));
	}
	if (sorted.err)
		xtr_rows_fail(r, sorted.err);
	rows = (void *)sorted.p;
	if (rows)
		qsort(rows, sorted.n / sizeof(*rows), sizeof(*rows), by_count);
	for (size_t i = 0; i < sorted.n / sizeof(*rows); i++)
		event_row(r, &rows[i], left_out);
	xtr_buf_free(&sorted);
	free(left_out);
}

static bool shows_event(const void *self, const struct xtr_section_column *c)
{
	struct xtr_budgeted b;

	return !c->own || xtr_budgeted_read(&b, ((const struct xtr_view *)self)->section);
}

const struct xtr_section_table view_events = {
	.name = "events_by_type",
	.help = "an event that the trace has",
	XTR_TABLE_COLUMNS(event_columns),
	.fill = fill_events,
	.shows = shows_event,
};
