/* SPDX-License-Identifier: BSD-2-Clause */
/* Jobs, mailbox and interrupts of the driver amdxdna, against known truth. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_describe(&r.n, "amdxdna:xdna_job",
		       "name:str:16 str:str:16 fence_context:u64:8 fence_seqno:u64:8 op:u32:4");
	named_describe(&r.n, "amdxdna:mbox_set_tail", "chann_id:u32:4 opcode:u32:4 msg_id:u32:4");
	named_describe(&r.n, "amdxdna:mbox_set_head", "chann_id:u32:4 opcode:u32:4 msg_id:u32:4");
	named_describe(&r.n, "amdxdna:mbox_irq_handle", "irq:s32:4");
	named_describe(&r.n, "amdxdna:mbox_rx_worker", "irq:s32:4");
	named_describe(&r.n, "amdxdna_trace:uc_wakeup", "x:u32:4");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_amdxdna, .init = setup, .fini = teardown);

static void job(uint64_t ts, const char *context, const char *stage, uint64_t ctx, uint64_t seqno)
{
	named_emit(&r.n, "amdxdna:xdna_job", ts, 50, 0);
	named_text(&r.n, "name", context, strlen(context));
	named_text(&r.n, "str", stage, strlen(stage));
	named_set(&r.n, "fence_context", ctx);
	named_set(&r.n, "fence_seqno", seqno);
	analysed_give(&r);
}

static void message(uint64_t ts, const char *what, uint32_t channel, uint32_t opcode, uint32_t id)
{
	char name[64];

	snprintf(name, sizeof(name), "amdxdna:mbox_set_%s", what);
	named_emit(&r.n, name, ts, 50, 0);
	named_set(&r.n, "chann_id", channel);
	named_set(&r.n, "opcode", opcode);
	named_set(&r.n, "msg_id", id);
	analysed_give(&r);
}

/* Two jobs of one context at once: the second starts when the first is answered. */
Test(analysis_amdxdna, a_context_is_in_order)
{
	analysed_begin(&r, NULL);
	job(100 * US, "hwctx.77.1", "job run", 900, 1);
	job(110 * US, "hwctx.77.1", "sent to device", 900, 1);
	job(120 * US, "hwctx.77.1", "job run", 900, 2);
	job(130 * US, "hwctx.77.1", "sent to device", 900, 2);
	job(200 * US, "hwctx.77.1", "signaling fence", 900, 1);
	job(250 * US, "hwctx.77.1", "signaling fence", 900, 2);
	job(260 * US, "hwctx.77.1", "job free", 900, 1);
	job(261 * US, "hwctx.77.1", "job free", 900, 2);
	job(300 * US, "hwctx.77.1", "sent to device", 900, 3);
	job(310 * US, "hwctx.77.1", "a new stage", 900, 3);
	analysed_event(&r, "amdxdna_trace:uc_wakeup", 311 * US, 1);
	analysed_end(&r, 1000 * US, "amdxdna");
	analysed_has(r.section, "{\"context\":\"hwctx.77.1\",\"pid\":77,\"runs\":2,\"sent\":3,"
				"\"done\":2,\"freed\":2,\"timeouts\":0,\"other_stages\":1,"
				"\"timed\":2,\"shared\":0,\"open\":1,\"exec_ns\":{\"n\":2,\"sum\":"
				"140000,");
	analysed_has(r.section, "\"residence_ns\":{\"n\":2,\"sum\":210000,");
	analysed_has(r.section, "\"driver_ns\":{\"n\":2,\"sum\":20000,");
	analysed_has(r.section, "{\"stage\":\"a new stage\",\"count\":1}");
	analysed_has(r.section, "\"amdxdna_trace:uc_wakeup\":1");
	analysed_has(r.findings, "[]");
}

Test(analysis_amdxdna, contexts_that_overlap_are_shared)
{
	analysed_begin(&r, NULL);
	job(10, "hwctx.1.1", "sent to device", 1, 1);
	job(20, "hwctx.2.1", "sent to device", 2, 1);
	job(30, "hwctx.1.1", "signaling fence", 1, 1);
	job(40, "hwctx.2.1", "signaling fence", 2, 1);
	job(50, "hwctx.2.1", "sent to device", 2, 2);
	job(60, "hwctx.2.1", "signaling fence", 2, 2);
	job(70, "no such name", "sent to device", 3, 1);
	job(80, "no such name", "job timedout", 3, 1);
	job(90, "no such name", "job free", 3, 1);
	analysed_end(&r, 1000, "amdxdna");
	analysed_has(r.section, "{\"context\":\"hwctx.1.1\",\"pid\":1,\"runs\":0,\"sent\":1,"
				"\"done\":1,\"freed\":0,\"timeouts\":0,\"other_stages\":0,"
				"\"timed\":1,\"shared\":1,\"open\":0,");
	analysed_has(r.section, "\"timed\":2,\"shared\":1,\"open\":0,");
	analysed_has(r.section, "{\"context\":\"no such name\",\"pid\":null,");
	analysed_has(r.findings,
		     "{\"id\":\"xdna-job-timeout\",\"notable\":true,\"at_ns\":80,\"text\":"
		     "\"1 job of context no such name timed out\"");
}

/* The same numbers on two channels; a number that is used again; answers that come late. */
Test(analysis_amdxdna, mailbox)
{
	analysed_begin(&r, NULL);
	message(1 * MS, "tail", 40, 0x10, 0x1d000000);
	message(2 * MS, "tail", 41, 0x10, 0x1d000000);
	message(3 * MS, "tail", 40, 0x3, 0x1d000001);
	message(11 * MS, "head", 40, 0x10, 0x1d000000);
	message(32 * MS, "head", 41, 0x10, 0x1d000000);
	message(40 * MS, "tail", 40, 0x3, 0x1d000001);
	message(640 * MS, "head", 40, 0x3, 0x1d000001);
	message(641 * MS, "head", 40, 0x3, 0x1d000077);
	message(650 * MS, "tail", 42, 0x7, 0x1d000002);
	message(1400 * MS, "tail", 42, 0x8, 0x1d000003);
	named_emit(&r.n, "amdxdna:mbox_irq_handle", 1500 * MS, 0, 0);
	named_set(&r.n, "irq", 140);
	analysed_give(&r);
	named_emit(&r.n, "amdxdna:mbox_rx_worker", 1501 * MS, 0, 0);
	named_set(&r.n, "irq", 140);
	analysed_give(&r);
	analysed_end(&r, 2000 * MS, "amdxdna");
	analysed_has(r.section,
		     "{\"channel\":40,\"opcode\":16,\"sent\":1,\"answered\":1,"
		     "\"unanswered\":0,\"open\":0,\"time_ns\":{\"n\":1,\"sum\":10000000,");
	analysed_has(r.section,
		     "{\"channel\":41,\"opcode\":16,\"sent\":1,\"answered\":1,"
		     "\"unanswered\":0,\"open\":0,\"time_ns\":{\"n\":1,\"sum\":30000000,");
	analysed_has(r.section,
		     "{\"channel\":40,\"opcode\":3,\"sent\":2,\"answered\":1,\"unanswered\":1,"
		     "\"open\":0,\"time_ns\":{\"n\":1,\"sum\":600000000,");
	analysed_has(r.section, "{\"channel\":42,\"opcode\":7,\"sent\":1,\"answered\":0,"
				"\"unanswered\":1,\"open\":0,");
	analysed_has(r.section, "{\"channel\":42,\"opcode\":8,\"sent\":1,\"answered\":0,"
				"\"unanswered\":0,\"open\":1,");
	analysed_has(r.section, "\"unasked\":1,\"interrupts\":[{\"irq\":140,\"handled\":1,"
				"\"workers\":1}]");
	analysed_has(r.findings,
		     "{\"id\":\"xdna-mailbox-slow\",\"notable\":true,\"at_ns\":40000000,");
	analysed_has(r.findings, "{\"slow\":1,\"limit_ns\":500000000,\"answered\":1,\"max_ns\":"
				 "600000000,\"channel\":40,\"opcode\":3}");
	analysed_has(r.findings,
		     "{\"id\":\"xdna-mailbox-unanswered\",\"notable\":true,\"at_ns\":3000000,");
	analysed_has(r.findings, "{\"unanswered\":1,\"limit_ns\":500000000,\"sent\":1,"
				 "\"channel\":42,\"opcode\":7}");
	analysed_has_not(r.findings, "\"opcode\":8");
}

/* Whatever a file holds, memory is bounded and each event is counted. */
Test(analysis_amdxdna, many)
{
	char name[16];

	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "hwctx.1.%u", i % 1000);
		job(i + 1, name, "sent to device", i, 1);
		message(i + 1, "tail", i % 1000, i % 3000, i);
	}
	analysed_gap(&r, 30000, 30001);
	analysed_end(&r, 1000000, "amdxdna");
	analysed_has(r.section, "\"amdxdna:xdna_job\":20000");
	analysed_has(r.section, "\"amdxdna:mbox_set_tail\":20000");
	analysed_has(r.section, "{\"context\":\"(others)\",");
	analysed_has(r.section, "{\"lower_bounds\":true,");
	analysed_has(r.text, "beyond the first 1024 opcodes");
}
