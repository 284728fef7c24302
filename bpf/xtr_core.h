/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The kernel types that the programs look into: only the fields used, relocated when the program is
 * loaded (CO-RE), so order and offsets here mean nothing. Fields that a kernel may lack are read
 * behind bpf_core_field_exists.
 */
#ifndef XTR_CORE_H
#define XTR_CORE_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct mm_struct {
	unsigned long start_code, end_code, start_data, end_data, start_brk, start_stack;
};

struct kernfs_node {
	const char *name;
	struct kernfs_node *parent; /* up to 6.14 */
};

struct kernfs_node___rcu {
	struct kernfs_node *__parent; /* since 6.15 */
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	int pid;
	struct css_set *cgroups;
	unsigned int flags;
	char comm[16];
	__u64 start_time; /* ns, CLOCK_MONOTONIC */
	__u64 self_exec_id;
	struct mm_struct *mm;
	struct task_struct *group_leader;
};

struct kobject {
	const char *name;
};

struct device {
	struct kobject kobj;
};

struct dma_fence_ops;

struct dma_fence {
	const struct dma_fence_ops *ops;
	__u64 context, seqno;
	unsigned long flags;
	int error;
	__s64 timestamp; /* ktime_t, in place of the list of callbacks: once TIMESTAMP_BIT is set */
};

enum dma_fence_flag_bits {
	DMA_FENCE_FLAG_SIGNALED_BIT = 0,
	DMA_FENCE_FLAG_TIMESTAMP_BIT = 1,
};

struct drm_gpu_scheduler {
	unsigned int hw_submission_limit; /* up to 6.7 */
	unsigned int credit_limit;        /* since 6.8 */
	atomic_t hw_rq_count;             /* up to 6.7 */
	atomic_t credit_count;            /* since 6.8 */
	const char *name;
	struct device *dev;
};

struct drm_sched_fence {
	struct dma_fence scheduled, finished;
	struct dma_fence *parent; /* the hardware's fence, what run_job() returned */
	struct drm_gpu_scheduler *sched;
	__u64 drm_client_id; /* since 6.17, and in some stable kernels before */
};

struct drm_sched_job {
	struct drm_gpu_scheduler *sched;
	struct drm_sched_fence *s_fence;
};

struct spsc_queue {
	atomic_t job_count;
};

enum drm_sched_priority {
	XTR_DRM_SCHED_PRIORITY_FIRST,
};

struct drm_sched_entity {
	struct spsc_queue job_queue;
	enum drm_sched_priority priority;
};

#pragma clang attribute pop

#endif /* XTR_CORE_H */
