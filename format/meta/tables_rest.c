// SPDX-License-Identifier: BSD-2-Clause
/* The tables of the next piece of a rotated recording: what later records may still name. */
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
		err = need(m, t->tasks[i].comm);
	for (size_t i = 0; i < t->t[XTR_T_RINGS].n && !err; i++) {
		const struct xtr_ring *r = xtr_id_table_at(&t->t[XTR_T_RINGS], i);

		err = need(m, r->device);
		if (!err)
			err = need(m, r->name);
	}
	for (size_t i = 0; i < t->t[XTR_T_FRAMES].n && !err; i++) {
		const struct xtr_frame_entry *e = xtr_id_table_at(&t->t[XTR_T_FRAMES], i);

		err = need(m, e->f.symbol);
		if (!err)
			err = need(m, e->f.module);
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
