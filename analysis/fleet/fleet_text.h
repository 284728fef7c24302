/* SPDX-License-Identifier: BSD-2-Clause */
/* What the texts of the room share. */
#ifndef XTR_FLEET_TEXT_H
#define XTR_FLEET_TEXT_H

#include "fleet.h"
#include "base/text.h"

struct xtr_grid;

/* A stranger's text as a cell; NULL: "-". */
void fleet_cell(struct xtr_grid *g, const char *s);
/* A value of a metric in its unit. */
char *fleet_value(char buf[XTR_TEXT_NUMBER], unsigned int metric, uint64_t v);
/* "1.05"; "-" of NAN, ">99999". */
const char *fleet_ratio(char buf[XTR_TEXT_NUMBER], double ratio);
/* "... and 3 more"; nothing for 0. */
void fleet_more(FILE *f, uint64_t n);
/* Losses first, then what there is. 0 or -ENOMEM. */
int fleet_head(FILE *f, const struct xtr_fleet *fleet);

#endif /* XTR_FLEET_TEXT_H */
