/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_queue.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

struct ran { /* ns: a thread, or idle, had a CPU */
	uint32_t tid;
	uint64_t from, to;
};

struct xtr_runq_cpu {
	uint32_t epoch;
	uint32_t on_tid; /* runs since on_ns; 0 there: not known */
	uint64_t on_ns;
	uint32_t n_ran; /* in all; the last XTR_RUNQ_RAN are kept */
	struct ran ran[XTR_RUNQ_RAN];
};

void xtr_runq_free(struct xtr_runq *q)
{
	xtr_map_free(&q->by_tid);
	free(q->thread);
	free(q->cpu);
	*q = (struct xtr_runq){ 0 };
}

void xtr_runq_lost(struct xtr_runq *q)
{
	q->epoch++;
}

/* --- holders ---------------------------------------------------------------------------------- */

struct tally {
	struct xtr_runq_holder by[XTR_RUNQ_RAN];
	uint32_t n;
};

static void put(struct tally *t, uint32_t tid, uint64_t ns)
{
	uint32_t i = 0;

	while (i < t->n && t->by[i].tid != tid)
		i++;
	if (i == t->n)
		t->by[t->n++] = (struct xtr_runq_holder){ .tid = tid };
	t->by[i].ns += ns;
}

/* The one with the most of a time of ns, of which the tally knows a part. */
static struct xtr_runq_holder most(const struct tally *t, uint64_t ns)
{
	struct xtr_runq_holder best = { 0 };

	for (uint32_t i = 0; i < t->n; i++) {
		ns -= t->by[i].ns;
		if (t->by[i].ns > best.ns)
			best = t->by[i];
	}
	return best.ns > ns ? best : (struct xtr_runq_holder){ 0 };
}

/* NULL: there are too many. */
static struct xtr_runq_cpu *cpu_of(const struct xtr_runq *q, uint32_t number)
{
	struct xtr_runq_cpu *cpu = number < XTR_RUNQ_CPUS_MAX ? &q->cpu[number] : NULL;

	if (cpu && cpu->epoch != q->epoch) {
		cpu->epoch = q->epoch;
		cpu->on_ns = 0;
		cpu->n_ran = 0;
	}
	return cpu;
}

/* A CPU goes from a thread to another one. */
static void hand_over(const struct xtr_runq *q, const struct xtr_runq_switch *s)
{
	struct xtr_runq_cpu *cpu = cpu_of(q, s->cpu);

	if (!cpu)
		return;
	/* Without the switch to prev its beginning is not known, and nothing of what was before */
	if (cpu->on_ns && cpu->on_tid == s->prev)
		cpu->ran[cpu->n_ran++ % XTR_RUNQ_RAN] =
			(struct ran){ .tid = s->prev, .from = cpu->on_ns, .to = s->ts };
	else
		cpu->n_ran = 0;
	cpu->on_tid = s->next;
	cpu->on_ns = s->ts;
}

/* Who had that CPU longest, to the last switch on it. */
static struct xtr_runq_holder holder_between(const struct xtr_runq *q, uint32_t number,
					     uint64_t from, uint64_t to)
{
	const struct xtr_runq_cpu *cpu = cpu_of(q, number);
	struct tally t = { .n = 0 };
	uint32_t kept;

	if (!cpu)
		return (struct xtr_runq_holder){ 0 };
	kept = cpu->n_ran < XTR_RUNQ_RAN ? cpu->n_ran : XTR_RUNQ_RAN;
	for (uint32_t i = 1; i <= kept; i++) {
		const struct ran *r = &cpu->ran[(cpu->n_ran - i) % XTR_RUNQ_RAN];

		if (r->to <= from)
			break;
		put(&t, r->tid, r->to - (r->from > from ? r->from : from));
	}
	return most(&t, to - from);
}

struct xtr_runq_holder xtr_runq_holder_of(const struct xtr_runq_span *s, uint32_t n)
{
	struct tally t = { .n = 0 };

	for (uint32_t i = 0; i < n; i++)
		put(&t, s[i].by.tid, s[i].by.ns);
	return most(&t, xtr_runq_spans_ns(s, n));
}

/* --- threads ---------------------------------------------------------------------------------- */

int64_t xtr_runq_find(const struct xtr_runq *q, uint32_t tid)
{
	uint32_t i = xtr_map_index(&q->by_tid, tid, 0);

	return i == XTR_MAP_NONE ? -1 : (int64_t)i;
}

int64_t xtr_runq_thread(struct xtr_runq *q, uint32_t tid)
{
	int64_t i = xtr_runq_find(q, tid);

	if (i >= 0 || q->n == XTR_RUNQ_THREADS_MAX)
		return i;
	if (xtr_grow_array(&q->thread, &q->cap, (size_t)q->n + 1, sizeof(*q->thread)) ||
	    xtr_map_put(&q->by_tid, tid, 0, q->n))
		return -ENOMEM;
	q->thread[q->n] = (struct xtr_runq_thread){ .tid = tid, .epoch = q->epoch };
	return q->n++;
}

/* NULL with *err 0: too many. What was known before events were lost is not known any more. */
static struct xtr_runq_thread *fresh(struct xtr_runq *q, uint32_t tid, int *err)
{
	int64_t i = xtr_runq_thread(q, tid);
	struct xtr_runq_thread *t = i >= 0 ? &q->thread[i] : NULL;

	*err = i == -ENOMEM ? -ENOMEM : 0;
	if (t && t->epoch != q->epoch) {
		t->epoch = q->epoch;
		t->since_ns = 0;
		t->running = false;
	}
	return t;
}

int xtr_runq_wakeup(struct xtr_runq *q, uint32_t tid, uint64_t ts)
{
	int err = 0;
	struct xtr_runq_thread *t = tid ? fresh(q, tid, &err) : NULL;

	if (t && !t->running && !t->since_ns)
		t->woken_ns = t->since_ns = ts;
	return err;
}

/* TASK_RUNNING, or the mark of a preemption, TASK_REPORT_MAX (include/linux/sched.h). */
static bool still_runnable(uint64_t prev_state)
{
	return !(prev_state & 0xff);
}

static void leaves(struct xtr_runq_thread *t, struct xtr_runq_switch *s)
{
	t->running = false;
	s->preempted = still_runnable(s->state);
	t->since_ns = s->preempted ? s->ts : 0;
}

static void enters(const struct xtr_runq *q, struct xtr_runq_thread *t, struct xtr_runq_switch *s)
{
	uint64_t since = t->since_ns;

	t->running = true;
	t->since_ns = 0;
	if (!since)
		return;
	s->waited = true;
	s->waited_ns = s->ts - since;
	t->span[t->n_spans++ % XTR_RUNQ_SPANS] = (struct xtr_runq_span){
		.from = since, .to = s->ts, .by = holder_between(q, s->cpu, since, s->ts)
	};
}

int xtr_runq_switched(struct xtr_runq *q, struct xtr_runq_switch *s)
{
	struct xtr_runq_thread *t;
	int err = 0;

	s->preempted = s->waited = s->unfollowed = false;
	if (!q->cpu)
		q->cpu = calloc(XTR_RUNQ_CPUS_MAX, sizeof(*q->cpu));
	if (!q->cpu)
		return -ENOMEM;
	hand_over(q, s);
	t = s->prev ? fresh(q, s->prev, &err) : NULL;
	if (t)
		leaves(t, s);
	if (err || !s->next)
		return err;
	t = fresh(q, s->next, &err);
	if (t)
		enters(q, t, s);
	s->unfollowed = !t && !err;
	return err;
}

/* --- stretches -------------------------------------------------------------------------------- */

bool xtr_runq_cut(struct xtr_runq_span *s, uint64_t from, uint64_t to)
{
	s->from = s->from > from ? s->from : from;
	s->to = s->to < to ? s->to : to;
	if (s->from >= s->to)
		return false;
	if (s->by.ns > s->to - s->from)
		s->by.ns = s->to - s->from;
	return true;
}

uint32_t xtr_runq_spans(const struct xtr_runq_thread *t, uint64_t from, uint64_t to,
			struct xtr_runq_span out[XTR_RUNQ_SPANS])
{
	uint32_t kept = t->n_spans < XTR_RUNQ_SPANS ? t->n_spans : XTR_RUNQ_SPANS, n = 0;

	for (uint32_t i = t->n_spans - kept; i < t->n_spans; i++) {
		struct xtr_runq_span s = t->span[i % XTR_RUNQ_SPANS];

		if (xtr_runq_cut(&s, from, to))
			out[n++] = s;
	}
	return n;
}

uint64_t xtr_runq_spans_ns(const struct xtr_runq_span *s, uint32_t n)
{
	uint64_t ns = 0;

	while (n--)
		ns += s[n].to - s[n].from;
	return ns;
}
