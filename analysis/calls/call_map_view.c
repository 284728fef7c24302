/* SPDX-License-Identifier: BSD-2-Clause */
/* A call map as text: tasks by process, what they caused, the tree. */
#include "api_kind.h"
#include "call_map.h"
#include "replay/event/field.h"
#include "replay/event/process.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_SHOWN     40u
#define NODES_SHOWN    100u
#define CHILDREN_SHOWN 12u
#define INDENT_MAX     20u

static void cell(struct xtr_grid *t, char *(*format)(char *, uint64_t), uint64_t v)
{
	xtr_grid_value(t, true, format, v);
}

static void cell_name(const struct call_map *m, struct xtr_grid *t, uint32_t name,
		      unsigned int indent)
{
	char buf[INDENT_MAX + XTR_TEXT_NAME];

	indent = indent < INDENT_MAX ? indent : INDENT_MAX;
	memset(buf, ' ', indent);
	/* In the tree, the name says it: modules stand in the tables and in JSON. */
	xtr_text_name(buf + indent, XTR_TEXT_NAME, m->name[name].name, strlen(m->name[name].name));
	xtr_grid_cell(t, buf);
}

static void more(FILE *f, size_t n)
{
	if (n)
		fprintf(f, "  ... and %zu more (all of them with --json)\n", n);
}

/* --- tasks by process ------------------------------------------------------------------------- */

static int tasks(const struct call_map *m, const struct xtr_view *v)
{
	static const char *const timed[] = { "pid",   "<process", "<task", "time",
					     "count", "mean",     "share", NULL };
	static const char *const counted[] = { "pid", "<process", "<task", "count", NULL };
	struct xtr_grid *t = xtr_grid_new(m->o->times ? timed : counted);
	char pid[XTR_TEXT_PROCESS], comm[XTR_TEXT_NAME];
	const char *s;
	size_t n;
	uint32_t i;
	int ret;

	for (i = 0; i < m->n_tasks && i < ROWS_SHOWN; i++) {
		const struct map_task *x = &m->task[i];
		const struct map_process *p = &m->process[x->process];

		xtr_grid_cell(t, xtr_text_process(pid, p->process));
		s = p->comm && m->o->tables ? xtr_tables_string(m->o->tables, p->comm, &n) : NULL;
		xtr_grid_cell(t, s ? xtr_text_name(comm, sizeof(comm), s, n) : "(unknown)");
		cell_name(m, t, x->name, 0);
		if (m->o->times)
			xtr_grid_value(t, x->timed, xtr_text_ns, x->total);
		cell(t, xtr_text_count, x->calls);
		if (!m->o->times)
			continue;
		xtr_grid_value(t, x->timed, xtr_text_ns, x->timed ? x->total / x->timed : 0);
		xtr_grid_percent(t, x->total, p->span);
	}
	ret = xtr_grid_print(t, v->f, 2);
	more(v->f, m->n_tasks > ROWS_SHOWN ? m->n_tasks - ROWS_SHOWN : 0);
	return ret;
}

/* --- what they caused ------------------------------------------------------------------------- */

struct column {
	const char *title;
	bool npu; /* only where there is something of it */
	uint64_t (*value)(const struct call_map *m, const uint64_t count[MAP_COUNTS]);
	char *(*format)(char *, uint64_t);
};

static uint64_t kernel(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_KERNEL];
}

static uint64_t syscalls(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_SYSCALLS];
}

static uint64_t sgt(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_MAP_SGT];
}

static uint64_t messages(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_REPLIES] + n[MAP_DONE];
}

static uint64_t irqs(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_IRQS];
}

static uint64_t jobs(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_JOBS];
}

static uint64_t on_device(const struct call_map *m, const uint64_t n[MAP_COUNTS])
{
	(void)m;
	return n[MAP_EXEC_NS];
}

/* With '~': attributed, not nested (call_cause.h). */
static const struct column columns[] = {
	{ "syscalls", true, syscalls, xtr_text_count },
	{ "kernel calls", false, kernel, xtr_text_count },
	{ "pages mapped", true, map_pages, xtr_text_count },
	{ "map_sgt", true, sgt, xtr_text_count },
	{ "messages~", true, messages, xtr_text_count },
	{ "interrupts~", true, irqs, xtr_text_count },
	{ "jobs~", true, jobs, xtr_text_count },
	{ "on device~", true, on_device, xtr_text_ns },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool is_shown(const struct call_map *m, const struct column *c)
{
	return !c->npu || c->value(m, m->node[0].count);
}

static size_t add_titles(const struct call_map *m, const char **titles, size_t n)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		if (is_shown(m, &columns[i]))
			titles[n++] = columns[i].title;
	titles[n] = NULL;
	return n;
}

static void cells_caused(const struct call_map *m, struct xtr_grid *t,
			 const uint64_t count[MAP_COUNTS])
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		if (is_shown(m, &columns[i]))
			cell(t, columns[i].format, columns[i].value(m, count));
}

static void cell_error(struct xtr_grid *t, const struct map_row *row)
{
	const struct map_code *code = map_row_code(row);
	const char *name = code ? xtr_field_value_name(row->ret, (uint64_t)code->code) : NULL;
	char buf[XTR_TEXT_NAME], number[32];

	if (code && !name) {
		snprintf(number, sizeof(number), "%" PRId64, code->code);
		name = number;
	}
	xtr_grid_cell(t, code ? xtr_text_name(buf, sizeof(buf), name, strlen(name)) : "");
}

static int functions(const struct call_map *m, const struct xtr_view *v)
{
	const char *titles[XTR_GRID_COLUMNS] = { "<call", "calls", "total", "self", "max" };
	size_t n = m->o->times ? 5 : 2, shown = 0, left = 0;
	struct xtr_grid *t;
	uint32_t i;
	int ret;

	if (m->api)
		titles[n++] = "<does";
	n = add_titles(m, titles, n);
	if (m->api) {
		titles[n++] = "not 0";
		titles[n++] = "<most frequent";
	}
	titles[n] = NULL;
	t = xtr_grid_new(titles);
	for (i = 0; i < m->n_rows; i++) {
		const struct map_row *row = &m->row[i];

		if (!row->calls)
			continue;
		if (shown == ROWS_SHOWN) {
			left++;
			continue;
		}
		shown++;
		cell_name(m, t, row->name, 0);
		cell(t, xtr_text_count, row->calls);
		if (m->o->times) {
			xtr_grid_value(t, row->time.n, xtr_text_ns, row->total);
			xtr_grid_value(t, row->time.n, xtr_text_ns, row->self);
			xtr_grid_value(t, row->time.n, xtr_text_ns, row->time.max);
		}
		if (m->api)
			xtr_grid_cell(t, xtr_api_kind_name(xtr_api_kind(m->name[row->name].name)));
		cells_caused(m, t, row->count);
		if (m->api) {
			cell(t, xtr_text_count, row->errors);
			cell_error(t, row);
		}
	}
	ret = xtr_grid_print(t, v->f, 2);
	more(v->f, left);
	return ret;
}

/* --- tree ------------------------------------------------------------------------------------- */

static void node_row(const struct call_map *m, struct xtr_grid *t, uint32_t i)
{
	const struct map_node *x = &m->node[i];
	bool known = x->timed || m->name[x->name].kind == XTR_CALL_KIND_COUNT;

	cell_name(m, t, x->name, 2 * (x->depth - 1));
	xtr_grid_value(t, x->calls, xtr_text_count, x->calls);
	if (m->o->times) {
		xtr_grid_value(t, known, xtr_text_ns, x->total);
		xtr_grid_value(t, x->timed, xtr_text_ns, x->self);
		/* A CPU's interrupts are no part of any thread's time. */
		xtr_grid_percent(t, x->total, map_is_group(m, i) ? 0 : m->node[x->parent].total);
	}
	cells_caused(m, t, x->count);
}

/* The next node, children first; siblings beyond those shown are left out and counted. */
static uint32_t next_node(const struct call_map *m, uint32_t i,
			  uint32_t shown_of[MAP_DEPTH_MAX + 2], size_t *left)
{
	uint32_t depth = m->node[i].depth, k;

	if (m->node[i].first != MAP_NO) {
		shown_of[depth + 1] = 1;
		return m->node[i].first;
	}
	for (; i; i = m->node[i].parent) {
		depth = m->node[i].depth;
		if (m->node[i].next == MAP_NO)
			continue;
		if (shown_of[depth]++ < CHILDREN_SHOWN)
			return m->node[i].next;
		for (k = m->node[i].next; k != MAP_NO; k = m->node[k].next)
			++*left;
	}
	return MAP_NO;
}

static int tree(const struct call_map *m, const struct xtr_view *v)
{
	const char *titles[XTR_GRID_COLUMNS] = { "<call", "calls", "total", "self", "of parent" };
	uint32_t shown_of[MAP_DEPTH_MAX + 2] = { 0 }, i = m->node[0].first, shown = 0;
	struct xtr_grid *t;
	size_t left = 0;
	int ret;

	add_titles(m, titles, m->o->times ? 5 : 2);
	t = xtr_grid_new(titles);
	shown_of[1] = 1;
	for (; i != MAP_NO && shown < NODES_SHOWN; shown++) {
		node_row(m, t, i);
		i = next_node(m, i, shown_of, &left);
	}
	ret = xtr_grid_print(t, v->f, 2);
	if (i != MAP_NO || left)
		fputs("  ... and more (all of them with --json)\n", v->f);
	return ret;
}

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

int map_text(const void *self, const struct xtr_view *v)
{
	const struct call_map *m = self;
	int ret = 0;

	if (m->n_tasks) {
		ret = functions(m, v);
		fputs("\n  By process: share is of the time from a thread's first to its last call\n",
		      v->f);
		if (!ret)
			ret = tasks(m, v);
	}
	fputs("\n  Tree: each call with those inside it\n", v->f);
	if (!ret)
		ret = tree(m, v);
	notes(m, v->f);
	return ret;
}
