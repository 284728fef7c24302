/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which stats shows them. */
#define ANALYSES(X)    \
	X(calls)       \
	X(families)    \
	X(allocations) \
	X(power)       \
	X(firmware)    \
	X(api)         \
	X(tree)        \
	X(i915)        \
	X(amdgpu)      \
	X(xe)          \
	X(amdxdna)     \
	X(virtio_gpu)  \
	X(nvidia)      \
	X(xid)         \
	X(display)     \
	X(fences)      \
	X(cpu)

#define DECLARE(name) extern const struct xtr_analysis xtr_analysis_##name;
ANALYSES(DECLARE)

const struct xtr_analysis *const xtr_analyses[] = {
#define ENTRY(name) &xtr_analysis_##name,
	ANALYSES(ENTRY)
};
#define N (sizeof(xtr_analyses) / sizeof(xtr_analyses[0]))
const size_t xtr_n_analyses = N;
_Static_assert(N <= 32, "a bit for each");

struct xtr_analyses {
	struct xtr_analysis_opts o;
	struct xtr_select select;
	struct xtr_findings findings;
	struct xtr_calls *calls;
	void *self[N]; /* NULL: not running */
};

/* In the window, and of a selected process. */
static bool is_inside(const struct xtr_analyses *a, const struct xtr_event *ev)
{
	const struct xtr_select *s = &a->select;
	const struct xtr_task *task;
	size_t i;

	if (ev->ts < s->from || (s->to && ev->ts > s->to))
		return false;
	if (!s->n_pids)
		return true;
	task = a->o.tables ? xtr_tables_task(a->o.tables, ev->tid, ev->ts) : NULL;
	for (i = 0; task && i < s->n_pids; i++)
		if (task->pid == s->pids[i])
			return true;
	return false;
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct xtr_analyses *a = ctx;
	int ret = 0;
	size_t i;

	if (!xtr_select_call(&a->select, c))
		return 0;
	for (i = 0; i < N && !ret; i++)
		if (a->self[i] && xtr_analyses[i]->call)
			ret = xtr_analyses[i]->call(a->self[i], c);
	return ret;
}

int xtr_analyses_new(struct xtr_analyses **out, const struct xtr_meta *meta,
		     const struct xtr_tables *tables, const struct xtr_select *select,
		     uint32_t wanted, uint32_t top)
{
	struct xtr_analyses *a = calloc(1, sizeof(*a));
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = meta, .tables = tables, .call = on_call, .ctx = a
	};
	bool any = false;
	int ret = 0;
	size_t i;

	if (!a)
		return -ENOMEM;
	a->select = *select;
	a->o = (struct xtr_analysis_opts){ .meta = meta,
					   .tables = tables,
					   .findings = &a->findings,
					   .times = xtr_meta_has_times(meta),
					   .top = top };
	for (i = 0; i < N && !ret; i++) {
		if (!(wanted & 1u << i) || !xtr_analyses[i]->applies(meta))
			continue;
		ret = xtr_analyses[i]->open(&a->self[i], &a->o);
		any |= xtr_analyses[i]->call != NULL;
	}
	if (!ret && any)
		ret = xtr_calls_new(&a->calls, &co);
	if (ret) {
		xtr_analyses_free(a);
		return ret;
	}
	*out = a;
	return 0;
}

void xtr_analyses_free(struct xtr_analyses *a)
{
	size_t i;

	if (!a)
		return;
	for (i = 0; i < N; i++)
		if (a->self[i])
			xtr_analyses[i]->free(a->self[i]);
	xtr_calls_free(a->calls);
	xtr_findings_free(&a->findings);
	free(a);
}

int xtr_analyses_event(struct xtr_analyses *a, const struct xtr_event *ev)
{
	bool inside = is_inside(a, ev);
	int ret = a->calls ? xtr_calls_event(a->calls, ev) : 0;
	size_t i;

	ret = ret < 0 ? ret : 0;
	for (i = 0; i < N && !ret; i++)
		if (a->self[i] && xtr_analyses[i]->event)
			ret = xtr_analyses[i]->event(a->self[i], ev, inside);
	return ret;
}

int xtr_analyses_job(struct xtr_analyses *a, const struct xtr_job *j)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < N && !ret; i++)
		if (a->self[i] && xtr_analyses[i]->job)
			ret = xtr_analyses[i]->job(a->self[i], j);
	return ret;
}

int xtr_analyses_finish(struct xtr_analyses *a, uint64_t span_ns)
{
	int ret = a->calls ? xtr_calls_finish(a->calls) : 0;
	size_t i;

	a->o.span_ns = span_ns;
	for (i = 0; i < N && !ret; i++)
		if (a->self[i] && xtr_analyses[i]->finish)
			ret = xtr_analyses[i]->finish(a->self[i]);
	xtr_findings_sort(&a->findings);
	return ret;
}

const struct xtr_findings *xtr_analyses_findings(const struct xtr_analyses *a)
{
	return &a->findings;
}

bool xtr_analyses_has(const struct xtr_analyses *a, size_t i)
{
	return a->self[i] && xtr_analyses[i]->any(a->self[i]);
}

int xtr_analyses_text(const struct xtr_analyses *a, size_t i, const struct xtr_view *v)
{
	return xtr_analyses[i]->text(a->self[i], v);
}

void xtr_analyses_json(const struct xtr_analyses *a, size_t i, struct xtr_json *j)
{
	xtr_analyses[i]->json(a->self[i], j);
}
