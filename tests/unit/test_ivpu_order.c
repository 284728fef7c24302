/* SPDX-License-Identifier: BSD-2-Clause */
/* Where events of intel_vpu stand: in which entry point, wake and boot. */
#include "format/xtr_format.h"
#include "named.h"
#include "npu_capture.h"
#include "analysis/npu_intel/ivpu_order.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct named n;
static struct ivpu_order *order;
static struct ivpu_place place;
static uint64_t now;

static void setup(void)
{
	named_init(&n);
	now = 0;
}

static void teardown(void)
{
	ivpu_order_free(order);
	named_free(&n);
}

TestSuite(ivpu_order, .init = setup, .fini = teardown);

static void describe(const char *function, bool ret)
{
	char name[96];

	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	named_describe(&n, name, "context:u32:4 pad:u32:4");
	strcat(name, ":ret");
	if (ret)
		named_describe(&n, name, "context:u32:4 pad:u32:4 ret:s32:4 hi:u32:4");
}

static void begin(void)
{
	cr_assert(!ivpu_order_new(&order, n.meta, n.tables));
}

static int give(const char *function, uint32_t tid)
{
	char name[96];

	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	return ivpu_order_event(order, named_emit(&n, name, ++now, tid, 0), &place);
}

static int in_irq(const char *function, uint32_t tid)
{
	char name[96];

	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	named_emit(&n, name, ++now, tid, 0);
	named_set(&n, "context", XTR_CONTEXT_HARDIRQ);
	return ivpu_order_event(order, &n.ev, &place);
}

static bool is_in(const char *entry)
{
	return place.entry && !strcmp(place.entry, entry);
}

static struct {
	uint64_t events, boots, wakes, in_boot, polls, map_in_submit, maps, first_boot, last_boot;
	uint64_t submit_entry;
	char payer[64];
} seen;

static void step(void *ctx, const char *function)
{
	(void)ctx;
	cr_assert(give(function, 0) == 1);
	seen.events++;
	seen.boots += place.boots;
	seen.wakes += place.wakes;
	if (place.boots)
		snprintf(seen.payer, sizeof(seen.payer), "%s", place.entry ? place.entry : "-");
	if (place.boot_no && !seen.first_boot)
		seen.first_boot = now;
	seen.last_boot = place.boot_no ? now : seen.last_boot;
	if (!strcmp(function, "ivpu_ipc_irq_handler")) {
		seen.polls++;
		seen.in_boot += place.boot_no != 0;
	}
	if (!strcmp(function, "ivpu_mmu_context_map_page")) {
		seen.maps++;
		seen.map_in_submit += place.submit_no == 1;
	}
}

/* The boot begins with call 49, ivpu_boot; call 2,888, ivpu_hw_ip_irq_clear, follows it. */
Test(ivpu_order, the_published_capture)
{
	npu_capture_describe(&n);
	begin();
	npu_capture_play(step, NULL);
	cr_expect(seen.events == NPU_CAPTURE_CALLS, "%lu", (unsigned long)seen.events);
	cr_expect(seen.polls == 946 && seen.in_boot == 942, "%lu", (unsigned long)seen.in_boot);
	cr_expect(seen.first_boot == 49 && seen.last_boot == 2887, "%lu .. %lu",
		  (unsigned long)seen.first_boot, (unsigned long)seen.last_boot);
	cr_expect(seen.maps == 4131 && seen.map_in_submit == 4131);
	cr_expect(seen.boots == 1 && seen.wakes == 1);
	cr_expect(!strcmp(seen.payer, "ivpu_postclose"), "%s", seen.payer);
}

Test(ivpu_order, an_entry_point_ends_with_its_return)
{
	describe("ivpu_submit_ioctl", true);
	describe("ivpu_mmu_context_map_page", false);
	describe("ivpu_bo_info_ioctl", false);
	begin();
	cr_expect(give("ivpu_submit_ioctl", 7) == 1 && place.submit_no == 1);
	cr_expect(give("ivpu_mmu_context_map_page", 7) == 1 && is_in("ivpu_submit_ioctl"));
	cr_expect(place.entry_ns == 1 && place.entry_no == 1);
	cr_expect(give("ivpu_mmu_context_map_page", 8) == 1 && !place.entry, "another thread");
	cr_expect(give("ivpu_submit_ioctl:ret", 7) == 0);
	cr_expect(give("ivpu_mmu_context_map_page", 7) == 1 && !place.entry);
	/* A lost return: the next entry point ends it. */
	give("ivpu_submit_ioctl", 7);
	cr_expect(place.submit_no == 2);
	cr_expect(give("ivpu_bo_info_ioctl", 7) == 1 && is_in("ivpu_bo_info_ioctl"));
	cr_expect(!place.submit_no && place.entry_no == 3);
	/* Without returns, it lasts until the next one. */
	cr_expect(give("ivpu_mmu_context_map_page", 7) == 1 && is_in("ivpu_bo_info_ioctl"));
}

Test(ivpu_order, interrupts_are_nowhere_and_end_nothing)
{
	describe("ivpu_boot", true);
	describe("ivpu_hw_irq_handler", false);
	describe("ivpu_ipc_irq_handler", false);
	begin();
	give("ivpu_boot", 7);
	cr_expect(place.boots && place.wakes && place.boot_no == 1);
	cr_expect(in_irq("ivpu_hw_irq_handler", 7) == 1 && !place.boot_no);
	cr_expect(in_irq("ivpu_ipc_irq_handler", 7) == 1 && !place.boot_no);
	cr_expect(give("ivpu_ipc_irq_handler", 7) == 1 && place.boot_no == 1 && !place.boots);
	cr_expect(give("ivpu_boot:ret", 7) == 0);
	cr_expect(give("ivpu_ipc_irq_handler", 7) == 1 && !place.boot_no && !place.wake_no);
}

/* Steps that return before the next one begins are still one boot and one wake. */
Test(ivpu_order, steps_of_one_boot_and_a_second_one)
{
	describe("ivpu_pm_runtime_resume_cb", true);
	describe("ivpu_hw_boot_fw", true);
	describe("ivpu_wait_for_ready", true);
	describe("ivpu_hw_power_up", false);
	describe("ivpu_hw_irq_enable", false);
	begin();
	give("ivpu_pm_runtime_resume_cb", 7);
	cr_expect(place.wakes && place.wake_no == 1 && !place.boot_no);
	give("ivpu_hw_power_up", 7);
	cr_expect(!place.wakes && place.wake_no == 1 && place.wake_ns == 1);
	give("ivpu_hw_boot_fw", 7);
	cr_expect(place.boots && !place.wakes && place.boot_no == 1);
	give("ivpu_hw_boot_fw:ret", 7);
	give("ivpu_hw_power_up", 7);
	cr_expect(!place.boot_no && place.wake_no == 1);
	give("ivpu_wait_for_ready", 7);
	cr_expect(!place.boots && place.boot_no == 1);
	give("ivpu_hw_irq_enable", 7);
	cr_expect(!place.boot_no, "interrupts on: ready, before the function returns");
	give("ivpu_wait_for_ready:ret", 7);
	/* Another attempt in the same resume. */
	give("ivpu_hw_boot_fw", 7);
	cr_expect(place.boots && !place.wakes && place.boot_no == 2 && place.wake_no == 1);
	give("ivpu_hw_boot_fw:ret", 7);
	give("ivpu_pm_runtime_resume_cb:ret", 7);
	give("ivpu_hw_power_up", 7);
	cr_expect(!place.wake_no);
	give("ivpu_pm_runtime_resume_cb", 7);
	cr_expect(place.wakes && place.wake_no == 2);
}

Test(ivpu_order, the_tracepoint_tells_of_resumes)
{
	named_describe(&n, "vpu:pm", "event:str:24");
	describe("ivpu_boot", false);
	describe("ivpu_submit_ioctl", false);
	begin();
	give("ivpu_submit_ioctl", 7);
	named_emit(&n, "vpu:pm", ++now, 7, 0);
	named_text(&n, "event", "runtime resume", 14);
	cr_expect(ivpu_order_event(order, &n.ev, &place) == 1);
	cr_expect(place.wakes && is_in("ivpu_submit_ioctl"));
	give("ivpu_boot", 7);
	cr_expect(place.boots && !place.wakes && place.wake_no == 1);
	named_emit(&n, "vpu:pm", ++now, 7, 0);
	named_text(&n, "event", "runtime resume done", 19);
	cr_expect(ivpu_order_event(order, &n.ev, &place) == 1);
	cr_expect(!place.wake_no && !place.boot_no && is_in("ivpu_submit_ioctl"));
	named_emit(&n, "vpu:pm", ++now, 7, 0);
	named_text(&n, "event", "runtime suspend", 15);
	cr_expect(ivpu_order_event(order, &n.ev, &place) == 1 && !place.wake_no);
}

Test(ivpu_order, lost_events_end_everything)
{
	describe("ivpu_submit_ioctl", true);
	describe("ivpu_mmu_context_map_page", false);
	begin();
	give("ivpu_submit_ioctl", 7);
	cr_expect(ivpu_order_event(order, named_gap(&n, 5, 6), &place) == 0);
	cr_expect(give("ivpu_mmu_context_map_page", 7) == 1 && !place.entry);
}

/* More threads than are remembered, and events that are none of the driver's. */
Test(ivpu_order, many_threads)
{
	describe("ivpu_submit_ioctl", true);
	describe("ivpu_mmu_context_map_page", false);
	named_describe(&n, "func:drm:drm_open", "context:u32:4 pad:u32:4");
	named_describe(&n, "func:vmlinux:ivpu_open", "context:u32:4 pad:u32:4");
	begin();
	for (uint32_t tid = 1; tid < 40000; tid++)
		give("ivpu_submit_ioctl", tid);
	cr_expect(give("ivpu_mmu_context_map_page", 39999) == 1 && place.submit_no == 39999);
	cr_expect(give("ivpu_mmu_context_map_page", 1) == 1 && !place.entry, "forgotten");
	cr_expect(ivpu_order_event(order, named_emit(&n, "func:drm:drm_open", 1, 7, 0), &place) ==
		  0);
	cr_expect(ivpu_order_event(order, named_emit(&n, "func:vmlinux:ivpu_open", 2, 7, 0),
				   &place) == 1);
	cr_expect(is_in("ivpu_open"), "a driver that is built in");
}
