/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The DRM GPU scheduler's tracepoints, under the names before and since Linux 6.17, as one set of
 * records (spec/events.md). Raw tracepoints: the programs get the objects, not the tracepoint's
 * record, so that old kernels give fence context, seqno and device too. A kernel has one set of
 * names; the other half is not loaded.
 */
#ifndef XTR_DRM_SCHED_BPF_H
#define XTR_DRM_SCHED_BPF_H

struct xtr_sched_state {
	__u32 id, limit;
	char name[XTR_RING_NAME], dev[XTR_RING_NAME];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct xtr_sched_state);
} xtr_scheds SEC(".maps");

/* Fence contexts of the jobs of the processes that -p asks for. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u8);
} xtr_ctxs SEC(".maps");

__u32 xtr_next_ring = 1;

static __always_inline __u32 xtr_sched_limit(__u32 type, struct drm_gpu_scheduler *sched)
{
	if (bpf_core_field_exists(sched->credit_limit))
		return XTR_READ(type, sched, credit_limit);
	if (bpf_core_field_exists(sched->hw_submission_limit))
		return XTR_READ(type, sched, hw_submission_limit);
	return 0;
}

/* What makes a scheduler the same one: what it is called, whose it is, and how much it has in
 * flight. */
static __always_inline void xtr_sched_look(__u32 type, struct drm_gpu_scheduler *sched,
					   struct xtr_sched_state *s)
{
	const char *p = XTR_READ(type, sched, name);
	struct device *dev;

	s->limit = xtr_sched_limit(type, sched);
	if (!p || bpf_probe_read_kernel_str(s->name, sizeof(s->name), p) < 0)
		s->name[0] = 0;
	p = NULL;
	if (bpf_core_field_exists(sched->dev)) {
		dev = XTR_READ(type, sched, dev);
		p = XTR_READ(type, dev, kobj.name);
	}
	if (!p || bpf_probe_read_kernel_str(s->dev, sizeof(s->dev), p) < 0)
		s->dev[0] = 0;
}

static __always_inline __s32 xtr_hw_jobs(__u32 type, struct drm_gpu_scheduler *sched)
{
	if (bpf_core_field_exists(sched->credit_count))
		return XTR_READ(type, sched, credit_count.counter);
	if (bpf_core_field_exists(sched->hw_rq_count))
		return XTR_READ(type, sched, hw_rq_count.counter);
	return 0;
}

/* Give the scheduler an id and define it on the control ring, as `now` says. 0: no room. */
static __noinline __u32 xtr_sched_define(struct drm_gpu_scheduler *sched,
					 struct xtr_sched_state *now, __u32 replace)
{
	__u64 key = (__u64)sched;
	struct xtr_sched_state *known;
	struct xtr_ctl_ring *def;

	if (!now)
		return 0;
	def = bpf_ringbuf_reserve(&xtr_ctl, sizeof(*def), 0);
	if (!def) {
		xtr_def_lost();
		return 0;
	}
	now->id = __sync_fetch_and_add(&xtr_next_ring, 1);
	if (bpf_map_update_elem(&xtr_scheds, &key, now, replace ? BPF_ANY : BPF_NOEXIST)) {
		bpf_ringbuf_discard(def, BPF_RB_NO_WAKEUP);
		known = bpf_map_lookup_elem(&xtr_scheds, &key);
		return known ? known->id : 0;
	}
	def->h.ts = bpf_ktime_get_ns();
	def->h.type = XTR_CTL_RING;
	def->h.size = sizeof(*def);
	def->h.tid = 0;
	def->sched = key;
	def->id = now->id;
	def->limit = now->limit;
	__builtin_memcpy(def->name, now->name, sizeof(def->name));
	__builtin_memcpy(def->dev, now->dev, sizeof(def->dev));
	bpf_ringbuf_submit(def, BPF_RB_NO_WAKEUP);
	return now->id;
}

static __always_inline bool xtr_same_text(const char *a, const char *b)
{
	const __u64 *x = (const void *)a, *y = (const void *)b;

#pragma unroll
	for (int i = 0; i < XTR_RING_NAME / 8; i++) {
		if (x[i] != y[i])
			return false;
	}
	return true;
}

static __always_inline bool xtr_same_sched(const struct xtr_sched_state *a,
					   const struct xtr_sched_state *b)
{
	return a->limit == b->limit && xtr_same_text(a->name, b->name) &&
	       xtr_same_text(a->dev, b->dev);
}

/*
 * Ring id of a scheduler. With `check` (when a job is queued) it is compared with the known one, so
 * that a new scheduler in the memory of an old one (a driver was loaded again) gets an id of its
 * own before any job of it runs.
 */
static __always_inline __u32 xtr_ring_id(__u32 type, struct drm_gpu_scheduler *sched, bool check)
{
	struct xtr_sched_state now = {}, *known;
	__u64 key = (__u64)sched;

	if (!sched)
		return 0;
	known = bpf_map_lookup_elem(&xtr_scheds, &key);
	if (known && !check)
		return known->id;
	xtr_sched_look(type, sched, &now);
	if (known && xtr_same_sched(known, &now))
		return known->id;
	return xtr_sched_define(sched, &now, known != NULL);
}

static __always_inline bool xtr_ctx_wanted(__u64 ctx)
{
	return !xtr_filter || bpf_map_lookup_elem(&xtr_ctxs, &ctx);
}

/* A job of a wanted process: its later events, which other threads cause, are wanted too. */
static __always_inline void xtr_ctx_remember(__u64 ctx)
{
	__u64 scheduled = ctx - 1;
	__u8 one = 1;

	if (!xtr_filter || bpf_map_lookup_elem(&xtr_ctxs, &ctx))
		return;
	bpf_map_update_elem(&xtr_ctxs, &ctx, &one, BPF_ANY);
	bpf_map_update_elem(&xtr_ctxs, &scheduled, &one, BPF_ANY);
}

static __always_inline bool xtr_job_wanted(__u64 ctx, __u64 seqno)
{
	return !xtr_choosy || (xtr_ctx_wanted(ctx) && !xtr_job_dropped(ctx, seqno));
}

/*
 * When the jobs of a process execute depends on what else is on their rings: run and done of every
 * job are recorded, whoever submitted it, but nobody's name for the sake of other processes' jobs.
 */
static __always_inline bool xtr_on_hw_wanted(__u64 ctx, __u64 seqno)
{
	return !xtr_choosy || !xtr_job_dropped(ctx, seqno);
}

static __always_inline __u32 xtr_job_task(const struct xtr_emit *e, __u64 ctx)
{
	return xtr_ctx_wanted(ctx) ? xtr_task(e->tid, e->tgid) : XTR_JOB_OTHERS;
}

static __always_inline int xtr_job_queue(void *ctx, struct drm_sched_job *job,
					 struct drm_sched_entity *entity)
{
	struct drm_sched_fence *fence;
	struct drm_gpu_scheduler *sched;
	struct xtr_rec_job_queue *r;
	struct xtr_emit e;
	__u32 ring, stack;
	__u64 fctx, seqno;
	bool mine = true;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, XTR_EV_JOB_QUEUE))
		return 0;
	fence = XTR_READ(XTR_EV_JOB_QUEUE, job, s_fence);
	sched = XTR_READ(XTR_EV_JOB_QUEUE, job, sched);
	fctx = XTR_READ(XTR_EV_JOB_QUEUE, fence, finished.context);
	seqno = XTR_READ(XTR_EV_JOB_QUEUE, fence, finished.seqno);
	if (xtr_choosy) {
		mine = xtr_tgid_wanted(e.tgid);
		if (mine)
			xtr_ctx_remember(fctx);
		if (xtr_job_dropped(fctx, seqno)) {
			xtr_filtered(&e);
			return 0;
		}
	}
	/* Of others' jobs too: their runs are recorded, with what the ring is known as by then. */
	ring = xtr_ring_id(XTR_EV_JOB_QUEUE, sched, true);
	if (!mine) {
		xtr_filtered(&e);
		return 0;
	}
	e.flags = xtr_task(e.tid, e.tgid);
	if (xtr_idle_stacks)
		xtr_follow(e.tid);
	stack = xtr_stacks ? xtr_stack(ctx, &e) : 0;
	r = XTR_RESERVE(&e, struct xtr_rec_job_queue, XTR_EV_JOB_QUEUE);
	if (!r)
		return 0;
	r->ctx = fctx;
	r->seqno = seqno;
	r->client_id = 0;
	r->flags = e.flags;
	if (bpf_core_field_exists(fence->drm_client_id)) {
		r->client_id = XTR_READ(XTR_EV_JOB_QUEUE, fence, drm_client_id);
		r->flags |= XTR_JOB_CLIENT_KNOWN;
	}
	r->ring = ring;
	r->job_count = XTR_READ(XTR_EV_JOB_QUEUE, entity, job_queue.job_count.counter);
	r->hw_job_count = xtr_hw_jobs(XTR_EV_JOB_QUEUE, sched);
	r->stack = stack;
	r->prio = -1;
	if (bpf_core_field_exists(entity->priority))
		r->prio = XTR_READ(XTR_EV_JOB_QUEUE, entity, priority);
	xtr_submit(&e, r);
	return 0;
}

static __always_inline int xtr_job_run(struct drm_sched_job *job, struct drm_sched_entity *entity)
{
	struct drm_sched_fence *fence;
	struct drm_gpu_scheduler *sched;
	struct xtr_rec_job_run *r;
	struct xtr_emit e;
	__u32 ring;
	__u64 fctx, seqno;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, XTR_EV_JOB_RUN))
		return 0;
	fence = XTR_READ(XTR_EV_JOB_RUN, job, s_fence);
	sched = XTR_READ(XTR_EV_JOB_RUN, job, sched);
	fctx = XTR_READ(XTR_EV_JOB_RUN, fence, finished.context);
	seqno = XTR_READ(XTR_EV_JOB_RUN, fence, finished.seqno);
	if (!xtr_on_hw_wanted(fctx, seqno)) {
		xtr_filtered(&e);
		return 0;
	}
	e.flags = xtr_job_task(&e, fctx);
	ring = xtr_ring_id(XTR_EV_JOB_RUN, sched, false);
	r = XTR_RESERVE(&e, struct xtr_rec_job_run, XTR_EV_JOB_RUN);
	if (!r)
		return 0;
	r->ctx = fctx;
	r->seqno = seqno;
	r->ring = ring;
	r->job_count = XTR_READ(XTR_EV_JOB_RUN, entity, job_queue.job_count.counter);
	r->hw_job_count = xtr_hw_jobs(XTR_EV_JOB_RUN, sched);
	r->flags = e.flags;
	xtr_submit(&e, r);
	return 0;
}

/*
 * The hardware's fence of the job (drm_sched_fence.parent, set before the scheduler adds its
 * callback): when it was signalled, by its own time stamp, however late this event comes. The time
 * stamp shares its place with the list of callbacks, so the verifier takes it for a pointer: it is
 * read as bytes.
 */
static __always_inline void xtr_hw_fence(struct xtr_rec_job_done *r, struct dma_fence *hw)
{
	__u32 bit = bpf_core_enum_value(enum dma_fence_flag_bits, DMA_FENCE_FLAG_TIMESTAMP_BIT);
	__s64 at = 0;

	r->hw_ctx = r->hw_seqno = r->hw_age = 0;
	r->hw_error = 0;
	if (!hw)
		return;
	r->flags |= XTR_JOB_HW_FENCE;
	r->hw_ctx = XTR_READ(XTR_EV_JOB_DONE, hw, context);
	r->hw_seqno = XTR_READ(XTR_EV_JOB_DONE, hw, seqno);
	r->hw_error = XTR_READ(XTR_EV_JOB_DONE, hw, error);
	if (!(XTR_READ(XTR_EV_JOB_DONE, hw, flags) & (1UL << (bit & 63))))
		return;
	if (bpf_core_read(&at, sizeof(at), &hw->timestamp) || at <= 0)
		return;
	r->flags |= XTR_JOB_HW_SIGNALED;
	if ((__u64)at < r->h.ts)
		r->hw_age = r->h.ts - (__u64)at;
}

static __always_inline int xtr_job_done(struct drm_sched_fence *fence)
{
	struct drm_gpu_scheduler *sched;
	struct xtr_rec_job_done *r;
	struct xtr_emit e;
	__u32 ring;
	__u64 fctx, seqno;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, XTR_EV_JOB_DONE))
		return 0;
	sched = XTR_READ(XTR_EV_JOB_DONE, fence, sched);
	fctx = XTR_READ(XTR_EV_JOB_DONE, fence, finished.context);
	seqno = XTR_READ(XTR_EV_JOB_DONE, fence, finished.seqno);
	if (!xtr_on_hw_wanted(fctx, seqno)) {
		xtr_filtered(&e);
		return 0;
	}
	e.flags = xtr_job_task(&e, fctx) & XTR_JOB_OTHERS;
	ring = xtr_ring_id(XTR_EV_JOB_DONE, sched, false);
	r = XTR_RESERVE(&e, struct xtr_rec_job_done, XTR_EV_JOB_DONE);
	if (!r)
		return 0;
	r->ctx = fctx;
	r->seqno = seqno;
	r->ring = ring;
	r->hw_job_count = xtr_hw_jobs(XTR_EV_JOB_DONE, sched);
	r->flags = e.flags;
	xtr_hw_fence(r, XTR_READ(XTR_EV_JOB_DONE, fence, parent));
	xtr_submit(&e, r);
	return 0;
}

/* Is dep a scheduler's `scheduled` fence? All of those share the operations of this job's own. */
static __always_inline __u32 xtr_dep_flags(__u32 type, struct drm_sched_fence *fence,
					   struct dma_fence *dep)
{
	const struct dma_fence_ops *ops = XTR_READ(type, dep, ops);
	__u32 bit = bpf_core_enum_value(enum dma_fence_flag_bits, DMA_FENCE_FLAG_SIGNALED_BIT);
	__u32 flags = 0;

	if (XTR_READ(type, dep, flags) & (1UL << (bit & 63)))
		flags |= XTR_JOB_DEP_SIGNALED;
	if (ops && ops == XTR_READ(type, fence, scheduled.ops))
		flags |= XTR_JOB_DEP_SCHEDULED;
	return flags;
}

static __always_inline int xtr_job_dep(struct drm_sched_job *job, struct dma_fence *dep, __u16 type)
{
	struct drm_sched_fence *fence;
	struct xtr_rec_job_dep *r;
	struct xtr_emit e;
	__u32 ring;
	__u64 fctx, seqno, dep_ctx, dep_seqno;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, type))
		return 0;
	fence = XTR_READ(type, job, s_fence);
	fctx = XTR_READ(type, fence, finished.context);
	seqno = XTR_READ(type, fence, finished.seqno);
	dep_ctx = XTR_READ(type, dep, context);
	dep_seqno = XTR_READ(type, dep, seqno);
	if (!xtr_job_wanted(fctx, seqno)) {
		xtr_filtered(&e);
		return 0;
	}
	e.flags = xtr_task(e.tid, e.tgid);
	ring = xtr_ring_id(type, XTR_READ(type, job, sched), false);
	r = XTR_RESERVE(&e, struct xtr_rec_job_dep, type);
	if (!r)
		return 0;
	r->ctx = fctx;
	r->seqno = seqno;
	r->dep_ctx = dep_ctx;
	r->dep_seqno = dep_seqno;
	r->ring = ring;
	r->flags = e.flags | xtr_dep_flags(type, fence, dep);
	xtr_submit(&e, r);
	return 0;
}

/* drivers/gpu/drm/scheduler/gpu_scheduler_trace.h, of 6.1 to 6.16 and of 6.17 on. */
#define XTR_JOB    ((struct drm_sched_job *)ctx->args[0])
#define XTR_ENTITY ((struct drm_sched_entity *)ctx->args[1])
#define XTR_DEP    ((struct dma_fence *)ctx->args[1])
#define XTR_FENCE  ((struct drm_sched_fence *)ctx->args[0])

#define XTR_QUEUE_PROG(name, tracepoint) \
	XTR_PROG(name, tracepoint, XTR_EV_JOB_QUEUE, 0, 0, xtr_job_queue(ctx, XTR_JOB, XTR_ENTITY))
#define XTR_RUN_PROG(name) \
	XTR_PROG(name, #name, XTR_EV_JOB_RUN, 0, 0, xtr_job_run(XTR_JOB, XTR_ENTITY))
#define XTR_DONE_PROG(name) XTR_PROG(name, #name, XTR_EV_JOB_DONE, 0, 0, xtr_job_done(XTR_FENCE))
#define XTR_DEP_PROG(name, type) \
	XTR_PROG(name, #name, type, 0, 1, xtr_job_dep(XTR_JOB, XTR_DEP, type))

XTR_QUEUE_PROG(drm_sched_job_queue, "drm_sched_job_queue")
XTR_RUN_PROG(drm_sched_job_run)
XTR_DONE_PROG(drm_sched_job_done)
XTR_DEP_PROG(drm_sched_job_add_dep, XTR_EV_JOB_ADD_DEP)
XTR_DEP_PROG(drm_sched_job_unschedulable, XTR_EV_JOB_UNSCHEDULABLE)

/* The old name of drm_sched_job_queue is also a struct's. */
XTR_QUEUE_PROG(drm_sched_job_old, "drm_sched_job")
XTR_RUN_PROG(drm_run_job)
XTR_DONE_PROG(drm_sched_process_job)
XTR_DEP_PROG(drm_sched_job_wait_dep, XTR_EV_JOB_WAIT_DEP)

#endif /* XTR_DRM_SCHED_BPF_H */
