/* SPDX-License-Identifier: BSD-2-Clause */
/* What is worth a look in the firmware's messages. Each is said with its numbers, or not at all. */
#include "ivpu_firmware.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Calls of the FIFO's handler that are no interrupts. */
static int boot_polling(struct firmware *fw)
{
	const struct fw_function *f = &fw->function[FW_IPC_IRQ];
	struct xtr_finding x = { .id = "boot-polling" };
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER];

	if (f->in_boot < FW_LOOP_MIN)
		return 0;
	snprintf(x.text, sizeof(x.text),
		 "%s of %s calls of ivpu_ipc_irq_handler are the driver's loop that waits for the "
		 "firmware to boot, not interrupts",
		 xtr_text_count(n, f->in_boot), xtr_text_count(m, f->n));
	xtr_finding_evidence(&x, "ipc_irq_handler_in_boot", f->in_boot);
	xtr_finding_evidence(&x, "ipc_irq_handler_calls", f->n);
	xtr_finding_evidence(&x, "ipc_receive_in_boot", fw->function[FW_RECEIVE].in_boot);
	xtr_finding_evidence(&x, "ipc_receive_calls", fw->function[FW_RECEIVE].n);
	xtr_finding_evidence(&x, "limit", FW_LOOP_MIN);
	return xtr_findings_add(fw->o->findings, &x);
}

static int loop(struct firmware *fw, const struct fw_loop *l)
{
	struct xtr_finding x = { .id = "firmware-loop", .notable = true, .at_ns = l->begin_ns };
	bool timed = fw->function[FW_RECEIVE].timed;
	char n[XTR_TEXT_NUMBER], over[XTR_TEXT_NUMBER], in[XTR_TEXT_NUMBER], times[96] = "";

	if (fw->o->times)
		snprintf(times, sizeof(times), " in %s (%s inside the calls)",
			 xtr_text_ns(over, l->end_ns - l->begin_ns), xtr_text_ns(in, l->in_calls));
	if (fw->o->times && !timed)
		snprintf(times, sizeof(times), " in %s",
			 xtr_text_ns(over, l->end_ns - l->begin_ns));
	snprintf(x.text, sizeof(x.text), "%s %s%s outside of boot%s%s", xtr_text_count(n, l->n),
		 timed ? "calls of ivpu_ipc_receive in a row timed out"
		       : "rounds of ivpu_ipc_irq_handler and ivpu_ipc_receive in a row",
		 times, *l->where ? ", in " : "", l->where);
	xtr_finding_evidence(&x, timed ? "timeouts" : "rounds", l->n);
	if (fw->o->times)
		xtr_finding_evidence(&x, "duration_ns", l->end_ns - l->begin_ns);
	if (fw->o->times && timed)
		xtr_finding_evidence(&x, "in_calls_ns", l->in_calls);
	xtr_finding_evidence(&x, "limit", timed ? FW_LOOP_MIN : FW_LOOP_ROUNDS_MIN);
	return xtr_findings_add(fw->o->findings, &x);
}

static int stall(struct firmware *fw, const struct stall_job *k, uint64_t median)
{
	struct xtr_finding x = { .id = "npu-stall", .notable = true, .at_ns = k->silence_at_ns };
	char ran[XTR_TEXT_NUMBER], quiet[XTR_TEXT_NUMBER], mid[XTR_TEXT_NUMBER];
	char pid[XTR_TEXT_PROCESS];

	snprintf(x.text, sizeof(x.text),
		 "job %" PRIu64 ":%" PRIu64 " of pid %s ran for %s, and the firmware sent nothing "
		 "for %s of it; the median job of the process takes %s",
		 k->name.ctx, k->name.seqno, xtr_text_process(pid, k->who),
		 xtr_text_ns(ran, k->ran_ns), xtr_text_ns(quiet, k->silence_ns),
		 xtr_text_ns(mid, median));
	xtr_finding_evidence(&x, "context", k->name.ctx);
	xtr_finding_evidence(&x, "seqno", k->name.seqno);
	xtr_finding_evidence(&x, "pid", xtr_process_pid(k->who));
	xtr_finding_evidence(&x, "begin_ns", k->begin_ns);
	xtr_finding_evidence(&x, "ran_ns", k->ran_ns);
	xtr_finding_evidence(&x, "silence_ns", k->silence_ns);
	xtr_finding_evidence(&x, "median_ns", median);
	xtr_finding_evidence(&x, "process_jobs", stalls_peers(&fw->stalls, k));
	xtr_finding_evidence(&x, "limit_times", STALL_TIMES);
	xtr_finding_evidence(&x, "limit_ns", STALL_MORE_NS);
	xtr_finding_evidence(&x, "limit_jobs", STALL_JOBS_MIN);
	return xtr_findings_add(fw->o->findings, &x);
}

static int no_reply(struct firmware *fw, const struct jsm_type *t)
{
	struct xtr_finding x = { .id = "no-reply", .notable = true, .at_ns = t->first_no_reply_ns };
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER], ns[XTR_TEXT_NUMBER], longest[64] = "";

	if (fw->o->times)
		snprintf(longest, sizeof(longest), ", the oldest for %s",
			 xtr_text_ns(ns, t->longest_ns));
	snprintf(x.text, sizeof(x.text), "%s of %s messages %s to the firmware got no reply%s",
		 xtr_text_count(n, t->no_reply), xtr_text_count(m, t->sent), t->name, longest);
	xtr_finding_evidence(&x, "no_reply", t->no_reply);
	xtr_finding_evidence(&x, "sent", t->sent);
	xtr_finding_evidence(&x, "replies", t->replies);
	if (fw->o->times)
		xtr_finding_evidence(&x, "longest_ns", t->longest_ns);
	return xtr_findings_add(fw->o->findings, &x);
}

int fw_findings(struct firmware *fw)
{
	uint64_t median;
	int err = boot_polling(fw);

	for (uint32_t i = 0; i < fw->n_loops && !err; i++)
		err = loop(fw, &fw->loop[i]);
	for (uint32_t i = 0; i < fw->stalls.n_kept && !err; i++)
		if (stalls_is_one(&fw->stalls, &fw->stalls.kept[i], &median))
			err = stall(fw, &fw->stalls.kept[i], median);
	for (uint32_t i = 0; i < fw->jsm.n_rows && !err; i++)
		if (fw->jsm.row[i].no_reply && !fw->jsm.row[i].one_way)
			err = no_reply(fw, &fw->jsm.row[i]);
	return err;
}
