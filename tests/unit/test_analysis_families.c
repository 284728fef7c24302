/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of intel_vpu's functions by family; the published figures of a capture without times. */
#include "analysed.h"
#include "npu_capture.h"
#include "analysis/npu_intel/ivpu_functions.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct analysed r;
static uint64_t now;

static void setup(void)
{
	analysed_init(&r);
	now = 0;
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_families, .init = setup, .fini = teardown);

static enum ivpu_family family(const char *function)
{
	return ivpu_family_of(function, strlen(function));
}

Test(analysis_families, table)
{
	cr_expect(family("ivpu_mmu_context_map_page") == IVPU_MEMORY);
	cr_expect(family("ivpu_mmu_context_map_pages") == IVPU_SPACE);
	cr_expect(family("ivpu_pgtable_alloc_page") == IVPU_SPACE);
	cr_expect(family("ivpu_ipc_receive") == IVPU_IPC);
	cr_expect(family("ivpu_ipc_receive_x") == IVPU_MESSAGES);
	cr_expect(family("ivpu_bo_bind") == IVPU_BUFFERS && family("ivpu_bo_pin") == IVPU_BUFFERS);
	cr_expect(family("ivpu_bo_unbind_locked") == IVPU_OBJECTS);
	cr_expect(family("ivpu_cmdq_submit_ioctl") == IVPU_SUBMISSION);
	cr_expect(family("ivpu_mmu_cmdq_sync") == IVPU_MMU);
	cr_expect(family("ivpu_hw_irq_handler") == IVPU_INTERRUPTS);
	cr_expect(family("ivpu_hw_irq_enable") == IVPU_HARDWARE);
	cr_expect(family("ivpu_ipc_irq_thread_handler") == IVPU_INTERRUPTS);
	cr_expect(family("ivpu_start_job_timeout_detection") == IVPU_SUBMISSION);
	cr_expect(family("ivpu_set_param_ioctl") == IVPU_FILES);
	cr_expect(family("file_priv_unbind") == IVPU_FILES);
	cr_expect(family("ivpu") == IVPU_OTHER && family("") == IVPU_OTHER);
	cr_expect(ivpu_family_of("ivpu_open_not_this", 9) == IVPU_FILES, "9 bytes are the name");
}

static void step(void *ctx, const char *function)
{
	char name[96];

	(void)ctx;
	snprintf(name, sizeof(name), "func:intel_vpu:%s", function);
	analysed_event(&r, name, ++now, 0);
}

/* 57 %, 35 % and less than 1 %, as they were published. */
Test(analysis_families, the_published_capture)
{
	npu_capture_describe(&r.n);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	npu_capture_play(step, NULL);
	analysed_end(&r, now, "families");
	analysed_has(r.section, "{\"calls\":8198,\"timed\":0,\"self_ns\":0,\"families\":[");
	analysed_has(r.section, "{\"family\":\"memory\",\"calls\":4648,\"timed\":0,\"self_ns\":0,"
				"\"functions\":[\"ivpu_pgtable_free_page\","
				"\"ivpu_mmu_context_map_page\"]}");
	analysed_has(r.section, "{\"family\":\"ipc\",\"calls\":2842,");
	analysed_has(r.section, "{\"family\":\"buffers\",\"calls\":74,");
	analysed_has(r.section, "{\"family\":\"other\",\"calls\":0,\"timed\":0,\"self_ns\":0,"
				"\"functions\":[]}");
	analysed_has(r.text, "4,648   56.7 %\n");
	analysed_has(r.text, "2,842   34.7 %\n");
	analysed_has(r.text, "   74    0.9 %\n");
	analysed_has(r.text, "time: not known, the trace has no times");
}

/* ivpu_bo_create_ioctl of 100 ns with 30 ns of ivpu_gem_create_object, and one that never ends. */
Test(analysis_families, time_is_without_inner_calls)
{
	analysed_function(&r, "func:intel_vpu:ivpu_bo_create_ioctl", true, "", "");
	analysed_function(&r, "func:intel_vpu:ivpu_gem_bo_open", true, "", "");
	analysed_function(&r, "func:intel_vpu:ivpu_open", false, "", "");
	analysed_function(&r, "func:intel_vpu:strange", false, "", "");
	analysed_function(&r, "func:drm:drm_open", true, "", "");
	analysed_function(&r, "func:intel_vpu:ivpu_late:ret", false, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, "func:intel_vpu:ivpu_bo_create_ioctl", 100, 7);
	analysed_event(&r, "func:intel_vpu:ivpu_gem_bo_open", 110, 7);
	analysed_ret(&r, "func:intel_vpu:ivpu_gem_bo_open", 140, 7, 0);
	analysed_ret(&r, "func:intel_vpu:ivpu_bo_create_ioctl", 200, 7, 0);
	analysed_event(&r, "func:intel_vpu:ivpu_open", 210, 7);
	analysed_event(&r, "func:intel_vpu:strange", 220, 7);
	analysed_event(&r, "func:drm:drm_open", 230, 7);
	analysed_ret(&r, "func:drm:drm_open", 240, 7, 0);
	analysed_event(&r, "func:intel_vpu:ivpu_late:ret", 250, 7);
	analysed_ret(&r, "func:intel_vpu:ivpu_gem_bo_open", 260, 8, 0);
	analysed_event(&r, "func:intel_vpu:ivpu_bo_create_ioctl", 300, 7);
	analysed_end(&r, 1000, "families");
	analysed_has(r.section, "{\"calls\":7,\"timed\":2,\"self_ns\":100,");
	analysed_has(r.section, "{\"family\":\"buffers\",\"calls\":2,\"timed\":1,\"self_ns\":70,");
	analysed_has(r.section, "{\"family\":\"objects\",\"calls\":2,\"timed\":1,\"self_ns\":30,");
	analysed_has(r.section, "{\"family\":\"files\",\"calls\":1,\"timed\":0,");
	analysed_has(r.section, "{\"family\":\"other\",\"calls\":2,\"timed\":0,\"self_ns\":0,"
				"\"functions\":[\"strange\",\"ivpu_late\"]}");
	analysed_has(r.text, "other: strange, ivpu_late");
	analysed_has(r.text, "70.0 %");
}

Test(analysis_families, another_driver_has_none)
{
	analysed_function(&r, "func:drm:drm_open", true, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, "func:drm:drm_open", 230, 7);
	analysed_end(&r, 1000, "families");
	cr_expect(!r.section);
}
