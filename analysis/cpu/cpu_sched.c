/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, and how long each waited for a CPU (analysis/core/run_queue.h). */
#include "cpu_impl.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

struct cpu_thread *cpu_thread_find(const struct cpu *c, uint32_t tid)
{
	int64_t i = xtr_runq_find(&c->queue, tid);

	return i >= 0 && i < c->n_threads ? &c->thread[i] : NULL;
}

/* As many as the run queue follows. */
static int keep_up(struct cpu *c)
{
	if (xtr_grow_array(&c->thread, &c->cap_threads, c->queue.n, sizeof(*c->thread)))
		return -ENOMEM;
	while (c->n_threads < c->queue.n) {
		c->thread[c->n_threads] =
			(struct cpu_thread){ .tid = c->queue.thread[c->n_threads].tid };
		c->n_threads++;
	}
	return 0;
}

struct cpu_thread *cpu_thread(struct cpu *c, uint32_t tid, int *ret)
{
	int64_t i = xtr_runq_thread(&c->queue, tid);

	*ret = i == -ENOMEM ? -ENOMEM : keep_up(c);
	return i < 0 || *ret ? NULL : &c->thread[i];
}

int cpu_wakeup(struct cpu *c, uint32_t tid, uint64_t ts)
{
	int err = xtr_runq_wakeup(&c->queue, tid, ts) ?: keep_up(c);
	struct cpu_thread *t = err || !tid ? NULL : cpu_thread_find(c, tid);

	if (t)
		t->wakeups++;
	return err;
}

int cpu_switch(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev, bool inside)
{
	struct xtr_runq_switch s = { .ts = ev->ts,
				     .cpu = ev->stream,
				     .prev = (uint32_t)xtr_bind_u64(b, 0, ev),
				     .next = (uint32_t)xtr_bind_u64(b, 1, ev),
				     .state = xtr_bind_u64(b, 2, ev) };
	int err = xtr_runq_switched(&c->queue, &s) ?: keep_up(c);
	struct cpu_thread *t;

	if (err)
		return err;
	t = s.prev ? cpu_thread_find(c, s.prev) : NULL;
	if (t)
		t->preempted += s.preempted;
	c->unfollowed += s.unfollowed;
	t = s.next ? cpu_thread_find(c, s.next) : NULL;
	if (!t)
		return 0;
	t->switches += inside;
	return s.waited && inside ? xtr_hist_add_within(&t->delay, s.waited_ns, &c->hist_left) : 0;
}

void cpu_holder_late(struct cpu *c, const struct xtr_runq_holder *by, uint64_t wait_ns)
{
	struct cpu_thread *t = by->tid ? cpu_thread_find(c, by->tid) : NULL;

	if (t)
		t->held_ns += by->ns;
	else
		c->unheld_ns += wait_ns;
}

const struct cpu_thread *cpu_holder_longest(const struct cpu *c)
{
	const struct cpu_thread *best = NULL;
	uint64_t ns = c->unheld_ns;

	for (uint32_t i = 0; i < c->n_threads; i++)
		if (c->thread[i].held_ns > ns) {
			best = &c->thread[i];
			ns = best->held_ns;
		}
	return best;
}
