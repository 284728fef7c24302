/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of frames: those that screens showed. */
#include "analysis/core/ring_text.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "frame_sums.h"
#include "frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MISSED_PERMILLE 10u /* of the frames of a screen: limit of the finding */
#define MISSED_MIN      5u  /* frames with a deadline */

struct frames_section {
	struct xtr_frame_sums sums; /* the first: tables are made of it */
	const struct xtr_analysis_opts *o;
	struct xtr_frames *frames;
};
_Static_assert(offsetof(struct frames_section, sums) == 0, "tables take the section for its sums");

static bool applies(const struct xtr_meta *meta)
{
	return xtr_frames_apply(meta);
}

static void frames_free(void *self)
{
	struct frames_section *s = self;

	xtr_frames_free(s->frames);
	xtr_frame_sums_free(&s->sums);
	free(s);
}

static int on_frame(void *ctx, const struct xtr_shown *f, const struct xtr_path *path)
{
	struct frames_section *s = ctx;

	(void)path;
	return xtr_frame_sums_add(&s->sums, f);
}

static const char *ring_text(const void *ctx, uint32_t id, char *buf, size_t cap)
{
	const struct frames_section *s = ctx;
	const struct xtr_ring *ring = s->o->tables ? xtr_tables_ring(s->o->tables, id) : NULL;
	struct xtr_model_ring named;
	const char *device, *name;
	size_t n;

	if (!ring)
		return NULL;
	device = xtr_tables_string(s->o->tables, ring->device, &n);
	name = xtr_tables_string(s->o->tables, ring->name, &n);
	named = (struct xtr_model_ring){ .device_name = device ?: "", .name = name ?: "" };
	return xtr_ring_text(&named, "-", buf, cap);
}

static int frames_open(void **self, const struct xtr_analysis_opts *o)
{
	struct frames_section *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->o = o;
	err = xtr_frames_new(&s->frames,
			     &(struct xtr_frames_opts){ .sz = sizeof(struct xtr_frames_opts),
							.meta = o->meta,
							.tables = o->tables,
							.pause_ns = XTR_FRAME_PAUSE_NS,
							.frame = on_frame,
							.ctx = s });
	if (err) {
		frames_free(s);
		return err;
	}
	s->sums.o = o;
	s->sums.names = xtr_frames_names(s->frames);
	s->sums.ring = ring_text;
	s->sums.ctx = s;
	*self = s;
	return 0;
}

static bool takes(const void *self, uint32_t type)
{
	return xtr_frames_take(((const struct frames_section *)self)->frames, type);
}

static int on_event(void *self, const struct xtr_event *ev, bool inside)
{
	const struct frames_section *s = self;

	(void)inside;
	return s->o->times ? xtr_frames_event(s->frames, ev) : 0;
}

static int on_job(void *self, const struct xtr_job *j)
{
	const struct frames_section *s = self;

	return s->o->times ? xtr_frames_job(s->frames, j) : 0;
}

/* --- finding ---------------------------------------------------------------------------------- */

static const struct xtr_frame_reason *worst(const struct xtr_frame_sums *s, uint32_t stream)
{
	for (uint32_t i = 0; i < s->n_reasons; i++)
		if (s->reason[i].stream == stream && s->reason[i].verdict == XTR_FRAME_MISSED)
			return &s->reason[i];
	return NULL;
}

static int finding(const struct frames_section *s, uint32_t stream)
{
	const struct xtr_frame_sum *of = &s->sums.stream[stream];
	const struct xtr_frame_reason *r = worst(&s->sums, stream);
	uint64_t late = of->verdict[XTR_FRAME_MISSED], due = xtr_frame_sum_due(of);
	char n[XTR_TEXT_NUMBER], all[XTR_TEXT_NUMBER], why[XTR_TEXT_NUMBER], who[XTR_WHO_TEXT];
	struct xtr_finding f = {
		.id = "missed-frames",
		.notable = true,
		.evidence = { { "crtc", (uint32_t)of->crtc },
			      { "late", late },
			      { "due", due },
			      { "late_start", of->verdict[XTR_FRAME_LATE_START] },
			      { "reason_frames", r ? r->frames : 0 },
			      { "reason_ns", r ? r->ns : 0 },
			      { "limit_permille", MISSED_PERMILLE } },
		.n_evidence = 7,
	};

	if (!r || due < MISSED_MIN || late * 1000 <= due * MISSED_PERMILLE)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "CRTC %" PRId32 ": %s of %s frames missed their vblank, %s of them for %s%s%s",
		 of->crtc, xtr_text_count(n, late), xtr_text_count(all, due),
		 xtr_text_count(why, r->frames), xtr_frame_cause_name(r->cause),
		 r->who ? " of " : "",
		 r->who ? xtr_who_text(s->sums.names, r->who, who, sizeof(who)) : "");
	f.at_ns = of->first_late_ns[0];
	for (uint32_t i = 1; i < late && i <= XTR_FINDING_EVENTS_MAX; i++)
		f.event_ns[f.n_events++] = of->first_late_ns[i];
	return xtr_findings_add(s->o->findings, &f);
}

static int frames_finish(void *self)
{
	struct frames_section *s = self;
	int err = xtr_frames_finish(s->frames);

	xtr_frame_sums_sort(&s->sums);
	for (uint32_t i = 0; i < s->sums.n_streams && !err; i++)
		err = finding(s, i);
	return err;
}

/* --- view ------------------------------------------------------------------------------------- */

static bool any(const void *self)
{
	return ((const struct frames_section *)self)->sums.n;
}

static const void *sums_of(const void *self)
{
	return &((const struct frames_section *)self)->sums;
}

static int text(const void *self, const struct xtr_view *v)
{
	return xtr_frame_sums_text(sums_of(self), v->f);
}

static void json(const void *self, struct xtr_json *j)
{
	xtr_json_begin_object(j);
	xtr_frame_sums_json(sums_of(self), j);
	xtr_json_end_object(j);
}

const struct xtr_analysis xtr_analysis_frames = {
	.name = "frames",
	.title = "Frames: what screens showed, and why it was late",
	.on_request = true,
	.applies = applies,
	.open = frames_open,
	.free = frames_free,
	.takes = takes,
	.event = on_event,
	.job = on_job,
	.others = on_job,
	.finish = frames_finish,
	.any = any,
	.text = text,
	.json = json,
	.tables = xtr_frame_tables,
};
