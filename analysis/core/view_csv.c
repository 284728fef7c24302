/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr stats --csv`: the tables of sections, with the columns of `xtr query`. */
#include "replay/views/cell.h"
#include "section_rows.h"
#include "view.h"

#include <inttypes.h>

static void put_column(void *ctx, const char *name, enum xtr_column_type type, const char *help)
{
	(void)type;
	(void)help;
	fprintf(ctx, ",%s", name);
}

/* Of one table: where its rows go, and what they begin with. */
struct csv {
	FILE *f;
	const char *table;
	size_t recording;
};

static int put_row(void *ctx, const struct xtr_cell *cell, size_t n)
{
	const struct csv *to = ctx;
	struct xtr_line l;

	xtr_line_begin(&l, to->f);
	xtr_line_str(&l, to->table);
	xtr_line_char(&l, ',');
	xtr_line_number(&l, to->recording);
	for (size_t i = 0; i < n; i++) {
		xtr_line_char(&l, ',');
		xtr_cell_csv(&l, &cell[i]);
	}
	xtr_line_str(&l, "\r\n");
	xtr_line_flush(&l);
	return 0;
}

int xtr_view_csv(const struct xtr_view *v, size_t recording, bool *any)
{
	struct xtr_table_at at = { 0 };
	struct csv to = { .f = v->f, .table = at.name, .recording = recording };
	int err = 0;

	while (!err && xtr_table_next(&at)) {
		const void *self = xtr_table_self(&at, v);

		if (!(v->parts & at.part) || !self)
			continue;
		fputs(*any ? "\r\ntable,section" : "table,section", v->f);
		*any = true;
		xtr_section_columns(at.table, put_column, v->f);
		fputs("\r\n", v->f);
		err = xtr_section_cells(at.table, self, xtr_analyses_opts(v->analyses), put_row,
					&to);
	}
	return err;
}

uint64_t xtr_view_csv_parts(void)
{
	struct xtr_table_at at = { 0 };
	uint64_t parts = 0;

	while (xtr_table_next(&at))
		parts |= at.part;
	return parts;
}
