/* SPDX-License-Identifier: BSD-2-Clause */
/* The analysis `firmware` as text and as JSON. */
#include "ivpu_firmware.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "analysis/core/view.h"

#include <inttypes.h>
#include <string.h>

static uint64_t per_second(const struct firmware *fw, uint64_t n)
{
	return fw->o->span_ns ? (uint64_t)((__uint128_t)n * 1000000000u / fw->o->span_ns) : 0;
}

/* What it is, how often, and the distribution of a time where there is one. */
static void row(const struct firmware *fw, struct xtr_grid *t, const char *what, uint64_t n,
		const struct xtr_hist *h)
{
	bool known = h && h->n;

	xtr_grid_cell(t, what);
	xtr_grid_value(t, true, xtr_text_count, n);
	if (!fw->o->times)
		return;
	xtr_grid_value(t, fw->o->span_ns, xtr_text_count, per_second(fw, n));
	xtr_grid_value(t, known, xtr_text_ns, known ? h->sum : 0);
	xtr_grid_value(t, known, xtr_text_ns, known ? xtr_hist_quantile(h, 500) : 0);
	xtr_grid_value(t, known, xtr_text_ns, known ? xtr_hist_quantile(h, 990) : 0);
	xtr_grid_value(t, known, xtr_text_ns, known ? h->max : 0);
}

static void receive_rows(const struct firmware *fw, struct xtr_grid *t)
{
	const struct fw_function *f = &fw->function[FW_RECEIVE];

	if (f->timed) {
		row(fw, t, "messages received (ivpu_ipc_receive)", fw->received, NULL);
		row(fw, t, "  of them when booting", fw->received_boot, NULL);
		row(fw, t, "polls of boot without a message", fw->polls, NULL);
		row(fw, t, "timeouts outside of boot", fw->timeouts, NULL);
		row(fw, t, "other errors of ivpu_ipc_receive", fw->errors, NULL);
	} else if (f->recorded) {
		row(fw, t, "calls of ivpu_ipc_receive, by entries", f->n, NULL);
		if (fw->boot_known) {
			row(fw, t, "  of them in boot's loop", f->in_boot, NULL);
			row(fw, t, "  elsewhere", f->n - f->in_boot, NULL);
		}
	}
	if (fw->function[FW_DONE].recorded)
		row(fw, t, "job-done messages (ivpu_job_done_callback)", fw->function[FW_DONE].n,
		    &fw->function[FW_DONE].time);
}

static void irq_rows(const struct firmware *fw, struct xtr_grid *t)
{
	const struct fw_function *f = &fw->function[FW_IPC_IRQ];

	if (fw->function[FW_HW_IRQ].recorded)
		row(fw, t, "interrupts (ivpu_hw_irq_handler)", fw->function[FW_HW_IRQ].n,
		    &fw->function[FW_HW_IRQ].time);
	if (f->recorded)
		row(fw, t, "calls of ivpu_ipc_irq_handler", f->n, &f->time);
	if (f->recorded && fw->boot_known) {
		row(fw, t, "  of them in boot's loop: no interrupts", f->in_boot, NULL);
		row(fw, t, "  elsewhere", f->n - f->in_boot, NULL);
	}
	if (fw->wake.n)
		row(fw, t, "from interrupt to its thread", fw->wake.n, &fw->wake);
	if (fw->gap.n)
		row(fw, t, "between two messages", fw->gap.n, &fw->gap);
}

static int jsm_text(const struct firmware *fw, FILE *f)
{
	static const char *const timed[] = { "<message",  "sent", "replies", "failed", "no reply",
					     "not known", "p50",  "p99",     "max",    NULL };
	static const char *const counted[] = { "<message", "sent",      "replies", "failed",
					       "no reply", "not known", NULL };
	struct xtr_grid *t;
	char name[XTR_TEXT_NAME];
	uint32_t i;

	if (!fw->jsm.n_rows)
		return 0;
	fputs("\n  Messages and their replies (vpu:jsm)\n", f);
	t = xtr_grid_new(fw->o->times ? timed : counted);
	for (i = 0; i < fw->jsm.n_rows; i++) {
		const struct jsm_type *r = &fw->jsm.row[i];

		xtr_text_name(name, sizeof(name), r->name, strnlen(r->name, sizeof(r->name)));
		xtr_grid_cell(t, name);
		xtr_grid_value(t, true, xtr_text_count, r->sent);
		xtr_grid_value(t, true, xtr_text_count, r->replies);
		xtr_grid_value(t, true, xtr_text_count, r->failed);
		xtr_grid_value(t, !r->one_way, xtr_text_count, r->no_reply);
		xtr_grid_value(t, true, xtr_text_count, r->not_known);
		if (!fw->o->times)
			continue;
		xtr_grid_value(t, r->rtt.n, xtr_text_ns, xtr_hist_quantile(&r->rtt, 500));
		xtr_grid_value(t, r->rtt.n, xtr_text_ns, xtr_hist_quantile(&r->rtt, 990));
		xtr_grid_value(t, r->rtt.n, xtr_text_ns, r->rtt.max);
	}
	return xtr_grid_print(t, f, 2);
}

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

int fw_text(const void *self, const struct xtr_view *v)
{
	static const char *const timed[] = { "<what", "count", "per s", "total",
					     "p50",   "p99",   "max",   NULL };
	static const char *const counted[] = { "<what", "count", NULL };
	const struct firmware *fw = self;
	struct xtr_grid *t = xtr_grid_new(fw->o->times ? timed : counted);
	int ret;

	receive_rows(fw, t);
	irq_rows(fw, t);
	ret = xtr_grid_print(t, v->f, 2);
	if (!ret)
		ret = jsm_text(fw, v->f);
	silence_text(fw, v->f);
	limits(fw, v->f);
	return ret;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void kv_known(struct xtr_json *j, const char *key, bool known, uint64_t v)
{
	xtr_json_key(j, key);
	if (known)
		xtr_json_u64(j, v);
	else
		xtr_json_null(j);
}

static void function_json(struct xtr_json *j, const char *key, const struct firmware *fw,
			  enum fw_role role)
{
	const struct fw_function *f = &fw->function[role];

	xtr_json_kv_object(j, key);
	xtr_json_kv_bool(j, "recorded", f->recorded);
	xtr_json_kv_bool(j, "returns_recorded", f->timed);
	xtr_json_kv_u64(j, "calls", f->n);
	kv_known(j, "in_boot", fw->boot_known, f->in_boot);
	xtr_view_json_hist(j, "time_ns", &f->time, false);
	xtr_json_end_object(j);
}

static void jsm_json(struct xtr_json *j, const struct jsm *m)
{
	uint32_t i;

	xtr_json_kv_u64(j, "sent", m->sent);
	xtr_json_kv_u64(j, "replies", m->received);
	xtr_json_kv_u64(j, "replies_unasked", m->unasked);
	xtr_json_kv_array(j, "types");
	for (i = 0; i < m->n_rows; i++) {
		const struct jsm_type *r = &m->row[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "type", r->name);
		xtr_json_kv_u64(j, "sent", r->sent);
		xtr_json_kv_u64(j, "replies", r->replies);
		xtr_json_kv_u64(j, "failed", r->failed);
		kv_known(j, "first_result", r->failed, r->result);
		kv_known(j, "no_reply", !r->one_way, r->no_reply);
		xtr_json_kv_u64(j, "not_known", r->not_known);
		xtr_view_json_hist(j, "round_trip_ns", &r->rtt, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void silence_json(struct xtr_json *j, const struct stalls *s)
{
	const struct stall_job *k = &s->kept[0];

	xtr_json_kv_u64(j, "silence_jobs", s->jobs);
	xtr_json_kv_u64(j, "silence_not_known", s->unjudged);
	xtr_json_key(j, "longest_silence");
	if (!s->n_kept) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "silence_ns", k->silence_ns);
	xtr_json_kv_u64(j, "at_ns", k->silence_at_ns);
	xtr_json_kv_u64(j, "context", k->name.ctx);
	xtr_json_kv_u64(j, "seqno", k->name.seqno);
	xtr_json_kv_u64(j, "pid", xtr_process_pid(k->who));
	xtr_json_kv_process_nth(j, "pid", k->who);
	xtr_json_kv_u64(j, "ran_ns", k->ran_ns);
	xtr_json_end_object(j);
}

void fw_json(const void *self, struct xtr_json *j)
{
	const struct firmware *fw = self;
	bool outcome = fw->function[FW_RECEIVE].timed;

	xtr_json_begin_object(j);
	kv_known(j, "messages", fw_tells_messages(fw), fw->messages);
	kv_known(j, "messages_per_second", fw_tells_messages(fw) && fw->o->times,
		 per_second(fw, fw->messages));
	kv_known(j, "received", outcome, fw->received);
	kv_known(j, "received_in_boot", outcome && fw->boot_known, fw->received_boot);
	kv_known(j, "job_done", fw->function[FW_DONE].recorded, fw->function[FW_DONE].n);
	kv_known(j, "boot_polls", outcome && fw->boot_known, fw->polls);
	kv_known(j, "boot_polls_ns", outcome && fw->boot_known && fw->o->times, fw->polls_ns);
	kv_known(j, "timeouts", outcome, fw->timeouts);
	kv_known(j, "errors", outcome, fw->errors);
	kv_known(j, "interrupts", fw->function[FW_HW_IRQ].recorded, fw->function[FW_HW_IRQ].n);
	kv_known(j, "interrupts_per_second", fw->function[FW_HW_IRQ].recorded && fw->o->times,
		 per_second(fw, fw->function[FW_HW_IRQ].n));
	kv_known(j, "loops", fw->boot_known, fw->loops);
	kv_known(j, "loop_calls", fw->boot_known, fw->loop_calls);
	xtr_json_kv_object(j, "functions");
	function_json(j, "ipc_receive", fw, FW_RECEIVE);
	function_json(j, "ipc_irq_handler", fw, FW_IPC_IRQ);
	function_json(j, "hw_irq_handler", fw, FW_HW_IRQ);
	function_json(j, "job_done_callback", fw, FW_DONE);
	xtr_json_end_object(j);
	xtr_json_kv_object(j, "commands");
	jsm_json(j, &fw->jsm);
	xtr_json_end_object(j);
	xtr_view_json_hist(j, "gap_ns", &fw->gap, true);
	xtr_view_json_hist(j, "irq_to_thread_ns", &fw->wake, false);
	silence_json(j, &fw->stalls);
	xtr_json_end_object(j);
}
