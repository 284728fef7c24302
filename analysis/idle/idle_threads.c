/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What threads that submit jobs do: stretches in which one runs, sleeps or waits for a CPU, and the
 * samples taken of it, both in order of their end.
 */
#include "idle_impl.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

#define KNOWN_OFF    1u /* xtr:thread_on, known */
#define KNOWN_WAITED 2u

void idle_threads_free(struct xtr_idle *s)
{
	for (uint32_t i = 0; i < s->n_threads; i++)
		free(s->thread[i].span);
	xtr_map_free(&s->by_tid);
}

void idle_threads_lost(struct xtr_idle *s)
{
	for (uint32_t i = 0; i < s->n_threads; i++)
		s->thread[i].since_ns = 0;
}

const struct idle_thread *idle_thread_find(const struct xtr_idle *s, uint32_t tid)
{
	uint32_t i = xtr_map_index(&s->by_tid, tid, 0);

	return i == XTR_MAP_NONE ? NULL : &s->thread[i];
}

/* NULL with *err 0: there are too many. */
static struct idle_thread *thread_of(struct xtr_idle *s, uint32_t tid, int *err)
{
	uint32_t i = xtr_map_index(&s->by_tid, tid, 0);

	*err = 0;
	if (i != XTR_MAP_NONE)
		return &s->thread[i];
	if (s->n_threads == IDLE_THREADS_MAX)
		return NULL;
	if (xtr_map_put(&s->by_tid, tid, 0, s->n_threads)) {
		*err = -ENOMEM;
		return NULL;
	}
	s->thread[s->n_threads] = (struct idle_thread){ .tid = tid };
	return &s->thread[s->n_threads++];
}

const struct idle_span *idle_span_at(const struct idle_thread *t, uint32_t i)
{
	return &t->span[t->cap ? i % t->cap : 0];
}

uint32_t idle_span_after(const struct idle_thread *t, uint64_t ns)
{
	uint32_t low = t->n > t->cap ? t->n - t->cap : 0, high = t->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (idle_span_at(t, mid)->to <= ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Only the whole circle goes round: until then it grows. */
static int put_span(struct idle_thread *t, const struct idle_span *span)
{
	uint32_t cap = t->cap ? 2 * t->cap : 64;
	struct idle_span *more;

	if (t->n && idle_span_at(t, t->n - 1)->to > span->to)
		return 0; /* out of order: the trace is not what it should be */
	if (t->n == t->cap && cap <= IDLE_SPANS_MAX) {
		more = reallocarray(t->span, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->span = more;
		t->cap = cap;
	}
	t->span[t->n++ % t->cap] = *span;
	if (t->n == UINT32_MAX) /* as if there were none before */
		t->n = 0;
	return 0;
}

/* It did this from `from` to `to`. */
static int did(struct idle_thread *t, uint64_t from, uint64_t to, uint32_t state, uint32_t stack)
{
	const struct idle_span span = { from, to, stack, state };

	return from < to ? put_span(t, &span) : 0;
}

static int leaves(struct idle_thread *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t state = xtr_bind_u64(b, 0, ev);
	int err = 0;

	if (t->since_ns && t->state == XTR_IDLE_RUNNING)
		err = did(t, t->since_ns, ev->ts, XTR_IDLE_RUNNING, 0);
	t->state = state ? XTR_IDLE_SLEEPING : XTR_IDLE_RUNNABLE;
	t->stack = (uint32_t)xtr_bind_u64(b, 1, ev);
	t->since_ns = ev->ts;
	return err;
}

/* Its own event says how long it was off; where it left, another one, if it is there. */
static int comes(struct idle_thread *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t off = xtr_bind_u64(b, 0, ev), waited = xtr_bind_u64(b, 1, ev);
	uint64_t known = xtr_bind_u64(b, 2, ev), from;
	bool left = t->since_ns && t->state != XTR_IDLE_RUNNING;
	uint32_t stack = left ? t->stack : 0;
	int err = 0;

	if (known & KNOWN_OFF && off <= ev->ts) {
		from = ev->ts - off;
		waited = known & KNOWN_WAITED ? (waited < off ? waited : off) : 0;
		err = did(t, from, ev->ts - waited,
			  known & KNOWN_WAITED ? XTR_IDLE_SLEEPING : XTR_IDLE_UNKNOWN, stack)
			      ?: did(t, ev->ts - waited, ev->ts, XTR_IDLE_RUNNABLE, stack);
	}
	t->state = XTR_IDLE_RUNNING;
	t->since_ns = ev->ts;
	return err;
}

static int sampled(struct idle_thread *t, const struct xtr_bind *b, const struct xtr_event *ev)
{
	const struct idle_span span = { ev->ts, ev->ts, (uint32_t)xtr_bind_u64(b, 0, ev),
					IDLE_SAMPLE };

	return put_span(t, &span);
}

/* A thread is followed from its first job on: others' samples tell nothing of what comes next. */
int idle_thread_event(struct xtr_idle *s, const struct xtr_bind *b, const struct xtr_event *ev)
{
	struct idle_thread *t;
	int err;

	if (!ev->tid || (b->role == IDLE_EV_SAMPLE && !idle_thread_find(s, ev->tid)))
		return 0;
	t = thread_of(s, ev->tid, &err);
	if (!t)
		return err;
	if (b->role == IDLE_EV_SAMPLE)
		return sampled(t, b, ev);
	if (b->role == IDLE_EV_OFF)
		return leaves(t, b, ev);
	if (b->role == IDLE_EV_ON)
		return comes(t, b, ev);
	if (!t->since_ns && s->switches) {
		t->state = XTR_IDLE_RUNNING;
		t->since_ns = ev->ts;
	}
	return 0;
}
