/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of the NPU's firmware: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "ivpu_firmware.h"
#include "replay/event/process.h"

#include <inttypes.h>

enum {
	TIMES = 1 /* only of traces with times */
};

static bool shows(const void *self, const struct xtr_section_column *c)
{
	return !c->own || ((const struct firmware *)self)->o->times;
}

static uint64_t per_second(const struct firmware *fw, uint64_t n)
{
	return fw->o->span_ns ? (uint64_t)((__uint128_t)n * 1000000000u / fw->o->span_ns) : 0;
}

/* --- what happened, as text ------------------------------------------------------------------- */

static const struct xtr_section_column what_text[] = {
	{ NULL, "<what", XTR_C_TEXT, XTR_PUT },
	{ NULL, "count", XTR_C_COUNT, XTR_PUT },
	{ NULL, "per s", XTR_C_COUNT, XTR_PUT, .own = TIMES },
	{ NULL, "total", XTR_C_SUM, XTR_PUT, .own = TIMES },
	{ NULL, "p50|p99|max", XTR_C_HIST, XTR_PUT, .own = TIMES },
};

/* What it is, how often, and the distribution of a time where there is one. */
static void row(struct xtr_rows *r, const struct firmware *fw, const char *what, uint64_t n,
		const struct xtr_hist *h)
{
	xtr_put_text(r, what);
	xtr_put_u64(r, true, n);
	xtr_put_u64(r, fw->o->span_ns, per_second(fw, n));
	xtr_put_hist(r, h);
	xtr_put_hist(r, h);
	xtr_row(r, NULL);
}

static void receive_rows(struct xtr_rows *r, const struct firmware *fw)
{
	const struct fw_function *f = &fw->function[FW_RECEIVE];

	if (f->timed) {
		row(r, fw, "messages received (ivpu_ipc_receive)", fw->received, NULL);
		row(r, fw, "  of them when booting", fw->received_boot, NULL);
		row(r, fw, "polls of boot without a message", fw->polls, NULL);
		row(r, fw, "timeouts outside of boot", fw->timeouts, NULL);
		row(r, fw, "other errors of ivpu_ipc_receive", fw->errors, NULL);
	} else if (f->recorded) {
		row(r, fw, "calls of ivpu_ipc_receive, by entries", f->n, NULL);
		if (fw->boot_known) {
			row(r, fw, "  of them in boot's loop", f->in_boot, NULL);
			row(r, fw, "  elsewhere", f->n - f->in_boot, NULL);
		}
	}
	if (fw->function[FW_DONE].recorded)
		row(r, fw, "job-done messages (ivpu_job_done_callback)", fw->function[FW_DONE].n,
		    &fw->function[FW_DONE].time);
}

static void irq_rows(struct xtr_rows *r, const struct firmware *fw)
{
	const struct fw_function *f = &fw->function[FW_IPC_IRQ];

	if (fw->function[FW_HW_IRQ].recorded)
		row(r, fw, "interrupts (ivpu_hw_irq_handler)", fw->function[FW_HW_IRQ].n,
		    &fw->function[FW_HW_IRQ].time);
	if (f->recorded)
		row(r, fw, "calls of ivpu_ipc_irq_handler", f->n, &f->time);
	if (f->recorded && fw->boot_known) {
		row(r, fw, "  of them in boot's loop: no interrupts", f->in_boot, NULL);
		row(r, fw, "  elsewhere", f->n - f->in_boot, NULL);
	}
	if (fw->wake.n)
		row(r, fw, "from interrupt to its thread", fw->wake.n, &fw->wake);
	if (fw->gap.n)
		row(r, fw, "between two messages", fw->gap.n, &fw->gap);
}

static void fill_what(const void *self, struct xtr_rows *r)
{
	receive_rows(r, self);
	irq_rows(r, self);
}

static const struct xtr_section_table what = {
	XTR_TABLE_COLUMNS(what_text),
	.fill = fill_what,
	.shows = shows,
};

/* --- tables ----------------------------------------------------------------------------------- */

#define KNOWN(key, help)                              \
	{                                             \
		key, NULL, XTR_C_COUNT, XTR_PUT, help \
	}
static const struct xtr_section_column total_columns[] = {
	KNOWN("messages", "messages of any kind"),
	KNOWN("messages_per_second", "how often per second"),
	KNOWN("received", "messages that ivpu_ipc_receive took"),
	KNOWN("received_in_boot", "of them while the firmware booted"),
	KNOWN("job_done", "messages that a job is done"),
	KNOWN("boot_polls", "calls in boot that brought nothing"),
	{ "boot_polls_ns", NULL, XTR_C_NS, XTR_PUT, "their time" },
	KNOWN("timeouts", "calls outside of boot that timed out"),
	KNOWN("errors", "calls that failed otherwise"),
	KNOWN("interrupts", "interrupts"),
	KNOWN("interrupts_per_second", "how often per second"),
	KNOWN("loops", "loops of calls that brought nothing, outside of boot"),
	KNOWN("loop_calls", "calls in them"),
};

static bool put_totals(struct xtr_rows *r, const void *self)
{
	const struct firmware *fw = self;
	const struct fw_function *irq = &fw->function[FW_HW_IRQ], *done = &fw->function[FW_DONE];
	bool outcome = fw->function[FW_RECEIVE].timed, polls = outcome && fw->boot_known;
	bool messages = fw_tells_messages(fw), times = fw->o->times;

	xtr_put_u64(r, messages, fw->messages);
	xtr_put_u64(r, messages && times, per_second(fw, fw->messages));
	xtr_put_u64(r, outcome, fw->received);
	xtr_put_u64(r, polls, fw->received_boot);
	xtr_put_u64(r, done->recorded, done->n);
	xtr_put_u64(r, polls, fw->polls);
	xtr_put_u64(r, polls && times, fw->polls_ns);
	xtr_put_u64(r, outcome, fw->timeouts);
	xtr_put_u64(r, outcome, fw->errors);
	xtr_put_u64(r, irq->recorded, irq->n);
	xtr_put_u64(r, irq->recorded && times, per_second(fw, irq->n));
	xtr_put_u64(r, fw->boot_known, fw->loops);
	xtr_put_u64(r, fw->boot_known, fw->loop_calls);
	return true;
}

static const struct xtr_section_table totals =
	XTR_TABLE_SELF("totals", "all messages", total_columns, put_totals, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct firmware, member)
#define FUNCTION(key, role)                                                          \
	FLAG(key ".recorded", function[role].recorded, "the function was recorded"), \
		FLAG(key ".returns_recorded", function[role].timed, "with returns"), \
		COUNT(key ".calls", function[role].n, "its calls"),                  \
		KNOWN(key ".in_boot", "of them while the firmware booted"),          \
		HIST(key ".time_ns", function[role].time, "its calls outside of boot")
static const struct xtr_section_column function_columns[] = {
	FUNCTION("ipc_receive", FW_RECEIVE),
	FUNCTION("ipc_irq_handler", FW_IPC_IRQ),
	FUNCTION("hw_irq_handler", FW_HW_IRQ),
	FUNCTION("job_done_callback", FW_DONE),
};

static bool put_functions(struct xtr_rows *r, const void *self)
{
	static const enum fw_role role[] = { FW_RECEIVE, FW_IPC_IRQ, FW_HW_IRQ, FW_DONE };
	const struct firmware *fw = self;

	for (size_t i = 0; i < sizeof(role) / sizeof(role[0]); i++)
		xtr_put_u64(r, fw->boot_known, fw->function[role[i]].in_boot);
	return true;
}

static const struct xtr_section_table functions = XTR_TABLE_SELF(
	"functions", "functions by role", function_columns, put_functions, XTR_SHAPE_OBJECT);

static const struct xtr_section_column command_columns[] = {
	COUNT("sent", jsm.sent, "messages sent"),
	COUNT("replies", jsm.received, "replies"),
	COUNT("replies_unasked", jsm.unasked, "of them to messages that were not seen"),
};

static const struct xtr_section_table commands =
	XTR_TABLE_SELF("commands", "all commands", command_columns, NULL, XTR_SHAPE_MEMBERS);

static const struct xtr_section_column silence_columns[] = {
	{ "gap_ns", NULL, XTR_C_BUCKETS, AT(gap), "between two messages" },
	HIST("irq_to_thread_ns", wake, "from an interrupt to its thread"),
	COUNT("silence_jobs", stalls.jobs, "jobs whose silence is known"),
	COUNT("silence_not_known", stalls.unjudged, "jobs of which it is not known"),
};

static const struct xtr_section_table silences =
	XTR_TABLE_SELF("silences", "all silences", silence_columns, NULL, XTR_SHAPE_MEMBERS);

static const struct xtr_section_column longest_columns[] = {
	{ "silence_ns", NULL, XTR_C_NS, AT(stalls.kept[0].silence_ns), "how long it was" },
	{ "at_ns", NULL, XTR_C_NS, AT(stalls.kept[0].silence_at_ns), "when it began" },
	COUNT("context", stalls.kept[0].name.ctx, "context of the job"),
	COUNT("seqno", stalls.kept[0].name.seqno, "sequence number of the job"),
	{ "pid", NULL, XTR_C_PROCESS, AT(stalls.kept[0].who), "its process" },
	{ "ran_ns", NULL, XTR_C_NS, AT(stalls.kept[0].ran_ns), "how long the job ran" },
};
#undef AT

static bool put_longest(struct xtr_rows *r, const void *self)
{
	(void)r;
	return ((const struct firmware *)self)->stalls.n_kept;
}

static const struct xtr_section_table longest =
	XTR_TABLE_SELF("longest_silence", "the longest silence while a job ran", longest_columns,
		       put_longest, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct jsm_type, member)
static const struct xtr_section_column type_columns[] = {
	{ "type", "<message", XTR_C_TEXT, AT(name), "type of the message" },
	SHOWN("sent", "sent", sent, "messages sent"),
	SHOWN("replies", "replies", replies, "replies to them"),
	SHOWN("failed", "failed", failed, "of these with a result that is not 0"),
	{ "first_result", NULL, XTR_C_NUMBER, XTR_PUT, "result of the first of these" },
	{ "no_reply", "no reply", XTR_C_COUNT, XTR_PUT, "messages without a reply" },
	SHOWN("not_known", "not known", not_known, "of which it is not known"),
	{ "round_trip_ns", "p50|p99|max", XTR_C_HIST, AT(rtt), "from message to reply",
	  .own = TIMES },
};
#undef AT

static bool put_type(struct xtr_rows *r, const void *row)
{
	const struct jsm_type *type = row;

	xtr_put_u64(r, type->failed, type->result);
	xtr_put_u64(r, !type->one_way, type->no_reply);
	return true;
}

static const struct xtr_section_table types = {
	.name = "commands.types",
	.help = "a type of commands",
	XTR_TABLE_COLUMNS(type_columns),
	.rows = XTR_ARRAY(struct firmware, jsm.row, jsm.n_rows),
	.put = put_type,
	.shows = shows,
	.heading = "\n  Messages and their replies (vpu:jsm)\n",
};

/* --- the section ------------------------------------------------------------------------------ */

static void silence_text(const struct firmware *fw, FILE *f)
{
	const struct stall_job *k = &fw->stalls.kept[0];
	char quiet[XTR_TEXT_NUMBER], ran[XTR_TEXT_NUMBER], at[XTR_TEXT_NUMBER];
	char pid[XTR_TEXT_PROCESS];

	if (fw->gap.n) {
		fputs("\n  Time between two messages\n", f);
		xtr_view_text_hist(f, &fw->gap, true);
	}
	if (fw->stalls.n_kept)
		fprintf(f,
			"  Longest silence while a job ran: %s, from %s s on, job %" PRIu64
			":%" PRIu64 " of pid %s, which ran %s.\n",
			xtr_text_ns(quiet, k->silence_ns), xtr_text_stamp(at, k->silence_at_ns),
			k->name.ctx, k->name.seqno, xtr_text_process(pid, k->who),
			xtr_text_ns(ran, k->ran_ns));
}

/* What these events cannot tell. */
static void limits(const struct firmware *fw, FILE *f)
{
	const struct fw_function *receive = &fw->function[FW_RECEIVE];

	if (receive->recorded && !receive->timed)
		fprintf(f,
			"  Which calls of ivpu_ipc_receive brought a message is not known: its %s were "
			"not recorded.\n",
			receive->half.entry ? "returns" : "entries");
	if (receive->recorded && !fw->boot_known)
		fprintf(f,
			"  Boot's polling is not told apart: %s ivpu_boot nor "
			"ivpu_wait_for_ready %s recorded.\n",
			fw->function[FW_BOOT].half.ret ? "entries of neither" : "neither",
			fw->function[FW_BOOT].half.ret ? "were" : "was");
	if (!fw->o->times)
		fputs("  The trace has no times: nothing is known of rates, gaps, latencies and "
		      "stalls.\n",
		      f);
}

const struct xtr_section_table *const fw_tables[] = { &totals,   &functions, &commands, &types,
						      &silences, &longest,   NULL };

int fw_text(const void *self, const struct xtr_view *v)
{
	const struct firmware *fw = self;
	int err = xtr_table_text(&what, fw, fw->o, v->f);

	if (!err)
		err = xtr_table_text(&types, fw, fw->o, v->f);
	silence_text(fw, v->f);
	limits(fw, v->f);
	return err;
}

void fw_json(const void *self, struct xtr_json *j)
{
	const struct firmware *fw = self;

	xtr_json_begin_object(j);
	xtr_table_json(&totals, fw, fw->o, j);
	xtr_table_json(&functions, fw, fw->o, j);
	xtr_json_kv_object(j, "commands");
	xtr_table_json(&commands, fw, fw->o, j);
	xtr_table_json(&types, fw, fw->o, j);
	xtr_json_end_object(j);
	xtr_table_json(&silences, fw, fw->o, j);
	xtr_table_json(&longest, fw, fw->o, j);
	xtr_json_end_object(j);
}
