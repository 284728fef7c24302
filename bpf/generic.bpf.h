/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Any other tracepoint: one classic program, told by its cookie what to copy. The kernel skips a
 * classic program while another one runs on the CPU (kernel/trace/bpf_trace.c, bpf_prog_active), so
 * no two of them nest and one scratch area per CPU is enough; what was skipped shows in
 * xtr_count.expect.
 */
#ifndef XTR_GENERIC_BPF_H
#define XTR_GENERIC_BPF_H

#define XTR_SCRATCH_USED (16 + XTR_FIXED_MAX + XTR_STRS_MAX * (XTR_STR_MAX + 2) + 8)
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
	xtr_total_count(e, &of);
	return of.take;
}

/* Returns 1: with 0 the kernel would hide the event from every other perf user
 * (perf_trace_run_bpf_submit). */
SEC("tracepoint")
int xtr_generic(void *ctx)
{
	__u32 key = bpf_get_attach_cookie(ctx), zero = 0, pos, i, fixed;
	struct xtr_generic_cfg *cfg = bpf_map_lookup_elem(&xtr_generic_cfgs, &key);
	struct xtr_scratch *s = bpf_map_lookup_elem(&xtr_scratches, &zero);
	__u64 rec = (__u64)ctx;
	struct xtr_emit e;

	if (!cfg || !s || !xtr_where(&e, cfg->slot) || !xtr_generic_wanted(cfg, &e))
		return 1;
	if (!xtr_tgid_wanted(e.tgid)) {
		xtr_filtered(&e);
		return 1;
	}
	if (cfg->sample && !xtr_generic_taken(cfg, &e, rec)) {
		xtr_filtered(&e);
		return 1;
	}
	e.flags = xtr_task(e.tid, e.tgid);
	fixed = cfg->fixed;
	if (fixed > XTR_FIXED_MAX)
		fixed = XTR_FIXED_MAX;
	bpf_probe_read_kernel(s->b + 16, fixed, (void *)(rec + 8));
	pos = 16 + ((fixed + 7) & ~7U);
	for (i = 0; i < XTR_STRS_MAX; i++) {
		if (i >= cfg->n_strs)
			break;
		pos = xtr_put_string(s, pos, rec, cfg->str[i].offset, cfg->str[i].kind);
	}
	pos = (pos + 7) & (XTR_SCRATCH_SIZE / 2 - 8);
	xtr_put_gap(&e);
	xtr_header((struct xtr_rec *)s->b, &e, cfg->type, pos);
	if (bpf_ringbuf_output(e.ring, s->b, pos, xtr_wakeup(&e)))
		xtr_count_lost(&e);
	return 1;
}

#endif /* XTR_GENERIC_BPF_H */
