/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin and end of calls, paired by thread and by CPU, with ends, begins and anything missing. */
#include "named.h"
#include "trace.h"
#include "replay/calls/call.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS_MAX 20000u

static struct named n;
static struct xtr_calls *calls;
static struct xtr_call got[CALLS_MAX];
static char names[CALLS_MAX][64];
static size_t n_got;
static int answer; /* of the callback */

static int take(void *ctx, const struct xtr_call *c)
{
	cr_assert(ctx == &n);
	cr_assert(n_got < CALLS_MAX);
	cr_assert(c->name != NULL);
	cr_assert(c->begin_ns || c->end_ns);
	got[n_got] = *c;
	snprintf(names[n_got], sizeof(names[0]), "%s", c->name);
	got[n_got].name = names[n_got];
	n_got++;
	return answer;
}

static void start(uint32_t max_open)
{
	struct xtr_calls_opts o = { .sz = sizeof(o),
				    .meta = n.meta,
				    .tables = n.tables,
				    .call = take,
				    .ctx = &n,
				    .max_open = max_open };

	cr_assert(!xtr_calls_new(&calls, &o));
}

static void setup(void)
{
	named_init(&n);
	named_describe(&n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_ioctl", "nr:s32:4 ret:s64:8");
	named_describe(&n, "syscalls:sys_enter_read", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_read", "nr:s32:4 ret:s64:8");
	named_describe(&n, "syscalls:sys_enter_", "");
	named_describe(&n, "irq:irq_handler_entry", "irq:s32:4 name:strid:4");
	named_describe(&n, "irq:irq_handler_exit", "irq:s32:4 ret:s32:4");
	named_describe(&n, "irq:softirq_entry", "vec:u32:4");
	named_describe(&n, "irq:softirq_exit", "vec:u32:4");
	named_describe(&n, "sched:sched_switch", "prev_pid:s32:4 next_pid:s32:4 next_comm:str:16");
	named_describe(&n, "gpu:other", "value:u32:4");
	named_task(&n, 7, 5, "game");
	named_task(&n, 8, 5, "helper");
	n_got = 0;
	answer = 0;
	start(0);
}

static void teardown(void)
{
	xtr_calls_free(calls);
	named_free(&n);
}

TestSuite(call, .init = setup, .fini = teardown);

/* Emit and give; whether it was taken for a call. */
static int give(const char *name, uint64_t ts, uint32_t tid, uint32_t cpu)
{
	return xtr_calls_event(calls, named_emit(&n, name, ts, tid, cpu));
}

static void expect(size_t i, enum xtr_call_kind kind, const char *name, uint64_t begin,
		   uint64_t end, uint32_t depth)
{
	cr_assert(i < n_got, "%s", name);
	cr_expect((int)got[i].kind == (int)kind, "%s", name);
	cr_expect(!strcmp(got[i].name, name));
	cr_expect(got[i].begin_ns == begin, "%s", name);
	cr_expect(got[i].end_ns == end, "%s", name);
	cr_expect(got[i].depth == depth, "%s", name);
}

Test(call, a_system_call_with_a_wait_inside)
{
	cr_expect(give("syscalls:sys_enter_ioctl", 10, 7, 1) == 1);
	named_emit(&n, "dma_fence:dma_fence_wait_start", 20, 7, 1);
	named_set(&n, "ctx", 33);
	named_set(&n, "seqno", 44);
	cr_expect(xtr_calls_event(calls, &n.ev) == 1);
	cr_expect(n_got == 0, "nothing has ended");
	cr_expect(give("dma_fence:dma_fence_wait_end", 30, 7, 2) == 1);
	named_emit(&n, "syscalls:sys_exit_ioctl", 40, 7, 2);
	named_set(&n, "ret", (uint64_t)-EINVAL);
	cr_expect(xtr_calls_event(calls, &n.ev) == 1);
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_WAIT, "fence wait", 20, 30, 1);
	cr_expect(got[0].ctx == 33 && got[0].seqno == 44);
	cr_expect(!got[0].ret_known && !got[0].on_cpu && !got[0].gap);
	expect(1, XTR_CALL_SYSCALL, "ioctl", 10, 40, 0);
	cr_expect(got[1].ret_known && got[1].ret == -EINVAL);
	cr_expect(got[1].tid == 7 && got[1].pid == 5);
	cr_expect(got[1].comm == named_string(&n, "game"));
	cr_expect(got[1].stream == 1, "the CPU at its begin");
	cr_expect(xtr_calls_finish(calls) == 0 && n_got == 2);
}

Test(call, other_events_are_none)
{
	cr_expect(give("gpu:other", 10, 7, 0) == 0);
	cr_expect(give("syscalls:sys_enter_", 11, 7, 0) == 0, "a prefix without a name");
	cr_expect(give("gpu_scheduler:drm_sched_job_run", 12, 7, 0) == 0);
	named_emit(&n, "gpu:other", 13, 7, 0);
	n.ev.type = 60000; /* not in META */
	cr_expect(xtr_calls_event(calls, &n.ev) == 0);
	cr_expect(xtr_calls_finish(calls) == 0 && n_got == 0);
}

Test(call, begin_that_is_missing)
{
	named_emit(&n, "syscalls:sys_exit_read", 50, 8, 3);
	cr_expect(xtr_calls_event(calls, &n.ev) == 1);
	give("irq:irq_handler_exit", 60, 0, 3);
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_SYSCALL, "read", 0, 50, 0);
	cr_expect(got[0].tid == 8 && got[0].pid == 5 && got[0].stream == 3);
	expect(1, XTR_CALL_IRQ, "irq", 0, 60, 0);
	cr_expect(got[1].on_cpu);
}

/* What was inside when a call ends has lost its end; what is open at last, too. */
Test(call, ends_that_are_missing)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 0);
	give("dma_fence:dma_fence_wait_start", 20, 7, 0);
	give("syscalls:sys_exit_ioctl", 40, 7, 0);
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_WAIT, "fence wait", 20, 0, 1);
	expect(1, XTR_CALL_SYSCALL, "ioctl", 10, 40, 0);
	give("syscalls:sys_enter_read", 50, 8, 0);
	give("dma_fence:dma_fence_wait_start", 60, 8, 0);
	cr_expect(xtr_calls_finish(calls) == 0);
	cr_assert(n_got == 4);
	expect(2, XTR_CALL_WAIT, "fence wait", 60, 0, 1);
	expect(3, XTR_CALL_SYSCALL, "read", 50, 0, 0);
}

/* A thread is in one system call: the next one says that the last one is over. */
Test(call, system_calls_of_a_thread_do_not_nest)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 0);
	give("dma_fence:dma_fence_wait_start", 15, 7, 0);
	give("syscalls:sys_enter_read", 20, 7, 0);
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_WAIT, "fence wait", 15, 0, 1);
	expect(1, XTR_CALL_SYSCALL, "ioctl", 10, 0, 0);
	give("syscalls:sys_exit_read", 30, 7, 0);
	cr_assert(n_got == 3);
	expect(2, XTR_CALL_SYSCALL, "read", 20, 30, 0);
	/* An exit of another call than the one that is open: neither begin nor end is known. */
	give("syscalls:sys_enter_read", 40, 7, 0);
	give("syscalls:sys_exit_ioctl", 50, 7, 0);
	cr_assert(n_got == 4);
	expect(3, XTR_CALL_SYSCALL, "ioctl", 0, 50, 0);
}

Test(call, threads_do_not_mix)
{
	for (uint32_t tid = 1; tid <= 500; tid++)
		give("syscalls:sys_enter_ioctl", tid, tid, tid % 4);
	for (uint32_t tid = 500; tid; tid -= 2)
		give("syscalls:sys_exit_ioctl", 1500 - tid, tid, tid % 4);
	cr_assert(n_got == 250);
	for (uint32_t tid = 0; tid < 250; tid++) {
		cr_expect(got[tid].tid == 500 - 2 * tid);
		cr_expect(got[tid].begin_ns == got[tid].tid);
		cr_expect(got[tid].end_ns == 1500 - got[tid].tid);
	}
	cr_expect(xtr_calls_finish(calls) == 0 && n_got == 500);
}

static void irq(uint64_t ts, uint32_t cpu, const char *name)
{
	named_emit(&n, "irq:irq_handler_entry", ts, 7, cpu);
	named_set(&n, "name", named_string(&n, name));
	xtr_calls_event(calls, &n.ev);
}

/* Handlers interrupt each other on one CPU; other CPUs have their own. */
Test(call, interrupts_nest)
{
	named_emit(&n, "irq:softirq_entry", 1, 7, 0);
	named_set(&n, "vec", 3);
	xtr_calls_event(calls, &n.ev);
	irq(2, 0, "amdgpu");
	irq(3, 0, "timer");
	irq(4, 1, "i915");
	give("irq:irq_handler_exit", 5, 7, 0);
	give("irq:irq_handler_exit", 6, 7, 0);
	give("irq:irq_handler_exit", 7, 7, 1);
	give("irq:softirq_exit", 8, 7, 0);
	cr_assert(n_got == 4);
	expect(0, XTR_CALL_IRQ, "timer", 3, 5, 2);
	expect(1, XTR_CALL_IRQ, "amdgpu", 2, 6, 1);
	expect(2, XTR_CALL_IRQ, "i915", 4, 7, 0);
	expect(3, XTR_CALL_SOFTIRQ, "3", 1, 8, 0);
	cr_expect(got[0].on_cpu && got[3].on_cpu && got[2].stream == 1);
}

/* As the kernel's description of softirq_entry names its vectors. */
Test(call, numbers_that_have_a_name_are_called_by_it)
{
	static const struct xtr_value_name vectors[] = { { 1, "TIMER" }, { 9, "RCU" } };
	struct xtr_field f = { .name = "vec",
			       .offset = 16,
			       .size = 4,
			       .repr = XTR_REPR_U32,
			       .names_kind = XTR_NAMES_ENUM,
			       .n_names = 2,
			       .names = vectors };
	struct xtr_event_desc d = *xtr_meta_event_by_name(n.meta, "irq:softirq_entry");

	d.fields = &f;
	cr_assert(!xtr_meta_add_event(n.meta, &d));
	xtr_calls_free(calls);
	start(0);
	for (uint32_t v = 8; v < 10; v++) {
		named_emit(&n, "irq:softirq_entry", v, 7, 0);
		named_set(&n, "vec", v);
		xtr_calls_event(calls, &n.ev);
		give("irq:softirq_exit", v, 7, 0);
	}
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_SOFTIRQ, "8", 8, 8, 0);
	expect(1, XTR_CALL_SOFTIRQ, "RCU", 9, 9, 0);
}

static void switch_to(uint64_t ts, uint32_t cpu, uint32_t prev, uint32_t next, const char *comm)
{
	named_emit(&n, "sched:sched_switch", ts, prev, cpu);
	named_set(&n, "prev_pid", prev);
	named_set(&n, "next_pid", next);
	named_text(&n, "next_comm", comm, strlen(comm));
	cr_expect(xtr_calls_event(calls, &n.ev) == 1);
}

Test(call, threads_take_turns_on_a_cpu)
{
	switch_to(10, 0, 0, 7, "game");
	switch_to(15, 1, 0, 8, "0123456789abcdef"); /* no byte 0 */
	switch_to(20, 0, 7, 9, "x");
	switch_to(30, 0, 9, 0, "swapper");
	switch_to(40, 0, 0, 7, "game");
	switch_to(50, 0, 8, 7, "game"); /* 7 left in between: its end is lost */
	cr_assert(n_got == 3);
	expect(0, XTR_CALL_RUNNING, "game", 10, 20, 0);
	cr_expect(got[0].tid == 7 && got[0].pid == 5 && got[0].on_cpu);
	expect(1, XTR_CALL_RUNNING, "x", 20, 30, 0);
	expect(2, XTR_CALL_RUNNING, "game", 40, 0, 0);
	cr_expect(xtr_calls_finish(calls) == 0);
	cr_assert(n_got == 5);
	expect(3, XTR_CALL_RUNNING, "0123456789abcdef", 15, 0, 0);
	expect(4, XTR_CALL_RUNNING, "game", 50, 0, 0);
}

/* The outer of two that begin together says so: it comes later than the inner one. */
Test(call, calls_that_begin_together)
{
	irq(10, 0, "a");
	irq(10, 0, "b");
	irq(12, 0, "c");
	give("irq:irq_handler_exit", 13, 7, 0);
	give("irq:irq_handler_exit", 14, 7, 0);
	give("irq:irq_handler_exit", 15, 7, 0);
	cr_assert(n_got == 3);
	expect(0, XTR_CALL_IRQ, "c", 12, 13, 2);
	expect(1, XTR_CALL_IRQ, "b", 10, 14, 1);
	expect(2, XTR_CALL_IRQ, "a", 10, 15, 0);
	cr_expect(!got[0].begins_with_inner && !got[1].begins_with_inner);
	cr_expect(got[2].begins_with_inner);
}

/* A running thread takes interrupts, which hang on the CPU beside it. */
Test(call, running_and_handlers_are_apart)
{
	switch_to(10, 0, 0, 7, "game");
	irq(12, 0, "gpu");
	switch_to(13, 0, 7, 8, "helper");
	give("irq:irq_handler_exit", 14, 8, 0);
	cr_assert(n_got == 2);
	expect(0, XTR_CALL_RUNNING, "game", 10, 13, 0);
	expect(1, XTR_CALL_IRQ, "gpu", 12, 14, 0);
}

Test(call, gap_inside_is_told)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 0);
	give("syscalls:sys_enter_read", 12, 8, 0);
	give("syscalls:sys_exit_read", 19, 8, 0);
	cr_expect(xtr_calls_event(calls, named_gap(&n, 20, 30)) == 0);
	give("syscalls:sys_enter_read", 31, 8, 0);
	give("syscalls:sys_exit_read", 40, 8, 0);
	give("syscalls:sys_exit_ioctl", 40, 7, 0);
	cr_assert(n_got == 3);
	cr_expect(!got[0].gap && !got[1].gap && got[2].gap);
	/* A begin that is missing may be in it. */
	give("irq:irq_handler_exit", 50, 0, 0);
	cr_expect(got[3].gap);
}

/* The end that is there may be another call's, but for what is left out as a whole. */
Test(call, where_events_are_left_out_pairs_have_no_end)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 0);
	give("dma_fence:dma_fence_wait_start", 12, 8, 0);
	named_gap(&n, 20, 30);
	n.gap.count = 0;
	cr_expect(xtr_calls_event(calls, &n.ev) == 0);
	give("dma_fence:dma_fence_wait_end", 35, 8, 0);
	give("syscalls:sys_exit_ioctl", 40, 7, 0);
	give("syscalls:sys_enter_read", 41, 7, 0);
	give("syscalls:sys_exit_read", 45, 7, 0);
	cr_assert(n_got == 3);
	expect(0, XTR_CALL_WAIT, "fence wait", 12, 35, 0);
	expect(1, XTR_CALL_SYSCALL, "ioctl", 10, 0, 0);
	expect(2, XTR_CALL_SYSCALL, "read", 41, 45, 0);
	cr_expect(got[0].gap && got[1].gap && !got[2].gap);
}

Test(call, where_events_were_lost_pairs_keep_their_end)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 0);
	named_gap(&n, 20, 30);
	n.gap.count = 1;
	cr_expect(xtr_calls_event(calls, &n.ev) == 0);
	give("syscalls:sys_exit_ioctl", 40, 7, 0);
	cr_assert(n_got == 1);
	expect(0, XTR_CALL_SYSCALL, "ioctl", 10, 40, 0);
	cr_expect(got[0].gap);
}

/* Records shorter than their fields: what is missing is not known, nothing is read past the end. */
Test(call, short_records)
{
	const char *const hostile[] = { "irq:irq_handler_entry",  "irq:irq_handler_exit",
					"irq:softirq_entry",      "sched:sched_switch",
					"syscalls:sys_exit_read", "dma_fence:dma_fence_wait_start",
					"syscalls:sys_enter_read" };
	uint32_t full;

	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		full = xtr_meta_event_by_name(n.meta, hostile[i])->size;
		for (uint32_t size = 16; size <= full; size++) {
			named_emit(&n, hostile[i], 100 * i + size, 7, 0);
			memset(n.rec + 16, 0xff, full - 16);
			named_cut(&n, size);
			cr_expect(xtr_calls_event(calls, &n.ev) >= 0, "%s", hostile[i]);
		}
	}
	cr_expect(xtr_calls_finish(calls) == 0 && n_got > 50);
}

/* A string id that no table has, and names longer than are kept. */
Test(call, odd_names)
{
	char text[200];

	named_emit(&n, "irq:irq_handler_entry", 1, 7, 0);
	named_set(&n, "name", 4711);
	xtr_calls_event(calls, &n.ev);
	give("irq:irq_handler_exit", 2, 7, 0);
	expect(0, XTR_CALL_IRQ, "", 1, 2, 0);
	memset(text, 'x', sizeof(text));
	text[199] = '\0';
	irq(3, 0, text);
	give("irq:irq_handler_exit", 4, 7, 0);
	cr_assert(n_got == 2);
	cr_expect(strlen(got[1].name) == 63);
	irq(5, 0, "\xff\x1b[31m\n");
	give("irq:irq_handler_exit", 6, 7, 0);
	expect(2, XTR_CALL_IRQ, "\xff\x1b[31m\n", 5, 6, 0);
}

/* The oldest call, and all of its thread, are given up when too many are open. */
Test(call, open_calls_are_bounded)
{
	xtr_calls_free(calls);
	start(4);
	give("syscalls:sys_enter_ioctl", 1, 100, 0);
	for (uint32_t tid = 1; tid <= 3; tid++)
		give("syscalls:sys_enter_ioctl", 1 + tid, tid, 0);
	give("dma_fence:dma_fence_wait_start", 10, 100, 0);
	cr_assert(n_got == 1, "the first was the thread's own call");
	expect(0, XTR_CALL_SYSCALL, "ioctl", 1, 0, 0);
	give("syscalls:sys_enter_read", 11, 50, 0);
	cr_assert(n_got == 2);
	cr_expect(got[1].tid == 1);
	give("syscalls:sys_exit_ioctl", 12, 1, 0);
	expect(2, XTR_CALL_SYSCALL, "ioctl", 0, 12, 0);
	give("dma_fence:dma_fence_wait_end", 13, 100, 0);
	expect(3, XTR_CALL_WAIT, "fence wait", 10, 13, 0);
}

/* An owner on which calls only begin costs no more with each of them. */
Test(call, depth_is_bounded)
{
	struct timespec t0, t1;
	uint64_t ts = 1;

	xtr_calls_free(calls);
	start(0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	for (uint32_t i = 0; i < 60000 && n_got < CALLS_MAX - 100; i++)
		give("irq:irq_handler_entry", ts++, 7, 0);
	for (uint32_t i = 0; i < 60000 && n_got < CALLS_MAX - 100; i++)
		give("irq:softirq_exit", ts++, 7, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	for (uint32_t i = 0; i < n_got; i++)
		cr_assert(got[i].depth < 64);
	cr_expect(t1.tv_sec - t0.tv_sec < 5);
}

Test(call, what_the_callback_says_stops)
{
	answer = -EPIPE;
	give("syscalls:sys_enter_ioctl", 1, 7, 0);
	cr_expect(give("syscalls:sys_exit_ioctl", 2, 7, 0) == -EPIPE);
	give("syscalls:sys_enter_ioctl", 3, 7, 0);
	give("syscalls:sys_enter_ioctl", 3, 8, 0);
	cr_expect(xtr_calls_finish(calls) == -EPIPE && n_got == 2);
}

/* Two calls of one owner with begin and end lie one in the other or apart. */
static void expect_nested(const struct xtr_call *a, const struct xtr_call *b)
{
	bool handlers_a = a->kind == XTR_CALL_IRQ || a->kind == XTR_CALL_SOFTIRQ;
	bool handlers_b = b->kind == XTR_CALL_IRQ || b->kind == XTR_CALL_SOFTIRQ;

	if (handlers_a != handlers_b || !a->begin_ns || !b->begin_ns || !a->end_ns || !b->end_ns)
		return;
	if (handlers_a ? a->stream != b->stream : a->tid != b->tid)
		return;
	if (a->begin_ns > b->begin_ns || (a->begin_ns == b->begin_ns && a->end_ns < b->end_ns)) {
		const struct xtr_call *t = a;

		a = b;
		b = t;
	}
	cr_expect(b->begin_ns >= a->end_ns || b->end_ns <= a->end_ns,
		  "%s %llu-%llu and %s %llu-%llu", a->name, (unsigned long long)a->begin_ns,
		  (unsigned long long)a->end_ns, b->name, (unsigned long long)b->begin_ns,
		  (unsigned long long)b->end_ns);
}

/* Random events, as if most were lost: each time in order, calls never cross. */
Test(call, random_events_never_cross)
{
	const char *const events[] = { "syscalls:sys_enter_ioctl",
				       "syscalls:sys_exit_ioctl",
				       "syscalls:sys_enter_read",
				       "syscalls:sys_exit_read",
				       "dma_fence:dma_fence_wait_start",
				       "dma_fence:dma_fence_wait_end",
				       "irq:irq_handler_entry",
				       "irq:irq_handler_exit",
				       "irq:softirq_entry",
				       "irq:softirq_exit" };
	uint64_t state = 1;

	xtr_calls_free(calls);
	start(12);
	for (uint64_t ts = 1; ts < 6000; ts++)
		cr_assert(give(events[trace_random(&state, 10)], ts,
			       (uint32_t)trace_random(&state, 8),
			       (uint32_t)trace_random(&state, 3)) == 1);
	cr_assert(!xtr_calls_finish(calls));
	cr_assert(n_got > 2500);
	for (size_t i = 0; i < n_got; i++) {
		cr_expect(!got[i].begin_ns || !got[i].end_ns || got[i].begin_ns < got[i].end_ns);
		for (size_t k = 0; k < i; k++)
			expect_nested(&got[i], &got[k]);
	}
}

Test(call, kinds_have_names)
{
	for (unsigned int i = 0; i < XTR_CALL_KIND_COUNT; i++)
		cr_expect(xtr_call_kind_name(i) != NULL);
	cr_expect(xtr_call_kind_name(XTR_CALL_KIND_COUNT) == NULL);
	cr_expect(!strcmp(xtr_call_kind_name(XTR_CALL_WAIT), "wait"));
}
