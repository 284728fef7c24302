/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call map's tables: functions, tasks by process, the tree. The tree is flat, in the order in
 * which it is printed: it may be deep.
 */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "api_kind.h"
#include "base/text.h"
#include "call_map.h"
#include "replay/event/field.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_SHOWN     40u
#define NODES_SHOWN    100u
#define CHILDREN_SHOWN 12u
#define INDENT_MAX     20u

/* Where a column is in text. */
enum {
	TIMES = 1, /* the trace has times */
	API,       /* and calls of library functions */
	PAGES,     /* there are some, as of all below */
	MESSAGES,
	CAUSED /* and an enum map_count */
};

static bool shows(const void *self, const struct xtr_section_column *c)
{
	const struct call_map *m = self;
	const uint64_t *all = m->node[0].count;

	switch (c->own) {
	case 0:
		return true;
	case TIMES:
		return m->o->times;
	case API:
		return m->api;
	case PAGES:
		return map_pages(m, all);
	case MESSAGES:
		return all[MAP_REPLIES] + all[MAP_DONE];
	default:
		return all[c->own - CAUSED];
	}
}

#define NAMED                                                                 \
	{ "kind", NULL, XTR_C_TEXT, XTR_PUT, "kind of the call" },            \
		{ "module", NULL, XTR_C_TEXT, XTR_PUT, "module or library" }, \
	{                                                                     \
		"name", NULL, XTR_C_TEXT, XTR_PUT, "its name"                 \
	}

static void put_named(struct xtr_rows *r, const struct map_name *n)
{
	xtr_put_text(r, n->kind < XTR_CALL_KIND_COUNT ? xtr_call_kind_name(n->kind) : NULL);
	xtr_put_text(r, *n->module ? n->module : NULL);
	xtr_put_text(r, n->name);
}

/* In text, the name says it: modules stand in the tables of calls and in JSON. */
static void put_call(struct xtr_rows *r, const struct map_name *n, unsigned int indent)
{
	char name[XTR_TEXT_NAME];

	xtr_put_format(r, "%*s%s", indent < INDENT_MAX ? (int)indent : (int)INDENT_MAX, "",
		       xtr_text_name(name, sizeof(name), n->name, strlen(n->name)));
}

#define NESTED(id, key, help)     COUNT(key, count[MAP_##id], help),
#define ATTRIBUTED(id, key, help) COUNT("attributed." key, count[MAP_##id], help),
#define SOME(title, kind, id)                                                            \
	{                                                                                \
		NULL, title, XTR_C_##kind, AT(count[MAP_##id]), .own = CAUSED + MAP_##id \
	}
/* With '~': attributed, not nested (call_cause.h). */
#define CAUSES                                                                      \
	SOME("syscalls", COUNT, SYSCALLS),                                          \
		{ NULL, "kernel calls", XTR_C_COUNT, AT(count[MAP_KERNEL]) },       \
		MAP_NESTED_LIST(NESTED){ "pages_mapped",                            \
					 "pages mapped",                            \
					 XTR_C_COUNT,                               \
					 XTR_PUT,                                   \
					 "pages mapped inside, by what tells best", \
					 .own = PAGES },                            \
		SOME("map_sgt", COUNT, MAP_SGT),                                    \
		{ NULL, "messages~", XTR_C_COUNT, XTR_PUT, .own = MESSAGES },       \
		SOME("interrupts~", COUNT, IRQS), SOME("jobs~", COUNT, JOBS),       \
		SOME("on device~", NS, EXEC_NS), MAP_ATTRIBUTED_LIST(ATTRIBUTED)

static void put_causes(struct xtr_rows *r, const struct call_map *m, const uint64_t *n)
{
	xtr_put_u64(r, m->pages_known || m->sgt_known, map_pages(m, n));
	xtr_put_u64(r, true, n[MAP_REPLIES] + n[MAP_DONE]);
}

/* --- functions -------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct map_row, member)
static const struct xtr_section_column function_columns[] = {
	NAMED,
	{ NULL, "<call", XTR_C_TEXT, XTR_PUT },
	{ "does", NULL, XTR_C_TEXT, XTR_PUT, "what a library's function is for" },
	SHOWN("calls", "calls", calls, "calls"),
	{ "total_ns", NULL, XTR_C_NS, AT(total), "their time" },
	{ NULL, "total", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ "self_ns", NULL, XTR_C_NS, AT(self), "the same without calls inside" },
	{ NULL, "self", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ "time_ns", "max", XTR_C_HIST, AT(time), "of a call", .own = TIMES },
	{ NULL, "<does", XTR_C_TEXT, XTR_PUT, .own = API },
	COUNT("not_0", errors, "calls that returned a status other than 0"),
	{ "most_frequent", NULL, XTR_C_ANY, XTR_PUT, "the most frequent of these" },
	CAUSES{ NULL, "not 0", XTR_C_COUNT, AT(errors), .own = API },
	{ NULL, "<most frequent", XTR_C_TEXT, XTR_PUT, .own = API },
};
#undef AT

static const char *code_name(const struct map_row *row, const struct map_code *code)
{
	return xtr_field_value_name(row->ret, (uint64_t)code->code);
}

static void most_frequent(const void *self, const void *row, struct xtr_json *j)
{
	const struct map_code *code = map_row_code(row);
	const char *name = code_name(row, code);

	(void)self;
	xtr_json_begin_object(j);
	xtr_json_kv_s64(j, "ret", code->code);
	xtr_json_key(j, "name");
	xtr_json_strn(j, name, name ? strlen(name) : 0);
	xtr_json_kv_u64(j, "calls", code->n);
	xtr_json_end_object(j);
}

static void put_code(struct xtr_rows *r, const struct map_row *row, const struct map_code *code)
{
	const char *name = code ? code_name(row, code) : "";

	if (name)
		xtr_put_name(r, name, strlen(name));
	else
		xtr_put_format(r, "%" PRId64, code->code);
}

static void put_function(struct xtr_rows *r, const struct call_map *m, const struct map_row *row)
{
	const struct map_code *code = map_row_code(row);
	const struct map_name *name = &m->name[row->name];
	const char *does = xtr_api_kind_name(xtr_api_kind(name->name));

	put_named(r, name);
	put_call(r, name, 0);
	if (m->api)
		xtr_put_text(r, does);
	else
		xtr_put_absent(r);
	xtr_put_u64(r, row->time.n, row->total);
	xtr_put_u64(r, row->time.n, row->self);
	xtr_put_text(r, does);
	if (code)
		xtr_put_any(r, most_frequent, row);
	else
		xtr_put_text(r, NULL);
	put_causes(r, m, row->count);
	put_code(r, row, code);
}

static void fill_functions(const void *self, struct xtr_rows *r)
{
	const struct call_map *m = self;
	uint32_t i, left = xtr_rows_text(r) ? ROWS_SHOWN : UINT32_MAX;

	for (i = 0; i < m->n_rows && left; i++) {
		if (!m->row[i].calls)
			continue;
		put_function(r, m, &m->row[i]);
		xtr_row(r, &m->row[i]);
		left--;
	}
}

static const struct xtr_section_table functions = {
	.name = "functions",
	.help = "a function that tasks call",
	XTR_TABLE_COLUMNS(function_columns),
	.fill = fill_functions,
	.shows = shows,
};

/* --- tasks by process ------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct map_task, member)
static const struct xtr_section_column task_columns[] = {
	{ "pid", "pid", XTR_C_PROCESS, XTR_PUT, "process" },
	{ "process", NULL, XTR_C_TEXT, XTR_PUT, "its name" },
	{ NULL, "<process", XTR_C_TEXT, XTR_PUT },
	NAMED,
	{ NULL, "<task", XTR_C_TEXT, XTR_PUT },
	{ NULL, "time", XTR_C_NS, XTR_PUT, .own = TIMES },
	SHOWN("calls", "count", calls, "calls"),
	COUNT("timed", timed, "of them with begin and end"),
	{ "total_ns", NULL, XTR_C_NS, AT(total), "their time" },
	{ "mean_ns", NULL, XTR_C_NS, XTR_PUT, "mean of a call" },
	{ NULL, "mean", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ "threads", NULL, XTR_C_COUNT, XTR_PUT, "threads of the process with tasks" },
	{ "threads_ns", NULL, XTR_C_NS, XTR_PUT, "from a thread's first to its last task, in all" },
	{ "share_ppm", NULL, XTR_C_COUNT, XTR_PUT, "share of that, in millionths" },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT, .own = TIMES },
};
#undef AT

static void put_process(struct xtr_rows *r, const struct call_map *m, const struct map_process *p)
{
	size_t n = 0;
	const char *s =
		p->comm && m->o->tables ? xtr_tables_string(m->o->tables, p->comm, &n) : NULL;

	xtr_put_u64(r, true, p->process);
	xtr_put_name(r, s, n);
	xtr_put_name(r, s ? s : "(unknown)", s ? n : strlen("(unknown)"));
}

static void put_task(struct xtr_rows *r, const struct call_map *m, const struct map_task *t)
{
	const struct map_process *p = &m->process[t->process];
	uint64_t mean = t->timed ? t->total / t->timed : 0;
	__uint128_t ppm = p->span ? (__uint128_t)t->total * 1000000u / p->span : 0;

	put_process(r, m, p);
	put_named(r, &m->name[t->name]);
	put_call(r, &m->name[t->name], 0);
	xtr_put_u64(r, t->timed, t->total);
	xtr_put_u64(r, true, mean);
	xtr_put_u64(r, t->timed, mean);
	xtr_put_u64(r, true, p->threads);
	xtr_put_u64(r, true, p->span);
	xtr_put_u64(r, true, (uint64_t)ppm);
	xtr_put_share(r, true, t->total, p->span);
}

static void fill_tasks(const void *self, struct xtr_rows *r)
{
	const struct call_map *m = self;
	uint32_t n = m->n_tasks;

	if (xtr_rows_text(r) && n > ROWS_SHOWN)
		n = ROWS_SHOWN;
	for (uint32_t i = 0; i < n; i++) {
		put_task(r, m, &m->task[i]);
		xtr_row(r, &m->task[i]);
	}
}

static const struct xtr_section_table tasks = {
	.name = "tasks",
	.help = "a task of a process",
	XTR_TABLE_COLUMNS(task_columns),
	.fill = fill_tasks,
	.shows = shows,
};

/* --- tree ------------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct map_node, member)
static const struct xtr_section_column tree_columns[] = {
	{ "node", NULL, XTR_C_NUMBER, XTR_PUT, "number of the node" },
	{ "parent", NULL, XTR_C_NUMBER | XTR_C_KNOWN, AT(parent), "node around it" },
	{ "depth", NULL, XTR_C_NUMBER, XTR_PUT, "nodes around it" },
	NAMED,
	{ NULL, "<call", XTR_C_TEXT, XTR_PUT },
	COUNT("calls", calls, "calls"),
	{ NULL, "calls", XTR_C_COUNT | XTR_C_KNOWN, AT(calls) },
	COUNT("timed", timed, "of them with begin and end"),
	{ "total_ns", NULL, XTR_C_NS, AT(total), "their time" },
	{ NULL, "total", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ "self_ns", NULL, XTR_C_NS, AT(self), "the same without calls inside" },
	{ NULL, "self", XTR_C_NS, XTR_PUT, .own = TIMES },
	{ NULL, "of parent", XTR_C_SHARE, XTR_PUT, .own = TIMES },
	CAUSES
};
#undef AT

static void tree_row(struct xtr_rows *r, uint32_t i)
{
	const struct call_map *m = xtr_rows_self(r);
	const struct map_node *x = &m->node[i];
	const struct map_name *name = &m->name[x->name];

	xtr_put_u64(r, true, i);
	xtr_put_u64(r, true, x->depth - 1);
	put_named(r, name);
	put_call(r, name, 2 * (x->depth - 1));
	xtr_put_u64(r, x->timed || name->kind == XTR_CALL_KIND_COUNT, x->total);
	xtr_put_u64(r, x->timed, x->self);
	/* A CPU's interrupts are no part of any thread's time. */
	xtr_put_share(r, true, x->total, map_is_group(m, i) ? 0 : m->node[x->parent].total);
	put_causes(r, m, x->count);
	xtr_row(r, x);
}

/* The next node, children first; siblings beyond most of a node are left out and counted. */
static uint32_t next_node(const struct call_map *m, uint32_t i,
			  uint32_t shown_of[MAP_DEPTH_MAX + 2], uint32_t most, size_t *left)
{
	uint32_t depth = m->node[i].depth;

	if (m->node[i].first != MAP_NO) {
		shown_of[depth + 1] = 1;
		return m->node[i].first;
	}
	for (; i; i = m->node[i].parent) {
		depth = m->node[i].depth;
		if (m->node[i].next == MAP_NO)
			continue;
		if (shown_of[depth]++ < most)
			return m->node[i].next;
		for (uint32_t k = m->node[i].next; k != MAP_NO; k = m->node[k].next)
			++*left;
	}
	return MAP_NO;
}

/* Nodes that text shows, as rows unless r is NULL. Are these all? */
static bool shown_nodes(const struct call_map *m, struct xtr_rows *r)
{
	uint32_t shown_of[MAP_DEPTH_MAX + 2] = { 0, 1 }, i = m->node[0].first, shown = 0;
	size_t left = 0;

	for (; i != MAP_NO && shown < NODES_SHOWN; shown++) {
		if (r)
			tree_row(r, i);
		i = next_node(m, i, shown_of, CHILDREN_SHOWN, &left);
	}
	return i == MAP_NO && !left;
}

static void fill_tree(const void *self, struct xtr_rows *r)
{
	uint32_t shown_of[MAP_DEPTH_MAX + 2] = { 0, 1 };
	const struct call_map *m = self;
	size_t left = 0;

	if (xtr_rows_text(r)) {
		shown_nodes(m, r);
		return;
	}
	for (uint32_t i = m->node[0].first; i != MAP_NO;
	     i = next_node(m, i, shown_of, UINT32_MAX, &left))
		tree_row(r, i);
}

static const struct xtr_section_table tree = {
	.name = "tree",
	.help = "a call in a call, by path of names",
	XTR_TABLE_COLUMNS(tree_columns),
	.fill = fill_tree,
	.shows = shows,
};

/* --- the section ------------------------------------------------------------------------------ */

static void notes(const struct call_map *m, FILE *f)
{
	char n[XTR_TEXT_NUMBER];

	if (m->node[0].count[MAP_JOBS] + m->node[0].count[MAP_IRQS])
		fputs("  ~: also what was not nested in the call but attributed to it: jobs by "
		      "thread and time of submission,\n"
		      "  their done messages, and the last interrupt before a message that brought "
		      "nothing else.\n",
		      f);
	if (m->causes.outside)
		fprintf(f, "  Jobs submitted outside of these calls: %s.\n",
			xtr_text_count(n, m->causes.outside));
	if (m->causes.not_known)
		fprintf(f, "  Jobs of which it is not known: %s.\n",
			xtr_text_count(n, m->causes.not_known));
	if (m->in_other)
		fprintf(f, "  Calls in \"(other)\", as the tree has too many nodes: %s.\n",
			xtr_text_count(n, m->in_other));
	if (!m->o->times)
		fputs("  The trace has no times: only numbers are known.\n", f);
}

static void more(FILE *f, uint32_t n)
{
	if (n > ROWS_SHOWN)
		fprintf(f, "  ... and %" PRIu32 " more (all of them with --json)\n",
			n - ROWS_SHOWN);
}

static int text_tasks(const struct call_map *m, FILE *f)
{
	int err = xtr_table_text(&functions, m, m->o, f);
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_rows; i++)
		n += m->row[i].calls != 0;
	more(f, n);
	fputs("\n  By process: share is of the time from a thread's first to its last call\n", f);
	if (!err)
		err = xtr_table_text(&tasks, m, m->o, f);
	more(f, m->n_tasks);
	return err;
}

int map_text(const void *self, const struct xtr_view *v)
{
	const struct call_map *m = self;
	int err = m->n_tasks ? text_tasks(m, v->f) : 0;

	fputs("\n  Tree: each call with those inside it\n", v->f);
	if (!err)
		err = xtr_table_text(&tree, m, m->o, v->f);
	if (!shown_nodes(m, NULL))
		fputs("  ... and more (all of them with --json)\n", v->f);
	notes(m, v->f);
	return err;
}

#define AT(member) XTR_AT(struct call_map, member)
static const struct xtr_section_column total_columns[] = {
	{ "pages_mapped_from", NULL, XTR_C_TEXT, XTR_PUT, "function that tells of pages mapped" },
	COUNT("jobs_outside", causes.outside, "jobs submitted outside of these calls"),
	COUNT("jobs_not_known", causes.not_known, "jobs of which it is not known"),
	COUNT("calls_in_other", in_other, "calls for which the tree has no room"),
	COUNT("tasks_left_out", tasks_left_out, "calls of tasks for which there is no room"),
};
#undef AT

static bool put_totals(struct xtr_rows *r, const void *self)
{
	const struct call_map *m = self;

	xtr_put_text(r, m->pages_known ? "ivpu_mmu_context_map_page"
			: m->sgt_known ? "ivpu_mmu_context_map_sgt"
				       : NULL);
	return true;
}

static const struct xtr_section_table totals =
	XTR_TABLE_SELF("totals", "all calls", total_columns, put_totals, XTR_SHAPE_MEMBERS);

const struct xtr_section_table *const map_tables[] = { &totals, &functions, &tasks, &tree, NULL };

void map_json(const void *self, struct xtr_json *j)
{
	const struct call_map *m = self;

	xtr_json_begin_object(j);
	xtr_tables_json(map_tables, m, m->o, j);
	xtr_json_end_object(j);
}
