/* SPDX-License-Identifier: BSD-2-Clause */
/* Vblanks, their clocks, what was skipped, requests and answers; pipes of drivers. */
#include "analysed.h"

#include <criterion/criterion.h>
#include <string.h>

#define VBLANK    "drm:drm_vblank_event"
#define QUEUED    "drm:drm_vblank_event_queued"
#define DELIVERED "drm:drm_vblank_event_delivered"
#define MS        1000000ull
#define T0        (1000 * MS)
#define FRAME     (10 * MS)
#define IRQ       20000ull /* from a vblank to its event */
#define FILE_A    0xffff0001ull

static struct analysed r;

static void setup(void)
{
	analysed_init(&r);
	named_describe(&r.n, VBLANK, "crtc:s32:4 seq:u32:4 time:s64:8 high_prec:u8:1 pad:bytes:7");
	named_describe(&r.n, QUEUED, "file:hex64:8 crtc:s32:4 seq:u32:4");
	named_describe(&r.n, DELIVERED, "file:hex64:8 crtc:s32:4 seq:u32:4");
}

static void teardown(void)
{
	analysed_free(&r);
}

TestSuite(analysis_display, .init = setup, .fini = teardown);

static void vblank_late(int32_t crtc, uint32_t seq, uint64_t time, uint64_t irq)
{
	named_emit(&r.n, VBLANK, time + irq, 0, 0);
	named_set(&r.n, "crtc", (uint64_t)(int64_t)crtc);
	named_set(&r.n, "seq", seq);
	named_set(&r.n, "time", time);
	named_set(&r.n, "high_prec", 1);
	analysed_give(&r);
}

static void vblank(int32_t crtc, uint32_t seq, uint64_t time)
{
	vblank_late(crtc, seq, time, IRQ);
}

static void file_event(const char *name, uint64_t file, int32_t crtc, uint32_t seq, uint64_t ts)
{
	named_emit(&r.n, name, ts, 7, 0);
	named_set(&r.n, "file", file);
	named_set(&r.n, "crtc", (uint64_t)(int64_t)crtc);
	named_set(&r.n, "seq", seq);
	analysed_give(&r);
}

static void queued(uint32_t seq, uint64_t ts)
{
	file_event(QUEUED, FILE_A, 0, seq, ts);
}

static void delivered(uint64_t file, uint32_t seq, uint64_t ts)
{
	file_event(DELIVERED, file, 0, seq, ts);
}

/* Time of vblank i. */
static uint64_t at(uint32_t i)
{
	return T0 + i * FRAME;
}

Test(analysis_display, interval_jitter_and_latency)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 100; i++)
		vblank(0, 50 + i, at(i) + (i == 40 ? 1000 : 0));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"crtc\":0,\"several_devices\":false,");
	analysed_has(r.section, "\"events\":100,\"high_precision\":100,\"sequences\":99,");
	analysed_has(r.section, "\"refresh_ns\":10000000,");
	analysed_has(r.section, "\"interval_ns\":{\"n\":99,\"sum\":990000000,\"mean\":10000000,"
				"\"min\":9999000,");
	/* Two intervals are off by 1000 ns. */
	analysed_has(r.section, "\"jitter_ns\":{\"n\":99,\"sum\":2000,\"mean\":20,\"min\":0,"
				"\"p50\":0,\"p90\":0,\"p99\":1000,\"max\":1000}");
	analysed_has(r.section, "\"irq_latency_ns\":{\"n\":100,\"sum\":2000000,");
	analysed_has(r.section, "\"missed_stretches\":0,\"missed\":0,\"off_or_missed_stretches\":0,"
				"\"off_or_missed\":0,\"idle_stretches\":0,\"idle\":0,");
	analysed_has(r.text, "100.00");
	cr_expect_str_eq(r.findings, "[]");
}

/* The time of a vblank may be that of the end of its blanking, after its interrupt. */
Test(analysis_display, event_before_its_time)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	vblank_late(0, 2, at(2), (uint64_t)-300);
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"irq_latency_ns\":{\"n\":2,\"sum\":20000,");
	analysed_has(r.section, "\"irq_early\":1,\"irq_early_max_ns\":300,");
}

/* What is skipped while nobody is known to wait is off or missed; for long, idle. */
Test(analysis_display, off_is_not_missed)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	vblank(0, 3, at(3));
	vblank(0, 4, at(4));
	vblank(0, 34, at(34));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"missed_stretches\":0,\"missed\":0,\"off_or_missed_stretches\":1,"
				"\"off_or_missed\":1,\"idle_stretches\":1,\"idle\":29,"
				"\"lost_stretches\":0,\"lost\":0,");
	analysed_has(r.section, "\"sequences\":33,");
	cr_expect_str_eq(r.findings, "[]");
}

Test(analysis_display, missed_while_a_request_waits)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	queued(2, at(1) + 4 * MS);
	/* 2 and 3 are not seen. */
	delivered(FILE_A, 4, at(4) + 10000);
	vblank(0, 4, at(4));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section,
		     "\"missed_stretches\":1,\"missed\":2,\"off_or_missed_stretches\":0,");
	analysed_has(r.section, "\"requested\":1,\"frames_late\":1,\"lateness_frames\":{\"n\":1,"
				"\"sum\":2,");
	analysed_has(r.findings,
		     "{\"id\":\"missed-vblanks\",\"notable\":true,\"at_ns\":1040020000,");
	analysed_has(r.findings, "\"missed\":2,\"stretches\":1,\"events\":2,"
				 "\"refresh_ns\":0,\"limit_permille\":1}");
}

/* The request came when 2 had passed already, and wants 4: only 3 was missed. */
Test(analysis_display, missed_since_the_request)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	queued(4, at(2) + 5 * MS);
	delivered(FILE_A, 4, at(4) + 10000);
	vblank(0, 4, at(4));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"missed_stretches\":1,\"missed\":1,\"off_or_missed_stretches\":1,"
				"\"off_or_missed\":1,");
	analysed_has(r.section, "\"requested\":1,\"frames_late\":0,");
}

/* Requests that wait no more, as events were lost, do not make vblanks missed. */
Test(analysis_display, lost_events_are_not_missed)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	queued(2, at(1) + MS);
	analysed_gap(&r, at(2), at(3));
	vblank(0, 4, at(4));
	vblank(0, 6, at(6));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"missed_stretches\":0,\"missed\":0,\"off_or_missed_stretches\":1,"
				"\"off_or_missed\":1,\"idle_stretches\":0,\"idle\":0,"
				"\"lost_stretches\":1,\"lost\":2,");
	analysed_has(r.section, "\"requests_forgotten\":1,");
	cr_expect_str_eq(r.findings, "[]");
}

/* The answer goes out before the event of its vblank. */
Test(analysis_display, delivery_is_measured_from_the_vblank)
{
	analysed_begin(&r, NULL);
	queued(1, T0);
	delivered(FILE_A, 1, at(1) + 5000);
	vblank(0, 1, at(1));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section,
		     "\"queued\":1,\"delivered\":1,\"requested\":1,\"at_once\":0,\"flips\":0,"
		     "\"kernel\":0,\"no_vblank\":0,\"untimed\":0,\"unanswered\":0,");
	analysed_has(r.section, "\"delivery_ns\":{\"n\":1,\"sum\":5000,");
	analysed_has(r.section, "\"delivered_over_1ms\":0,\"requested\":1,\"frames_late\":0,");
}

Test(analysis_display, late_delivery_is_a_finding)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 1; i <= 20; i++) {
		uint64_t late = i == 7 ? 2 * MS : 5000;

		queued(i, at(i) - 5 * MS);
		delivered(FILE_A, i, at(i) + late);
		vblank_late(0, i, at(i), late + 1000);
	}
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"delivered_over_1ms\":1,\"requested\":20,\"frames_late\":0,");
	analysed_has(r.findings,
		     "{\"id\":\"late-delivery\",\"notable\":true,\"at_ns\":1072000000,"
		     "\"text\":\"CRTC 0: 1 of 20 vblank events were delivered late, the "
		     "slowest after 2.00 ms\",\"events_ns\":[1072000000],");
	analysed_has(r.findings, "\"limit_ns\":1000000,\"limit_permille\":10}");
	analysed_has_not(r.findings, "missed-vblanks");
}

/* Asked for what had passed: answered in the call itself. A flip may also come after its vblank. */
Test(analysis_display, after_the_event_of_the_vblank)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	queued(1, at(1) + 3 * MS);
	delivered(FILE_A, 1, at(1) + 3 * MS + 100);
	delivered(FILE_A, 1, at(1) + 4 * MS);
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"delivered\":2,\"requested\":1,\"at_once\":1,\"flips\":1,");
	analysed_has(r.section, "\"delivery_ns\":{\"n\":1,\"sum\":4000000,");
}

Test(analysis_display, kinds_of_delivery)
{
	analysed_begin(&r, NULL);
	delivered(FILE_A, 0, at(0));        /* no vblanks on this driver */
	delivered(0, 1, at(1) + 1000);      /* the kernel's own */
	delivered(FILE_A, 1, at(1) + 2000); /* a flip */
	vblank(0, 1, at(1));
	delivered(FILE_A, 9, at(2)); /* its vblank does not come */
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section,
		     "\"delivered\":4,\"requested\":0,\"at_once\":0,\"flips\":2,\"kernel\":1,"
		     "\"no_vblank\":1,\"untimed\":1,");
	analysed_has(r.section, "\"delivery_ns\":{\"n\":2,\"sum\":3000,");
}

/* The sequence number is 32 bits of a longer counter. */
Test(analysis_display, sequence_wraps)
{
	analysed_begin(&r, NULL);
	vblank(0, UINT32_MAX, at(0));
	queued(0, at(0) + MS);
	delivered(FILE_A, 0, at(1) + 7000);
	vblank(0, 0, at(1));
	queued(1, at(1) + MS);
	delivered(FILE_A, 1, at(2) + 7000);
	vblank(0, 1, at(2));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"clock_switches\":0,");
	analysed_has(r.section, "\"sequences\":2,\"duplicates\":0,");
	analysed_has(r.section, "\"no_vblank\":0,");
	analysed_has(r.section, "\"requested\":2,\"frames_late\":0,\"lateness_frames\":{\"n\":2,"
				"\"sum\":0,");
	cr_expect_str_eq(r.findings, "[]");
}

/* Two devices number their CRTCs from 0. */
Test(analysis_display, two_devices_on_one_index)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 20; i++) {
		vblank(0, 100 + i, at(i));
		vblank(0, 900000 + i, T0 + i * FRAME + 4 * MS);
	}
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"crtc\":0,\"several_devices\":true,\"clock_switches\":38,");
	analysed_has(r.section, "\"clock\":0,\"first_ns\":1000020000,\"events\":20,");
	analysed_has(r.section, "\"clock\":1,\"first_ns\":1004020000,\"events\":20,");
	analysed_has(r.section, "\"interval_ns\":{\"n\":19,\"sum\":190000000,\"mean\":10000000,"
				"\"min\":10000000,");
	analysed_has(r.findings, "{\"id\":\"shared-crtc-index\",\"notable\":false,");
	analysed_has(r.text, "several devices");
}

/* Equal numbers on both: only the times tell. */
Test(analysis_display, two_devices_with_near_counters)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 40; i++) {
		vblank(0, 1 + i, at(i));
		vblank(0, 1 + i, T0 + i * FRAME + 4 * MS);
	}
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"several_devices\":true,");
	analysed_has(r.section, "\"clock\":0,\"first_ns\":1000020000,\"events\":40,");
	analysed_has(r.section, "\"clock\":1,\"first_ns\":1004020000,\"events\":40,");
}

/* A modeset may restart the counter: one clock after the other is one device. */
Test(analysis_display, counter_that_restarts)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 10; i++)
		vblank(0, 5000 + i, at(i));
	for (uint32_t i = 10; i < 20; i++)
		vblank(0, i - 9, at(i));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"several_devices\":false,\"clock_switches\":0,");
	analysed_has(r.section, "\"clock\":1,");
	cr_expect_str_eq(r.findings, "[]");
}

/* A request that gets no answer was of a file that was closed; it does not wait for ever. */
Test(analysis_display, request_of_a_closed_file)
{
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	queued(2, at(1) + MS);
	vblank(0, 2, at(2));
	vblank(0, 4, at(4));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"unanswered\":1,");
	analysed_has(r.section, "\"missed\":0,\"off_or_missed_stretches\":1,");
}

/* Of another clock than the vblanks' only their own times are known. */
Test(analysis_display, other_clock)
{
	uint8_t boot[16] = { 0 };

	cr_assert(!xtr_meta_set_clock(r.n.meta, "local", boot, 1));
	analysed_begin(&r, NULL);
	vblank(0, 1, at(1));
	delivered(FILE_A, 2, at(2) + 50);
	vblank(0, 2, at(2));
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "{\"comparable\":false,");
	analysed_has(r.section, "\"interval_ns\":{\"n\":1,\"sum\":10000000,");
	analysed_has(r.section, "\"irq_latency_ns\":{\"n\":0,");
	analysed_has(r.section, "\"delivery_ns\":{\"n\":0,");
	analysed_has(r.text, "another clock");
}

#define START "i915:intel_pipe_update_start"
#define EVADE "i915:intel_pipe_update_vblank_evaded"
#define END   "i915:intel_pipe_update_end"

static void pipe_event(const char *name, const char *dev, char pipe, uint32_t frame, uint64_t ts)
{
	named_emit(&r.n, name, ts, 7, 0);
	named_text(&r.n, "dev", dev, strlen(dev));
	named_text(&r.n, "pipe_name", &pipe, 1);
	named_set(&r.n, "frame", frame);
	analysed_give(&r);
}

Test(analysis_display, updates_of_two_intel_devices)
{
	static const char fields[] = "dev:str:16 pipe_name:str:1 pad:bytes:3 frame:u32:4";

	named_describe(&r.n, START, fields);
	named_describe(&r.n, EVADE, fields);
	named_describe(&r.n, END, fields);
	named_describe(&r.n, "xe:intel_crtc_flip_done", fields);
	analysed_begin(&r, NULL);
	pipe_event(START, "0000:00:02.0", 'A', 10, T0);
	pipe_event(EVADE, "0000:00:02.0", 'A', 11, T0 + 3000);
	pipe_event(END, "0000:00:02.0", 'A', 11, T0 + 9000);
	pipe_event(START, "0000:03:00.0", 'A', 50, T0 + 20000);
	pipe_event(EVADE, "0000:03:00.0", 'A', 50, T0 + 20000);
	pipe_event(END, "0000:03:00.0", 'A', 51, T0 + 21000);
	pipe_event("xe:intel_crtc_flip_done", "0000:03:00.0", 'A', 52, T0 + 30000);
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section,
		     "{\"device\":\"0000:00:02.0\",\"pipe\":\"A\",\"flips\":0,\"updates\":1,"
		     "\"updates_open\":0,\"crossed\":0,\"update_ns\":{\"n\":1,\"sum\":9000,");
	analysed_has(r.section, "\"evade_ns\":{\"n\":1,\"sum\":3000,");
	analysed_has(r.section,
		     "{\"device\":\"0000:03:00.0\",\"pipe\":\"A\",\"flips\":1,\"updates\":1,"
		     "\"updates_open\":0,\"crossed\":1,");
	analysed_has(r.findings,
		     "\"id\":\"missed-evasion\",\"notable\":true,\"at_ns\":1000021000,");
	analysed_has(r.findings, "0000:03:00.0 pipe A: 1 of 1 updates ran into the next frame");
}

/* Before Linux 6.12 there is a number, and no device. */
Test(analysis_display, pipe_by_number)
{
	named_describe(&r.n, "i915:intel_cpu_fifo_underrun", "pipe:s32:4 frame:u32:4");
	analysed_begin(&r, NULL);
	named_emit(&r.n, "i915:intel_cpu_fifo_underrun", T0, 0, 0);
	named_set(&r.n, "pipe", 1);
	analysed_give(&r);
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "{\"device\":null,\"pipe\":\"B\",");
	analysed_has(r.section, "\"underruns\":1}");
	analysed_has(r.findings, "pipe B: 1 FIFO underrun");
}

Test(analysis_display, amdgpu_tells_refresh_and_commits)
{
	named_describe(&r.n, "amdgpu_dm:amdgpu_refresh_rate_track",
		       "crtc_index:s32:4 pad:u32:4 refresh_rate_ns:s64:8 refresh_rate_hz:u32:4");
	named_describe(&r.n, "amdgpu_dm:amdgpu_dm_atomic_commit_tail_begin", "state:hex64:8");
	named_describe(&r.n, "amdgpu_dm:amdgpu_dm_atomic_commit_tail_finish", "state:hex64:8");
	analysed_begin(&r, NULL);
	named_emit(&r.n, "amdgpu_dm:amdgpu_refresh_rate_track", T0, 0, 0);
	named_set(&r.n, "crtc_index", 2);
	named_set(&r.n, "refresh_rate_ns", 6944444);
	analysed_give(&r);
	named_emit(&r.n, "amdgpu_dm:amdgpu_dm_atomic_commit_tail_begin", T0 + 10, 7, 0);
	named_set(&r.n, "state", 77);
	analysed_give(&r);
	named_emit(&r.n, "amdgpu_dm:amdgpu_dm_atomic_commit_tail_finish", T0 + 1010, 8, 0);
	named_set(&r.n, "state", 77);
	analysed_give(&r);
	analysed_end(&r, 1000 * MS, "display");
	analysed_has(r.section, "\"refresh\":[{\"crtc\":2,\"events\":1,\"interval_ns\":{\"n\":1,"
				"\"sum\":6944444,");
	analysed_has(r.section, "\"commits\":1,\"commit_ns\":{\"n\":1,\"sum\":1000,");
}

/* --- events without a time of their own, of Linux 4 ------------------------------------------- */

static void setup_old(void)
{
	analysed_init(&r);
	named_describe(&r.n, VBLANK, "crtc:s32:4 seq:u32:4");
	named_describe(&r.n, QUEUED, "file:hex64:8 crtc:s32:4 seq:u32:4");
	named_describe(&r.n, DELIVERED, "file:hex64:8 crtc:s32:4 seq:u32:4");
}

TestSuite(analysis_display_old, .init = setup_old, .fini = teardown);

static void stamped(int32_t crtc, uint32_t seq, uint64_t ts)
{
	named_emit(&r.n, VBLANK, ts, 0, 0);
	named_set(&r.n, "crtc", (uint64_t)(int64_t)crtc);
	named_set(&r.n, "seq", seq);
	analysed_give(&r);
}

/* One clock of each CRTC, by the events' time stamps, and the words that say so. */
Test(analysis_display_old, time_stamps_stand_for_times)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 300; i++) {
		stamped(0, 50 + i, at(i) + 3000 + i % 3 * 1000);
		if (i % 2)
			stamped(1, 900 + i, at(i) + 50000);
	}
	analysed_end(&r, 5000 * MS, "display");
	analysed_has(r.section, "{\"comparable\":false,\"stamped\":true,");
	analysed_has(r.section, "\"crtc\":0,\"several_devices\":false,\"clock_switches\":0,");
	analysed_has(r.section,
		     "\"clocks\":[{\"clock\":0,\"first_ns\":1000003000,\"events\":300,"
		     "\"high_precision\":0,\"sequences\":299,\"duplicates\":0,\"restarts\":0,"
		     "\"missed_stretches\":0,\"missed\":0,\"off_or_missed_stretches\":0,");
	analysed_has(r.section, "\"refresh_ns\":10001000,");
	analysed_has(r.section, "\"irq_latency_ns\":{\"n\":0,");
	analysed_has(r.section, "\"crtc\":1,\"several_devices\":false,\"clock_switches\":0,");
	analysed_has(r.section, "\"events\":150,");
	analysed_has(r.text, "these vblanks have no time of their own");
	analysed_has(r.text, "with the interrupt's latency");
	cr_expect_str_eq(r.findings, "[]");
}

/* An interrupt that is late by most of a frame: the next one is too near, and of the same clock. */
Test(analysis_display_old, late_interrupts_are_no_other_clock)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 50; i++)
		stamped(0, i, at(i) + (i % 10 == 5 ? FRAME - 100000 : 0));
	analysed_end(&r, 5000 * MS, "display");
	analysed_has(r.section, "\"clocks\":[{\"clock\":0,\"first_ns\":1000000000,\"events\":50,");
	analysed_has(r.section, "\"sequences\":49,");
	analysed_has(r.section, "\"refresh_ns\":10000000,");
}

/* Two devices are still told apart, and what was skipped while a request waited is missed. */
Test(analysis_display_old, two_devices_and_missed)
{
	analysed_begin(&r, NULL);
	for (uint32_t i = 0; i < 20; i++) {
		stamped(0, 50 + i, at(i));
		stamped(0, 7000 + i, at(i) + 4 * MS);
	}
	analysed_end(&r, 5000 * MS, "display");
	analysed_has(r.section, "\"several_devices\":true,");
	analysed_free(&r);
	setup_old();
	analysed_begin(&r, NULL);
	stamped(0, 1, at(1));
	queued(2, at(1) + 4 * MS);
	delivered(FILE_A, 4, at(4));
	stamped(0, 4, at(4) + 10000);
	analysed_end(&r, 5000 * MS, "display");
	analysed_has(r.section, "\"missed_stretches\":1,\"missed\":2,");
	analysed_has(r.section, "\"delivered\":0,\"delivery_ns\":{\"n\":0,");
}
