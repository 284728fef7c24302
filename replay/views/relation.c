/* SPDX-License-Identifier: BSD-2-Clause */
#include "relation.h"

#include <string.h>

#define COLUMN(id, name, type, unit, help) { name, XTR_COLUMN_##type, unit, help },

const struct xtr_column xtr_origin_columns[XTR_ORIGIN_N] = { XTR_ORIGIN_COLUMNS(COLUMN) };

#define COLUMNS_OF(id, name, columns, help)                                     \
	static const struct xtr_column columns_of_##id[] = { columns(COLUMN) }; \
	_Static_assert(sizeof(columns_of_##id) / sizeof(columns_of_##id[0]) <= XTR_ROW_MAX, name);
XTR_RELATIONS(COLUMNS_OF)

#define RELATION(id, name, columns, help)               \
	[XTR_REL_##id] = { name, help, columns_of_##id, \
			   sizeof(columns_of_##id) / sizeof(columns_of_##id[0]) },

const struct xtr_relation xtr_relations[XTR_REL_COUNT] = { XTR_RELATIONS(RELATION) };

const struct xtr_relation *xtr_relation_by_name(const char *name)
{
	for (size_t i = 0; i < XTR_REL_COUNT; i++)
		if (!strcmp(xtr_relations[i].name, name))
			return &xtr_relations[i];
	return NULL;
}

void xtr_row_without_times(const struct xtr_relation *of, struct xtr_row *row)
{
	for (size_t i = 0; i < of->n; i++)
		if (of->columns[i].unit && !strcmp(of->columns[i].unit, "ns"))
			row->cell[i].kind = XTR_CELL_NULL;
}
