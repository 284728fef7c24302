/* SPDX-License-Identifier: BSD-2-Clause */
#include "submits.h"
#include "base/map.h"
#include "past.h"
#include "replay/event/event_bind.h"

#include <errno.h>
#include <stdlib.h>

#define THREADS_MAX 8192u /* that are followed; one more, and all are forgotten */

enum role {
	QUEUE,
	WAIT_BEGINS,
	WAIT_ENDS
};

static const struct xtr_bind_spec specs[] = {
	{ "gpu_scheduler:drm_sched_job_queue",
	  QUEUE,
	  { "ctx|fence_context", "seqno|fence_seqno" } },
	{ "dma_fence:dma_fence_wait_start", WAIT_BEGINS, { "ctx|context", "seqno" } },
	{ "dma_fence:dma_fence_wait_end", WAIT_ENDS, { "ctx|context", "seqno" } },
};

struct thread {
	uint64_t since_ns; /* waits since then; 0: it does not */
	struct xtr_submit next;
};

struct kept {
	struct xtr_job_name job;
	struct xtr_submit of;
};

struct xtr_submits {
	struct xtr_binds binds;
	struct thread *thread;
	uint32_t n_threads;
	struct xtr_map by_tid;
	struct kept *kept; /* a circle of XTR_PAST_JOBS */
	uint64_t n;        /* in all */
	struct xtr_map by_job;
};

void xtr_submits_free(struct xtr_submits *s)
{
	if (!s)
		return;
	xtr_binds_close(&s->binds);
	xtr_map_free(&s->by_tid);
	xtr_map_free(&s->by_job);
	free(s->thread);
	free(s->kept);
	free(s);
}

int xtr_submits_new(struct xtr_submits **out, const struct xtr_meta *meta)
{
	struct xtr_submits *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->thread = malloc(THREADS_MAX * sizeof(*s->thread));
	s->kept = malloc(XTR_PAST_JOBS * sizeof(*s->kept));
	if (!s->thread || !s->kept ||
	    xtr_binds_open(&s->binds, meta, specs, sizeof(specs) / sizeof(*specs))) {
		xtr_submits_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

bool xtr_submits_take(const struct xtr_submits *s, uint32_t type)
{
	return !type || xtr_binds_find(&s->binds, type);
}

static void forget_threads(struct xtr_submits *s)
{
	xtr_map_free(&s->by_tid);
	s->n_threads = 0;
}

/* NULL: no memory. */
static struct thread *thread_of(struct xtr_submits *s, uint32_t tid)
{
	uint32_t i = xtr_map_index(&s->by_tid, tid, 0);

	if (i != XTR_MAP_NONE)
		return &s->thread[i];
	if (s->n_threads == THREADS_MAX)
		forget_threads(s);
	if (xtr_map_put(&s->by_tid, tid, 0, s->n_threads))
		return NULL;
	s->thread[s->n_threads] = (struct thread){ .next.tid = tid };
	return &s->thread[s->n_threads++];
}

static int queued(struct xtr_submits *s, struct thread *t, const struct xtr_job_name *job,
		  uint64_t ts)
{
	uint32_t place = (uint32_t)(s->n % XTR_PAST_JOBS);
	struct kept *k = &s->kept[place];

	if (s->n >= XTR_PAST_JOBS && xtr_map_index(&s->by_job, k->job.ctx, k->job.seqno) == place)
		xtr_map_del(&s->by_job, k->job.ctx, k->job.seqno);
	*k = (struct kept){ .job = *job, .of = t->next };
	s->n++;
	t->next = (struct xtr_submit){ .tid = t->next.tid, .before_ns = ts, .before = *job };
	return xtr_map_put(&s->by_job, job->ctx, job->seqno, place);
}

int xtr_submits_event(struct xtr_submits *s, const struct xtr_event *ev)
{
	const struct xtr_bind *b = ev->gap ? NULL : xtr_binds_find(&s->binds, ev->type);
	struct xtr_job_name name;
	struct thread *t;

	if (ev->gap)
		forget_threads(s); /* a wait may have been among what was lost */
	if (!b || !ev->tid)
		return 0;
	t = thread_of(s, ev->tid);
	if (!t)
		return -ENOMEM;
	name = (struct xtr_job_name){ xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev) };
	if (b->role == QUEUE)
		return queued(s, t, &name, ev->ts);
	if (b->role == WAIT_BEGINS) {
		t->since_ns = ev->ts;
	} else if (t->since_ns) {
		t->next.from_ns = t->since_ns;
		t->next.to_ns = ev->ts;
		t->next.fence = name;
		t->since_ns = 0;
	}
	return 0;
}

const struct xtr_submit *xtr_submits_of(const struct xtr_submits *s, uint64_t ctx, uint64_t seqno)
{
	uint32_t i = xtr_map_index(&s->by_job, ctx, seqno);

	return i != XTR_MAP_NONE ? &s->kept[i].of : NULL;
}
