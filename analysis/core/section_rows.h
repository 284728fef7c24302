/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the tables of sections: rows on their way from fill to text, JSON or cells. */
#ifndef XTR_SECTION_ROWS_H
#define XTR_SECTION_ROWS_H

#include "section_table.h"

/* What a column holds in a row. */
struct xtr_section_value {
	bool known, absent;
	bool foreign;  /* s is of the trace: not safe for a terminal */
	bool negative; /* a is a two's complement below 0 */
	uint64_t a, b;
	const char *s;
	size_t n;
	const struct xtr_hist *hist;
	void (*write)(const void *ctx, struct xtr_json *j);
	const void *ctx;
};

struct xtr_rows {
	const struct xtr_section_table *table;
	const struct xtr_analysis_opts *o;
	const void *self;
	/* A row is whole: its values are asked for by xtr_section_value. */
	void (*row)(struct xtr_rows *r, const void *row);
	void *to; /* grid, JSON or what else row writes to */
	bool text;
	uint64_t rows, more; /* so many were given; so many of them were not shown */
	struct xtr_section_value put[XTR_COLUMNS_MAX];
	struct xtr_section_value member; /* of the last column that has one */
	uint32_t n_put, next;            /* next: the first that was not asked for in this row */
	char texts[XTR_ROW_TEXTS];
	size_t used;
};

/* Calls fill. */
void xtr_rows_fill(struct xtr_rows *r, const struct xtr_section_table *t, const void *self,
		   const struct xtr_analysis_opts *o);
/* The next column's value: to be asked for once for each column, in order. It lasts until the next
 * call. */
const struct xtr_section_value *xtr_section_value(struct xtr_rows *r,
						  const struct xtr_section_column *c,
						  const void *row);

#endif /* XTR_SECTION_ROWS_H */
