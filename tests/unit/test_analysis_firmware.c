/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the NPU's firmware, against stories whose truth is written beside them. */
#include "analysed.h"
#include "format/xtr_format.h"
#include "analysis/npu_intel/ivpu_stall.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define F         "func:intel_vpu:"
#define RECEIVE   F "ivpu_ipc_receive"
#define IPC_IRQ   F "ivpu_ipc_irq_handler"
#define HW_IRQ    F "ivpu_hw_irq_handler"
#define COUNT     F "ivpu_hw_ip_ipc_rx_count_get"
#define DONE      F "ivpu_job_done_callback"
#define READY     F "ivpu_wait_for_ready"
#define SUBMIT    F "ivpu_submit_ioctl"
#define THREAD    F "ivpu_ipc_irq_thread_handler"
#define EXECUTE   "api:libze_loader.so.1:zeCommandQueueExecuteCommandLists"
#define TIMED_OUT (-110)

static struct analysed r;

static void describe(bool ret)
{
	analysed_function(&r, RECEIVE, ret, "", "");
	analysed_function(&r, IPC_IRQ, ret, "", "");
	analysed_function(&r, HW_IRQ, ret, "", "");
	analysed_function(&r, COUNT, ret, "", "");
	analysed_function(&r, DONE, ret, "", "");
	analysed_function(&r, READY, ret, "", "");
	analysed_function(&r, SUBMIT, ret, "", "");
	analysed_function(&r, THREAD, ret, "", "");
}

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "infer");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_firmware, .init = setup, .fini = teardown);

static void call(const char *name, uint64_t ts, uint64_t ns, uint32_t tid, int64_t ret)
{
	analysed_event(&r, name, ts, tid);
	analysed_ret(&r, name, ts + ns, tid, ret);
}

static void in_irq(const char *name, uint64_t ts, uint32_t cpu, int64_t ret)
{
	named_emit(&r.n, name, ts, 7, cpu);
	named_set(&r.n, "context", XTR_CONTEXT_HARDIRQ);
	if (strstr(name, ":ret"))
		named_set(&r.n, "ret", (uint64_t)ret);
	analysed_give(&r);
}

/* Polls with nothing in the FIFO, then the message that the firmware is up. */
static void boot(uint64_t ts, unsigned int polls)
{
	unsigned int i;

	analysed_event(&r, READY, ts, 7);
	for (i = 0; i <= polls; i++) {
		call(IPC_IRQ, ts + 100 * i + 10, 20, 7, 0);
		call(RECEIVE, ts + 100 * i + 50, 30, 7, i < polls ? TIMED_OUT : 0);
	}
	analysed_ret(&r, READY, ts + 100 * i + 99, 7, 0);
}

Test(analysis_firmware, boot_polling_is_no_traffic)
{
	describe(true);
	analysed_begin(&r, NULL);
	boot(1000, 5);
	call(RECEIVE, 20000, 100, 7, 0);
	call(RECEIVE, 30000, 500, 7, TIMED_OUT);
	call(RECEIVE, 31000, 500, 7, -5);
	call(DONE, 40000, 100, 9, 0);
	analysed_end(&r, 1000000000, "firmware");
	/* Boot's message, a reply, a job-done message. */
	analysed_has(r.section,
		     "{\"messages\":3,\"messages_per_second\":3,\"received\":2,"
		     "\"received_in_boot\":1,\"job_done\":1,\"boot_polls\":5,"
		     "\"boot_polls_ns\":150,\"timeouts\":1,\"errors\":1,\"interrupts\":0,");
	analysed_has(r.section, "\"ipc_irq_handler\":{\"recorded\":true,\"returns_recorded\":true,"
				"\"calls\":6,\"in_boot\":6,");
	/* 1580 -> 20100 -> 40100 */
	analysed_has(r.section, "\"gap_ns\":{\"n\":2,\"sum\":38520,\"mean\":19260,\"min\":18520,");
	analysed_has(r.findings, "\"id\":\"boot-polling\",\"notable\":false");
	analysed_has(r.findings, "{\"ipc_irq_handler_in_boot\":6,\"ipc_irq_handler_calls\":6,"
				 "\"ipc_receive_in_boot\":6,\"ipc_receive_calls\":9,\"limit\":3}");
	analysed_has_not(r.findings, "firmware-loop");
}

/* Recording began while boot was polling: no loop of anything else. */
Test(analysis_firmware, boot_whose_begin_is_missing)
{
	describe(true);
	analysed_begin(&r, NULL);
	for (unsigned int i = 0; i < 5; i++)
		call(RECEIVE, 1000 + 100 * i, 30, 7, i < 4 ? TIMED_OUT : 0);
	analysed_ret(&r, READY, 2000, 7, 0);
	analysed_end(&r, 1000000000, "firmware");
	analysed_has(r.section, "\"boot_polls\":4,\"boot_polls_ns\":120,\"timeouts\":0,");
	cr_expect(!strcmp(r.findings, "[]"), "%s", r.findings);
}

static void retries(uint64_t ts, unsigned int n, int64_t last)
{
	unsigned int i;

	analysed_event(&r, EXECUTE, ts, 7);
	analysed_event(&r, SUBMIT, ts + 1, 7);
	for (i = 0; i < n; i++)
		call(RECEIVE, ts + 1000 * (i + 1), 400, 7, i + 1 < n ? TIMED_OUT : last);
	analysed_ret(&r, SUBMIT, ts + 1000 * (i + 1), 7, 0);
	analysed_ret(&r, EXECUTE, ts + 1000 * (i + 1) + 1, 7, 0);
}

Test(analysis_firmware, a_retry_loop_and_where_it_is)
{
	describe(true);
	analysed_function(&r, EXECUTE, true, "", "");
	analysed_begin(&r, NULL);
	retries(10000, 3, 0); /* two timeouts: ordinary */
	retries(100000, 4, TIMED_OUT);
	analysed_end(&r, 1000000000, "firmware");
	analysed_has(r.section, "\"loops\":1,\"loop_calls\":4,");
	analysed_has(r.section, "\"timeouts\":6,");
	analysed_has(r.findings, "\"id\":\"firmware-loop\",\"notable\":true,\"at_ns\":101000,");
	analysed_has(r.findings, "in zeCommandQueueExecuteCommandLists\"");
	analysed_has(r.findings, "{\"timeouts\":4,\"duration_ns\":3400,\"in_calls_ns\":1600,"
				 "\"limit\":3}");
}

Test(analysis_firmware, a_message_may_be_lost_in_a_gap)
{
	describe(true);
	analysed_begin(&r, NULL);
	call(RECEIVE, 1000, 10, 7, TIMED_OUT);
	call(RECEIVE, 2000, 10, 7, TIMED_OUT);
	analysed_gap(&r, 2500, 2600);
	call(RECEIVE, 3000, 10, 7, TIMED_OUT);
	call(RECEIVE, 4000, 10, 7, TIMED_OUT);
	analysed_end(&r, 1000000000, "firmware");
	cr_expect(!strcmp(r.findings, "[]"), "%s", r.findings);
}

/* Not knowing of boot, its polling looks like a loop: nothing is said. */
Test(analysis_firmware, no_loop_where_boot_is_not_recorded)
{
	analysed_function(&r, RECEIVE, true, "", "");
	analysed_begin(&r, NULL);
	for (unsigned int i = 0; i < 100; i++)
		call(RECEIVE, 1000 + 100 * i, 30, 7, TIMED_OUT);
	analysed_end(&r, 1000000000, "firmware");
	analysed_has(r.section, "\"boot_polls\":null,\"boot_polls_ns\":null,\"timeouts\":100,");
	analysed_has(r.text, "Boot's polling is not told apart");
	cr_expect(!strcmp(r.findings, "[]"), "%s", r.findings);
}

Test(analysis_firmware, interrupts_and_the_thread_that_they_wake)
{
	describe(true);
	analysed_begin(&r, NULL);
	in_irq(HW_IRQ, 1000, 1, 0);
	in_irq(HW_IRQ ":ret", 1200, 1, 1); /* handled, wakes nobody */
	in_irq(HW_IRQ, 2000, 1, 0);
	in_irq(IPC_IRQ, 2010, 1, 0);
	in_irq(IPC_IRQ ":ret", 2020, 1, 0);
	in_irq(HW_IRQ ":ret", 2100, 1, 2);
	in_irq(HW_IRQ, 2500, 1, 0);
	in_irq(HW_IRQ ":ret", 2600, 1, 2);
	call(THREAD, 3000, 500, 30, 0); /* 1000 after the first that woke it */
	call(THREAD, 9000, 500, 30, 0); /* woken by what is not recorded */
	analysed_end(&r, 2000000000, "firmware");
	analysed_has(r.section, "\"interrupts\":3,\"interrupts_per_second\":1,");
	analysed_has(r.section, "\"hw_irq_handler\":{\"recorded\":true,\"returns_recorded\":true,"
				"\"calls\":3,\"in_boot\":0,\"time_ns\":{\"n\":3,\"sum\":400,");
	analysed_has(r.section, "\"irq_to_thread_ns\":{\"n\":1,\"sum\":1000,");
	analysed_has(r.section, "\"ipc_irq_handler\":{\"recorded\":true,\"returns_recorded\":true,"
				"\"calls\":1,\"in_boot\":0,");
}

/* As a bpftrace capture has it: names in order, one thread, no times. */
Test(analysis_firmware, entries_without_times)
{
	uint64_t ts = 1;

	describe(false);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	analysed_event(&r, READY, ts++, 0);
	for (unsigned int i = 0; i < 20; i++) {
		analysed_event(&r, IPC_IRQ, ts++, 0);
		analysed_event(&r, COUNT, ts++, 0);
		analysed_event(&r, RECEIVE, ts++, 0);
	}
	analysed_event(&r, SUBMIT, ts++, 0);
	for (unsigned int i = 0; i < 4; i++) {
		analysed_event(&r, IPC_IRQ, ts++, 0);
		analysed_event(&r, RECEIVE, ts++, 0);
	}
	analysed_end(&r, 0, "firmware");
	analysed_has(r.findings,
		     "{\"ipc_irq_handler_in_boot\":20,\"ipc_irq_handler_calls\":24,"
		     "\"ipc_receive_in_boot\":20,\"ipc_receive_calls\":24,\"limit\":3}");
	analysed_has_not(r.findings, "firmware-loop");
	analysed_has(r.section, "{\"messages\":null,\"messages_per_second\":null,\"received\":null,"
				"\"received_in_boot\":null,\"job_done\":0,\"boot_polls\":null,");
	analysed_has(r.text, "returns were not recorded");
	analysed_has(r.text, "The trace has no times");
}

Test(analysis_firmware, a_loop_by_entries)
{
	describe(false);
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 1000, 7);
	for (unsigned int i = 0; i < 10; i++) {
		analysed_event(&r, IPC_IRQ, 2000 + 100 * i, 7);
		in_irq(SUBMIT, 2001 + 100 * i, 0, 0); /* what interrupts it is not in it */
		analysed_event(&r, RECEIVE, 2050 + 100 * i, 7);
	}
	for (unsigned int i = 0; i < 20; i++) /* not the pattern: commands that wait for replies */
		analysed_event(&r, RECEIVE, 5000 + 100 * i, 7);
	analysed_end(&r, 1000000000, "firmware");
	analysed_has(r.findings, "\"id\":\"firmware-loop\",\"notable\":true,\"at_ns\":2050,");
	analysed_has(r.findings, "{\"rounds\":10,\"duration_ns\":900,\"limit\":10}");
	analysed_has(r.section, "\"loops\":1,\"loop_calls\":10,");
}

static void jsm(const char *event, uint64_t ts, const char *type, uint32_t id, uint32_t result)
{
	named_emit(&r.n, "vpu:jsm", ts, 7, 0);
	named_set(&r.n, "event", named_string(&r.n, event));
	named_set(&r.n, "type", named_string(&r.n, type));
	named_set(&r.n, "request_id", id);
	named_set(&r.n, "result", result);
	analysed_give(&r);
}

#define MS 1000000ull

Test(analysis_firmware, commands_and_their_replies)
{
	named_describe(&r.n, "vpu:jsm",
		       "event:strid:4 type:strid:4 status:u32:4 request_id:u32:4 result:u32:4");
	analysed_begin(&r, NULL);
	jsm("[tx]", 1 * MS, "VPU_JSM_MSG_REGISTER_DB", 1, 0);
	jsm("[tx]", 2 * MS, "VPU_JSM_MSG_UNREGISTER_DB", 2, 0);
	jsm("[rx]", 3 * MS, "VPU_JSM_MSG_REGISTER_DB_DONE", 1, 0);
	jsm("[rx]", 6 * MS, "VPU_JSM_MSG_UNREGISTER_DB_DONE", 2, 9);
	jsm("[tx]", 7 * MS, "VPU_JSM_MSG_REGISTER_DB", 1, 0); /* the id's next use */
	jsm("[tx]", 8 * MS, "VPU_JSM_MSG_STATE_DUMP", 3, 0);
	jsm("[rx]", 9 * MS, "VPU_JSM_MSG_QUERY_ENGINE_HB_DONE", 77, 0);
	jsm("[tx]", 400 * MS, "VPU_JSM_MSG_UNREGISTER_DB", 4, 0);
	jsm("[rx]", 600 * MS, "VPU_JSM_MSG_QUERY_ENGINE_HB_DONE", 78, 0);
	analysed_end(&r, 1000 * MS, "firmware");
	analysed_has(r.section, "{\"messages\":4,\"messages_per_second\":4,");
	analysed_has(r.section, "\"commands\":{\"sent\":5,\"replies\":4,\"replies_unasked\":2,");
	analysed_has(r.section, "{\"type\":\"VPU_JSM_MSG_REGISTER_DB\",\"sent\":2,\"replies\":1,"
				"\"failed\":0,\"first_result\":null,\"no_reply\":1,"
				"\"not_known\":0,\"round_trip_ns\":{\"n\":1,\"sum\":2000000,");
	/* The last one may be answered after the end. */
	analysed_has(r.section, "{\"type\":\"VPU_JSM_MSG_UNREGISTER_DB\",\"sent\":2,\"replies\":1,"
				"\"failed\":1,\"first_result\":9,\"no_reply\":0,\"not_known\":1,");
	analysed_has(r.section, "{\"type\":\"VPU_JSM_MSG_STATE_DUMP\",\"sent\":1,\"replies\":0,"
				"\"failed\":0,\"first_result\":null,\"no_reply\":null,");
	analysed_has(r.findings, "\"id\":\"no-reply\",\"notable\":true,\"at_ns\":7000000,\"text\":"
				 "\"1 of 2 messages VPU_JSM_MSG_REGISTER_DB to the firmware got no "
				 "reply, the oldest for 593 ms\"");
	analysed_has_not(r.findings, "STATE_DUMP");
}

Test(analysis_firmware, a_reply_may_be_lost_in_a_gap)
{
	named_describe(&r.n, "vpu:jsm",
		       "event:strid:4 type:strid:4 status:u32:4 request_id:u32:4 result:u32:4");
	analysed_begin(&r, NULL);
	jsm("[tx]", 1 * MS, "VPU_JSM_MSG_REGISTER_DB", 1, 0);
	analysed_gap(&r, 2 * MS, 3 * MS);
	jsm("[tx]", 700 * MS, "VPU_JSM_MSG_REGISTER_DB", 2, 0);
	analysed_end(&r, 1000 * MS, "firmware");
	analysed_has(r.section, "\"no_reply\":0,\"not_known\":2,");
	cr_expect(!strcmp(r.findings, "[]"), "%s", r.findings);
}

static void job(uint64_t start, uint64_t done, uint64_t seqno)
{
	struct xtr_job j = { .ctx = 50,
			     .seqno = seqno,
			     .run_ns = start,
			     .start_ns = start,
			     .done_ns = done,
			     .pid = 5,
			     .kind = XTR_KIND_NPU };

	analysed_job(&r, &j);
}

/* Ten jobs of 1 ms; one of 30 ms in silence; one of 30 ms in which messages came. */
Test(analysis_firmware, a_stall_is_a_silence)
{
	uint64_t t = 100 * MS;

	describe(true);
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 10; i++, t += 2 * MS) {
		call(DONE, t + MS - 10, 20, 9, 0);
		job(t, t + MS, i);
	}
	job(t, t + 30 * MS, 20);
	t += 40 * MS;
	for (uint64_t i = 1; i < 30; i++)
		call(RECEIVE, t + i * MS, 10, 7, 0);
	job(t, t + 30 * MS, 21);
	analysed_end(&r, 1000 * MS, "firmware");
	analysed_has(r.section, "\"silence_jobs\":12,\"silence_not_known\":0,\"longest_silence\":"
				"{\"silence_ns\":30000000,\"at_ns\":120000000,\"context\":50,"
				"\"seqno\":20,\"pid\":5,\"ran_ns\":30000000}");
	analysed_has(r.findings, "[{\"id\":\"npu-stall\",\"notable\":true,\"at_ns\":120000000,");
	analysed_has(r.findings, "{\"context\":50,\"seqno\":20,\"pid\":5,\"begin_ns\":120000000,"
				 "\"ran_ns\":30000000,\"silence_ns\":30000000,\"median_ns\":");
	analysed_has(r.findings, "\"process_jobs\":12,\"limit_times\":10,\"limit_ns\":1000000,"
				 "\"limit_jobs\":5}}]");
}

/* Where job-done messages are not recorded, the ends of jobs stand for them. */
Test(analysis_firmware, other_jobs_break_a_silence)
{
	analysed_function(&r, RECEIVE, true, "", "");
	analysed_begin(&r, NULL);
	for (uint64_t i = 1; i <= 10; i++)
		job(i * MS, i * MS + MS / 2, i);
	job(20 * MS, 50 * MS, 20);
	for (uint64_t i = 100; i < 130; i++)
		job(i * MS, i * MS + MS / 2, i);
	job(100 * MS, 130 * MS, 200); /* preempted by these */
	analysed_end(&r, 1000 * MS, "firmware");
	analysed_has(r.findings, "\"seqno\":20,");
	analysed_has_not(r.findings, "\"seqno\":200,");
}

/* Messages of before the job's begin are not kept any more: nothing is known of its silence. */
Test(analysis_firmware, silence_is_not_guessed)
{
	struct stalls *s = calloc(1, sizeof(*s));
	struct xtr_job j = { .start_ns = 5, .done_ns = 100000, .kind = XTR_KIND_NPU, .pid = 1 };

	cr_assert(s);
	for (uint64_t i = 0; i < STALL_MESSAGES + 1; i++)
		stalls_message(s, 10 + i);
	cr_assert(!stalls_job(s, &j));
	cr_expect(s->unjudged == 1 && !s->n_kept);
	j.start_ns = 11;
	cr_assert(!stalls_job(s, &j));
	cr_expect(s->jobs == 1 && s->kept[0].silence_ns == 100000 - 10 - STALL_MESSAGES);
	for (uint64_t i = 0; i < 2 * STALL_KEPT; i++) {
		j.start_ns = 50000 - i;
		cr_assert(!stalls_job(s, &j));
	}
	cr_expect(s->n_kept == STALL_KEPT && s->kept[0].silence_ns >= s->kept[1].silence_ns);
	cr_expect(s->kept[STALL_KEPT - 1].begin_ns == 50000 - STALL_KEPT - 1, "%lu",
		  (unsigned long)s->kept[STALL_KEPT - 1].begin_ns);
	stalls_free(s);
	free(s);
}
