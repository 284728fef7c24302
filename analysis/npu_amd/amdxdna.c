/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver amdxdna (docs/amdxdna.md): jobs by hardware context, messages of the mailbox and their
 * answers, interrupts. The mailbox's events name a channel, not the device.
 */
#include "amdxdna_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	uint32_t i;

	for (i = 0; x->context && i < XDNA_CONTEXTS_MAX; i++) {
		xtr_hist_free(&x->context[i].exec);
		xtr_hist_free(&x->context[i].residence);
		xtr_hist_free(&x->context[i].driver);
	}
	for (i = 0; i < x->n_messages; i++)
		xtr_hist_free(&x->message[i].time);
	xtr_binds_close(&x->binds);
	xtr_labels_free(&x->contexts);
	xtr_labels_free(&x->stages);
	xtr_keymap_free(&x->by_fence);
	xtr_keymap_free(&x->by_opcode);
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
	int ret;

	if (!x)
		return -ENOMEM;
	x->o = o;
	x->head = x->tail = x->free_jobs = XTR_KEYMAP_NONE;
	xtr_pending_init(&x->pending);
	ret = xtr_binds_open(&x->binds, o->meta, specs, SPECS);
	x->context = calloc(XDNA_CONTEXTS_MAX, sizeof(*x->context));
	x->message = calloc(XDNA_ROWS_MAX, sizeof(*x->message));
	if (!ret)
		ret = xtr_event_counts_open(&x->counts, o->meta);
	if (ret || !x->context || !x->message) {
		amdxdna_free(x);
		return ret ? ret : -ENOMEM;
	}
	*self = x;
	return 0;
}

/* --- mailbox ---------------------------------------------------------------------------------- */

/* The row of an opcode on a channel; XTR_KEYMAP_NONE: no room. -ENOMEM. */
static int64_t message_of(struct amdxdna *x, uint32_t channel, uint32_t opcode)
{
	uint32_t i = xtr_keymap_get(&x->by_opcode, channel, opcode);

	if (i != XTR_KEYMAP_NONE)
		return i;
	if (x->n_messages == XDNA_ROWS_MAX) {
		x->messages_left_out++;
		return XTR_KEYMAP_NONE;
	}
	x->message[x->n_messages] = (struct xdna_message){ .channel = channel, .opcode = opcode };
	if (xtr_keymap_put(&x->by_opcode, channel, opcode, x->n_messages))
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
	int ret;

	if (row < 0 || row == XTR_KEYMAP_NONE)
		return row < 0 ? (int)row : 0;
	x->message[row].sent += inside;
	ret = xtr_pending_add(&x->pending, &r, &old);
	if (ret == 1)
		unanswered(x, &old);
	else if (ret == 2)
		x->message[old.row].open += old.counted;
	return ret < 0 ? ret : 0;
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
