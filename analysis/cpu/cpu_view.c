/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `cpu` as text and as JSON. */
#include "cpu_impl.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "analysis/core/missing.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static const char *const causes[] = { "cpu", "gpu", "other" };
static const char *const vecs[CPU_VECS] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					    "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
static const char *const roles[] = { "submits", "runs", "completes", "waits" };

static const struct xtr_task *task_of(const struct cpu *c, uint32_t tid)
{
	return c->o->tables ? xtr_tables_task(c->o->tables, tid, UINT64_MAX) : NULL;
}

static const char *name_of(const struct cpu *c, uint32_t tid, size_t *n)
{
	const struct xtr_task *task = task_of(c, tid);

	*n = 0;
	return task ? xtr_tables_string(c->o->tables, task->comm, n) : NULL;
}

static uint64_t positive(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

static void row_delay(struct xtr_grid *t, const char *what, uint64_t n, uint64_t late,
		      uint64_t late_ns, const struct xtr_hist *h)
{
	xtr_grid_cell(t, what);
	xtr_grid_count(t, n);
	xtr_grid_count(t, late);
	xtr_grid_ns(t, late, late_ns);
	xtr_grid_times(t, h);
}

static int text_jobs(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = { "<jobs", "n",   "over 1 ms", "their time",
					       "p50",   "p99", "max",       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint64_t all = c->late_ns[0] + c->late_ns[1] + c->late_ns[2];
	struct xtr_hist none = { 0 };
	unsigned int i;

	row_delay(t, "submitter waited for a CPU before the queue", c->submit.n, c->submit.late,
		  c->submit.late_ns, &c->submit.time);
	row_delay(t, "ready, not run", c->jobs, c->late, all, &c->ready);
	for (i = 0; i < CPU_CAUSES; i++) {
		static const char *const what[] = { "  mostly: the thread waited for a CPU",
						    "  mostly: the ring was full",
						    "  mostly: neither" };

		xtr_grid_cell(t, what[i]);
		xtr_grid_cell(t, "");
		xtr_grid_count(t, c->late_by[i]);
		xtr_grid_ns(t, c->late, c->late_ns[i]);
		xtr_grid_cell(t, "");
		xtr_grid_cell(t, "");
		xtr_grid_cell(t, "");
	}
	row_delay(t, "completing thread waited for a CPU", c->complete.n, c->complete.late,
		  c->complete.late_ns, c->complete.n ? &c->complete.time : &none);
	fputs("  ready: queued, and its dependencies signalled; the times of the causes are those of "
	      "all jobs over 1 ms\n",
	      f);
	return xtr_grid_print(t, f, 2);
}

static int text_late(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = { "<late job", "<ring", "run s",   "ready for", "cpu",
					       "gpu",       "other", "<run by", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	const char *s;
	uint32_t i;
	size_t n;

	for (i = 0; i < c->n_list; i++) {
		const struct cpu_late *l = &c->list[i];

		snprintf(buf, sizeof(buf), "%" PRIu64 ":%" PRIu64, l->ctx, l->seqno);
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, c->ring[l->ring].name);
		xtr_grid_cell(t, xtr_text_stamp(buf, l->run_ns));
		xtr_grid_ns(t, true, l->run_ns - l->ready_ns);
		xtr_grid_ns(t, true, l->ns[CPU_CAUSE_CPU]);
		xtr_grid_ns(t, true, l->ns[CPU_CAUSE_GPU]);
		xtr_grid_ns(t, true, l->ns[CPU_CAUSE_OTHER]);
		s = name_of(c, l->tid, &n);
		xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "");
	}
	return xtr_grid_print(t, c->n_list ? f : NULL, 2);
}

static void cell_roles(struct xtr_grid *t, uint32_t bits)
{
	char buf[64] = "";
	size_t i, n = 0;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (bits & 1u << i)
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s", n ? ", " : "",
					      roles[i]);
	xtr_grid_cell(t, buf);
}

static int text_threads(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = { "<thread of jobs",
					       "tid",
					       "<does",
					       "on a CPU",
					       "preempted",
					       "waits",
					       "sum",
					       "p50",
					       "p99",
					       "max",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	uint32_t i, rows = 0;
	const char *s;
	size_t n;

	for (i = 0; i < c->n_threads && rows < c->o->top; i++) {
		const struct cpu_thread *one = &c->thread[i];

		if (!one->roles)
			continue;
		rows++;
		s = name_of(c, one->tid, &n);
		xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "");
		snprintf(buf, sizeof(buf), "%" PRIu32, one->tid);
		xtr_grid_cell(t, buf);
		cell_roles(t, one->roles);
		xtr_grid_count(t, one->switches);
		xtr_grid_count(t, one->preempted);
		xtr_grid_count(t, one->delay.n);
		xtr_grid_ns(t, one->delay.n, one->delay.sum);
		xtr_grid_times(t, &one->delay);
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static bool cpu_shown(const struct cpu_cpu *one)
{
	return one->busy_ns || one->irqs || one->softirqs;
}

static int text_cpus(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = { "CPU",   "threads",  "share", "interrupts", "time",
					       "share", "softirqs", "time",  "share",      NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER];
	uint32_t i, rows = 0;

	for (i = 0; i < CPU_CPUS_MAX; i++) {
		const struct cpu_cpu *one = &c->cpu[i];

		if (!cpu_shown(one))
			continue;
		rows++;
		snprintf(buf, sizeof(buf), "%" PRIu32, i);
		xtr_grid_cell(t, buf);
		xtr_grid_ns(t, one->busy_ns, one->busy_ns);
		xtr_grid_cell(t, xtr_text_percent(buf, one->busy_ns, c->o->span_ns));
		xtr_grid_count(t, one->irqs);
		xtr_grid_ns(t, one->irqs, positive(one->irq_ns));
		xtr_grid_cell(t, xtr_text_percent(buf, positive(one->irq_ns), c->o->span_ns));
		xtr_grid_count(t, one->softirqs);
		xtr_grid_ns(t, one->softirqs, positive(one->softirq_ns));
		xtr_grid_cell(t, xtr_text_percent(buf, positive(one->softirq_ns), c->o->span_ns));
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_handlers(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = { "<handler", "<kind",       "calls", "total",
					       "max",      "most in 1 s", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NAME];
	uint32_t i;

	for (i = 0; i < c->n_handlers && i < c->o->top; i++) {
		const struct cpu_handler *h = &c->handler[i];

		xtr_grid_cell(t, xtr_text_name(buf, sizeof(buf), h->name, strlen(h->name)));
		xtr_grid_cell(t, h->soft ? "softirq" : "interrupt");
		xtr_grid_count(t, h->n);
		xtr_grid_ns(t, c->o->times, h->ns);
		xtr_grid_ns(t, c->o->times, h->max_ns);
		xtr_grid_count(t, h->most);
	}
	return xtr_grid_print(t, c->n_handlers ? f : NULL, 2);
}

static int text_softirqs(const struct cpu *c, FILE *f)
{
	static const char *const columns[] = {
		"<softirq, raised to begun", "n", "p50", "p99", "max", NULL
	};
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, rows = 0;

	for (i = 0; i < CPU_VECS; i++) {
		if (!c->softirq[i].n)
			continue;
		rows++;
		xtr_grid_cell(t, vecs[i]);
		xtr_grid_count(t, c->softirq[i].n);
		xtr_grid_times(t, &c->softirq[i]);
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

int cpu_text(const void *self, const struct xtr_view *v)
{
	const struct cpu *c = self;
	char missing[XTR_MISSING_TEXT];
	int ret = 0;

	if (!c->o->times)
		fputs("  times: not known, the trace has none\n", v->f);
	else if (!c->knows_sched)
		fprintf(v->f, "  late threads: not known, %s\n",
			xtr_missing_text(missing, cpu_sched_event, c->lacks, CPU_SCHED_EVENTS));
	if (c->submit.n || c->jobs)
		ret = text_jobs(c, v->f);
	if (!ret)
		ret = text_late(c, v->f);
	if (!ret)
		ret = text_threads(c, v->f);
	if (!ret && c->o->times)
		ret = text_cpus(c, v->f);
	if (!ret)
		ret = text_handlers(c, v->f);
	if (!ret)
		ret = text_softirqs(c, v->f);
	if (c->jobs_lost)
		fprintf(v->f, "  jobs left out, as events were lost meanwhile: %" PRIu64 "\n",
			c->jobs_lost);
	if (c->unfollowed)
		fprintf(v->f, "  switches to more threads than are followed: %" PRIu64 "\n",
			c->unfollowed);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void kv_name(const struct cpu *c, struct xtr_json *j, const char *key, uint32_t tid)
{
	size_t n;
	const char *s = name_of(c, tid, &n);

	xtr_json_key(j, key);
	xtr_json_strn(j, s, n);
}

static void json_sum(struct xtr_json *j, const char *key, const struct cpu_sum *s)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "n", s->n);
	xtr_json_kv_u64(j, "late", s->late);
	xtr_json_kv_u64(j, "late_ns", s->late_ns);
	xtr_view_json_hist(j, "wait_ns", &s->time, false);
	xtr_json_end_object(j);
}

static void json_runs(const struct cpu *c, struct xtr_json *j)
{
	unsigned int i;

	xtr_json_kv_object(j, "runs");
	xtr_json_kv_u64(j, "n", c->jobs);
	xtr_json_kv_u64(j, "late", c->late);
	for (i = 0; i < CPU_CAUSES; i++) {
		xtr_json_kv_object(j, causes[i]);
		xtr_json_kv_u64(j, "late", c->late_by[i]);
		xtr_json_kv_u64(j, "late_ns", c->late_ns[i]);
		xtr_json_end_object(j);
	}
	xtr_view_json_hist(j, "ready_ns", &c->ready, false);
	xtr_json_end_object(j);
}

static void json_late(const struct cpu *c, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "late_jobs");
	for (i = 0; i < c->n_list; i++) {
		const struct cpu_late *l = &c->list[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "context", l->ctx);
		xtr_json_kv_u64(j, "seqno", l->seqno);
		xtr_json_kv_u64(j, "ring_id", c->ring[l->ring].id);
		xtr_json_kv_str(j, "ring", c->ring[l->ring].name);
		xtr_json_kv_u64(j, "ready_ns", l->ready_ns);
		xtr_json_kv_u64(j, "run_ns", l->run_ns);
		xtr_json_kv_u64(j, "cpu_ns", l->ns[CPU_CAUSE_CPU]);
		xtr_json_kv_u64(j, "gpu_ns", l->ns[CPU_CAUSE_GPU]);
		xtr_json_kv_u64(j, "other_ns", l->ns[CPU_CAUSE_OTHER]);
		xtr_json_kv_str(j, "cause", causes[l->cause]);
		xtr_json_kv_u64(j, "tid", l->tid);
		kv_name(c, j, "name", l->tid);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_threads(const struct cpu *c, struct xtr_json *j)
{
	uint32_t i;
	size_t k;

	xtr_json_kv_array(j, "threads");
	for (i = 0; i < c->n_threads; i++) {
		const struct cpu_thread *t = &c->thread[i];
		const struct xtr_task *task = task_of(c, t->tid);

		if (!t->roles)
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "tid", t->tid);
		xtr_json_kv_u64(j, "pid", task ? task->pid : 0);
		kv_name(c, j, "name", t->tid);
		xtr_json_kv_array(j, "does");
		for (k = 0; k < sizeof(roles) / sizeof(roles[0]); k++)
			if (t->roles & 1u << k)
				xtr_json_str(j, roles[k]);
		xtr_json_end_array(j);
		xtr_json_kv_u64(j, "switches", t->switches);
		xtr_json_kv_u64(j, "wakeups", t->wakeups);
		xtr_json_kv_u64(j, "preempted", t->preempted);
		xtr_view_json_hist(j, "wait_ns", &t->delay, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_cpus(const struct cpu *c, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "cpus");
	for (i = 0; i < CPU_CPUS_MAX; i++) {
		const struct cpu_cpu *one = &c->cpu[i];

		if (!cpu_shown(one))
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "cpu", i);
		xtr_json_kv_u64(j, "threads_ns", one->busy_ns);
		xtr_json_kv_u64(j, "irqs", one->irqs);
		xtr_json_kv_u64(j, "irq_ns", positive(one->irq_ns));
		xtr_json_kv_u64(j, "softirqs", one->softirqs);
		xtr_json_kv_u64(j, "softirq_ns", positive(one->softirq_ns));
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_handlers(const struct cpu *c, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "handlers");
	for (i = 0; i < c->n_handlers; i++) {
		const struct cpu_handler *h = &c->handler[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", h->name);
		xtr_json_kv_str(j, "kind", h->soft ? "softirq" : "interrupt");
		xtr_json_kv_u64(j, "calls", h->n);
		xtr_json_kv_u64(j, "total_ns", h->ns);
		xtr_json_kv_u64(j, "max_ns", h->max_ns);
		xtr_json_kv_u64(j, "most_in_a_second", h->most);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "softirq_raised_to_begun");
	for (i = 0; i < CPU_VECS; i++) {
		if (!c->softirq[i].n)
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "softirq", vecs[i]);
		xtr_view_json_hist(j, "wait_ns", &c->softirq[i], false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void cpu_json(const void *self, struct xtr_json *j)
{
	const struct cpu *c = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "threads_known", c->knows_sched);
	json_sum(j, "submits", &c->submit);
	json_runs(c, j);
	json_sum(j, "completions", &c->complete);
	xtr_json_kv_u64(j, "jobs_lost", c->jobs_lost);
	xtr_json_kv_u64(j, "unfollowed", c->unfollowed);
	json_late(c, j);
	json_threads(c, j);
	json_cpus(c, j);
	json_handlers(c, j);
	xtr_json_end_object(j);
}
