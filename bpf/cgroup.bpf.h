/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The control groups of tasks. Each is announced once, with its path, before the first task in it:
 * a group may be gone before the recorder could look for it.
 */
#ifndef XTR_CGROUP_BPF_H
#define XTR_CGROUP_BPF_H

/* Control groups that were announced. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, __u8);
} xtr_cgroups SEC(".maps");

static __always_inline struct kernfs_node *xtr_kernfs_parent(struct kernfs_node *kn)
{
	struct kernfs_node___rcu *rcu = (void *)kn;

	if (bpf_core_field_exists(rcu->__parent))
		return BPF_CORE_READ(rcu, __parent);
	return BPF_CORE_READ(kn, parent);
}

/*
 * Announce the current task's control group, if it was not yet. Where there is no room for it, its
 * tasks go without: the recorder asks /proc. Little stack, as below.
 */
static __noinline int xtr_cgroup_announce(__u64 id)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct kernfs_node *kn, *parent;
	struct xtr_ctl_cgroup *def;
	__u32 at = 0;
	__u8 one = 1;

	if (bpf_map_lookup_elem(&xtr_cgroups, &id))
		return 0;
	def = bpf_ringbuf_reserve(&xtr_ctl, sizeof(*def), 0);
	if (!def)
		return 0;
	kn = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
	for (int i = 0; i < XTR_CGROUP_LEVELS; i++) {
		long n;

		parent = kn ? xtr_kernfs_parent(kn) : NULL;
		if (!parent || at >= XTR_CGROUP_NAMES)
			break;
		n = bpf_probe_read_kernel_str(def->names + (at & (XTR_CGROUP_NAMES - 1)),
					      XTR_CGROUP_NAME, BPF_CORE_READ(kn, name));
		if (n <= 0)
			break;
		at += n;
		kn = parent;
	}
	def->cut = kn && xtr_kernfs_parent(kn);
	def->used = at;
	def->id = id;
	def->h.ts = bpf_ktime_get_ns();
	def->h.type = XTR_CTL_CGROUP;
	def->h.size = sizeof(*def);
	def->h.tid = 0;
	bpf_ringbuf_submit(def, BPF_RB_NO_WAKEUP);
	bpf_map_update_elem(&xtr_cgroups, &id, &one, BPF_ANY);
	return 0;
}

#endif /* XTR_CGROUP_BPF_H */
