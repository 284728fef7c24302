/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of what the model hands out: jobs, dependencies, calls, gaps, events. */
#include "relation.h"

#include <stdio.h>
#include <string.h>

static struct xtr_cell time_of(uint64_t ns)
{
	return xtr_cell_uint(ns != 0, ns);
}

static struct xtr_cell between(uint64_t from, uint64_t to)
{
	return xtr_cell_uint(from && to, to - from);
}

/* Names of the flags that are set. */
static struct xtr_cell flags_of(char text[XTR_ROW_TEXT_MAX], uint32_t flags)
{
	const char *name;
	size_t n = 0;

	text[0] = '\0';
	if (!flags)
		return xtr_cell_text(text, 0);
	for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)); bit++)
		if (flags & 1u << bit && n < XTR_ROW_TEXT_MAX)
			n += (size_t)snprintf(text + n, XTR_ROW_TEXT_MAX - n, "%s%s", n ? "|" : "",
					      name);
	return xtr_cell_str(text);
}

struct xtr_cell xtr_row_process(struct xtr_row *row, uint64_t process)
{
	return xtr_cell_str(process ? xtr_text_process(row->process, process) : NULL);
}

static void job_names(struct xtr_cell *c, const struct xtr_tables *t, const struct xtr_job *j)
{
	c[XTR_COL_JOB_DEVICE] = xtr_cell_name(j->ring->device_name);
	c[XTR_COL_JOB_RING] = xtr_cell_name(j->ring->name);
	c[XTR_COL_JOB_RING_ID] = xtr_cell_uint(true, j->ring->id);
	c[XTR_COL_JOB_CONTEXT] = xtr_cell_uint(true, j->ctx);
	c[XTR_COL_JOB_SEQNO] = xtr_cell_uint(true, j->seqno);
	c[XTR_COL_JOB_CLIENT] = xtr_cell_uint(j->client_known, j->client_id);
	c[XTR_COL_JOB_PID] = xtr_cell_uint(j->pid != 0, j->pid);
	c[XTR_COL_JOB_TID] = xtr_cell_uint(j->queue_ns || j->tid, j->tid);
	c[XTR_COL_JOB_COMM] = xtr_cell_string(t, j->comm);
	c[XTR_COL_JOB_KIND] = xtr_cell_str(xtr_job_kind_name(j->kind));
}

static void job_times(struct xtr_cell *c, const struct xtr_job *j)
{
	bool resided = xtr_job_resided(j);

	c[XTR_COL_JOB_SUBMIT] = time_of(j->submit_ns);
	c[XTR_COL_JOB_QUEUE] = time_of(j->queue_ns);
	c[XTR_COL_JOB_RUN] = time_of(j->run_ns);
	c[XTR_COL_JOB_START] = time_of(j->start_ns);
	c[XTR_COL_JOB_DONE] = time_of(j->done_ns);
	c[XTR_COL_JOB_RESIDENCE] = between(j->run_ns, j->done_ns);
	c[XTR_COL_JOB_EXEC] =
		between(j->quality == XTR_QUALITY_BOUNDED ? 0 : j->start_ns, j->done_ns);
	c[XTR_COL_JOB_EXEC_MIN] = xtr_cell_uint(resided, j->exec_min_ns);
	c[XTR_COL_JOB_EXEC_MAX] = xtr_cell_uint(resided, j->exec_max_ns);
	c[XTR_COL_JOB_QUEUE_WAIT] = between(j->queue_ns, j->run_ns);
	c[XTR_COL_JOB_HW_WAIT] = between(j->run_ns, j->start_ns);
	c[XTR_COL_JOB_DEP_WAIT] =
		xtr_cell_uint(j->queue_ns && xtr_job_waits_known(j), j->dep_wait_ns);
}

void xtr_row_job(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_job *j)
{
	struct xtr_cell *c = row->cell;

	job_names(c, t, j);
	job_times(c, j);
	c[XTR_COL_JOB_ERROR] = xtr_cell_int(j->result_known, j->error);
	c[XTR_COL_JOB_DEP_WAITS] = xtr_cell_uint(true, j->n_waits);
	c[XTR_COL_JOB_QUALITY] = xtr_cell_str(xtr_quality_name(j->quality));
	c[XTR_COL_JOB_FLAGS] = flags_of(row->text, j->flags);
	c[XTR_COL_JOB_PROCESS] = xtr_row_process(row, xtr_process(j->pid, j->nth));
}

void xtr_row_dep(struct xtr_row *row, const struct xtr_job *j, const struct xtr_dep *d)
{
	struct xtr_cell *c = row->cell;
	bool known = xtr_job_waits_known(j) && d->from_ns;

	c[XTR_COL_DEP_RING_ID] = xtr_cell_uint(true, j->ring->id);
	c[XTR_COL_DEP_CONTEXT] = xtr_cell_uint(true, j->ctx);
	c[XTR_COL_DEP_SEQNO] = xtr_cell_uint(true, j->seqno);
	c[XTR_COL_DEP_DEP_RING_ID] = xtr_cell_uint(d->ring_id != 0, d->ring_id);
	c[XTR_COL_DEP_DEP_CONTEXT] = xtr_cell_uint(true, d->ctx);
	c[XTR_COL_DEP_DEP_SEQNO] = xtr_cell_uint(true, d->seqno);
	c[XTR_COL_DEP_FROM] = xtr_cell_uint(d->from_ns != 0, d->from_ns);
	c[XTR_COL_DEP_UNTIL_NS] = xtr_cell_uint(known, d->until_ns);
	c[XTR_COL_DEP_WAIT] = xtr_cell_uint(known, d->until_ns - d->from_ns);
	c[XTR_COL_DEP_UNTIL] = xtr_cell_str(d->scheduled ? "run" : "done");
}

void xtr_row_call(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_call *c,
		  const char *captured, size_t n)
{
	struct xtr_cell *cell = row->cell;
	bool wait = c->kind == XTR_CALL_WAIT;

	cell[XTR_COL_CALL_KIND] = xtr_cell_str(xtr_call_kind_name(c->kind));
	cell[XTR_COL_CALL_MODULE] = xtr_cell_str(c->module);
	cell[XTR_COL_CALL_NAME] = xtr_cell_str(c->name);
	cell[XTR_COL_CALL_BEGIN] = time_of(c->begin_ns);
	cell[XTR_COL_CALL_END] = time_of(c->end_ns);
	cell[XTR_COL_CALL_DURATION] = between(c->begin_ns, c->end_ns);
	cell[XTR_COL_CALL_PID] = xtr_cell_uint(c->pid || !c->tid, c->pid);
	cell[XTR_COL_CALL_TID] = xtr_cell_uint(true, c->tid);
	cell[XTR_COL_CALL_COMM] = xtr_cell_string(t, c->comm);
	cell[XTR_COL_CALL_CPU] = xtr_cell_cpu(c->stream);
	cell[XTR_COL_CALL_DEPTH] = xtr_cell_uint(true, c->depth);
	cell[XTR_COL_CALL_CONTEXT] = xtr_cell_uint(wait, c->ctx);
	cell[XTR_COL_CALL_SEQNO] = xtr_cell_uint(wait, c->seqno);
	cell[XTR_COL_CALL_RET] = xtr_cell_int(c->ret_known, c->ret);
	cell[XTR_COL_CALL_INNER] = xtr_cell_uint(true, c->inner_ns);
	cell[XTR_COL_CALL_CAPTURED] = xtr_cell_text(captured, n);
	cell[XTR_COL_CALL_GAP] = xtr_cell_uint(true, c->gap);
	cell[XTR_COL_CALL_PROCESS] = xtr_row_process(row, xtr_process(c->pid, c->nth));
}

void xtr_row_gap(struct xtr_row *row, const struct xtr_gap *gap)
{
	struct xtr_cell *c = row->cell;

	c[XTR_COL_GAP_CPU] = xtr_cell_cpu(gap->stream);
	c[XTR_COL_GAP_FIRST] = xtr_cell_uint(true, gap->first);
	c[XTR_COL_GAP_LAST] = xtr_cell_uint(true, gap->last);
	c[XTR_COL_GAP_COUNT] = xtr_cell_uint(true, gap->count);
}

void xtr_row_event(struct xtr_row *row, const struct xtr_tables *t, const struct xtr_event *ev,
		   const char *fields, size_t n)
{
	const struct xtr_task *task = ev->tid ? xtr_tables_task(t, ev->tid, ev->ts) : NULL;
	struct xtr_cell *c = row->cell;

	c[XTR_COL_EVENT_TS] = xtr_cell_uint(true, ev->ts);
	c[XTR_COL_EVENT_CPU] = xtr_cell_cpu(ev->stream);
	c[XTR_COL_EVENT_PID] = xtr_cell_uint(task && task->pid, task ? task->pid : 0);
	c[XTR_COL_EVENT_TID] = xtr_cell_uint(true, ev->tid);
	c[XTR_COL_EVENT_COMM] = xtr_cell_string(t, task ? task->comm : 0);
	c[XTR_COL_EVENT_NAME] = xtr_cell_str(ev->desc ? ev->desc->name : NULL);
	c[XTR_COL_EVENT_FIELDS] = xtr_cell_text(fields, n);
}
