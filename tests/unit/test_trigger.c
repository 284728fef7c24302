/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggers of the flight recorder: which records fire which, and what they tell. */
#include "recorder/flight/trigger.h"
#include "recorder/host/bpfdefs.h"

#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define TOLD 16

static struct xtr_fired fired[TOLD];
static size_t n_fired;

static void fire(void *ctx, const struct xtr_fired *f)
{
	(void)ctx;
	cr_assert_lt(n_fired, TOLD);
	fired[n_fired++] = *f;
}

static struct xtr_generic tracepoints[] = {
	{ .name = "xe:xe_exec_queue_reset", .desc = { .type = 1024 } },
	{ .name = "sched:sched_switch", .desc = { .type = 1025 } },
	{ .name = "nvidia:nvidia_dev_xid", .desc = { .type = 1026 } },
};
static struct xtr_generic *generics[] = { &tracepoints[0], &tracepoints[1], &tracepoints[2] };
static char timedout[] = "func:gpu_sched:drm_sched_job_timedout",
	    timedout_ret[] = "func:gpu_sched:drm_sched_job_timedout:ret";
static struct xtr_probe probe = {
	.name = timedout,
	.entry = { .name = timedout, .desc = { .type = 1027 } },
	.ret = { .name = timedout_ret, .desc = { .type = 1028 } },
};
static struct xtr_probe *probes[] = { &probe };
static struct xtr_selection sel = {
	.generics = generics, .n_generics = 3, .probes = probes, .n_probes = 1, .n_dynamic = 5
};
static const char *refused; /* what cannot be recorded here */

static bool available(void *arg, const char *event, uint32_t type)
{
	(void)arg;
	cr_assert_neq(type, 0);
	return !refused || strcmp(event, refused);
}

static struct xtr_triggers ts;
static struct xtr_record_err err;

static int open_with(const struct xtr_trigger *t, size_t n)
{
	n_fired = 0;
	refused = NULL;
	sel.types[XTR_EV_JOB_QUEUE] = sel.types[XTR_EV_JOB_RUN] = true;
	sel.types[XTR_EV_JOB_DONE] = sel.types[XTR_EV_FENCE_SIGNALED] = true;
	return xtr_triggers_open(&ts, t, n, &sel, available, NULL, fire, NULL, &err);
}

static void scan_event(uint16_t type, uint64_t ts_ns, uint32_t tid)
{
	const struct xtr_rec h = { ts_ns, type, sizeof(h), tid };

	xtr_triggers_scan(&ts, (const uint8_t *)&h, sizeof(h));
}

static void scan_job(uint64_t seqno, uint64_t queue, uint64_t run, uint64_t done)
{
	struct {
		struct xtr_rec_job_queue queue;
		struct xtr_rec_job_run run;
		struct xtr_rec_job_done done;
	} r = {
		{ .h = { queue, XTR_EV_JOB_QUEUE, sizeof(r.queue), 321 },
		  .ctx = 9,
		  .seqno = seqno },
		{ .h = { run, XTR_EV_JOB_RUN, sizeof(r.run), 5 }, .ctx = 9, .seqno = seqno },
		{ .h = { done, XTR_EV_JOB_DONE, sizeof(r.done), 0 }, .ctx = 9, .seqno = seqno },
	};

	xtr_triggers_scan(&ts, (const uint8_t *)&r,
			  (uint32_t)(done ? sizeof(r) : sizeof(r) - sizeof(r.done)));
}

Test(trigger, a_job_that_takes_longer)
{
	static const struct xtr_trigger t = { XTR_TRIGGER_EXEC, "exec>100ns", 100, false };

	cr_assert_eq(open_with(&t, 1), 0);
	scan_job(1, 10, 1000, 1100);
	scan_job(2, 10, 1200, 1301);
	scan_job(3, 10, 1400, 0);
	xtr_triggers_round(&ts, 1300);
	cr_assert_eq(n_fired, 0);
	xtr_triggers_round(&ts, 100000);
	cr_assert_eq(n_fired, 1, "it is longer than 100, not 100, and job 3 has not ended");
	cr_assert_eq(fired[0].trigger, &t);
	cr_assert_eq(fired[0].at, 1301);
	cr_assert_eq(fired[0].ctx, 9);
	cr_assert_eq(fired[0].seqno, 2);
	cr_assert_eq(fired[0].value, 101);
	cr_assert_eq(fired[0].tid, 321);
	cr_assert_str_eq(fired[0].event, "gpu_scheduler:drm_sched_job_done");
	xtr_triggers_close(&ts);
}

Test(trigger, a_job_that_hangs_fires_once_for_each)
{
	static const struct xtr_trigger t[] = { { XTR_TRIGGER_HANG, "hang>1us", 1000, false },
						{ XTR_TRIGGER_HANG, "hang>5us", 5000, false } };

	cr_assert_eq(open_with(t, 2), 0);
	scan_job(1, 10, 1000, 0);
	xtr_triggers_round(&ts, 2000);
	cr_assert_eq(n_fired, 0);
	xtr_triggers_round(&ts, 2001);
	xtr_triggers_round(&ts, 5000);
	cr_assert_eq(n_fired, 1);
	cr_assert_eq(fired[0].trigger, &t[0]);
	cr_assert_eq(fired[0].at, 2000, "when it became so");
	cr_assert_eq(fired[0].value, 1001);
	cr_assert_str_eq(fired[0].event, "");
	xtr_triggers_round(&ts, 9000);
	xtr_triggers_round(&ts, 19000);
	cr_assert_eq(n_fired, 2);
	cr_assert_eq(fired[1].trigger, &t[1]);
	scan_job(2, 10, 20000, 21500); /* it was open for longer, though it has ended */
	xtr_triggers_round(&ts, 30000);
	cr_assert_eq(n_fired, 3);
	cr_assert_eq(fired[2].seqno, 2);
	cr_assert_eq(fired[2].at, 21000);
	xtr_triggers_close(&ts);
}

Test(trigger, events_by_name)
{
	static const struct xtr_trigger t[] = {
		{ XTR_TRIGGER_XID, "xid", 0, false },
		{ XTR_TRIGGER_RESET, "reset", 0, false },
		{ XTR_TRIGGER_EVENT, "dma_fence:dma_fence_signaled", 0, false },
	};

	cr_assert_eq(open_with(t, 3), 0);
	scan_event(1025, 10, 1);
	scan_event(XTR_EV_FENCE_INIT, 11, 1);
	scan_event(1028, 12, 1);
	scan_event(65535, 13, 1);
	scan_event(0, 13, 1);
	cr_assert_eq(n_fired, 0);
	scan_event(1024, 14, 1);
	scan_event(1026, 15, 2);
	scan_event(1027, 16, 3);
	scan_event(XTR_EV_FENCE_SIGNALED, 17, 4);
	cr_assert_eq(n_fired, 4);
	for (size_t i = 0; i < n_fired; i++) {
		cr_assert_eq(fired[i].at, 14 + i);
		cr_assert_eq(fired[i].tid, 1 + i);
	}
	cr_assert_eq(fired[0].trigger, &t[1]);
	cr_assert_str_eq(fired[0].event, "xe:xe_exec_queue_reset");
	cr_assert_eq(fired[1].trigger, &t[0]);
	cr_assert_eq(fired[2].trigger, &t[1]);
	cr_assert_str_eq(fired[2].event, timedout);
	cr_assert_eq(fired[3].trigger, &t[2]);
	xtr_triggers_close(&ts);
}

Test(trigger, a_return_has_its_own_name)
{
	static const struct xtr_trigger t = { XTR_TRIGGER_EVENT, timedout_ret, 0, false };

	cr_assert_eq(open_with(&t, 1), 0);
	scan_event(1027, 1, 1);
	cr_assert_eq(n_fired, 0);
	scan_event(1028, 2, 1);
	cr_assert_eq(n_fired, 1);
	xtr_triggers_close(&ts);
}

static void scan_end(int32_t hw_error, int32_t fence_error)
{
	struct {
		struct xtr_rec_job_done done;
		struct xtr_rec_fence fence;
	} r = { { .h = { 50, XTR_EV_JOB_DONE, sizeof(r.done), 3 },
		  .ctx = 9,
		  .seqno = 4,
		  .hw_error = hw_error },
		{ .h = { 60, XTR_EV_FENCE_SIGNALED, sizeof(r.fence), 3 },
		  .ctx = 8,
		  .seqno = 5,
		  .error = fence_error } };

	xtr_triggers_scan(&ts, (const uint8_t *)&r, sizeof(r));
}

/* With a trigger on jobs beside it, and without. */
Test(trigger, fences_with_an_error)
{
	static const struct xtr_trigger t[] = { { XTR_TRIGGER_ERROR, "error", 0, false },
						{ XTR_TRIGGER_HANG, "hang>5s", 5000, false } };

	for (size_t n = 1; n <= 2; n++) {
		cr_assert_eq(open_with(t, n), 0);
		scan_end(0, 0);
		scan_end(-ESRCH, -ESRCH);
		cr_assert_eq(n_fired, 0, "a process that was killed is no hang");
		scan_end(-ETIME, 0);
		scan_end(0, -ECANCELED);
		cr_assert_eq(n_fired, 2);
		cr_assert_eq(fired[0].at, 50);
		cr_assert_eq(fired[0].seqno, 4);
		cr_assert_eq(fired[0].value, ETIME);
		cr_assert_str_eq(fired[1].event, "dma_fence:dma_fence_signaled");
		cr_assert_eq(fired[1].ctx, 8);
		cr_assert_eq(fired[1].value, ECANCELED);
		scan_event(XTR_EV_FENCE_SIGNALED, 70, 1); /* too short to have one */
		scan_event(XTR_EV_JOB_DONE, 70, 1);
		cr_assert_eq(n_fired, 2);
		cr_assert_eq(ts.jobs, n == 2);
		xtr_triggers_round(&ts, 100000);
		xtr_triggers_close(&ts);
	}
	sel.types[XTR_EV_JOB_DONE] = sel.types[XTR_EV_FENCE_SIGNALED] = false;
	cr_assert_eq(xtr_triggers_open(&ts, t, 1, &sel, available, NULL, fire, NULL, &err),
		     -ENOENT);
}

Test(trigger, losses)
{
	static const struct xtr_trigger t[] = { { XTR_TRIGGER_SIGNAL, "signal", 0, false },
						{ XTR_TRIGGER_DROP, "drop", 0, false } };

	cr_assert_eq(open_with(t, 2), 0);
	scan_event(1024, 14, 1);
	scan_job(1, 1, 2, 0);
	xtr_triggers_round(&ts, UINT64_MAX);
	xtr_triggers_lost(&ts, 77, 500);
	cr_assert_eq(n_fired, 1);
	cr_assert_eq(fired[0].trigger, &t[1]);
	cr_assert_eq(fired[0].value, 77);
	cr_assert_eq(fired[0].at, 500);
	xtr_triggers_close(&ts);
}

Test(trigger, what_nothing_can_fire_is_an_error)
{
	static const struct xtr_trigger none = { XTR_TRIGGER_EVENT, "sched:sched_wakeup", 0,
						 false },
					xid = { XTR_TRIGGER_XID, "xid", 0, false },
					exec = { XTR_TRIGGER_EXEC, "exec>1s", 1, false };

	cr_assert_eq(open_with(&none, 1), -ENOENT);
	cr_assert_eq(err.kind, XTR_FAIL_USAGE);
	cr_assert(strstr(err.what, "sched:sched_wakeup"));
	cr_assert_eq(open_with(&exec, 1), 0);
	xtr_triggers_close(&ts);
	sel.types[XTR_EV_JOB_DONE] = false;
	cr_assert_eq(xtr_triggers_open(&ts, &exec, 1, &sel, available, NULL, fire, NULL, &err),
		     -ENOENT);
	refused = "nvidia:nvidia_dev_xid";
	cr_assert_eq(xtr_triggers_open(&ts, &xid, 1, &sel, available, NULL, fire, NULL, &err),
		     -ENOENT);
}

/* Of optional ones those that can fire do, and the others are told by their number. */
Test(trigger, what_nothing_can_fire_is_left_out)
{
	static const struct xtr_trigger t[] = {
		{ XTR_TRIGGER_DROP, "drop", 0, false },
		{ XTR_TRIGGER_HANG, "hang>5s", 5, true },
		{ XTR_TRIGGER_XID, "xid", 0, true },
		{ XTR_TRIGGER_EVENT, "sched:sched_wakeup", 0, true },
	};

	open_with(t, 1);
	xtr_triggers_close(&ts);
	sel.types[XTR_EV_JOB_DONE] = false; /* run is there, and is no use alone */
	cr_assert_eq(xtr_triggers_open(&ts, t, 4, &sel, available, NULL, fire, NULL, &err), 0);
	cr_assert_eq(ts.off, 1u << 1 | 1u << 3);
	cr_assert(!ts.jobs);
	scan_job(1, 10, 20, 900);
	xtr_triggers_round(&ts, 100000);
	cr_assert_eq(n_fired, 0);
	xtr_triggers_lost(&ts, 1, 7);
	cr_assert_eq(n_fired, 1);
	xtr_triggers_close(&ts);
	sel.types[XTR_EV_JOB_DONE] = true;
	cr_assert_eq(xtr_triggers_open(&ts, t, 4, &sel, available, NULL, fire, NULL, &err), 0);
	cr_assert_eq(ts.off, 1u << 3);
	cr_assert(ts.jobs);
	xtr_triggers_close(&ts);
}

Test(trigger, too_many)
{
	static struct xtr_trigger t[XTR_TRIGGERS_MAX + 1];

	for (size_t i = 0; i < XTR_TRIGGERS_MAX + 1; i++)
		t[i] = (struct xtr_trigger){ XTR_TRIGGER_HANG, "hang>1ns", 1, false };
	cr_assert_eq(open_with(t, XTR_TRIGGERS_MAX + 1), -E2BIG);
	cr_assert_eq(open_with(t, XTR_TRIGGERS_MAX), 0);
	xtr_triggers_close(&ts);
}

/* Records of jobs too short to have a fence are not looked at. */
Test(trigger, short_records)
{
	static const struct xtr_trigger t = { XTR_TRIGGER_HANG, "hang>1ns", 1, false };

	cr_assert_eq(open_with(&t, 1), 0);
	scan_event(XTR_EV_JOB_RUN, 10, 1);
	xtr_triggers_round(&ts, 100);
	cr_assert_eq(n_fired, 0);
	xtr_triggers_close(&ts);
}
