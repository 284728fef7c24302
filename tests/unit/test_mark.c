/* SPDX-License-Identifier: BSD-2-Clause */
/* What single events say: counters, vblanks, or that something happened. */
#include "named.h"
#include "trace.h"
#include "replay/calls/mark.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct named n;
static struct xtr_marks *marks;
static struct xtr_mark all[XTR_MARKS_MAX], m; /* m: the first */

static void setup(void)
{
	named_init(&n);
	named_describe(&n, "gpu_mem:gpu_mem_total", "gpu_id:u32:4 pid:u32:4 size:u64:8");
	named_describe(&n, "power:gpu_frequency", "state:u32:4 gpu_id:u32:4");
	named_describe(&n, "power:cpu_frequency", "cpu_id:u32:4"); /* without its value */
	named_describe(&n, "drm:drm_vblank_event",
		       "crtc:s32:4 seq:u32:4 time:u64:8 high_prec:u8:1");
	named_describe(&n, "drm:drm_vblank_event_delivered", "file:hex64:8 crtc:s32:4 seq:u32:4");
	named_describe(&n, "i915:i915_request_add", "seqno:u32:4");
	named_describe(&n, "nosystem", "");
	named_task(&n, 7, 5, "game");
	cr_assert(!xtr_marks_new(&marks, n.meta, n.tables));
}

static void teardown(void)
{
	xtr_marks_free(marks);
	named_free(&n);
}

TestSuite(mark, .init = setup, .fini = teardown);

static int mark(struct xtr_marks *of)
{
	int ret = xtr_marks_event(of, &n.ev, all);

	m = all[0];
	return ret;
}

static void expect(enum xtr_mark_kind kind, const char *track, const char *name)
{
	cr_assert_eq(mark(marks), 1, "%s", name);
	cr_expect_eq(m.kind, kind, "%s", name);
	cr_expect_str_eq(m.name, name);
	cr_expect_eq(m.track == NULL, track == NULL, "%s", name);
	if (track)
		cr_expect_str_eq(m.track, track);
	cr_expect_eq(m.ev, &n.ev);
	cr_expect_eq(m.ts, n.ev.ts);
	cr_expect_eq(m.stream, n.ev.stream);
}

Test(mark, counters_have_a_track_for_each_key)
{
	named_emit(&n, "gpu_mem:gpu_mem_total", 10, 7, 3);
	named_set(&n, "gpu_id", 1);
	named_set(&n, "pid", 5);
	named_set(&n, "size", 0xffffffffffffffff);
	expect(XTR_MARK_COUNTER, "GPU memory gpu_id 1 pid 5", "gpu_mem_total");
	cr_expect_eq(m.value, UINT64_MAX);
	cr_expect_str_eq(m.unit, "bytes");
	cr_expect(m.tid == 7 && m.pid == 5 && m.comm == named_string(&n, "game"));
	named_emit(&n, "power:gpu_frequency", 11, 0, 0);
	named_set(&n, "state", 1200000);
	expect(XTR_MARK_COUNTER, "GPU frequency 0", "gpu_frequency");
	cr_expect_eq(m.value, 1200000);
	cr_expect_str_eq(m.unit, "kHz");
	cr_expect(m.pid == 0 && m.comm == 0);
}

Test(mark, a_counter_without_its_value_only_happened)
{
	named_emit(&n, "power:cpu_frequency", 10, 7, 3);
	expect(XTR_MARK_EVENT, NULL, "cpu_frequency");
}

Test(mark, vblanks)
{
	named_emit(&n, "drm:drm_vblank_event", 20, 0, 1);
	named_set(&n, "crtc", 2);
	named_set(&n, "seq", 77);
	named_set(&n, "time", 19);
	expect(XTR_MARK_VBLANK, "CRTC 2", "drm_vblank_event");
	cr_expect(m.time_ns == 19 && m.seq == 77 && !m.unit);
	named_emit(&n, "drm:drm_vblank_event_delivered", 21, 0, 1);
	named_set(&n, "seq", 78);
	expect(XTR_MARK_VBLANK, "CRTC 0", "drm_vblank_event_delivered");
	cr_expect(m.time_ns == 0 && m.seq == 78);
}

Test(mark, any_other_event_happened)
{
	named_emit(&n, "i915:i915_request_add", 30, 99, 2);
	expect(XTR_MARK_EVENT, NULL, "i915_request_add");
	cr_expect(m.tid == 99 && m.pid == 0);
	named_emit(&n, "nosystem", 31, 7, 2);
	expect(XTR_MARK_EVENT, NULL, "nosystem");
}

Test(mark, built_in_events_and_gaps_are_none)
{
	for (size_t i = 0; i < xtr_builtin_event_count; i++) {
		named_emit(&n, xtr_builtin_events[i].name, 1 + i, 7, 0);
		cr_expect_eq(mark(marks), 0, "%s", n.ev.desc->name);
	}
	named_gap(&n, 20, 30);
	cr_expect_eq(mark(marks), 0);
	named_emit(&n, "nosystem", 40, 7, 0);
	n.ev.type = 60000;
	cr_expect_eq(mark(marks), 0);
}

/* Whatever the record is cut to, nothing past its end is read and the track is a text. */
Test(mark, short_records)
{
	for (uint32_t size = 16; size <= 32; size++) {
		named_emit(&n, "gpu_mem:gpu_mem_total", 10, 7, 3);
		memset(n.rec + 16, 0xff, 16);
		named_cut(&n, size);
		cr_assert_eq(mark(marks), 1);
		cr_expect_eq(m.value, size == 32 ? UINT64_MAX : 0, "%u", size);
		cr_expect_eq(strncmp(m.track, "GPU memory", 10), 0);
	}
	cr_expect_str_eq(m.track, "GPU memory gpu_id 4294967295 pid 4294967295");
}

/* Keys wider than any real one: the longest track there can be. */
Test(mark, long_tracks)
{
	struct xtr_marks *wide;
	struct named other;

	named_init(&other);
	named_describe(&other, "gpu_mem:gpu_mem_total", "gpu_id:s64:8 pid:u64:8 size:u8:1");
	cr_assert(!xtr_marks_new(&wide, other.meta, NULL));
	named_emit(&other, "gpu_mem:gpu_mem_total", 1, 7, 0);
	memset(other.rec + 16, 0xff, 17);
	cr_assert_eq(xtr_marks_event(wide, &other.ev, all), 1);
	m = all[0];
	cr_expect_str_eq(m.track,
			 "GPU memory gpu_id 18446744073709551615 pid 18446744073709551615");
	cr_expect(m.value == 255 && m.pid == 0);
	xtr_marks_free(wide);
	named_free(&other);
}

/* --- counters that are kept ------------------------------------------------------------------- */

static struct xtr_marks *kept;

/* New marks of the events described since. */
static void keep(void)
{
	xtr_marks_free(kept);
	cr_assert(!xtr_marks_new(&kept, n.meta, n.tables));
}

/* The event also happened on its thread; `changes`: its counter comes first. */
static void expect_counter(bool changes, const char *track, uint64_t value)
{
	cr_assert_eq(xtr_marks_event(kept, &n.ev, all), changes ? 2 : 1, "%s", track);
	cr_expect_eq(all[changes].kind, XTR_MARK_EVENT);
	cr_expect_null(all[changes].track);
	if (!changes)
		return;
	cr_expect_eq(all[0].kind, XTR_MARK_COUNTER);
	cr_expect_str_eq(all[0].track, track);
	cr_expect_eq(all[0].value, value, "%s: %llu", track, (unsigned long long)all[0].value);
}

static void create(uint64_t obj, uint64_t size, uint64_t held)
{
	named_emit(&n, "i915:i915_gem_object_create", 1, 7, 0);
	named_set(&n, "obj", obj);
	named_set(&n, "size", size);
	expect_counter(true, "i915 objects held", held);
	cr_expect_str_eq(all[0].unit, "bytes");
}

static void destroy(uint64_t obj, bool known, uint64_t held)
{
	named_emit(&n, "i915:i915_gem_object_destroy", 1, 7, 0);
	named_set(&n, "obj", obj);
	expect_counter(known, "i915 objects held", held);
}

Test(mark, objects_are_held_until_they_are_destroyed)
{
	named_describe(&n, "i915:i915_gem_object_create", "obj:hex64:8 size:u64:8");
	named_describe(&n, "i915:i915_gem_object_destroy", "obj:hex64:8");
	keep();
	destroy(0xa0, false, 0);
	create(0xa0, 4096, 4096);
	create(0xb0, 100, 4196);
	create(0xa0, 50, 150); /* its end was not seen */
	destroy(0xc0, false, 0);
	destroy(0xa0, true, 100);
	destroy(0xa0, false, 0);
	create(0xa0, UINT64_MAX, UINT64_MAX); /* does not wrap */
	destroy(0xb0, true, UINT64_MAX - 100);
	destroy(0xa0, true, 0);
	for (uint64_t i = 1; i <= 1000; i++)
		create(i * 64, 1, i);
	for (uint64_t i = 1; i <= 1000; i++)
		destroy(i * 64, true, 1000 - i);
	xtr_marks_free(kept);
}

static void command(const char *name, uint64_t vq, uint64_t seqno, bool changes, uint64_t in_flight)
{
	char track[64];

	named_emit(&n, name, 1, 7, 0);
	named_set(&n, "vq", vq);
	if (xtr_event_field(n.ev.desc, "seqno"))
		named_set(&n, "seqno", seqno);
	snprintf(track, sizeof(track), "virtio_gpu in flight dev 0 vq %u", (unsigned int)vq);
	expect_counter(changes, track, in_flight);
}

#define QUEUE    "virtio_gpu:virtio_gpu_cmd_queue"
#define RESPONSE "virtio_gpu:virtio_gpu_cmd_response"

Test(mark, queues_are_counted_apart)
{
	named_describe(&n, QUEUE, "dev:s32:4 vq:u32:4 seqno:u32:4");
	named_describe(&n, RESPONSE, "dev:s32:4 vq:u32:4 seqno:u32:4");
	keep();
	command(RESPONSE, 3, 1, false, 0);
	command(QUEUE, 3, 1, true, 1);
	command(QUEUE, 4, 1, true, 1);
	command(QUEUE, 3, 2, true, 2);
	command(RESPONSE, 3, 1, true, 1);
	command(RESPONSE, 4, 1, true, 0);
	command(RESPONSE, 3, 1, false, 0);
	command(RESPONSE, 3, 2, true, 0);
	command(RESPONSE, 3, 0, false, 0); /* 0 is a number like any other */
	command(QUEUE, 3, 0, true, 1);
	command(RESPONSE, 3, 0, true, 0);
	xtr_marks_free(kept);
}

/* Kernels that do not number commands: only their count is known. */
Test(mark, commands_without_a_number)
{
	named_describe(&n, QUEUE, "dev:s32:4 vq:u32:4");
	named_describe(&n, RESPONSE, "dev:s32:4 vq:u32:4");
	keep();
	command(RESPONSE, 3, 0, true, 0);
	command(QUEUE, 3, 0, true, 1);
	command(QUEUE, 3, 0, true, 2);
	command(RESPONSE, 3, 0, true, 1);
	xtr_marks_free(kept);
}

static void move(uint64_t to, uint64_t bytes, const char *track, uint64_t sum)
{
	named_emit(&n, "amdgpu:amdgpu_bo_move", 1, 7, 0);
	named_set(&n, "new_placement", to);
	named_set(&n, "bo_size", bytes);
	expect_counter(true, track, sum);
}

Test(mark, moved_bytes_by_placement)
{
	named_describe(&n, "amdgpu:amdgpu_bo_move", "bo_size:u64:8 new_placement:u32:4");
	keep();
	move(2, 4096, "amdgpu moved to VRAM", 4096);
	move(1, 10, "amdgpu moved to GTT", 10);
	move(2, 4096, "amdgpu moved to VRAM", 8192);
	move(0, 1, "amdgpu moved to system", 1);
	move(3, 5, "amdgpu moved to GDS", 5);
	move(8, 7, "amdgpu moved to MMIO remap", 7);
	move(9, 8, "amdgpu moved to 9", 8);
	move(0xffffffff, 6, "amdgpu moved to none", 6);
	move(0xfffffffe, 6, "amdgpu moved to 4294967294", 6);
	xtr_marks_free(kept);
}

/* A vblank is on its CRTC's track, and its distance from the one before is a counter. */
static void vblank(uint64_t crtc, uint64_t seq, uint64_t time, uint64_t period)
{
	int all_marks;

	named_emit(&n, "drm:drm_vblank_event", 9000000000, 7, 0);
	named_set(&n, "crtc", crtc);
	named_set(&n, "seq", seq);
	named_set(&n, "time", time);
	all_marks = xtr_marks_event(kept, &n.ev, all);
	cr_assert_eq(all_marks, period ? 2 : 1, "%d of sequence %d", all_marks, (int)seq);
	cr_expect_eq(all[all_marks - 1].kind, XTR_MARK_VBLANK);
	if (!period)
		return;
	cr_expect_eq(all[0].kind, XTR_MARK_COUNTER);
	cr_expect_str_eq(all[0].track, crtc ? "refresh of CRTC 1" : "refresh of CRTC 0");
	cr_expect_str_eq(all[0].unit, "ns");
	cr_expect_eq(all[0].value, period);
}

Test(mark, refresh_is_the_time_between_vblanks)
{
	keep();
	vblank(0, 10, 1000, 0);
	vblank(1, 10, 1500, 0);
	vblank(0, 11, 17668, 16668);
	vblank(0, 11, 17668, 0);
	vblank(1, 11, 2000, 500);
	vblank(0, 14, 80000, 0); /* the interrupt was off */
	vblank(0, 15, 96667, 16667);
	vblank(0, 16, 96000, 0); /* back in time */
	vblank(0, 17, 2000000000, 0);
	vblank(0, 18, 0, 0); /* no time */
	xtr_marks_free(kept);
}

Test(mark, devices_and_pipes)
{
	named_describe(&n, "nvidia:nvidia_dev_xid", "dev:strid:4 error_code:u32:4");
	named_describe(&n, "xe:xe_exec_queue_reset", "dev:strid:4");
	named_describe(&n, "xe:intel_crtc_flip_done", "dev:strid:4 pipe_name:u8:1");
	named_describe(&n, "i915:intel_pipe_update_end", "pipe:s32:4");
	named_describe(&n, "nvswitch:nvswitch_dev_sxid", "dev:strid:4");
	xtr_marks_free(marks);
	cr_assert(!xtr_marks_new(&marks, n.meta, n.tables));
	named_emit(&n, "nvidia:nvidia_dev_xid", 5, 0, 1);
	named_set(&n, "dev", named_string(&n, "0000:01:00.0"));
	named_set(&n, "error_code", 79);
	expect(XTR_MARK_DEVICE, "0000:01:00.0", "Xid 79");
	named_emit(&n, "xe:xe_exec_queue_reset", 5, 0, 1);
	named_set(&n, "dev", named_string(&n, "a\nb\x80"));
	expect(XTR_MARK_DEVICE, "a?b?", "xe_exec_queue_reset");
	named_set(&n, "dev", 12345);
	expect(XTR_MARK_DEVICE, "12345", "xe_exec_queue_reset");
	named_cut(&n, 16);
	expect(XTR_MARK_DEVICE, "device not known", "xe_exec_queue_reset");
	named_emit(&n, "xe:intel_crtc_flip_done", 5, 0, 1);
	named_set(&n, "dev", named_string(&n, "0000:00:02.0"));
	named_set(&n, "pipe_name", 'B');
	expect(XTR_MARK_VBLANK, "pipe B of 0000:00:02.0", "intel_crtc_flip_done");
	named_emit(&n, "i915:intel_pipe_update_end", 5, 0, 1);
	named_set(&n, "pipe", 1);
	expect(XTR_MARK_VBLANK, "pipe 1", "intel_pipe_update_end");
	named_emit(&n, "nvswitch:nvswitch_dev_sxid", 5, 7, 1);
	expect(XTR_MARK_EVENT, NULL, "nvswitch_dev_sxid"); /* no number */
}

/* Every bound is kept, and what is beyond is only not counted. */
Test(mark, bounded_counters)
{
	named_describe(&n, "amdgpu:amdgpu_bo_move", "bo_size:u64:8 new_placement:u32:4");
	keep();
	for (uint32_t i = 0; i < 5000; i++) {
		named_emit(&n, "amdgpu:amdgpu_bo_move", 1, 7, 0);
		named_set(&n, "new_placement", i);
		named_set(&n, "bo_size", 1);
		cr_assert_eq(xtr_marks_event(kept, &n.ev, all), i < 4096 ? 2 : 1);
	}
	move(4095, 1, "amdgpu moved to 4095", 2);
	xtr_marks_free(kept);
}
