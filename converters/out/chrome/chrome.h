/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the Chrome trace exporter share. docs/export.md says what is written and why.
 */
#ifndef XTR_CHROME_H
#define XTR_CHROME_H

#include "chrome_axis.h"
#include "chrome_out.h"
#include "chrome_track.h"
#include "converters/out/core/export.h"

struct chrome {
	struct xtr_export_opts opts;
	struct chrome_out out;
	struct chrome_axis axis;
	struct chrome_tracks tracks;
	uint64_t flows;
	bool started; /* the head is written */
	/* of the present section */
	struct xtr_export_section section;
	const struct chrome_axis_section *place;
};

/* ns on the axis of what happened at ts. */
static inline uint64_t chrome_time(const struct chrome *c, uint64_t ts)
{
	return chrome_axis_time(c->place, ts);
}

/* A text of the section's tables; "" with *n 0 if there is none. */
const char *chrome_string(const struct chrome *c, uint32_t id, size_t *n);

/* One event up to its time: phase, category (NULL: none), name, where and when. */
void chrome_begin(struct chrome *c, const char *phase, const char *cat, const char *name, size_t n,
		  const struct chrome_place *at, uint64_t ns);

/* chrome_head.c: everything before the events. */
void chrome_head(struct chrome *c, const struct xtr_reader *r);

/* The exporter's functions; self is a struct chrome. */
/* chrome_job.c */
int chrome_job(void *self, const struct xtr_job *j);
/* chrome_more.c */
int chrome_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts);
int chrome_mark(void *self, const struct xtr_mark *m);
int chrome_gap(void *self, const struct xtr_gap *gap);
/* chrome_call.c */
int chrome_call(void *self, const struct xtr_call *call);

#endif /* XTR_CHROME_H */
