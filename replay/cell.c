/* SPDX-License-Identifier: BSD-2-Clause */
#include "cell.h"
#include "json.h"
#include "text.h"

#define DIGITS 24u /* bytes that hold any 64-bit number with its sign */

/* Rows are written by the million: printf would take most of the time. */
static void put_number(FILE *f, uint64_t v, bool negative)
{
	char digits[DIGITS], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (negative)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(digits + sizeof(digits) - p), f);
}

static void put_cell_number(FILE *f, const struct xtr_cell *c)
{
	bool negative = c->kind == XTR_CELL_INT && c->i < 0;

	put_number(f, negative ? 0 - c->u : c->u, negative);
}

void xtr_cell_csv(FILE *f, const struct xtr_cell *c)
{
	if (c->kind == XTR_CELL_TEXT)
		xtr_text_csv(f, c->s, c->n);
	else if (c->kind != XTR_CELL_NULL)
		put_cell_number(f, c);
}

void xtr_cell_json(FILE *f, const struct xtr_cell *c)
{
	if (c->kind == XTR_CELL_TEXT)
		xtr_json_quote(f, c->s, c->n);
	else if (c->kind != XTR_CELL_NULL)
		put_cell_number(f, c);
	else
		fputs_unlocked("null", f);
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
	size_t i;

	for (i = 0; (c = column_at(rel, i)); i++)
		fprintf(f, "%s%s", i ? "," : "", c->name);
	fputs("\r\n", f);
}

void xtr_csv_row(FILE *f, const struct xtr_relation *rel,
		 const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row)
{
	size_t i;

	for (i = 0; i < XTR_ORIGIN_N; i++) {
		xtr_cell_csv(f, &origin[i]);
		putc_unlocked(',', f);
	}
	for (i = 0; i < rel->n; i++) {
		if (i)
			putc_unlocked(',', f);
		xtr_cell_csv(f, &row->cell[i]);
	}
	fputs_unlocked("\r\n", f);
}

void xtr_jsonl_row(FILE *f, const struct xtr_relation *rel,
		   const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row)
{
	const struct xtr_column *c;
	size_t i;

	for (i = 0; (c = column_at(rel, i)); i++) {
		fputs_unlocked(i ? ",\"" : "{\"", f);
		fputs_unlocked(c->name, f);
		fputs_unlocked("\":", f);
		xtr_cell_json(f, i < XTR_ORIGIN_N ? &origin[i] : &row->cell[i - XTR_ORIGIN_N]);
	}
	fputs_unlocked("}\n", f);
}
