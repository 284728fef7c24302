/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of amdxdna: its tables, and what else text and JSON say. */
#include "amdxdna_impl.h"
#include "analysis/core/section_table.h"
#include "analysis/core/view.h"
#include "base/text.h"

#include <string.h>

#define AT(member)           XTR_AT(struct xdna_context, member)
#define STAGE(id, key, text) { key, NULL, XTR_C_COUNT, AT(n[XDNA_##id]), "events \"" text "\"" },
static const struct xtr_section_column context_columns[] = {
	{ "context", "<context", XTR_C_TEXT, XTR_PUT, "name of the context" },
	{ "pid", "pid", XTR_C_NUMBER, XTR_PUT, "process, as the name tells" },
	XDNA_STAGES(STAGE){ NULL, "sent", XTR_C_COUNT, AT(n[XDNA_SENT]) },
	{ NULL, "done", XTR_C_COUNT, AT(n[XDNA_DONE]) },
	{ "other_stages", NULL, XTR_C_COUNT, AT(other), "events of other stages" },
	{ "timed", NULL, XTR_C_COUNT, AT(timed), "jobs sent and done" },
	{ "shared", NULL, XTR_C_COUNT, AT(shared),
	  "of them, with another context's on the device" },
	{ "open", "open", XTR_C_COUNT, AT(open), "jobs sent or run, and not done" },
	{ NULL, "timeouts", XTR_C_COUNT, AT(n[XDNA_TIMEDOUT]) },
	{ NULL, "execution", XTR_C_SUM, AT(exec) },
	{ "exec_ns", "p50|p99|max", XTR_C_HIST, AT(exec), "execution" },
	{ NULL, "shared", XTR_C_COUNT, AT(shared) },
	{ "residence_ns", NULL, XTR_C_HIST, AT(residence), "from sent to done" },
	{ "driver_ns", NULL, XTR_C_HIST, AT(driver), "from run to sent" },
};
#undef AT
#undef STAGE

static void fill_contexts(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;
	uint32_t i, pid;

	for (i = 0; i < x->contexts.n; i++) {
		pid = xdna_context_pid(x->contexts.name[i]);
		xtr_put_name(r, x->contexts.name[i], strlen(x->contexts.name[i]));
		xtr_put_u64(r, pid, pid);
		xtr_row(r, &x->context[i]);
	}
}

static const struct xtr_section_table contexts = XTR_TABLE(
	"contexts", "a context of a process", context_columns, fill_contexts, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct xdna_message, member)
static const struct xtr_section_column message_columns[] = {
	{ "channel", "channel", XTR_C_NUMBER, AT(channel), "number of the channel" },
	{ "opcode", "opcode", XTR_C_HEX, AT(opcode), "of the message" },
	{ "sent", "sent", XTR_C_COUNT, AT(sent), "messages" },
	{ "answered", "answered", XTR_C_COUNT, AT(answered), "of them with an answer" },
	{ "unanswered", "unanswered", XTR_C_COUNT, AT(unanswered),
	  "without an answer for so long that none will come" },
	{ "open", "open", XTR_C_COUNT, AT(open), "without an answer at the end of the trace" },
	{ "time_ns", "p50|p99|max", XTR_C_HIST, AT(time), "from message to answer" },
};
#undef AT

static void fill_messages(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;

	xtr_row_array(r, x->message, x->n_messages, sizeof(*x->message));
}

static const struct xtr_section_table messages =
	XTR_TABLE("messages", "messages of an opcode on a channel", message_columns, fill_messages,
		  XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct xdna_irq, member)
static const struct xtr_section_column irq_columns[] = {
	{ "irq", "interrupt", XTR_C_SIGNED, AT(irq), "number of the interrupt" },
	{ "handled", "handled", XTR_C_COUNT, AT(handled), "interrupts" },
	{ "workers", "receive workers", XTR_C_COUNT, AT(workers),
	  "runs of the worker that receives" },
};
#undef AT

static void fill_irqs(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;

	xtr_row_array(r, x->irq, x->n_irqs, sizeof(*x->irq));
}

static const struct xtr_section_table irqs =
	XTR_TABLE("interrupts", "an interrupt", irq_columns, fill_irqs, XTR_SHOW_ALL);

static const struct xtr_section_column stage_columns[] = {
	{ "stage", NULL, XTR_C_TEXT, XTR_PUT, "what the driver calls it" },
	{ "count", NULL, XTR_C_COUNT, XTR_PUT, "events" },
};

static void fill_stages(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;
	uint32_t i;

	for (i = 0; i < x->stages.n; i++) {
		xtr_put_name(r, x->stages.name[i], strlen(x->stages.name[i]));
		xtr_put_u64(r, true, x->stage_n[i]);
		xtr_row(r, NULL);
	}
}

static const struct xtr_section_table stages =
	XTR_TABLE("other_stages", "a stage of jobs that is none of those above", stage_columns,
		  fill_stages, XTR_SHOW_ALL);

const struct xtr_section_table *const xdna_tables[] = { &contexts, &messages, &irqs, &stages,
							NULL };

static void text_notes(const struct amdxdna *x, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < x->stages.n; i++) {
		if (!x->stage_n[i])
			continue;
		fputs("  jobs: \"", f);
		xtr_text_put(f, x->stages.name[i], strlen(x->stages.name[i]));
		fprintf(f, "\" %s times\n", xtr_text_count(n, x->stage_n[i]));
	}
	if (x->unasked)
		fprintf(f, "  %s answers to messages that are not in the trace\n",
			xtr_text_count(n, x->unasked));
	if (x->messages_left_out)
		fprintf(f, "  %s messages beyond the first %u opcodes are only counted by event\n",
			xtr_text_count(n, x->messages_left_out), XDNA_ROWS_MAX);
	if (x->gaps)
		fputs("  events were lost: counts are lower bounds\n", f);
}

int xdna_text(const void *self, const struct xtr_view *v)
{
	const struct amdxdna *x = self;
	int ret = xtr_tables_text(xdna_tables, x, x->o, v->f);

	text_notes(x, v->f);
	return ret;
}

void xdna_json(const void *self, struct xtr_json *j)
{
	const struct amdxdna *x = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	xtr_table_json(&contexts, x, x->o, j);
	xtr_table_json(&messages, x, x->o, j);
	xtr_json_kv_u64(j, "unasked", x->unasked);
	xtr_tables_json(xdna_tables + 2, x, x->o, j);
	xtr_event_counts_json(&x->counts, j);
	xtr_json_end_object(j);
}
