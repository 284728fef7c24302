/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Calls of kernel functions and of functions in shared libraries: one program for entries, one for
 * returns, told by the cookie what to record. The same code stands in several sections, as the
 * kernel wants to know at loading how a program will be attached.
 */
#ifndef XTR_PROBE_BPF_H
#define XTR_PROBE_BPF_H

/* Bits of the preemption count (include/linux/preempt.h), as this kernel has them. */
const volatile __u32 xtr_preempt_kind; /* 0: unknown; 1: a variable; 2: a field of pcpu_hot */
const volatile __u32 xtr_softirq_bit, xtr_hardirq_mask, xtr_nmi_mask;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_probe_cfg);
} xtr_probe_cfgs SEC(".maps");

/* Arguments kept for the return. A function that never returns leaves its entry: least recently
 * used ones give way. */
struct xtr_saved_key {
	__u32 owner, index;
};

struct xtr_saved {
	__u64 arg[XTR_PROBE_ARGS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct xtr_saved_key);
	__type(value, struct xtr_saved);
} xtr_saved_args SEC(".maps");

static __always_inline __u32 xtr_context(void)
{
	const void *var;
	__u32 count;

	if (!xtr_preempt_kind)
		return XTR_IN_UNKNOWN;
	asm volatile("%0 = %1 ll" : "=r"(var) : "i"(XTR_PATCH_PREEMPT));
	var = bpf_this_cpu_ptr(var);
	if (xtr_preempt_kind == 1)
		count = *(const volatile __u32 *)var;
	else
		count = *(const volatile __u32 *)(var + XTR_PCPU_HOT_PREEMPT);
	if (count & xtr_nmi_mask)
		return XTR_IN_NMI;
	if (count & xtr_hardirq_mask)
		return XTR_IN_HARDIRQ;
	return count & xtr_softirq_bit ? XTR_IN_SOFTIRQ : XTR_IN_TASK;
}

/* In an interrupt a call is the CPU's, else the thread's. */
static __always_inline __u32 xtr_call_owner(const struct xtr_emit *e, __u32 context)
{
	if (e->tid && (context == XTR_IN_TASK || context == XTR_IN_UNKNOWN))
		return e->tid;
	return 1U << 31 | e->n << 3 | context;
}

struct xtr_call {
	struct xtr_emit e;
	const struct xtr_probe_cfg *cfg;
	__u32 index, context; /* index: of cfg */
};

/* All that can be loaded from: XTR_FROM_*. */
struct xtr_values {
	__u64 v[16];
};

/* libbpf has five of the six. */
#if defined(__TARGET_ARCH_x86)
#define XTR_REGS_PARM6(ctx) ((ctx)->r9)
#elif defined(__TARGET_ARCH_arm64)
#define XTR_REGS_PARM6(ctx) (((const struct user_pt_regs *)(ctx))->regs[5])
#else
#define XTR_REGS_PARM6(ctx) 0
#endif

static __always_inline void xtr_arguments(struct pt_regs *ctx, __u64 *v)
{
	v[0] = PT_REGS_PARM1(ctx);
	v[1] = PT_REGS_PARM2(ctx);
	v[2] = PT_REGS_PARM3(ctx);
	v[3] = PT_REGS_PARM4(ctx);
	v[4] = PT_REGS_PARM5(ctx);
	v[5] = XTR_REGS_PARM6(ctx);
}

static __always_inline __u64 xtr_cut(__u64 v, __u32 width)
{
	return width == 1 ? (__u8)v : width == 2 ? (__u16)v : width == 4 ? (__u32)v : v;
}

static __always_inline __u64 xtr_peek(__u64 at, __u32 width, bool user)
{
	__u64 v = 0;

	if (width > sizeof(v))
		return 0;
	if (user ? bpf_probe_read_user(&v, width, (void *)at)
		 : bpf_probe_read_kernel(&v, width, (void *)at))
		return 0;
	return v; /* little-endian */
}

union xtr_load_word {
	__u64 word;
	struct xtr_probe_load l;
};

/* Not static: the verifier looks at it once, not once for each value of each record. how: a struct
 * xtr_probe_load. */
__noinline __u64 xtr_load(__u64 v, __u64 how)
{
	union xtr_load_word w = { .word = how };
	bool user = w.l.flags & XTR_LOAD_USER;

	if (!w.l.n_deref)
		return xtr_cut(v, w.l.width);
	if (w.l.n_deref == 1)
		return xtr_peek(v + w.l.off[0], w.l.width, user);
	v = xtr_peek(v + w.l.off[0], sizeof(v), user);
	return v ? xtr_peek(v + w.l.off[1], w.l.width, user) : 0;
}

static __noinline int xtr_call_save(struct xtr_call *c, struct xtr_values *from)
{
	struct xtr_saved_key key = { .index = c ? c->index | 1 : 0 };
	struct xtr_saved s;

	if (!c || !from)
		return 0;
	key.owner = xtr_call_owner(&c->e, c->context);
	__builtin_memcpy(s.arg, from->v, sizeof(s.arg));
	bpf_map_update_elem(&xtr_saved_args, &key, &s, BPF_ANY);
	return 0;
}

/* A call whose entry was not seen leaves zeroes. */
static __noinline int xtr_call_restore(struct xtr_call *c, struct xtr_values *to)
{
	struct xtr_saved_key key = { .index = c ? c->index : 0 };
	struct xtr_saved *s;

	if (!c || !to)
		return 0;
	key.owner = xtr_call_owner(&c->e, c->context);
	s = bpf_map_lookup_elem(&xtr_saved_args, &key);
	if (!s)
		return 0;
	__builtin_memcpy(&to->v[XTR_FROM_SAVED], s->arg, sizeof(s->arg));
	bpf_map_delete_elem(&xtr_saved_args, &key);
	return 0;
}

struct xtr_rec_call {
	struct xtr_rec h;
	__u32 context, reserved;
};

struct xtr_rec_call_ret {
	struct xtr_rec h;
	__u32 context, reserved;
	__u64 ret;
};

#define XTR_CALL_WORDS (2 + XTR_PROBE_LOADS) /* context, ret, captured values */

/* The record with captured values, put together on the stack. */
static __always_inline void xtr_call_long(struct pt_regs *ctx, struct xtr_call *c, bool is_ret)
{
	const struct xtr_probe_cfg *cfg = c->cfg;
	struct {
		struct xtr_rec h;
		__u64 word[XTR_CALL_WORDS];
	} r = {};
	struct xtr_values from = {};
	__u64 how;
	__u32 size = cfg->size, first = is_ret ? 2 : 1;

	if (is_ret) {
		from.v[XTR_FROM_RET] = PT_REGS_RC(ctx);
		r.word[1] = cfg->ret_width ? xtr_cut(from.v[XTR_FROM_RET], cfg->ret_width) : 0;
		if (cfg->save)
			xtr_call_restore(c, &from);
	} else {
		xtr_arguments(ctx, from.v);
		if (cfg->save)
			xtr_call_save(c, &from);
	}
	if (xtr_stacks && !is_ret && cfg->flags & XTR_PROBE_STACK) {
		if (xtr_idle_stacks)
			xtr_follow(c->e.tid);
		from.v[XTR_FROM_STACK] = xtr_stack(ctx, &c->e);
	}
	r.word[0] = c->context;
	for (__u32 i = 0; i < XTR_PROBE_LOADS; i++) {
		if (i >= cfg->n_loads)
			break;
		how = *(const __u64 *)&cfg->load[i];
		r.word[first + i] = xtr_load(from.v[how & 15], how); /* from: the first byte */
	}
	if (size < sizeof(struct xtr_rec_call) || size > sizeof(r))
		return;
	xtr_put_gap(&c->e);
	xtr_header(&r.h, &c->e, cfg->type, size);
	xtr_output(&c->e, &r, size);
}

static __always_inline void xtr_call_short(struct pt_regs *ctx, struct xtr_call *c, bool is_ret)
{
	if (is_ret && c->cfg->ret_width) {
		struct xtr_rec_call_ret *r =
			XTR_RESERVE(&c->e, struct xtr_rec_call_ret, c->cfg->type);

		if (!r)
			return;
		r->context = c->context;
		r->reserved = 0;
		r->ret = xtr_cut(PT_REGS_RC(ctx), c->cfg->ret_width);
		xtr_submit(&c->e, r);
	} else {
		struct xtr_rec_call *r = XTR_RESERVE(&c->e, struct xtr_rec_call, c->cfg->type);

		if (!r)
			return;
		r->context = c->context;
		r->reserved = 0;
		xtr_submit(&c->e, r);
	}
}

_Static_assert(XTR_PROBE_LOADS == 8, "a mask bounds the number of a load");

/* The value of an entry's load; load: its number plus one. */
static __always_inline __u64 xtr_key_value(const __u64 *args, const struct xtr_probe_cfg *cfg,
					   __u32 load)
{
	__u64 how, i = load;

	if (!load || load > XTR_PROBE_LOADS)
		return 0;
	i--;
	asm volatile("%0 &= 7" : "+r"(i)); /* verifiers up to 6.1 know no bound of it otherwise */
	how = *(const __u64 *)&cfg->load[i];
	return xtr_load(args[how & 7], how); /* from: the first byte, an argument */
}

#define XTR_TAKEN    1 /* What is kept for the return tells it, too. */
#define XTR_ANNOUNCE 2 /* the task, whether the call is taken or not */

/* Entry of a sampled function: what to do with the call, XTR_TAKEN and XTR_ANNOUNCE. */
static __noinline int xtr_call_taken(struct pt_regs *ctx, struct xtr_call *c)
{
	struct xtr_total_of of = {};
	__u64 args[8] = {};
	__u32 sub = 0;

	if (!ctx || !c || !c->cfg)
		return 0;
	xtr_arguments(ctx, args);
	of.take = xtr_sample(c->cfg->sample);
	of.key = xtr_key_value(args, c->cfg, c->cfg->key);
	for (int i = 0; i < XTR_TOTAL_SUBS; i++) {
		if (c->cfg->sub[i].load && c->cfg->sub[i].nr == (__u8)of.key)
			sub = c->cfg->sub[i].load;
	}
	if (sub) {
		of.sub = xtr_key_value(args, c->cfg, sub);
		of.sub_load = sub;
	}
	return (xtr_total_count(&c->e, &of) ? XTR_ANNOUNCE : 0) | (of.take ? XTR_TAKEN : 0);
}

/* Return of a sampled function: was the call taken? */
static __always_inline bool xtr_ret_taken(const struct xtr_call *c)
{
	struct xtr_saved_key key = { .index = c->index };

	key.owner = xtr_call_owner(&c->e, c->context);
	return bpf_map_lookup_elem(&xtr_saved_args, &key) != NULL;
}

/* What an earlier call of the thread kept for its return, which never came. */
static __noinline int xtr_call_forget(struct xtr_call *c)
{
	struct xtr_saved_key owner = { .index = c ? c->index | 1 : 0 };

	if (!c || !c->cfg || !c->cfg->save)
		return 0;
	owner.owner = xtr_call_owner(&c->e, c->context);
	bpf_map_delete_elem(&xtr_saved_args, &owner);
	return 0;
}

static __always_inline bool xtr_call_sampled_out(struct pt_regs *ctx, struct xtr_call *c,
						 bool is_ret)
{
	int what;

	if (is_ret)
		return c->cfg->flags & XTR_PROBE_SAMPLED && !xtr_ret_taken(c);
	if (!c->cfg->sample)
		return false;
	what = xtr_call_taken(ctx, c);
	if (what & XTR_ANNOUNCE)
		xtr_task(c->e.tid, c->e.tgid);
	if (what & XTR_TAKEN)
		return false;
	xtr_call_forget(c);
	return true;
}

/* An interrupt is nobody's: with -p it is left out, whomever it stopped. */
static __always_inline bool xtr_call_wanted(const struct xtr_call *c)
{
	if (!xtr_filter)
		return true;
	if (c->context != XTR_IN_TASK && c->context != XTR_IN_UNKNOWN)
		return false;
	return xtr_tgid_wanted(c->e.tgid);
}

/* Left out, by -p or for the budget. Of a return the entry has decided, of a sample its own share.
 */
static __always_inline bool xtr_call_dropped(struct xtr_call *c, bool is_ret)
{
	if (!xtr_call_wanted(c))
		return true;
	if (is_ret || c->cfg->sample || !xtr_dropped())
		return false;
	xtr_call_forget(c);
	return true;
}

/* Without a return that comes, it is counted here as the entry is. */
static __always_inline void xtr_call_filtered(struct xtr_call *c)
{
	__u32 other = c->index + 1;
	const struct xtr_probe_cfg *ret;

	xtr_filtered(&c->e);
	if (!(c->cfg->flags & XTR_PROBE_SESSION))
		return;
	ret = bpf_map_lookup_elem(&xtr_probe_cfgs, &other);
	if (!ret)
		return;
	c->e.slot = ret->slot;
	xtr_count_filtered(&c->e);
}

static __always_inline void xtr_call_ran(const struct xtr_call *c)
{
	struct xtr_count *count = xtr_count_of(&c->e);

	if (count)
		__sync_fetch_and_add(&count->runs, 1);
}

/*
 * Runs are compared with what the kernel counts, to find what it skipped: with the hits of the
 * probe, from the attaching on; in a session, where there is no such count, entries that asked for
 * their return with the returns that came.
 *
 * Returns 1 if the return of this call need not be looked at.
 */
static __always_inline int xtr_call(struct pt_regs *ctx, bool is_ret)
{
	struct xtr_call c = { .index = 2 * (__u32)bpf_get_attach_cookie(ctx) + is_ret };
	bool ask;

	c.cfg = bpf_map_lookup_elem(&xtr_probe_cfgs, &c.index);
	if (!c.cfg || !(c.cfg->flags & XTR_PROBE_ON) || !xtr_where(&c.e, c.cfg->slot))
		return 1;
	ask = !is_ret && c.cfg->flags & XTR_PROBE_SESSION;
	if (!ask)
		xtr_call_ran(&c);
	if (xtr_phase != XTR_PHASE_RUN)
		return 1;
	c.context = c.cfg->flags & XTR_PROBE_USER ? XTR_IN_TASK : xtr_context();
	if ((xtr_choosy && xtr_call_dropped(&c, is_ret)) || xtr_call_sampled_out(ctx, &c, is_ret)) {
		xtr_call_filtered(&c);
		return 1;
	}
	if (ask)
		xtr_call_ran(&c);
	xtr_task(c.e.tid, c.e.tgid);
	if (c.cfg->n_loads || c.cfg->save)
		xtr_call_long(ctx, &c, is_ret);
	else
		xtr_call_short(ctx, &c, is_ret);
	return 0;
}

static __always_inline bool xtr_session_returns(void *ctx)
{
	register void *arg asm("r1") = ctx;
	register __u64 is_ret asm("r0");

	asm volatile("call %2"
		     : "=r"(is_ret), "+r"(arg)
		     : "i"(XTR_PATCH_SESSION)
		     : "r2", "r3", "r4", "r5", "memory");
	return is_ret & 1;
}

const volatile bool xtr_never;

/*
 * Linux 6.13 and later may give a program of this type a stack per CPU, as kprobes never nest on a
 * CPU. On uprobes the same program can be preempted by itself, and the two would write into each
 * other's variables. No program that has a tail call gets such a stack; the verifier drops this
 * one, which is never reached, after it has seen it.
 */
static __always_inline void xtr_own_stack(void)
{
	if (xtr_never)
		asm volatile("call %0"
			     :
			     : "i"(BPF_FUNC_tail_call)
			     : "r0", "r1", "r2", "r3", "r4", "r5");
}

/* kprobe and kretprobe, uprobe and uretprobe. The perf event is the recorder's own: returning 0
 * spares it the rest. */
SEC("xtr_kprobe/entry")
int xtr_probe_entry(struct pt_regs *ctx)
{
	xtr_own_stack();
	xtr_call(ctx, false);
	return 0;
}

SEC("xtr_kprobe/ret")
int xtr_probe_ret(struct pt_regs *ctx)
{
	xtr_own_stack();
	xtr_call(ctx, true);
	return 0;
}

SEC("xtr_multi/entry")
int xtr_multi_entry(struct pt_regs *ctx)
{
	xtr_call(ctx, false);
	return 0;
}

SEC("xtr_multi/ret")
int xtr_multi_ret(struct pt_regs *ctx)
{
	xtr_call(ctx, true);
	return 0;
}

SEC("xtr_session/both")
int xtr_session(struct pt_regs *ctx)
{
	return xtr_session_returns(ctx) ? xtr_call(ctx, true) & 0 : xtr_call(ctx, false);
}

#endif /* XTR_PROBE_BPF_H */
