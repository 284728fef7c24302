/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The programs of --idle-stacks, in an object of their own: what a kernel does not know of them
 * stops nothing else. Samples of the stacks on all CPUs, and where threads that submit jobs leave
 * their CPU and come back. Which of it falls into time in which a device has nothing to do is known
 * only when the trace is read.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "format/builtin_events.h"
#include "xtr_ctl.h"
#include "xtr_core.h"

#include "xtr_emit.bpf.h"
#include "stack.bpf.h"
#include "follow.bpf.h"
#include "died.bpf.h"

#define XTR_TASK_DEAD 0x80 /* include/linux/sched.h */

const volatile __u32 xtr_sample_period = 10101010; /* ns */

/* What a CPU was seen to do since its last sample. */
struct xtr_sampled {
	__u64 due; /* ns: when the timer was last due; 0: it has not fired yet */
	__u32 idle, missed;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_sampled);
} xtr_samples SEC(".maps");

/* All events of a thread are chosen together: a stretch without its other end says nothing. */
static __always_inline bool xtr_thread_dropped(__u32 tid)
{
	return xtr_budgeted && !xtr_budget_takes(xtr_budget_level, xtr_budget_hash(tid, 0));
}

/*
 * The timer fires on a grid, never early: perf_swevent_hrtimer in kernel/events/core.c. If more
 * than one period has passed since the last place of the grid, times to sample were missed: the
 * timer was late by more than a period, or the kernel did not run the program, as another one was
 * running on the CPU (bpf_overflow_handler, where nothing counts it). The first fire may be late:
 * the grid is set anew by one that comes too early for it.
 */
static __always_inline struct xtr_sampled *xtr_sample_due(void)
{
	__u64 now = bpf_ktime_get_ns(), n;
	struct xtr_sampled *s;
	__u32 zero = 0;

	s = bpf_map_lookup_elem(&xtr_samples, &zero);
	if (!s)
		return NULL;
	n = s->due && now > s->due ? (now - s->due) / xtr_sample_period : 0;
	s->missed += n > 1 ? n - 1 : 0;
	s->due = n ? s->due + n * xtr_sample_period : now;
	return s;
}

SEC("perf_event")
int xtr_cpu_sample(void *ctx)
{
	struct xtr_rec_cpu_sample *r;
	struct xtr_sampled *s;
	struct xtr_emit e;
	__u32 stack;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, XTR_EV_CPU_SAMPLE))
		return 0;
	s = xtr_sample_due();
	if (!s)
		return 0;
	if (!e.tid) {
		s->idle++;
		return 0;
	}
	if (xtr_choosy && (!xtr_tgid_wanted(e.tgid) || xtr_dropped())) {
		xtr_filtered(&e);
		return 0;
	}
	xtr_task(e.tid, e.tgid);
	stack = xtr_stack(ctx, &e);
	r = XTR_RESERVE(&e, struct xtr_rec_cpu_sample, XTR_EV_CPU_SAMPLE);
	if (!r)
		return 0;
	r->period = xtr_sample_period;
	r->stack = stack;
	r->idle = s->idle;
	r->missed = s->missed;
	s->idle = s->missed = 0;
	xtr_submit(&e, r);
	return 0;
}

/*
 * include/trace/events/sched.h: preempt, prev, next and, since Linux 5.18, prev's state, as prev
 * may be woken at this moment. The current thread is still prev.
 */
SEC("raw_tp/sched_switch")
int xtr_thread_off(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), state = (__u32)ctx->args[3], stack;
	struct xtr_rec_thread_off *r;
	struct xtr_followed *f;
	struct xtr_emit e;

	if (xtr_phase != XTR_PHASE_RUN || !tid)
		return 0;
	f = bpf_map_lookup_elem(&xtr_followed, &tid);
	if (!f || !xtr_where(&e, XTR_EV_THREAD_OFF))
		return 0;
	if (ctx->args[0])
		state = 0;
	f->off = bpf_ktime_get_ns();
	f->state = state;
	if (state & XTR_TASK_DEAD)
		bpf_map_delete_elem(&xtr_followed, &tid);
	if (xtr_thread_dropped(tid)) {
		xtr_filtered(&e);
		return 0;
	}
	xtr_task(e.tid, e.tgid);
	stack = xtr_stack(ctx, &e);
	r = XTR_RESERVE(&e, struct xtr_rec_thread_off, XTR_EV_THREAD_OFF);
	if (!r)
		return 0;
	r->state = state;
	r->stack = stack;
	xtr_submit(&e, r);
	return 0;
}

/*
 * How long it could have run. It may have been woken on another CPU just before it was seen to
 * leave its own.
 */
static __always_inline __u64 xtr_could_run_since(const struct xtr_followed *f)
{
	if (f->off && !f->state)
		return f->off;
	return f->woken && f->woken < f->off ? f->off : f->woken;
}

/* Its own switch off, or its job, has defined the thread. */
SEC("raw_tp/sched_switch")
int xtr_thread_on(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *next = (void *)ctx->args[2];
	struct xtr_rec_thread_on *r;
	struct xtr_followed *f;
	struct xtr_emit e;
	__u64 since;
	__u32 tid;

	if (xtr_phase != XTR_PHASE_RUN)
		return 0;
	tid = BPF_CORE_READ(next, pid);
	f = tid ? bpf_map_lookup_elem(&xtr_followed, &tid) : NULL;
	if (!f || !xtr_where(&e, XTR_EV_THREAD_ON))
		return 0;
	e.tid = tid;
	if (xtr_thread_dropped(tid)) {
		xtr_filtered(&e);
		return 0;
	}
	r = XTR_RESERVE(&e, struct xtr_rec_thread_on, XTR_EV_THREAD_ON);
	if (!r)
		return 0;
	since = xtr_could_run_since(f);
	r->off = f->off && f->off < r->h.ts ? r->h.ts - f->off : 0;
	r->waited = since && since < r->h.ts ? r->h.ts - since : 0;
	r->state = f->state;
	r->known = (f->off != 0) | (since != 0) << 1;
	f->off = f->woken = 0;
	xtr_submit(&e, r);
	return 0;
}

/* In the thread that wakes, wherever the other one is then put in the queue. */
SEC("raw_tp/sched_waking")
int xtr_thread_woken(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	struct xtr_followed *f;
	__u32 tid;

	if (xtr_phase != XTR_PHASE_RUN)
		return 0;
	tid = BPF_CORE_READ(task, pid);
	f = bpf_map_lookup_elem(&xtr_followed, &tid);
	if (f)
		f->woken = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
