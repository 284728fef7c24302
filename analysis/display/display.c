/* SPDX-License-Identifier: BSD-2-Clause */
/* Displays: vblanks, their requests and answers, updates and flips (docs/display.md). */
#include "display_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTEL_FIELDS                                \
	{                                           \
		"dev", "pipe_name", "pipe", "frame" \
	}

#define VBLANK_TIME 2 /* of the fields: Linux 4 has none */

static const struct xtr_bind_spec specs[] = {
	{ "drm:drm_vblank_event", DISPLAY_VBLANK, { "crtc", "seq", "time", "high_prec" } },
	{ "drm:drm_vblank_event_queued", DISPLAY_QUEUED, { "crtc", "seq", "file" } },
	{ "drm:drm_vblank_event_delivered", DISPLAY_DELIVERED, { "crtc", "seq", "file" } },
/* Both modules have them where a machine has both. */
#define BOTH(name, role)                       \
	{ "i915:" name, role, INTEL_FIELDS },  \
	{                                      \
		"xe:" name, role, INTEL_FIELDS \
	}
	BOTH("intel_pipe_update_start", DISPLAY_UPDATE_START),
	BOTH("intel_pipe_update_vblank_evaded", DISPLAY_UPDATE_EVADED),
	BOTH("intel_pipe_update_end", DISPLAY_UPDATE_END),
	BOTH("intel_crtc_flip_done", DISPLAY_FLIP_DONE),
	BOTH("intel_cpu_fifo_underrun", DISPLAY_UNDERRUN),
	{ "amdgpu_dm:amdgpu_refresh_rate_track",
	  DISPLAY_REFRESH,
	  { "crtc_index", "refresh_rate_ns" } },
	{ "amdgpu_dm:amdgpu_dm_atomic_commit_tail_begin", DISPLAY_COMMIT_BEGIN, { "state" } },
	{ "amdgpu_dm:amdgpu_dm_atomic_commit_tail_finish", DISPLAY_COMMIT_END, { "state" } },
};
#define N_SPECS (sizeof(specs) / sizeof(specs[0]))

static bool applies(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, specs, N_SPECS);
}

static void display_free(void *self)
{
	struct display *d = self;

	for (uint32_t i = 0; i < d->n_crtcs; i++)
		for (uint32_t k = 0; k < d->crtc[i].n_clocks; k++)
			display_clock_free(&d->crtc[i].clock[k]);
	for (uint32_t i = 0; i < d->n_pipes; i++) {
		xtr_hist_free(&d->pipe[i].update);
		xtr_hist_free(&d->pipe[i].evade);
	}
	for (uint32_t i = 0; i < d->n_refresh; i++)
		xtr_hist_free(&d->refresh[i].interval);
	xtr_hist_free(&d->commit_time);
	xtr_gaps_free(&d->gaps);
	xtr_binds_close(&d->binds);
	free(d->crtc);
	free(d->request);
	free(d->pending);
	free(d->pipe);
	free(d);
}

static int display_open(void **self, const struct xtr_analysis_opts *o)
{
	struct display *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->o = o;
	d->crtc = calloc(DISPLAY_CRTCS_MAX, sizeof(*d->crtc));
	d->request = calloc(DISPLAY_REQUESTS_MAX, sizeof(*d->request));
	d->pending = calloc(DISPLAY_PENDING_MAX, sizeof(*d->pending));
	d->pipe = calloc(DISPLAY_PIPES_MAX, sizeof(*d->pipe));
	if (!d->crtc || !d->request || !d->pending || !d->pipe ||
	    xtr_binds_open(&d->binds, o->meta, specs, N_SPECS)) {
		display_free(d);
		return -ENOMEM;
	}
	d->stamped = d->binds.bind[0].desc && !xtr_bind_has(&d->binds.bind[0], VBLANK_TIME);
	d->comparable = o->times && !d->stamped && !strcmp(xtr_meta_clock(o->meta), "monotonic");
	*self = d;
	return 0;
}

static int vblank(struct display *d, struct display_crtc *c, const struct xtr_bind *b,
		  const struct xtr_event *ev, bool inside)
{
	struct display_vblank v = {
		.ts = ev->ts,
		.seq = (uint32_t)xtr_bind_u64(b, 1, ev),
		.time = d->stamped ? ev->ts : xtr_bind_u64(b, VBLANK_TIME, ev),
		.high_prec = xtr_bind_u64(b, 3, ev),
		.inside = inside,
		.stamped = d->stamped,
	};
	struct display_clock *k = display_vblank(d, c, &v);

	return k ? display_deliver_at(d, c, k, &v) : -ENOMEM;
}

static bool display_takes(const void *self, uint32_t type)
{
	const struct display *s = self;

	return !type || xtr_binds_find(&s->binds, type);
}

static int display_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct display *d = self;
	const struct xtr_bind *b;
	struct display_crtc *c;

	if (ev->gap) {
		display_deliver_gap(d);
		return xtr_gaps_add(&d->gaps, ev->gap->first, ev->gap->last);
	}
	b = xtr_binds_find(&d->binds, ev->type);
	if (!b)
		return 0;
	if (b->role > DISPLAY_DELIVERED)
		return display_pipe_event(d, b, ev, inside);
	c = display_crtc(d, (int32_t)xtr_bind_s64(b, 0, ev));
	if (!c)
		return 0;
	if (b->role == DISPLAY_VBLANK)
		return vblank(d, c, b, ev, inside);
	if (b->role == DISPLAY_QUEUED) {
		struct display_request r = { .file = xtr_bind_u64(b, 2, ev),
					     .ts = ev->ts,
					     .crtc = c->index,
					     .seq = (uint32_t)xtr_bind_u64(b, 1, ev) };

		display_queued(d, c, &r, inside);
		return 0;
	}
	return display_delivered(d, c,
				 (struct display_pending){ .ts = ev->ts,
							   .file = xtr_bind_u64(b, 2, ev),
							   .crtc = c->index,
							   .seq = (uint32_t)xtr_bind_u64(b, 1, ev),
							   .inside = inside });
}

/* A request of one device says nothing of the other's interrupt. */
static void unsure(struct display_clock *k)
{
	k->skips[DISPLAY_UNSURE] += k->skips[DISPLAY_MISSED];
	k->skipped[DISPLAY_UNSURE] += k->skipped[DISPLAY_MISSED];
	k->skips[DISPLAY_MISSED] = k->skipped[DISPLAY_MISSED] = 0;
}

static int by_index(const void *pa, const void *pb)
{
	const struct display_crtc *a = pa, *b = pb;

	return (a->index > b->index) - (a->index < b->index);
}

static int display_finish(void *self)
{
	struct display *d = self;
	int err = 0;

	display_deliver_finish(d);
	display_pipes_finish(d);
	for (uint32_t i = 0; i < d->n_crtcs; i++)
		for (uint32_t k = 0; k < d->crtc[i].n_clocks && !err; k++) {
			err = display_clock_finish(&d->crtc[i].clock[k]);
			if (display_shared(&d->crtc[i]))
				unsure(&d->crtc[i].clock[k]);
		}
	qsort(d->crtc, d->n_crtcs, sizeof(*d->crtc), by_index);
	return err ? err : display_findings(d);
}

static bool display_any(const void *self)
{
	const struct display *d = self;

	for (uint32_t i = 0; i < d->n_crtcs; i++) {
		const struct display_crtc *c = &d->crtc[i];

		if (c->queued || c->delivered)
			return true;
		for (uint32_t k = 0; k < c->n_clocks; k++)
			if (c->clock[k].events)
				return true;
	}
	return d->n_pipes || d->n_refresh || d->commits;
}

const struct xtr_analysis xtr_analysis_display = {
	.name = "display",
	.title = "Displays: vblanks and their delivery",
	.applies = applies,
	.open = display_open,
	.free = display_free,
	.takes = display_takes,
	.event = display_event,
	.finish = display_finish,
	.any = display_any,
	.text = display_text,
	.json = display_json,
	.tables = display_tables,
};
