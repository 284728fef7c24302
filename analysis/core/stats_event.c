/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events into the statistics. Who takes an event is asked once for each type. Events that nobody
 * takes are only counted; what they tell is the time, and of many of them that of the last one.
 */
#include "stats_impl.h"
#include "format/xtr_format.h"

#include <errno.h>

enum takes {
	TAKES_ASKED = 1,
	TAKES_MODEL = 2,
	TAKES_DEPTH = 4, /* its record has a queue's depth */
	TAKES_ANALYSES = 8,
	TAKES_ANY = TAKES_MODEL | TAKES_ANALYSES,
};

static bool in_window(const struct xtr_stats *s, uint64_t ts)
{
	return ts >= s->o.select.from && ts <= s->to;
}

/* Queue depths come from the events themselves, jobs or not. */
static int add_depth(struct xtr_stats *s, const struct xtr_gpu_record *r)
{
	int64_t i = xtr_model_ring_index(s->model, r->ring);
	struct xtr_stats_ring *ring;

	if (i < 0)
		return (int)i;
	if (i >= s->n_rings && stats_grow_rings(s))
		return -ENOMEM;
	ring = &s->ring[i];
	if (r->type == XTR_EV_JOB_QUEUE) {
		ring->queued++;
		return xtr_hist_add(&ring->depth_queue, r->job_count);
	}
	ring->run++;
	return xtr_hist_add(&ring->depth_run, r->job_count);
}

int stats_on_step(void *ctx, const struct xtr_gpu_record *r, uint64_t ts)
{
	struct xtr_stats *s = ctx;

	return in_window(s, ts) ? add_depth(s, r) : 0;
}

/* Gaps, which have type 0, are everybody's. */
static unsigned int ask(const struct xtr_stats *s, uint32_t type)
{
	size_t n;
	const uint32_t *types = xtr_model_types(s->model, false, &n);
	unsigned int takes = TAKES_ASKED;

	for (size_t i = 0; i < n; i++)
		takes |= types[i] == type ? TAKES_MODEL : 0;
	if (type == XTR_EV_JOB_QUEUE || type == XTR_EV_JOB_RUN)
		takes |= TAKES_DEPTH;
	if (s->o.analyses && xtr_analyses_take(s->o.analyses, type))
		takes |= TAKES_ANALYSES;
	return type ? takes : takes | TAKES_ANY;
}

static inline unsigned int takes(struct xtr_stats *s, uint32_t type)
{
	uint8_t *t = &s->takes[type % XTR_STATS_TYPES];

	if (!*t)
		*t = (uint8_t)ask(s, type);
	return *t;
}

static inline int into_model(struct xtr_stats *s, const struct xtr_event *ev, unsigned int takes,
			     bool inside)
{
	struct xtr_gpu_record r;
	int got, ret = 0;

	if (!(takes & TAKES_MODEL) && ev->ts < xtr_model_due(s->model)) {
		xtr_model_passed(s->model, ev->ts);
		return 0;
	}
	got = xtr_gpu_record_get(ev, &r);
	if (takes & TAKES_DEPTH && inside && got == 1)
		ret = add_depth(s, &r);
	return ret ? ret : xtr_model_decoded(s->model, ev, got, &r);
}

static inline int into_analyses(struct xtr_stats *s, const struct xtr_event *ev, unsigned int takes)
{
	if (!s->o.analyses)
		return 0;
	if (!(takes & TAKES_ANALYSES) && s->passes && ev->ts <= s->to) {
		s->unseen = ev->ts;
		return 0;
	}
	stats_tell(s);
	return xtr_analyses_event(s->o.analyses, ev);
}

static inline __attribute__((always_inline)) int one(struct xtr_stats *s,
						     const struct xtr_event *ev, unsigned int takes)
{
	bool inside = in_window(s, ev->ts);
	int ret;

	if (ev->type && inside) {
		if (!s->events++)
			s->first = ev->ts;
		if (ev->ts > s->last)
			s->last = ev->ts;
		s->types[ev->type % XTR_STATS_TYPES]++;
	}
	ret = into_model(s, ev, takes, inside);
	return ret ? ret : into_analyses(s, ev, takes);
}

int xtr_stats_event(struct xtr_stats *s, const struct xtr_event *ev)
{
	return one(s, ev, takes(s, ev->type));
}

/*
 * Count events that nobody takes, in the window and in order of time, before the model has
 * something to do: how many of them there were.
 */
static size_t pass(struct xtr_stats *s, const struct xtr_event *ev, size_t n)
{
	uint64_t due = xtr_model_due(s->model), last = ev->ts;
	uint64_t end = s->to < due ? s->to : due - 1;
	size_t i = 0;

	if (!s->passes || !due || !in_window(s, last))
		return 0;
	while (i < n && s->takes[ev[i].type % XTR_STATS_TYPES] == TAKES_ASKED && ev[i].ts >= last &&
	       ev[i].ts <= end) {
		last = ev[i].ts;
		s->types[ev[i++].type % XTR_STATS_TYPES]++;
	}
	if (!i)
		return 0;
	if (!s->events)
		s->first = ev->ts;
	s->events += i;
	if (last > s->last)
		s->last = last;
	if (s->o.analyses)
		s->unseen = last;
	xtr_model_passed(s->model, last);
	return i;
}

int xtr_stats_batch(struct xtr_stats *s, const struct xtr_event *ev, size_t n)
{
	const struct xtr_event *end = ev + n;
	int ret = 0;

	while (ev < end && !ret) {
		unsigned int t = takes(s, ev->type);
		size_t passed = t & TAKES_ANY ? 0 : pass(s, ev, (size_t)(end - ev));

		ev += passed;
		if (!passed)
			ret = one(s, ev++, t);
	}
	return ret;
}
