/* SPDX-License-Identifier: BSD-2-Clause */
#include "select.h"

#include <fnmatch.h>

static bool any_matches(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return !n;
}

bool xtr_select_ring(const struct xtr_select *s, const struct xtr_model_ring *ring)
{
	return any_matches(s->devices, s->n_devices, ring->device_name) &&
	       any_matches(s->rings, s->n_rings, ring->name);
}

static bool pid_selected(const struct xtr_select *s, const struct xtr_job *j)
{
	for (size_t i = 0; i < s->n_pids; i++)
		if (j->pid == s->pids[i] && !(j->flags & XTR_FLAG_NO_QUEUE))
			return true;
	return !s->n_pids;
}

bool xtr_select_others(const struct xtr_select *s, const struct xtr_job *j)
{
	if (j->done_ns < s->from || (s->to && j->done_ns > s->to))
		return false;
	return xtr_select_ring(s, j->ring);
}

bool xtr_select_job(const struct xtr_select *s, const struct xtr_job *j)
{
	if (j->aside || j->others)
		return false;
	if (j->done_ns && (j->done_ns < s->from || (s->to && j->done_ns > s->to)))
		return false;
	if (!s->n_pids && !s->n_devices && !s->n_rings)
		return true;
	return pid_selected(s, j) && xtr_select_ring(s, j->ring);
}

static bool pid_of_call(const struct xtr_select *s, const struct xtr_call *c)
{
	if (c->on_cpu && c->kind != XTR_CALL_RUNNING)
		return !s->n_pids;
	for (size_t i = 0; i < s->n_pids; i++)
		if (c->pid && c->pid == s->pids[i])
			return true;
	return !s->n_pids;
}

bool xtr_select_call(const struct xtr_select *s, const struct xtr_call *c)
{
	uint64_t first = c->begin_ns ? c->begin_ns : c->end_ns;
	uint64_t last = c->end_ns ? c->end_ns : UINT64_MAX;

	return last >= s->from && (!s->to || first <= s->to) && pid_of_call(s, c);
}
