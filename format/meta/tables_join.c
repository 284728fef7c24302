/* SPDX-License-Identifier: BSD-2-Clause */
/* What two tables of one recording hold together: those of its beginning, and of a later part. */
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int join_string(struct xtr_tables *to, const void *row)
{
	const struct xtr_string_entry *s = row;

	return xtr_tables_put_string(to, s->id, s->text, s->n);
}

static int join_frame(struct xtr_tables *to, const void *row)
{
	const struct xtr_frame_entry *e = row;

	return xtr_tables_put_frame(to, e->id, &e->f);
}

static int join_stack(struct xtr_tables *to, const void *row)
{
	const struct xtr_stack_entry *s = row;

	return xtr_tables_add_stack(to, s->id, s->frames, s->n);
}

static int join_ring(struct xtr_tables *to, const void *row)
{
	return xtr_tables_add_ring(to, row);
}

static int (*const join[XTR_T_IDS])(struct xtr_tables *to, const void *row) = {
	[XTR_T_STRINGS] = join_string,
	[XTR_T_FRAMES] = join_frame,
	[XTR_T_STACKS] = join_stack,
	[XTR_T_RINGS] = join_ring,
};

/* A task whose last entry is the same has it twice then, which means the same (spec 6.4). */
static int join_tasks(struct xtr_tables *to, const struct xtr_tables *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n_tasks && !err; i++)
		err = xtr_tables_add_task(to, &from->tasks[i]);
	return err;
}

int xtr_tables_join(struct xtr_tables *to, const struct xtr_tables *from)
{
	int err = 0;

	for (int k = 0; k < XTR_T_IDS; k++) {
		for (size_t i = 0; i < from->t[k].n && !err; i++) {
			const void *row = xtr_id_table_at(&from->t[k], i);
			uint32_t id = *(const uint32_t *)row;

			if (!xtr_id_table_get(&to->t[k], id))
				err = join[k](to, row);
		}
	}
	return err ? err : join_tasks(to, from);
}

size_t xtr_tables_bytes(const struct xtr_tables *t)
{
	size_t bytes = t->bytes + (t->cap_tasks + t->cap_pending) * sizeof(*t->tasks);

	for (int k = 0; k < XTR_T_IDS; k++)
		bytes += t->t[k].cap * t->t[k].row;
	return bytes;
}

/* --- tables copy ------------------------------------------------------------------------------ */

/* Tables that were read, made writable: a copy of which nothing counts as written. */

static int copy_strings(struct xtr_tables *to, const struct xtr_id_table *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++) {
		const struct xtr_string_entry *s = xtr_id_table_at(from, i);

		err = xtr_tables_put_string(to, s->id, s->text, s->n);
	}
	return err;
}

static int copy_frames(struct xtr_tables *to, const struct xtr_id_table *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++) {
		const struct xtr_frame_entry *e = xtr_id_table_at(from, i);

		err = xtr_tables_put_frame(to, e->id, &e->f);
	}
	return err;
}

static int copy_stacks(struct xtr_tables *to, const struct xtr_id_table *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++) {
		const struct xtr_stack_entry *s = xtr_id_table_at(from, i);

		err = xtr_tables_add_stack(to, s->id, s->frames, s->n);
	}
	return err;
}

static int copy_rings(struct xtr_tables *to, const struct xtr_id_table *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++)
		err = xtr_tables_add_ring(to, xtr_id_table_at(from, i));
	return err;
}

/* In their order, sorted and all pending. */
static int copy_tasks(struct xtr_tables *to, const struct xtr_tables *from)
{
	size_t n = from->n_tasks, bytes = n * sizeof(*from->tasks);

	if (!n)
		return 0;
	to->tasks = malloc(bytes);
	to->pending = malloc(bytes);
	if (!to->tasks || !to->pending)
		return -ENOMEM;
	memcpy(to->tasks, from->tasks, bytes);
	memcpy(to->pending, from->tasks, bytes);
	to->n_tasks = to->cap_tasks = to->n_pending = to->cap_pending = n;
	to->n_sorted = from->n_sorted;
	to->unranked = from->unranked;
	return xtr_map_copy(&to->processes, &from->processes);
}

int xtr_tables_copy_ids(struct xtr_tables *to, const struct xtr_tables *t)
{
	return copy_frames(to, &t->t[XTR_T_FRAMES]) ?: copy_stacks(to, &t->t[XTR_T_STACKS]) ?:
	       copy_rings(to, &t->t[XTR_T_RINGS]);
}

struct xtr_tables *xtr_tables_copy(const struct xtr_tables *t)
{
	struct xtr_tables *copy = xtr_tables_new();

	if (copy && !copy_strings(copy, &t->t[XTR_T_STRINGS]) && !xtr_tables_copy_ids(copy, t) &&
	    !copy_tasks(copy, t))
		return copy;
	xtr_tables_free(copy);
	return NULL;
}

/* --- tables order ----------------------------------------------------------------------------- */

/*
 * The ids of a table upwards. A writer gives them out in rising order, so the rows are in order; if
 * a file's are not, they are sorted once, when all of it was read.
 */

static uint32_t row_id(const struct xtr_id_table *t, size_t i)
{
	uint32_t id;

	memcpy(&id, xtr_id_table_at(t, i), sizeof(id));
	return id;
}

static int id_cmp(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return a < b ? -1 : a > b;
}

static int settle(struct xtr_id_table *t)
{
	uint32_t *ids;

	if (!t->unsorted || t->n_ids == t->n)
		return 0;
	ids = malloc(t->n * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		ids[i] = row_id(t, i);
	qsort(ids, t->n, sizeof(*ids), id_cmp);
	free(t->ids);
	t->ids = ids;
	t->n_ids = t->n;
	return 0;
}

int xtr_tables_settle(struct xtr_tables *t)
{
	int err = xtr_tables_sort_tasks(t) ?: xtr_tables_rank_processes(t);

	for (int i = 0; i < XTR_T_IDS && !err; i++)
		err = settle(&t->t[i]);
	return err;
}

/* The i-th id in order; all are there if they came in order or were settled. */
static uint32_t sorted_id(const struct xtr_id_table *t, size_t i)
{
	return t->unsorted ? t->ids[i] : row_id(t, i);
}

/* The smallest id above one by looking at all rows; 0: there is none. */
static uint32_t search_all(const struct xtr_id_table *t, uint32_t above)
{
	uint32_t best = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint32_t id = row_id(t, i);

		if (id > above && (!best || id < best))
			best = id;
	}
	return best;
}

bool xtr_tables_next_id(const struct xtr_tables *t, enum xtr_table table, uint32_t *id)
{
	static const int index[] = { XTR_T_STRINGS, XTR_T_FRAMES, XTR_T_STACKS };
	const struct xtr_id_table *it = &t->t[index[table]];
	size_t low = 0, high = it->n;
	uint32_t next;

	if (it->unsorted && it->n_ids != it->n) {
		next = search_all(it, *id);
		*id = next ? next : *id;
		return next;
	}
	while (low < high) { /* the first id above *id */
		size_t mid = low + (high - low) / 2;

		if (sorted_id(it, mid) <= *id)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == it->n)
		return false;
	*id = sorted_id(it, low);
	return true;
}

/* --- tables rest ------------------------------------------------------------------------------ */

/* The tables of the next piece of a rotated recording: what later records may still name. */

static int need(struct xtr_map *m, uint32_t id)
{
	return id ? xtr_map_put(m, id, 0, 1) : 0;
}

/* The strings that tasks, rings and frames of t name, and those of `ids`. */
static int needed_strings(const struct xtr_tables *t, const uint32_t *ids, size_t n,
			  struct xtr_map *m)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = need(m, ids[i]);
	for (size_t i = 0; i < t->n_tasks && !err; i++)
		err = need(m, t->tasks[i].comm) ?: need(m, t->tasks[i].cgroup);
	for (size_t i = 0; i < t->t[XTR_T_RINGS].n && !err; i++) {
		const struct xtr_ring *r = xtr_id_table_at(&t->t[XTR_T_RINGS], i);

		err = need(m, r->device) ?: need(m, r->name);
	}
	for (size_t i = 0; i < t->t[XTR_T_FRAMES].n && !err; i++) {
		const struct xtr_frame_entry *e = xtr_id_table_at(&t->t[XTR_T_FRAMES], i);

		err = need(m, e->f.symbol) ?: need(m, e->f.module) ?: need(m, e->f.build_id);
	}
	return err;
}

static int rest_of_strings(struct xtr_tables *to, const struct xtr_tables *t, const uint32_t *ids,
			   size_t n)
{
	struct xtr_map m = { 0 };
	int err = needed_strings(to, ids, n, &m);

	for (size_t i = 0; i < t->t[XTR_T_STRINGS].n && !err; i++) {
		const struct xtr_string_entry *s = xtr_id_table_at(&t->t[XTR_T_STRINGS], i);

		if (xtr_map_get(&m, s->id, 0))
			err = xtr_tables_put_string(to, s->id, s->text, s->n);
	}
	xtr_map_free(&m);
	return err;
}

static int rest_of_tasks(struct xtr_tables *to, const struct xtr_tables *t,
			 bool (*keep)(void *ctx, const struct xtr_task *task), void *ctx)
{
	int err = 0;

	for (size_t i = 0; i < t->n_tasks && !err; i++)
		if (keep(ctx, &t->tasks[i]))
			err = xtr_tables_add_task(to, &t->tasks[i]);
	return err;
}

struct xtr_tables *xtr_tables_rest(const struct xtr_tables *t,
				   bool (*keep)(void *ctx, const struct xtr_task *task), void *ctx,
				   const uint32_t *strings, size_t n)
{
	struct xtr_tables *to = xtr_tables_new();

	if (to && !xtr_tables_copy_ids(to, t) && !rest_of_tasks(to, t, keep, ctx) &&
	    !rest_of_strings(to, t, strings, n)) {
		memcpy(to->last_id, t->last_id, sizeof(to->last_id));
		return to;
	}
	xtr_tables_free(to);
	return NULL;
}

void xtr_tables_swap(struct xtr_tables *a, struct xtr_tables *b)
{
	struct xtr_tables old = *a;

	*a = *b;
	*b = old;
}

void xtr_tables_replace(struct xtr_tables *t, struct xtr_tables *by)
{
	xtr_tables_swap(t, by);
	xtr_tables_free(by);
}
