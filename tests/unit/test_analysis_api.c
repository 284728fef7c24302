/* SPDX-License-Identifier: BSD-2-Clause */
/* What API calls caused, against stories whose truth is written beside them. */
#include "analysed.h"
#include "format/xtr_format.h"
#include "analysis/calls/call_map.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ZE      "api:libze_loader.so.1:"
#define EXECUTE ZE "zeCommandQueueExecuteCommandLists"
#define SYNC    ZE "zeFenceHostSynchronize"
#define ALLOC   ZE "zeMemAllocHost"
#define F       "func:intel_vpu:"
#define SUBMIT  F "ivpu_submit_ioctl"
#define MAP_SG  F "ivpu_mmu_context_map_sgt"
#define MAP_PG  F "ivpu_mmu_context_map_page"
#define RECEIVE F "ivpu_ipc_receive"
#define READY   F "ivpu_wait_for_ready"
#define HW_IRQ  F "ivpu_hw_irq_handler"

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 7, 5, "infer");
	named_task(&r.n, 8, 5, "infer");
	named_task(&r.n, 9, 6, "other");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_api, .init = setup, .fini = teardown);

static void describe_driver(bool pages)
{
	analysed_function(&r, SUBMIT, true, "", "");
	analysed_function(&r, MAP_SG, true, "bo_size:u64:8", "");
	if (pages)
		analysed_function(&r, MAP_PG, true, "", "");
	analysed_function(&r, RECEIVE, true, "", "");
	analysed_function(&r, READY, true, "", "");
	analysed_function(&r, HW_IRQ, true, "", "");
}

static void describe_api(void)
{
	analysed_function(&r, EXECUTE, true, "", "");
	analysed_function(&r, SYNC, true, "", "");
	analysed_function(&r, ALLOC, true, "", "");
	named_describe(&r.n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&r.n, "syscalls:sys_exit_ioctl", "nr:s32:4 ret:s64:8");
}

static void call(const char *name, uint64_t ts, uint64_t ns, uint32_t tid, int64_t ret)
{
	analysed_event(&r, name, ts, tid);
	analysed_ret(&r, name, ts + ns, tid, ret);
}

static void irq(uint64_t ts, uint32_t cpu)
{
	const char *const names[] = { HW_IRQ, HW_IRQ ":ret" };

	for (size_t i = 0; i < 2; i++) {
		named_emit(&r.n, names[i], ts + 5 * i, 7, cpu);
		named_set(&r.n, "context", XTR_CONTEXT_HARDIRQ);
		analysed_give(&r);
	}
}

static void job(uint32_t tid, uint64_t queued, uint64_t done, uint64_t exec)
{
	struct xtr_job j = { .ctx = 40,
			     .seqno = done,
			     .submit_ns = queued - 1,
			     .queue_ns = queued,
			     .run_ns = queued + 1,
			     .start_ns = done - exec,
			     .done_ns = done,
			     .exec_min_ns = exec,
			     .exec_max_ns = exec,
			     .tid = tid,
			     .pid = 5,
			     .kind = XTR_KIND_NPU };

	analysed_job(&r, &j);
}

static void map(uint64_t ts, uint64_t size, unsigned int pages)
{
	named_emit(&r.n, MAP_SG, ts, 7, 0);
	named_set(&r.n, "bo_size", size);
	analysed_give(&r);
	for (unsigned int i = 0; i < pages; i++)
		call(MAP_PG, ts + 10 + 10 * i, 5, 7, 0);
	analysed_ret(&r, MAP_SG, ts + 100, 7, 0);
}

/* One submission: two buffers are mapped, a command is answered, the job is done later. */
static void submission(unsigned int pages)
{
	analysed_event(&r, EXECUTE, 100, 7);
	analysed_event(&r, "syscalls:sys_enter_ioctl", 150, 7);
	analysed_event(&r, SUBMIT, 200, 7);
	map(300, 8193, pages);
	map(400, 4096, pages);
	analysed_event(&r, RECEIVE, 510, 7);
	irq(550, 1);
	analysed_ret(&r, RECEIVE, 590, 7, 0);
	call(RECEIVE, 600, 10, 7, -110);
	analysed_ret(&r, SUBMIT, 800, 7, 0);
	analysed_event(&r, "syscalls:sys_exit_ioctl", 900, 7);
	analysed_ret(&r, EXECUTE, 1000, 7, 0);
	call(SYNC, 1100, 100, 7, 1);
	call(SYNC, 1300, 100, 7, 1);
	analysed_event(&r, SYNC, 2000, 7);
	irq(4990, 0);
	job(7, 700, 5000, 3000);
	analysed_ret(&r, SYNC, 6000, 7, 0);
}

#define TIMES "\"time_ns\":{\"n\":"

Test(analysis_api, what_a_submission_caused)
{
	describe_api();
	describe_driver(false);
	analysed_begin(&r, NULL);
	submission(0);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "{\"pages_mapped_from\":\"ivpu_mmu_context_map_sgt\","
				"\"jobs_outside\":0,\"jobs_not_known\":0,");
	analysed_has(r.section,
		     "\"name\":\"zeCommandQueueExecuteCommandLists\",\"does\":\"submit\","
		     "\"calls\":1,\"total_ns\":900,\"self_ns\":150,");
	/* The submit ioctl, two map_sgt of 3 + 1 pages, two receives of which one took a message.
	 */
	analysed_has(r.section,
		     "\"not_0\":0,\"most_frequent\":null,\"kernel_calls\":5,\"syscalls\":1,"
		     "\"map_page_calls\":0,\"map_sgt_calls\":2,\"map_sgt_pages\":4,\"replies\":1,"
		     "\"pages_mapped\":4,\"attributed\":{\"jobs\":1,\"exec_ns\":3000,"
		     "\"exec_bounded\":0,\"job_done_messages\":1,\"interrupts\":2}}");
	analysed_has(r.section, "\"name\":\"zeFenceHostSynchronize\",\"does\":\"wait\",\"calls\":3,"
				"\"total_ns\":4200,\"self_ns\":4200,");
	analysed_has(r.section, "\"not_0\":2,\"most_frequent\":{\"ret\":1,\"name\":null,"
				"\"calls\":2},\"kernel_calls\":0,");
	analysed_has(r.text, "on device~");
}

Test(analysis_api, the_tree_has_every_path)
{
	describe_api();
	describe_driver(true);
	analysed_begin(&r, NULL);
	submission(3);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "{\"pages_mapped_from\":\"ivpu_mmu_context_map_page\",");
	/* Sorted by time: the wait first; then, four levels down, the calls of map_page. */
	analysed_has(r.section,
		     "\"tree\":[{\"node\":9,\"parent\":null,\"depth\":0,\"kind\":\"api\","
		     "\"module\":\"libze_loader.so.1\",\"name\":\"zeFenceHostSynchronize\",");
	analysed_has(r.section, "\"depth\":1,\"kind\":\"syscall\",\"module\":null,\"name\":"
				"\"ioctl\",\"calls\":1,\"timed\":1,\"total_ns\":750,"
				"\"self_ns\":150,\"kernel_calls\":11,\"syscalls\":0,"
				"\"map_page_calls\":6,\"map_sgt_calls\":2,");
	analysed_has(r.section, "\"depth\":3,\"kind\":\"function\",\"module\":\"intel_vpu\","
				"\"name\":\"ivpu_mmu_context_map_sgt\",\"calls\":2,\"timed\":2,"
				"\"total_ns\":200,\"self_ns\":170,\"kernel_calls\":6,");
	analysed_has(r.section, "\"depth\":4,\"kind\":\"function\",\"module\":\"intel_vpu\","
				"\"name\":\"ivpu_mmu_context_map_page\",\"calls\":6,\"timed\":6,"
				"\"total_ns\":30,\"self_ns\":30,");
	/* Interrupts belong to CPUs. */
	analysed_has(r.section, "\"depth\":0,\"kind\":null,\"module\":null,\"name\":\"CPU 1\","
				"\"calls\":0,\"timed\":0,\"total_ns\":5,");
	analysed_has(r.text, "      ivpu_mmu_context_map_page ");
	analysed_has(r.text,
		     "CPU 0                                  -     5 ns        -          -");
}

Test(analysis_api, tasks_of_processes)
{
	describe_api();
	analysed_begin(&r, NULL);
	call(ALLOC, 1000, 100, 7, 0);
	call(ALLOC, 1900, 100, 7, 0); /* thread 7: 1000 to 2000 */
	call(ALLOC, 5000, 400, 8, 0); /* thread 8: 5000 to 6000 */
	call(SYNC, 5500, 500, 8, 0);
	call(ALLOC, 9000, 50, 9, 0);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "\"tasks\":[{\"pid\":5,\"process\":\"infer\",\"kind\":\"api\","
				"\"module\":\"libze_loader.so.1\",\"name\":\"zeMemAllocHost\","
				"\"calls\":3,\"timed\":3,\"total_ns\":600,\"mean_ns\":200,"
				"\"threads\":2,\"threads_ns\":2000,\"share_ppm\":300000}");
	analysed_has(r.section, "\"calls\":1,\"timed\":1,\"total_ns\":500,\"mean_ns\":500,"
				"\"threads\":2,\"threads_ns\":2000,\"share_ppm\":250000}");
	analysed_has(r.section, "{\"pid\":6,\"process\":\"other\",");
}

/* A function around itself: its time and what it caused count once. */
Test(analysis_api, a_call_inside_itself)
{
	describe_api();
	describe_driver(true);
	analysed_begin(&r, NULL);
	analysed_event(&r, EXECUTE, 100, 7);
	analysed_event(&r, EXECUTE, 200, 7);
	call(SUBMIT, 300, 100, 7, 0);
	analysed_ret(&r, EXECUTE, 500, 7, 0);
	analysed_ret(&r, EXECUTE, 1000, 7, 0);
	job(7, 350, 2000, 500);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "\"calls\":2,\"total_ns\":900,\"self_ns\":800," TIMES "2,");
	analysed_has(r.section, "\"kernel_calls\":1,\"syscalls\":0,\"map_page_calls\":0,"
				"\"map_sgt_calls\":0,\"map_sgt_pages\":0,\"replies\":0,"
				"\"pages_mapped\":0,\"attributed\":{\"jobs\":1,\"exec_ns\":500,");
}

/* It is done before the call that submitted it returns; another one is not of any call. */
Test(analysis_api, a_job_within_its_call)
{
	describe_api();
	describe_driver(true);
	analysed_begin(&r, NULL);
	job(9, 50, 60, 5);
	analysed_event(&r, EXECUTE, 100, 7);
	call(ALLOC, 150, 20, 7, 0);
	job(7, 160, 190, 10); /* in the one that has ended */
	job(7, 200, 400, 30);
	job(7, 90, 410, 40); /* queued before the call began */
	analysed_ret(&r, EXECUTE, 1000, 7, 0);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "\"jobs_outside\":2,\"jobs_not_known\":0,");
	analysed_has(r.section, "\"attributed\":{\"jobs\":2,\"exec_ns\":40,");
	analysed_has(r.section, "\"attributed\":{\"jobs\":1,\"exec_ns\":10,");
}

/* The call never returns in the trace. */
Test(analysis_api, a_job_of_a_call_that_does_not_end)
{
	describe_api();
	analysed_begin(&r, NULL);
	analysed_event(&r, EXECUTE, 100, 7);
	job(7, 200, 400, 30);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "\"jobs_outside\":0,\"jobs_not_known\":0,");
	analysed_has(r.section, "\"calls\":1,\"total_ns\":0,\"self_ns\":0," TIMES "0,");
	analysed_has(r.section, "\"attributed\":{\"jobs\":1,\"exec_ns\":30,");
}

/* No interrupt brings the message of boot, nor one that came long before. */
Test(analysis_api, interrupts_are_taken_once)
{
	describe_api();
	describe_driver(true);
	analysed_begin(&r, NULL);
	irq(1000, 0);
	analysed_event(&r, EXECUTE, 1100, 7);
	analysed_event(&r, READY, 1200, 7);
	call(RECEIVE, 1300, 50, 7, 0);
	analysed_ret(&r, READY, 1400, 7, 0);
	analysed_ret(&r, EXECUTE, 1500, 7, 0);
	analysed_event(&r, SYNC, 2000, 7);
	call(RECEIVE, 2100, 50, 7, 0); /* takes it */
	call(RECEIVE, 2200, 50, 7, 0);
	irq(3000, 0);
	call(RECEIVE, 3000 + CAUSE_IRQ_NS, 50, 7, 0);
	analysed_ret(&r, SYNC, 4000 + CAUSE_IRQ_NS, 7, 0);
	analysed_end(&r, 10000, "api");
	analysed_has(r.section, "\"replies\":3,\"pages_mapped\":0,\"attributed\":{\"jobs\":0,"
				"\"exec_ns\":0,\"exec_bounded\":0,\"job_done_messages\":0,"
				"\"interrupts\":1}");
	analysed_has(r.section, "\"replies\":1,\"pages_mapped\":0,\"attributed\":{\"jobs\":0,"
				"\"exec_ns\":0,\"exec_bounded\":0,\"job_done_messages\":0,"
				"\"interrupts\":0}");
}

Test(analysis_api, without_a_library_the_functions_make_the_tree)
{
	describe_driver(true);
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 200, 7);
	map(300, 8192, 2);
	job(7, 450, 5000, 300);
	analysed_ret(&r, SUBMIT, 800, 7, 0);
	call(MAP_SG, 900, 10, 7, 0); /* on its own: a task of its own */
	analysed_end(&r, 10000, "tree");
	analysed_has(r.section, "\"functions\":[{\"kind\":\"function\",\"module\":\"intel_vpu\","
				"\"name\":\"ivpu_submit_ioctl\",\"calls\":1,\"total_ns\":600,"
				"\"self_ns\":500,");
	analysed_has(r.section, "\"kernel_calls\":3,\"syscalls\":0,\"map_page_calls\":2,"
				"\"map_sgt_calls\":1,\"map_sgt_pages\":2,\"replies\":0,"
				"\"pages_mapped\":2,\"attributed\":{\"jobs\":1,\"exec_ns\":300,");
	analysed_has(r.section, "\"name\":\"ivpu_mmu_context_map_sgt\",\"calls\":1,\"total_ns\":10,"
				"\"self_ns\":10,");
	analysed_has_not(r.section, "\"does\"");
	analysed_has(r.text, "ivpu_submit_ioctl");
}

/* Older kernels do not tell ivpu_mmu_context_map_sgt the size: no number of pages is given. */
Test(analysis_api, mappings_without_their_size)
{
	analysed_function(&r, SUBMIT, true, "", "");
	analysed_function(&r, MAP_SG, true, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 200, 7);
	call(MAP_SG, 300, 10, 7, 0);
	analysed_ret(&r, SUBMIT, 800, 7, 0);
	analysed_end(&r, 10000, "tree");
	analysed_has(r.section, "{\"pages_mapped_from\":null,");
	analysed_has(r.section, "\"map_sgt_calls\":1,\"map_sgt_pages\":0,\"replies\":0,"
				"\"pages_mapped\":null,");
}

Test(analysis_api, no_section_without_returns)
{
	analysed_function(&r, EXECUTE, false, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, EXECUTE, 100, 7);
	analysed_end(&r, 1000, "api");
	cr_expect(!r.section);
}

Test(analysis_api, results_that_are_no_status_are_no_errors)
{
	named_describe(&r.n, "api:libOpenCL.so.1:clCreateBuffer", "context:u32:4 pad:u32:4");
	named_describe(&r.n, "api:libOpenCL.so.1:clCreateBuffer:ret",
		       "context:u32:4 pad:u32:4 ret:hex64:8");
	analysed_begin(&r, NULL);
	call("api:libOpenCL.so.1:clCreateBuffer", 100, 10, 7, 0x7f0000001000);
	analysed_end(&r, 1000, "api");
	analysed_has(r.section, "\"not_0\":0,\"most_frequent\":null,");
}

Test(analysis_api, without_times_there_are_only_numbers)
{
	describe_api();
	describe_driver(true);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	submission(1);
	analysed_end(&r, 0, "api");
	analysed_has(r.section, "\"calls\":1,\"total_ns\":0,\"self_ns\":0," TIMES "0,");
	analysed_has(r.section, "\"map_page_calls\":2,");
	analysed_has(r.text, "The trace has no times");
	analysed_has_not(r.text, "total");
}

/* More paths than nodes: every call is somewhere, and counts for what is around it. */
Test(analysis_api, memory_is_bounded)
{
	uint32_t i, n = 2 * MAP_NODES_MAX;
	char text[64];

	describe_api();
	describe_driver(true);
	analysed_begin(&r, NULL);
	for (i = 0; i < n; i++)
		irq(100 + 10 * i, i);
	analysed_event(&r, EXECUTE, 100 + 10 * i, 7);
	call(SUBMIT, 101 + 10 * i, 3, 7, 0);
	analysed_ret(&r, EXECUTE, 109 + 10 * i, 7, 0);
	analysed_end(&r, 1000000, "api");
	/* Each CPU has two nodes of its own as long as there is room. */
	snprintf(text, sizeof(text), "\"calls_in_other\":%u,", n - (MAP_NODES_MAX - 1) / 2 + 2);
	analysed_has(r.section, text);
	snprintf(text, sizeof(text), "\"name\":\"(other)\",\"calls\":%u,",
		 n - (MAP_NODES_MAX - 1) / 2 - 1 + 2);
	analysed_has(r.section, text);
	analysed_has(r.section,
		     "\"name\":\"zeCommandQueueExecuteCommandLists\",\"does\":\"submit\","
		     "\"calls\":1,\"total_ns\":9,\"self_ns\":6,");
	analysed_has(r.section, "\"kernel_calls\":1,\"syscalls\":0,");
	analysed_has(r.text, "as the tree has too many nodes");
}
