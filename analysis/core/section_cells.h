/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of sections as tables of a database: columns are named as in JSON, '_' in place of '.'. A
 * histogram KEY_ns is KEY_n, KEY_sum_ns, KEY_p50_ns, KEY_p99_ns and KEY_max_ns; a process has its
 * number, and KEY_nth as in JSON; what JSON has as an object or array is its text.
 */
#ifndef XTR_SECTION_CELLS_H
#define XTR_SECTION_CELLS_H

#include "replay/views/relation.h"
#include "section_table.h"

#define XTR_SECTION_NAME 80u /* bytes of a table's or column's name */

/* "xe_queues"; "amdgpu_jobs_rings". */
const char *xtr_section_table_name(const struct xtr_analysis *of, const struct xtr_section_table *t,
				   char buf[XTR_SECTION_NAME]);
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

#endif /* XTR_SECTION_CELLS_H */
