/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The records that BPF programs put into the rings, shared with the recorder. Includes nothing: the
 * fixed-width types come from whoever includes it. Layouts are those of spec/events.md; the
 * recorder asserts that the two agree.
 */
#ifndef XTR_EVENTS_H
#define XTR_EVENTS_H

/* Event types and flags of spec/events.md, as format/xtr_format.h has them; the recorder asserts
 * it. */
enum xtr_rec_type {
	XTR_REC_JOB_QUEUE = 16,
	XTR_REC_JOB_RUN = 17,
	XTR_REC_JOB_DONE = 18,
	XTR_REC_JOB_WAIT_DEP = 19,
	XTR_REC_JOB_ADD_DEP = 20,
	XTR_REC_JOB_UNSCHEDULABLE = 21,
	XTR_REC_FENCE_INIT = 24,
	XTR_REC_FENCE_EMIT = 25,
	XTR_REC_FENCE_ENABLE_SIGNAL = 26,
	XTR_REC_FENCE_SIGNALED = 27,
	XTR_REC_FENCE_WAIT_START = 28,
	XTR_REC_FENCE_WAIT_END = 29,
	XTR_REC_FENCE_DESTROY = 30,
};

enum xtr_rec_flags {
	XTR_REC_KTHREAD = 1 << 0,
	XTR_REC_CLIENT_KNOWN = 1 << 1,
	XTR_REC_DEP_SIGNALED = 1 << 2,
	XTR_REC_DEP_SCHEDULED = 1 << 3,
	XTR_REC_HW_FENCE = 1 << 4,
	XTR_REC_HW_SIGNALED = 1 << 5,
	XTR_REC_OTHERS = 1 << 6,
};

struct xtr_rec { /* spec 5: every record starts so */
	__u64 ts;
	__u16 type;
	__u16 size;
	__u32 tid;
};

struct xtr_rec_job_queue {
	struct xtr_rec h;
	__u64 ctx, seqno, client_id;
	__u32 ring, job_count;
	__s32 hw_job_count;
	__u32 stack, flags;
	__s32 prio;
};

struct xtr_rec_job_run {
	struct xtr_rec h;
	__u64 ctx, seqno;
	__u32 ring, job_count;
	__s32 hw_job_count;
	__u32 flags;
};

struct xtr_rec_job_done {
	struct xtr_rec h;
	__u64 ctx, seqno;
	__u32 ring;
	__s32 hw_job_count;
	__u64 hw_ctx, hw_seqno, hw_age;
	__s32 hw_error;
	__u32 flags;
};

struct xtr_rec_job_dep {
	struct xtr_rec h;
	__u64 ctx, seqno, dep_ctx, dep_seqno;
	__u32 ring, flags;
};

struct xtr_rec_fence {
	struct xtr_rec h;
	__u64 ctx, seqno;
	__u32 ops; /* in the ring: id of a fence_ops definition; in the file: string id */
	__s32 error;
};

/* With stacks, the events that begin something are longer: init and wait_start. */
struct xtr_rec_fence_stack {
	struct xtr_rec h; /* as xtr_rec_fence */
	__u64 ctx, seqno;
	__u32 ops;
	__s32 error;
	__u32 stack, reserved;
};

#endif /* XTR_EVENTS_H */
