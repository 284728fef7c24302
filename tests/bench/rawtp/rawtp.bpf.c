/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The emission path of xtr's scheduler programs on a machine without a GPU: a program on sys_enter
 * that does for one system call what drm_sched_job_run's program does for a job: find the CPU's
 * ring, announce the task, read six fields of the kernel's objects, reserve, fill, submit.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "format/builtin_events.h"
#include "bpf/xtr_ctl.h"
#include "bpf/xtr_core.h"
#include "bpf/xtr_emit.bpf.h"

#define TYPE  17 /* of the record: drm_sched_job_run */
#define READS 6  /* fields that its program reads */

const volatile long traced_call = -1; /* number of the system call */

SEC("tp_btf/sys_enter") int bench_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task;
	struct xtr_rec_job_run *r;
	struct xtr_emit e;
	__u64 sum = 0;

	if (ctx->args[1] != (__u64)traced_call || !xtr_where(&e, 0))
		return 0;
	task = (struct task_struct *)bpf_get_current_task_btf();
	e.flags = xtr_task(e.tid, e.tgid);
#pragma unroll
	for (int i = 0; i < READS; i++) {
		barrier(); /* or one load would do */
		sum += XTR_READ(TYPE, task, flags);
	}
	r = XTR_RESERVE(&e, struct xtr_rec_job_run, TYPE);
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
