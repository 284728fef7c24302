/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of view_tables.c and view_lists.c share. */
#ifndef XTR_VIEW_TABLES_H
#define XTR_VIEW_TABLES_H

#include "section_columns.h"
#include "stats_impl.h"
#include "view.h"

/* Rows are arrays of the statistics. */
#define ROWS(array, n)                                                                           \
	{                                                                                        \
		.where = XTR_ROWS_POINTER, .via = XTR_VIA(struct xtr_view, stats),               \
		.at = offsetof(struct xtr_stats, array), .count = offsetof(struct xtr_stats, n), \
		.count_size = sizeof(((struct xtr_stats *)0)->n),                                \
		.size = sizeof(((struct xtr_stats *)0)->array[0])                                \
	}

static inline const struct xtr_view *view_of(const struct xtr_rows *r)
{
	return xtr_rows_self(r);
}

/* Only in text; parts: own, 0: of all; then XTR_PUT or AT. */
#define IN_TEXT(title, kind, parts, ...)                               \
	{                                                              \
		NULL, title, XTR_C_##kind, __VA_ARGS__, .own = (parts) \
	}

/* Columns ring_id, device and ring. */
#define RING_COLUMNS                                                                              \
	{ "ring_id", NULL, XTR_C_COUNT, XTR_PUT, "the ring in this recording" },                  \
		{ "device", "<device", XTR_C_TEXT, XTR_PUT, "its device" },                       \
	{                                                                                         \
		"ring", "<ring", XTR_C_TEXT, XTR_PUT, "its name, which other devices may use too" \
	}
void view_put_ring(struct xtr_rows *r, const struct xtr_model_ring *ring);
/* A time, or its upper bound, of a column that is only in text. */
void view_put_ns(struct xtr_rows *r, bool bounded, uint64_t ns);

extern const struct xtr_section_table view_blockers, view_longest_waits, view_slowest, view_events;

#endif /* XTR_VIEW_TABLES_H */
