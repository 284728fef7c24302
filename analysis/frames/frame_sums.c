/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_sums.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

void xtr_frame_sums_free(struct xtr_frame_sums *s)
{
	for (uint32_t i = 0; i < s->n_streams; i++) {
		xtr_hist_free(&s->stream[i].interval);
		xtr_hist_free(&s->stream[i].latency);
	}
	free(s->stream);
	free(s->reason);
	xtr_map_free(&s->by_reason);
	*s = (struct xtr_frame_sums){ 0 };
}

/* Streams are numbered in the order in which they appear. NULL: no memory. */
static struct xtr_frame_sum *stream_of(struct xtr_frame_sums *s, uint32_t i)
{
	while (s->n_streams <= i) {
		if (xtr_grow_array(&s->stream, &s->cap_streams, s->n_streams + 1,
				   sizeof(*s->stream)))
			return NULL;
		s->stream[s->n_streams++] = (struct xtr_frame_sum){ .crtc = -1 };
	}
	return &s->stream[i];
}

static bool same(const struct xtr_frame_reason *a, const struct xtr_frame_reason *b)
{
	return a->stream == b->stream && a->ring == b->ring && a->verdict == b->verdict &&
	       a->cause == b->cause && a->who == b->who;
}

/* *at: its index, made if need be. */
static int reason_of(struct xtr_frame_sums *s, const struct xtr_frame_reason *r, uint32_t *at)
{
	uint64_t key = (uint64_t)r->stream << 32 | r->ring;
	uint64_t what = r->who ^ (uint64_t)r->cause << 48 ^ (uint64_t)r->verdict << 56;
	uint32_t i = xtr_map_index(&s->by_reason, key, what);
	bool last = s->n_reasons == XTR_FRAME_REASONS_MAX - 1;

	*at = i;
	if (i != XTR_MAP_NONE && same(&s->reason[i], r))
		return 0;
	*at = s->n_reasons - 1;
	if (s->n_reasons == XTR_FRAME_REASONS_MAX)
		return 0;
	if (xtr_grow_array(&s->reason, &s->cap_reasons, s->n_reasons + 1, sizeof(*s->reason)) ||
	    (!last && xtr_map_put(&s->by_reason, key, what, s->n_reasons)))
		return -ENOMEM;
	*at = s->n_reasons++;
	s->reason[*at] =
		last ? (struct xtr_frame_reason){ .cause = r->cause, .verdict = r->verdict } : *r;
	return 0;
}

static int add_reason(struct xtr_frame_sums *s, const struct xtr_shown *f)
{
	const struct xtr_frame_reason key = { .stream = f->stream,
					      .ring = f->cause_ring,
					      .verdict = f->verdict,
					      .cause = f->cause,
					      .who = f->cause_who };
	struct xtr_frame_reason *r;
	uint32_t at;
	int err = reason_of(s, &key, &at);

	if (err)
		return err;
	r = &s->reason[at];
	r->frames++;
	r->ns += f->cause_ns;
	if (r->longest && r->longest_ns >= f->cause_ns)
		return 0;
	r->longest_ns = f->cause_ns;
	r->longest = f->number;
	r->at_ns = f->shown_ns;
	return 0;
}

int xtr_frame_sums_add(struct xtr_frame_sums *s, const struct xtr_shown *f)
{
	struct xtr_frame_sum *of = stream_of(s, f->stream);
	uint64_t missed;
	int err = 0;

	if (!of)
		return -ENOMEM;
	s->n++;
	of->n++;
	of->crtc = f->crtc;
	if (f->who)
		of->who = f->who;
	missed = of->verdict[XTR_FRAME_MISSED];
	if (f->verdict == XTR_FRAME_MISSED && missed <= XTR_FINDING_EVENTS_MAX)
		of->first_late_ns[missed] = f->shown_ns;
	of->verdict[f->verdict]++;
	of->missed += f->missed;
	if (f->before_ns && f->verdict != XTR_FRAME_RESUMED && f->shown_ns > f->before_ns)
		err = xtr_hist_add(&of->interval, f->shown_ns - f->before_ns);
	if (!err && f->begin_ns && f->shown_ns >= f->begin_ns)
		err = xtr_hist_add(&of->latency, f->shown_ns - f->begin_ns);
	return err || !xtr_frame_late(f) ? err : add_reason(s, f);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct xtr_frame_reason *a = pa, *b = pb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->frames != b->frames)
		return a->frames < b->frames ? 1 : -1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return (a->longest > b->longest) - (a->longest < b->longest);
}

void xtr_frame_sums_sort(struct xtr_frame_sums *s)
{
	if (s->n_reasons)
		qsort(s->reason, s->n_reasons, sizeof(*s->reason), by_cost);
	xtr_map_free(&s->by_reason);
}

uint64_t xtr_frame_sum_due(const struct xtr_frame_sum *s)
{
	return s->verdict[XTR_FRAME_ON_TIME] + s->verdict[XTR_FRAME_MISSED] +
	       s->verdict[XTR_FRAME_LATE_START] + s->verdict[XTR_FRAME_UNKNOWN];
}
