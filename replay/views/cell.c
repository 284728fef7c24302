/* SPDX-License-Identifier: BSD-2-Clause */
#include "cell.h"
#include "base/json.h"

static void put_number(struct xtr_line *l, const struct xtr_cell *c)
{
	if (c->kind == XTR_CELL_INT)
		xtr_line_s64(l, c->i);
	else
		xtr_line_number(l, c->u);
}

void xtr_cell_csv(struct xtr_line *l, const struct xtr_cell *c)
{
	if (c->kind == XTR_CELL_TEXT)
		xtr_line_csv(l, c->s, c->n);
	else if (c->kind != XTR_CELL_NULL)
		put_number(l, c);
}

void xtr_cell_json(struct xtr_line *l, const struct xtr_cell *c)
{
	if (c->kind == XTR_CELL_TEXT)
		xtr_json_quote(l, c->s, c->n);
	else if (c->kind != XTR_CELL_NULL)
		put_number(l, c);
	else
		xtr_line_put(l, "null", 4);
}

/* The i-th column, those of the origin first; NULL past the last. */
static const struct xtr_column *column_at(const struct xtr_relation *rel, size_t i)
{
	if (i < XTR_ORIGIN_N)
		return &xtr_origin_columns[i];
	return i - XTR_ORIGIN_N < rel->n ? &rel->columns[i - XTR_ORIGIN_N] : NULL;
}

void xtr_csv_header(FILE *f, const struct xtr_relation *rel)
{
	const struct xtr_column *c;

	for (size_t i = 0; (c = column_at(rel, i)); i++)
		fprintf(f, "%s%s", i ? "," : "", c->name);
	fputs("\r\n", f);
}

void xtr_csv_row(struct xtr_line *l, const struct xtr_relation *rel,
		 const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row)
{
	for (size_t i = 0; i < XTR_ORIGIN_N; i++) {
		xtr_cell_csv(l, &origin[i]);
		xtr_line_char(l, ',');
	}
	for (size_t i = 0; i < rel->n; i++) {
		if (i)
			xtr_line_char(l, ',');
		xtr_cell_csv(l, &row->cell[i]);
	}
	xtr_line_put(l, "\r\n", 2);
}

void xtr_jsonl_row(struct xtr_line *l, const struct xtr_relation *rel,
		   const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row)
{
	const struct xtr_column *c;

	for (size_t i = 0; (c = column_at(rel, i)); i++) {
		xtr_line_put(l, i ? ",\"" : "{\"", 2);
		xtr_line_str(l, c->name);
		xtr_line_put(l, "\":", 2);
		xtr_cell_json(l, i < XTR_ORIGIN_N ? &origin[i] : &row->cell[i - XTR_ORIGIN_N]);
	}
	xtr_line_put(l, "}\n", 2);
}
