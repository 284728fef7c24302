/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stacks: taken straight into a record of the control ring, which is submitted if the stack is new
 * and discarded if it is known. Known by a 64-bit hash of its addresses and, as user addresses mean
 * something only in their process and its program, both: a number of a process may be given again,
 * and self_exec_id counts what a process executes (begin_new_exec in fs/exec.c).
 */
#ifndef XTR_STACK_BPF_H
#define XTR_STACK_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
} xtr_stack_ids SEC(".maps");

/* The last id given, of both objects. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} xtr_last_stack SEC(".maps");

/* FNV-1a over words, with the high half folded in. */
static __always_inline __u64 xtr_mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0x100000001b3ULL;
	return h ^ (h >> 29);
}

static __noinline __u64 xtr_stack_hash(struct xtr_ctl_stack *s)
{
	__u64 h = 0xcbf29ce484222325ULL;

	if (!s)
		return 0;
	for (int i = 0; i < XTR_STACK_DEPTH; i++) {
		if (i * 8 >= s->n_kernel)
			break;
		h = xtr_mix(h, s->kernel[i]);
	}
	h = xtr_mix(h, s->tgid);
	h = xtr_mix(h, s->start);
	h = xtr_mix(h, s->exec);
	for (int i = 0; i < XTR_STACK_DEPTH; i++) {
		if (i * 8 >= s->n_user)
			break;
		h = xtr_mix(h, s->user[i]);
	}
	return h;
}

static __always_inline void xtr_stack_owner(struct xtr_ctl_stack *s)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	s->start = BPF_CORE_READ(task, group_leader, start_time);
	s->exec = BPF_CORE_READ(task, self_exec_id);
}

/* Of a kernel thread, which has no program, all is 0. */
static __always_inline void xtr_stack_image(struct xtr_image *image)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	image->start_code = BPF_CORE_READ(mm, start_code);
	image->end_code = BPF_CORE_READ(mm, end_code);
	image->start_data = BPF_CORE_READ(mm, start_data);
	image->end_data = BPF_CORE_READ(mm, end_data);
	image->start_brk = BPF_CORE_READ(mm, start_brk);
	image->start_stack = BPF_CORE_READ(mm, start_stack);
}

/* Id of the current stack, 0 if there was no room to define it. */
static __always_inline __u32 xtr_stack(void *ctx, const struct xtr_emit *e)
{
	__u32 id = 0, zero = 0, *known, *last = bpf_map_lookup_elem(&xtr_last_stack, &zero);
	struct xtr_ctl_stack *s;
	__u64 hash;

	s = last ? bpf_ringbuf_reserve(&xtr_ctl, sizeof(*s), 0) : NULL;
	if (!s) {
		xtr_def_lost();
		return 0;
	}
	s->h.ts = bpf_ktime_get_ns();
	s->h.type = XTR_CTL_STACK;
	s->h.size = sizeof(*s);
	s->h.tid = e->tid;
	s->tgid = e->tgid;
	xtr_stack_owner(s);
	s->n_kernel = bpf_get_stack(ctx, s->kernel, sizeof(s->kernel), 0);
	s->n_user = bpf_get_stack(ctx, s->user, sizeof(s->user), BPF_F_USER_STACK);
	hash = xtr_stack_hash(s);
	known = bpf_map_lookup_elem(&xtr_stack_ids, &hash);
	if (known) {
		id = *known;
		bpf_ringbuf_discard(s, BPF_RB_NO_WAKEUP);
		return id;
	}
	id = __sync_fetch_and_add(last, 1) + 1;
	s->id = id;
	xtr_stack_image(&s->image);
	bpf_ringbuf_submit(s, BPF_RB_NO_WAKEUP);
	bpf_map_update_elem(&xtr_stack_ids, &hash, &id, BPF_NOEXIST);
	return id;
}

#endif /* XTR_STACK_BPF_H */
