/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned text tables: columns as wide as their widest cell, two spaces between. */
#ifndef XTR_GRID_H
#define XTR_GRID_H

#include "hist.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define XTR_GRID_COLUMNS 20u

struct xtr_grid;

/* Column titles, NULL-terminated; a leading '<' aligns the column left, others are right-aligned.
 */
struct xtr_grid *xtr_grid_new(const char *const *titles);
/* The next cell, copied; rows fill one after the other. */
void xtr_grid_cell(struct xtr_grid *t, const char *text);
/*
 * Print with a title line and so many spaces in front of each line, free; returns 0, or -ENOMEM if
 * memory ran out while it was filled (then nothing is printed). f NULL: only free.
 */
int xtr_grid_print(struct xtr_grid *t, FILE *f, unsigned int indent);

/* --- grid cell -------------------------------------------------------------------------------- */

/* Cells of tables that hold numbers. What is not known is "-". */
void xtr_grid_count(struct xtr_grid *t, uint64_t n);
void xtr_grid_ns(struct xtr_grid *t, bool known, uint64_t ns);
/* format: of base/text.h, into XTR_TEXT_NUMBER bytes. */
void xtr_grid_value(struct xtr_grid *t, bool known, char *(*format)(char *, uint64_t), uint64_t v);
/* Three cells: p50, p99, max of a histogram of ns. */
void xtr_grid_times(struct xtr_grid *t, const struct xtr_hist *h);

#endif /* XTR_GRID_H */
