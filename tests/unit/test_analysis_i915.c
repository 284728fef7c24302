/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects, bindings, pressure, requests and waits of i915, against known truth. */
#include "analysed.h"
#include "replay/sources/i915_state.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define E  "i915:i915_"
#define US 1000ull
#define MS 1000000ull

static struct analysed r;

static void setup(void)
{
	struct named *n;

	analysed_init(&r);
	n = &r.n;
	named_task(n, 7, 5, "app");
	named_task(n, 5, 5, "leader");
	named_task(n, 9, 9, "other");
	named_describe(n, E "gem_object_create", "obj:hex64:8 size:hex64:8");
	named_describe(n, E "gem_object_destroy", "obj:hex64:8");
	named_describe(n, E "gem_object_pread", "obj:hex64:8 offset:u64:8 len:hex64:8");
	named_describe(n, E "vma_bind", "obj:hex64:8 vm:hex64:8 offset:hex64:8 size:hex64:8");
	named_describe(n, E "vma_unbind", "obj:hex64:8 vm:hex64:8 offset:hex64:8 size:hex64:8");
	named_describe(n, E "gem_shrink", "dev:s32:4 pad:u32:4 target:u64:8 flags:hex32:4");
	named_describe(n, E "gem_evict", "dev:u32:4 pad:u32:4 vm:hex64:8 size:hex64:8");
	named_describe(n, E "ppgtt_create", "vm:hex64:8 dev:u32:4");
	named_describe(n, E "ppgtt_release", "vm:hex64:8 dev:u32:4");
	named_describe(n, E "context_create", "dev:u32:4 pad:u32:4 ctx:hex64:8 vm:hex64:8");
	named_describe(n, E "context_free", "dev:u32:4 pad:u32:4 ctx:hex64:8 vm:hex64:8");
	named_describe(n, E "request_wait_begin",
		       "dev:u32:4 pad:u32:4 ctx:u64:8 class:u16:2 instance:u16:2 seqno:u32:4");
	named_describe(n, E "request_wait_end",
		       "dev:u32:4 pad:u32:4 ctx:u64:8 class:u16:2 instance:u16:2 seqno:u32:4");
	named_describe(n, E "reg_rw", "val:u64:8 reg:hex32:4 write:u16:2 len:u16:2");
	named_describe(n, "i915:intel_gpu_freq_change", "freq:u32:4");
	named_describe(n, "drm:drm_vblank_event", "crtc:s32:4 seq:u32:4 time:s64:8");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_i915, .init = setup, .fini = teardown);

static void object(bool create, uint64_t ts, uint32_t tid, uint64_t obj, uint64_t size)
{
	named_emit(&r.n, create ? E "gem_object_create" : E "gem_object_destroy", ts, tid, 0);
	named_set(&r.n, "obj", obj);
	if (create)
		named_set(&r.n, "size", size);
	analysed_give(&r);
}

static void vma(bool bind, uint64_t ts, uint64_t obj, uint64_t vm, uint64_t size)
{
	named_emit(&r.n, bind ? E "vma_bind" : E "vma_unbind", ts, 7, 0);
	named_set(&r.n, "obj", obj);
	named_set(&r.n, "vm", vm);
	named_set(&r.n, "size", size);
	analysed_give(&r);
}

static void space(const char *what, uint64_t ts, uint64_t vm, uint32_t dev)
{
	named_emit(&r.n, what, ts, 7, 0);
	named_set(&r.n, "vm", vm);
	named_set(&r.n, "dev", dev);
	analysed_give(&r);
}

static void shrink(uint64_t ts, uint32_t dev, uint64_t target)
{
	named_emit(&r.n, E "gem_shrink", ts, 7, 0);
	named_set(&r.n, "dev", dev);
	named_set(&r.n, "target", target);
	analysed_give(&r);
}

static void wait(const char *what, uint64_t ts, uint32_t tid, uint32_t dev, uint64_t ctx,
		 uint32_t seqno)
{
	named_emit(&r.n, what, ts, tid, 0);
	named_set(&r.n, "dev", dev);
	named_set(&r.n, "ctx", ctx);
	named_set(&r.n, "seqno", seqno);
	analysed_give(&r);
}

static void job(uint64_t run, uint64_t done, const char *device, uint32_t flags)
{
	struct xtr_model_ring ring = {
		.id = 5, .name = "rcs0", .device_name = device, .driver = "i915"
	};
	struct xtr_job j = { .ctx = 7,
			     .seqno = run,
			     .submit_ns = run - US,
			     .queue_ns = run - US,
			     .run_ns = run,
			     .done_ns = done,
			     .flags = flags,
			     .ring = &ring };

	analysed_job(&r, &j);
}

Test(analysis_i915, memory_held)
{
	analysed_begin(&r, NULL);
	object(false, 1 * MS, 9, 0x100, 0); /* of before */
	object(true, 10 * MS, 7, 0x100, 4096);
	object(true, 20 * MS, 9, 0x200, 8192);
	object(false, 30 * MS, 90, 0x100, 0); /* by whoever freed it last */
	object(true, 40 * MS, 7, 0x100, 1024);
	object(true, 50 * MS, 7, 0x100, 100); /* the end of the one before is not in the trace */
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section,
		     "\"objects\":{\"created\":4,\"created_bytes\":13412,\"destroyed\":1,"
		     "\"destroyed_bytes\":4096,\"destroyed_unknown\":1,\"replaced\":1,"
		     "\"left\":2,\"left_bytes\":8292,\"complete\":true,"
		     "\"peak_bytes\":12288,\"peak_objects\":2,\"peak_ns\":20000000,");
	analysed_has(r.section, "{\"pid\":9,\"process\":\"other\",\"created\":1,"
				"\"created_bytes\":8192,\"destroyed\":0,\"destroyed_bytes\":0,"
				"\"left\":1,\"left_bytes\":8192,\"oldest_left_ns\":20000000}");
	analysed_has(r.section, "{\"pid\":5,\"process\":\"leader\",\"created\":3,"
				"\"created_bytes\":5220,\"destroyed\":2,\"destroyed_bytes\":5120,"
				"\"left\":1,\"left_bytes\":100,\"oldest_left_ns\":50000000}");
	analysed_has(r.section, "\"over_time\":[{\"from_ns\":10000000,\"peak_bytes\":4096,"
				"\"bytes\":4096},");
	analysed_has(r.text, "nothing says that they are leaked");
	analysed_has(r.text, "their events name none");
	analysed_has_not(r.findings, "i915-leak");
}

/* Slices widen with time, and the last one ends with what is held. */
Test(analysis_i915, long_traces_have_wide_slices)
{
	analysed_begin(&r, NULL);
	object(true, 1 * MS, 7, 0x100, 4096);
	object(true, 2 * MS, 7, 0x200, 4096);
	object(false, 3 * MS, 7, 0x200, 0);
	object(false, 3600000 * MS, 7, 0x100, 0);
	object(true, 3600001 * MS, 7, 0x300, 77);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"over_time\":[{\"from_ns\":1000000,\"peak_bytes\":8192,"
				"\"bytes\":4096},");
	analysed_has(r.section, "\"peak_bytes\":4096,\"bytes\":77}]");
}

/* Objects of before the window, and of other processes, are known but not counted. */
Test(analysis_i915, keeps_to_the_window)
{
	analysed_begin(&r, &(struct xtr_select){ .from = 100 * MS });
	object(true, 10 * MS, 7, 0x100, 4096);
	object(true, 110 * MS, 7, 0x200, 8192);
	object(false, 120 * MS, 7, 0x100, 0);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"created\":1,\"created_bytes\":8192,\"destroyed\":0,"
				"\"destroyed_bytes\":0,\"destroyed_unknown\":1,\"replaced\":0,"
				"\"left\":1,\"left_bytes\":8192,");
}

Test(analysis_i915, keeps_to_processes)
{
	const uint32_t pid = 5;

	analysed_begin(&r, &(struct xtr_select){ .pids = &pid, .n_pids = 1 });
	object(true, 10 * MS, 9, 0x100, 4096);
	object(true, 20 * MS, 7, 0x200, 8192);
	object(false, 30 * MS, 90, 0x100, 0);
	object(false, 40 * MS, 90, 0x200, 0);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"created\":1,\"created_bytes\":8192,\"destroyed\":1,"
				"\"destroyed_bytes\":8192,\"destroyed_unknown\":0,");
	analysed_has_not(r.section, "other");
}

static void leave(unsigned int first, unsigned int n, uint64_t step)
{
	for (unsigned int i = first; i < first + n; i++)
		object(true, (1 + i) * step, 7, 0x1000 + i, 4096);
}

Test(analysis_i915, a_leak_is_steady)
{
	analysed_begin(&r, NULL);
	leave(0, 64, 50 * MS);
	analysed_end(&r, 3200 * MS, "i915");
	analysed_has(r.findings, "{\"id\":\"i915-leak\",\"notable\":true,\"at_ns\":50000000,");
	analysed_has(r.findings, "leader (5) left 64 of 64 GEM objects (262,144 bytes) alive");
	analysed_has(r.findings, "\"limit\":8,\"limit_span_ns\":1000000000}");
}

/* What is set up first, and what is in use at the end, is none. */
Test(analysis_i915, no_leak)
{
	analysed_begin(&r, NULL);
	leave(0, 100, 5 * MS);
	for (unsigned int i = 0; i < 100; i++) {
		object(true, (600 + i * 25) * MS, 7, 0x50, 4096);
		object(false, (610 + i * 25) * MS, 7, 0x50, 0);
	}
	leave(800, 50, 4 * MS);
	analysed_end(&r, 3200 * MS, "i915");
	analysed_has_not(r.findings, "i915-leak");
	analysed_has(r.section, "\"left\":150,");
}

/* A short time shows nothing, and after lost events a destruction may be missing. */
Test(analysis_i915, a_leak_is_not_told_from_little)
{
	analysed_begin(&r, NULL);
	leave(0, 64, 10 * MS);
	analysed_end(&r, 640 * MS, "i915");
	analysed_has_not(r.findings, "i915-leak");
	teardown();
	setup();
	analysed_begin(&r, NULL);
	leave(0, 32, 50 * MS);
	analysed_gap(&r, 1650 * MS, 1660 * MS);
	leave(40, 32, 50 * MS);
	analysed_end(&r, 3200 * MS, "i915");
	analysed_has_not(r.findings, "i915-leak");
	analysed_has(r.section, "\"complete\":false");
	analysed_has(r.text, "leaks are not judged");
}

/* Bound n times, with an unbind between each two. */
static void thrash(uint64_t obj, uint64_t vm, unsigned int n, uint64_t step)
{
	for (unsigned int i = 0; i < n; i++) {
		vma(true, 1000 * MS + 2 * i * step, obj, vm, 4096);
		vma(false, 1000 * MS + (2 * i + 1) * step, obj, vm, 4096);
	}
}

Test(analysis_i915, rebinding)
{
	analysed_begin(&r, NULL);
	thrash(0x100, 0xa0, 9, 10 * MS);
	analysed_end(&r, 2000 * MS, "i915");
	analysed_has(
		r.section,
		"\"vma\":{\"binds\":9,\"bind_bytes\":36864,\"unbinds\":9,\"unbind_bytes\":36864,"
		"\"rebinds\":8,\"rebind_bytes\":32768,\"thrashing\":1,\"most_rebound\":[{\"obj\":256,"
		"\"vm\":160,\"bytes\":4096,\"binds\":9,\"unbinds\":9,\"rebinds\":8,"
		"\"most_in_1s\":8,\"most_at_ns\":1020000000}]}");
	analysed_has(r.findings,
		     "{\"id\":\"i915-rebind-thrash\",\"notable\":true,\"at_ns\":1020000000,");
	analysed_has(r.findings, "\"limit\":8,\"limit_within_ns\":1000000000}");
}

/* One below the limit; and as many, but more than a second apart. */
Test(analysis_i915, little_rebinding)
{
	analysed_begin(&r, NULL);
	thrash(0x100, 0xa0, 8, 10 * MS);
	analysed_end(&r, 2000 * MS, "i915");
	analysed_has(r.section, "\"rebinds\":7,\"rebind_bytes\":28672,\"thrashing\":0,");
	analysed_has_not(r.findings, "thrash");
	teardown();
	setup();
	analysed_begin(&r, NULL);
	thrash(0x100, 0xa0, 40, 100 * MS);
	analysed_end(&r, 9000 * MS, "i915");
	analysed_has(r.section, "\"rebinds\":39,\"rebind_bytes\":159744,\"thrashing\":0,");
	analysed_has(r.section, "\"most_in_1s\":6,");
}

/* Pointers of objects and address spaces are used again: another life is no rebind. */
Test(analysis_i915, lives_end)
{
	analysed_begin(&r, NULL);
	for (unsigned int i = 0; i < 20; i++) {
		object(true, 100 * MS + i * MS, 7, 0x100, 4096);
		vma(true, 100 * MS + i * MS + 1, 0x100, 0xa0, 4096);
		vma(false, 100 * MS + i * MS + 2, 0x100, 0xa0, 4096);
		object(false, 100 * MS + i * MS + 3, 7, 0x100, 0);
	}
	for (unsigned int i = 0; i < 20; i++) {
		vma(true, 200 * MS + i * MS, 0x200, 0xb0, 4096);
		vma(false, 200 * MS + i * MS + 1, 0x200, 0xb0, 4096);
		space(E "ppgtt_release", 200 * MS + i * MS + 2, 0xb0, 0);
	}
	for (unsigned int i = 0; i < 20; i++) /* further flags */
		vma(true, 300 * MS + i * MS, 0x300, 0xb0, 4096);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"binds\":60,");
	analysed_has(r.section, "\"rebinds\":0,\"rebind_bytes\":0,\"thrashing\":0,"
				"\"most_rebound\":[]");
	analysed_has_not(r.findings, "thrash");
}

/* Pages; the request in flight must be of the same card, and its end be known. */
Test(analysis_i915, pressure_in_flight)
{
	analysed_begin(&r, NULL);
	shrink(100 * MS, 0, 0x1000000);
	shrink(150 * MS, 1, UINT64_MAX);
	shrink(200 * MS, 1, 1);
	job(90 * MS, 100 * MS, "card0", 0);
	job(140 * MS, 160 * MS, "card0", 0);
	job(190 * MS, 210 * MS, "card1", XTR_FLAG_LATE);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section,
		     "{\"device\":\"card0\",\"shrinks\":1,\"evicts\":0,\"evict_nodes\":0,"
		     "\"evict_vms\":0,\"shrink_pages\":16777216,"
		     "\"shrink_bytes\":68719476736,\"shrinks_unlimited\":0,"
		     "\"evict_bytes\":0,\"in_flight\":1,\"between_vblanks\":0,");
	analysed_has(r.section,
		     "{\"device\":\"card1\",\"shrinks\":2,\"evicts\":0,\"evict_nodes\":0,"
		     "\"evict_vms\":0,\"shrink_pages\":1,\"shrink_bytes\":4096,"
		     "\"shrinks_unlimited\":1,\"evict_bytes\":0,\"in_flight\":0,");
	analysed_has(r.findings,
		     "{\"id\":\"i915-pressure-in-frame\",\"notable\":true,\"at_ns\":100000000,");
	analysed_has(r.findings, "1 shrink and 0 evictions, 1 with requests in flight");
	analysed_has(r.text, "64.0 GiB");
}

Test(analysis_i915, pressure_between_vblanks)
{
	analysed_begin(&r, NULL);
	shrink(5 * MS, 0, 1); /* before the first */
	analysed_event(&r, "drm:drm_vblank_event", 10 * MS, 0);
	shrink(15 * MS, 0, 1);
	analysed_event(&r, "drm:drm_vblank_event", 60 * MS, 0);
	shrink(61 * MS, 0, 1); /* the next one is too late */
	analysed_event(&r, "drm:drm_vblank_event", 111 * MS, 0);
	shrink(112 * MS, 0, 1); /* there is no next one */
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"shrinks\":4,");
	analysed_has(r.section, "\"in_flight\":0,\"between_vblanks\":1,");
}

Test(analysis_i915, quiet_pressure_is_no_finding)
{
	analysed_begin(&r, NULL);
	shrink(100 * MS, 0, 1);
	job(10 * MS, 20 * MS, "card0", 0);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"in_flight\":0,");
	analysed_has_not(r.findings, "i915");
}

Test(analysis_i915, contexts)
{
	analysed_begin(&r, NULL);
	space(E "ppgtt_create", 1 * MS, 0xa0, 0);
	space(E "ppgtt_create", 2 * MS, 0xb0, 1);
	space(E "ppgtt_release", 3 * MS, 0xa0, 0);
	space(E "ppgtt_release", 4 * MS, 0xc0, 0);
	for (uint64_t i = 0; i < 3; i++) {
		named_emit(&r.n, i < 2 ? E "context_create" : E "context_free", (5 + i) * MS, 7, 0);
		named_set(&r.n, "ctx", i % 2 ? 1 : 2);
		analysed_give(&r);
	}
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"contexts\":2,\"contexts_freed\":1,\"contexts_left\":1,"
				"\"contexts_unknown\":0,\"ppgtts\":1,\"ppgtts_released\":2,"
				"\"ppgtts_left\":0,\"ppgtts_unknown\":1}");
	analysed_has(r.section, "\"ppgtts\":1,\"ppgtts_released\":0,\"ppgtts_left\":1,");
}

Test(analysis_i915, requests)
{
	analysed_begin(&r, NULL);
	job(10 * MS, 20 * MS, "card0", 0);
	job(30 * MS, 50 * MS, "card0", XTR_FLAG_LATE);
	job(60 * MS, 0, "card0", 0);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "{\"device\":\"card0\",\"engine\":\"rcs0\",\"requests\":3,"
				"\"completed\":1,\"late\":1,\"killed\":0,\"open\":1,\"errors\":0,"
				"\"preempted\":0,\"kernel\":0,\"waits\":0,\"request_ns\":{\"n\":1,"
				"\"sum\":10001000,");
}

Test(analysis_i915, waits)
{
	analysed_begin(&r, NULL);
	wait(E "request_wait_end", 1 * MS, 7, 0, 1, 1); /* begun before */
	wait(E "request_wait_begin", 10 * MS, 7, 0, 1, 2);
	wait(E "request_wait_begin", 11 * MS, 9, 1, 1, 2);
	wait(E "request_wait_end", 12 * MS, 9, 1, 1, 2);
	wait(E "request_wait_end", 110 * MS, 7, 0, 1, 2);
	wait(E "request_wait_begin", 200 * MS, 7, 0, 1, 3);
	wait(E "request_wait_begin", 300 * MS, 7, 0, 1, 4); /* the end of 3 is lost */
	wait(E "request_wait_end", 310 * MS, 7, 0, 1, 5);   /* of another one */
	wait(E "request_wait_begin", 400 * MS, 9, 1, 1, 6); /* no end */
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"waits_ended\":4,\"waits_open\":3,\"waits_without_begin\":2,"
				"\"waits_long\":1,");
	analysed_has(r.section, "{\"pid\":5,\"process\":\"leader\",\"device\":\"card0\","
				"\"engine\":\"rcs0\",\"waits\":3,\"wait_ns\":{\"n\":1,"
				"\"sum\":100000000,");
	analysed_has(r.section,
		     "{\"pid\":9,\"process\":\"other\",\"device\":\"card1\","
		     "\"engine\":\"rcs0\",\"waits\":1,\"wait_ns\":{\"n\":1,\"sum\":1000000,");
	analysed_has(r.section, "\"longest_wait\":{\"pid\":5,\"process\":\"leader\","
				"\"device\":\"card0\",\"engine\":\"rcs0\",\"at_ns\":10000000,"
				"\"wait_ns\":100000000}");
	analysed_has(r.findings, "{\"id\":\"i915-long-wait\",\"notable\":true,\"at_ns\":10000000,");
	analysed_has(r.findings, "\"limit_ns\":100000000}");
}

Test(analysis_i915, a_wait_just_below_the_limit)
{
	analysed_begin(&r, NULL);
	wait(E "request_wait_begin", 10 * MS, 7, 0, 1, 2);
	wait(E "request_wait_end", 110 * MS - 1, 7, 0, 1, 2);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has_not(r.findings, "i915-long-wait");
}

Test(analysis_i915, frequency_and_registers)
{
	static const uint32_t mhz[] = { 300, 900, 600 };

	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		named_emit(&r.n, "i915:intel_gpu_freq_change", (10 + i * 10) * MS, 0, 0);
		named_set(&r.n, "freq", mhz[i]);
		analysed_give(&r);
	}
	for (uint64_t i = 0; i < 5; i++) {
		named_emit(&r.n, E "reg_rw", 50 * MS + i, 0, 0);
		named_set(&r.n, "reg", i < 2 ? 0x10 : 0x2030);
		named_set(&r.n, "write", i == 4);
		named_set(&r.n, "len", 4);
		analysed_give(&r);
	}
	analysed_event(&r, E "gem_object_destroy", 70 * MS, 0);
	analysed_end(&r, 1000 * MS, "i915");
	/* 300 for 10 ms, 900 for 10 ms, 600 for 40 ms */
	analysed_has(r.section, "\"frequency\":{\"changes\":3,\"min_mhz\":300,\"max_mhz\":900,"
				"\"last_mhz\":600,\"mean_mhz\":600}");
	analysed_has(r.section, "\"registers\":{\"reads\":4,\"read_bytes\":16,\"writes\":1,"
				"\"write_bytes\":4,\"distinct\":2,\"not_listed\":0,"
				"\"most_accessed\":[{\"reg\":8240,\"reads\":2,\"writes\":1},"
				"{\"reg\":16,\"reads\":2,\"writes\":0}]}");
}

/* No times: only counts. */
Test(analysis_i915, without_times)
{
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	object(true, 1, 7, 0x100, 4096);
	wait(E "request_wait_begin", 2, 7, 0, 1, 2);
	wait(E "request_wait_end", 3, 7, 0, 1, 2);
	thrash(0x100, 0xa0, 20, 1);
	analysed_end(&r, 10, "i915");
	analysed_has(r.section, "\"peak_ns\":null,\"over_time\":[]");
	analysed_has(r.section, "\"waits\":1,\"wait_ns\":null");
	analysed_has(r.section, "\"rebinds\":19,");
	analysed_has(r.section, "\"longest_wait\":null");
	analysed_has_not(r.findings, "i915");
}

/* Sizes that no memory can have, cut records, more engines and objects than there is room for. */
Test(analysis_i915, hostile)
{
	analysed_begin(&r, NULL);
	object(true, 1 * MS, 7, 1, UINT64_MAX);
	object(true, 2 * MS, 7, 2, UINT64_MAX);
	object(false, 3 * MS, 7, 1, 0);
	object(false, 4 * MS, 7, 2, 0);
	named_emit(&r.n, E "gem_object_create", 5 * MS, 7, 0);
	named_cut(&r.n, 20);
	analysed_give(&r);
	shrink(6 * MS, 0, UINT64_MAX - 1);
	shrink(6 * MS, 0, UINT64_MAX - 1);
	for (uint32_t i = 0; i < 300000; i++)
		object(true, 10 * MS + i, 7, 0x1000 + i, 1);
	for (uint32_t i = 0; i < 5000; i++) {
		shrink(20 * MS + i, i, 1);
		wait(E "request_wait_begin", 21 * MS + i, 1000 + i, i, 1, i);
		wait(E "request_wait_end", 22 * MS + i, 1000 + i, i, 1, i);
	}
	for (uint32_t i = 0; i < 20000; i++)
		wait(E "request_wait_begin", 30 * MS + i, 100000 + i, 0, 1, i);
	analysed_end(&r, 1000 * MS, "i915");
	analysed_has(r.section, "\"created\":300003,\"created_bytes\":18446744073709551615,");
	analysed_has(r.section, "\"complete\":false");
	analysed_has(r.section, "\"shrink_bytes\":18446744073709551615,");
	analysed_has(r.section, "(others)");
	analysed_has(r.section, "\"waits_ended\":5000,");
	analysed_has(r.text, "past what is kept");
}
