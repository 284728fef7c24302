/* SPDX-License-Identifier: BSD-2-Clause */
/* Time of CPUs in interrupt handlers and softirqs, and how often each came. */
#include "cpu_impl.h"

#include <stdlib.h>
#include <string.h>

struct cpu_cpu *cpu_cpu(struct cpu *c, uint32_t stream)
{
	struct cpu_cpu *one = &c->cpu[stream < CPU_CPUS_MAX ? stream : CPU_CPUS_MAX - 1];

	if (one->epoch != c->epoch) {
		one->epoch = c->epoch;
		one->depth = 0;
		memset(one->raised, 0, sizeof(one->raised));
	}
	return one;
}

int cpu_handler_begins(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev)
{
	struct cpu_cpu *cpu = cpu_cpu(c, ev->stream);
	uint64_t vec, raised;

	cpu->depth++;
	if (!xtr_bind_get(b, 0, ev, &vec) || vec >= CPU_VECS)
		return 0;
	raised = cpu->raised[vec];
	cpu->raised[vec] = 0;
	return raised && c->o->times ? xtr_hist_add(&c->softirq[vec], ev->ts - raised) : 0;
}

void cpu_handler_ends(struct cpu *c, const struct xtr_event *ev)
{
	struct cpu_cpu *cpu = cpu_cpu(c, ev->stream);

	cpu->depth -= cpu->depth > 0;
}

/* The first of several that one run of the softirq serves. */
void cpu_raised(struct cpu *c, const struct xtr_bind *b, const struct xtr_event *ev)
{
	struct cpu_cpu *cpu = cpu_cpu(c, ev->stream);
	uint64_t vec;

	if (xtr_bind_get(b, 0, ev, &vec) && vec < CPU_VECS && !cpu->raised[vec])
		cpu->raised[vec] = ev->ts;
}

static struct cpu_handler *handler_of(struct cpu *c, const char *name, bool soft)
{
	struct cpu_handler *h;

	for (uint32_t i = 0; i < c->n_handlers; i++)
		if (c->handler[i].soft == soft &&
		    !strncmp(c->handler[i].name, name, sizeof(h->name) - 1))
			return &c->handler[i];
	if (c->n_handlers == CPU_HANDLERS_MAX)
		return &c->handler[CPU_HANDLERS_MAX - 1];
	h = &c->handler[c->n_handlers++];
	*h = (struct cpu_handler){ .soft = soft };
	strncpy(h->name, c->n_handlers == CPU_HANDLERS_MAX ? "(others)" : name,
		sizeof(h->name) - 1);
	return h;
}

/* The most in a second: seconds are counted from a handler's first call. */
static void count_in_window(struct cpu_handler *h, uint64_t ts)
{
	if (!h->in_window || ts < h->window_ns || ts - h->window_ns >= CPU_STORM_WINDOW) {
		h->window_ns = ts;
		h->in_window = 0;
	}
	if (++h->in_window > h->most) {
		h->most = h->in_window;
		h->most_at_ns = h->window_ns;
	}
}

static bool is_handler(const struct xtr_call *call)
{
	return call->kind == XTR_CALL_IRQ || call->kind == XTR_CALL_SOFTIRQ;
}

static int64_t *time_of(struct cpu_cpu *cpu, const struct xtr_call *call)
{
	return call->kind == XTR_CALL_IRQ ? &cpu->irq_ns : &cpu->softirq_ns;
}

static void handler_call(struct cpu *c, const struct xtr_call *call)
{
	struct cpu_handler *h = handler_of(c, call->name, call->kind == XTR_CALL_SOFTIRQ);
	struct cpu_cpu *cpu = cpu_cpu(c, call->stream);
	const struct xtr_call *outer = call->outer;
	uint64_t ns;

	h->n++;
	cpu->irqs += call->kind == XTR_CALL_IRQ;
	cpu->softirqs += call->kind == XTR_CALL_SOFTIRQ;
	if (!c->o->times)
		return;
	count_in_window(h, call->begin_ns ? call->begin_ns : call->end_ns);
	if (!xtr_call_time(call, &ns))
		return;
	h->ns += ns;
	h->max_ns = ns > h->max_ns ? ns : h->max_ns;
	*time_of(cpu, call) += (int64_t)ns;
	/* It is in the time of the handler that it interrupted, too. */
	while (outer && !is_handler(outer))
		outer = outer->outer;
	if (outer)
		*time_of(cpu, outer) -= (int64_t)ns;
}

void cpu_call(struct cpu *c, const struct xtr_call *call)
{
	uint64_t ns;

	if (is_handler(call))
		handler_call(c, call);
	else if (call->kind == XTR_CALL_RUNNING && c->o->times && xtr_call_time(call, &ns))
		cpu_cpu(c, call->stream)->busy_ns += ns;
}
