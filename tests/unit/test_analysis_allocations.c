/* SPDX-License-Identifier: BSD-2-Clause */
/* Stages of allocations on the Intel NPU, against stories whose truth is written beside them. */
#include "analysed.h"
#include "npu_capture.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define F      "func:intel_vpu:"
#define SUBMIT F "ivpu_submit_ioctl"
#define CREATE F "ivpu_bo_create_ioctl"
#define BIND   F "ivpu_bo_bind"
#define SGT    F "ivpu_mmu_context_map_sgt"
#define PAGE   F "ivpu_mmu_context_map_page"
#define PAGES  "func:drm:drm_gem_get_pages"
#define SHMEM  "func:drm_shmem_helper:drm_gem_shmem_get_pages_locked"
#define ALLOC  "api:libze_loader.so.1:zeMemAllocHost"

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

TestSuite(analysis_allocations, .init = setup, .fini = teardown);

static void describe(void)
{
	analysed_function(&r, SUBMIT, true, "", "");
	analysed_function(&r, CREATE, true, "size:u64:8",
			  "handle:u32:4 pad2:u32:4 vpu_addr:hex64:8");
	analysed_function(&r, BIND, true, "", "");
	analysed_function(&r, SGT, true, "vpu_addr:hex64:8 bo_size:u64:8", "");
	analysed_function(&r, PAGE, false, "", "");
	analysed_function(&r, PAGES, true, "size:u64:8", "");
}

static void enter(const char *name, uint64_t ts, const char *field, uint64_t v)
{
	named_emit(&r.n, name, ts, 7, 0);
	if (field)
		named_set(&r.n, field, v);
	analysed_give(&r);
}

static void create(uint64_t ts, uint64_t ns, uint64_t size, uint64_t addr)
{
	enter(CREATE, ts, "size", size);
	named_emit(&r.n, CREATE ":ret", ts + ns, 7, 0);
	named_set(&r.n, "handle", addr >> 20);
	named_set(&r.n, "vpu_addr", addr);
	analysed_give(&r);
}

/* A bind of ns, with 40 ns of page allocation and map_page calls in map_sgt. */
static void bind(uint64_t ts, uint64_t ns, uint64_t addr, uint64_t size, unsigned int calls)
{
	analysed_event(&r, BIND, ts, 7);
	enter(PAGES, ts + 5, "size", size);
	analysed_ret(&r, PAGES, ts + 45, 7, 0);
	named_emit(&r.n, SGT, ts + 50, 7, 0);
	named_set(&r.n, "vpu_addr", addr);
	named_set(&r.n, "bo_size", size);
	analysed_give(&r);
	while (calls--)
		analysed_event(&r, PAGE, ts + 51, 7);
	analysed_ret(&r, SGT, ts + 60, 7, 0);
	analysed_ret(&r, BIND, ts + ns, 7, 0);
}

/*
 * Two buffers, of 8192 and 5000 bytes: created in 300 and 200 ns; bound in one submit in 160 and
 * 110 ns, each without 40 ns of page allocation; the second submit finds one bound.
 */
Test(analysis_allocations, stages_are_told_apart)
{
	describe();
	analysed_begin(&r, NULL);
	create(1000, 300, 8192, 0x80000000);
	create(2000, 200, 5000, 0x80100000);
	analysed_event(&r, SUBMIT, 3000, 7);
	bind(3100, 200, 0x80000000, 8192, 2);
	bind(3400, 150, 0x80100000, 8192, 2);
	analysed_ret(&r, SUBMIT, 4000, 7, 0);
	analysed_event(&r, SUBMIT, 5000, 7);
	analysed_event(&r, BIND, 5100, 7);
	analysed_ret(&r, BIND, 5110, 7, 0);
	analysed_ret(&r, SUBMIT, 6000, 7, 0);
	analysed_end(&r, 10000, "allocations");
	analysed_has(r.section,
		     "{\"stage\":\"create\",\"recorded\":true,\"timed\":true,\"count\":2,"
		     "\"sized\":2,\"bytes\":13192,\"time_ns\":{\"n\":2,\"sum\":500,");
	analysed_has(r.section, "{\"stage\":\"pages\",\"recorded\":true,\"timed\":true,\"count\":2,"
				"\"sized\":2,\"bytes\":16384,\"time_ns\":{\"n\":2,\"sum\":80,");
	analysed_has(r.section, "{\"stage\":\"bind\",\"recorded\":true,\"timed\":true,\"count\":2,"
				"\"sized\":2,\"bytes\":16384,\"time_ns\":{\"n\":2,\"sum\":270,");
	analysed_has(r.section, "{\"from_bytes\":4096,\"to_bytes\":8191,\"count\":1,\"bytes\":5000,"
				"\"time_ns\":{\"n\":1,\"sum\":200,");
	analysed_has(r.section,
		     "{\"from_bytes\":8192,\"to_bytes\":16383,\"count\":1,\"bytes\":8192,"
		     "\"time_ns\":{\"n\":1,\"sum\":300,");
	analysed_has(r.section,
		     "{\"stage\":\"api\",\"recorded\":false,\"timed\":false,\"count\":0,");
	analysed_has(r.section, "\"bound_before\":1,\"bound_before_known\":true,");
	analysed_has(
		r.section,
		"{\"map_sgt\":2,\"map_page_recorded\":true,\"map_page\":4,\"map_page_in_submit\":4,"
		"\"submits\":1,\"buffers\":2,\"most_for_one\":2,"
		"\"buffers_of_known_size\":2,\"pages\":4,\"buffers_in_excess\":0}");
	analysed_has(r.section, "\"buffers\":[{\"created_ns\":1000,\"pid\":5,\"handle\":2048,"
				"\"vpu_addr\":2147483648,\"size\":8192,\"create_ns\":300,"
				"\"bound_ns\":3100,\"bind_ns\":160},{\"created_ns\":2000,");
	analysed_has(r.findings, "all 4 page mappings happened inside 1 submit:");
	analysed_has(r.findings, "{\"mappings\":4,\"in_submits\":4,\"submits\":1}");
	analysed_has_not(r.findings, "map-excess");
	analysed_has(r.text, "8,192 .. 16,383");
	analysed_has_not(r.text, "not recorded");
}

/* The driver's own buffers, and binds whose mapping was not recorded. */
Test(analysis_allocations, binds_elsewhere)
{
	analysed_function(&r, SUBMIT, true, "", "");
	analysed_function(&r, F "ivpu_bo_create_global", true, "", "");
	analysed_function(&r, F "ivpu_bo_pin", true, "size:u64:8", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 100, 7);
	analysed_event(&r, F "ivpu_bo_create_global", 110, 7);
	enter(F "ivpu_bo_pin", 120, "size", 4096);
	analysed_ret(&r, F "ivpu_bo_pin", 150, 7, 0);
	analysed_ret(&r, F "ivpu_bo_create_global", 160, 7, 0);
	enter(F "ivpu_bo_pin", 170, "size", 100000);
	analysed_ret(&r, F "ivpu_bo_pin", 180, 7, 0);
	analysed_ret(&r, SUBMIT, 190, 7, 0);
	analysed_end(&r, 1000, "allocations");
	analysed_has(r.section, "{\"stage\":\"bind\",\"recorded\":true,\"timed\":true,\"count\":1,"
				"\"sized\":1,\"bytes\":100000,\"time_ns\":{\"n\":1,\"sum\":10,");
	analysed_has(r.section,
		     "{\"stage\":\"bind_other\",\"recorded\":true,\"timed\":true,"
		     "\"count\":1,\"sized\":1,\"bytes\":4096,\"time_ns\":{\"n\":1,\"sum\":30,");
	analysed_has(r.section, "\"bound_before_known\":false");
	analysed_has(r.text, "ivpu_mmu_context_map_sgt was not recorded");
	analysed_has(r.text, "page allocation: not recorded");
}

/* zeMemAllocHost of 1000 ns, through a second library, with system calls of 200 and 300 ns. */
/* The driver's own address space has the same addresses as a process's. */
Test(analysis_allocations, equal_addresses_of_the_driver_and_a_process)
{
	describe();
	analysed_begin(&r, NULL);
	create(1000, 300, 8192, 0x80000000);
	bind(2000, 250, 0x80000000, 4096, 1);
	analysed_event(&r, SUBMIT, 3000, 7);
	bind(3100, 300, 0x80000000, 4096, 1);
	bind(3500, 200, 0x80000000, 8192, 2);
	analysed_ret(&r, SUBMIT, 4000, 7, 0);
	analysed_end(&r, 10000, "allocations");
	analysed_has(r.section, "\"buffers\":[{\"created_ns\":1000,\"pid\":5,\"handle\":2048,"
				"\"vpu_addr\":2147483648,\"size\":8192,\"create_ns\":300,"
				"\"bound_ns\":3500,\"bind_ns\":160}]");
}

/* Nothing tells the size of a bind elsewhere: a process's buffer has its address, too. */
Test(analysis_allocations, a_size_that_is_not_known_is_not_taken_from_another)
{
	analysed_function(&r, CREATE, true, "size:u64:8",
			  "handle:u32:4 pad2:u32:4 vpu_addr:hex64:8");
	analysed_function(&r, BIND, true, "", "");
	analysed_function(&r, SGT, true, "vpu_addr:hex64:8", "");
	analysed_begin(&r, NULL);
	create(1000, 300, 8192, 0x80000000);
	analysed_event(&r, BIND, 2000, 7);
	enter(SGT, 2010, "vpu_addr", 0x80000000);
	analysed_ret(&r, SGT, 2020, 7, 0);
	analysed_ret(&r, BIND, 2030, 7, 0);
	analysed_end(&r, 10000, "allocations");
	analysed_has(r.section, "{\"stage\":\"bind_other\",\"recorded\":true,\"timed\":true,"
				"\"count\":1,\"sized\":0,\"bytes\":0,");
}

Test(analysis_allocations, a_library_call_and_its_part_in_the_kernel)
{
	const char *inner = "api:libze_intel_npu.so.1:zeMemAllocHost";

	analysed_function(&r, ALLOC, true, "size:u64:8", "");
	analysed_function(&r, inner, true, "size:u64:8", "");
	analysed_function(&r, CREATE, true, "size:u64:8", "");
	named_describe(&r.n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&r.n, "syscalls:sys_exit_ioctl", "nr:s32:4 ret:s64:8");
	analysed_begin(&r, NULL);
	enter(ALLOC, 1000, "size", 4096);
	analysed_event(&r, inner, 1100, 7);
	analysed_event(&r, "syscalls:sys_enter_ioctl", 1200, 7);
	enter(CREATE, 1210, "size", 4096);
	analysed_ret(&r, CREATE, 1300, 7, 0);
	analysed_event(&r, "syscalls:sys_exit_ioctl", 1400, 7);
	analysed_event(&r, "syscalls:sys_enter_ioctl", 1500, 7);
	analysed_event(&r, "syscalls:sys_exit_ioctl", 1800, 7);
	analysed_ret(&r, inner, 1900, 7, 0);
	analysed_ret(&r, ALLOC, 2000, 7, 0);
	enter(ALLOC, 3000, "size", 100);
	analysed_ret(&r, ALLOC, 3010, 7, 0);
	analysed_end(&r, 10000, "allocations");
	analysed_has(r.section, "{\"stage\":\"api\",\"recorded\":true,\"timed\":true,\"count\":2,"
				"\"sized\":2,\"bytes\":4196,\"time_ns\":{\"n\":2,\"sum\":1010,");
	analysed_has(r.section, "{\"stage\":\"api_kernel\",\"recorded\":true,\"timed\":true,"
				"\"count\":2,\"sized\":2,\"bytes\":4196,\"time_ns\":{\"n\":2,"
				"\"sum\":500,\"mean\":250,\"min\":0,");
	analysed_has(r.section,
		     "{\"stage\":\"create\",\"recorded\":true,\"timed\":true,\"count\":1,"
		     "\"sized\":1,\"bytes\":4096,\"time_ns\":{\"n\":1,\"sum\":90,");
}

/* Where drm_gem_get_pages was not recorded, its callers tell; only the outer one of two. */
Test(analysis_allocations, pages_of_the_shmem_helper)
{
	analysed_function(&r, SHMEM, true, "", "");
	analysed_function(&r, "func:drm_shmem_helper:drm_gem_shmem_get_pages_sgt", true, "", "");
	analysed_begin(&r, NULL);
	analysed_event(&r, "func:drm_shmem_helper:drm_gem_shmem_get_pages_sgt", 100, 7);
	analysed_event(&r, SHMEM, 110, 7);
	analysed_ret(&r, SHMEM, 150, 7, 0);
	analysed_ret(&r, "func:drm_shmem_helper:drm_gem_shmem_get_pages_sgt", 190, 7, 0);
	analysed_end(&r, 1000, "allocations");
	analysed_has(r.section, "{\"stage\":\"pages\",\"recorded\":true,\"timed\":true,\"count\":1,"
				"\"sized\":0,\"bytes\":0,\"time_ns\":{\"n\":1,\"sum\":90,");
	analysed_has(r.text, "drm_gem_get_pages was not recorded");
	analysed_has(r.text, "page allocation: sizes were not captured");
}

/* n creates of ns of one size, and one of `worst` among them. */
static void creates(unsigned int n, uint64_t ns, uint64_t worst)
{
	uint64_t ts = 1000000;

	for (unsigned int i = 0; i <= n; i++, ts += 10000000)
		create(ts, i == 3 ? worst : ns, 4096, 0);
	analysed_end(&r, ts, "allocations");
}

Test(analysis_allocations, one_much_above_its_peers)
{
	describe();
	analysed_begin(&r, NULL);
	creates(8, 20000, 200000);
	analysed_has(r.findings,
		     "{\"id\":\"slow-allocation\",\"notable\":true,\"at_ns\":31000000,");
	analysed_has(r.findings, "{\"ns\":200000,\"size\":4096,\"peers\":8,");
	analysed_has(r.findings, "\"above\":1,\"limit_times\":8,\"limit_ns\":100000,"
				 "\"limit_peers\":8}");
}

Test(analysis_allocations, one_among_too_few_peers)
{
	describe();
	analysed_begin(&r, NULL);
	creates(7, 20000, 200000);
	analysed_has_not(r.findings, "slow-allocation");
}

Test(analysis_allocations, one_not_far_above_its_peers)
{
	describe();
	analysed_begin(&r, NULL);
	creates(30, 20000, 150000);
	analysed_has_not(r.findings, "slow-allocation");
}

/* Ten times its peers, but too short for anyone to wait for. */
Test(analysis_allocations, one_that_takes_little)
{
	describe();
	analysed_begin(&r, NULL);
	creates(30, 2000, 20000);
	analysed_has_not(r.findings, "slow-allocation");
}

Test(analysis_allocations, more_map_calls_than_pages)
{
	describe();
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 3000, 7);
	bind(3100, 200, 0x1000, 8193, 3);
	bind(3400, 200, 0x2000, 8192, 5);
	analysed_ret(&r, SUBMIT, 4000, 7, 0);
	bind(5000, 200, 0x3000, 4096, 1);
	analysed_end(&r, 10000, "allocations");
	analysed_has(
		r.findings,
		"{\"id\":\"map-excess\",\"notable\":true,\"at_ns\":3450,\"text\":"
		"\"1 buffer was mapped by more calls than it has pages: 5 calls for 2\","
		"\"events_ns\":[3450],\"severity\":\"notable\",\"rule\":null,\"evidence\":{\"buffers\":1,\"map_page_calls\":5,\"pages\":2}}");
	analysed_has(r.findings, "8 of 9 page mappings happened inside 1 submit:");
	analysed_has(r.findings, "{\"map_page_calls\":9,\"buffers\":3,\"most\":5,"
				 "\"buffers_of_known_size\":3,\"pages\":6}");
}

static void step(void *ctx, const char *function)
{
	char name[96];

	(void)ctx;
	snprintf(name, sizeof(name), F "%s", function);
	analysed_event(&r, name, ++now, 0);
}

static const char *const truth =
	"{\"map_sgt\":25,\"map_page_recorded\":true,\"map_page\":4131,\"map_page_in_submit\":4131,"
	"\"submits\":1,\"buffers\":25,\"most_for_one\":1025,"
	"\"buffers_of_known_size\":0,\"pages\":0,\"buffers_in_excess\":0}";

Test(analysis_allocations, the_published_capture)
{
	npu_capture_describe(&r.n);
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	npu_capture_play(step, NULL);
	analysed_end(&r, now, "allocations");
	analysed_has(r.section, "{\"stage\":\"create\",\"recorded\":true,\"timed\":false,"
				"\"count\":24,\"sized\":0,\"bytes\":0,\"time_ns\":{\"n\":0,");
	analysed_has(r.section,
		     "{\"stage\":\"bind\",\"recorded\":true,\"timed\":false,\"count\":25,");
	analysed_has(r.section, truth);
	analysed_has(r.findings, "all 4,131 page mappings happened inside 1 submit:");
	analysed_has(r.findings, "{\"mappings\":4131,\"in_submits\":4131,\"submits\":1}");
	analysed_has(r.findings, "{\"map_page_calls\":4131,\"buffers\":25,\"most\":1025,");
	analysed_has(r.text, "times: not known, the trace has none");
	analysed_has(r.text, "create (ivpu_bo_create_ioctl): sizes were not captured");
}

/* The same with times, still by entries alone. */
Test(analysis_allocations, the_published_capture_with_times)
{
	npu_capture_describe(&r.n);
	analysed_begin(&r, NULL);
	npu_capture_play(step, NULL);
	analysed_end(&r, now, "allocations");
	analysed_has(r.section, truth);
	analysed_has(r.findings, "all 4,131 page mappings happened inside 1 submit:");
	analysed_has(r.text, "no times, returns were not recorded");
}

/* Losses: what is mapped after them is in no submit that is known. */
Test(analysis_allocations, events_lost_in_a_submit)
{
	describe();
	analysed_begin(&r, NULL);
	analysed_event(&r, SUBMIT, 3000, 7);
	analysed_event(&r, PAGE, 3001, 7);
	analysed_gap(&r, 3002, 3003);
	analysed_event(&r, PAGE, 3004, 7);
	analysed_end(&r, 10000, "allocations");
	analysed_has(r.findings, "{\"mappings\":2,\"in_submits\":1,\"submits\":1}");
}

/* What applies must not depend on memory: it has no way to say that there was none. */
Test(analysis_allocations, no_section_is_missing_without_memory)
{
	size_t n = 0;

	describe();
	analysed_function(&r, ALLOC, true, "", "");
	for (size_t i = 0; i < xtr_n_analyses; i++) {
		bool applies = xtr_analyses[i]->applies(r.n.meta), still;

		oom_at(1, true);
		still = xtr_analyses[i]->applies(r.n.meta);
		oom_end();
		cr_expect_eq(still, applies, "%s", xtr_analyses[i]->name);
		n += applies;
	}
	cr_expect_gt(n, 2);
}
