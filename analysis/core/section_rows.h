/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the tables of sections: rows on their way from fill to text, JSON or cells. */
#ifndef XTR_SECTION_ROWS_H
#define XTR_SECTION_ROWS_H

#include "replay/views/relation.h"
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
	void (*write)(const void *self, const void *row, struct xtr_json *j);
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
	int err;
	uint64_t rows, more; /* so many were given; so many of them were not shown */
	struct xtr_section_value put[XTR_COLUMNS_MAX];
	struct xtr_section_value member; /* of the last column that has one */
	uint8_t dot[XTR_COLUMNS_MAX];    /* JSON: so many bytes of a key are objects, or 0 */
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

/* --- section cells ---------------------------------------------------------------------------- */

/*
 * Tables of sections as tables of a database: columns are named as in JSON, '_' in place of '.'. A
 * histogram KEY_ns is KEY_n, KEY_sum_ns, KEY_p50_ns, KEY_p99_ns and KEY_max_ns; a process has its
 * number, and KEY_nth as in JSON; what JSON has as an object or array is its text.
 */
#define XTR_SECTION_NAME 80u /* bytes of a table's or column's name */

/* "xe_queues"; "amdgpu_jobs_rings". */
const char *xtr_section_table_name(const char *section, const struct xtr_section_table *t,
				   char buf[XTR_SECTION_NAME]);
/*
 * Each table that has a name, all zero before the first: those of the analyses, and behind them
 * what stats shows of every trace.
 */
struct xtr_table_at {
	size_t section, next; /* in xtr_analyses */
	const struct xtr_section_table *table;
	uint64_t part; /* bit of xtr_view.parts; of what no part leaves out: the highest */
	char name[XTR_SECTION_NAME];
};
bool xtr_table_next(struct xtr_table_at *at);
/* What it is made of; NULL: the trace has nothing of the section. */
const void *xtr_table_self(const struct xtr_table_at *at, const struct xtr_view *v);
/* All columns, in order; name lives for the call. */
void xtr_section_columns(const struct xtr_section_table *t,
			 void (*put)(void *ctx, const char *name, enum xtr_column_type type,
				     const char *help),
			 void *ctx);
/*
 * All rows; n as many cells as columns, which live for the call. 0, -ENOMEM, or what put returned
 * if that is not 0; then put is not called again.
 */
int xtr_section_cells(const struct xtr_section_table *t, const void *self,
		      const struct xtr_analysis_opts *o,
		      int (*put)(void *ctx, const struct xtr_cell *cell, size_t n), void *ctx);

#endif /* XTR_SECTION_ROWS_H */
