/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The threads that have submitted jobs, of which --idle-stacks records when they leave a CPU and
 * come back (idle.bpf.c). One is followed from its first job on until it ends; where there are too
 * many, the newest ones are not.
 */
#ifndef XTR_FOLLOW_BPF_H
#define XTR_FOLLOW_BPF_H

const volatile bool xtr_idle_stacks;

struct xtr_followed {
	__u64 off, woken; /* ns: it left its CPU; it was woken last; 0: not */
	__u32 state, pad; /* in which it left */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_followed);
} xtr_followed SEC(".maps");

/* The current thread submits a job. Not inline: its variables are not on its callers' stacks. */
static __noinline __attribute__((unused)) int xtr_follow(__u32 tid)
{
	struct xtr_followed f = { 0 };

	if (!bpf_map_lookup_elem(&xtr_followed, &tid))
		bpf_map_update_elem(&xtr_followed, &tid, &f, BPF_NOEXIST);
	return 0;
}

#endif /* XTR_FOLLOW_BPF_H */
