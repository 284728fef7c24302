/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread had a CPU while another one waited for it: the switches of each CPU tell who ran on
 * it and how long. The CPU of a wait is the one on which the thread ran in the end. Time in which
 * nobody is known to have had it, or it was idle, counts as a holder of its own, tid 0.
 */
#include "cpu_impl.h"

struct tally {
	struct cpu_holder by[CPU_RAN];
	uint32_t n;
};

static void put(struct tally *t, uint32_t tid, uint64_t ns)
{
	uint32_t i = 0;

	while (i < t->n && t->by[i].tid != tid)
		i++;
	if (i == t->n)
		t->by[t->n++] = (struct cpu_holder){ .tid = tid };
	t->by[i].ns += ns;
}

/* The one with the most of a time of ns, of which the tally knows a part. */
static struct cpu_holder most(const struct tally *t, uint64_t ns)
{
	struct cpu_holder best = { 0 };

	for (uint32_t i = 0; i < t->n; i++) {
		ns -= t->by[i].ns;
		if (t->by[i].ns > best.ns)
			best = t->by[i];
	}
	return best.ns > ns ? best : (struct cpu_holder){ 0 };
}

void cpu_holder_switch(struct cpu *c, uint32_t stream, uint32_t prev, uint32_t next, uint64_t ts)
{
	struct cpu_cpu *cpu = cpu_cpu(c, stream);

	/* Without the switch to prev its beginning is not known, and nothing of what was before */
	if (cpu->on_ns && cpu->on_tid == prev && stream < CPU_CPUS_MAX - 1)
		cpu->ran[cpu->n_ran++ % CPU_RAN] =
			(struct cpu_ran){ .tid = prev, .from = cpu->on_ns, .to = ts };
	else
		cpu->n_ran = 0;
	cpu->on_tid = next;
	cpu->on_ns = ts;
}

struct cpu_holder cpu_holder_between(struct cpu *c, uint32_t stream, uint64_t from, uint64_t to)
{
	const struct cpu_cpu *cpu = cpu_cpu(c, stream);
	uint32_t kept = cpu->n_ran < CPU_RAN ? cpu->n_ran : CPU_RAN;
	struct tally t = { .n = 0 };

	for (uint32_t i = 1; i <= kept; i++) {
		const struct cpu_ran *r = &cpu->ran[(cpu->n_ran - i) % CPU_RAN];

		if (r->to <= from)
			break;
		put(&t, r->tid, r->to - (r->from > from ? r->from : from));
	}
	return most(&t, to - from);
}

struct cpu_holder cpu_holder_of(const struct cpu_span *s, uint32_t n)
{
	struct tally t = { .n = 0 };

	for (uint32_t i = 0; i < n; i++)
		put(&t, s[i].by.tid, s[i].by.ns);
	return most(&t, cpu_spans_ns(s, n));
}

void cpu_holder_late(struct cpu *c, const struct cpu_holder *by, uint64_t wait_ns)
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
