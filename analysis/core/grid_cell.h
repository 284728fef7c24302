/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of tables that hold numbers. What is not known is "-". */
#ifndef XTR_GRID_CELL_H
#define XTR_GRID_CELL_H

#include "grid.h"
#include "hist.h"

#include <stdbool.h>
#include <stdint.h>

void xtr_grid_count(struct xtr_grid *t, uint64_t n);
void xtr_grid_ns(struct xtr_grid *t, bool known, uint64_t ns);
void xtr_grid_percent(struct xtr_grid *t, uint64_t part, uint64_t whole);
/* format: of base/text.h, into XTR_TEXT_NUMBER bytes. */
void xtr_grid_value(struct xtr_grid *t, bool known, char *(*format)(char *, uint64_t), uint64_t v);
/* Three cells: p50, p99, max of a histogram of ns. */
void xtr_grid_times(struct xtr_grid *t, const struct xtr_hist *h);

#endif /* XTR_GRID_CELL_H */
