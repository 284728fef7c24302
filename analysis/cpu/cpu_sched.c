/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long threads could run and had no CPU: from sched_wakeup, or from the switch away from a
 * thread that was preempted (it is still runnable), to the switch to it.
 */
#include "cpu_impl.h"

#include <errno.h>
#include <stdlib.h>

struct cpu_thread *cpu_thread_find(const struct cpu *c, uint32_t tid)
{
	uint32_t i = xtr_map_index(&c->by_tid, tid, 0);

	return i == XTR_MAP_NONE ? NULL : &c->thread[i];
}

struct cpu_thread *cpu_thread(struct cpu *c, uint32_t tid, int *ret)
{
	struct cpu_thread *t = cpu_thread_find(c, tid), *more;
	uint32_t cap = c->cap_threads ? c->cap_threads * 2 : 64;

	*ret = 0;
	if (t || c->n_threads == CPU_THREADS_MAX)
		return t;
	if (c->n_threads == c->cap_threads) {
		more = reallocarray(c->thread, cap, sizeof(*more));
		if (!more) {
			*ret = -ENOMEM;
			return NULL;
		}
		c->thread = more;
		c->cap_threads = cap;
	}
	if (xtr_map_put(&c->by_tid, tid, 0, c->n_threads)) {
		*ret = -ENOMEM;
		return NULL;
	}
	t = &c->thread[c->n_threads++];
	*t = (struct cpu_thread){ .tid = tid, .epoch = c->epoch };
	return t;
}

/* What was known before events were lost is not known any more. */
static void refresh(const struct cpu *c, struct cpu_thread *t)
{
	if (t->epoch == c->epoch)
		return;
	t->epoch = c->epoch;
	t->since_ns = 0;
	t->running = false;
}

int cpu_wakeup(struct cpu *c, uint32_t tid, uint64_t ts)
{
	struct cpu_thread *t;
	int err = 0;

	if (!tid)
		return 0;
	t = cpu_thread(c, tid, &err);
	if (!t)
		return err;
	refresh(c, t);
	t->wakeups++;
	if (!t->running && !t->since_ns)
		t->woken_ns = t->since_ns = ts;
	return 0;
}

/* TASK_RUNNING, or the mark of a preemption, TASK_REPORT_MAX (include/linux/sched.h). */
static bool still_runnable(uint64_t prev_state)
{
	return !(prev_state & 0xff);
}

static void leaves(struct cpu *c, struct cpu_thread *t, uint64_t state, uint64_t ts)
{
	refresh(c, t);
	t->running = false;
	t->since_ns = 0;
	if (!still_runnable(state))
		return;
	t->preempted++;
	t->since_ns = ts;
}

static int enters(struct cpu *c, struct cpu_thread *t, const struct xtr_event *ev, bool inside)
{
	uint64_t since, ts = ev->ts;

	refresh(c, t);
	since = t->since_ns;
	t->running = true;
	t->since_ns = 0;
	t->switches += inside;
	if (!since)
		return 0;
	t->span[t->n_spans++ % CPU_SPANS] = (struct cpu_span){
		.from = since, .to = ts, .by = cpu_holder_between(c, ev->stream, since, ts)
	};
	return inside ? xtr_hist_add_within(&t->delay, ts - since, &c->hist_left) : 0;
}

int cpu_switch(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev, bool inside)
{
	uint32_t prev = (uint32_t)xtr_bind_u64(b, 0, ev), next = (uint32_t)xtr_bind_u64(b, 1, ev);
	struct cpu_thread *t;
	int err = 0;

	cpu_holder_switch(c, ev->stream, prev, next, ev->ts);
	t = prev ? cpu_thread(c, prev, &err) : NULL;
	if (t)
		leaves(c, t, xtr_bind_u64(b, 2, ev), ev->ts);
	if (err || !next)
		return err;
	t = cpu_thread(c, next, &err);
	if (t)
		return enters(c, t, ev, inside);
	c->unfollowed++;
	return err;
}

bool cpu_span_cut(struct cpu_span *s, uint64_t from, uint64_t to)
{
	s->from = s->from > from ? s->from : from;
	s->to = s->to < to ? s->to : to;
	if (s->from >= s->to)
		return false;
	if (s->by.ns > s->to - s->from)
		s->by.ns = s->to - s->from;
	return true;
}

uint32_t cpu_spans(const struct cpu_thread *t, uint64_t from, uint64_t to,
		   struct cpu_span out[CPU_SPANS])
{
	uint32_t kept = t->n_spans < CPU_SPANS ? t->n_spans : CPU_SPANS, n = 0;

	for (uint32_t i = t->n_spans - kept; i < t->n_spans; i++) {
		struct cpu_span s = t->span[i % CPU_SPANS];

		if (cpu_span_cut(&s, from, to))
			out[n++] = s;
	}
	return n;
}

uint64_t cpu_spans_ns(const struct cpu_span *s, uint32_t n)
{
	uint64_t ns = 0;

	while (n--)
		ns += s[n].to - s[n].from;
	return ns;
}
