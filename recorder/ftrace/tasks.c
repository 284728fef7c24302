/* SPDX-License-Identifier: BSD-2-Clause */
#include "tasks.h"
#include "recorder/host/proc_task.h"
#include "recorder/host/util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KTHREADD    2u
#define PRUNE_FIRST 16384
#define UNKNOWN_MAX 8192 /* the list of unknown threads begins anew above it */

/* What is kept of unknown threads, ns: of the first event, and the pass in which /proc was asked.
 */
enum {
	FIRST,
	ASKED
};

/* Room for one more: v, or where it is now; NULL: no memory, v stays. */
static void *grow(void *v, size_t *cap, size_t n, size_t each)
{
	size_t more = *cap ? 2 * *cap : 64;

	if (n < *cap)
		return v;
	v = reallocarray(v, more, each);
	if (v)
		*cap = more;
	return v;
}

/* --- definitions ------------------------------------------------------------------------------ */

/* Where there is no memory a thread has no name: its events are there all the same. */
static void define(struct xtr_ft_tasks *t, struct xtr_ft_task *task, uint64_t since)
{
	struct xtr_ctl_task *defs = grow(t->defs, &t->cap_defs, t->n_defs, sizeof(*defs)), *def;

	task->used = true;
	if (!defs)
		return;
	t->defs = defs;
	def = &defs[t->n_defs++];
	*def = (struct xtr_ctl_task){
		.h = { .ts = since, .type = XTR_CTL_TASK, .size = sizeof(*def), .tid = task->tid },
		.tgid = task->pid,
		.flags = task->flags | XTR_CTL_TASK_RING,
		.start = task->start,
	};
	memcpy(def->comm, task->comm, sizeof(def->comm));
}

bool xtr_ft_tasks_take(struct xtr_ft_tasks *t, struct xtr_ctl_task *def)
{
	if (t->taken == t->n_defs) {
		t->taken = t->n_defs = 0;
		return false;
	}
	*def = t->defs[t->taken++];
	return true;
}

/* --- versions --------------------------------------------------------------------------------- */

static struct xtr_ft_task *version(const struct xtr_ft_tasks *t, uint32_t i)
{
	return i == XTR_MAP_NONE ? NULL : &t->v[i];
}

/* The version that holds at ts, or the oldest one; NULL: nothing is known. *until: as long. */
static struct xtr_ft_task *holding(const struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts,
				   uint64_t *until)
{
	struct xtr_ft_task *v = version(t, xtr_map_index(&t->by_tid, tid, 0));

	*until = UINT64_MAX;
	while (v && v->since > ts) {
		*until = v->since;
		if (v->older == XTR_MAP_NONE)
			break;
		v = version(t, v->older);
	}
	return v;
}

/* A place for a version; XTR_MAP_NONE: no memory. */
static uint32_t take_place(struct xtr_ft_tasks *t)
{
	struct xtr_ft_task *more;
	uint32_t i = t->unused;

	if (i) {
		t->unused = t->v[i - 1].older;
		return i - 1;
	}
	more = t->n < XTR_MAP_NONE - 1 ? grow(t->v, &t->cap, t->n, sizeof(*more)) : NULL;
	if (!more)
		return XTR_MAP_NONE;
	t->v = more;
	return (uint32_t)t->n++;
}

static void give_back(struct xtr_ft_tasks *t, uint32_t i)
{
	while (i != XTR_MAP_NONE) {
		uint32_t older = t->v[i].older;

		t->v[i] = (struct xtr_ft_task){ .older = t->unused };
		t->unused = i + 1;
		i = older;
	}
}

/* One that is not noted is not forgotten so soon. */
static void note_several(struct xtr_ft_tasks *t, uint32_t tid)
{
	uint32_t *more = grow(t->several, &t->cap_several, t->n_several, sizeof(*more));

	if (!more)
		return;
	t->several = more;
	more[t->n_several++] = tid;
}

/* Put a version where it belongs by its time. It; NULL: no memory. */
static struct xtr_ft_task *insert(struct xtr_ft_tasks *t, const struct xtr_ft_task *task)
{
	uint32_t older = xtr_map_index(&t->by_tid, task->tid, 0), newer = XTR_MAP_NONE;
	uint32_t i = take_place(t);

	if (i == XTR_MAP_NONE)
		return NULL;
	while (older != XTR_MAP_NONE && t->v[older].since > task->since) {
		newer = older;
		older = t->v[older].older;
	}
	t->v[i] = *task;
	t->v[i].older = XTR_MAP_NONE;
	if (newer != XTR_MAP_NONE) {
		t->v[newer].older = i;
	} else if (xtr_map_put(&t->by_tid, task->tid, 0, i)) {
		give_back(t, i);
		return NULL;
	}
	t->v[i].older = older;
	if (older != XTR_MAP_NONE || newer != XTR_MAP_NONE)
		note_several(t, task->tid);
	return &t->v[i];
}

/* The version behind this one, of the same number; NULL: it is the newest one. */
static struct xtr_ft_task *next_of(const struct xtr_ft_tasks *t, const struct xtr_ft_task *task)
{
	struct xtr_ft_task *v = version(t, xtr_map_index(&t->by_tid, task->tid, 0));

	while (v && v != task && version(t, v->older) != task)
		v = version(t, v->older);
	return v == task ? NULL : v;
}

/*
 * Events may have been taken already that were this version's: nothing was known of the thread
 * then, or no more than /proc said later on.
 */
static void catch_up(struct xtr_ft_tasks *t, struct xtr_ft_task *task)
{
	const uint64_t *first = xtr_map_get(&t->unknown, task->tid, FIRST);
	struct xtr_ft_task *next = next_of(t, task);

	if (first) {
		define(t, task, task->since);
	} else if (next && next->early) {
		define(t, task, task->since);
		if (next->early > task->since)
			define(t, task, next->early);
		define(t, next, next->since);
	}
}

/* --- /proc ------------------------------------------------------------------------------------ */

static struct xtr_ft_task *read_task(struct xtr_ft_tasks *t, uint32_t pid, uint32_t tid)
{
	struct xtr_ft_task task = { .tid = tid, .since = xtr_now() }, *leader;
	struct xtr_proc_task proc;
	uint64_t until;
	int64_t start;

	if (!xtr_proc_task(&proc, pid, tid))
		return NULL;
	start = (int64_t)proc.start + t->from_boot;
	leader = proc.pid == tid ? NULL : holding(t, proc.pid, task.since, &until);
	task.pid = proc.pid;
	task.flags = proc.kthread ? XTR_TASK_KTHREAD : 0;
	task.start = leader && leader->start ? leader->start : start > 0 ? (uint64_t)start : 1;
	memcpy(task.comm, proc.comm, sizeof(task.comm));
	return insert(t, &task);
}

static int add_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct xtr_ft_tasks *t = ctx;

	(void)read_task(t, pid, tid);
	return 0;
}

static int64_t monotonic_minus_boot(void)
{
	struct timespec mono, boot;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (mono.tv_sec - boot.tv_sec) * (int64_t)NS_PER_S + mono.tv_nsec - boot.tv_nsec;
}

void xtr_ft_tasks_init(struct xtr_ft_tasks *t)
{
	*t = (struct xtr_ft_tasks){ .prune_at = PRUNE_FIRST, .from_boot = monotonic_minus_boot() };
}

void xtr_ft_tasks_read(struct xtr_ft_tasks *t)
{
	(void)xtr_proc_each(add_thread, t);
}

void xtr_ft_tasks_close(struct xtr_ft_tasks *t)
{
	xtr_map_free(&t->by_tid);
	xtr_map_free(&t->unknown);
	free(t->v);
	free(t->several);
	free(t->defs);
	free(t->events);
	*t = (struct xtr_ft_tasks){ .n = 0 };
}

/* --- what threads do -------------------------------------------------------------------------- */

/* A thread of which nothing is known: has /proc been asked in this pass? */
static bool was_asked(struct xtr_ft_tasks *t, uint32_t tid)
{
	const uint64_t *asked = xtr_map_get(&t->unknown, tid, ASKED);

	if (asked && *asked == t->pass)
		return true;
	if (t->unknown.n >= UNKNOWN_MAX)
		xtr_map_free(&t->unknown);
	(void)xtr_map_put(&t->unknown, tid, ASKED, t->pass);
	return false;
}

/* NULL: it is gone, too; its beginning may stand in the ring of another CPU. */
static struct xtr_ft_task *look_up(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts)
{
	const uint64_t *known = xtr_map_get(&t->unknown, tid, FIRST);
	uint64_t first = known ? *known : UINT64_MAX; /* asking may move what the map holds */
	struct xtr_ft_task *task = was_asked(t, tid) ? NULL : read_task(t, 0, tid);

	if (task && first < task->since) {
		define(t, task, first);
		task->early = first;
	}
	if (!task && first == UINT64_MAX)
		(void)xtr_map_put(&t->unknown, tid, FIRST, ts);
	return task;
}

bool xtr_ft_tasks_seen(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts, uint64_t *until)
{
	struct xtr_ft_task *task;

	*until = UINT64_MAX;
	if (!tid)
		return true; /* the idle task has no definition */
	task = holding(t, tid, ts, until) ?: look_up(t, tid, ts);
	if (!task)
		return false;
	if (ts < task->since) {
		if (!task->early || ts < task->early)
			define(t, task, ts);
		task->early = task->early && task->early < ts ? task->early : ts;
	} else if (!task->used) {
		define(t, task, task->since);
	}
	return task->pid != 0;
}

uint32_t xtr_ft_tasks_process(struct xtr_ft_tasks *t, uint32_t tid, uint64_t ts, uint64_t *until)
{
	const struct xtr_ft_task *task = NULL;

	*until = UINT64_MAX;
	if (tid)
		task = holding(t, tid, ts, until) ?: look_up(t, tid, ts);
	return task ? task->pid : 0;
}

/* --- what happens to threads ------------------------------------------------------------------ */

/* The process of a new thread. */
static void find_process(struct xtr_ft_tasks *t, struct xtr_ft_task *task,
			 const struct xtr_ft_event *e)
{
	uint64_t until;
	const struct xtr_ft_task *parent;

	if (!e->thread) {
		task->pid = e->tid;
		task->start = e->ts;
		task->flags = e->parent == KTHREADD ? XTR_TASK_KTHREAD : 0;
		return;
	}
	parent = holding(t, e->parent, e->ts, &until) ?: look_up(t, e->parent, e->ts);
	if (parent) {
		task->pid = parent->pid;
		task->start = parent->start;
		task->flags = parent->flags;
	}
}

/* Versions behind a thread's beginning are its own: those that did not know their process, and
 * those of which /proc knew the start in ticks. */
static void tell_newer(struct xtr_ft_tasks *t, struct xtr_ft_task *born)
{
	struct xtr_ft_task *v = next_of(t, born);

	for (; v && !v->born; v = next_of(t, v)) {
		if (v->used && v->pid == born->pid)
			born->start = v->start; /* it is in the file already */
		v->pid = born->pid;
		v->start = born->start;
		v->flags = born->flags;
		if (v->used)
			define(t, v, v->since);
	}
}

static void take_new(struct xtr_ft_tasks *t, const struct xtr_ft_event *e)
{
	struct xtr_ft_task task = { .tid = e->tid, .since = e->ts, .born = true }, *born;

	find_process(t, &task, e);
	memcpy(task.comm, e->comm, sizeof(task.comm));
	born = insert(t, &task);
	if (!born)
		return;
	tell_newer(t, born);
	catch_up(t, born);
}

static void take_rename(struct xtr_ft_tasks *t, const struct xtr_ft_event *e)
{
	struct xtr_ft_task task = { .tid = e->tid, .since = e->ts }, *named;
	uint64_t until;
	const struct xtr_ft_task *was =
		holding(t, e->tid, e->ts, &until) ?: look_up(t, e->tid, e->ts);

	if (was) {
		task.pid = was->pid;
		task.start = was->start;
		task.flags = was->flags;
	}
	memcpy(task.comm, e->comm, sizeof(task.comm));
	named = insert(t, &task);
	if (named)
		catch_up(t, named);
}

/* Without memory a thread has no name, or the one that /proc gives. */
void xtr_ft_tasks_add(struct xtr_ft_tasks *t, const struct xtr_ft_event *e)
{
	struct xtr_ft_event *more = grow(t->events, &t->cap_events, t->n_events, sizeof(*more));

	if (!more)
		return;
	t->events = more;
	more[t->n_events++] = *e;
}

static int by_time(const void *a, const void *b)
{
	const struct xtr_ft_event *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

/* Threads that are known by now. */
static void forget_known(struct xtr_ft_tasks *t)
{
	struct xtr_map left = { .n = 0 };
	const struct xtr_map_slot *slot;
	size_t i = 0;

	while ((slot = xtr_map_next(&t->unknown, &i)))
		if (!xtr_map_get(&t->by_tid, slot->a, 0))
			(void)xtr_map_put(&left, slot->a, slot->b, slot->value);
	xtr_map_free(&t->unknown);
	t->unknown = left;
}

void xtr_ft_tasks_until(struct xtr_ft_tasks *t, uint64_t before)
{
	size_t n = 0;

	t->pass = before;
	if (!t->n_events)
		return;
	qsort(t->events, t->n_events, sizeof(*t->events), by_time);
	for (; n < t->n_events && t->events[n].ts < before; n++)
		(t->events[n].rename ? take_rename : take_new)(t, &t->events[n]);
	t->n_events -= n;
	memmove(t->events, t->events + n, t->n_events * sizeof(*t->events));
	if (t->unknown.n)
		forget_known(t);
}

/* --- forgetting ------------------------------------------------------------------------------- */

/* Versions that were followed by another one before that time. True: there are some left. */
static bool forget_older(struct xtr_ft_tasks *t, uint32_t tid, uint64_t before)
{
	uint32_t i = xtr_map_index(&t->by_tid, tid, 0), newest = i;

	while (i != XTR_MAP_NONE && t->v[i].since > before)
		i = t->v[i].older;
	if (i == XTR_MAP_NONE)
		return newest != XTR_MAP_NONE && t->v[newest].older != XTR_MAP_NONE;
	give_back(t, t->v[i].older);
	t->v[i].older = XTR_MAP_NONE;
	return i != newest;
}

static void forget_gone(struct xtr_ft_tasks *t)
{
	struct xtr_map left = { .n = 0 };
	const struct xtr_map_slot *slot;
	size_t i = 0;
	char path[32];

	while ((slot = xtr_map_next(&t->by_tid, &i))) {
		snprintf(path, sizeof(path), "/proc/%u", (uint32_t)slot->a);
		if (access(path, F_OK) || xtr_map_put(&left, slot->a, 0, slot->value))
			give_back(t, (uint32_t)slot->value);
	}
	xtr_map_free(&t->by_tid);
	t->by_tid = left;
	t->prune_at = 2 * left.n > PRUNE_FIRST ? 2 * left.n : PRUNE_FIRST;
}

void xtr_ft_tasks_prune(struct xtr_ft_tasks *t, uint64_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_several; i++)
		if (forget_older(t, t->several[i], before))
			t->several[n++] = t->several[i];
	t->n_several = n;
	if (t->by_tid.n >= t->prune_at)
		forget_gone(t);
}
