// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ids of a table upwards. A writer gives them out in rising order, so the rows are in order; if
 * a file's are not, they are sorted once, when all of it was read.
 */
#include "tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	int err = xtr_tables_sort_tasks(t);

	if (!err)
		err = xtr_tables_rank_processes(t);
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
