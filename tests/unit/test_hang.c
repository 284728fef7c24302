/* SPDX-License-Identifier: BSD-2-Clause */
/* Hangs of hand-made traces: whose job, what it took along, and where nothing can be said. */
#include "analysis/hang/hang.h"
#include "analysis/hang/user_driver.h"
#include "format/meta/piece.h"
#include "gpu_sim.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define A  "0000:03:00.0"
#define B  "0000:04:00.0"

#define RESET 1500u /* type of the event that says that a device is reset */

static struct sim *s;
static struct xtr_hangs *hangs;

static void add_event(uint32_t type, const char *name)
{
	const struct xtr_event_desc d = { .type = type, .name = (char *)name, .size = 32 };

	cr_assert(zero(int, xtr_meta_add_event(s->meta, &d)));
}

static void set_up(void)
{
	s = sim_new();
	sim_device(s, A, "amdgpu");
	sim_device(s, B, "amdgpu");
	sim_ring(s, 1, A, "gfx_0.0.0", 1);
	sim_ring(s, 2, A, "sdma0", 1);
	sim_ring(s, 3, B, "gfx_0.0.0", 1);
	sim_task(s, 10, 10, "game", 0);
	sim_task(s, 20, 20, "web", 0);
	add_event(RESET, "func:amdgpu:amdgpu_device_gpu_recover");
}

static void tear_down(void)
{
	xtr_hangs_free(hangs);
	hangs = NULL;
	sim_free(s);
}

TestSuite(hang, .init = set_up, .fini = tear_down);

static void fired(uint64_t ts)
{
	uint8_t rec[32] = { 0 };

	sim_raw(s, ts, RESET, rec, sizeof(rec));
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	(void)ctx;
	return xtr_hangs_job(hangs, j);
}

static int play(void *arg)
{
	struct xtr_model_opts mo = {
		.sz = sizeof(mo), .meta = s->meta, .tables = s->tables, .job = on_job
	};
	struct xtr_model *m = NULL;
	int err = xtr_hangs_new(&hangs, s->meta, s->tables) ?: xtr_model_new(&m, &mo);

	for (size_t i = 0; i < s->n && !err; i++) {
		err = xtr_model_event(m, &s->event[i].ev);
		if (!err && (s->event[i].ev.gap || s->event[i].ev.type == RESET))
			err = xtr_hangs_event(hangs, &s->event[i].ev);
	}
	if (!err)
		err = xtr_model_finish(m) ?: xtr_hangs_finish(hangs);
	xtr_model_free(m);
	if (arg || err) {
		xtr_hangs_free(hangs);
		hangs = NULL;
	}
	return err;
}

static void played(void)
{
	sim_sort(s);
	cr_assert(zero(int, play(NULL)));
}

/* "exact 1:2 @3000; killed 2:1; ..." */
static const char *story(size_t i)
{
	static char text[2048];
	const struct xtr_hang *h = xtr_hangs_at(hangs, i);
	size_t n = (size_t)snprintf(text, sizeof(text), "%s %s/%s @%llu%s",
				    xtr_hang_guilt_name(h->guilt), h->device, h->ring,
				    (unsigned long long)(h->at_ns / MS), h->lost ? " lost" : "");

	for (uint32_t k = 0; k < h->n_jobs; k++) {
		const struct xtr_hang_job *j = &h->job[k];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "; %s %llu:%llu",
				      xtr_hang_role_name(j->role), (unsigned long long)j->name.ctx,
				      (unsigned long long)j->name.seqno);
		if (xtr_job_name_any(&j->waits_for))
			n += (size_t)snprintf(text + n, sizeof(text) - n, " for %llu:%llu",
					      (unsigned long long)j->waits_for.ctx,
					      (unsigned long long)j->waits_for.seqno);
	}
	return text;
}

static void is(size_t i, const char *want)
{
	cr_assert(eq(str, (char *)story(i), (char *)want));
}

/* Jobs of a ring of A: one that ended well, and one that is on the hardware from 10 ms on. */
static void begin(void)
{
	s->tid = 10;
	sim_job(s, 11, 1, 1, 1 * MS, 2 * MS, 5 * MS);
	sim_queue(s, 9 * MS, 11, 2, 1);
	sim_run(s, 10 * MS, 11, 2, 1);
}

static void times_out(uint64_t ts)
{
	sim_done(s, ts, 11, 2, 1);
	sim_signaled(s, ts + 1000, 11, 2, -ETIME);
}

Test(hang, no_hang_in_a_trace_without_one)
{
	begin();
	sim_done(s, 20 * MS, 11, 2, 1);
	played();
	cr_assert(zero(sz, xtr_hangs_n(hangs)));
}

/* The fence says it; others of the ring, and what waits for what waits for it. */
Test(hang, a_timeout_and_what_it_takes_along)
{
	begin();
	s->tid = 20;
	sim_queue(s, 11 * MS, 21, 1, 1);
	sim_queue(s, 12 * MS, 22, 1, 2);
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 12 * MS + 1, 22, 1, 11, 2, 2, 0);
	sim_queue(s, 13 * MS, 33, 1, 3); /* on another device, for what waits */
	sim_dep(s, XTR_EV_JOB_UNSCHEDULABLE, 13 * MS + 1, 33, 1, 22, 1, 3, 0);
	sim_queue(s, 14 * MS, 44, 1, 2);
	sim_run(s, 15 * MS, 44, 1, 2);
	sim_queue(s, 14 * MS, 55, 1, 3);
	sim_run(s, 15 * MS, 55, 1, 3);
	times_out(2000 * MS);
	sim_signaled(s, 2001 * MS, 21, 1, -ECANCELED);
	sim_run(s, 2010 * MS, 22, 1, 2);
	sim_done(s, 2020 * MS, 22, 1, 2);
	sim_run(s, 2030 * MS, 33, 1, 3);
	sim_done(s, 2040 * MS, 33, 1, 3);
	sim_done(s, 2050 * MS, 44, 1, 2);
	sim_done(s, 2050 * MS, 55, 1, 3);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 1));
	is(0, "exact " A "/gfx_0.0.0 @2000; guilty 11:2; killed 21:1; waiting 22:1 for 11:2; "
	      "waiting 33:1 for 22:1; on-hardware 44:1; before 11:1");
	cr_assert(eq(i32, xtr_hang_guilty(xtr_hangs_at(hangs, 0))->error, -ETIME));
}

/* A reset whose job's end is not in the trace: the only one on the hardware. */
Test(hang, a_reset_with_one_job_is_inferred)
{
	begin();
	fired(3000 * MS);
	fired(3001 * MS);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 1));
	is(0, "inferred " A "/gfx_0.0.0 @3000; guilty 11:2; before 11:1");
}

Test(hang, a_reset_with_jobs_of_two_rings_is_not_known)
{
	begin();
	sim_queue(s, 11 * MS, 12, 1, 2);
	sim_run(s, 12 * MS, 12, 1, 2);
	fired(3000 * MS);
	played();
	is(0, "not-known / @3000; on-hardware 11:2; on-hardware 12:1");
	cr_assert(xtr_hangs_at(hangs, 0)->why != NULL);
}

Test(hang, nor_on_two_devices_of_the_driver)
{
	begin();
	sim_queue(s, 11 * MS, 31, 1, 3);
	sim_run(s, 12 * MS, 31, 1, 3);
	fired(3000 * MS);
	played();
	cr_assert(eq(int, xtr_hangs_at(hangs, 0)->guilt, XTR_HANG_UNKNOWN));
	cr_assert(xtr_hang_guilty(xtr_hangs_at(hangs, 0)) == NULL);
}

/* Its end may be what was lost. */
Test(hang, nor_where_events_were_lost)
{
	begin();
	sim_gap(s, 100 * MS, 200 * MS, 5);
	fired(3000 * MS);
	played();
	is(0, "not-known / @3000");
	cr_assert(eq(str, (char *)xtr_hangs_at(hangs, 0)->why, "events were lost before it"));
}

/* Where a job was whose end may be what was lost is not known: it has no role. */
Test(hang, no_role_for_what_may_have_ended)
{
	begin();
	s->tid = 20;
	sim_queue(s, 11 * MS, 21, 1, 1);
	sim_queue(s, 11 * MS, 44, 1, 2);
	sim_run(s, 12 * MS, 44, 1, 2);
	sim_gap(s, 100 * MS, 200 * MS, 5);
	sim_queue(s, 300 * MS, 46, 1, 1);
	times_out(2000 * MS);
	played();
	is(0, "exact " A "/gfx_0.0.0 @2000 lost; guilty 11:2; waiting 46:1; before 11:1");
}

/* But a fence that says so needs no other event. */
Test(hang, a_timeout_stays_exact_where_events_were_lost)
{
	begin();
	sim_gap(s, 100 * MS, 200 * MS, 5);
	times_out(2000 * MS);
	played();
	is(0, "exact " A "/gfx_0.0.0 @2000 lost; guilty 11:2; before 11:1");
}

Test(hang, nothing_on_the_hardware)
{
	fired(3000 * MS);
	played();
	is(0, "not-known / @3000");
}

/* The reset comes first, and its driver's timeout after it: one hang. Later, another one. */
Test(hang, two_hangs_of_a_ring)
{
	begin();
	fired(1999 * MS);
	times_out(2000 * MS);
	sim_queue(s, 30000 * MS, 11, 3, 1);
	sim_run(s, 30001 * MS, 11, 3, 1);
	sim_done(s, 32000 * MS, 11, 3, 1);
	sim_signaled(s, 32000 * MS + 1, 11, 3, -ETIME);
	fired(32001 * MS);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 2));
	is(0, "exact " A "/gfx_0.0.0 @1999; guilty 11:2; before 11:1");
	is(1, "exact " A "/gfx_0.0.0 @32000; guilty 11:3; before 11:1");
	cr_assert(eq(str, (char *)xtr_hangs_at(hangs, 0)->told,
		     "func:amdgpu:amdgpu_device_gpu_recover"));
}

/* What fires while two jobs are on the hardware is of the one that times out next; what fired
 * before a job was run is not of that job. */
Test(hang, what_fires_is_of_the_job_that_times_out_next)
{
	begin();
	sim_queue(s, 11 * MS, 12, 1, 2);
	sim_run(s, 12 * MS, 12, 1, 2);
	fired(2000 * MS);
	sim_done(s, 2001 * MS, 12, 1, 2);
	sim_signaled(s, 2001 * MS + 1, 12, 1, -ETIME);
	sim_queue(s, 2002 * MS, 14, 1, 2);
	sim_run(s, 2100 * MS, 14, 1, 2);
	fired(2399 * MS);
	sim_done(s, 2400 * MS, 14, 1, 2);
	sim_signaled(s, 2400 * MS + 1, 14, 1, -ETIME);
	times_out(2900 * MS);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 3));
	cr_assert(eq(u64, xtr_hangs_at(hangs, 0)->at_ns, 2000 * MS));
	cr_assert(eq(u64, xtr_hang_guilty(xtr_hangs_at(hangs, 0))->name.ctx, 12));
	cr_assert(eq(u64, xtr_hangs_at(hangs, 1)->at_ns, 2399 * MS));
	cr_assert(eq(u64, xtr_hang_guilty(xtr_hangs_at(hangs, 1))->name.ctx, 14));
	cr_assert(eq(u64, xtr_hangs_at(hangs, 2)->at_ns, 2900 * MS));
}

static void set_flight(const char *why, uint64_t at, uint64_t ctx, uint64_t seqno)
{
	const struct xtr_flight_note n = {
		.why = why, .event = "", .at = at, .ctx = ctx, .seqno = seqno
	};

	cr_assert(zero(int, xtr_flight_write(&n, s->meta)));
}

/* The flight recorder names the job, which was still on the hardware when the file was written. */
Test(hang, a_flight_recorder_names_its_job)
{
	set_flight("hang>5s", 5010 * MS, 11, 2);
	begin();
	s->tid = 20;
	sim_queue(s, 20 * MS, 21, 1, 1);
	sim_queue(s, 20 * MS, 44, 1, 2);
	sim_run(s, 21 * MS, 44, 1, 2);
	played();
	is(0, "exact " A "/gfx_0.0.0 @5010; guilty 11:2; waiting 21:1; on-hardware 44:1; "
	      "before 11:1");
	cr_assert(eq(str, (char *)xtr_hangs_at(hangs, 0)->told, "hang>5s"));
}

/* The trigger on errors names the hardware's fence, whose context and number are no job's. */
Test(hang, an_error_of_the_hardware_is_of_the_job_that_timed_out)
{
	set_flight("error", 2000 * MS - 1, 98, 2);
	begin();
	times_out(2000 * MS);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 1));
	cr_assert(eq(int, (int)xtr_hangs_at(hangs, 0)->guilt, XTR_HANG_EXACT));
	cr_assert(eq(u64, xtr_hang_guilty(xtr_hangs_at(hangs, 0))->name.seqno, 2));
}

/* Where nothing timed out, the job on the hardware is not guilty of it. */
Test(hang, an_error_of_a_fence_that_is_no_jobs_is_not_known)
{
	set_flight("error", 2000 * MS, 98, 2);
	begin();
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), 1));
	cr_assert(eq(int, (int)xtr_hangs_at(hangs, 0)->guilt, XTR_HANG_UNKNOWN));
}

Test(hang, one_whose_job_is_not_in_the_piece_is_not_known)
{
	set_flight("hang>5s", 5010 * MS, 99, 1);
	begin();
	played();
	is(0, "not-known / @5010; on-hardware 11:2");
}

Test(hang, other_triggers_are_of_no_hang)
{
	set_flight("exec>5ms", 5010 * MS, 11, 2);
	begin();
	played();
	cr_assert(zero(sz, xtr_hangs_n(hangs)));
}

Test(hang, jobs_beyond_the_list_are_counted)
{
	begin();
	s->tid = 20;
	for (uint64_t i = 1; i <= 100; i++)
		sim_queue(s, 20 * MS + i, 100 + i, 1, 1);
	times_out(2000 * MS);
	played();
	cr_assert(eq(u64, xtr_hangs_at(hangs, 0)->n[XTR_HANG_WAITING], 100));
	cr_assert(eq(u32, xtr_hangs_at(hangs, 0)->n_jobs, HANG_LISTED_MAX));
}

Test(hang, triggers_beyond_the_limit_are_counted)
{
	for (uint64_t i = 0; i < HANG_TRIGGERS_MAX + 3; i++)
		fired(1000 * MS + i * 20000 * MS);
	played();
	cr_assert(eq(sz, xtr_hangs_n(hangs), HANG_TRIGGERS_MAX));
	cr_assert(eq(u64, xtr_hangs_left_out(hangs), 3));
}

Test(hang, without_memory)
{
	begin();
	s->tid = 20;
	sim_queue(s, 11 * MS, 21, 1, 1);
	fired(1999 * MS);
	times_out(2000 * MS);
	sim_sort(s);
	cr_assert(gt(uint, oom_each(play, s, 1), 4));
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t stack_of(uint32_t id, const char *symbol, const char *module)
{
	struct xtr_frame f = { .offset = 0x12 };
	uint32_t frame;

	if (*symbol)
		cr_assert(
			zero(int, xtr_tables_intern(s->tables, symbol, strlen(symbol), &f.symbol)));
	cr_assert(zero(int, xtr_tables_intern(s->tables, module, strlen(module), &f.module)));
	cr_assert(zero(int, xtr_tables_intern_frame(s->tables, &f, &frame)));
	cr_assert(zero(int, xtr_tables_add_stack(s->tables, id, &frame, 1)));
	return id;
}

Test(hang, drivers_of_user_space)
{
	static const struct {
		const char *module, *name, *version;
	} cases[] = {
		{ "/usr/lib/libvulkan_radeon.so", "libvulkan_radeon.so", "" },
		{ "/usr/lib/libgallium-24.2.8.so", "libgallium-24.2.8.so", "24.2.8" },
		{ "/usr/lib/dri/radeonsi_dri.so", "radeonsi_dri.so", "" },
		{ "/usr/lib/libze_intel_gpu.so.1.3.29735", "libze_intel_gpu.so.1.3.29735",
		  "1.3.29735" },
		{ "/usr/lib/libcuda.so.1", "libcuda.so.1", "" }, /* of the interface */
		{ "/usr/lib/libcuda.so.550.54.14", "libcuda.so.550.54.14", "550.54.14" },
		{ "/usr/lib/libVkLayer_MESA_overlay.so", "", "" },
		{ "/usr/bin/game", "", "" },
		{ "[vmlinux]", "", "" },
	};
	struct xtr_user_driver d;
	char text[USER_FRAME_MAX];
	bool own;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t stack = stack_of((uint32_t)i + 1, i ? "" : "submit", cases[i].module);

		xtr_user_driver_of(s->tables, stack, &d);
		cr_assert(eq(str, d.name, (char *)cases[i].name));
		cr_assert(eq(str, d.version, (char *)cases[i].version));
	}
	cr_assert(xtr_user_frame(s->tables, 1, 0, text, &own) && own);
	cr_assert(eq(str, text, "submit"));
	cr_assert(xtr_user_frame(s->tables, 8, 0, text, &own) && own);
	cr_assert(eq(str, text, "game+0x12"));
	cr_assert(not(xtr_user_frame(s->tables, 1, 1, text, &own)));
	cr_assert(not(xtr_user_frame(s->tables, 0, 0, text, &own)));
}
