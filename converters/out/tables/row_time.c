/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_time.h"

#define TIMES_MAX 4u

/* Columns of a row's time, the first one that is known; -1: no more. */
static const struct {
	int at[TIMES_MAX];
} time_of[XTR_REL_COUNT] = {
	[XTR_REL_FILES] = { { XTR_COL_FILE_FIRST, -1 } },
	[XTR_REL_JOBS] = { { XTR_COL_JOB_QUEUE, XTR_COL_JOB_RUN, XTR_COL_JOB_START,
			     XTR_COL_JOB_DONE } },
	[XTR_REL_DEPS] = { { XTR_COL_DEP_FROM, -1 } },
	[XTR_REL_CALLS] = { { XTR_COL_CALL_BEGIN, XTR_COL_CALL_END, -1 } },
	[XTR_REL_EVENTS] = { { XTR_COL_EVENT_TS, -1 } },
	[XTR_REL_DEVICES] = { { -1 } },
	[XTR_REL_RINGS] = { { -1 } },
	[XTR_REL_PROCESSES] = { { XTR_COL_PROC_START, -1 } },
	[XTR_REL_TASKS] = { { XTR_COL_TASK_SINCE, -1 } },
	[XTR_REL_CLOCKS] = { { XTR_COL_CLOCK_BEFORE, -1 } },
	[XTR_REL_LOSSES] = { { -1 } },
	[XTR_REL_GAPS] = { { XTR_COL_GAP_FIRST, -1 } },
	[XTR_REL_META] = { { -1 } },
	[XTR_REL_LABELS] = { { -1 } },
};

struct xtr_wall xtr_wall_of(const struct xtr_row *file)
{
	const struct xtr_cell *offset = &file->cell[XTR_COL_FILE_REALTIME];
	bool known = offset->kind != XTR_CELL_NULL;

	return (struct xtr_wall){ known, known ? offset->i : 0 };
}

struct xtr_cell xtr_row_time(const struct xtr_wall *w, enum xtr_relation_id id,
			     const struct xtr_row *row)
{
	const int *at = time_of[id].at;

	for (size_t i = 0; w->known && i < TIMES_MAX && at[i] >= 0; i++)
		if (row->cell[at[i]].kind != XTR_CELL_NULL)
			return xtr_cell_uint(true, row->cell[at[i]].u + (uint64_t)w->offset);
	return xtr_cell_uint(false, 0);
}
