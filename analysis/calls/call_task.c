/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks of a call map: one row for each function, and one for each function of a process. */
#include "call_map.h"

#include "format/meta/schema.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int map_row_new(struct call_map *m, uint32_t name)
{
	struct map_row *row = map_more((void **)&m->row, m->n_rows, sizeof(*row));

	if (!row)
		return -ENOMEM;
	row->name = name;
	m->name[name].row = m->n_rows++;
	return 0;
}

/* A function that is around itself caused it only once. */
void map_count_row(struct call_map *m, uint32_t row, enum map_count what, uint64_t n)
{
	if (row == MAP_NO || m->row[row].seen == m->mark)
		return;
	m->row[row].seen = m->mark;
	m->row[row].count[what] += n;
}

static void count_error(struct map_row *row, const struct xtr_call *c)
{
	const struct xtr_field *f = xtr_event_field(c->exit.desc, "ret");

	/* A status has 32 bits, in all these interfaces; what has more is a handle or a pointer. */
	if (!c->ret_known || !c->ret || !f || xtr_repr_width(f->repr) != 4)
		return;
	row->ret = f;
	row->errors++;
	for (size_t i = 0; i < MAP_CODES; i++)
		if (!row->code[i].n || row->code[i].code == c->ret) {
			row->code[i].code = c->ret;
			row->code[i].n++;
			return;
		}
}

const struct map_code *map_row_code(const struct map_row *row)
{
	const struct map_code *best = NULL;

	for (size_t i = 0; i < MAP_CODES && row->code[i].n; i++)
		if (!best || row->code[i].n > best->n)
			best = &row->code[i];
	return best;
}

/* Index of the process; MAP_NO: there are too many. */
static int process_of(struct call_map *m, const struct xtr_call *c, uint32_t *process)
{
	uint64_t who = xtr_process(c->pid, c->nth);
	uint32_t i = xtr_map_index(&m->processes, who, 0);
	struct map_process *p;

	*process = i;
	if (i != XTR_MAP_NONE || m->n_processes == MAP_TASKS_MAX)
		return 0;
	p = map_more((void **)&m->process, m->n_processes, sizeof(*p));
	if (!p || xtr_map_put(&m->processes, who, 0, m->n_processes))
		return -ENOMEM;
	p->process = who;
	p->comm = c->comm;
	*process = m->n_processes++;
	return 0;
}

static int touch_thread(struct call_map *m, const struct xtr_call *c, uint32_t process)
{
	uint32_t i = xtr_map_index(&m->threads, process, c->tid);
	struct map_thread *t;

	if (i == XTR_MAP_NONE) {
		if (m->n_threads == MAP_THREADS_MAX)
			return 0;
		i = m->n_threads;
		t = map_more((void **)&m->thread, i, sizeof(*t));
		if (!t || xtr_map_put(&m->threads, process, c->tid, i))
			return -ENOMEM;
		*t = (struct map_thread){ .process = process, .first = c->begin_ns };
		m->n_threads++;
		m->process[process].threads++;
	}
	t = &m->thread[i];
	if (c->begin_ns < t->first)
		t->first = c->begin_ns;
	if (c->end_ns > t->last)
		t->last = c->end_ns;
	return 0;
}

static int count_task(struct call_map *m, const struct xtr_call *c, uint32_t name, bool again)
{
	uint32_t process, i;
	struct map_task *t;
	uint64_t ns;
	int err = process_of(m, c, &process);

	if (err || process == MAP_NO) {
		m->tasks_left_out++;
		return err;
	}
	i = xtr_map_index(&m->tasks, process, name);
	if (i == XTR_MAP_NONE && m->n_tasks == MAP_TASKS_MAX) {
		m->tasks_left_out++;
		return 0;
	}
	if (i == XTR_MAP_NONE) {
		i = m->n_tasks;
		t = map_more((void **)&m->task, i, sizeof(*t));
		if (!t || xtr_map_put(&m->tasks, process, name, i))
			return -ENOMEM;
		t->process = process;
		t->name = name;
		m->n_tasks++;
	}
	t = &m->task[i];
	t->calls++;
	if (!m->o->times || !xtr_call_time(c, &ns))
		return 0;
	t->timed++;
	t->total += again ? 0 : ns;
	return touch_thread(m, c, process);
}

int map_task_call(struct call_map *m, const struct xtr_call *c, uint32_t name)
{
	struct map_row *row = m->own == MAP_NO ? NULL : &m->row[m->own];
	const struct xtr_call *o;
	bool again = false;
	uint64_t ns;
	int err;

	for (o = c->outer; o && !again; o = o->outer)
		again = o->kind == c->kind && o->entry.desc && o->entry.desc == c->entry.desc;
	err = count_task(m, c, name, again);
	if (err || !row)
		return err;
	row->calls++;
	if (c->kind == XTR_CALL_API)
		count_error(row, c);
	if (!m->o->times || !xtr_call_time(c, &ns))
		return 0;
	row->self += ns > c->inner_ns ? ns - c->inner_ns : 0;
	row->total += again ? 0 : ns;
	return xtr_hist_add_within(&row->time, ns, &m->hist_left);
}

static int by_task(const void *pa, const void *pb, void *ctx)
{
	const struct call_map *m = ctx;
	const struct map_task *a = pa, *b = pb;

	if (m->process[a->process].span != m->process[b->process].span)
		return m->process[a->process].span < m->process[b->process].span ? 1 : -1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(m->name[a->name].name, m->name[b->name].name);
}

static int by_row(const void *pa, const void *pb, void *ctx)
{
	const struct call_map *m = ctx;
	const struct map_row *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return strcmp(m->name[a->name].name, m->name[b->name].name);
}

/* What finds rows and tasks by name is not valid any more. */
void map_tasks_finish(struct call_map *m)
{
	for (uint32_t i = 0; i < m->n_threads; i++) {
		m->process[m->thread[i].process].span += m->thread[i].last - m->thread[i].first;
		m->task_span += m->thread[i].last - m->thread[i].first;
	}
	if (m->n_tasks)
		qsort_r(m->task, m->n_tasks, sizeof(*m->task), by_task, m);
	if (m->n_rows)
		qsort_r(m->row, m->n_rows, sizeof(*m->row), by_row, m);
}
