/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_cache.h"
#include "tables_priv.h"

#include <string.h>

/* A task answers from its since on, the earliest one from the beginning, until the next since. */
static __attribute__((noinline)) void answer(struct xtr_task_answer *a, const struct xtr_tables *t,
					     uint32_t tid, uint64_t ts)
{
	size_t i = xtr_tables_task_bound(t, tid, ts);

	*a = (struct xtr_task_answer){ .task = xtr_tables_task(t, tid, ts),
				       .last = UINT64_MAX,
				       .tid = tid };
	if (a->task && a->task->since <= ts)
		a->first = a->task->since;
	if (i < t->n_sorted && t->tasks[i].tid == tid)
		a->last = t->tasks[i].since - 1;
	for (i = t->n_sorted; i < t->n_tasks; i++)
		if (t->tasks[i].tid == tid && t->tasks[i].since > ts &&
		    t->tasks[i].since - 1 < a->last)
			a->last = t->tasks[i].since - 1;
}

static __attribute__((noinline)) void empty(struct xtr_task_cache *c, const struct xtr_tables *t)
{
	memset(c, 0, sizeof(*c));
	c->rows = t->tasks;
	c->n = t->n_tasks;
}

const struct xtr_task *xtr_task_cache_get(struct xtr_task_cache *c, const struct xtr_tables *t,
					  uint32_t tid, uint64_t ts)
{
	struct xtr_task_answer *a = &c->slot[tid % XTR_TASK_CACHE_SLOTS];

	if (!t)
		return NULL;
	if (c->n != t->n_tasks || c->rows != t->tasks)
		empty(c, t);
	if (a->tid != tid || ts < a->first || ts > a->last || !a->last)
		answer(a, t, tid, ts);
	return a->task;
}
