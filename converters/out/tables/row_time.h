/* SPDX-License-Identifier: BSD-2-Clause */
/* Column `time`: when a row was, in UTC (docs/tables.md). */
#ifndef XTR_ROW_TIME_H
#define XTR_ROW_TIME_H

#include "replay/views/relation.h"

#include <stdbool.h>
#include <stdint.h>

/* What a recording says of the wall clock. */
struct xtr_wall {
	bool known;
	int64_t offset; /* ns to add to a time */
};

/* Of the recording's row of table files. */
struct xtr_wall xtr_wall_of(const struct xtr_row *file);
/* ns since 1970 of the first of the row's times that is known; a row of any table. */
struct xtr_cell xtr_row_time(const struct xtr_wall *w, enum xtr_relation_id id,
			     const struct xtr_row *row);

#endif /* XTR_ROW_TIME_H */
