/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of amdxdna: its tables, and what else text and JSON say. */
#include "amdxdna_impl.h"
#include "analysis/core/section_columns.h"
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
	COUNT("other_stages", other, "events of other stages"),
	COUNT("timed", timed, "jobs sent and done"),
	COUNT("shared", shared, "of them, with another context's on the device"),
	SHOWN("open", "open", open, "jobs sent or run, and not done"),
	{ NULL, "timeouts", XTR_C_COUNT, AT(n[XDNA_TIMEDOUT]) },
	{ NULL, "execution", XTR_C_SUM, AT(exec) },
	{ "exec_ns", "p50|p99|max", XTR_C_HIST, AT(exec), "execution" },
	{ NULL, "shared", XTR_C_COUNT, AT(shared) },
	HIST("residence_ns", residence, "from sent to done"),
	HIST("driver_ns", driver, "from run to sent"),
};
#undef AT
#undef STAGE

static void fill_contexts(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;
	uint32_t pid;

	for (uint32_t i = 0; i < x->contexts.n; i++) {
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
	SHOWN("sent", "sent", sent, "messages"),
	SHOWN("answered", "answered", answered, "of them with an answer"),
	SHOWN("unanswered", "unanswered", unanswered,
	      "without an answer for so long that none will come"),
	SHOWN("open", "open", open, "without an answer at the end of the trace"),
	{ "time_ns", "p50|p99|max", XTR_C_HIST, AT(time), "from message to answer" },
};
#undef AT

static const struct xtr_section_table messages =
	XTR_TABLE_OF("messages", "messages of an opcode on a channel", message_columns,
		     XTR_ARRAY(struct amdxdna, message, n_messages), NULL, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct xdna_irq, member)
static const struct xtr_section_column irq_columns[] = {
	{ "irq", "interrupt", XTR_C_SIGNED, AT(irq), "number of the interrupt" },
	SHOWN("handled", "handled", handled, "interrupts"),
	SHOWN("workers", "receive workers", workers, "runs of the worker that receives"),
};
#undef AT

static const struct xtr_section_table irqs =
	XTR_TABLE_OF("interrupts", "an interrupt", irq_columns,
		     XTR_ARRAY(struct amdxdna, irq, n_irqs), NULL, XTR_SHOW_ALL);

static const struct xtr_section_column stage_columns[] = {
	{ "stage", NULL, XTR_C_TEXT, XTR_PUT, "what the driver calls it" },
	{ "count", NULL, XTR_C_COUNT, XTR_PUT, "events" },
};

static void fill_stages(const void *self, struct xtr_rows *r)
{
	const struct amdxdna *x = self;

	for (uint32_t i = 0; i < x->stages.n; i++) {
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

	for (uint32_t i = 0; i < x->stages.n; i++) {
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
	int err = xtr_tables_text(xdna_tables, x, x->o, v->f);

	text_notes(x, v->f);
	return err;
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
