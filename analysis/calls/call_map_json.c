/* SPDX-License-Identifier: BSD-2-Clause */
/* A call map as JSON. The tree is flat, in the order in which it would be printed: it may be deep.
 */
#include "api_kind.h"
#include "call_map.h"
#include "replay/event/field.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <string.h>

static const char *const count_keys[] = {
#define MAP_COUNT_KEY(id, key, help) [MAP_##id] = key,
	MAP_COUNT_LIST(MAP_COUNT_KEY)
#undef MAP_COUNT_KEY
};

static void str(struct xtr_json *j, const char *key, const char *s)
{
	xtr_json_key(j, key);
	xtr_json_strn(j, s, s ? strlen(s) : 0);
}

/* Nested counts, and those that are attributed, apart. */
static void counts(const struct call_map *m, struct xtr_json *j, const uint64_t n[MAP_COUNTS])
{
	size_t i;

	for (i = 0; i < MAP_COUNTS; i++) {
		if (i == MAP_JOBS) {
			xtr_json_key(j, "pages_mapped");
			if (m->pages_known || m->sgt_known)
				xtr_json_u64(j, map_pages(m, n));
			else
				xtr_json_null(j);
			xtr_json_kv_object(j, "attributed");
		}
		xtr_json_kv_u64(j, count_keys[i], n[i]);
	}
	xtr_json_end_object(j);
}

static void name(const struct call_map *m, struct xtr_json *j, uint32_t i)
{
	const struct map_name *n = &m->name[i];

	str(j, "kind", n->kind < XTR_CALL_KIND_COUNT ? xtr_call_kind_name(n->kind) : NULL);
	str(j, "module", *n->module ? n->module : NULL);
	str(j, "name", n->name);
}

static void most_frequent(struct xtr_json *j, const struct map_row *row)
{
	const struct map_code *code = map_row_code(row);
	const char *text = code ? xtr_field_value_name(row->ret, (uint64_t)code->code) : NULL;

	xtr_json_key(j, "most_frequent");
	if (!code) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_s64(j, "ret", code->code);
	str(j, "name", text);
	xtr_json_kv_u64(j, "calls", code->n);
	xtr_json_end_object(j);
}

static void functions(const struct call_map *m, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "functions");
	for (i = 0; i < m->n_rows; i++) {
		const struct map_row *row = &m->row[i];

		if (!row->calls)
			continue;
		xtr_json_begin_object(j);
		name(m, j, row->name);
		if (m->api)
			str(j, "does", xtr_api_kind_name(xtr_api_kind(m->name[row->name].name)));
		xtr_json_kv_u64(j, "calls", row->calls);
		xtr_json_kv_u64(j, "total_ns", row->total);
		xtr_json_kv_u64(j, "self_ns", row->self);
		xtr_view_json_hist(j, "time_ns", &row->time, false);
		xtr_json_kv_u64(j, "not_0", row->errors);
		most_frequent(j, row);
		counts(m, j, row->count);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void process(const struct call_map *m, struct xtr_json *j, const struct map_process *p)
{
	size_t n = 0;
	const char *s =
		p->comm && m->o->tables ? xtr_tables_string(m->o->tables, p->comm, &n) : NULL;

	xtr_json_kv_process(j, "pid", p->process);
	xtr_json_key(j, "process");
	xtr_json_strn(j, s, n);
}

static void tasks(const struct call_map *m, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "tasks");
	for (i = 0; i < m->n_tasks; i++) {
		const struct map_task *t = &m->task[i];
		const struct map_process *p = &m->process[t->process];

		xtr_json_begin_object(j);
		process(m, j, p);
		name(m, j, t->name);
		xtr_json_kv_u64(j, "calls", t->calls);
		xtr_json_kv_u64(j, "timed", t->timed);
		xtr_json_kv_u64(j, "total_ns", t->total);
		xtr_json_kv_u64(j, "mean_ns", t->timed ? t->total / t->timed : 0);
		xtr_json_kv_u64(j, "threads", p->threads);
		xtr_json_kv_u64(j, "threads_ns", p->span);
		xtr_json_kv_u64(j, "share_ppm",
				p->span ? (uint64_t)((__uint128_t)t->total * 1000000u / p->span)
					: 0);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static uint32_t next_node(const struct call_map *m, uint32_t i)
{
	if (m->node[i].first != MAP_NO)
		return m->node[i].first;
	while (i && m->node[i].next == MAP_NO)
		i = m->node[i].parent;
	return i ? m->node[i].next : MAP_NO;
}

static void tree(const struct call_map *m, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "tree");
	for (i = m->node[0].first; i != MAP_NO; i = next_node(m, i)) {
		const struct map_node *x = &m->node[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "node", i);
		xtr_json_key(j, "parent");
		if (x->parent)
			xtr_json_u64(j, x->parent);
		else
			xtr_json_null(j);
		xtr_json_kv_u64(j, "depth", x->depth - 1);
		name(m, j, x->name);
		xtr_json_kv_u64(j, "calls", x->calls);
		xtr_json_kv_u64(j, "timed", x->timed);
		xtr_json_kv_u64(j, "total_ns", x->total);
		xtr_json_kv_u64(j, "self_ns", x->self);
		counts(m, j, x->count);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void map_json(const void *self, struct xtr_json *j)
{
	const struct call_map *m = self;

	xtr_json_begin_object(j);
	str(j, "pages_mapped_from",
	    m->pages_known ? "ivpu_mmu_context_map_page"
	    : m->sgt_known ? "ivpu_mmu_context_map_sgt"
			   : NULL);
	xtr_json_kv_u64(j, "jobs_outside", m->causes.outside);
	xtr_json_kv_u64(j, "jobs_not_known", m->causes.not_known);
	xtr_json_kv_u64(j, "calls_in_other", m->in_other);
	xtr_json_kv_u64(j, "tasks_left_out", m->tasks_left_out);
	functions(m, j);
	tasks(m, j);
	tree(m, j);
	xtr_json_end_object(j);
}
