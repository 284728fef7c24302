/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis `markers`: rows, and how they are shown (markers_view.c). */
#ifndef XTR_MARKERS_IMPL_H
#define XTR_MARKERS_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "base/map.h"
#include "base/keymap.h"
#include "replay/calls/marker.h"

#define MARKERS_MAX 8192u /* rows; what is of further ones is counted together */

enum markers_kind {
	MARKERS_SLICE,
	MARKERS_COUNTER,
	MARKERS_MOMENT,
	MARKERS_KINDS
};

/* All that one process says under one name. */
struct markers_row {
	enum markers_kind kind;
	char *name;
	uint32_t pid, nth; /* pid 0: not known */
	uint64_t n;
	uint64_t open;             /* of slices: begin or end is not in the trace */
	struct xtr_hist time;      /* of slices, ns */
	int64_t least, most, last; /* of counters */
};

struct markers {
	const struct xtr_analysis_opts *o;
	struct xtr_marker_event *event;
	uint32_t n_events;
	struct xtr_keymap by_type;
	struct markers_row *row;
	uint32_t n_rows;
	size_t cap_rows;
	struct xtr_map by_name; /* hash of a row's name, kind and process, to its index */
	uint64_t n[MARKERS_KINDS];
	uint64_t left_out; /* of further rows */
	uint32_t hist_left;
	struct xtr_marker marker;
};

int markers_text(const void *self, const struct xtr_view *v);
void markers_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const markers_tables[];

#endif /* XTR_MARKERS_IMPL_H */
