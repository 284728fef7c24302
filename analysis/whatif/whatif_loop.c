/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that wait for their jobs before they submit others. How many jobs such a thread has in
 * flight is limited: its window, the most that it had. A thread for which the window was full for
 * longer than it took to submit once there was room is taken to be one. In a replay it submits when
 * it has submitted the job before and its window has room, and after as long as it took then.
 *
 * All other threads submit when they did: what paces them is not in the trace.
 */
#include "whatif_impl.h"
#include "base/buf.h"
#include "base/checked.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>

int whatif_loop_add(struct xtr_whatif *w, struct whatif_job *to, const struct xtr_job *j)
{
	uint64_t process = xtr_process(j->pid, j->nth);
	uint32_t i;

	if (whatif_has(to, WHATIF_FIXED) || !j->tid || j->kind == XTR_KIND_KERNEL)
		return 0;
	i = xtr_map_index(&w->threads, process, j->tid);
	if (i == XTR_MAP_NONE) {
		if (w->n_loops >= WHATIF_LOOPS_MAX)
			return 0;
		i = (uint32_t)(w->n_loops ?: 1); /* the first is nobody's */
		if (xtr_grow_array(&w->loop, &w->cap_loops, i + 1, sizeof(*w->loop)) ||
		    xtr_map_put(&w->threads, process, j->tid, i))
			return -ENOMEM;
		w->n_loops = i + 1;
		w->loop[i] = (struct whatif_loop){ .first = WHATIF_NONE };
	}
	to->loop = (uint16_t)i;
	return 0;
}

struct whatif_loop *whatif_loop(const struct xtr_whatif *w, const struct whatif_job *j)
{
	return j->loop ? &w->loop[j->loop] : NULL;
}

bool whatif_is_paced(const struct xtr_whatif *w, const struct whatif_job *j)
{
	const struct whatif_loop *l = whatif_loop(w, j);

	return l && l->closed && w->kind != XTR_WHATIF_RECORDED && !w->as_submitted;
}

void whatif_loops_begin(struct xtr_whatif *w)
{
	for (size_t i = 0; i < w->n_loops; i++) {
		struct whatif_loop *l = &w->loop[i];

		l->in_flight = 0;
		l->since_ns = l->submit_ns = 0;
		l->pending = WHATIF_NONE;
		if (w->learn == WHATIF_DELAYS)
			l->full_ns = l->took_ns = 0;
	}
}

/* It was submitted now. */
static void learn(struct xtr_whatif *w, struct whatif_loop *l, const struct whatif_job *j)
{
	uint64_t took = w->now - l->since_ns;

	if (w->learn == WHATIF_DELAYS && l->submit_ns) {
		l->full_ns = xtr_sat_add(l->full_ns, l->since_ns - l->submit_ns);
		l->took_ns = xtr_sat_add(l->took_ns, took);
	}
	if (w->learn == WHATIF_PASSED && w->step)
		w->step[j - w->job].took_ns = took;
}

int whatif_loop_comes(struct xtr_whatif *w, const struct whatif_job *j)
{
	struct whatif_loop *l = whatif_loop(w, j);
	struct whatif_step *step = w->step ? &w->step[j - w->job] : NULL;

	if (step)
		step->come_ns = w->now;
	if (!l)
		return 0;
	if (w->kind == XTR_WHATIF_RECORDED)
		learn(w, l, j);
	l->in_flight++;
	l->since_ns = l->submit_ns = w->now;
	if (w->learn == WHATIF_MOST && l->in_flight > l->window)
		l->window = l->in_flight;
	if (!step || step->next == WHATIF_NONE || !whatif_is_paced(w, j))
		return 0;
	if (l->in_flight < l->window)
		return whatif_plan_coming(w, step->next, w->step[step->next].took_ns);
	l->pending = step->next;
	return 0;
}

int whatif_loop_ends(struct xtr_whatif *w, const struct whatif_job *j)
{
	struct whatif_loop *l = whatif_loop(w, j);
	uint32_t next;

	if (!l)
		return 0;
	if (l->in_flight-- == l->window)
		l->since_ns = w->now;
	next = l->pending;
	l->pending = WHATIF_NONE;
	return next == WHATIF_NONE ? 0 : whatif_plan_coming(w, next, w->step[next].took_ns);
}

int whatif_loops_learn(struct xtr_whatif *w)
{
	size_t closed = 0;

	for (size_t i = 1; i < w->n_loops; i++) {
		struct whatif_loop *l = &w->loop[i];

		l->closed = l->full_ns > l->took_ns;
		closed += l->closed;
		l->last = WHATIF_NONE;
	}
	if (!closed)
		return 0;
	w->step = calloc(w->n + 1, sizeof(*w->step));
	if (!w->step)
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++) {
		uint32_t k = w->order[i];
		struct whatif_loop *l = whatif_loop(w, &w->job[k]);

		w->step[k].next = WHATIF_NONE;
		if (!l)
			continue;
		if (l->last == WHATIF_NONE)
			l->first = k;
		else
			w->step[l->last].next = k;
		l->last = k;
	}
	return 0;
}

uint64_t whatif_came(const struct xtr_whatif *w, const struct whatif_job *j)
{
	const struct whatif_step *step = w->step ? &w->step[j - w->job] : NULL;

	return j->queue_ns && step && step->come_ns ? step->come_ns : j->queue_ns;
}
