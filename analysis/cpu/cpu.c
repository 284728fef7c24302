/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs: is a job late, or the thread that had to run it (docs/cpu.md). */
#include "cpu_impl.h"

#include <errno.h>
#include <stdlib.h>

static const struct xtr_bind_spec specs[] = {
	{ "sched:sched_switch", CPU_EV_SWITCH, { "prev_pid", "next_pid", "prev_state" } },
	{ "sched:sched_wakeup", CPU_EV_WAKEUP, { "pid" } },
	{ "sched:sched_wakeup_new", CPU_EV_WAKEUP, { "pid" } },
	{ "irq:irq_handler_entry", CPU_EV_HANDLER_BEGIN, { "vec" } },
	{ "irq:irq_handler_exit", CPU_EV_HANDLER_END, { NULL } },
	{ "irq:softirq_entry", CPU_EV_HANDLER_BEGIN, { "vec" } },
	{ "irq:softirq_exit", CPU_EV_HANDLER_END, { NULL } },
	{ "irq:softirq_raise", CPU_EV_RAISE, { "vec" } },
	/* What follows says nothing of CPUs by itself. */
	{ "gpu_scheduler:drm_sched_job_queue", CPU_EV_QUEUE, { "ctx", "seqno" } },
	{ "gpu_scheduler:drm_sched_job_run", CPU_EV_RUN, { "ctx", "seqno" } },
	{ "gpu_scheduler:drm_sched_job_done", CPU_EV_DONE, { "ctx", "seqno" } },
	{ "dma_fence:dma_fence_wait_start", CPU_EV_WAIT, { NULL } },
};
#define N_SPECS     (sizeof(specs) / sizeof(specs[0]))
#define N_CPU_SPECS 8u

const char *const cpu_sched_event[CPU_SCHED_EVENTS] = { "sched:sched_switch",
							"sched:sched_wakeup" };

static bool applies(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, specs, N_CPU_SPECS);
}

static void cpu_free(void *self)
{
	struct cpu *c = self;

	for (uint32_t i = 0; i < c->n_threads; i++)
		xtr_hist_free(&c->thread[i].delay);
	for (uint32_t i = 0; i < CPU_VECS; i++)
		xtr_hist_free(&c->softirq[i]);
	xtr_hist_free(&c->ready);
	xtr_hist_free(&c->submit.time);
	xtr_hist_free(&c->complete.time);
	xtr_runq_free(&c->queue);
	xtr_map_free(&c->by_job);
	xtr_map_free(&c->by_ring);
	xtr_binds_close(&c->binds);
	free(c->thread);
	free(c->job);
	free(c->ring);
	free(c->list);
	free(c->cpu);
	free(c->handler);
	free(c);
}

static int cpu_open(void **self, const struct xtr_analysis_opts *o)
{
	struct cpu *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->o = o;
	c->hist_left = CPU_HISTS_MAX;
	c->free_job = c->first_job = c->last_job = XTR_MAP_NONE;
	c->list = calloc(o->top + 1, sizeof(*c->list));
	c->cpu = calloc(CPU_CPUS_MAX, sizeof(*c->cpu));
	c->handler = calloc(CPU_HANDLERS_MAX, sizeof(*c->handler));
	if (!c->list || !c->cpu || !c->handler ||
	    xtr_binds_open(&c->binds, o->meta, specs, N_SPECS)) {
		cpu_free(c);
		return -ENOMEM;
	}
	c->knows_sched = o->times;
	for (size_t i = 0; i < CPU_SCHED_EVENTS; i++) {
		c->lacks[i] = !xtr_meta_event_by_name(o->meta, cpu_sched_event[i]);
		c->knows_sched &= !c->lacks[i];
	}
	*self = c;
	return 0;
}

static bool cpu_takes(const void *self, uint32_t type)
{
	const struct cpu *s = self;

	return !type || xtr_binds_find(&s->binds, type);
}

static int cpu_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct cpu *c = self;
	const struct xtr_bind *b;

	if (ev->gap) {
		c->epoch++;
		xtr_runq_lost(&c->queue);
		return 0;
	}
	b = xtr_binds_find(&c->binds, ev->type);
	if (!b)
		return 0;
	c->events += inside && b->role <= CPU_EV_HANDLER_END;
	switch (b->role) {
	case CPU_EV_SWITCH:
		return cpu_switch(c, b, ev, inside);
	case CPU_EV_WAKEUP:
		return cpu_wakeup(c, (uint32_t)xtr_bind_u64(b, 0, ev), ev->ts);
	case CPU_EV_HANDLER_BEGIN:
		return cpu_handler_begins(c, b, ev);
	case CPU_EV_HANDLER_END:
		cpu_handler_ends(c, ev);
		return 0;
	case CPU_EV_RAISE:
		cpu_raised(c, b, ev);
		return 0;
	default:
		return cpu_job_event(c, b, ev, cpu_cpu(c, ev->stream)->depth > 0);
	}
}

static int on_call(void *self, const struct xtr_call *call)
{
	cpu_call(self, call);
	return 0;
}

static int on_job(void *self, const struct xtr_job *j)
{
	struct cpu *c = self;

	return c->knows_sched ? cpu_job_settled(c, j) : 0;
}

static int by_delay(const void *pa, const void *pb)
{
	const struct cpu_thread *a = pa, *b = pb;

	if (a->delay.sum != b->delay.sum)
		return a->delay.sum < b->delay.sum ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int by_number(const void *pa, const void *pb)
{
	const struct cpu_handler *a = pa, *b = pb;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return a->soft != b->soft ? a->soft - b->soft : strncmp(a->name, b->name, sizeof(a->name));
}

static int cpu_finish(void *self)
{
	struct cpu *c = self;
	int err = cpu_findings(c);

	if (c->n_threads)
		qsort(c->thread, c->n_threads, sizeof(*c->thread), by_delay);
	if (c->n_handlers)
		qsort(c->handler, c->n_handlers, sizeof(*c->handler), by_number);
	return err;
}

static bool cpu_any(const void *self)
{
	return ((const struct cpu *)self)->events;
}

const struct xtr_analysis xtr_analysis_cpu = {
	.name = "cpu",
	.title = "CPUs: late jobs and late threads",
	.applies = applies,
	.open = cpu_open,
	.free = cpu_free,
	.takes = cpu_takes,
	.event = cpu_event,
	.call = on_call,
	.job = on_job,
	.finish = cpu_finish,
	.any = cpu_any,
	.text = cpu_text,
	.json = cpu_json,
	.tables = cpu_tables,
};
