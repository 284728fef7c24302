/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Sampling: whether an event is taken is decided at random, before anything is reserved; how often
 * it happened is counted exactly, by process and key.
 */
#ifndef XTR_TOTAL_BPF_H
#define XTR_TOTAL_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_total_set);
} xtr_totals SEC(".maps");

const volatile __u32 xtr_total_mask; /* number of sets minus one */

static __always_inline __u64 xtr_total_hash(__u64 h, __u64 v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdULL;
	return h ^ h >> 32;
}

static __always_inline void xtr_total_add(__u64 *count, __u64 *taken, bool take)
{
	__sync_fetch_and_add(count, 1);
	if (take)
		__sync_fetch_and_add(taken, 1);
}

/* What is counted: all of it is the key but `take`. Its size counts: see xtr_total_one. */
struct xtr_total_of {
	__u64 key, sub;
	__u32 sub_load, take;
	__u32 slot, tgid; /* of struct xtr_emit */
};

/* The entry of a tag, which is made if need be; NULL: there is no room. */
static __always_inline struct xtr_total *xtr_total_find(__u64 tag, bool *made)
{
	__u32 key = tag >> 32 & xtr_total_mask;
	struct xtr_total_set *set = bpf_map_lookup_elem(&xtr_totals, &key);
	__u64 was;

	*made = false;
	for (int i = 0; set && i < XTR_TOTAL_WAYS; i++) {
		struct xtr_total *t = &set->way[i];

		was = t->tag;
		if (!was) {
			was = __sync_val_compare_and_swap(&t->tag, 0, tag);
			*made = !was;
		}
		if (!was || was == tag)
			return t;
	}
	return NULL;
}

static __always_inline void xtr_total_other(const struct xtr_total_of *of)
{
	const struct xtr_emit e = { .n = bpf_get_smp_processor_id(), .slot = of->slot };
	struct xtr_count *c = xtr_count_of(&e);

	if (c)
		xtr_total_add(&c->other_count, &c->other_taken, of->take);
}

/*
 * Returns whether it made an entry: its process shall have its name in the file, which the caller
 * sees to (xtr_task). Here it would be too deep: programs for calls have used 448 of the 512 bytes
 * of stack where they come here. Not static: the verifier looks at it once, not once for each way
 * that leads to it, which took it a hundred times as long.
 */
__noinline int xtr_total_one(const struct xtr_total_of *of)
{
	struct xtr_total *t;
	__u64 tag;
	bool made;

	if (!of)
		return 0;
	tag = xtr_total_hash(xtr_total_hash(xtr_total_hash(0x9e3779b97f4a7c15ULL,
							   (__u64)of->slot << 32 | of->tgid),
					    of->key),
			     of->sub + of->sub_load) |
	      1;
	t = xtr_total_find(tag, &made);
	if (!t) {
		xtr_total_other(of);
		return 0;
	}
	if (made) {
		t->slot = of->slot;
		t->tgid = of->tgid;
		t->key = of->key;
		t->sub = of->sub;
		t->sub_load = of->sub_load;
		barrier();
		t->ready = 1;
	}
	xtr_total_add(&t->count, &t->taken, of->take);
	return made;
}

/* Count it; returns whether the caller has to announce the task. */
static __always_inline bool xtr_total_count(const struct xtr_emit *e, struct xtr_total_of *of)
{
	of->slot = e->slot;
	of->tgid = e->tgid;
	return xtr_total_one(of);
}

/* A budget divides the share. */
static __always_inline bool xtr_sample(__u32 of)
{
	if (xtr_budgeted)
		of = xtr_budget_level > XTR_BUDGET_LAST ? 0 : of >> (xtr_budget_level & 31);
	return bpf_get_prandom_u32() < of;
}

#endif /* XTR_TOTAL_BPF_H */
