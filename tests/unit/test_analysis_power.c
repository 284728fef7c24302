/* SPDX-License-Identifier: BSD-2-Clause */
/* Resumes and boots of the Intel NPU, and who waited for them. */
#include "analysed.h"
#include "npu_capture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define F      "func:intel_vpu:"
#define SUBMIT F "ivpu_submit_ioctl"
#define RESUME F "ivpu_pm_runtime_resume_cb"
#define BOOT   F "ivpu_boot"
#define READY  F "ivpu_wait_for_ready"
#define LOAD   F "ivpu_hw_boot_fw"
#define MS     1000000ull

static struct analysed r;
static uint64_t now;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "infer");
	now = 0;
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_power, .init = setup, .fini = teardown);

static void describe(bool ret)
{
	analysed_function(&r, SUBMIT, ret, "", "");
	analysed_function(&r, RESUME, ret, "", "");
	analysed_function(&r, BOOT, ret, "", "");
	analysed_function(&r, READY, ret, "", "");
	analysed_function(&r, F "ivpu_pm_runtime_suspend_cb", ret, "", "");
}

/* A submit of 40 ms with a resume of 32 ms, in it a boot of 30 ms, in it 20 ms of waiting. */
static void submit_that_boots(uint64_t ts, uint32_t tid)
{
	analysed_event(&r, SUBMIT, ts, tid);
	analysed_event(&r, RESUME, ts + MS, tid);
	analysed_event(&r, BOOT, ts + 2 * MS, tid);
	analysed_event(&r, READY, ts + 10 * MS, tid);
	analysed_ret(&r, READY, ts + 30 * MS, tid, 0);
	analysed_ret(&r, BOOT, ts + 32 * MS, tid, 0);
	analysed_ret(&r, RESUME, ts + 33 * MS, tid, 0);
	analysed_ret(&r, SUBMIT, ts + 40 * MS, tid, 0);
}

Test(analysis_power, a_submit_pays_for_a_boot)
{
	describe(true);
	analysed_begin(&r, NULL);
	submit_that_boots(100 * MS, 7);
	analysed_event(&r, SUBMIT, 200 * MS, 7);
	analysed_ret(&r, SUBMIT, 201 * MS, 7, 0);
	analysed_event(&r, F "ivpu_pm_runtime_suspend_cb", 250 * MS, 90);
	analysed_ret(&r, F "ivpu_pm_runtime_suspend_cb", 253 * MS, 90, 0);
	analysed_end(&r, 1000 * MS, "power");
	analysed_has(r.section, "{\"wakes\":1,\"boots\":1,\"steps\":[");
	analysed_has(r.section,
		     "{\"step\":\"runtime_resume\",\"from\":\"ivpu_pm_runtime_resume_cb\","
		     "\"count\":1,\"time_ns\":{\"n\":1,\"sum\":32000000,");
	analysed_has(r.section, "{\"step\":\"boot\",\"from\":\"ivpu_boot\",\"count\":1,\"time_ns\":"
				"{\"n\":1,\"sum\":30000000,");
	analysed_has(r.section, "{\"step\":\"ready\",\"from\":\"ivpu_wait_for_ready\",\"count\":1,"
				"\"time_ns\":{\"n\":1,\"sum\":20000000,");
	analysed_has(r.section, "{\"step\":\"runtime_suspend\",\"from\":"
				"\"ivpu_pm_runtime_suspend_cb\",\"count\":1,\"time_ns\":{\"n\":1,"
				"\"sum\":3000000,");
	analysed_has(r.section,
		     "\"payers\":[{\"payer\":\"ivpu_submit_ioctl\",\"wakes\":1,\"boots\":1,"
		     "\"wake_ns\":32000000,\"max_ns\":32000000}]");
	analysed_has(r.section, "{\"at_ns\":101000000,\"tid\":7,\"pid\":5,\"comm\":\"infer\","
				"\"payer\":\"ivpu_submit_ioctl\",\"submit\":1,\"boots\":1,"
				"\"wake_ns\":32000000,\"boot_ns\":30000000,\"payer_ns\":40000000}");
	analysed_has(r.text, "80.0 %");
	/* The first submit of a trace has to. */
	analysed_has_not(r.findings, "boot-in-submit");
}

Test(analysis_power, a_boot_in_a_later_submit_is_a_finding)
{
	describe(true);
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 10 * MS, 7);
	analysed_ret(&r, SUBMIT, 11 * MS, 7, 0);
	submit_that_boots(100 * MS, 7);
	submit_that_boots(200 * MS, 8);
	analysed_end(&r, 1000 * MS, "power");
	analysed_has(r.findings,
		     "{\"id\":\"boot-in-submit\",\"notable\":true,\"at_ns\":101000000,");
	analysed_has(r.findings,
		     "\"text\":\"2 submits after the first waited for a firmware boot, "
		     "64.0 ms in total; the longest: 32.0 ms of the 40.0 ms of submit 2\"");
	analysed_has(r.findings, "{\"submits\":2,\"sum_ns\":64000000,\"worst_submit\":2,"
				 "\"worst_ns\":32000000,\"worst_boot_ns\":30000000,"
				 "\"worst_submit_ns\":40000000}");
}

/* Loading and waiting are the boot where ivpu_boot was not recorded. */
Test(analysis_power, parts_of_a_boot)
{
	analysed_function(&r, LOAD, true, "", "");
	analysed_function(&r, READY, true, "", "");
	analysed_function(&r, F "ivpu_postclose", true, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, F "ivpu_postclose", 10, 7);
	analysed_event(&r, LOAD, 20, 7);
	analysed_ret(&r, LOAD, 30, 7, 0);
	analysed_event(&r, READY, 40, 7);
	analysed_ret(&r, READY, 90, 7, 0);
	analysed_ret(&r, F "ivpu_postclose", 110, 7, 0);
	analysed_end(&r, 1000, "power");
	analysed_has(r.section, "{\"wakes\":1,\"boots\":1,");
	analysed_has(r.section, "\"payer\":\"ivpu_postclose\",\"submit\":null,\"boots\":1,"
				"\"wake_ns\":60,\"boot_ns\":60,\"payer_ns\":100}");
}

/* Without the driver's functions: the tracepoint, and the system call around it. */
Test(analysis_power, the_tracepoint_and_a_system_call)
{
	struct named *n = &r.n;

	named_describe(n, "vpu:pm", "event:str:24");
	named_describe(n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(n, "syscalls:sys_exit_ioctl", "nr:s32:4 ret:s64:8");
	analysed_begin(&r, NULL);
	analysed_event(&r, "syscalls:sys_enter_ioctl", 100, 7);
	named_emit(n, "vpu:pm", 110, 7, 0);
	named_text(n, "event", "runtime resume", 14);
	analysed_give(&r);
	named_emit(n, "vpu:pm", 150, 7, 0);
	named_text(n, "event", "runtime resume done", 19);
	analysed_give(&r);
	analysed_event(&r, "syscalls:sys_exit_ioctl", 200, 7);
	named_emit(n, "vpu:pm", 300, 9, 0);
	named_text(n, "event", "runtime suspend", 15);
	analysed_give(&r);
	analysed_end(&r, 1000, "power");
	analysed_has(r.section, "{\"wakes\":1,\"boots\":0,\"steps\":[{\"step\":\"runtime_resume\","
				"\"from\":\"vpu:pm\",\"count\":1,\"time_ns\":{\"n\":1,\"sum\":40,");
	analysed_has(r.section, "{\"step\":\"runtime_suspend\",\"from\":\"vpu:pm\",\"count\":1,"
				"\"time_ns\":{\"n\":0,");
	analysed_has(r.section, "\"payer\":\"system call ioctl\",\"submit\":null,\"boots\":0,"
				"\"wake_ns\":40,\"boot_ns\":null,\"payer_ns\":100}");
}

/* What the window does not hold is not counted, but it tells which submit is the first. */
Test(analysis_power, keeps_to_the_window)
{
	describe(true);
	analysed_begin(&r, &(struct xtr_select){ .from = 150 * MS });
	submit_that_boots(100 * MS, 7);
	submit_that_boots(200 * MS, 7);
	analysed_end(&r, 1000 * MS, "power");
	analysed_has(r.section, "{\"wakes\":1,\"boots\":1,");
	analysed_has(r.findings, "\"submits\":1,\"sum_ns\":32000000,\"worst_submit\":2,");
}

static void step(void *ctx, const char *function)
{
	char name[96];

	(void)ctx;
	snprintf(name, sizeof(name), F "%s", function);
	analysed_event(&r, name, ++now, 0);
}

Test(analysis_power, the_published_capture)
{
	npu_capture_describe(&r.n);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	npu_capture_play(step, NULL);
	analysed_end(&r, now, "power");
	analysed_has(r.section, "{\"wakes\":1,\"boots\":1,");
	analysed_has(r.section, "\"payers\":[{\"payer\":\"ivpu_postclose\",\"wakes\":1,\"boots\":1,"
				"\"wake_ns\":0,\"max_ns\":0}]");
	analysed_has(r.section, "\"list\":[{\"at_ns\":19,\"tid\":0,\"pid\":null,\"comm\":null,"
				"\"payer\":\"ivpu_postclose\",\"submit\":null,\"boots\":1,"
				"\"wake_ns\":null,\"boot_ns\":null,\"payer_ns\":null}]");
	analysed_has(r.text, "times: not known, the trace has none");
	analysed_has_not(r.findings, "boot-in-submit");
	/* Of the analysis of the firmware's messages, by a rule of its own. */
	analysed_has(r.findings, "942 of 946 calls of ivpu_ipc_irq_handler");
}

/* Many threads that wake and never come back: the memory is bounded, and each is counted. */
Test(analysis_power, many_wakes)
{
	describe(false);
	analysed_begin(&r, NULL);
	for (uint32_t tid = 1; tid <= 6000; tid++)
		analysed_event(&r, RESUME, tid, tid);
	analysed_end(&r, 1000, "power");
	analysed_has(r.section, "{\"wakes\":6000,\"boots\":0,");
	analysed_has(r.section, "\"payers\":[{\"payer\":null,\"wakes\":6000,");
	analysed_has(r.text, "no step has begin and end in the trace");
}
