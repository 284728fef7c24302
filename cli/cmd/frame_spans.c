/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_spans.h"
#include "base/buf.h"
#include "base/map.h"
#include "replay/calls/marker.h"
#include "replay/event/process.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#define FRAMES_MIN 3u /* gaps that are found to lie between bursts are at least so many */

struct point { /* a mark, or a job's submission */
	uint64_t who, ts;
};

struct points {
	struct point *v;
	size_t n, cap;
};

struct spans {
	struct spans_opts o;
	const struct xtr_tables *tables;
	struct pattern_process process;
	struct xtr_marker_event *event;
	uint32_t n_events;
	struct xtr_map by_type;
	struct xtr_marker marker;
	struct points marks, jobs;
	struct xtr_frame_span *span;
	size_t n, cap;
	uint64_t period_ns, gap_ns;
};

void spans_free(struct spans *s)
{
	if (!s)
		return;
	xtr_map_free(&s->by_type);
	free(s->event);
	free(s->marks.v);
	free(s->jobs.v);
	free(s->span);
	free(s);
}

static int bind_marks(struct spans *s, const struct xtr_meta *meta)
{
	size_t n = xtr_meta_n_events(meta);
	int err = 0;

	s->event = calloc(n ?: 1, sizeof(*s->event));
	if (!s->event)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(meta, i);

		if (xtr_marker_bind(&s->event[s->n_events], d))
			err = xtr_map_put(&s->by_type, d->type, 0, s->n_events++);
	}
	return err;
}

int spans_new(struct spans **out, const struct spans_opts *o, const struct xtr_meta *meta,
	      const struct xtr_tables *tables)
{
	struct spans *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->o = *o;
	s->tables = tables;
	if (o->process)
		s->process = pattern_process(o->process);
	return o->mark ? bind_marks(s, meta) : 0;
}

static int add(struct points *p, uint64_t who, uint64_t ts)
{
	if (xtr_grow_array(&p->v, &p->cap, p->n + 1, sizeof(*p->v)))
		return -ENOMEM;
	p->v[p->n++] = (struct point){ .who = who, .ts = ts };
	return 0;
}

int spans_event(struct spans *s, const struct xtr_event *ev)
{
	uint32_t i = ev->gap ? XTR_MAP_NONE : xtr_map_index(&s->by_type, ev->type, 0);
	struct xtr_marker *m = &s->marker;
	const struct xtr_task *task;
	uint32_t pid, nth;
	uint64_t ts;

	if (i == XTR_MAP_NONE || !xtr_marker_read(m, &s->event[i], ev, s->tables))
		return 0;
	if (m->kind != XTR_MARKER_BEGIN && m->kind != XTR_MARKER_SLICE &&
	    m->kind != XTR_MARKER_MOMENT)
		return 0;
	if (fnmatch(s->o.mark, m->name, 0) && (!*m->whole || fnmatch(s->o.mark, m->whole, 0)))
		return 0;
	task = xtr_tables_task(s->tables, m->tid ?: ev->tid, ev->ts);
	pid = task ? task->pid : 0;
	nth = task ? task->nth : 0;
	xtr_marker_process(m, s->tables, ev->ts, &pid, &nth);
	ts = xtr_marker_time(m, ev->ts);
	return pid && ts ? add(&s->marks, xtr_process(pid, nth), ts) : 0;
}

bool spans_mine(const struct spans *s, const struct xtr_job *j)
{
	return (!s->o.ring || pattern_ring_is(s->o.ring, j->ring)) &&
	       (!s->o.process || pattern_process_is(&s->process, s->tables, j)) && xtr_who_of(j) &&
	       !j->kthread;
}

int spans_job(struct spans *s, const struct xtr_job *j)
{
	uint64_t queue = xtr_job_first_ns(j);

	return spans_mine(s, j) ? add(&s->jobs, xtr_who_of(j), queue) : 0;
}

/* --- stretches -------------------------------------------------------------------------------- */

static int by_point(const void *pa, const void *pb)
{
	const struct point *a = pa, *b = pb;

	if (a->who != b->who)
		return a->who < b->who ? -1 : 1;
	return (a->ts > b->ts) - (a->ts < b->ts);
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static int add_span(struct spans *s, uint64_t who, uint64_t from)
{
	struct xtr_frame_span *last = s->n ? &s->span[s->n - 1] : NULL;

	if (last && last->who == who)
		last->to = from;
	if (xtr_grow_array(&s->span, &s->cap, s->n + 1, sizeof(*s->span)))
		return -ENOMEM;
	s->span[s->n++] = (struct xtr_frame_span){ .who = who, .from = from, .to = UINT64_MAX };
	return 0;
}

static int from_marks(struct spans *s)
{
	int err = 0;

	for (size_t i = 0; i < s->marks.n && !err; i++) {
		const struct point *p = &s->marks.v[i];

		if (!i || p->who != p[-1].who || p->ts != p[-1].ts)
			err = add_span(s, p->who, p->ts);
	}
	return err;
}

/*
 * Gaps in a burst and gaps between bursts differ: where sorted gaps take their largest step, with
 * at least FRAMES_MIN above it and twice as long, is the limit. 0: there is no such step.
 */
static uint64_t find_gap(uint64_t *gap, size_t n)
{
	double best = 2;
	uint64_t limit = 0;

	qsort(gap, n, sizeof(*gap), by_value);
	for (size_t i = 0; i + 1 < n && n - 1 - i >= FRAMES_MIN; i++) {
		double step = (double)(gap[i + 1] + 1) / (double)(gap[i] + 1);

		if (step >= best) {
			best = step;
			limit = gap[i + 1];
		}
	}
	return limit;
}

static int gap_of(struct spans *s)
{
	uint64_t *gap;
	size_t n = 0;

	s->gap_ns = s->o.gap_ns;
	if (s->gap_ns || s->jobs.n < 2)
		return 0;
	gap = malloc(s->jobs.n * sizeof(*gap));
	if (!gap)
		return -ENOMEM;
	for (size_t i = 1; i < s->jobs.n; i++)
		if (s->jobs.v[i].who == s->jobs.v[i - 1].who)
			gap[n++] = s->jobs.v[i].ts - s->jobs.v[i - 1].ts;
	s->gap_ns = find_gap(gap, n);
	free(gap);
	return 0;
}

static int from_bursts(struct spans *s)
{
	int err = gap_of(s);

	for (size_t i = 0; i < s->jobs.n && !err; i++) {
		const struct point *p = &s->jobs.v[i];
		bool first = !i || p->who != p[-1].who;

		if (first || (p->ts != p[-1].ts && p->ts - p[-1].ts >= s->gap_ns))
			err = add_span(s, p->who, p->ts);
	}
	return err;
}

static void count_jobs(struct spans *s)
{
	size_t k = 0;

	for (size_t i = 0; i < s->jobs.n; i++) {
		const struct point *p = &s->jobs.v[i];

		while (k < s->n && (s->span[k].who < p->who ||
				    (s->span[k].who == p->who && s->span[k].to <= p->ts)))
			k++;
		if (k == s->n)
			return;
		if (s->span[k].who == p->who && s->span[k].from <= p->ts)
			s->span[k].jobs++;
	}
}

static int find_period(struct spans *s)
{
	uint64_t *length = malloc((s->n ?: 1) * sizeof(*length));
	size_t n = 0;

	if (!length)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (s->span[i].to != UINT64_MAX)
			length[n++] = s->span[i].to - s->span[i].from;
	qsort(length, n, sizeof(*length), by_value);
	s->period_ns = n ? length[n / 2] : 0;
	free(length);
	return 0;
}

int spans_finish(struct spans *s)
{
	int err;

	if (s->jobs.n)
		qsort(s->jobs.v, s->jobs.n, sizeof(*s->jobs.v), by_point);
	if (s->marks.n)
		qsort(s->marks.v, s->marks.n, sizeof(*s->marks.v), by_point);
	err = s->o.mark ? from_marks(s) : from_bursts(s);
	if (err)
		return err;
	count_jobs(s);
	return find_period(s);
}

const struct xtr_frame_span *spans_all(const struct spans *s, size_t *n)
{
	*n = s->n;
	return s->span;
}

uint64_t spans_period(const struct spans *s)
{
	return s->period_ns;
}

uint64_t spans_gap(const struct spans *s)
{
	return s->gap_ns;
}
