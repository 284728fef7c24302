/* SPDX-License-Identifier: BSD-2-Clause */
/* What single events say: counters, vblanks, or that something happened. */
#include "named.h"
#include "trace.h"
#include "replay/mark.h"

#include <criterion/criterion.h>
#include <string.h>

static struct named n;
static struct xtr_marks *marks;
static struct xtr_mark m;

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

static void expect(enum xtr_mark_kind kind, const char *track, const char *name)
{
	cr_assert_eq(xtr_marks_event(marks, &n.ev, &m), 1, "%s", name);
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
	size_t i;

	for (i = 0; i < xtr_builtin_event_count; i++) {
		named_emit(&n, xtr_builtin_events[i].name, 1 + i, 7, 0);
		cr_expect_eq(xtr_marks_event(marks, &n.ev, &m), 0, "%s", n.ev.desc->name);
	}
	cr_expect_eq(xtr_marks_event(marks, named_gap(&n, 20, 30), &m), 0);
	named_emit(&n, "nosystem", 40, 7, 0);
	n.ev.type = 60000;
	cr_expect_eq(xtr_marks_event(marks, &n.ev, &m), 0);
}

/* Whatever the record is cut to, nothing past its end is read and the track is a text. */
Test(mark, short_records)
{
	uint32_t size;

	for (size = 16; size <= 32; size++) {
		named_emit(&n, "gpu_mem:gpu_mem_total", 10, 7, 3);
		memset(n.rec + 16, 0xff, 16);
		named_cut(&n, size);
		cr_assert_eq(xtr_marks_event(marks, &n.ev, &m), 1);
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
	cr_assert_eq(xtr_marks_event(wide, &other.ev, &m), 1);
	cr_expect_str_eq(m.track,
			 "GPU memory gpu_id 18446744073709551615 pid 18446744073709551615");
	cr_expect(m.value == 255 && m.pid == 0);
	xtr_marks_free(wide);
	named_free(&other);
}
