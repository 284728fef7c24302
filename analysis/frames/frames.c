/* SPDX-License-Identifier: BSD-2-Clause */
#include "frames.h"
#include "analysis/blame/run_threads.h"
#include "analysis/blame/split.h"
#include "analysis/blame/submits.h"
#include "base/buf.h"
#include "base/map.h"
#include "frames_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool xtr_frames_apply(const struct xtr_meta *meta)
{
	return xtr_screens_apply(meta);
}

void xtr_frames_free(struct xtr_frames *f)
{
	if (!f)
		return;
	xtr_screens_free(f->screens);
	xtr_seen_free(f->seen);
	xtr_past_free(f->past);
	xtr_submits_free(f->submits);
	xtr_run_threads_free(f->threads);
	xtr_who_free(&f->names);
	xtr_map_free(&f->by_key);
	xtr_map_free(&f->taken);
	free(f->stream);
	free(f->open);
	free(f);
}

int xtr_frames_new(struct xtr_frames **out, const struct xtr_frames_opts *o)
{
	struct xtr_frames *f = calloc(1, sizeof(*f));
	int err;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->o = *o;
	f->names.tables = o->tables;
	f->past = xtr_past_new();
	f->open = calloc(o->n_spans ?: 1, sizeof(*f->open));
	err = f->past && f->open ? xtr_screens_new(&f->screens, o->meta, o->tables) : -ENOMEM;
	err = err ?: xtr_seen_new(&f->seen, o->meta, o->tables);
	err = err ?: xtr_submits_new(&f->submits, o->meta);
	err = err ?: xtr_run_threads_new(&f->threads, o->meta, &f->names);
	if (err) {
		xtr_frames_free(f);
		return err;
	}
	*out = f;
	return 0;
}

const struct xtr_who *xtr_frames_names(const struct xtr_frames *f)
{
	return &f->names;
}

bool xtr_frames_take(const struct xtr_frames *f, uint32_t type)
{
	return xtr_screens_take(f->screens, type) || xtr_seen_take(f->seen, type) ||
	       xtr_submits_take(f->submits, type) || xtr_run_threads_take(f->threads, type);
}

struct frame_stream *frame_stream(struct xtr_frames *f, uint64_t a, uint64_t b)
{
	uint32_t i = xtr_map_index(&f->by_key, a, b);
	bool last = f->n_streams == XTR_FRAME_STREAMS_MAX - 1;

	if (i != XTR_MAP_NONE)
		return &f->stream[i];
	if (f->n_streams == XTR_FRAME_STREAMS_MAX)
		return &f->stream[f->n_streams - 1];
	if (xtr_grow_array(&f->stream, &f->cap_streams, f->n_streams + 1, sizeof(*f->stream)) ||
	    (!last && xtr_map_put(&f->by_key, a, b, f->n_streams)))
		return NULL;
	f->stream[f->n_streams] = (struct frame_stream){ .index = f->n_streams };
	return &f->stream[f->n_streams++];
}

/* --- whether it was in time ------------------------------------------------------------------- */

static uint8_t late(const struct xtr_shown *one)
{
	return one->lost || !xtr_job_name_any(&one->job) ? XTR_FRAME_UNKNOWN : XTR_FRAME_MISSED;
}

/* steps: vblanks since the frame before, by the counter; 0: there is none. */
static void judge(const struct xtr_frames *f, struct xtr_shown *one, uint32_t steps)
{
	uint64_t interval = one->shown_ns - one->before_ns, period = f->o.deadline_ns;
	uint64_t n = steps;

	if (!one->before_ns || one->shown_ns <= one->before_ns) {
		/* The one before, which takes longer, has not ended yet: it is not late. */
		one->verdict = one->before_ns ? XTR_FRAME_ON_TIME : XTR_FRAME_FIRST;
		return;
	}
	/* Nobody had submitted anything for it all that time. */
	if (f->o.pause_ns && interval > f->o.pause_ns &&
	    (!one->begin_ns ||
	     (one->begin_ns > one->before_ns && one->begin_ns - one->before_ns > f->o.pause_ns))) {
		one->verdict = XTR_FRAME_RESUMED;
		return;
	}
	if (steps) {
		period = interval / steps;
	} else if (period) {
		n = interval / period + (interval % period > period / 2);
	} else {
		one->verdict = XTR_FRAME_NO_DEADLINE;
		return;
	}
	one->deadline_ns = one->before_ns + period;
	one->missed = n > UINT32_MAX ? UINT32_MAX : n > 1 ? (uint32_t)(n - 1) : 0;
	one->verdict = one->missed ? late(one) : XTR_FRAME_ON_TIME;
}

/* Of the path only what came after the frame before was shown. */
static void cut_path(struct xtr_path *p, uint64_t before)
{
	uint32_t gone = 0;

	while (gone < p->n && p->step[gone].to_ns <= before)
		gone++;
	if (gone < p->n && p->step[gone].from_ns < before) {
		p->step[gone].from_ns = before;
		p->cut = true;
	}
	p->cut |= gone > 0;
	p->n -= gone;
	memmove(p->step, p->step + gone, p->n * sizeof(*p->step));
}

int frame_tell(struct xtr_frames *f, struct frame_stream *s, struct xtr_shown *one,
	       const struct frame_cast *cast, uint32_t steps)
{
	const struct xtr_path *path = NULL;

	one->number = ++f->n;
	one->stream = s->index;
	one->before_ns = s->shown_ns;
	one->lost = one->before_ns &&
		    xtr_past_first_lost(f->past, one->before_ns, one->shown_ns) != UINT64_MAX;
	judge(f, one, steps);
	if (xtr_job_name_any(&one->job)) {
		xtr_path_since(f->past, f->submits, &one->job, one->before_ns, &f->path);
		cut_path(&f->path, one->before_ns);
		path = &f->path;
	}
	xtr_frame_divide(one, path, cast->committer, cast->who, cast->n, &s->usual);
	if (one->verdict == XTR_FRAME_ON_TIME && path)
		xtr_frame_usually(&s->usual, one);
	if (one->shown_ns > s->shown_ns)
		s->shown_ns = one->shown_ns;
	return f->o.frame(f->o.ctx, one, path);
}

/* --- what goes in ----------------------------------------------------------------------------- */

static int flips(struct xtr_frames *f, uint64_t now)
{
	struct xtr_flip flip;
	int err = 0;

	while (!err && !f->o.span && xtr_screens_next(f->screens, now, &flip))
		err = frame_of_flip(f, &flip);
	return err;
}

int xtr_frames_event(struct xtr_frames *f, const struct xtr_event *ev)
{
	int err = ev->gap ? xtr_past_lost(f->past, ev->gap->first, ev->gap->last) : 0;

	if (!ev->gap)
		err = flips(f, ev->ts);
	if (err)
		return err;
	xtr_seen_event(f->seen, ev);
	return xtr_screens_event(f->screens, ev) ?: xtr_submits_event(f->submits, ev) ?:
		xtr_run_threads_event(f->threads, ev);
}

int xtr_frames_job(struct xtr_frames *f, const struct xtr_job *j)
{
	bool divided = xtr_split_job(f->past, j, xtr_run_threads_of(f->threads, j), &f->parts);
	int err = xtr_who_note(&f->names, j) ?:
			  xtr_past_add(f->past, j, divided ? &f->parts : NULL) ?:
			  xtr_seen_add(f->seen, j);

	return err || !f->o.span ? err : frame_of_job(f, j);
}

int xtr_frames_finish(struct xtr_frames *f)
{
	return flips(f, UINT64_MAX) ?: frame_spans_finish(f);
}
