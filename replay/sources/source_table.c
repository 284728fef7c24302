/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which rows of the table a section has events of, and from an event to the act of its row. One
 * struct source_table for each such row.
 */
#include "driver_sources.h"
#include "source_act.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The event of a role, which is a row's index and that of the event in it. */
#define ROLE(row, event) ((uint32_t)(row)*SOURCE_EVENTS_MAX + (uint32_t)(event))

#define ROLE_LEFT_OUT UINT32_MAX
/* The scheduler's run events, which a row's events are joined to. */
#define ROLE_WATCH 0x80000000u

struct tables {
	struct source_table **of_row; /* source_n_rows; NULL: the section has nothing of it */
};

/* --- the source ------------------------------------------------------------------------------- */

static bool is_in(const char *list, const char *text, size_t n)
{
	for (; list && *list; list += strcspn(list, "|"), list += *list == '|')
		if (strcspn(list, "|") == n && !memcmp(list, text, n))
			return true;
	return false;
}

static struct source_table *table_of(void *self, uint32_t role)
{
	return ((struct tables *)self)->of_row[role / SOURCE_EVENTS_MAX];
}

/* Of fences its own; all else is the driver's. */
static bool table_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size)
{
	const struct xtr_event ev = { .rec = rec, .size = size };
	const struct source_event *e;
	const struct xtr_bind *b;
	const char *driver;
	struct source_table *t;
	struct source_name name;
	size_t n;

	if (role & ROLE_WATCH)
		return role == ROLE_LEFT_OUT;
	t = table_of(self, role);
	e = &t->row->event[role % SOURCE_EVENTS_MAX];
	b = &t->bind[role % SOURCE_EVENTS_MAX];
	if (!e->field[SF_DRIVER])
		return true;
	driver = xtr_bind_text(b, SF_DRIVER, &ev, t->tables, &n);
	if (driver && is_in(t->row->hw_fence, driver, n))
		return true;
	if (e->act != ACT_FENCE || (driver && !is_in(t->row->job_fence, driver, n)))
		return false;
	name = source_name_of(t, b, &ev, 0);
	return source_known(t, &name) != SOURCE_JOBS_NONE;
}

/* A run event of the scheduler's. */
static void table_watch(void *self, uint32_t role, const struct xtr_event *ev)
{
	struct tables *all = self;
	struct xtr_gpu_record r;
	struct source_table *t;

	if (!(role & ROLE_WATCH) || role == ROLE_LEFT_OUT || xtr_gpu_record_get(ev, &r) != 1)
		return;
	t = all->of_row[role & ~ROLE_WATCH];
	t->joint[ev->tid % SOURCE_JOINTS] = (struct source_joint){ r.ctx, r.seqno, ev->tid };
}

static int table_event(void *self, uint32_t role, const struct xtr_event *ev,
		       struct xtr_job_steps *out)
{
	struct source_seen v = { .ev = ev, .out = out, .job = SOURCE_JOBS_NONE };
	struct source_table *t;
	int64_t ring;

	if (role == ROLE_LEFT_OUT)
		return 0;
	t = table_of(self, role);
	v.e = &t->row->event[role % SOURCE_EVENTS_MAX];
	v.b = &t->bind[role % SOURCE_EVENTS_MAX];
	ring = v.e->act == ACT_FENCE ? 0 : source_rings_of(&t->rings, v.e, v.b, ev);
	if (ring < 0)
		return (int)ring;
	v.ring = (uint32_t)ring;
	v.name = source_name_of(t, v.b, ev, v.ring);
	v.job = source_known(t, &v.name);
	return source_act(t, &v);
}

/* --- open and close --------------------------------------------------------------------------- */

static void table_free(struct source_table *t)
{
	if (!t)
		return;
	source_rings_free(&t->rings);
	source_jobs_free(&t->jobs);
	free(t);
}

static void table_close(void *self)
{
	struct tables *all = self;

	for (size_t i = 0; all->of_row && i < source_n_rows; i++)
		table_free(all->of_row[i]);
	free(all->of_row);
	free(all);
}

/* The fields without which an event names no job. */
static bool names_job(const struct source_row *row, const struct source_event *e,
		      const struct xtr_bind *b)
{
	if (e->act == ACT_SUBMIT)
		return true;
	if (row->fences)
		return b->slot[SF_CTX].width && b->slot[SF_SEQNO].width;
	return b->slot[SF_SEQNO].width || b->slot[SF_ADDR].width || e->act == ACT_SLOT;
}

static bool bind_events(struct source_table *t)
{
	bool any = false;

	for (size_t i = 0; i < SOURCE_EVENTS_MAX && t->row->event[i].event; i++) {
		const struct source_event *e = &t->row->event[i];
		struct xtr_bind_spec spec = { .event = e->event };

		memcpy(spec.fields, e->field, sizeof(e->field));
		xtr_bind_event(&t->bind[i], t->meta, &spec);
		if (t->bind[i].desc && !names_job(t->row, e, &t->bind[i]))
			t->bind[i].desc = NULL;
		if (!t->bind[i].desc)
			continue;
		any |= !e->field[SF_DRIVER]; /* fences alone are no jobs of this driver */
		t->queues |= e->act == ACT_QUEUE;
		t->runs |= e->act == ACT_RUN || e->act == ACT_SWITCH || e->act == ACT_SLOT;
	}
	return any;
}

/* Its jobs are the scheduler's. */
static int join_scheduler(struct source_table *t, const struct xtr_source_env *env)
{
	const struct xtr_event_desc *run = xtr_meta_event(t->meta, XTR_EV_JOB_RUN);

	t->joined = true;
	if (env->rings)
		xtr_rings_measured(env->rings, t->row->driver);
	return xtr_source_bind(env, run, ROLE_WATCH | (uint32_t)(t->row - source_rows));
}

static int table_new(struct source_table **out, const struct source_row *row,
		     const struct xtr_source_env *env, bool joined)
{
	struct source_table *t = calloc(1, sizeof(*t));
	int err = 0;

	if (!t)
		return -ENOMEM;
	t->row = row;
	t->meta = env->meta;
	t->tables = env->tables;
	source_jobs_init(&t->jobs);
	if (bind_events(t))
		err = source_rings_init(&t->rings, row, env, t->runs);
	else
		table_free(t), t = NULL;
	for (size_t i = 0; t && !err && i < SOURCE_EVENTS_MAX; i++)
		err = xtr_source_bind(env, t->bind[i].desc, ROLE(row - source_rows, i));
	if (t && !err && joined)
		err = join_scheduler(t, env);
	if (err) {
		table_free(t);
		t = NULL;
	}
	*out = t;
	return err;
}

/*
 * Does the section have the scheduler's own events of jobs, from queue to done? The scheduler of
 * Linux 4.16 to 5.9 has none for run: there a driver's own tell more.
 */
static bool has_scheduler(const struct xtr_meta *meta)
{
	return xtr_meta_event(meta, XTR_EV_JOB_RUN);
}

bool source_table_measures(const struct xtr_meta *meta)
{
	for (size_t i = 0; i < source_n_rows; i++) {
		struct source_table t = { .row = &source_rows[i], .meta = meta };

		if (t.row->scheduler && t.row->measured && bind_events(&t))
			return true;
	}
	return false;
}

/* What a scheduler without run tells of the jobs that the row tells of, too, is left out. */
static int leave_out_scheduler(struct tables *all, const struct xtr_source_env *env)
{
	static const uint32_t types[] = { XTR_EV_JOB_QUEUE, XTR_EV_JOB_DONE, XTR_EV_JOB_WAIT_DEP };
	bool runs = false;
	int err = 0;

	for (size_t i = 0; i < source_n_rows; i++)
		runs |= all->of_row[i] && source_rows[i].scheduler && all->of_row[i]->runs &&
			!all->of_row[i]->joined;
	for (size_t i = 0; runs && !err && i < sizeof(types) / sizeof(types[0]); i++)
		err = xtr_source_bind(env, xtr_meta_event(env->meta, types[i]), ROLE_LEFT_OUT);
	return err;
}

/* An earlier row of the same driver has its events here: later ones tell of the same jobs. */
static bool is_told(const struct tables *all, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (all->of_row[i] && !strcmp(source_rows[i].driver, source_rows[row].driver))
			return true;
	return false;
}

static int table_open(void **self, const struct xtr_source_env *env)
{
	struct tables *all = calloc(1, sizeof(*all));
	bool scheduler = has_scheduler(env->meta);
	bool by_name = source_sched_tells(env->meta) && !source_table_measures(env->meta);
	int err = 0;

	if (!all)
		return -ENOMEM;
	*self = all; /* closed by the caller, whatever happened */
	all->of_row = calloc(source_n_rows, sizeof(*all->of_row));
	if (!all->of_row)
		return -ENOMEM;
	for (size_t i = 0; i < source_n_rows && !err; i++) {
		const struct source_row *row = &source_rows[i];
		bool joined = row->scheduler && scheduler;

		if (row->scheduler && by_name)
			continue; /* source_sched.c tells of the same jobs */
		if ((!joined || row->measured) && !is_told(all, i))
			err = table_new(&all->of_row[i], row, env, joined);
	}
	return err ? err : leave_out_scheduler(all, env);
}

const struct xtr_job_source xtr_source_table = {
	.name = "table",
	.open = table_open,
	.close = table_close,
	.takes = table_takes,
	.event = table_event,
	.watch = table_watch,
};
