/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Any other tracepoint: classic programs, told by a cookie what to record. The kernel skips a
 * classic program while another one runs on the CPU (kernel/trace/bpf_trace.c, bpf_prog_active), so
 * no two of them nest and one scratch area per CPU is enough; what was skipped shows in
 * xtr_count.expect.
 */
#ifndef XTR_GENERIC_BPF_H
#define XTR_GENERIC_BPF_H

#define XTR_SCRATCH_USED (16 + XTR_FIXED_MAX + 8 + XTR_STRS_MAX * (XTR_STR_MAX + 2) + 8)
#define XTR_SCRATCH_SIZE 8192 /* a power of two, so that a mask bounds an offset; half is used */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_generic_cfg);
} xtr_generic_cfgs SEC(".maps");

struct xtr_scratch {
	__u8 b[XTR_SCRATCH_SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_scratch);
} xtr_scratches SEC(".maps");

_Static_assert(XTR_SCRATCH_USED <= XTR_SCRATCH_SIZE / 2, "scratch too small");

/* Copy one string behind pos; returns the position after it. */
static __always_inline __u32 xtr_put_string(struct xtr_scratch *s, __u32 pos, __u64 rec,
					    __u32 offset, __u32 kind)
{
	__u64 from = 0;
	__u32 loc = 0, max;
	long n = 0;

	if (kind == XTR_STR_PTR) {
		bpf_probe_read_kernel(&from, sizeof(from), (void *)(rec + offset));
		max = XTR_STR_MAX;
	} else {
		bpf_probe_read_kernel(&loc, sizeof(loc), (void *)(rec + offset));
		from = rec + (loc & 0xffff);
		if (kind == XTR_STR_REL || kind == XTR_STR_REL_BYTES)
			from += offset + 4;
		max = loc >> 16;
		if (max > XTR_STR_MAX)
			max = XTR_STR_MAX;
	}
	pos &= XTR_SCRATCH_SIZE / 2 - 1;
	if (kind == XTR_STR_LOC_BYTES || kind == XTR_STR_REL_BYTES) {
		if (max && !bpf_probe_read_kernel(s->b + pos + 2, max, (void *)from))
			n = max;
	} else if (from && max) {
		n = bpf_probe_read_kernel_str(s->b + pos + 2, max, (void *)from);
		n = n > 0 ? n - 1 : 0;
	}
	n &= 511; /* n <= XTR_STR_MAX: for the verifier */
	*(__u16 *)(s->b + pos) = n;
	return pos + 2 + n;
}

/* While recording stops, only events whose hit was counted before are taken. */
static __always_inline bool xtr_expected(struct xtr_count *c)
{
	if (!c || (xtr_phase == XTR_PHASE_STOP && c->expect <= 0))
		return false;
	__sync_fetch_and_add(&c->expect, -1);
	return true;
}

static __always_inline bool xtr_generic_wanted(const struct xtr_generic_cfg *cfg,
					       const struct xtr_emit *e)
{
	if (cfg->counted)
		return xtr_phase != XTR_PHASE_OFF && xtr_expected(xtr_count_of(e));
	return xtr_phase == XTR_PHASE_RUN;
}

/* False: it is left out of the sample. */
static __always_inline bool xtr_generic_taken(const struct xtr_generic_cfg *cfg,
					      const struct xtr_emit *e, __u64 rec)
{
	struct xtr_total_of of = { .take = xtr_sample(cfg->sample) };
	__u32 width = cfg->key_width;

	/* Always 8 bytes, as the verifier knows no bound of the width; little-endian. */
	if (width && bpf_probe_read_kernel(&of.key, sizeof(of.key), (void *)(rec + cfg->key_at)))
		of.key = 0;
	if (width < sizeof(of.key))
		of.key &= (1ULL << 8 * width) - 1;
	if (xtr_total_count(e, &of))
		xtr_task(e->tid, e->tgid);
	return of.take;
}

/* Left out for the budget: with its job, if it has one. A sample is divided instead. */
static __always_inline bool xtr_generic_dropped(const struct xtr_generic_cfg *cfg, __u64 rec)
{
	__u32 level, ctx = 0, seqno = 0;

	if (!xtr_budgeted || cfg->sample)
		return false;
	level = xtr_budget_level;
	if (!level || !cfg->ctx_at)
		return level && !xtr_budget_takes(level, bpf_get_prandom_u32());
	bpf_probe_read_kernel(&ctx, sizeof(ctx), (void *)(rec + cfg->ctx_at));
	bpf_probe_read_kernel(&seqno, sizeof(seqno), (void *)(rec + cfg->seqno_at));
	return !xtr_budget_takes(level, xtr_budget_hash(ctx, seqno));
}

/*
 * First step of both programs: what an event is recorded with, or NULL: it is not. Their result is
 * always 1: with 0 the kernel would hide the event from every other perf user
 * (perf_trace_run_bpf_submit).
 */
static __always_inline const struct xtr_generic_cfg *xtr_generic_begin(void *ctx,
								       struct xtr_emit *e,
								       bool samples)
{
	__u32 key = bpf_get_attach_cookie(ctx);
	const struct xtr_generic_cfg *cfg = bpf_map_lookup_elem(&xtr_generic_cfgs, &key);

	if (!cfg || !xtr_where(e, cfg->slot) || !xtr_generic_wanted(cfg, e))
		return NULL;
	if (xtr_choosy && (!xtr_tgid_wanted(e->tgid) || xtr_generic_dropped(cfg, (__u64)ctx))) {
		xtr_filtered(e);
		return NULL;
	}
	if (samples && cfg->sample && !xtr_generic_taken(cfg, e, (__u64)ctx)) {
		xtr_filtered(e);
		return NULL;
	}
	e->flags = xtr_task(e->tid, e->tgid);
	return cfg;
}

SEC("tracepoint")
int xtr_generic(void *ctx)
{
	struct xtr_scratch *s;
	const struct xtr_generic_cfg *cfg;
	__u32 zero = 0, pos, i, fixed;
	__u64 rec = (__u64)ctx;
	struct xtr_emit e;

	s = bpf_map_lookup_elem(&xtr_scratches, &zero);
	cfg = s ? xtr_generic_begin(ctx, &e, true) : NULL;
	if (!cfg)
		return 1;
	fixed = cfg->fixed;
	if (fixed > XTR_FIXED_MAX)
		fixed = XTR_FIXED_MAX;
	*(__u64 *)(s->b + 16 + (fixed & ~7U)) = 0; /* what is behind the last field */
	bpf_probe_read_kernel(s->b + 16, fixed, (void *)(rec + 8));
	pos = 16 + ((fixed + 7) & ~7U);
	if (xtr_stacks && cfg->stack) {
		if (xtr_idle_stacks)
			xtr_follow(e.tid);
		*(__u64 *)(s->b + pos) = xtr_stack(ctx, &e);
		pos += 8;
	}
	for (i = 0; i < XTR_STRS_MAX; i++) {
		if (i >= cfg->n_strs)
			break;
		pos = xtr_put_string(s, pos, rec, cfg->str[i].offset, cfg->str[i].kind);
	}
	pos = (pos + 7) & (XTR_SCRATCH_SIZE / 2 - 8);
	xtr_put_gap(&e);
	xtr_header((struct xtr_rec *)s->b, &e, cfg->type, pos);
	xtr_output(&e, s->b, pos);
	return 1;
}

/*
 * The same for an event without strings, straight from the kernel's record into the ring. How long
 * its record is must stand in the program, so this is only the pattern of such programs: the
 * recorder loads one for each length (recorder/attach/plain_prog.c), with the size in place of
 * XTR_PLAIN_STAND_IN and the copies in place of those here.
 */
SEC("tracepoint")
int xtr_plain(void *ctx)
{
	const struct xtr_generic_cfg *cfg;
	struct xtr_emit e;
	struct xtr_rec *r;

	cfg = xtr_generic_begin(ctx, &e, false);
	if (!cfg)
		return 1;
	xtr_put_gap(&e);
	r = bpf_ringbuf_reserve(e.ring, XTR_PLAIN_STAND_IN, 0);
	if (!r) {
		xtr_count_lost(&e);
		return 1;
	}
	xtr_header(r, &e, cfg->type, 16 + ((cfg->fixed + 7) & ~7U));
	asm volatile(".rept %[n]\n\t"
		     "r1 = *(u64 *)(%[from] + 8)\n\t"
		     "*(u64 *)(%[to] + 16) = r1\n\t"
		     ".endr"
		     :
		     : [n] "i"(XTR_PLAIN_COPIES), [from] "r"(ctx), [to] "r"(r)
		     : "r1", "memory");
	xtr_submit(&e, r);
	return 1;
}

#endif /* XTR_GENERIC_BPF_H */
