/* SPDX-License-Identifier: BSD-2-Clause */
#include "cut_impl.h"
#include "format/codec/record.h"

#include <errno.h>
#include <string.h>

static const char sched_ops[] = "drm_sched_fence_ops";

enum cut_kind cut_kind_of(const uint8_t *rec, struct xtr_job_name *name)
{
	uint32_t type = xtr_rec_type(rec);
	bool job = type >= XTR_EV_JOB_QUEUE && type <= XTR_EV_JOB_UNSCHEDULABLE;
	bool fence = type >= XTR_EV_FENCE_INIT && type <= XTR_EV_FENCE_DESTROY;

	if ((!job && !fence) || xtr_rec_size(rec) < XTR_REC_END(job_run, seqno))
		return CUT_OTHER;
	*name = (struct xtr_job_name){ XTR_REC_GET(rec, job_run, ctx),
				       XTR_REC_GET(rec, job_run, seqno) };
	return job ? CUT_JOB : CUT_FENCE;
}

int cut_keep_init(struct cut *c)
{
	const struct xtr_tables *t = xtr_section_tables(c->s);
	uint32_t id = 0;

	while (xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id)) {
		const char *s = xtr_tables_string(t, id, NULL);

		if (!strncmp(s, sched_ops, sizeof(sched_ops) - 1) && xtr_map_put(&c->ops, id, 0, 1))
			return -ENOMEM;
	}
	return xtr_job_sources_open(&c->sources, xtr_section_meta(c->s), t, NULL);
}

/* A fence of some scheduler job, of whatever ring. */
static bool of_scheduler(const struct cut *c, const uint8_t *rec)
{
	return xtr_rec_size(rec) >= XTR_REC_END(fence, ops) &&
	       xtr_map_get(&c->ops, XTR_REC_GET(rec, fence, ops), 0);
}

static bool by_key(const struct cut *c, uint64_t ctx, uint64_t seqno)
{
	return xtr_key_set_has(&c->keys, ctx, seqno) || xtr_key_set_has(&c->deps, ctx, seqno);
}

/* A job's event, or one of its two fences (the scheduled one's context is one less). */
static bool needed(const struct cut *c, enum cut_kind kind, const struct xtr_job_name *n)
{
	return by_key(c, n->ctx, n->seqno) ||
	       (kind == CUT_FENCE && by_key(c, n->ctx + 1, n->seqno));
}

/* Its thread is of a selected process. */
static bool by_thread(const struct cut *c, const uint8_t *rec)
{
	const struct xtr_task *t =
		xtr_tables_task(xtr_section_tables(c->s), xtr_rec_tid(rec), xtr_rec_ts(rec));

	return t && xtr_ids_have(&c->note.pids, t->pid);
}

bool cut_keeps(const struct cut *c, const uint8_t *rec)
{
	uint64_t ts = xtr_rec_ts(rec);
	uint32_t type = xtr_rec_type(rec);
	struct xtr_job_name n = { 0 };
	enum cut_kind kind = cut_kind_of(rec, &n);

	if (ts < c->lead || ts > c->to)
		return false;
	/* They have no names of their own: what they mean rests on all before them. */
	if (xtr_job_sources_take(c->sources, type, rec, xtr_rec_size(rec)))
		return true;
	if (ts < c->from) /* what the model needs, and no more */
		return (kind == CUT_JOB || type == XTR_EV_FENCE_SIGNALED) && needed(c, kind, &n);
	if (!c->by_job)
		return true;
	if (kind != CUT_OTHER && needed(c, kind, &n))
		return true;
	if (kind == CUT_JOB)
		return false;
	/* Whose thread a signal interrupts says nothing; a wait is the waiting thread's. */
	if (kind == CUT_FENCE && of_scheduler(c, rec) &&
	    (type == XTR_EV_FENCE_SIGNALED || !c->by_pid))
		return false;
	return !c->by_pid || by_thread(c, rec);
}

bool cut_keeps_none(const struct cut *c, const struct xtr_chunk *chunk)
{
	return chunk->n_records && (chunk->ts_max < c->lead || chunk->ts_min > c->to);
}

bool cut_keeps_all(const struct cut *c, const struct xtr_chunk *chunk)
{
	return !c->by_job && chunk->ts_min >= c->from && chunk->ts_max <= c->to;
}
