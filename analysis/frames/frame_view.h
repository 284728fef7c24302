/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame: a line for people, an object for programs, and all of it. */
#ifndef XTR_FRAME_VIEW_H
#define XTR_FRAME_VIEW_H

#include "analysis/blame/why_view.h"
#include "base/json.h"
#include "frame.h"

#include <stdio.h>

/* How frames are shown; all is borrowed. */
struct xtr_frame_view {
	const struct xtr_who *names;
	const struct xtr_model_ring *(*ring)(const void *ctx, uint32_t id);
	const void *ctx;
};

void xtr_frame_header(FILE *f);
void xtr_frame_line(const struct xtr_frame_view *v, const struct xtr_shown *one, FILE *f);
/* The members of the object that is open (docs/frames.md); path NULL: without it. */
void xtr_frame_json(const struct xtr_frame_view *v, const struct xtr_shown *one,
		    const struct xtr_path *path, struct xtr_json *j);
/* What it took, and its critical path. 0 or -ENOMEM. */
int xtr_frame_text(const struct xtr_frame_view *v, const struct xtr_shown *one,
		   const struct xtr_path *path, FILE *f);

#endif /* XTR_FRAME_VIEW_H */
