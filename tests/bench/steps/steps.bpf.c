/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What an event by name is made of, step by step: each loaded copy of these programs takes the
 * steps that `steps` names, and no other instruction of the rest.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "steps.h"

const volatile __u32 steps;  /* enum step */
const volatile __u64 number; /* of the system call */

struct task_struct {
	char comm[16];
	unsigned int flags;
} __attribute__((preserve_access_index));

struct inner {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner);
} rings SEC(".maps") = { .values = { &ring } };

struct words {
	__u64 w[8];
};

/* Counters of a CPU; here all work on one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct words);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct words);
} scratches SEC(".maps");

/* In place of a ring: memory of which a record is taken by one addition. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MEMORY_RECORDS);
	__type(key, __u32);
	__type(value, struct words);
} memory SEC(".maps");

__u64 sink;

struct event {
	__u64 ts, id, fields;
};

/* Returns whether the name is that of the event before. */
static __always_inline bool same_name(void)
{
	struct words *last;
	__u32 one = 1;
	__u64 name[2];
	bool same;

	if (steps & STEP_NAME_WORDS) {
		const struct task_struct *task = (void *)bpf_get_current_task_btf();
		const __u64 *words = (const void *)task->comm;

		name[0] = words[0];
		name[1] = words[1];
	} else {
		bpf_get_current_comm(name, sizeof(name));
	}
	last = bpf_map_lookup_elem(&scratches, &one);
	if (!last)
		return false;
	same = last->w[0] == name[0] && last->w[1] == name[1];
	last->w[0] = name[0];
	last->w[1] = name[1];
	return same;
}

static __always_inline void put_output(void *to, const struct event *e, void *ctx)
{
	__u32 zero = 0;
	struct words *s = bpf_map_lookup_elem(&scratches, &zero);

	if (!s)
		return;
	s->w[0] = e->ts;
	s->w[1] = e->id;
	bpf_probe_read_kernel(&s->w[2], 4, ctx + 8);
	bpf_ringbuf_output(to, s, sizeof(*e), BPF_RB_NO_WAKEUP);
}

static __always_inline void put_reserve(void *to, const struct event *e)
{
	struct event *r = bpf_ringbuf_reserve(to, sizeof(*r), 0);

	if (!r)
		return;
	*r = *e;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline void put_memory(struct words *cpu, const struct event *e)
{
	__u32 at = __sync_fetch_and_add(&cpu->w[1], 1) & (MEMORY_RECORDS - 1);
	struct words *r = bpf_map_lookup_elem(&memory, &at);

	if (!r)
		return;
	r->w[1] = e->ts;
	r->w[2] = e->id;
	r->w[3] = e->fields;
	asm volatile("" ::: "memory");
	r->w[0] = sizeof(*e);
}

/* As many fields of the kernel's objects as the program of a job's run takes. */
static __always_inline __u64 eight_fields(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();
	volatile const unsigned int *flags = &task->flags;
	__u64 sum = 0;

	for (int i = 0; i < 8; i++)
		sum += steps & STEP_READS ? BPF_CORE_READ(task, flags) : *flags;
	return sum;
}

/* fields: what the program can load of its context. */
static __always_inline void take_steps(void *ctx, __u64 fields)
{
	struct event e = { .fields = fields };
	struct words *cpu = NULL;
	void *to = NULL;
	__u32 zero = 0;

	if (steps & STEP_WHERE) {
		e.id = bpf_get_current_pid_tgid() + bpf_get_smp_processor_id();
		cpu = bpf_map_lookup_elem(&cpus, &zero);
		to = bpf_map_lookup_elem(&rings, &zero);
		if (!cpu || !to)
			return;
		cpu->w[0]++;
	}
	if (steps & (STEP_NAME_HELPER | STEP_NAME_WORDS))
		e.id += same_name();
	if (steps & (STEP_READS | STEP_LOADS))
		e.id += eight_fields();
	if (steps & STEP_CLOCK)
		e.ts = bpf_ktime_get_ns();
	if (steps & STEP_OUTPUT)
		put_output(to, &e, ctx);
	else if (steps & STEP_RESERVE)
		put_reserve(to, &e);
	else if (steps & STEP_MEMORY)
		put_memory(cpu, &e);
	else
		sink = e.ts + e.id;
}

SEC("tracepoint")
int classic(void *ctx)
{
	take_steps(ctx, *(__u32 *)(ctx + 8));
	return 1;
}

SEC("raw_tp/sys_enter")
int raw(struct bpf_raw_tracepoint_args *ctx)
{
	if (ctx->args[1] == number)
		take_steps(ctx, number);
	return 0;
}

/* Counts hits, beside the classic program. */
SEC("raw_tp/sys_enter")
int hits(void *ctx)
{
	__u32 zero = 0;
	struct words *cpu = bpf_map_lookup_elem(&cpus, &zero);

	if (cpu)
		__sync_fetch_and_add(&cpu->w[2], 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
