/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which stats shows them. */
#define ANALYSES(X)    \
	X(calls)       \
	X(markers)     \
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
	X(cpu)         \
	X(idle)        \
	X(blame)       \
	X(hang)        \
	X(frames)

#define DECLARE(name) extern const struct xtr_analysis xtr_analysis_##name;
ANALYSES(DECLARE)

const struct xtr_analysis *const xtr_analyses[] = {
#define ENTRY(name) &xtr_analysis_##name,
	ANALYSES(ENTRY)
};
#define N (sizeof(xtr_analyses) / sizeof(xtr_analyses[0]))
const size_t xtr_n_analyses = N;
_Static_assert(N <= 30, "a bit for each");

#define TYPES    65536u
#define TO_CALLS (1u << 30) /* beside the bits of the analyses: the pairing of calls wants it */
#define ASKED    (1u << 31)

struct xtr_analyses {
	struct xtr_analysis_opts o;
	struct xtr_select select;
	uint64_t to; /* end of the window, inclusive; UINT64_MAX: none */
	struct xtr_findings findings;
	struct xtr_calls *calls;
	void *self[N];      /* NULL: not running */
	uint32_t all;       /* bits of those that are running */
	uint32_t of_call;   /* of them, those that want calls */
	uint32_t of_job;    /* ... jobs */
	uint32_t *of_event; /* by type, 0 not yet asked: those that want the event, and ASKED */
};

/* The next of a set of analyses, which is not empty, taken out of it. */
static size_t next_of(uint32_t *set)
{
	size_t i = (size_t)__builtin_ctz(*set);

	*set &= *set - 1;
	return i;
}

/* Who wants events of this type. */
static __attribute__((noinline)) uint32_t ask(const struct xtr_analyses *a, uint32_t type)
{
	uint32_t set = 0, left = a->all;
	size_t i;

	while (left) {
		i = next_of(&left);
		if (xtr_analyses[i]->event &&
		    (!xtr_analyses[i]->takes || xtr_analyses[i]->takes(a->self[i], type)))
			set |= 1u << i;
	}
	if (a->calls && xtr_calls_take(a->calls, type))
		set |= TO_CALLS;
	return set;
}

static uint32_t takers(struct xtr_analyses *a, uint32_t type)
{
	if (type >= TYPES)
		return ask(a, type);
	if (!a->of_event[type])
		a->of_event[type] = ask(a, type) | ASKED;
	return a->of_event[type] & ~ASKED;
}

static __attribute__((noinline)) bool is_selected(const struct xtr_analyses *a,
						  const struct xtr_event *ev)
{
	const struct xtr_select *s = &a->select;
	const struct xtr_task *task;

	task = a->o.tables ? xtr_tables_task(a->o.tables, ev->tid, ev->ts) : NULL;
	for (size_t i = 0; task && i < s->n_pids; i++)
		if (task->pid == s->pids[i])
			return true;
	return false;
}

/* In the window, and of a selected process. */
static inline bool is_inside(const struct xtr_analyses *a, const struct xtr_event *ev)
{
	return ev->ts >= a->select.from && ev->ts <= a->to &&
	       (!a->select.n_pids || is_selected(a, ev));
}

static int on_call(void *ctx, const struct xtr_call *c)
{
	struct xtr_analyses *a = ctx;
	uint32_t left = a->of_call;
	int err = 0;
	size_t i;

	if (!xtr_select_call(&a->select, c))
		return 0;
	while (left && !err) {
		i = next_of(&left);
		err = xtr_analyses[i]->call(a->self[i], c);
	}
	return err;
}

static void note_running(struct xtr_analyses *a)
{
	for (size_t i = 0; i < N; i++) {
		uint32_t bit = a->self[i] ? 1u << i : 0;

		a->all |= bit;
		a->of_call |= xtr_analyses[i]->call ? bit : 0;
		a->of_job |= xtr_analyses[i]->job ? bit : 0;
	}
}

int xtr_analyses_new(struct xtr_analyses **out, const struct xtr_meta *meta,
		     const struct xtr_tables *tables, const struct xtr_select *select,
		     uint32_t wanted, uint32_t top)
{
	struct xtr_analyses *a = calloc(1, sizeof(*a));
	struct xtr_calls_opts co = {
		.sz = sizeof(co), .meta = meta, .tables = tables, .call = on_call, .ctx = a
	};
	int err = 0;

	if (!a)
		return -ENOMEM;
	a->select = *select;
	a->to = select->to ? select->to : UINT64_MAX;
	a->o = (struct xtr_analysis_opts){ .meta = meta,
					   .tables = tables,
					   .findings = &a->findings,
					   .times = xtr_meta_has_times(meta),
					   .top = top };
	for (size_t i = 0; i < N && !err; i++) {
		if (!(wanted & 1u << i) || !xtr_analyses[i]->applies(meta))
			continue;
		err = xtr_analyses[i]->open(&a->self[i], &a->o);
	}
	note_running(a);
	a->of_event = calloc(TYPES, sizeof(*a->of_event));
	if (!a->of_event)
		err = -ENOMEM;
	if (!err && a->of_call)
		err = xtr_calls_new(&a->calls, &co);
	if (err) {
		xtr_analyses_free(a);
		return err;
	}
	*out = a;
	return 0;
}

void xtr_analyses_free(struct xtr_analyses *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < N; i++)
		if (a->self[i])
			xtr_analyses[i]->free(a->self[i]);
	xtr_calls_free(a->calls);
	free(a->of_event);
	xtr_findings_free(&a->findings);
	free(a);
}

static inline void see(struct xtr_analysis_clock *c, const struct xtr_event *ev, bool inside)
{
	if (ev->ts > c->end_ns)
		c->end_ns = ev->ts;
	if (ev->gap)
		return;
	c->now_ns = ev->ts;
	if (inside && ev->ts > c->inside_ns)
		c->inside_ns = ev->ts;
}

static __attribute__((noinline)) int give_all(struct xtr_analyses *a, uint32_t left,
					      const struct xtr_event *ev, bool inside)
{
	int err = 0;
	size_t i;

	if (left & TO_CALLS) {
		xtr_calls_now(a->calls, a->o.clock.end_ns);
		err = xtr_calls_event(a->calls, ev);
		err = err < 0 ? err : 0;
		left &= ~TO_CALLS;
	}
	while (left && !err) {
		i = next_of(&left);
		err = xtr_analyses[i]->event(a->self[i], ev, inside);
	}
	return err;
}

/* Gaps, types that were not asked about, and selected processes. */
static __attribute__((noinline)) int rare_event(struct xtr_analyses *a, const struct xtr_event *ev)
{
	bool inside = is_inside(a, ev);

	see(&a->o.clock, ev, inside);
	return give_all(a, takers(a, ev->gap ? 0 : ev->type), ev, inside);
}

int xtr_analyses_event(struct xtr_analyses *a, const struct xtr_event *ev)
{
	uint32_t left = ev->type < TYPES ? a->of_event[ev->type] : 0;
	bool inside = ev->ts >= a->select.from && ev->ts <= a->to;
	size_t i;

	if (!left || ev->gap || a->select.n_pids)
		return rare_event(a, ev);
	left &= ~ASKED;
	see(&a->o.clock, ev, inside);
	if (!left)
		return 0;
	if (left & TO_CALLS || left & (left - 1))
		return give_all(a, left, ev, inside);
	i = next_of(&left);
	return xtr_analyses[i]->event(a->self[i], ev, inside);
}

bool xtr_analyses_take(struct xtr_analyses *a, uint32_t type)
{
	return takers(a, type);
}

void xtr_analyses_passed(struct xtr_analyses *a, uint64_t ts)
{
	struct xtr_analysis_clock *c = &a->o.clock;

	c->now_ns = ts;
	if (ts > c->end_ns)
		c->end_ns = ts;
	if (ts >= a->select.from && ts > c->inside_ns)
		c->inside_ns = ts;
}

int xtr_analyses_job(struct xtr_analyses *a, const struct xtr_job *j)
{
	uint32_t left = a->of_job;
	int err = 0;
	size_t i;

	while (left && !err) {
		i = next_of(&left);
		err = xtr_analyses[i]->job(a->self[i], j);
	}
	return err;
}

int xtr_analyses_others(struct xtr_analyses *a, const struct xtr_job *j)
{
	int err = 0;

	for (size_t i = 0; i < N && !err; i++)
		if (a->self[i] && xtr_analyses[i]->others)
			err = xtr_analyses[i]->others(a->self[i], j);
	return err;
}

int xtr_analyses_finish(struct xtr_analyses *a, uint64_t span_ns)
{
	int err = 0;

	if (a->calls) {
		xtr_calls_now(a->calls, a->o.clock.end_ns);
		err = xtr_calls_finish(a->calls);
	}
	a->o.span_ns = span_ns;
	for (size_t i = 0; i < N && !err; i++)
		if (a->self[i] && xtr_analyses[i]->finish)
			err = xtr_analyses[i]->finish(a->self[i]);
	xtr_findings_sort(&a->findings);
	return err;
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

const void *xtr_analyses_self(const struct xtr_analyses *a, size_t i)
{
	return a->self[i];
}

const struct xtr_analysis_opts *xtr_analyses_opts(const struct xtr_analyses *a)
{
	return &a->o;
}
