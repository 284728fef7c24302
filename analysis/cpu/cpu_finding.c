/* SPDX-License-Identifier: BSD-2-Clause */
/* What of CPUs is worth a look, and the limits (cpu_impl.h). */
#include "cpu_impl.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_events(struct xtr_finding *f, const uint64_t *ns, uint64_t n)
{
	for (uint64_t i = 0; i < n && i < XTR_FINDING_EVENTS_MAX + 1; i++) {
		if (!f->at_ns)
			f->at_ns = ns[i];
		else if (f->n_events < XTR_FINDING_EVENTS_MAX)
			f->event_ns[f->n_events++] = ns[i];
	}
}

/* "; hog (pid 70) had it longest, 29.9 ms"; with the tid where it is not the process' first. */
static void add_holder(const struct cpu *c, struct xtr_finding *f)
{
	const struct cpu_thread *t = cpu_holder_longest(c);
	const struct xtr_task *task =
		t && c->o->tables ? xtr_tables_task(c->o->tables, t->tid, UINT64_MAX) : NULL;
	char name[XTR_TEXT_NAME] = "", pid[XTR_TEXT_PROCESS], ns[XTR_TEXT_NUMBER];
	size_t len = strlen(f->text), n = 0;
	const char *s = task ? xtr_tables_string(c->o->tables, task->comm, &n) : NULL;
	char who[64];

	if (!t)
		return;
	if (task && task->pid && task->pid != t->tid)
		snprintf(who, sizeof(who), "pid %s, tid %" PRIu32,
			 xtr_text_process(pid, xtr_process_of(task)), t->tid);
	else
		snprintf(who, sizeof(who), "%s %" PRIu32, task && task->pid ? "pid" : "tid",
			 t->tid);
	if (s)
		xtr_text_name(name, sizeof(name), s, n);
	snprintf(f->text + len, sizeof(f->text) - len, "; %.32s%s%s%s had it longest, %s", name,
		 *name ? " (" : "", who, *name ? ")" : "", xtr_text_ns(ns, t->held_ns));
	if (task && task->pid)
		xtr_finding_evidence(f, "holder_pid", task->pid);
	xtr_finding_evidence(f, "holder_tid", t->tid);
	xtr_finding_evidence(f, "holder_ns", t->held_ns);
}

/* The job whose time is the first of the evidence (delays). */
static void add_job(const struct cpu *c, struct xtr_finding *f)
{
	const struct cpu_name *job = c->late_by[CPU_CAUSE_CPU] ? &c->late_first
				     : c->submit.late          ? &c->submit.first
							       : &c->complete.first;

	xtr_finding_evidence(f, "context", job->ctx);
	xtr_finding_evidence(f, "seqno", job->seqno);
}

static int delays(const struct cpu *c)
{
	uint64_t late = c->late_by[CPU_CAUSE_CPU] + c->submit.late + c->complete.late;
	uint64_t jobs = c->submit.n > c->jobs ? c->submit.n : c->jobs;
	struct xtr_finding f = {
		.id = "cpu-delay",
		.notable = true,
		.evidence = { { "jobs", jobs },
			      { "submits_late", c->submit.late },
			      { "runs_late", c->late_by[CPU_CAUSE_CPU] },
			      { "completions_late", c->complete.late },
			      { "runs_late_otherwise", c->late - c->late_by[CPU_CAUSE_CPU] },
			      { "limit_ns", CPU_LATE_NS },
			      { "limit_permille", CPU_LATE_PERMILLE } },
		.n_evidence = 7,
	};
	char s[XTR_TEXT_NUMBER], r[XTR_TEXT_NUMBER], d[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER];

	if ((__uint128_t)late * 1000 <= (__uint128_t)jobs * CPU_LATE_PERMILLE)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"threads waited too long for a CPU before %s submits, %s runs and %s completions of "
		"%s jobs",
		xtr_text_count(s, c->submit.late), xtr_text_count(r, c->late_by[CPU_CAUSE_CPU]),
		xtr_text_count(d, c->complete.late), xtr_text_count(of, jobs));
	add_job(c, &f);
	add_holder(c, &f);
	add_events(&f, c->late_at_ns, c->late_by[CPU_CAUSE_CPU]);
	add_events(&f, c->submit.at_ns, c->submit.late);
	add_events(&f, c->complete.at_ns, c->complete.late);
	return xtr_findings_add(c->o->findings, &f);
}

static int storm(const struct cpu *c, const struct cpu_handler *h)
{
	struct xtr_finding f = {
		.id = "irq-storm",
		.notable = true,
		.at_ns = h->most_at_ns,
		.evidence = { { "in_a_second", h->most },
			      { "interrupts", h->n },
			      { "limit_per_s", CPU_STORM_PER_S } },
		.n_evidence = 3,
	};
	char n[XTR_TEXT_NUMBER], name[XTR_TEXT_NAME];

	if (h->soft || h->most <= CPU_STORM_PER_S)
		return 0;
	snprintf(f.text, sizeof(f.text), "interrupt %.80s fired %s times in one second",
		 xtr_text_name(name, sizeof(name), h->name, strlen(h->name)),
		 xtr_text_count(n, h->most));
	return xtr_findings_add(c->o->findings, &f);
}

int cpu_findings(const struct cpu *c)
{
	int err = delays(c);

	for (uint32_t i = 0; i < c->n_handlers && !err; i++)
		err = storm(c, &c->handler[i]);
	return err;
}
