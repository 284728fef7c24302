/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of the processes with one number a task's is. A process is pid and start (spec 6.4); the
 * map holds (pid, start) -> nth, and (pid + PIDS, 0) -> how many have that pid. A process gets its
 * place when its first task comes, which is in order of start in what a recorder writes; a section
 * that was read as a whole is ranked once, so that the place does not depend on the order of
 * tables.
 */
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>

#define PIDS (1ull << 32)

/* The number of the idle tasks, and of threads whose process is not known, is no process. */
int xtr_tables_place_process(struct xtr_tables *t, struct xtr_task *task)
{
	const uint64_t *place, *count;
	uint64_t n;

	task->nth = 0;
	if (!task->pid)
		return 0;
	place = xtr_map_get(&t->processes, task->pid, task->start);
	if (place) {
		task->nth = (uint32_t)*place;
		return 0;
	}
	count = xtr_map_get(&t->processes, PIDS + task->pid, 0);
	n = count ? *count : 0;
	if (xtr_map_put(&t->processes, task->pid, task->start, n) ||
	    xtr_map_put(&t->processes, PIDS + task->pid, 0, n + 1))
		return -ENOMEM;
	task->nth = (uint32_t)n;
	t->unranked |= n > 0;
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct xtr_map_slot *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return a->b < b->b ? -1 : a->b > b->b;
}

/* The processes by number and start; the counts, whose keys are above, come last. */
static struct xtr_map_slot *in_order(const struct xtr_map *m, size_t *n)
{
	struct xtr_map_slot *all = malloc(m->n * sizeof(*all));
	const struct xtr_map_slot *s;

	*n = 0;
	for (size_t i = 0; all && (s = xtr_map_next(m, &i));) {
		if (s->a < PIDS)
			all[(*n)++] = *s;
	}
	if (all)
		qsort(all, *n, sizeof(*all), by_start);
	return all;
}

/* Give the processes of `all` their places. 0 or -ENOMEM. */
static int rank(struct xtr_map *all)
{
	struct xtr_map_slot *sorted;
	uint64_t nth = 0;
	size_t n;

	sorted = in_order(all, &n);
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		nth = i && sorted[i].a == sorted[i - 1].a ? nth + 1 : 0;
		*xtr_map_get(all, sorted[i].a, sorted[i].b) = nth;
	}
	free(sorted);
	return 0;
}

/* The places that are the processes' in `all`; what is added later comes behind them. */
static void take_places(struct xtr_tables *t, const struct xtr_map *all)
{
	const struct xtr_map_slot *s;

	for (size_t i = 0; (s = xtr_map_next(&t->processes, &i));) {
		uint64_t *count, nth;

		if (s->a >= PIDS)
			continue;
		nth = *xtr_map_get(all, s->a, s->b);
		count = xtr_map_get(&t->processes, PIDS + s->a, 0);
		*xtr_map_get(&t->processes, s->a, s->b) = nth;
		*count = *count > nth ? *count : nth + 1;
	}
	for (size_t i = 0; i < t->n_tasks; i++) {
		struct xtr_task *task = &t->tasks[i];

		if (task->pid)
			task->nth = (uint32_t)*xtr_map_get(&t->processes, task->pid, task->start);
	}
	t->unranked = false;
}

int xtr_tables_rank_together(struct xtr_tables *const *t, size_t n)
{
	struct xtr_map all = { 0 };
	const struct xtr_map_slot *s;
	int err = 0;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; !err && (s = xtr_map_next(&t[k]->processes, &i));)
			err = s->a < PIDS ? xtr_map_put(&all, s->a, s->b, 0) : 0;
	}
	if (!err && all.n)
		err = rank(&all);
	for (size_t k = 0; !err && k < n; k++)
		take_places(t[k], &all);
	xtr_map_free(&all);
	return err;
}

int xtr_tables_rank_processes(struct xtr_tables *t)
{
	return t->unranked ? xtr_tables_rank_together(&t, 1) : 0;
}
