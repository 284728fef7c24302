/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames without a screen: the jobs that a process submitted between two marks, or in a burst. What
 * stretches there are is known before (frames.h); one is whole when all its jobs have come.
 */
#include "frames_impl.h"

#include <errno.h>

/* The last span that begins with (who, ts) or before it; n_spans: none. */
static size_t find(const struct xtr_frames *f, uint64_t who, uint64_t ts)
{
	size_t lo = 0, hi = f->o.n_spans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct xtr_frame_span *s = &f->o.span[mid];

		if (s->who < who || (s->who == who && s->from <= ts))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : f->o.n_spans;
}

/* Where the spans of this process begin. */
static size_t first_of(const struct xtr_frames *f, uint64_t who)
{
	size_t lo = 0, hi = f->o.n_spans;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->o.span[mid].who < who)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Those of a stream that are whole come out, in order of time; `all`: the others, too. */
static int tell(struct xtr_frames *f, struct frame_stream *s, bool all)
{
	int err = 0;

	while (s->next < s->end && !err) {
		struct frame_open *o = &f->open[s->next];
		const struct xtr_frame_span *span = &f->o.span[s->next];
		struct frame_cast cast = { .who = { span->who }, .n = 1 };

		if (o->came < span->jobs && !all)
			break;
		s->next++;
		if (!o->frame.done_ns)
			continue; /* none of its jobs has an end */
		err = frame_tell(f, s, &o->frame, &cast, 0);
	}
	return err;
}

static struct frame_stream *stream_of(struct xtr_frames *f, uint64_t who)
{
	uint32_t before = f->n_streams;
	struct frame_stream *s = frame_stream(f, who, 0);

	if (!s || f->n_streams == before)
		return s;
	s->next = first_of(f, who);
	for (s->end = s->next; s->end < f->o.n_spans && f->o.span[s->end].who == who; s->end++)
		;
	return s;
}

int frame_of_job(struct xtr_frames *f, const struct xtr_job *j)
{
	uint64_t queue = xtr_job_first_ns(j), who = xtr_who_of(j);
	size_t i = find(f, who, queue);
	const struct xtr_frame_span *span = &f->o.span[i];
	struct frame_stream *s;
	struct frame_open *o;

	if (i == f->o.n_spans || span->who != who || queue >= span->to ||
	    (f->o.mine && !f->o.mine(f->o.ctx, j)))
		return 0;
	o = &f->open[i];
	o->came++;
	if (!o->frame.begin_ns || queue < o->frame.begin_ns)
		o->frame.begin_ns = queue;
	if (j->done_ns > o->frame.done_ns) {
		o->frame.done_ns = o->frame.shown_ns = j->done_ns;
		o->frame.job = (struct xtr_job_name){ j->ctx, j->seqno };
	}
	o->frame.n_jobs++;
	o->frame.crtc = -1;
	o->frame.who = o->frame.begin_who = who;
	o->frame.link = XTR_FRAME_BY_SPAN;
	s = stream_of(f, who);
	return s ? tell(f, s, false) : -ENOMEM;
}

int frame_spans_finish(struct xtr_frames *f)
{
	int err = 0;

	for (uint32_t i = 0; f->o.span && i < f->n_streams && !err; i++)
		err = tell(f, &f->stream[i], true);
	return err;
}
