/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_map.h"
#include "replay/event/func_event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- calls ------------------------------------------------------------------------------------ */

bool map_is_task(const struct call_map *m, const struct xtr_call *c)
{
	const struct xtr_call *o;

	if (m->api)
		return c->kind == XTR_CALL_API;
	if (c->kind != XTR_CALL_FUNCTION || c->on_cpu)
		return false;
	for (o = c->outer; o; o = o->outer)
		if (o->kind == XTR_CALL_FUNCTION)
			return false;
	return true;
}

/* At a node, and at the tasks around the present call. */
static void count_inside(struct call_map *m, uint32_t node, enum map_count what, uint64_t n)
{
	m->node[node].count[what] += n;
	m->mark++;
	for (uint32_t i = 0; i < m->n_around; i++)
		map_count_row(m, m->around[i], what, n);
}

/* The loop that waits for the firmware takes its message without an interrupt. */
static bool booting(const struct xtr_call *c)
{
	for (c = c->outer; c; c = c->outer)
		if (c->kind == XTR_CALL_FUNCTION &&
		    (!strcmp(c->name, "ivpu_boot") || !strcmp(c->name, "ivpu_wait_for_ready")))
			return true;
	return false;
}

static void count_role(struct call_map *m, const struct xtr_call *c, enum map_role role,
		       uint32_t node, uint32_t parent)
{
	uint64_t size;

	if (role == MAP_ROLE_MAP_PAGE) {
		count_inside(m, parent, MAP_MAP_PAGE, 1);
	} else if (role == MAP_ROLE_MAP_SGT) {
		count_inside(m, parent, MAP_MAP_SGT, 1);
		if (xtr_call_value(c, "bo_size", &size))
			count_inside(m, parent, MAP_SGT_PAGES, size / 4096 + (size % 4096 != 0));
	} else if (role == MAP_ROLE_RECEIVE && c->ret_known && !c->ret) {
		count_inside(m, node, MAP_REPLIES, 1);
		if (!booting(c) && causes_take_irq(&m->causes, c->end_ns))
			count_inside(m, node, MAP_IRQS, 1);
	} else if (role == MAP_ROLE_HW_IRQ && c->begin_ns) {
		causes_irq(&m->causes, c->begin_ns);
	}
}

/* At the node of a task, at its row, and at those of the tasks around it. */
static void count_at(struct call_map *m, const struct cause_call *at, enum map_count what,
		     uint64_t n)
{
	uint32_t node = at->node;

	m->node[node].count[what] += n;
	m->mark++;
	map_count_row(m, at->row, what, n);
	for (; m->api && node != MAP_ROOT; node = m->node[node].parent)
		map_count_row(m, m->name[m->node[node].name].row, what, n);
}

static void take_job(void *ctx, const struct cause_call *at, const struct cause_job *j)
{
	count_at(ctx, at, MAP_JOBS, 1);
	count_at(ctx, at, MAP_EXEC_NS, j->exec_ns);
	count_at(ctx, at, MAP_BOUNDED, j->bounded);
	count_at(ctx, at, MAP_DONE, j->message);
	count_at(ctx, at, MAP_IRQS, j->irq);
}

static int end_task(struct call_map *m, const struct xtr_call *c, uint32_t name, uint32_t node)
{
	struct cause_call at = { .begin = c->begin_ns, .end = c->end_ns, .node = node };
	const struct xtr_call *o = c->outer;
	int err = map_task_call(m, c, name);

	if (err || !c->begin_ns)
		return err;
	at.row = m->own;
	if (!at.end)
		at.end = UINT64_MAX;
	while (o && !map_is_task(m, o))
		o = o->outer;
	return causes_task_end(&m->causes, c->tid, &at, !o, take_job, m);
}

int map_call(void *self, const struct xtr_call *c)
{
	struct call_map *m = self;
	int64_t name, node;
	struct map_node *x;
	uint64_t ns;

	if (c->kind == XTR_CALL_RUNNING)
		return 0;
	name = map_name_of(m, c);
	node = name < 0 ? name : map_node_of(m, c);
	if (node < 0)
		return (int)node;
	x = &m->node[node];
	x->calls++;
	m->in_other += map_is_other(m, (uint32_t)node);
	if (m->o->times && xtr_call_time(c, &ns)) {
		x->timed++;
		x->total += m->parent == (uint32_t)node ? 0 : ns; /* "(other)" inside itself */
		x->self += ns > c->inner_ns ? ns - c->inner_ns : 0;
	}
	if (c->kind == XTR_CALL_FUNCTION)
		count_inside(m, m->parent, MAP_KERNEL, 1);
	else if (c->kind == XTR_CALL_SYSCALL)
		count_inside(m, m->parent, MAP_SYSCALLS, 1);
	count_role(m, c, m->name[name].role, (uint32_t)node, m->parent);
	if (c->begin_ns && !c->on_cpu && c->kind == (m->api ? XTR_CALL_API : XTR_CALL_FUNCTION))
		causes_end(&m->causes, c->tid);
	return map_is_task(m, c) ? end_task(m, c, (uint32_t)name, (uint32_t)node) : 0;
}

bool map_takes(const void *self, uint32_t type)
{
	const struct call_map *m = self;

	return xtr_map_index(&m->begins, type, 0) != XTR_MAP_NONE;
}

int map_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct call_map *m = self;

	(void)inside;
	if (ev->gap || xtr_map_index(&m->begins, ev->type, 0) == XTR_MAP_NONE)
		return 0;
	return causes_begin(&m->causes, ev->tid);
}

int map_job(void *self, const struct xtr_job *j)
{
	struct call_map *m = self;
	struct cause_job x = { .at = j->queue_ns ? j->queue_ns : j->submit_ns };
	struct cause_call at;
	bool npu = j->kind == XTR_KIND_NPU;
	int err;

	if (j->kind == XTR_KIND_KERNEL)
		return 0;
	x.exec_ns = j->exec_max_ns;
	x.bounded = j->exec_min_ns != j->exec_max_ns || !j->done_ns;
	x.message = npu && j->done_ns;
	x.irq = x.message && causes_take_irq(&m->causes, j->done_ns);
	if (!x.at || j->flags & XTR_FLAG_NO_QUEUE) {
		m->causes.not_known++;
		return 0;
	}
	err = causes_job(&m->causes, j->tid, &x, &at);
	if (err == 1)
		take_job(m, &at, &x);
	return err < 0 ? err : 0;
}

/* Only functions whose returns are recorded make calls. */
bool map_has_calls(const struct xtr_meta *meta, bool api)
{
	struct func_event f;

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++) {
		if (func_event_parse(&f, xtr_meta_event_at(meta, i)->name) && f.ret && f.api == api)
			return true;
	}
	return false;
}

/* --- begin and end ---------------------------------------------------------------------------- */

static bool paired(const struct xtr_meta *meta, const char *function)
{
	char name[128];

	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	if (!xtr_meta_event_by_name(meta, name))
		return false;
	snprintf(name, sizeof(name), "func:intel_vpu:%s:ret", function);
	return xtr_meta_event_by_name(meta, name);
}

/* Events that begin a call of the kind that tasks are of. */
static int bind_begins(struct call_map *m, const struct xtr_meta *meta)
{
	struct func_event f;
	int err = 0;

	for (size_t i = 0; i < xtr_meta_n_events(meta) && !err; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

		if (func_event_parse(&f, d->name) && !f.ret && f.api == m->api)
			err = xtr_map_put(&m->begins, d->type, 0, 0);
	}
	return err;
}

int map_open(void **self, const struct xtr_analysis_opts *o)
{
	struct call_map *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->o = o;
	m->hist_left = MAP_HIST_MAX;
	m->pages_known = paired(o->meta, "ivpu_mmu_context_map_page");
	m->sgt_known = paired(o->meta, "ivpu_mmu_context_map_sgt") &&
		       xtr_event_field(xtr_meta_event_by_name(
					       o->meta, "func:intel_vpu:ivpu_mmu_context_map_sgt"),
				       "bo_size");
	m->api = map_has_calls(o->meta, true);
	err = bind_begins(m, o->meta);
	if (!err)
		err = causes_init(&m->causes);
	if (!err)
		err = map_path_init(m);
	if (err)
		map_free(m);
	else
		*self = m;
	return err;
}

void map_free(void *self)
{
	struct call_map *m = self;

	for (uint32_t i = 0; i < m->n_names; i++)
		free(m->name[i].module);
	for (uint32_t i = 0; i < m->n_rows; i++)
		xtr_hist_free(&m->row[i].time);
	free(m->name);
	free(m->node);
	free(m->row);
	free(m->task);
	free(m->process);
	free(m->thread);
	xtr_map_free(&m->names);
	xtr_map_free(&m->by_type);
	xtr_map_free(&m->begins);
	xtr_map_free(&m->nodes);
	xtr_map_free(&m->tasks);
	xtr_map_free(&m->processes);
	xtr_map_free(&m->threads);
	causes_free(&m->causes);
	free(m);
}

/* By parent, then as children are shown. */
static int by_place(const void *pa, const void *pb, void *ctx)
{
	const struct call_map *m = ctx;
	const struct map_node *a = &m->node[*(const uint32_t *)pa];
	const struct map_node *b = &m->node[*(const uint32_t *)pb];
	int cpu;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	cpu = (m->name[a->name].kind == XTR_CALL_KIND_COUNT) -
	      (m->name[b->name].kind == XTR_CALL_KIND_COUNT);
	if (cpu)
		return cpu;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(m->name[a->name].name, m->name[b->name].name);
}

/* The root's time is that of all threads' calls, a CPU's that of its interrupts'. */
static void sum_up(struct call_map *m)
{
	for (uint32_t i = m->n_nodes - 1; i > MAP_ROOT; i--) {
		struct map_node *x = &m->node[i], *p = &m->node[x->parent];

		for (uint32_t k = 0; k < MAP_COUNTS; k++)
			p->count[k] += x->count[k];
		if (map_is_group(m, x->parent) && !map_is_group(m, i))
			p->total += x->total;
	}
}

int map_finish(void *self)
{
	struct call_map *m = self;
	uint32_t *order = calloc(m->n_nodes, sizeof(*order)), i;

	if (!order)
		return -ENOMEM;
	causes_finish(&m->causes);
	sum_up(m);
	for (i = 0; i < m->n_nodes; i++)
		order[i] = i;
	qsort_r(order + 1, m->n_nodes - 1, sizeof(*order), by_place, m);
	for (i = m->n_nodes - 1; i > 0; i--) {
		m->node[order[i]].next = m->node[m->node[order[i]].parent].first;
		m->node[m->node[order[i]].parent].first = order[i];
	}
	free(order);
	map_tasks_finish(m);
	return 0;
}

bool map_any(const void *self)
{
	return ((const struct call_map *)self)->n_nodes > 1;
}

uint64_t map_pages(const struct call_map *m, const uint64_t count[MAP_COUNTS])
{
	return count[m->pages_known ? MAP_MAP_PAGE : MAP_SGT_PAGES];
}
