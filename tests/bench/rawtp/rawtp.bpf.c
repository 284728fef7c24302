// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * The emission path of xtr's scheduler programs on a machine without a GPU: a raw tracepoint
 * program on sys_enter that does for one system call what drm_sched_job_run's program does for a
 * job: find the CPU's ring, announce the task, read eight fields out of the kernel's memory,
 * reserve, fill, submit.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/xtr_events.h"
#include "bpf/xtr_ctl.h"
#include "bpf/xtr_core.h"
#include "bpf/xtr_emit.bpf.h"

#define READS 8 /* kernel reads of drm_sched_job_run's program */

const volatile long traced_call = -1; /* number of the system call */

SEC("raw_tp/sys_enter") int bench_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task;
	struct xtr_rec_job_run *r;
	struct xtr_emit e;
	__u64 sum = 0;

	if (ctx->args[1] != (__u64)traced_call || !xtr_where(&e, 0))
		return 0;
	task = (struct task_struct *)bpf_get_current_task();
	e.flags = xtr_task(e.tid, e.tgid);
#pragma unroll
	for (int i = 0; i < READS; i++)
		sum += BPF_CORE_READ(task, flags);
	r = XTR_RESERVE(&e, struct xtr_rec_job_run, 17);
	if (!r)
		return 0;
	r->ctx = sum;
	r->seqno = e.tid;
	r->ring = 1;
	r->job_count = 0;
	r->hw_job_count = 0;
	r->flags = e.flags;
	xtr_submit(&e, r);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
