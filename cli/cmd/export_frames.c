/* SPDX-License-Identifier: BSD-2-Clause */
#include "export_frames.h"
#include "base/buf.h"
#include "export_path.h"

#include <errno.h>
#include <stdlib.h>

static void forget(struct export_frames *e)
{
	for (size_t i = 0; i < e->out.n; i++) {
		free(e->out.frame[i].who);
		free(e->out.frame[i].of);
	}
	free(e->out.frame);
	e->out = (struct xtr_export_frames){ 0 };
	e->cap = 0;
}

static void end_section(struct export_frames *e)
{
	xtr_frames_free(e->frames);
	xtr_model_free(e->model);
	xtr_model_free(e->verdict);
	e->frames = NULL;
	e->model = e->verdict = NULL;
}

void export_frames_free(struct export_frames *e)
{
	end_section(e);
	forget(e);
}

/* A frame's time begins where the one before was shown; after a pause, with its own work. */
static uint64_t begin_of(const struct xtr_shown *f)
{
	uint64_t from = f->before_ns;

	if (!from || f->verdict == XTR_FRAME_RESUMED)
		from = f->begin_ns;
	return from && from <= f->shown_ns ? from : f->shown_ns;
}

static int on_frame(void *ctx, const struct xtr_shown *f, const struct xtr_path *path)
{
	struct export_frames *e = ctx;
	const struct xtr_who *names = xtr_frames_names(e->frames);
	bool late = xtr_frame_late(f);
	struct xtr_export_frame one = {
		.number = f->number,
		.from_ns = begin_of(f),
		.shown_ns = f->shown_ns,
		.begin_ns = f->begin_ns,
		.done_ns = f->done_ns,
		.deadline_ns = f->deadline_ns,
		.verdict = xtr_frame_verdict_name(f->verdict),
		.reason = late ? xtr_frame_cause_name(f->cause) : "",
		.reason_ns = f->cause_ns,
		.ring_id = f->cause_ring,
		.stream = f->stream,
		.crtc = f->crtc,
		.missed = f->missed,
		.jobs = f->n_jobs,
		.late = late,
		.job = f->job,
	};

	(void)path;
	if (e->out.n == XTR_EXPORT_FRAMES_MAX) {
		e->out.left_out++;
		return 0;
	}
	one.who = export_who(names, f->who);
	one.of = export_who(names, f->cause_who);
	if (!one.who || !one.of ||
	    xtr_grow_array(&e->out.frame, &e->cap, e->out.n + 1, sizeof(one))) {
		free(one.who);
		free(one.of);
		return -ENOMEM;
	}
	e->out.frame[e->out.n++] = one;
	return 0;
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	return xtr_frames_job(((struct export_frames *)ctx)->frames, j);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct export_frames *e = ctx;

	if (!e->model)
		return xtr_model_event(e->verdict, ev);
	return xtr_frames_event(e->frames, ev) ?: xtr_model_event(e->model, ev);
}

static int passes(struct export_frames *e, const struct xtr_section *s)
{
	struct xtr_model_opts mo = { .sz = sizeof(mo),
				     .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s) };
	const uint32_t *types;
	size_t n;
	int err = xtr_model_new(&e->verdict, &mo);

	if (err)
		return err;
	types = xtr_model_types(e->verdict, true, &n);
	err = replay_play(e->cmd, s, types, n, on_event, e) ?: xtr_model_finish(e->verdict);
	if (err)
		return err;
	mo.verdict = e->verdict;
	mo.job = on_job;
	mo.ctx = e;
	err = xtr_frames_new(&e->frames,
			     &(struct xtr_frames_opts){ .sz = sizeof(struct xtr_frames_opts),
							.meta = mo.meta,
							.tables = mo.tables,
							.pause_ns = XTR_FRAME_PAUSE_NS,
							.frame = on_frame,
							.ctx = e });
	err = err ?: xtr_model_new(&e->model, &mo);
	return err ?: replay_play(e->cmd, s, NULL, 0, on_event, e) ?: xtr_model_finish(e->model) ?:
			      xtr_frames_finish(e->frames);
}

int export_frames(void *ctx, const struct xtr_section *s, const struct xtr_export_frames **out)
{
	struct export_frames *e = ctx;
	bool again = e->cmd->again;
	int err = 0;

	forget(e);
	*out = &e->out;
	if (!xtr_meta_has_times(xtr_section_meta(s)) || !xtr_frames_apply(xtr_section_meta(s)))
		return 0;
	e->cmd->again = true; /* damage is told by the export's own pass */
	err = passes(e, s);
	e->cmd->again = again;
	end_section(e);
	return err;
}
