/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * dma_fence tracepoints: raw, as the tracepoint's own record has context and seqno truncated to 32
 * bits. The fence's operations tell who issued it, in place of the driver and timeline strings,
 * which newer kernels no longer give once a fence is signalled.
 */
#ifndef XTR_DMA_FENCE_BPF_H
#define XTR_DMA_FENCE_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u32);
} xtr_ops SEC(".maps");

__u32 xtr_next_ops = 1;

static __noinline __u32 xtr_ops_id(__u64 ops)
{
	struct xtr_ctl_ops *def;
	__u32 id, *known;

	if (!ops)
		return 0;
	known = bpf_map_lookup_elem(&xtr_ops, &ops);
	if (known)
		return *known;
	def = bpf_ringbuf_reserve(&xtr_ctl, sizeof(*def), 0);
	if (!def) {
		xtr_def_lost();
		return 0;
	}
	id = __sync_fetch_and_add(&xtr_next_ops, 1);
	if (bpf_map_update_elem(&xtr_ops, &ops, &id, BPF_NOEXIST)) {
		bpf_ringbuf_discard(def, BPF_RB_NO_WAKEUP);
		known = bpf_map_lookup_elem(&xtr_ops, &ops);
		return known ? *known : 0;
	}
	def->h.ts = bpf_ktime_get_ns();
	def->h.type = XTR_CTL_OPS;
	def->h.size = sizeof(*def);
	def->h.tid = 0;
	def->ops = ops;
	def->id = id;
	def->pad = 0;
	bpf_ringbuf_submit(def, BPF_RB_NO_WAKEUP);
	return id;
}

/*
 * The fence operations whose init events are wanted, up to the first 0; none: all are. An init
 * event tells whose a fence is; most drivers make more of them than anybody wants to have.
 */
const volatile __u64 xtr_init_ops[XTR_INIT_OPS];

static __always_inline bool xtr_init_wanted(__u64 ops)
{
	bool limited = false;

	for (int i = 0; i < XTR_INIT_OPS && xtr_init_ops[i]; i++) {
		if (xtr_init_ops[i] == ops)
			return true;
		limited = true;
	}
	return !limited;
}

/* A driver whose init events are asked for has one fence context per job: what happens to the job
 * of a wanted process on other threads is wanted too. */
static __always_inline void xtr_init_remember(__u64 ctx)
{
	__u8 one = 1;

	if (xtr_filter && xtr_init_ops[0])
		bpf_map_update_elem(&xtr_ctxs, &ctx, &one, BPF_ANY);
}

static __always_inline bool xtr_fence_wanted(const struct xtr_emit *e, __u16 type, __u64 ctx,
					     __u64 seqno)
{
	if (!xtr_tgid_wanted(e->tgid) && !xtr_ctx_wanted(ctx))
		return false;
	if (type == XTR_EV_FENCE_INIT)
		xtr_init_remember(ctx);
	return !xtr_job_dropped(ctx, seqno);
}

/* What begins something: whose work a fence is, and who waits for it. */
static __always_inline bool xtr_fence_has_stack(__u16 type)
{
	return xtr_stacks && (type == XTR_EV_FENCE_INIT || type == XTR_EV_FENCE_WAIT_START);
}

/* The longer record of those. NULL: there is no room. */
static __always_inline struct xtr_rec_fence *xtr_fence_with_stack(void *ctx, struct xtr_emit *e,
								  __u16 type)
{
	__u32 stack = xtr_stack(ctx, e);
	struct xtr_rec_fence_stack *r = XTR_RESERVE(e, struct xtr_rec_fence_stack, type);

	if (!r)
		return NULL;
	r->stack = stack;
	r->reserved = 0;
	return (struct xtr_rec_fence *)r;
}

static __always_inline int xtr_fence(struct bpf_raw_tracepoint_args *ctx, __u16 type)
{
	struct dma_fence *fence = (struct dma_fence *)ctx->args[0];
	struct xtr_rec_fence *r;
	struct xtr_emit e;
	__u64 fctx, seqno, ops;
	__u32 ops_id;

	if (xtr_phase != XTR_PHASE_RUN || !xtr_where(&e, type))
		return 0;
	fctx = XTR_READ(type, fence, context);
	seqno = XTR_READ(type, fence, seqno);
	ops = (__u64)XTR_READ(type, fence, ops);
	if ((type == XTR_EV_FENCE_INIT && !xtr_init_wanted(ops)) ||
	    (xtr_choosy && !xtr_fence_wanted(&e, type, fctx, seqno))) {
		xtr_filtered(&e);
		return 0;
	}
	xtr_task(e.tid, e.tgid);
	ops_id = xtr_ops_id(ops);
	if (xtr_fence_has_stack(type))
		r = xtr_fence_with_stack(ctx, &e, type);
	else
		r = XTR_RESERVE(&e, struct xtr_rec_fence, type);
	if (!r)
		return 0;
	r->ctx = fctx;
	r->seqno = seqno;
	r->ops = ops_id;
	r->error = XTR_READ(type, fence, error);
	xtr_submit(&e, r);
	return 0;
}

/* include/trace/events/dma_fence.h */
#define XTR_FENCE_PROG(name, type) XTR_PROG(name, #name, type, 0, 0, xtr_fence(ctx, type))

XTR_FENCE_PROG(dma_fence_init, XTR_EV_FENCE_INIT)
XTR_FENCE_PROG(dma_fence_emit, XTR_EV_FENCE_EMIT)
XTR_FENCE_PROG(dma_fence_enable_signal, XTR_EV_FENCE_ENABLE_SIGNAL)
XTR_FENCE_PROG(dma_fence_signaled, XTR_EV_FENCE_SIGNALED)
XTR_FENCE_PROG(dma_fence_wait_start, XTR_EV_FENCE_WAIT_START)
XTR_FENCE_PROG(dma_fence_wait_end, XTR_EV_FENCE_WAIT_END)
XTR_FENCE_PROG(dma_fence_destroy, XTR_EV_FENCE_DESTROY)

#endif /* XTR_DMA_FENCE_BPF_H */
