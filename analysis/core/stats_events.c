/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events into the statistics. Who takes an event is asked once for each type. Events that nobody
 * takes are only counted; what they tell is the time, and of many of them that of the last one.
 */
#include "format/xtr_format.h"
#include "stats_aside.h"
#include "stats_impl.h"

#include <errno.h>

enum takes {
	TAKES_ASKED = 1,
	TAKES_MODEL = 2,
	TAKES_ANALYSES = 4,
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
static unsigned int ask_model(const struct xtr_stats *s, uint32_t type)
{
	size_t n;
	const uint32_t *types = xtr_model_types(s->model, false, &n);
	unsigned int takes = TAKES_ASKED;

	for (size_t i = 0; i < n; i++)
		takes |= types[i] == type ? TAKES_MODEL : 0;
	return type ? takes : takes | TAKES_MODEL;
}

static unsigned int ask(const struct xtr_stats *s, uint32_t type)
{
	unsigned int takes = ask_model(s, type);

	if (!type || (s->o.analyses && xtr_analyses_take(s->o.analyses, type)))
		takes |= TAKES_ANALYSES;
	return takes;
}

static inline unsigned int takes(struct xtr_stats *s, uint32_t type)
{
	uint8_t *t = &s->takes[type % XTR_STATS_TYPES];

	if (!*t)
		*t = (uint8_t)ask(s, type);
	return *t;
}

static inline int into_model(struct xtr_stats *s, const struct xtr_event *ev, unsigned int takes)
{
	if (takes & TAKES_MODEL || ev->ts >= xtr_model_due(s->model))
		return xtr_model_event(s->model, ev);
	xtr_model_passed(s->model, ev->ts);
	return 0;
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

static inline void count(struct xtr_stats *s, const struct xtr_event *ev, bool inside)
{
	if (!ev->type || !inside)
		return;
	if (__builtin_expect(!s->events, 0))
		s->first = ev->ts;
	s->events++;
	if (ev->ts > s->last)
		s->last = ev->ts;
	s->types[ev->type % XTR_STATS_TYPES]++;
}

static inline __attribute__((always_inline)) int one(struct xtr_stats *s,
						     const struct xtr_event *ev, unsigned int takes)
{
	int err;

	count(s, ev, in_window(s, ev->ts));
	err = into_model(s, ev, takes);
	return err ? err : into_analyses(s, ev, takes);
}

int xtr_stats_event(struct xtr_stats *s, const struct xtr_event *ev)
{
	xtr_stats_keeps(s, false);
	return s->err ?: one(s, ev, takes(s, ev->type));
}

int stats_into_model(struct xtr_stats *s, const struct xtr_event *ev, size_t n, size_t *at,
		     uint8_t *takes)
{
	int err = 0;

	for (*at = 0; *at < n && !err; ++*at, ev++) {
		uint8_t *t = &takes[ev->type % XTR_STATS_TYPES];

		if (__builtin_expect(!*t, 0))
			*t = (uint8_t)ask_model(s, ev->type);
		err = into_model(s, ev, *t);
	}
	return err;
}

int stats_take_events(struct xtr_stats *s, const struct xtr_event *ev, size_t n)
{
	const struct xtr_event *const end = ev + n;
	const uint64_t from = s->o.select.from, to = s->to;
	uint64_t *const types = s->types, events = 0, last = s->last;
	int err = 0;

	for (; ev < end && !err; ev++) {
		if (ev->type && ev->ts >= from && ev->ts <= to) {
			if (!(s->events | events))
				s->first = ev->ts;
			events++;
			last = ev->ts > last ? ev->ts : last;
			types[ev->type % XTR_STATS_TYPES]++;
		}
		err = into_analyses(s, ev, takes(s, ev->type));
	}
	s->events += events;
	s->last = last;
	return err;
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

/* Jobs so far that make a trace one for which a thread is worth its while. */
#define ASIDE_JOBS 2048u

void xtr_stats_keeps(struct xtr_stats *s, bool keeps)
{
	int err;

	s->keeps = keeps;
	if (keeps || !s->aside)
		return;
	err = stats_aside_end(s->aside);
	s->aside = NULL;
	s->err = s->err ?: err;
}

int xtr_stats_batch(struct xtr_stats *s, const struct xtr_event *ev, size_t n)
{
	const struct xtr_event *end = ev + n;
	int err = s->err;

	if (s->keeps && !s->aside && xtr_model_counts(s->model)->jobs >= ASIDE_JOBS)
		s->aside = stats_aside_start(s); /* without it, it only takes longer */
	if (s->aside && !err)
		return stats_aside_batch(s->aside, ev, n);
	while (ev < end && !err) {
		unsigned int t = takes(s, ev->type);
		size_t passed = t & TAKES_ANY ? 0 : pass(s, ev, (size_t)(end - ev));

		ev += passed;
		if (!passed)
			err = one(s, ev++, t);
	}
	return err;
}
