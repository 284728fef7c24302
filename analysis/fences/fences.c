/* SPDX-License-Identifier: BSD-2-Clause */
/* Fences of all drivers: waits, what was never signalled, and stalls (docs/fences.md). */
#include "fences_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

#define FENCE_FIELDS                                                \
	{                                                           \
		"ctx|context", "seqno", "ops", "driver", "timeline" \
	}

static const struct xtr_bind_spec specs[] = {
	{ "dma_fence:dma_fence_init", FENCES_INIT, FENCE_FIELDS },
	{ "dma_fence:dma_fence_emit", FENCES_EMIT, FENCE_FIELDS },
	{ "dma_fence:dma_fence_signaled", FENCES_SIGNALED, FENCE_FIELDS },
	{ "dma_fence:dma_fence_destroy", FENCES_DESTROY, FENCE_FIELDS },
	{ "dma_fence:dma_fence_enable_signal", FENCES_NAMED, FENCE_FIELDS },
	{ "dma_fence:dma_fence_wait_start", FENCES_NAMED, FENCE_FIELDS },
	{ "dma_fence:dma_fence_wait_end", FENCES_NAMED, FENCE_FIELDS },
	{ "gpu_scheduler:drm_sched_job_queue", FENCES_QUEUE, { "ctx", "seqno", "ring" } },
};
#define N_SPECS (sizeof(specs) / sizeof(specs[0]))

static bool applies(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, specs, N_SPECS);
}

static void fences_free(void *self)
{
	struct fences *f = self;

	for (uint32_t i = 0; i < f->n_waiters; i++)
		xtr_hist_free(&f->waiter[i].time);
	free(f->waiter);
	free(f->context);
	free(f->source);
	free(f->open);
	free(f->list);
	free(f->ring);
	free(f->pair);
	xtr_map_free(&f->by_ctx);
	xtr_map_free(&f->by_source);
	xtr_map_free(&f->by_fence);
	xtr_map_free(&f->by_waiter);
	xtr_map_free(&f->by_ring);
	xtr_map_free(&f->by_pair);
	xtr_gaps_free(&f->gaps);
	xtr_binds_close(&f->binds);
	free(f);
}

static int fences_open(void **self, const struct xtr_analysis_opts *o)
{
	struct fences *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->o = o;
	f->hist_left = FENCES_HISTS_MAX;
	f->free_open = f->first_open = f->last_open = XTR_MAP_NONE;
	if (xtr_binds_open(&f->binds, o->meta, specs, N_SPECS)) {
		fences_free(f);
		return -ENOMEM;
	}
	for (size_t i = 0; i < N_SPECS; i++) {
		const struct xtr_bind *b = &f->binds.bind[i];

		if (b->role == FENCES_QUEUE)
			continue;
		f->tells_ops |= xtr_bind_has(b, FENCES_OPS);
		f->tells_driver |= xtr_bind_has(b, FENCES_DRIVER);
		f->tells_timeline |= xtr_bind_has(b, FENCES_TIMELINE);
	}
	*self = f;
	return 0;
}

/* xtr_process_leader, from the cache. */
static const struct xtr_task *leader_of(struct fences *f, uint64_t process, uint64_t ts)
{
	const struct xtr_task *task =
		xtr_task_cache_get(&f->tasks, f->o->tables, xtr_process_pid(process), ts);

	return xtr_process_leads(task, process) ? task : NULL;
}

static int queued(struct fences *f, const struct xtr_bind *b, const struct xtr_event *ev)
{
	const struct xtr_tables *t = f->o->tables;
	const struct xtr_task *task =
		ev->tid ? xtr_task_cache_get(&f->tasks, t, ev->tid, ev->ts) : NULL;
	const struct xtr_task *leader = !task || !task->pid ? NULL
					: task->pid == ev->tid
						? task
						: leader_of(f, xtr_process_of(task), ev->ts);
	uint32_t comm = leader ? leader->comm : task ? task->comm : 0;

	return fences_learn_job(f, xtr_bind_u64(b, FENCES_CTX, ev),
				(uint32_t)xtr_bind_u64(b, FENCES_RING, ev), xtr_process_of(task),
				comm);
}

static int fence_event(struct fences *f, uint32_t i, const struct xtr_bind *b,
		       const struct xtr_event *ev, bool inside)
{
	struct fence_context *c = &f->context[i];

	fences_learn(f, c, b, ev);
	switch (b->role) {
	case FENCES_INIT:
		c->inits += inside;
		return fences_begin(f, i, b, ev);
	case FENCES_EMIT:
		c->emits += inside;
		return fences_begin(f, i, b, ev);
	case FENCES_SIGNALED:
		c->signals += inside;
		fences_end(f, i, b, ev);
		return 0;
	case FENCES_DESTROY:
		fences_end(f, i, b, ev);
		return 0;
	default:
		return 0;
	}
}

static bool fences_takes(const void *self, uint32_t type)
{
	const struct fences *s = self;

	return !type || xtr_binds_find(&s->binds, type);
}

static int fences_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct fences *f = self;
	const struct xtr_bind *b;
	int64_t i;

	if (ev->gap)
		return xtr_gaps_add(&f->gaps, ev->gap->first, ev->gap->last);
	b = xtr_binds_find(&f->binds, ev->type);
	if (!b)
		return 0;
	if (b->role == FENCES_QUEUE)
		return queued(f, b, ev);
	i = fences_context(f, xtr_bind_u64(b, FENCES_CTX, ev));
	if (i < 0 || i == FENCES_CONTEXTS_MAX)
		return i < 0 ? (int)i : 0;
	return fence_event(f, (uint32_t)i, b, ev, inside);
}

static int on_call(void *self, const struct xtr_call *c)
{
	return c->kind == XTR_CALL_WAIT ? fences_wait(self, c) : 0;
}

/* Jobs of drivers without the scheduler are told by their source alone. */
static int on_job(void *self, const struct xtr_job *j)
{
	struct fences *f = self;
	int err = fences_job(f, j);
	uint32_t i;

	if (err || !j->pid)
		return err;
	i = fences_known_context(f, j->ctx);
	if (i != XTR_MAP_NONE)
		fences_learn_owner(&f->context[i], xtr_process(j->pid, j->nth), j->comm);
	return 0;
}

static int on_others(void *self, const struct xtr_job *j)
{
	return fences_others(self, j);
}

static int fences_finish(void *self)
{
	struct fences *f = self;
	int err = fences_sources(f);

	f->end_ns = f->o->clock.end_ns;
	if (!err)
		err = fences_waiters(f);
	if (!err)
		err = fences_unsignalled(f);
	if (!err)
		err = fences_stalls(f);
	return err;
}

/* Signals alone come with the scheduler's jobs, and say nothing more of them. */
static bool fences_any(const void *self)
{
	const struct fences *f = self;

	for (uint32_t i = 0; i < f->n_sources; i++)
		if (f->source[i].inits || f->source[i].emits)
			return true;
	return f->waits || f->n_pairs;
}

const struct xtr_analysis xtr_analysis_fences = {
	.name = "fences",
	.title = "Fences: who waited for whom, and what was not signalled",
	.applies = applies,
	.open = fences_open,
	.free = fences_free,
	.takes = fences_takes,
	.event = fences_event,
	.call = on_call,
	.job = on_job,
	.others = on_others,
	.finish = fences_finish,
	.any = fences_any,
	.text = fences_text,
	.json = fences_json,
	.tables = fences_tables,
};
