/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of the CPUs: its tables, and what else text and JSON say. */
#include "analysis/core/grid.h"
#include "analysis/core/missing.h"
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "cpu_impl.h"

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

static void put_thread_name(struct xtr_rows *r, const struct cpu *c, uint32_t tid)
{
	size_t n;
	const char *s = name_of(c, tid, &n);

	xtr_put_name(r, s, n);
}

/* --- jobs ------------------------------------------------------------------------------------- */

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

	row_delay(t, "submitter waited for a CPU before the queue", c->submit.n, c->submit.late,
		  c->submit.late_ns, &c->submit.time);
	row_delay(t, "ready, not run", c->jobs, c->late, all, &c->ready);
	for (unsigned int i = 0; i < CPU_CAUSES; i++) {
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

#define AT(member) XTR_AT(struct cpu_sum, member)
static const struct xtr_section_column sum_columns[] = {
	COUNT("n", n, "jobs of which it is known how long the thread waited"),
	COUNT("late", late, "of them over 1 ms"),
	{ "late_ns", NULL, XTR_C_NS, AT(late_ns), "their waits" },
	HIST("wait_ns", time, "from when the thread could run until it did"),
};
#undef AT

static void fill_submits(const void *self, struct xtr_rows *r)
{
	xtr_row(r, &((const struct cpu *)self)->submit);
}

static void fill_completions(const void *self, struct xtr_rows *r)
{
	xtr_row(r, &((const struct cpu *)self)->complete);
}

static const struct xtr_section_table submits =
	XTR_TABLE_ONE("submits", "submitters that waited for a CPU before the queue", sum_columns,
		      fill_submits, XTR_SHAPE_OBJECT);

static const struct xtr_section_table completions =
	XTR_TABLE_ONE("completions", "completing threads that waited for a CPU", sum_columns,
		      fill_completions, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct cpu, member)
#define CAUSE(key, id, what)                                                                 \
	{ key ".late", NULL, XTR_C_COUNT, AT(late_by[id]), "of them mostly because " what }, \
	{                                                                                    \
		key ".late_ns", NULL, XTR_C_NS, AT(late_ns[id]), "their time because " what  \
	}
static const struct xtr_section_column run_columns[] = {
	COUNT("n", jobs, "jobs with queue, run and the thread that ran it"),
	COUNT("late", late, "of them ready for over 1 ms and not run"),
	CAUSE("cpu", CPU_CAUSE_CPU, "the thread waited for a CPU"),
	CAUSE("gpu", CPU_CAUSE_GPU, "the ring was full"),
	CAUSE("other", CPU_CAUSE_OTHER, "of something else"),
	HIST("ready_ns", ready, "from ready to run"),
};
#undef AT
#undef CAUSE

static const struct xtr_section_table runs =
	XTR_TABLE_SELF("runs", "jobs, from ready to run", run_columns, NULL, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct cpu_late, member)
static const struct xtr_section_column late_columns[] = {
	{ NULL, "<late job", XTR_C_TEXT, XTR_PUT },
	{ "context", NULL, XTR_C_NUMBER, AT(ctx), "context of the job" },
	{ "seqno", NULL, XTR_C_NUMBER, AT(seqno), "sequence number in it" },
	{ "ring_id", NULL, XTR_C_NUMBER, XTR_PUT, "ring" },
	{ "ring", "<ring", XTR_C_TEXT, XTR_PUT, "its name" },
	{ "ready_ns", NULL, XTR_C_NS, AT(ready_ns), "when it was ready" },
	{ "run_ns", "run s", XTR_C_PLACE, AT(run_ns), "when it was run" },
	{ NULL, "ready for", XTR_C_NS, XTR_PUT },
	{ "cpu_ns", "cpu", XTR_C_NS, AT(ns[CPU_CAUSE_CPU]), "of that the thread waited for a CPU" },
	{ "gpu_ns", "gpu", XTR_C_NS, AT(ns[CPU_CAUSE_GPU]), "the ring was full" },
	{ "other_ns", "other", XTR_C_NS, AT(ns[CPU_CAUSE_OTHER]), "neither" },
	{ "cause", NULL, XTR_C_TEXT, XTR_PUT, "cpu, gpu or other: the most of it" },
	{ "tid", NULL, XTR_C_NUMBER, AT(tid), "thread that ran it" },
	{ "name", "<run by", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT, "its name" },
};
#undef AT

static bool put_late(struct xtr_rows *r, const void *row)
{
	const struct cpu *c = xtr_rows_self(r);
	const struct cpu_late *l = row;

	xtr_put_format(r, "%" PRIu64 ":%" PRIu64, l->ctx, l->seqno);
	xtr_put_u64(r, true, c->ring[l->ring].id);
	xtr_put_text(r, c->ring[l->ring].name);
	xtr_put_u64(r, true, l->run_ns - l->ready_ns);
	xtr_put_text(r, causes[l->cause]);
	put_thread_name(r, c, l->tid);
	return true;
}

static const struct xtr_section_table late =
	XTR_TABLE_OF("late_jobs", "a job that was ready for over 1 ms and not run, longest first",
		     late_columns, XTR_ARRAY(struct cpu, list, n_list), put_late, XTR_SHOW_ALL);

/* --- threads ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct cpu_thread, member)
static const struct xtr_section_column thread_columns[] = {
	{ NULL, "<thread of jobs", XTR_C_TEXT | XTR_C_BLANK, XTR_PUT },
	{ "tid", "tid", XTR_C_NUMBER, AT(tid), "thread" },
	{ "pid", NULL, XTR_C_NUMBER, XTR_PUT, "process; 0: not known" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "name of the thread" },
	{ "does", NULL, XTR_C_ANY, XTR_PUT, "what for jobs: submits, runs, completes, waits" },
	{ NULL, "<does", XTR_C_TEXT, XTR_PUT },
	SHOWN("switches", "on a CPU", switches, "how often it got a CPU"),
	COUNT("wakeups", wakeups, "how often it was woken up"),
	SHOWN("preempted", "preempted", preempted, "how often it lost one unasked"),
	{ NULL, "waits", XTR_C_COUNT, AT(delay.n) },
	{ NULL, "sum", XTR_C_SUM, AT(delay) },
	{ "wait_ns", "p50|p99|max", XTR_C_HIST, AT(delay), "from when it could run until it did" },
};
#undef AT

static void json_roles(const void *self, const void *row, struct xtr_json *j)
{
	const struct cpu_thread *t = row;

	(void)self;
	xtr_json_begin_array(j);
	for (size_t k = 0; k < sizeof(roles) / sizeof(roles[0]); k++)
		if (t->roles & 1u << k)
			xtr_json_str(j, roles[k]);
	xtr_json_end_array(j);
}

static void put_roles(struct xtr_rows *r, uint32_t bits)
{
	char buf[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (bits & 1u << i)
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s", n ? ", " : "",
					      roles[i]);
	xtr_put_copy(r, buf);
}

static bool put_threads(struct xtr_rows *r, const void *row)
{
	const struct cpu *c = xtr_rows_self(r);
	const struct cpu_thread *t = row;
	const struct xtr_task *task = task_of(c, t->tid);

	if (!t->roles)
		return false;
	put_thread_name(r, c, t->tid);
	xtr_put_u64(r, true, task ? task->pid : 0);
	put_thread_name(r, c, t->tid);
	xtr_put_any(r, json_roles, t);
	put_roles(r, t->roles);
	return true;
}

static const struct xtr_section_table threads =
	XTR_TABLE_OF("threads", "a thread that does something for jobs", thread_columns,
		     XTR_ARRAY(struct cpu, thread, n_threads), put_threads, XTR_SHOW_TOP_QUIET);

/* --- CPUs ------------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct cpu_cpu, member)
static const struct xtr_section_column cpu_columns[] = {
	{ "cpu", "CPU", XTR_C_NUMBER, XTR_PUT, "number of the CPU" },
	{ "threads_ns", NULL, XTR_C_NS, AT(busy_ns), "time in threads" },
	{ NULL, "threads", XTR_C_NS | XTR_C_KNOWN, AT(busy_ns) },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
	SHOWN("irqs", "interrupts", irqs, "interrupts"),
	{ "irq_ns", NULL, XTR_C_NS, XTR_PUT, "time in their handlers" },
	{ NULL, "time", XTR_C_NS, XTR_PUT },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
	SHOWN("softirqs", "softirqs", softirqs, "softirqs"),
	{ "softirq_ns", NULL, XTR_C_NS, XTR_PUT, "time in these" },
	{ NULL, "time", XTR_C_NS, XTR_PUT },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
};
#undef AT

/* For JSON, for text, and its share of the time. */
static void put_handlers(struct xtr_rows *r, const struct cpu *c, uint64_t n, int64_t signed_ns)
{
	uint64_t ns = positive(signed_ns);

	xtr_put_u64(r, true, ns);
	xtr_put_u64(r, n, ns);
	xtr_put_share(r, true, ns, c->o->span_ns);
}

static void fill_cpus(const void *self, struct xtr_rows *r)
{
	const struct cpu *c = self;

	for (uint32_t i = 0; i < CPU_CPUS_MAX; i++) {
		const struct cpu_cpu *one = &c->cpu[i];

		if (!one->busy_ns && !one->irqs && !one->softirqs)
			continue;
		xtr_put_u64(r, true, i);
		xtr_put_share(r, true, one->busy_ns, c->o->span_ns);
		put_handlers(r, c, one->irqs, one->irq_ns);
		put_handlers(r, c, one->softirqs, one->softirq_ns);
		xtr_row(r, one);
	}
}

static const struct xtr_section_table cpus =
	XTR_TABLE("cpus", "a CPU", cpu_columns, fill_cpus, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct cpu_handler, member)
static const struct xtr_section_column handler_columns[] = {
	{ "name", "<handler", XTR_C_TEXT, XTR_PUT, "name of the interrupt or softirq" },
	{ "kind", "<kind", XTR_C_TEXT, XTR_PUT, "interrupt or softirq" },
	SHOWN("calls", "calls", n, "how often it ran"),
	{ "total_ns", NULL, XTR_C_NS, AT(ns), "time in it" },
	{ NULL, "total", XTR_C_NS | XTR_C_TIMES, AT(ns) },
	{ "max_ns", NULL, XTR_C_NS, AT(max_ns), "the longest" },
	{ NULL, "max", XTR_C_NS | XTR_C_TIMES, AT(max_ns) },
	SHOWN("most_in_a_second", "most in 1 s", most, "most calls within 1 s"),
};
#undef AT

static bool put_handler(struct xtr_rows *r, const void *row)
{
	const struct cpu_handler *of = row;

	xtr_put_name(r, of->name, strlen(of->name));
	xtr_put_text(r, of->soft ? "softirq" : "interrupt");
	return true;
}

static const struct xtr_section_table handlers =
	XTR_TABLE_OF("handlers", "an interrupt or softirq", handler_columns,
		     XTR_ARRAY(struct cpu, handler, n_handlers), put_handler, XTR_SHOW_TOP_QUIET);

static const struct xtr_section_column softirq_columns[] = {
	{ "softirq", "<softirq, raised to begun", XTR_C_TEXT, XTR_PUT, "name of the softirq" },
	{ NULL, "n", XTR_C_COUNT, XTR_AT(struct xtr_hist, n) },
	{ "wait_ns", "p50|p99|max", XTR_C_HIST, XTR_PUT, "from raised to begun" },
};

static void fill_softirqs(const void *self, struct xtr_rows *r)
{
	const struct cpu *c = self;

	for (uint32_t i = 0; i < CPU_VECS; i++) {
		if (!c->softirq[i].n)
			continue;
		xtr_put_text(r, vecs[i]);
		xtr_put_hist(r, &c->softirq[i]);
		xtr_row(r, &c->softirq[i]);
	}
}

static const struct xtr_section_table softirqs =
	XTR_TABLE("softirq_raised_to_begun", "a softirq, from raised to begun", softirq_columns,
		  fill_softirqs, XTR_SHOW_ALL);

/* --- the section ------------------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct cpu, member)
static const struct xtr_section_column fact_columns[] = {
	COUNT("jobs_lost", jobs_lost, "jobs left out, as events were lost meanwhile"),
	COUNT("unfollowed", unfollowed, "switches to more threads than are followed"),
};
#undef AT

static const struct xtr_section_table facts = XTR_TABLE_SELF(
	"not_known", "what is not in the other tables", fact_columns, NULL, XTR_SHAPE_MEMBERS);

const struct xtr_section_table *const cpu_tables[] = { &submits,  &runs,    &completions, &facts,
						       &late,     &threads, &cpus,        &handlers,
						       &softirqs, NULL };

int cpu_text(const void *self, const struct xtr_view *v)
{
	const struct cpu *c = self;
	char missing[XTR_MISSING_TEXT];
	int err = 0;

	if (!c->o->times)
		fputs("  times: not known, the trace has none\n", v->f);
	else if (!c->knows_sched)
		fprintf(v->f, "  late threads: not known, %s\n",
			xtr_missing_text(missing, cpu_sched_event, c->lacks, CPU_SCHED_EVENTS));
	if (c->submit.n || c->jobs)
		err = text_jobs(c, v->f);
	if (!err)
		err = xtr_table_text(&late, c, c->o, v->f);
	if (!err)
		err = xtr_table_text(&threads, c, c->o, v->f);
	if (!err && c->o->times)
		err = xtr_table_text(&cpus, c, c->o, v->f);
	if (!err)
		err = xtr_table_text(&handlers, c, c->o, v->f);
	if (!err)
		err = xtr_table_text(&softirqs, c, c->o, v->f);
	if (c->jobs_lost)
		fprintf(v->f, "  jobs left out, as events were lost meanwhile: %" PRIu64 "\n",
			c->jobs_lost);
	if (c->unfollowed)
		fprintf(v->f, "  switches to more threads than are followed: %" PRIu64 "\n",
			c->unfollowed);
	return err;
}

void cpu_json(const void *self, struct xtr_json *j)
{
	const struct cpu *c = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "threads_known", c->knows_sched);
	xtr_tables_json(cpu_tables, c, c->o, j);
	xtr_json_end_object(j);
}
