/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the slices: slice.c cuts the time, slice_rows.c adds up what is in a slice. */
#ifndef XTR_SLICE_IMPL_H
#define XTR_SLICE_IMPL_H

#include "analysis/core/agg.h"
#include "slice.h"
#include "replay/calls/call.h"
#include "base/map.h"
#include "replay/calls/mark.h"

/* Powers of two (512 bytes each) that all histograms of a slice may take: 8 MiB. */
#define SLICE_HIST_GROUPS 16384u

struct slice_entry {
	struct xtr_slice_row row;
	struct xtr_busy busy;
	uint32_t index; /* of the model's ring or device */
};

/* What one slice has so far. */
struct slice_part {
	uint64_t begin, end; /* ns; end is not part of it, unless it is the last one */
	bool last;
	uint64_t events, lost;
	struct {
		struct slice_entry *e;
		uint32_t n, cap;
		struct xtr_map by_key;
	} of[XTR_SLICE_BY_COUNT];
	uint32_t hist_left;
};

/* A new value of a counter waits for its slice if it came in the time after the end. */
struct slice_counter {
	struct xtr_slice_counter shown;
	uint64_t value, next; /* at the end of the slice at hand, and behind it */
	bool known, has_next;
};

struct xtr_slices {
	struct xtr_slices_opts o;
	struct xtr_model *model;
	struct xtr_calls *calls;
	struct xtr_marks *marks;
	struct slice_part part[2]; /* the slice at hand, and the one behind it */
	unsigned int now;          /* index of the former */
	uint64_t number, quiet;    /* slices handed out; of them the last ones without an event */
	uint64_t last_ts;          /* ns: of the last event, or what was advanced to */
	bool begun;
	uint8_t *takes; /* by type of event; 0: not asked yet (slice.c) */
	uint64_t *seen; /* by index of ring: number + 1 of the last slice it had to do in */
	uint32_t n_seen;
	struct slice_counter counter[XTR_SLICE_COUNTERS_MAX];
	struct xtr_slice_counter out[XTR_SLICE_COUNTERS_MAX];
	uint32_t n_counters;
	const struct xtr_slice_row **rows; /* for the callback */
	size_t cap_rows;
};

/* slice_rows.c. All: 0 or -ENOMEM. */
void slice_part_begin(struct slice_part *p, uint64_t begin, uint64_t end);
void slice_part_free(struct slice_part *p);
/* A job that was handed out, with what of it is in the part. */
int slice_add_job(struct xtr_slices *s, struct slice_part *p, const struct xtr_job *j);
/* A job that is not to be shown (xtr_job.others): it keeps its ring and device busy. */
int slice_add_others(struct xtr_slices *s, struct slice_part *p, const struct xtr_job *j);
/* A job that is open at the end of the part. */
int slice_add_open(struct xtr_slices *s, struct slice_part *p, const struct xtr_model_open *open);
int slice_add_call(struct xtr_slices *s, struct slice_part *p, const struct xtr_call *c);
/* Rings and devices that have nothing to do, as far as they are shown; note those that have. */
int slice_add_idle(struct xtr_slices *s, struct slice_part *p);

/* Does it belong to the part that something happened at ts? */
static inline bool slice_has(const struct slice_part *p, uint64_t ts)
{
	return ts >= p->begin && (ts < p->end || (p->last && ts == p->end));
}

#endif /* XTR_SLICE_IMPL_H */
