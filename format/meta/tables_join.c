// SPDX-License-Identifier: BSD-2-Clause
/* What two tables of one recording hold together: those of its beginning, and of a later part. */
#include "tables_priv.h"

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
