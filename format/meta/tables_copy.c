// SPDX-License-Identifier: BSD-2-Clause
/* Tables that were read, made writable: a copy of which nothing counts as written. */
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	int err = copy_frames(to, &t->t[XTR_T_FRAMES]);

	if (!err)
		err = copy_stacks(to, &t->t[XTR_T_STACKS]);
	return err ? err : copy_rings(to, &t->t[XTR_T_RINGS]);
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
