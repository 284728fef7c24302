/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * How a record gets into a ring: the one place that reserves, submits, counts what is lost and
 * marks the gap. Every event is in a ring or in xtr_counts.
 *
 * Event records go to a ring per CPU; definitions (tasks, scheduler rings, fence operations,
 * stacks) to one shared control ring, always before the record that needs them, so that a consumer
 * that reads the event rings' positions first and the control ring next knows every definition.
 */
#ifndef XTR_EMIT_BPF_H
#define XTR_EMIT_BPF_H

#define XTR_PF_KTHREAD  0x00200000 /* include/linux/sched.h */
#define XTR_QUERY_EVERY 16         /* records between two looks at the ring's fill */

const volatile __u32 xtr_n_slots = 1;
const volatile __u64 xtr_half_full = 1; /* bytes */
const volatile bool xtr_filter;
const volatile bool xtr_stacks;

/*
 * By type of record: whether its programs are told the types of the tracepoint's arguments
 * (tp_btf), so that they may load fields. Else each field takes a call of the kernel's.
 */
const volatile bool xtr_typed[XTR_SLOT_GENERIC];

/*
 * A field of a kernel's object that an argument of the tracepoint leads to; 0 if it cannot be read.
 * Newer kernels take every argument for one that may be NULL.
 */
#define XTR_READ(type, object, field)                            \
	({                                                       \
		typeof((object)->field) field_ = 0;              \
		if (!xtr_typed[type])                            \
			field_ = BPF_CORE_READ((object), field); \
		else if (object)                                 \
			field_ = (object)->field;                \
		field_;                                          \
	})

volatile __u32 xtr_phase;

const volatile bool xtr_budgeted;
/* xtr_filter or xtr_budgeted: the one thing that is looked at where nothing is left out. */
const volatile bool xtr_choosy;
volatile __u32 xtr_budget_level;

struct xtr_inner_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} xtr_ring_template SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct xtr_inner_ring);
} xtr_rings SEC(".maps") = { .values = { &xtr_ring_template } };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} xtr_ctl SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_count);
} xtr_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_cpu);
} xtr_cpus SEC(".maps");

struct xtr_task_state {
	__u32 tgid, flags;
	__u64 comm[XTR_COMM_LEN / 8];
	__u64 began; /* ns: the thread; numbers are given again */
};

/* The task that this CPU announced last. */
struct xtr_task_cache {
	__u32 tid, pad;
	__u64 comm[XTR_COMM_LEN /
		   8]; /* its name's bytes, those behind the NUL as the kernel has them */
	struct xtr_task_state t;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, __u32);
	__type(value, struct xtr_task_state);
} xtr_tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xtr_task_cache);
} xtr_last_task SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u8);
} xtr_pids SEC(".maps");

/* What a program knows about the event that it handles. */
struct xtr_emit {
	void *ring;
	struct xtr_cpu *cpu;
	__u32 n, slot, tid, tgid, flags; /* n: number of the CPU */
	__u64 began;                     /* ns; 0: this run is not timed */
};

static __always_inline struct xtr_count *xtr_count_of(const struct xtr_emit *e)
{
	__u32 key = e->n * xtr_n_slots + e->slot;

	return bpf_map_lookup_elem(&xtr_counts, &key);
}

static __always_inline bool xtr_same_task(const struct xtr_task_state *a,
					  const struct xtr_task_state *b)
{
	return a->tgid == b->tgid && a->comm[0] == b->comm[0] && a->comm[1] == b->comm[1] &&
	       a->began == b->began;
}

static __always_inline void xtr_def_lost(void)
{
	__u32 n = bpf_get_smp_processor_id();
	struct xtr_cpu *cpu = bpf_map_lookup_elem(&xtr_cpus, &n);

	if (cpu)
		__sync_fetch_and_add(&cpu->defs_lost, 1);
}

/*
 * The current task's name, word by word out of its task_struct: the helper, which clears what is
 * behind the NUL, takes as long as half a clock read.
 */
static __always_inline void xtr_task_comm(__u64 comm[XTR_COMM_LEN / 8])
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 *words = (const void *)task->comm;

	comm[0] = words[0];
	comm[1] = words[1];
}

static __always_inline __u64 xtr_task_began(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();

	return task->start_time;
}

#include "cgroup.bpf.h"

/* Announce the current task if it is not known as it is now. Its flags are in now afterwards. */
static __always_inline int xtr_task_announce(__u32 tid, struct xtr_task_state *now)
{
	struct xtr_task_state *known;
	struct xtr_ctl_task *def;
	struct task_struct *task;
	__u64 cgroup;

	known = bpf_map_lookup_elem(&xtr_tasks, &tid);
	if (known && xtr_same_task(known, now)) {
		now->flags = known->flags;
		return 0;
	}
	task = (struct task_struct *)bpf_get_current_task();
	now->flags = BPF_CORE_READ(task, flags) & XTR_PF_KTHREAD ? XTR_JOB_KTHREAD : 0;
	cgroup = bpf_get_current_cgroup_id();
	xtr_cgroup_announce(cgroup);
	def = bpf_ringbuf_reserve(&xtr_ctl, sizeof(*def), 0);
	if (!def) {
		xtr_def_lost();
		return 1;
	}
	def->cgroup = cgroup;
	def->h.ts = bpf_ktime_get_ns();
	def->h.type = XTR_CTL_TASK;
	def->h.size = sizeof(*def);
	def->h.tid = tid;
	def->tgid = now->tgid;
	def->flags = now->flags;
	def->start = BPF_CORE_READ(task, group_leader, start_time);
	__builtin_memcpy(def->comm, now->comm, sizeof(def->comm));
	bpf_ringbuf_submit(def, BPF_RB_NO_WAKEUP);
	bpf_map_update_elem(&xtr_tasks, &tid, now, BPF_ANY);
	return 0;
}

/*
 * The same, and remember it. Returns its flags. The name is noted before it is announced: where it
 * changes in between, the next event looks again. Little stack: programs for calls come here with
 * 352 of their 512 bytes in use.
 */
static __noinline __u32 xtr_task_changed(struct xtr_task_cache *last, __u32 tid, __u32 tgid)
{
	struct xtr_task_state now = { .tgid = tgid, .began = xtr_task_began() };

	if (!last)
		return 0;
	last->tid = 0; /* an interrupt must not see half of it */
	barrier();
	xtr_task_comm(last->comm);
	bpf_get_current_comm(now.comm, sizeof(now.comm));
	if (xtr_task_announce(tid, &now) == 0) {
		last->t = now;
		barrier();
		last->tid = tid;
	}
	return now.flags;
}

/* Flags of the current task, which is defined on the control ring afterwards. The idle task has no
 * definition. */
static __always_inline __u32 xtr_task(__u32 tid, __u32 tgid)
{
	__u64 comm[XTR_COMM_LEN / 8];
	struct xtr_task_cache *last;
	__u32 zero = 0;

	if (!tid)
		return 0;
	last = bpf_map_lookup_elem(&xtr_last_task, &zero);
	xtr_task_comm(comm);
	if (last && last->tid == tid && last->t.tgid == tgid && last->comm[0] == comm[0] &&
	    last->comm[1] == comm[1] && last->t.began == xtr_task_began())
		return last->t.flags;
	return xtr_task_changed(last, tid, tgid);
}

static __always_inline bool xtr_tgid_wanted(__u32 tgid)
{
	return !xtr_filter || bpf_map_lookup_elem(&xtr_pids, &tgid);
}

static __noinline int xtr_timed(struct xtr_cpu *cpu, __u64 began)
{
	__u64 took = bpf_ktime_get_ns() - began;

	if (!cpu)
		return 0;
	if (took > XTR_TIMED_MAX) {
		cpu->timed_out++;
	} else {
		cpu->timed++;
		cpu->timed_ns += took;
	}
	return 0;
}

/* Last step of a program that had an event, whatever became of it. */
static __always_inline void xtr_ran(const struct xtr_emit *e)
{
	e->cpu->runs++;
	if (e->began)
		xtr_timed(e->cpu, e->began);
}

static __always_inline void xtr_count_filtered(const struct xtr_emit *e)
{
	struct xtr_count *c = xtr_count_of(e);

	if (c)
		__sync_fetch_and_add(&c->filtered, 1);
}

static __always_inline void xtr_filtered(const struct xtr_emit *e)
{
	xtr_count_filtered(e);
	xtr_ran(e);
}

/* First step of every program: where we are. */
static __always_inline bool xtr_where(struct xtr_emit *e, __u32 slot)
{
	__u64 id = bpf_get_current_pid_tgid();

	e->n = bpf_get_smp_processor_id();
	e->slot = slot;
	e->tid = (__u32)id;
	e->tgid = id >> 32;
	e->flags = 0;
	e->ring = bpf_map_lookup_elem(&xtr_rings, &e->n);
	e->cpu = bpf_map_lookup_elem(&xtr_cpus, &e->n);
	e->began = 0;
	if (!e->ring || !e->cpu)
		return false;
	if (!(e->cpu->runs & (XTR_TIMED_EVERY - 1)))
		e->began = bpf_ktime_get_ns();
	return true;
}

/* Count an event that could not be reserved, by cause. The split is approximate, the sum exact. */
static __noinline int xtr_lost(struct xtr_cpu *cpu, struct xtr_count *c, __u64 room)
{
	__u64 now = bpf_ktime_get_ns();

	if (!cpu || !c)
		return 0;
	if (room < 4096)
		__sync_fetch_and_add(&c->full, 1);
	else
		__sync_fetch_and_add(&c->busy, 1);
	__sync_fetch_and_add(&cpu->lost, 1);
	if (!cpu->gap_count)
		cpu->gap_first = now;
	cpu->gap_last = now;
	__sync_fetch_and_add(&cpu->gap_count, 1);
	return 0;
}

static __always_inline void xtr_count_lost(struct xtr_emit *e)
{
	__u64 size = bpf_ringbuf_query(e->ring, BPF_RB_RING_SIZE);
	__u64 used = bpf_ringbuf_query(e->ring, BPF_RB_AVAIL_DATA);

	xtr_lost(e->cpu, xtr_count_of(e), used < size ? size - used : 0);
	xtr_ran(e);
}

/* Put the pending gap before the next record; if there is no room for it, it stays pending. */
static __always_inline void xtr_put_gap(struct xtr_emit *e)
{
	struct xtr_rec_gap *gap;

	if (!e->cpu->gap_count)
		return;
	gap = bpf_ringbuf_reserve(e->ring, sizeof(*gap), 0);
	if (!gap)
		return;
	gap->h.ts = bpf_ktime_get_ns();
	gap->h.type = XTR_REC_GAP;
	gap->h.size = sizeof(*gap);
	gap->h.tid = 0;
	gap->first = e->cpu->gap_first;
	gap->last = e->cpu->gap_last;
	gap->count = __sync_lock_test_and_set(&e->cpu->gap_count, 0);
	bpf_ringbuf_submit(gap, BPF_RB_NO_WAKEUP);
}

/* Wake the recorder once when the ring is half full; it reads on a timer otherwise. */
static __always_inline __u64 xtr_wakeup(struct xtr_emit *e)
{
	if (++e->cpu->seq % XTR_QUERY_EVERY || e->cpu->woken ||
	    bpf_ringbuf_query(e->ring, BPF_RB_AVAIL_DATA) < xtr_half_full)
		return BPF_RB_NO_WAKEUP;
	e->cpu->woken = 1;
	return BPF_RB_FORCE_WAKEUP;
}

static __always_inline void *xtr_header(struct xtr_rec *h, const struct xtr_emit *e, __u16 type,
					__u16 size)
{
	h->ts = bpf_ktime_get_ns();
	h->type = type;
	h->size = size;
	h->tid = e->tid;
	return h;
}

/* Reserve a record of a constant size with its header filled; NULL (and counted) if there is no
 * room. */
#define XTR_RESERVE(e, record_type, event)                                     \
	({                                                                     \
		record_type *rec_;                                             \
		xtr_put_gap(e);                                                \
		rec_ = bpf_ringbuf_reserve((e)->ring, sizeof(record_type), 0); \
		if (rec_)                                                      \
			xtr_header(&rec_->h, e, event, sizeof(record_type));   \
		else                                                           \
			xtr_count_lost(e);                                     \
		rec_;                                                          \
	})

static __always_inline void xtr_submit(struct xtr_emit *e, void *rec)
{
	bpf_ringbuf_submit(rec, xtr_wakeup(e));
	xtr_ran(e);
}

/* The same for a record that was put together elsewhere. */
static __always_inline void xtr_output(struct xtr_emit *e, void *rec, __u64 size)
{
	if (bpf_ringbuf_output(e->ring, rec, size, xtr_wakeup(e)))
		xtr_count_lost(e);
	else
		xtr_ran(e);
}

/* Is a job, or a fence, left out for the budget? Then all of its events are. */
static __always_inline bool xtr_job_dropped(__u64 ctx, __u64 seqno)
{
	return xtr_budgeted && !xtr_budget_takes(xtr_budget_level, xtr_budget_hash(ctx, seqno));
}

/* Is an event that belongs to no job left out for the budget? At random. */
static __always_inline bool xtr_dropped(void)
{
	__u32 level = xtr_budgeted ? xtr_budget_level : 0;

	return level && !xtr_budget_takes(level, bpf_get_prandom_u32());
}

#include "total.bpf.h"

/*
 * The kernel skips a raw tracepoint program while it is running on the CPU: when an event fires in
 * an interrupt on top of the same event, and, since tracepoints leave preemption on (about
 * Linux 6.19), when the task in the program is preempted and the next one has the same event. Where
 * that may be, further programs stand behind the first (xtr_programs, by type: how many there are),
 * and each takes what those before it had to leave: for as long as a task lies preempted in one,
 * all events of that CPU come to the next. A program leaves a token of each event that it takes,
 * the last one picks the token up; an event without one is its own. What all leave is counted by
 * the kernel: misses of the first minus xtr_count.rescued.
 *
 * Between the programs, any number of other events may pass, and the task may move to another CPU.
 * So tokens lie in one table, in a set that the token itself names; other events of the set pick up
 * their own, and few are pending at any time. A token stays behind only if the last program was
 * skipped; the recorder sweeps those out every second.
 */
const volatile __u8 xtr_programs[XTR_SLOT_GENERIC];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, XTR_TOKEN_SETS);
	__type(key, __u32);
	__type(value, struct xtr_token_set);
} xtr_tokens SEC(".maps");

/*
 * Of a typed argument, which is a pointer, the distance from another one: all that the kernel lets
 * a program compute with it. It is the same in both programs, as they run in one thread.
 */
static __always_inline __u64 xtr_token(__u32 type, __u64 a, __u64 b)
{
	__u64 token = bpf_get_current_pid_tgid() * 0x9e3779b97f4a7c15ULL;

	if (xtr_typed[type]) {
		__u64 task = (__u64)bpf_get_current_task_btf();

		a -= task;
		barrier_var(a);
		b -= task;
		barrier_var(b);
	}
	token ^= a ^ b << 1;
	token ^= type * 0xff51afd7ed558ccdULL;
	return (token ^ token >> 32) * 0xc4ceb9fe1a85ec53ULL | 1;
}

static __always_inline struct xtr_token_set *xtr_token_set(__u64 token)
{
	__u32 key = token >> 40 & (XTR_TOKEN_SETS - 1);

	return bpf_map_lookup_elem(&xtr_tokens, &key);
}

static __always_inline void xtr_leave_token(struct xtr_token_set *set, __u64 token)
{
	for (int i = 0; set && i < XTR_TOKEN_WAYS; i++) {
		/* An interrupt or another CPU may want the same place. */
		if (!set->way[i] && !__sync_val_compare_and_swap(&set->way[i], 0, token))
			return;
	}
	if (set)
		set->way[token >> 60 & (XTR_TOKEN_WAYS - 1)] = token;
}

static __always_inline bool xtr_first_begins(__u32 type, __u64 a, __u64 b)
{
	__u64 token;

	if (xtr_phase != XTR_PHASE_RUN)
		return false;
	if (xtr_programs[type] < 2)
		return true;
	token = xtr_token(type, a, b);
	xtr_leave_token(xtr_token_set(token), token);
	return true;
}

/* The n-th program: true if none before it took this event. */
static __always_inline bool xtr_next_begins(__u32 n, __u32 type, __u64 a, __u64 b)
{
	__u64 token = xtr_token(type, a, b);
	struct xtr_token_set *set = xtr_token_set(token);
	bool last = n == xtr_programs[type];
	struct xtr_count *c;
	struct xtr_emit e;

	if (!set || xtr_phase != XTR_PHASE_RUN)
		return false;
	for (int i = 0; i < XTR_TOKEN_WAYS; i++) {
		if (set->way[i] != token)
			continue;
		if (last)
			set->way[i] = 0;
		return false;
	}
	if (!xtr_where(&e, type))
		return false;
	c = xtr_count_of(&e);
	if (!c)
		return false;
	if (!last)
		xtr_leave_token(set, token);
	__sync_fetch_and_add(&c->rescued, 1);
	return true;
}

/*
 * The programs of a tracepoint; its arguments a and b tell its events at one time apart, `emit`
 * records one. Where the kernel has types for them, the recorder makes them programs of the kind
 * tp_btf, which get the same words.
 */
#define XTR_PROG(name, tracepoint, type, a, b, emit)                            \
	SEC("raw_tp/" tracepoint) int name(struct bpf_raw_tracepoint_args *ctx) \
	{                                                                       \
		if (xtr_first_begins(type, ctx->args[a], ctx->args[b]))         \
			emit;                                                   \
		return 0;                                                       \
	}                                                                       \
	XTR_NEXT_PROG(name, 2, tracepoint, type, a, b, emit)                    \
	XTR_NEXT_PROG(name, 3, tracepoint, type, a, b, emit)

#define XTR_NEXT_PROG(name, n, tracepoint, type, a, b, emit)                          \
	SEC("raw_tp/" tracepoint) int name##_##n(struct bpf_raw_tracepoint_args *ctx) \
	{                                                                             \
		if (xtr_next_begins(n, type, ctx->args[a], ctx->args[b]))             \
			emit;                                                         \
		return 0;                                                             \
	}

#endif /* XTR_EMIT_BPF_H */
