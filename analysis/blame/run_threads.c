/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_threads.h"
#include "analysis/core/run_queue.h"
#include "replay/event/event_bind.h"

#include <errno.h>
#include <stdlib.h>

#define KEPT 16384u /* jobs that were run and have not ended; beyond, the oldest is forgotten */

enum role {
	SWITCH,
	WAKEUP,
	RUN
};

static const struct xtr_bind_spec specs[] = {
	{ "sched:sched_switch", SWITCH, { "prev_pid", "next_pid", "prev_state" } },
	{ "sched:sched_wakeup", WAKEUP, { "pid" } },
	{ "sched:sched_wakeup_new", WAKEUP, { "pid" } },
	{ "gpu_scheduler:drm_sched_job_run", RUN, { "ctx|fence_context", "seqno|fence_seqno" } },
};

struct kept {
	uint64_t ctx, seqno;
	uint32_t n;
	struct xtr_split_wait wait[XTR_RUNQ_SPANS];
};

struct xtr_run_threads {
	struct xtr_binds binds;
	struct xtr_who *names;
	struct xtr_runq queue;
	struct kept *kept; /* a circle */
	uint64_t n;        /* in all */
	struct xtr_map by_job;
	struct xtr_split_thread told;
};

void xtr_run_threads_free(struct xtr_run_threads *t)
{
	if (!t)
		return;
	xtr_binds_close(&t->binds);
	xtr_runq_free(&t->queue);
	xtr_map_free(&t->by_job);
	free(t->kept);
	free(t);
}

int xtr_run_threads_new(struct xtr_run_threads **out, const struct xtr_meta *meta,
			struct xtr_who *names)
{
	struct xtr_run_threads *t;

	*out = NULL;
	if (!xtr_meta_event_by_name(meta, specs[SWITCH].event) ||
	    !xtr_meta_event_by_name(meta, specs[WAKEUP].event))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->names = names;
	t->kept = calloc(KEPT, sizeof(*t->kept));
	if (!t->kept || xtr_binds_open(&t->binds, meta, specs, sizeof(specs) / sizeof(*specs))) {
		xtr_run_threads_free(t);
		return -ENOMEM;
	}
	*out = t;
	return 0;
}

bool xtr_run_threads_take(const struct xtr_run_threads *t, uint32_t type)
{
	return t && (!type || xtr_binds_find(&t->binds, type));
}

/* Whose the thread is that had the CPU. */
static uint64_t who_of(const struct xtr_run_threads *t, uint32_t tid, uint64_t ts)
{
	const struct xtr_task *task =
		tid && t->names->tables ? xtr_tables_task(t->names->tables, tid, ts) : NULL;

	if (!task)
		return 0;
	return task->flags & XTR_TASK_KTHREAD ? XTR_WHO_KERNEL : xtr_process_of(task);
}

static int keep(struct xtr_run_threads *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	int64_t thread = xtr_runq_find(&t->queue, ev->tid);
	uint32_t place = (uint32_t)(t->n % KEPT);
	struct xtr_runq_span s[XTR_RUNQ_SPANS];
	struct kept *k = &t->kept[place];
	int err = 0;

	if (thread < 0)
		return 0;
	if (t->n >= KEPT && xtr_map_index(&t->by_job, k->ctx, k->seqno) == place)
		xtr_map_del(&t->by_job, k->ctx, k->seqno);
	*k = (struct kept){ .ctx = xtr_bind_u64(b, 0, ev), .seqno = xtr_bind_u64(b, 1, ev) };
	k->n = xtr_runq_spans(&t->queue.thread[thread], 0, ev->ts, s);
	for (uint32_t i = 0; i < k->n && !err; i++) {
		k->wait[i] = (struct xtr_split_wait){ .from_ns = s[i].from,
						      .to_ns = s[i].to,
						      .who = who_of(t, s[i].by.tid, s[i].to) };
		err = xtr_who_note_process(t->names, k->wait[i].who);
	}
	if (err || !k->n)
		return err;
	t->n++;
	return xtr_map_put(&t->by_job, k->ctx, k->seqno, place);
}

int xtr_run_threads_event(struct xtr_run_threads *t, const struct xtr_event *ev)
{
	const struct xtr_bind *b;

	if (!t)
		return 0;
	if (ev->gap) {
		xtr_runq_lost(&t->queue);
		return 0;
	}
	b = xtr_binds_find(&t->binds, ev->type);
	if (!b)
		return 0;
	if (b->role == WAKEUP)
		return xtr_runq_wakeup(&t->queue, (uint32_t)xtr_bind_u64(b, 0, ev), ev->ts);
	if (b->role == RUN)
		return keep(t, b, ev);
	return xtr_runq_switched(
		&t->queue, &(struct xtr_runq_switch){ .ts = ev->ts,
						      .cpu = ev->stream,
						      .prev = (uint32_t)xtr_bind_u64(b, 0, ev),
						      .next = (uint32_t)xtr_bind_u64(b, 1, ev),
						      .state = xtr_bind_u64(b, 2, ev) });
}

const struct xtr_split_thread *xtr_run_threads_of(struct xtr_run_threads *t,
						  const struct xtr_job *j)
{
	uint32_t i = t ? xtr_map_index(&t->by_job, j->ctx, j->seqno) : XTR_MAP_NONE;

	if (i == XTR_MAP_NONE)
		return NULL;
	xtr_map_del(&t->by_job, j->ctx, j->seqno);
	t->told = (struct xtr_split_thread){ .wait = t->kept[i].wait, .n = t->kept[i].n };
	return &t->told;
}
