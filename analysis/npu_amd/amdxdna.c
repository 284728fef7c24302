/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver amdxdna (docs/amdxdna.md): jobs by hardware context, messages of the mailbox and their
 * answers, interrupts. The mailbox's events name a channel, not the device.
 */
#include "amdxdna_impl.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- amdxdna note ----------------------------------------------------------------------------- */

/* What is worth a look in the events of amdxdna. */

static int slow(const struct amdxdna *x, const struct xdna_message *m)
{
	struct xtr_finding f = { .id = "xdna-mailbox-slow",
				 .notable = true,
				 .at_ns = m->first_slow_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], ns[XTR_TEXT_NUMBER];

	if (!m->slow)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%s of %s answers to opcode 0x%x on mailbox channel %u took too long, the longest "
		 "%s",
		 xtr_text_count(n, m->slow), xtr_text_count(of, m->answered), m->opcode, m->channel,
		 xtr_text_ns(ns, m->time.max));
	xtr_finding_evidence(&f, "slow", m->slow);
	xtr_finding_evidence(&f, "limit_ns", XDNA_SLOW_NS);
	xtr_finding_evidence(&f, "answered", m->answered);
	xtr_finding_evidence(&f, "max_ns", m->time.max);
	xtr_finding_evidence(&f, "channel", m->channel);
	xtr_finding_evidence(&f, "opcode", m->opcode);
	return xtr_findings_add(x->o->findings, &f);
}

static int no_answer(const struct amdxdna *x, const struct xdna_message *m)
{
	struct xtr_finding f = { .id = "xdna-mailbox-unanswered",
				 .notable = true,
				 .at_ns = m->first_unanswered_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER];

	if (!m->unanswered)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%s of %s messages of opcode 0x%x on mailbox channel %u got no answer",
		 xtr_text_count(n, m->unanswered), xtr_text_count(of, m->sent), m->opcode,
		 m->channel);
	xtr_finding_evidence(&f, "unanswered", m->unanswered);
	xtr_finding_evidence(&f, "limit_ns", XDNA_SLOW_NS);
	xtr_finding_evidence(&f, "sent", m->sent);
	xtr_finding_evidence(&f, "channel", m->channel);
	xtr_finding_evidence(&f, "opcode", m->opcode);
	return xtr_findings_add(x->o->findings, &f);
}

static int timeout(const struct amdxdna *x, uint32_t i)
{
	const struct xdna_context *c = &x->context[i];
	const char *name = x->contexts.name[i];
	struct xtr_finding f = { .id = "xdna-job-timeout",
				 .notable = true,
				 .fault = true,
				 .at_ns = c->first_timeout_ns };
	char n[XTR_TEXT_NUMBER], text[XTR_TEXT_NAME];

	if (!c->n[XDNA_TIMEDOUT])
		return 0;
	snprintf(f.text, sizeof(f.text), "%s %s of context %s timed out",
		 xtr_text_count(n, c->n[XDNA_TIMEDOUT]), c->n[XDNA_TIMEDOUT] == 1 ? "job" : "jobs",
		 xtr_text_name(text, sizeof(text), name, strlen(name)));
	xtr_finding_evidence(&f, "timeouts", c->n[XDNA_TIMEDOUT]);
	xtr_finding_evidence(&f, "limit", 1);
	xtr_finding_evidence(&f, "sent", c->n[XDNA_SENT]);
	xtr_finding_evidence(&f, "pid", xdna_context_pid(name));
	return xtr_findings_add(x->o->findings, &f);
}

static int xdna_findings(struct amdxdna *x)
{
	int err = 0;

	for (uint32_t i = 0; i < x->contexts.n && !err; i++)
		err = timeout(x, i);
	for (uint32_t i = 0; i < x->n_messages && !err; i++) {
		err = slow(x, &x->message[i]);
		if (!err)
			err = no_answer(x, &x->message[i]);
	}
	return err;
}

/* --- amdxdna ---------------------------------------------------------------------------------- */

enum role {
	JOB,
	TAIL,
	HEAD,
	IRQ,
	WORKER
};

/* The out-of-tree driver has a system of its own. */
#define ANY(event) "amdxdna:" event "|amdxdna_trace:" event

static const struct xtr_bind_spec specs[] = {
	{ ANY("xdna_job"), JOB, { "name", "str", "fence_context", "fence_seqno" } },
	{ ANY("mbox_set_tail"), TAIL, { "chann_id", "opcode", "msg_id" } },
	{ ANY("mbox_set_head"), HEAD, { "chann_id", "opcode", "msg_id" } },
	{ ANY("mbox_irq_handle"), IRQ, { "irq" } },
	{ ANY("mbox_rx_worker"), WORKER, { "irq" } },
};
#define SPECS (sizeof(specs) / sizeof(specs[0]))

static bool is_ours(const struct xtr_event_desc *d)
{
	return !strncmp(d->name, "amdxdna:", 8) || !strncmp(d->name, "amdxdna_trace:", 14);
}

static bool applies(const struct xtr_meta *meta)
{
	return xtr_event_counts_any(meta, "amdxdna:") ||
	       xtr_event_counts_any(meta, "amdxdna_trace:");
}

static void amdxdna_free(void *self)
{
	struct amdxdna *x = self;

	for (uint32_t i = 0; x->context && i < XDNA_CONTEXTS_MAX; i++) {
		xtr_hist_free(&x->context[i].exec);
		xtr_hist_free(&x->context[i].residence);
		xtr_hist_free(&x->context[i].driver);
	}
	for (uint32_t i = 0; i < x->n_messages; i++)
		xtr_hist_free(&x->message[i].time);
	xtr_binds_close(&x->binds);
	xtr_labels_free(&x->contexts);
	xtr_labels_free(&x->stages);
	xtr_map_free(&x->by_fence);
	xtr_map_free(&x->by_opcode);
	xtr_pending_free(&x->pending);
	free(x->context);
	free(x->job);
	free(x->message);
	xtr_event_counts_close(&x->counts);
	free(x);
}

static int amdxdna_open(void **self, const struct xtr_analysis_opts *o)
{
	struct amdxdna *x = calloc(1, sizeof(*x));
	int err;

	if (!x)
		return -ENOMEM;
	x->o = o;
	x->head = x->tail = x->free_jobs = XTR_MAP_NONE;
	xtr_pending_init(&x->pending);
	err = xtr_binds_open(&x->binds, o->meta, specs, SPECS);
	x->context = calloc(XDNA_CONTEXTS_MAX, sizeof(*x->context));
	x->message = calloc(XDNA_ROWS_MAX, sizeof(*x->message));
	if (!err)
		err = xtr_event_counts_open(&x->counts, o->meta);
	if (err || !x->context || !x->message) {
		amdxdna_free(x);
		return err ? err : -ENOMEM;
	}
	*self = x;
	return 0;
}

/* --- mailbox ---------------------------------------------------------------------------------- */

/* The row of an opcode on a channel; XTR_MAP_NONE: no room. -ENOMEM. */
static int64_t message_of(struct amdxdna *x, uint32_t channel, uint32_t opcode)
{
	uint32_t i = xtr_map_index(&x->by_opcode, channel, opcode);

	if (i != XTR_MAP_NONE)
		return i;
	if (x->n_messages == XDNA_ROWS_MAX) {
		x->messages_left_out++;
		return XTR_MAP_NONE;
	}
	x->message[x->n_messages] = (struct xdna_message){ .channel = channel, .opcode = opcode };
	if (xtr_map_put(&x->by_opcode, channel, opcode, x->n_messages))
		return -ENOMEM;
	return x->n_messages++;
}

/* Its number was used again: no answer will come. */
static void unanswered(struct amdxdna *x, const struct xtr_request *r)
{
	struct xdna_message *m = &x->message[r->row];

	if (r->counted && !m->unanswered++)
		m->first_unanswered_ns = r->ts;
}

static int on_tail(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	uint32_t channel = (uint32_t)xtr_bind_u64(b, 0, ev);
	int64_t row = message_of(x, channel, (uint32_t)xtr_bind_u64(b, 1, ev));
	struct xtr_request old, r = { .a = channel,
				      .b = xtr_bind_u64(b, 2, ev),
				      .ts = ev->ts,
				      .row = (uint32_t)row,
				      .counted = inside };
	int err;

	if (row < 0 || row == XTR_MAP_NONE)
		return row < 0 ? (int)row : 0;
	x->message[row].sent += inside;
	err = xtr_pending_add(&x->pending, &r, &old);
	if (err == 1)
		unanswered(x, &old);
	else if (err == 2)
		x->message[old.row].open += old.counted;
	return err < 0 ? err : 0;
}

static int on_head(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev,
		   bool inside)
{
	struct xdna_message *m;
	struct xtr_request r;
	uint64_t ns;

	if (!xtr_pending_take(&x->pending, xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 2, ev), &r)) {
		x->unasked += inside;
		return 0;
	}
	if (!r.counted)
		return 0;
	m = &x->message[r.row];
	ns = ev->ts - r.ts;
	m->answered++;
	if (x->o->times && ns > XDNA_SLOW_NS && !m->slow++)
		m->first_slow_ns = r.ts;
	return xtr_hist_add(&m->time, ns);
}

static void on_irq(struct amdxdna *x, const struct xtr_bind *b, const struct xtr_event *ev)
{
	int32_t irq = (int32_t)xtr_bind_s64(b, 0, ev);
	uint32_t i;

	for (i = 0; i < x->n_irqs && x->irq[i].irq != irq; i++)
		;
	if (i == XDNA_IRQS_MAX)
		return;
	if (i == x->n_irqs)
		x->irq[x->n_irqs++].irq = irq;
	x->irq[i].handled += b->role == IRQ;
	x->irq[i].workers += b->role == WORKER;
}

/* --- all -------------------------------------------------------------------------------------- */

static bool amdxdna_takes(const void *self, uint32_t type)
{
	const struct amdxdna *x = self;
	const struct xtr_event_desc *d = xtr_meta_event(x->o->meta, type);

	return !type || (d && is_ours(d));
}

static int amdxdna_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct amdxdna *x = self;
	const struct xtr_bind *b;

	x->gaps += ev->gap != NULL;
	if (ev->gap || !ev->desc || !is_ours(ev->desc))
		return 0;
	x->any |= inside;
	if (inside)
		xtr_event_counts_add(&x->counts, ev);
	b = xtr_binds_find(&x->binds, ev->type);
	if (!b)
		return 0;
	switch (b->role) {
	case JOB:
		return xdna_job_event(x, b, ev, inside);
	case TAIL:
		return on_tail(x, b, ev, inside);
	case HEAD:
		return on_head(x, b, ev, inside);
	default:
		if (inside)
			on_irq(x, b, ev);
		return 0;
	}
}

/* What waits for so long that an answer should have come is not merely cut off by the end. */
static int amdxdna_finish(void *self)
{
	struct amdxdna *x = self;
	const struct xtr_request *r = NULL;

	xdna_jobs_finish(x);
	while ((r = xtr_pending_next(&x->pending, r))) {
		if (!r->counted)
			continue;
		if (x->o->times && x->o->clock.now_ns - r->ts > XDNA_SLOW_NS)
			unanswered(x, r);
		else
			x->message[r->row].open++;
	}
	return xdna_findings(x);
}

static bool amdxdna_any(const void *self)
{
	return ((const struct amdxdna *)self)->any;
}

const struct xtr_analysis xtr_analysis_amdxdna = {
	.name = "amdxdna",
	.title = "AMD NPU: jobs by hardware context, mailbox, interrupts",
	.applies = applies,
	.open = amdxdna_open,
	.free = amdxdna_free,
	.takes = amdxdna_takes,
	.event = amdxdna_event,
	.finish = amdxdna_finish,
	.any = amdxdna_any,
	.text = xdna_text,
	.json = xdna_json,
	.tables = xdna_tables,
};
