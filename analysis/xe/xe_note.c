/* SPDX-License-Identifier: BSD-2-Clause */
/* What is worth a look in the events of xe: what the driver itself calls an error. */
#include "xe_impl.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct rule {
	const char *id;
	bool job;
	uint32_t kind;
	const char *one, *many;
} rules[] = {
	{ "xe-queue-reset", false, XE_QUEUE_RESET, "caused an engine reset",
	  "engine resets caused by it" },
	{ "xe-memory-cat-error", false, XE_QUEUE_CAT_ERROR,
	  "had a memory category error: its work accessed unmapped memory",
	  "memory category errors: its work accessed unmapped memory" },
	{ "xe-cgp-context-error", false, XE_QUEUE_CGP_ERROR, "had a CGP context error",
	  "CGP context errors" },
	{ "xe-job-timeout", true, XE_JOB_TIMEDOUT, "had a job time out", "jobs that timed out" },
	{ "xe-queue-banned", true, XE_JOB_BAN, "was banned: its jobs no longer run",
	  "bans: its jobs no longer run" },
};
#define RULES (sizeof(rules) / sizeof(rules[0]))

/* "queue rcs12 of 0000:03:00.0, process 5 (game)" */
static int name_queue(const struct xe *x, const struct xe_queue *q, char *buf, size_t cap)
{
	char name[32], comm[32] = "", pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s =
		q->comm && x->o->tables ? xtr_tables_string(x->o->tables, q->comm, &n) : NULL;
	char dev[XTR_LABEL_LEN];
	int len;

	if (q == &x->rest)
		return snprintf(buf, cap, "a queue beyond the first %u", XE_QUEUES_MAX);
	xtr_text_name(dev, sizeof(dev), x->devices.name[q->dev], strlen(x->devices.name[q->dev]));
	len = snprintf(buf, cap, "queue %s of %s", xe_queue_name(q, name), dev);
	if (q->process)
		len += snprintf(buf + len, cap - (size_t)len, ", process %s (%s)",
				xtr_text_process(pid, q->process),
				s ? xtr_text_name(comm, sizeof(comm), s, n) : "?");
	return len;
}

static int on_rule(const struct xe *x, const struct xe_queue *q, const struct rule *r)
{
	uint64_t n = r->job ? q->job[r->kind] : q->event[r->kind];
	struct xtr_finding f = {
		.id = r->id,
		.notable = true,
		.fault = true,
		.at_ns = r->job ? q->job_first_ns[r->kind] : q->first_ns[r->kind],
	};
	char count[XTR_TEXT_NUMBER];
	size_t len;

	if (!n)
		return 0;
	len = (size_t)name_queue(x, q, f.text, sizeof(f.text));
	if (n == 1)
		snprintf(f.text + len, sizeof(f.text) - len, " %s", r->one);
	else
		snprintf(f.text + len, sizeof(f.text) - len, ": %s %s", xtr_text_count(count, n),
			 r->many);
	xtr_finding_evidence(&f, "count", n);
	xtr_finding_evidence(&f, "limit", 1);
	if (q != &x->rest) {
		xtr_finding_evidence(&f, "guc_id", q->guc);
		xtr_finding_evidence(&f, "gt", q->gt);
		xtr_finding_evidence(&f, "pid", xtr_process_pid(q->process));
	}
	xtr_finding_evidence(&f, "jobs", q->job[XE_JOB_EXEC]);
	return xtr_findings_add(x->o->findings, &f);
}

static int on_instant(const struct xe *x, const struct xe_queue *q)
{
	struct xtr_finding f = { .id = "xe-long-running-queue", .at_ns = q->instant_ns };
	char count[XTR_TEXT_NUMBER];
	size_t len;

	if (x->gaps || !xe_queue_instant(q)) /* a lost signal looks the same */
		return 0;
	len = (size_t)name_queue(x, q, f.text, sizeof(f.text));
	snprintf(f.text + len, sizeof(f.text) - len,
		 ": its %s jobs ended at once, without a hardware fence: a long-running queue, "
		 "whose job times say nothing about the work",
		 xtr_text_count(count, q->instant));
	xtr_finding_evidence(&f, "jobs", q->instant);
	xtr_finding_evidence(&f, "limit_ns", XE_INSTANT_NS);
	xtr_finding_evidence(&f, "guc_id", q->guc);
	xtr_finding_evidence(&f, "gt", q->gt);
	xtr_finding_evidence(&f, "pid", xtr_process_pid(q->process));
	return xtr_findings_add(x->o->findings, &f);
}

static int on_tlb(const struct xe *x, uint32_t dev)
{
	const struct xe_device *d = &x->device[dev];
	struct xtr_finding f = { .id = "xe-tlb-timeout",
				 .notable = true,
				 .fault = true,
				 .at_ns = d->tlb_first_timeout };
	char count[XTR_TEXT_NUMBER], sent[XTR_TEXT_NUMBER], name[XTR_LABEL_LEN];

	if (!d->tlb[XE_TLB_TIMEOUT])
		return 0;
	snprintf(f.text, sizeof(f.text), "%s of %s TLB invalidations of %s timed out",
		 xtr_text_count(count, d->tlb[XE_TLB_TIMEOUT]),
		 xtr_text_count(sent, d->tlb[XE_TLB_SEND]),
		 xtr_text_name(name, sizeof(name), x->devices.name[dev],
			       strlen(x->devices.name[dev])));
	xtr_finding_evidence(&f, "timeouts", d->tlb[XE_TLB_TIMEOUT]);
	xtr_finding_evidence(&f, "limit", 1);
	xtr_finding_evidence(&f, "sent", d->tlb[XE_TLB_SEND]);
	return xtr_findings_add(x->o->findings, &f);
}

int xe_findings(struct xe *x)
{
	int err = 0;

	for (uint32_t i = 0; i < x->n_queues && !err; i++) {
		for (uint32_t k = 0; k < RULES && !err; k++)
			err = on_rule(x, &x->queue[i], &rules[k]);
		if (!err)
			err = on_instant(x, &x->queue[i]);
	}
	for (uint32_t k = 0; k < RULES && !err; k++)
		err = on_rule(x, &x->rest, &rules[k]);
	for (uint32_t i = 0; i < x->devices.n && !err; i++)
		err = on_tlb(x, i);
	return err;
}
