/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned text tables: columns as wide as their widest cell, two spaces between. */
#ifndef XTR_GRID_H
#define XTR_GRID_H

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

#endif /* XTR_GRID_H */
