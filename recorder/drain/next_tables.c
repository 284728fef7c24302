/* SPDX-License-Identifier: BSD-2-Clause */
#include "next_tables.h"

#include "base/buf.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#define INIT_PID_NS 0xEFFFFFFCu /* inode of the first pid namespace: PROC_PID_INIT_INO */

struct xtr_ended {
	uint32_t tid;
	uint64_t seen; /* ns */
};

struct choice {
	struct xtr_next_tables *nt;
	const struct xtr_tables *tables;
	uint64_t watermark, now;
	struct xtr_ended *ended; /* the new list */
	size_t n, cap;
	bool own_pids; /* numbers of tasks mean the same to us as to the kernel */
	bool failed;
};

static bool has_own_pids(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == INIT_PID_NS;
}

static bool is_alive(uint32_t tid)
{
	return !tid || tid > INT32_MAX || !kill((pid_t)tid, 0) || errno != ESRCH;
}

static int ended_cmp(const void *pa, const void *pb)
{
	const struct xtr_ended *a = pa, *b = pb;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Since when the task is known to have ended: now, if it is new. */
static uint64_t ended_since(const struct choice *c, const struct xtr_task *task)
{
	const struct xtr_ended key = { .tid = task->tid };
	const struct xtr_ended *known =
		c->nt->n ? bsearch(&key, c->nt->ended, c->nt->n, sizeof(key), ended_cmp) : NULL;

	return known && known->seen >= task->since ? known->seen : c->now;
}

/* Its events may still be on their way as long as the watermark is older than its end. */
static bool keep(void *ctx, const struct xtr_task *task)
{
	struct choice *c = ctx;
	uint64_t seen;

	if (task->since <= c->watermark &&
	    xtr_tables_task(c->tables, task->tid, c->watermark) != task)
		return false;
	if (!c->own_pids || is_alive(task->tid))
		return true;
	seen = ended_since(c, task);
	if (seen < c->watermark)
		return false;
	if (xtr_grow_array(&c->ended, &c->cap, c->n + 1, sizeof(*c->ended)))
		c->failed = true;
	else
		c->ended[c->n++] = (struct xtr_ended){ task->tid, seen };
	return true;
}

struct xtr_tables *xtr_next_tables(struct xtr_next_tables *nt, const struct xtr_defs *d,
				   uint64_t watermark, uint64_t now)
{
	struct choice c = { .nt = nt,
			    .tables = d->tables,
			    .watermark = watermark,
			    .now = now,
			    .own_pids = has_own_pids() };
	struct xtr_tables *t = xtr_tables_rest(d->tables, keep, &c, d->ops, d->n_ops);

	if (!t || c.failed) {
		free(c.ended);
		xtr_tables_free(t);
		return NULL;
	}
	if (c.n)
		qsort(c.ended, c.n, sizeof(*c.ended), ended_cmp);
	free(nt->ended);
	*nt = (struct xtr_next_tables){ c.ended, c.n, c.cap };
	return t;
}

void xtr_next_tables_free(struct xtr_next_tables *nt)
{
	free(nt->ended);
	*nt = (struct xtr_next_tables){ 0 };
}
