/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes ask of NVIDIA's driver and hold of it, and its interrupts and suspends. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define F       "func:nvidia:"
#define OPEN    F "nvidia_open"
#define CLOSE   F "nvidia_close"
#define IOCTL   F "nvidia_unlocked_ioctl"
#define MMAP    F "nvidia_mmap"
#define COPY    F "nvidia_vma_open"
#define RELEASE F "nvidia_vma_release"
#define ISR     F "nvidia_isr"
#define MSIX    F "nvidia_isr_msix"
#define BH      F "nvidia_isr_kthread_bh"
#define MSIXBH  F "nvidia_isr_msix_kthread_bh"
#define XID     "nvidia:nvidia_dev_xid"
#define UVM     "func:nvidia_uvm:uvm_unlocked_ioctl_entry"
#define CONTROL 0xc020462au
#define ALLOC   0xc030462bu

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_task(&r.n, 10, 10, "cuda");
	named_task(&r.n, 11, 10, "worker");
	named_task(&r.n, 20, 20, "child");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_nvidia, .init = setup, .fini = teardown);

static void describe(void)
{
	analysed_function(&r, OPEN, true, "file:hex64:8", "");
	analysed_function(&r, CLOSE, true, "file:hex64:8", "");
	analysed_function(&r, IOCTL, true,
			  "file:hex64:8 cmd:hex32:4 arg_cmd:hex32:4 arg_class:hex32:4 p:u32:4", "");
	analysed_function(&r, MMAP, true, "file:hex64:8 vm_start:hex64:8 vm_end:hex64:8", "");
	analysed_function(&r, COPY, false, "vm_start:hex64:8 vm_end:hex64:8", "");
	analysed_function(&r, RELEASE, false, "vm_start:hex64:8 vm_end:hex64:8", "");
	analysed_function(&r, ISR, true, "device:hex64:8", "");
	analysed_function(&r, MSIX, true, "device:hex64:8", "");
	analysed_function(&r, BH, true, "device:hex64:8", "");
	analysed_function(&r, MSIXBH, true, "device:hex64:8", "");
	analysed_function(&r, F "nvidia_poll", false, "", "");
	analysed_function(&r, F "nvidia_fault", false, "", "");
	analysed_function(&r, F "nvidia_suspend", true, "device:hex64:8", "");
	analysed_function(&r, F "nvidia_resume", true, "device:hex64:8", "");
	analysed_function(&r, F "nvidia_p2p_get_pages", true, "length:u64:8", "");
	analysed_function(&r, F "nvidia_p2p_dma_map_pages", false, "", "");
	analysed_function(&r, UVM, true, "cmd:u32:4 p:u32:4", "");
}

static void file_call(const char *name, uint64_t ts, uint32_t tid, uint64_t file, int64_t ret)
{
	named_emit(&r.n, name, ts, tid, 0);
	named_set(&r.n, "file", file);
	analysed_give(&r);
	analysed_ret(&r, name, ts + 10, tid, ret);
}

static void ioctl(uint64_t ts, uint32_t tid, uint32_t cmd, uint32_t second, uint64_t ns,
		  int64_t ret)
{
	named_emit(&r.n, IOCTL, ts, tid, 0);
	named_set(&r.n, "cmd", cmd);
	named_set(&r.n, (cmd & 0xff) == 0x2b ? "arg_class" : "arg_cmd", second);
	analysed_give(&r);
	analysed_ret(&r, IOCTL, ts + ns, tid, ret);
}

static void vma(const char *name, uint64_t ts, uint32_t tid, uint64_t begin, uint64_t end,
		int64_t ret)
{
	named_emit(&r.n, name, ts, tid, 0);
	named_set(&r.n, "vm_start", begin);
	named_set(&r.n, "vm_end", end);
	analysed_give(&r);
	if (!strcmp(name, MMAP))
		analysed_ret(&r, name, ts + 5, tid, ret);
}

static void device_event(const char *name, uint64_t ts, uint32_t tid, uint32_t cpu, bool irq,
			 uint64_t device)
{
	named_emit(&r.n, name, ts, tid, cpu);
	named_set(&r.n, "device", device);
	named_set(&r.n, "context", irq ? 2 : 0);
	analysed_give(&r);
}

static void device_ret(const char *name, uint64_t ts, uint32_t tid, uint32_t cpu, bool irq,
		       int64_t ret)
{
	char event[128];

	snprintf(event, sizeof(event), "%s:ret", name);
	named_emit(&r.n, event, ts, tid, cpu);
	named_set(&r.n, "context", irq ? 2 : 0);
	named_set(&r.n, "ret", (uint64_t)ret);
	analysed_give(&r);
}

Test(analysis_nvidia, files_are_told_by_their_pointer)
{
	describe();
	analysed_begin(&r, NULL);
	file_call(OPEN, 100, 10, 0xa0, 0);
	file_call(OPEN, 200, 11, 0xb0, 0);
	file_call(OPEN, 300, 10, 0xc0, -6);
	file_call(CLOSE, 400, 20, 0xb0, 0); /* another process has the last reference */
	file_call(CLOSE, 500, 10, 0xd0, 0); /* opened before the trace */
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "{\"pid\":10,\"process\":\"cuda\",\"opens\":2,\"open_errors\":1,"
				"\"closes\":1,\"closes_elsewhere\":1,\"closes_earlier\":1,"
				"\"still_open\":1,");
	analysed_has(r.section, "\"open_files\":[{\"file\":160,\"pid\":10,\"tid\":10,"
				"\"opened_ns\":100}]");
	analysed_has(r.section,
		     "\"errors\":[{\"pid\":10,\"call\":\"open\",\"ret\":-6,\"calls\":1}]");
	analysed_has_not(r.section, "\"pid\":20");
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_nvidia, ioctls_by_number_and_by_what_is_asked_for)
{
	describe();
	analysed_begin(&r, NULL);
	ioctl(1000, 10, CONTROL, 0x20800102, 50, 0);
	ioctl(2000, 11, CONTROL, 0x20800102, 70, -22);
	ioctl(3000, 10, CONTROL, 0x12345678, 10, 0);
	ioctl(4000, 10, ALLOC, 0xc56f, 10, 0);
	ioctl(5000, 10, 0xc020462b, 0xc56f, 10, 0); /* the short form of the same */
	ioctl(6000, 10, 0xc0044699, 0, 10, 0);
	ioctl(7000, 10, 0x5401, 0, 10, -25);
	named_emit(&r.n, UVM, 8000, 10, 0);
	named_set(&r.n, "cmd", 37);
	analysed_give(&r);
	analysed_ret(&r, UVM, 8100, 10, 0);
	analysed_end(&r, 10000, "nvidia");
	analysed_has(
		r.section,
		"{\"pid\":10,\"kind\":\"rm\",\"number\":42,\"name\":\"RM_CONTROL\","
		"\"second\":545259778,\"second_name\":\"GPU_GET_INFO_V2\","
		"\"calls\":2,\"total_calls\":null,\"errors\":1,\"time_ns\":{\"n\":2,\"sum\":120,");
	analysed_has(r.section, "\"second_name\":\"command 0x12345678\",\"calls\":1,");
	analysed_has(r.section, "\"name\":\"RM_ALLOC\",\"second\":50543,"
				"\"second_name\":\"GPFIFO channel (Ampere)\",\"calls\":2,");
	analysed_has(r.section, "\"number\":153,\"name\":\"ioctl 0x99\",\"second\":null,");
	analysed_has(r.section, "\"kind\":\"other\",\"number\":21505,\"name\":\"ioctl code "
				"0x00005401\",");
	analysed_has(r.section, "\"kind\":\"uvm\",\"number\":37,\"name\":\"UVM_REGISTER_GPU\",");
	analysed_has(r.section, "\"ioctls\":7,\"ioctl_errors\":2,");
	analysed_has(r.section, "\"ret\":-22,\"calls\":1}");
	analysed_has(r.section, "\"ret\":-25,\"calls\":1}");
	analysed_has(r.text, "RM_CONTROL command 0x12345678");
}

Test(analysis_nvidia, mappings_are_held_until_released)
{
	describe();
	analysed_begin(&r, NULL);
	vma(MMAP, 100, 10, 0x1000, 0x9000, 0);
	vma(MMAP, 200, 10, 0x20000, 0x21000, -22);
	vma(COPY, 300, 10, 0x1000, 0x9000, 0); /* fork */
	vma(COPY, 400, 10, 0x1000, 0x3000, 0); /* split: munmap of the first 8 KiB */
	vma(RELEASE, 410, 10, 0x1000, 0x3000, 0);
	vma(RELEASE, 500, 20, 0x1000, 0x9000, 0); /* the child exits */
	vma(COPY, 600, 10, 0x50000, 0x56000, 0);  /* mremap */
	vma(RELEASE, 610, 10, 0x3000, 0x9000, 0);
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "\"mmaps\":1,\"mmap_errors\":1,\"mmap_bytes\":32768,\"releases\":2,"
				"\"released_bytes\":32768,\"releases_earlier\":0,\"copies\":1,"
				"\"copy_bytes\":32768,\"splits\":1,\"moves\":1,"
				"\"mapped_bytes\":24576,\"mapped_peak_bytes\":49152,"
				"\"mapped_copy_bytes\":0,");
	analysed_has(r.section, "{\"pid\":20,");
	analysed_has(r.section, "\"releases\":1,\"released_bytes\":32768,\"releases_earlier\":0,");
}

Test(analysis_nvidia, copies_stay_until_a_child_releases_them)
{
	describe();
	analysed_begin(&r, NULL);
	vma(MMAP, 100, 10, 0x1000, 0x2000, 0);
	vma(COPY, 200, 10, 0x1000, 0x2000, 0);
	vma(COPY, 300, 10, 0x1000, 0x2000, 0);
	vma(RELEASE, 400, 20, 0x1000, 0x2000, 0);
	vma(RELEASE, 500, 20, 0x7000, 0x8000, 0); /* mapped before the trace */
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "\"mapped_bytes\":4096,\"mapped_peak_bytes\":4096,"
				"\"mapped_copy_bytes\":4096,");
	analysed_has(r.section, "\"releases\":2,\"released_bytes\":8192,\"releases_earlier\":1,");
}

/* The inner handler is the same interrupt; the bottom half is that of its device. */
Test(analysis_nvidia, interrupts_are_counted_once)
{
	describe();
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		device_event(MSIX, 1000 + i * 1000, 10, 0, true, 0xd1);
		device_event(ISR, 1010 + i * 1000, 10, 0, true, 0xd1);
		device_ret(ISR, 1020 + i * 1000, 10, 0, true, i == 1 ? 2 : 1);
		device_ret(MSIX, 1100 + i * 1000, 10, 0, true, i == 1 ? 2 : 1);
	}
	device_event(ISR, 4000, 10, 1, true, 0xd2);
	device_ret(ISR, 4040, 10, 1, true, 0);
	device_event(MSIXBH, 4500, 30, 0, false, 0xd1);
	device_ret(MSIXBH, 4700, 30, 0, false, 1);
	analysed_end(&r, 10000, "nvidia");
	analysed_has(r.section, "{\"device\":209,\"interrupts\":3,\"isr_msix\":3,\"isr\":3,"
				"\"isr_nested\":3,\"not_ours\":0,\"wanted_bottom_half\":1,"
				"\"bottom_halves\":0,\"bottom_halves_msix\":1,\"time_ns\":{\"n\":3,"
				"\"sum\":300,");
	analysed_has(r.section, "\"bottom_half_ns\":{\"n\":1,\"sum\":200,");
	/* From the interrupt that asked for it, not from the last one. */
	analysed_has(r.section, "\"until_bottom_half_ns\":{\"n\":1,\"sum\":2500,");
	analysed_has(r.section, "{\"device\":210,\"interrupts\":1,\"isr_msix\":0,\"isr\":1,"
				"\"isr_nested\":0,\"not_ours\":1,");
}

Test(analysis_nvidia, interrupts_by_entries_alone)
{
	analysed_function(&r, ISR, false, "device:hex64:8", "");
	analysed_function(&r, MSIX, false, "device:hex64:8", "");
	analysed_function(&r, MSIXBH, false, "device:hex64:8", "");
	analysed_begin(&r, NULL);
	device_event(MSIX, 1000, 10, 0, true, 0xd1);
	device_event(ISR, 1010, 10, 0, true, 0xd1);
	device_event(ISR, 2000, 10, 1, true, 0xd2);
	device_event(MSIXBH, 2500, 30, 0, false, 0xd1);
	analysed_end(&r, 10000, "nvidia");
	analysed_has(r.section, "{\"device\":209,\"interrupts\":1,");
	analysed_has(r.section, "{\"device\":210,\"interrupts\":1,");
}

Test(analysis_nvidia, suspends_p2p_polls_and_faults)
{
	describe();
	analysed_begin(&r, NULL);
	device_event(F "nvidia_suspend", 1000, 10, 0, false, 0xe1);
	device_ret(F "nvidia_suspend", 3000, 10, 0, false, 0);
	device_event(F "nvidia_resume", 8000, 10, 0, false, 0xe1);
	device_ret(F "nvidia_resume", 9000, 10, 0, false, 0);
	device_event(F "nvidia_suspend", 10000, 10, 0, false, 0xe2);
	device_ret(F "nvidia_suspend", 10500, 10, 0, false, -16);
	device_event(F "nvidia_resume", 11000, 10, 0, false, 0xe2);
	device_ret(F "nvidia_resume", 11700, 10, 0, false, 0);
	named_emit(&r.n, F "nvidia_p2p_get_pages", 12000, 10, 0);
	named_set(&r.n, "length", 65536);
	analysed_give(&r);
	analysed_ret(&r, F "nvidia_p2p_get_pages", 12100, 10, 0);
	analysed_event(&r, F "nvidia_p2p_dma_map_pages", 12200, 10);
	analysed_event(&r, F "nvidia_poll", 12300, 10);
	analysed_event(&r, F "nvidia_fault", 12400, 10);
	analysed_event(&r, F "nvidia_fault", 12500, 10);
	analysed_end(&r, 20000, "nvidia");
	analysed_has(r.section, "{\"device\":225,\"suspends\":1,\"suspend_errors\":0,\"resumes\":1,"
				"\"resume_errors\":0,\"resumes_after_failure\":0,"
				"\"suspend_ns\":{\"n\":1,\"sum\":2000,");
	analysed_has(r.section, "\"away_ns\":{\"n\":1,\"sum\":5000,");
	analysed_has(r.section, "{\"device\":226,\"suspends\":1,\"suspend_errors\":1,\"resumes\":1,"
				"\"resume_errors\":0,\"resumes_after_failure\":1,");
	analysed_has(r.section, "\"polls\":1,\"faults\":2,");
	analysed_has(r.section, "\"p2p_get_pages\":1,\"p2p_get_pages_bytes\":65536,"
				"\"p2p_dma_maps\":1,\"p2p_errors\":0,");
	analysed_has(r.text, "not the GPU's page faults");
}

/* Just over, and just not over, 100,000 per second for a tenth of a second. */
static void storm(uint64_t n)
{
	describe();
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < n; i++)
		ioctl(1000000 + i * 9000, 10, CONTROL, 0x20800403, 100, 0);
	analysed_end(&r, 1000000000, "nvidia");
}

Test(analysis_nvidia, a_storm_of_ioctls)
{
	storm(11000);
	analysed_has(r.findings, "{\"id\":\"ioctl-storm\",\"notable\":true,\"at_ns\":1000000,");
	analysed_has(r.findings, "{\"pid\":10,\"ioctls\":11000,\"window_ns\":100000000,"
				 "\"windows\":1,\"limit_per_s\":100000}");
}

Test(analysis_nvidia, no_storm)
{
	storm(10000);
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_nvidia, a_storm_of_interrupts_of_one_device)
{
	describe();
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 1100; i++) {
		device_event(MSIX, 1000000 + i * 90000, 10, 0, true, 0xd1 + (i % 11 == 0));
		device_ret(MSIX, 1000500 + i * 90000, 10, 0, true, 1);
	}
	analysed_end(&r, 1000000000, "nvidia");
	cr_expect_str_eq(r.findings, "[]");
	analysed_free(&r);
	setup();
	describe();
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 1100; i++) {
		device_event(MSIX, 1000000 + i * 90000, 10, 0, true, 0xd1);
		device_ret(MSIX, 1000500 + i * 90000, 10, 0, true, 1);
	}
	analysed_end(&r, 1000000000, "nvidia");
	analysed_has(r.findings, "\"id\":\"nvidia-interrupt-storm\"");
	analysed_has(r.findings, "{\"device\":209,\"interrupts\":1100,");
}

/* 535 and older: the entry point has another name, and calls nvidia_ioctl. */
Test(analysis_nvidia, one_of_the_names_of_a_function)
{
	analysed_function(&r, F "nvidia_frontend_unlocked_ioctl", false, "cmd:hex32:4 p:u32:4", "");
	analysed_function(&r, F "nvidia_ioctl", true, "cmd:hex32:4 p:u32:4", "");
	analysed_begin(&r, NULL);
	named_emit(&r.n, F "nvidia_frontend_unlocked_ioctl", 100, 10, 0);
	named_set(&r.n, "cmd", CONTROL);
	analysed_give(&r);
	named_emit(&r.n, F "nvidia_ioctl", 110, 10, 0);
	named_set(&r.n, "cmd", CONTROL);
	analysed_give(&r);
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "\"ioctls\":1,");
	/* What is asked for was not captured. */
	analysed_has(r.section, "\"name\":\"RM_CONTROL\",\"second\":null,\"second_name\":null,");
}

Test(analysis_nvidia, losses_make_lower_bounds)
{
	describe();
	analysed_begin(&r, NULL);
	named_emit(&r.n, IOCTL, 100, 10, 0);
	named_set(&r.n, "cmd", CONTROL);
	analysed_give(&r);
	analysed_gap(&r, 200, 300);
	/* This return may be of another call. */
	analysed_ret(&r, IOCTL, 400, 10, -5);
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "{\"lower_bounds\":true,");
	analysed_has(r.section, "\"errors\":0,\"time_ns\":{\"n\":0,");
	analysed_has(r.text, "lower bounds");
}

Test(analysis_nvidia, no_times)
{
	describe();
	analysed_no_times(&r);
	analysed_begin(&r, NULL);
	ioctl(1, 10, CONTROL, 0x20800102, 1, 0);
	analysed_end(&r, 2, "nvidia");
	analysed_has(r.section, "\"calls\":1,\"total_calls\":null,\"errors\":0,\"time_ns\":null}");
}

static void total(uint64_t ts, uint32_t tgid, uint32_t cmd, uint32_t sub, uint64_t n, bool other)
{
	named_emit(&r.n, "xtr:total", ts, 0, 0);
	named_set(&r.n, "event", named_string(&r.n, IOCTL));
	named_set(&r.n, "tgid", tgid);
	named_set(&r.n, "key", cmd);
	named_set(&r.n, "subkey", sub);
	named_set(&r.n, "count", n);
	named_set(&r.n, "other", other);
	analysed_give(&r);
}

/* Of a sample, what was recorded and what the recorder counted. The last count holds. */
Test(analysis_nvidia, sampled_ioctls)
{
	describe();
	cr_assert(!xtr_meta_set_config_u64(r.n.meta, "sample:" IOCTL, 10000));
	analysed_begin(&r, NULL);
	ioctl(1000, 10, CONTROL, 0x20800102, 50, -22);
	total(2000, 10, CONTROL, 0x20800102, 90, false);
	total(3000, 10, CONTROL, 0x20800102, 123, false);
	total(3000, 20, 0xc0104629, 0, 7, false);
	total(3000, 0, 0, 0, 11, true);
	analysed_end(&r, 10000, "nvidia");
	analysed_has(r.section, "\"sample\":{\"ioctl_ppm\":10000,\"uvm_ioctl_ppm\":1000000,"
				"\"totals\":true,\"exact\":true,\"others\":11},");
	analysed_has(r.section, "\"second_name\":\"GPU_GET_INFO_V2\",\"calls\":1,"
				"\"total_calls\":123,\"errors\":1,");
	analysed_has(r.section, "{\"pid\":20,\"process\":\"child\",");
	analysed_has(r.section, "\"name\":\"RM_FREE\",\"second\":null,\"second_name\":null,"
				"\"calls\":0,\"total_calls\":7,");
	analysed_has(r.section, "\"ioctls_total\":123,\"uvm_ioctls_total\":null}");
	analysed_has(r.text, "1.0 % of the ioctls were recorded");
	analysed_has(r.text, "Calls are exact");
}

/* A few events of a sample stand for many calls, but are too few to tell of a storm. */
Test(analysis_nvidia, a_storm_in_a_sample)
{
	for (uint64_t n = 50; n <= 150; n += 100) {
		describe();
		cr_assert(!xtr_meta_set_config_u64(r.n.meta, "sample:" IOCTL, 5000));
		analysed_begin(&r, NULL);
		for (uint64_t i = 0; i < n; i++)
			ioctl(1000000 + i * 500000, 10, CONTROL, 0x20800403, 100, 0);
		analysed_end(&r, 1000000000, "nvidia");
		if (n == 50)
			cr_expect_str_eq(r.findings, "[]");
		else
			analysed_has(r.findings, "\"id\":\"ioctl-storm\"");
		analysed_free(&r);
		setup();
	}
}

/* What is before the window tells what is open in it. */
Test(analysis_nvidia, a_window)
{
	struct xtr_select select = { .from = 1000 };

	describe();
	analysed_begin(&r, &select);
	file_call(OPEN, 100, 10, 0xa0, 0);
	vma(MMAP, 200, 10, 0x1000, 0x2000, 0);
	file_call(OPEN, 1100, 10, 0xb0, 0);
	file_call(CLOSE, 1200, 10, 0xb0, 0);
	analysed_end(&r, 1000, "nvidia");
	analysed_has(r.section, "\"opens\":1,\"open_errors\":0,\"closes\":1,\"closes_elsewhere\":0,"
				"\"closes_earlier\":0,\"still_open\":1,\"mmaps\":0,");
	analysed_has(r.section, "\"mapped_bytes\":4096,");
}

static uint64_t noise(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* Any values, in records of any length: each is taken or left, and nothing is read past its end. */
Test(analysis_nvidia, any_bytes)
{
	static const char *const names[] = {
		OPEN, CLOSE, IOCTL,  MMAP, COPY, RELEASE,           ISR,
		MSIX, BH,    MSIXBH, UVM,  XID,  F "nvidia_suspend"
	};
	static const char *const values[] = { "file",   "cmd",    "arg_cmd", "vm_start",
					      "vm_end", "device", "context", "error_code" };
	const size_t n_names = sizeof(names) / sizeof(*names);
	char event[128];

	describe();
	named_describe(&r.n, XID, "dev:str:16 error_code:u32:4 p:u32:4 msg:str:64");
	analysed_begin(&r, NULL);
	for (uint64_t i = 0; i < 30000; i++) {
		const char *name = names[noise() % n_names];
		bool ret = noise() % 2 && strcmp(name, COPY) && strcmp(name, RELEASE) &&
			   strcmp(name, XID);
		const struct xtr_event_desc *d;

		snprintf(event, sizeof(event), "%s%s", name, ret ? ":ret" : "");
		d = xtr_meta_event_by_name(r.n.meta, event);
		named_emit(&r.n, event, i * 1000, (uint32_t)(noise() % 40), noise() % 4);
		for (uint64_t k = 0; k < sizeof(values) / sizeof(*values); k++)
			if (xtr_event_field(d, values[k]))
				named_set(&r.n, values[k], noise() >> noise() % 64);
		if (ret)
			named_set(&r.n, "ret", noise() % 3 ? 0 : noise());
		if (noise() % 8 == 0)
			named_cut(&r.n, (uint32_t)(16 + noise() % (d->size - 15)));
		analysed_give(&r);
		if (noise() % 1000 == 0)
			analysed_gap(&r, i * 1000, i * 1000 + 1);
	}
	analysed_end(&r, 30000000, "nvidia");
	analysed_has(r.section, "\"lower_bounds\":true,");
}
