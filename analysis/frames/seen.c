/* SPDX-License-Identifier: BSD-2-Clause */
#include "seen.h"
#include "analysis/blame/part.h"
#include "base/map.h"
#include "replay/event/event_bind.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

enum role {
	BY_THREAD,
	BY_JOB
};

/*
 * A program that polls a fence's file enables its signal. Dependencies are told of when a job is
 * queued, after the event of that (sched_entity.c, drm_sched_entity_push_job).
 */
static const struct xtr_bind_spec specs[] = {
	{ "dma_fence:dma_fence_wait_end", BY_THREAD, { "ctx|context", "seqno" } },
	{ "dma_fence:dma_fence_enable_signal", BY_THREAD, { "ctx|context", "seqno" } },
	{ "gpu_scheduler:drm_sched_job_add_dep",
	  BY_JOB,
	  { "dep_ctx", "dep_seqno", "ctx", "seqno" } },
};
#define N_SPECS (sizeof(specs) / sizeof(*specs))

struct touch {
	uint64_t ts, who;
	struct xtr_job_name fence;
	struct xtr_job_name job; /* that depends on it; all 0: a thread waited */
};

struct xtr_seen {
	const struct xtr_tables *tables;
	struct xtr_binds binds;
	struct xtr_seen_job *job; /* a circle */
	uint64_t n_jobs;
	struct xtr_map by_name; /* to the place in the circle */
	struct touch *touch;    /* a circle */
	uint64_t n_touches;
	uint64_t sole; /* UINT64_MAX: there are several */
};

void xtr_seen_free(struct xtr_seen *s)
{
	if (!s)
		return;
	xtr_binds_close(&s->binds);
	xtr_map_free(&s->by_name);
	free(s->job);
	free(s->touch);
	free(s);
}

int xtr_seen_new(struct xtr_seen **out, const struct xtr_meta *meta,
		 const struct xtr_tables *tables)
{
	struct xtr_seen *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->tables = tables;
	s->job = malloc(XTR_SEEN_JOBS * sizeof(*s->job));
	s->touch = malloc(XTR_SEEN_TOUCHES * sizeof(*s->touch));
	if (!s->job || !s->touch || xtr_binds_open(&s->binds, meta, specs, N_SPECS)) {
		xtr_seen_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

bool xtr_seen_take(const struct xtr_seen *s, uint32_t type)
{
	return xtr_binds_find(&s->binds, type);
}

void xtr_seen_event(struct xtr_seen *s, const struct xtr_event *ev)
{
	const struct xtr_bind *b = ev->gap ? NULL : xtr_binds_find(&s->binds, ev->type);
	const struct xtr_task *task =
		b && ev->tid && s->tables ? xtr_tables_task(s->tables, ev->tid, ev->ts) : NULL;

	if (!task || task->flags & XTR_TASK_KTHREAD)
		return;
	s->touch[s->n_touches++ % XTR_SEEN_TOUCHES] = (struct touch){
		.ts = ev->ts,
		.who = xtr_process_of(task),
		.fence = { xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev) },
		.job = { xtr_bind_u64(b, 2, ev), xtr_bind_u64(b, 3, ev) },
	};
}

static void forget(struct xtr_seen *s, uint32_t place)
{
	const struct xtr_job_name *name = &s->job[place].name;

	if (xtr_map_index(&s->by_name, name->ctx, name->seqno) == place)
		xtr_map_del(&s->by_name, name->ctx, name->seqno);
}

int xtr_seen_add(struct xtr_seen *s, const struct xtr_job *j)
{
	uint32_t place = (uint32_t)(s->n_jobs % XTR_SEEN_JOBS);
	struct xtr_seen_job *k = &s->job[place];
	uint64_t who = xtr_who_of(j);

	if (!j->done_ns)
		return 0;
	if (s->n_jobs >= XTR_SEEN_JOBS)
		forget(s, place);
	*k = (struct xtr_seen_job){ .name = { j->ctx, j->seqno },
				    .who = who,
				    .queue_ns = xtr_job_first_ns(j),
				    .done_ns = j->done_ns };
	for (uint32_t i = 0; i < j->n_deps && k->n_deps < XTR_SEEN_DEPS; i++)
		k->dep[k->n_deps++] = (struct xtr_job_name){ j->deps[i].ctx, j->deps[i].seqno };
	if (who && who != XTR_WHO_KERNEL && who != s->sole)
		s->sole = s->sole ? UINT64_MAX : who;
	s->n_jobs++;
	return xtr_map_put(&s->by_name, j->ctx, j->seqno, place);
}

const struct xtr_seen_job *xtr_seen_find(const struct xtr_seen *s, const struct xtr_job_name *name)
{
	uint32_t i = xtr_map_index(&s->by_name, name->ctx, name->seqno);

	return i != XTR_MAP_NONE ? &s->job[i] : NULL;
}

const struct xtr_seen_job *xtr_seen_at(const struct xtr_seen *s, uint64_t i)
{
	if (i >= s->n_jobs || i >= XTR_SEEN_JOBS)
		return NULL;
	return &s->job[(s->n_jobs - 1 - i) % XTR_SEEN_JOBS];
}

uint64_t xtr_seen_sole(const struct xtr_seen *s)
{
	return s->sole == UINT64_MAX ? 0 : s->sole;
}

/* Was it of that process, in that time? Of a job's the job is asked. */
static bool counts(const struct xtr_seen *s, const struct touch *t, uint64_t who, uint64_t after,
		   uint64_t until)
{
	const struct xtr_seen_job *j;

	if (!xtr_job_name_any(&t->job))
		return t->ts <= until && t->who == who;
	j = xtr_seen_find(s, &t->job);
	return j && j->who == who && j->queue_ns > after && j->queue_ns <= until;
}

bool xtr_seen_touch(const struct xtr_seen *s, uint64_t who, uint64_t after, uint64_t until,
		    uint64_t *i, struct xtr_job_name *fence)
{
	while (*i < s->n_touches && *i < XTR_SEEN_TOUCHES) {
		const struct touch *t = &s->touch[(s->n_touches - 1 - (*i)++) % XTR_SEEN_TOUCHES];

		if (t->ts <= after)
			return false;
		if (!counts(s, t, who, after, until))
			continue;
		*fence = t->fence;
		return true;
	}
	return false;
}
