/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors that NVIDIA's driver reports, and what went before them. */
#include "analysed.h"
#include "analysis/nvidia/nvidia_xid.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define F      "func:nvidia:"
#define IOCTL  F "nvidia_unlocked_ioctl"
#define MSIX   F "nvidia_isr_msix"
#define MSIXBH F "nvidia_isr_msix_kthread_bh"
#define REPORT F "nv_report_error"
#define XID    "nvidia:nvidia_dev_xid"
#define SXID   "nvswitch:nvswitch_dev_sxid"
#define MS     1000000ull

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 10, 10, "cuda");
	named_task(&r.n, 30, 30, "irq/99-nvidia");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_xid, .init = setup, .fini = teardown);

static void describe_calls(void)
{
	analysed_function(&r, IOCTL, true,
			  "file:hex64:8 cmd:hex32:4 arg_cmd:hex32:4 arg_class:hex32:4 p:u32:4", "");
	analysed_function(&r, MSIX, true, "device:hex64:8", "");
	analysed_function(&r, MSIXBH, true, "device:hex64:8", "");
}

static void describe(void)
{
	describe_calls();
	named_describe(&r.n, XID, "dev:str:16 error_code:u32:4 p:u32:4 msg:str:64");
	named_describe(&r.n, SXID, "dev:str:16 error_code:u32:4 p:u32:4 msg:str:64");
}

static void xid(const char *event, uint64_t ts, uint32_t tid, uint32_t code, const char *dev,
		const char *msg)
{
	named_emit(&r.n, event, ts, tid, 0);
	named_set(&r.n, "error_code", code);
	named_text(&r.n, "dev", dev, strlen(dev));
	named_text(&r.n, "msg", msg, strlen(msg));
	analysed_give(&r);
}

static void ioctl_begins(uint64_t ts, uint32_t cmd, uint32_t second)
{
	named_emit(&r.n, IOCTL, ts, 10, 0);
	named_set(&r.n, "cmd", cmd);
	named_set(&r.n, "arg_cmd", second);
	analysed_give(&r);
}

static void handler(const char *name, uint64_t ts, uint32_t tid, uint64_t device, bool irq)
{
	named_emit(&r.n, name, ts, tid, 0);
	named_set(&r.n, "device", device);
	named_set(&r.n, "context", irq ? 2 : 0);
	analysed_give(&r);
}

static void handler_ends(const char *name, uint64_t ts, uint32_t tid, bool irq)
{
	char event[128];

	snprintf(event, sizeof(event), "%s:ret", name);
	named_emit(&r.n, event, ts, tid, 0);
	named_set(&r.n, "context", irq ? 2 : 0);
	analysed_give(&r);
}

Test(analysis_xid, what_the_process_did_in_the_second_before)
{
	describe();
	analysed_begin(&r, NULL);
	ioctl_begins(500 * MS, 0xc0104629, 0); /* more than a second before */
	analysed_ret(&r, IOCTL, 501 * MS, 10, 0);
	ioctl_begins(1600 * MS, 0xc020462a, 0x20800102);
	analysed_ret(&r, IOCTL, 1601 * MS, 10, 0);
	ioctl_begins(1700 * MS, 0xc020462a, 0x20800102);
	analysed_ret(&r, IOCTL, 1702 * MS, 10, -5);
	ioctl_begins(1800 * MS, 0xc0384657, 0); /* has not returned */
	xid(XID, 2000 * MS, 30, 31, "0000:01:00.0", "pid=10, name=cuda, Ch 00000008");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section,
		     "\"kinds\":[{\"code\":31,\"sxid\":false,\"device\":\"0000:01:00.0\","
		     "\"count\":1,\"first_ns\":2000000000,\"last_ns\":2000000000,\"mnemonic\":"
		     "\"FIFO_ERROR_MMU_ERR_FLT\",\"meaning\":\"GPU memory page fault\","
		     "\"severity\":\"application\",\"action\":\"restart app\"}]");
	analysed_has(r.section, "\"message\":\"pid=10, name=cuda, Ch 00000008\",\"pid\":10,"
				"\"pid_from\":\"message\",\"handler\":null,\"handler_from\":null,"
				"\"process_before\":{\"complete\":true,\"calls\":3,\"names\":["
				"{\"call\":\"ioctl\",\"name\":\"RM_CONTROL GPU_GET_INFO_V2\","
				"\"calls\":2},{\"call\":\"ioctl\",\"name\":\"RM_MAP_MEMORY_DMA\","
				"\"calls\":1}],\"others\":0,\"last\":[");
	analysed_has(r.section, "\"before_ns\":300000000,\"time_ns\":2000000,\"ret\":-5},");
	analysed_has(r.section, "\"before_ns\":200000000,\"time_ns\":null,\"ret\":null}]},");
	analysed_has(r.section, "\"device_before\":null,\"xids_before\":0}");
	analysed_has(r.findings, "{\"id\":\"xid\",\"notable\":true,\"at_ns\":2000000000,\"text\":"
				 "\"Xid 31 (GPU memory page fault) on 0000:01:00.0; NVIDIA's "
				 "advice: restart app\"");
	analysed_has(r.findings, "{\"xid\":31,\"count\":1,\"pid\":10,\"calls_before\":3,"
				 "\"xids_before\":0}");
	analysed_has(r.text, "200 ms before: RM_MAP_MEMORY_DMA");
}

/* A bottom half's device is that of the Xid that it reports; later ones know it. */
Test(analysis_xid, the_interrupts_of_its_device)
{
	describe();
	analysed_begin(&r, NULL);
	handler(MSIX, 1000 * MS, 10, 0xd1, true);
	handler_ends(MSIX, 1001 * MS, 10, true);
	handler(MSIX, 1002 * MS, 10, 0xd2, true);
	handler_ends(MSIX, 1003 * MS, 10, true);
	xid(XID, 1005 * MS, 30, 13, "0000:02:00.0", "");
	handler(MSIXBH, 1010 * MS, 30, 0xd1, false);
	xid(XID, 1011 * MS, 30, 48, "0000:01:00.0", "pid='<unknown>', name=<unknown>");
	handler_ends(MSIXBH, 1012 * MS, 30, false);
	xid(XID, 1500 * MS, 30, 45, "0000:01:00.0", "");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"code\":13,\"sxid\":false,\"device\":\"0000:02:00.0\","
				"\"message\":null,\"pid\":null,\"pid_from\":null,\"handler\":null,"
				"\"handler_from\":null,\"process_before\":null,"
				"\"device_before\":null,\"xids_before\":0}");
	analysed_has(r.section, "\"handler\":209,\"handler_from\":\"handler\","
				"\"process_before\":null,\"device_before\":{\"complete\":true,"
				"\"calls\":2,\"names\":[{\"call\":\"bottom_half_msix\"");
	analysed_has(r.section, "\"handler_from\":\"earlier\"");
	/* 45 is cleanup after the 48, which is the double-bit error. */
	analysed_has(r.section, "\"mnemonic\":\"PREEMPTIVE_REMOVAL\",\"meaning\":\"preemptive "
				"cleanup because of earlier errors\",\"severity\":\"follows\","
				"\"action\":\"see other Xids\"}");
	analysed_has(r.section, "\"meaning\":\"double-bit ECC error\",\"severity\":\"device\","
				"\"action\":\"drain / reset workflow\"}");
	analysed_has(r.section, "\"xids_before\":1}]");
}

Test(analysis_xid, one_device_is_inferred)
{
	describe();
	analysed_begin(&r, NULL);
	handler(MSIX, 1000 * MS, 10, 0xd1, true);
	handler_ends(MSIX, 1001 * MS, 10, true);
	xid(XID, 1500 * MS, 0, 79, "0000:01:00.0", "GPU has fallen off the bus.");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"handler\":209,\"handler_from\":\"only\",");
	analysed_has(r.findings, "Xid 79 (GPU has fallen off the bus) on 0000:01:00.0; NVIDIA's "
				 "advice: restart machine");
	analysed_has(r.text, "(the only one)");
}

Test(analysis_xid, unknown_numbers_and_switches_keep_theirs)
{
	describe();
	analysed_begin(&r, NULL);
	xid(XID, 100 * MS, 30, 999, "0000:01:00.0", "new");
	xid(XID, 200 * MS, 30, 999, "0000:01:00.0", "new");
	xid(SXID, 300 * MS, 30, 79, "0000:05:00.0", "switch");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "{\"code\":999,\"sxid\":false,\"device\":\"0000:01:00.0\","
				"\"count\":2,\"first_ns\":100000000,\"last_ns\":200000000,"
				"\"mnemonic\":null,\"meaning\":null,\"severity\":\"unknown\","
				"\"action\":null}");
	analysed_has(r.findings, "Xid 999 (not in the table) on 0000:01:00.0, 2 times\"");
	analysed_has(r.findings, "SXid 79 (not in the table) on 0000:05:00.0\"");
	analysed_has_not(r.findings, "fallen off");
	analysed_has(r.findings, "\"id\":\"sxid\",\"notable\":true");
}

Test(analysis_xid, what_nvidia_says_to_ignore_is_not_notable)
{
	describe();
	analysed_begin(&r, NULL);
	xid(XID, 100 * MS, 30, 43, "0000:01:00.0", "");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.findings, "\"id\":\"xid\",\"notable\":false");
}

/* Without the tracepoint the function tells; with it, it is the same Xid once more. */
Test(analysis_xid, by_the_function)
{
	describe_calls();
	analysed_function(&r, REPORT, false, "device:hex64:8 xid:u32:4 p:u32:4", "");
	analysed_begin(&r, NULL);
	ioctl_begins(1000 * MS, 0xc020462a, 0x20800102);
	named_emit(&r.n, REPORT, 1500 * MS, 10, 0);
	named_set(&r.n, "device", 0xe1);
	named_set(&r.n, "xid", 31);
	analysed_give(&r);
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"xids\":1,");
	analysed_has(r.section, "\"device\":\"0xe1\",\"message\":null,\"pid\":10,\"pid_from\":"
				"\"thread\",");
	analysed_has(r.section, "\"process_before\":{\"complete\":true,\"calls\":1,");
}

Test(analysis_xid, the_tracepoint_comes_before_the_function)
{
	describe();
	analysed_function(&r, REPORT, false, "device:hex64:8 xid:u32:4 p:u32:4", "");
	analysed_begin(&r, NULL);
	named_emit(&r.n, REPORT, 1500 * MS, 10, 0);
	named_set(&r.n, "xid", 31);
	analysed_give(&r);
	xid(XID, 1501 * MS, 10, 31, "0000:01:00.0", "");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"xids\":1,");
}

/* More calls than are kept: a lower bound, and it says so. */
Test(analysis_xid, more_calls_than_are_kept)
{
	describe();
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 1000; i++) {
		ioctl_begins(1000 * MS + i * 1000, 0xc020462a, 0x20800403);
		analysed_ret(&r, IOCTL, 1000 * MS + i * 1000 + 500, 10, 0);
	}
	xid(XID, 1500 * MS, 30, 31, "0000:01:00.0", "pid=10");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"process_before\":{\"complete\":false,\"calls\":256,");
	analysed_has(r.text, "at least 256 calls");
}

Test(analysis_xid, hostile_texts)
{
	describe();
	analysed_begin(&r, NULL);
	xid(XID, 100 * MS, 30, 31, "\x1b[31m", "pid=99999999999999999999");
	xid(XID, 200 * MS, 30, 31, "", "pid=");
	analysed_end(&r, 3000 * MS, "xid");
	analysed_has(r.section, "\"pid\":null,\"pid_from\":null,");
	analysed_has_not(r.text, "\x1b");
	analysed_has(r.text, "(unknown)");
}

Test(xid_table, rows_do_not_overlap)
{
	const struct xid_meaning *m, *before = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		m = xid_find(i);
		if (!m)
			continue;
		n++;
		cr_expect(i >= m->first && i <= m->last);
		cr_expect(!before || m == before || m->first > before->last, "%u", i);
		cr_expect(*m->mnemonic && *m->action);
		before = m;
	}
	cr_expect_eq(n, 79, "%u", n);
	cr_expect_null(xid_find(12));
	cr_expect_null(xid_find(UINT32_MAX));
}
