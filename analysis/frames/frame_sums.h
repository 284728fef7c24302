/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames summed: by screen (or process), and by the reason that they were late. */
#ifndef XTR_FRAME_SUMS_H
#define XTR_FRAME_SUMS_H

#include "analysis/blame/who.h"
#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "base/map.h"
#include "frame.h"

#include <stdio.h>

#define XTR_FRAME_REASONS_MAX 4096u /* the last is all further ones */

struct xtr_frame_sum { /* of a screen's or process' frames */
	int32_t crtc;  /* -1: no screen */
	uint64_t who;  /* whose the last one was; 0: not known */
	uint64_t n, verdict[XTR_FRAME_VERDICT_COUNT];
	uint64_t missed; /* vblanks, or deadlines, that passed meanwhile */
	uint64_t first_late_ns[XTR_FINDING_EVENTS_MAX + 1];
	struct xtr_hist interval, latency;
};

struct xtr_frame_reason {
	uint32_t stream, ring; /* ring: id; 0: none */
	uint8_t verdict, cause;
	uint64_t who, frames, ns;
	uint64_t longest_ns, longest; /* the frame of which it took most: its number */
	uint64_t at_ns;               /* when that was shown */
};

struct xtr_frame_sums { /* all zero: none */
	struct xtr_frame_sum *stream;
	uint32_t n_streams;
	size_t cap_streams;
	struct xtr_frame_reason *reason;
	uint32_t n_reasons;
	size_t cap_reasons;
	struct xtr_map by_reason;
	uint64_t n; /* frames */
	/* For the tables of view.c: */
	const struct xtr_who *names;
	const struct xtr_analysis_opts *o;
	/* A ring by its id: "device/ring", in buf of cap bytes; NULL: not known. */
	const char *(*ring)(const void *ctx, uint32_t id, char *buf, size_t cap);
	const void *ctx;
};

/* 0 or -ENOMEM. */
int xtr_frame_sums_add(struct xtr_frame_sums *s, const struct xtr_shown *f);
/* No more: the reasons come in order of the frames that they cost. */
void xtr_frame_sums_sort(struct xtr_frame_sums *s);
void xtr_frame_sums_free(struct xtr_frame_sums *s);
/* Frames that had a deadline, of a screen. */
uint64_t xtr_frame_sum_due(const struct xtr_frame_sum *s);

/* frame_sums_view.c: two tables. 0 or -ENOMEM. */
int xtr_frame_sums_text(const struct xtr_frame_sums *s, FILE *f);
/* As members of the object that is open. */
void xtr_frame_sums_json(const struct xtr_frame_sums *s, struct xtr_json *j);
extern const struct xtr_section_table *const xtr_frame_tables[];

#endif /* XTR_FRAME_SUMS_H */
