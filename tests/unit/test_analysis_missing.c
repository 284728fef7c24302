/* SPDX-License-Identifier: BSD-2-Clause */
/* What sections say is missing: of every combination of what a trace may have, that and no more. */
#include "analysed.h"
#include "analysis/core/missing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SWITCH  "sched:sched_switch"
#define WAKEUP  "sched:sched_wakeup"
#define IRQ     "irq:irq_handler_entry"
#define F       "func:intel_vpu:"
#define BIND    F "ivpu_bo_bind"
#define SGT     F "ivpu_mmu_context_map_sgt"
#define PAGES   "func:drm:drm_gem_get_pages"
#define SHMEM   "func:drm_shmem_helper:drm_gem_shmem_get_pages_locked"
#define RECEIVE F "ivpu_ipc_receive"
#define READY   F "ivpu_wait_for_ready"

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "infer");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_missing, .init = setup, .fini = teardown);

/* 1: its entry, 2: its return. */
static void describe(const char *name, unsigned int halves)
{
	char event[128];

	if (halves & 1)
		named_describe(&r.n, name, "context:u32:4 pad:u32:4");
	snprintf(event, sizeof(event), "%s:ret", name);
	if (halves & 2)
		named_describe(&r.n, event, "context:u32:4 pad:u32:4 ret:s32:4 hi:u32:4");
}

static void call(const char *name, unsigned int halves, uint64_t ts)
{
	if (halves & 1)
		analysed_event(&r, name, ts, 7);
	if (halves & 2)
		analysed_ret(&r, name, ts + 10, 7, 0);
}

/* Another trace. */
static void again(void)
{
	teardown();
	setup();
}

Test(analysis_missing, switches_and_wakeups)
{
	static const char *const said[] = {
		"not known, " SWITCH " and " WAKEUP " were not recorded\n",
		"not known, " WAKEUP " was not recorded\n",
		"not known, " SWITCH " was not recorded\n",
	};

	for (unsigned int has = 0; has < 4; has++) {
		named_describe(&r.n, IRQ, "irq:s32:4 pad:u32:4 name:str:16");
		if (has & 1)
			named_describe(&r.n, SWITCH,
				       "prev_pid:s32:4 next_pid:s32:4 prev_state:s64:8");
		if (has & 2)
			named_describe(&r.n, WAKEUP, "pid:s32:4 target_cpu:s32:4");
		analysed_begin(&r, NULL);
		named_emit(&r.n, IRQ, 1000, 0, 0);
		analysed_give(&r);
		analysed_end(&r, 2000, "cpu");
		if (has < 3)
			analysed_has(r.text, said[has]);
		else
			analysed_has_not(r.text, "recorded");
		again();
	}
}

/* Entries, returns, both, none of the function that tells of mappings. */
Test(analysis_missing, mappings_of_buffers)
{
	static const char *const said[] = {
		"  bind: ivpu_mmu_context_map_sgt was not recorded, so that",
		"  bind: returns of ivpu_mmu_context_map_sgt were not recorded, so that",
		"  bind: entries of ivpu_mmu_context_map_sgt were not recorded, so that",
	};

	for (unsigned int has = 0; has < 4; has++) {
		describe(BIND, 3);
		describe(SGT, has);
		analysed_begin(&r, NULL);
		analysed_event(&r, BIND, 100, 7);
		call(SGT, has, 110);
		analysed_ret(&r, BIND, 130, 7, 0);
		analysed_end(&r, 1000, "allocations");
		if (has < 3)
			analysed_has(r.text, said[has]);
		else
			analysed_has_not(r.text, "ivpu_mmu_context_map_sgt");
		again();
	}
}

Test(analysis_missing, pages)
{
	static const char *const said[] = {
		"  page allocation: drm_gem_get_pages was not recorded; calls",
		"  page allocation: returns of drm_gem_get_pages were not recorded; calls",
		"  page allocation: entries of drm_gem_get_pages were not recorded; calls",
	};

	for (unsigned int has = 0; has < 4; has++) {
		describe(SHMEM, 3);
		describe(PAGES, has);
		analysed_begin(&r, NULL);
		call(SHMEM, 3, 100);
		call(PAGES, has, 200);
		analysed_end(&r, 1000, "allocations");
		if (has < 3)
			analysed_has(r.text, said[has]);
		else
			analysed_has_not(r.text, "drm_gem_get_pages");
		again();
	}
}

/* Why there are no times of a stage. */
Test(analysis_missing, halves_of_a_stage)
{
	static const char *const said[] = { ": no times, returns were not recorded",
					    ": no times, entries were not recorded" };

	for (unsigned int has = 1; has < 4; has++) {
		describe(BIND, has);
		analysed_begin(&r, NULL);
		call(BIND, has, 100);
		analysed_end(&r, 1000, "allocations");
		if (has < 3)
			analysed_has(r.text, said[has - 1]);
		else
			analysed_has_not(r.text, ": no times");
		again();
	}
}

Test(analysis_missing, messages_of_the_firmware)
{
	static const char *const said[] = {
		"brought a message is not known: its returns were not",
		"brought a message is not known: its entries were not"
	};

	for (unsigned int has = 1; has < 4; has++) {
		describe(RECEIVE, has);
		analysed_begin(&r, NULL);
		call(RECEIVE, has, 100);
		analysed_end(&r, 1000, "firmware");
		if (has < 3)
			analysed_has(r.text, said[has - 1]);
		else
			analysed_has_not(r.text, "brought a message is not known");
		again();
	}
}

Test(analysis_missing, boot_of_the_firmware)
{
	for (unsigned int has = 0; has < 4; has++) {
		describe(RECEIVE, 3);
		describe(READY, has);
		analysed_begin(&r, NULL);
		call(RECEIVE, 3, 100);
		analysed_end(&r, 1000, "firmware");
		if (has == 0)
			analysed_has(r.text,
				     ": neither ivpu_boot nor ivpu_wait_for_ready was recorded");
		else if (has == 2)
			analysed_has(r.text, ": entries of neither ivpu_boot nor "
					     "ivpu_wait_for_ready were recorded");
		else
			analysed_has_not(r.text, "Boot's polling is not told apart");
		again();
	}
}

Test(analysis_missing, names_in_a_row)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	char buf[XTR_MISSING_TEXT];

	cr_expect_str_eq(xtr_missing_text(buf, names, (bool[]){ 0, 1, 0, 0 }, 4),
			 "b was not recorded");
	cr_expect_str_eq(xtr_missing_text(buf, names, (bool[]){ 1, 0, 1, 1 }, 4),
			 "a, c and d were not recorded");
	cr_expect_str_eq(xtr_missing_text(buf, names, (bool[]){ 1, 1, 1, 1 }, 4),
			 "a, b, c and d were not recorded");
}
