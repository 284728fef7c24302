/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of tables as text: CSV (RFC 4180) and JSON lines. */
#ifndef XTR_CELL_H
#define XTR_CELL_H

#include "base/line.h"
#include "relation.h"

#include <stdio.h>

/* One value; nothing if it is not known. Errors of the stream are the caller's to look for. */
void xtr_cell_csv(struct xtr_line *l, const struct xtr_cell *c);
/* One value, null if it is not known. */
void xtr_cell_json(struct xtr_line *l, const struct xtr_cell *c);

/* The header line, with the columns of the origin first. */
void xtr_csv_header(FILE *f, const struct xtr_relation *rel);
void xtr_csv_row(struct xtr_line *l, const struct xtr_relation *rel,
		 const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row);
/* One line; keys whose value is not known are there, with null. */
void xtr_jsonl_row(struct xtr_line *l, const struct xtr_relation *rel,
		   const struct xtr_cell origin[XTR_ORIGIN_N], const struct xtr_row *row);

#endif /* XTR_CELL_H */
