/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames of a stack are of recording itself, against stacks whose cut is known. */
#include "replay/event/stack_glue.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define DEEPEST 8u

/* Innermost first; "symbol" of the kernel, or "symbol@module"; "": a frame without a symbol. */
static const struct {
	const char *frame[DEEPEST];
	size_t cut;
} stacks[] = {
	/* raw tracepoints */
	{ { "bpf_prog_6deef7357e7b4530_drm_sched_job@bpf", "bpf_trace_run2",
	    "drm_sched_entity_push_job@gpu_sched", "entry_SYSCALL_64" },
	  2 },
	{ { "bpf_prog_6deef7357e7b4530_drm_sched_job@bpf", "__bpf_trace_run.isra.0",
	    "bpf_trace_run12.cold", "__bpf_trace_drm_sched_job_queue@gpu_sched",
	    "__traceiter_drm_sched_job_queue@gpu_sched", "drm_sched_entity_push_job@gpu_sched" },
	  5 },
	{ { "bpf_get_stackid_raw_tp", "bpf_prog_6deef7357e7b4530", "bpf_trace_run1", "submit" },
	  3 },
	/* typed ones, by way of a trampoline */
	{ { "bpf_prog_0123456789abcdef_x@bpf", "bpf_trampoline_6442466853@bpf", "ioctl" }, 2 },
	/* tracepoints of perf, and those of system calls */
	{ { "bpf_prog_0123456789abcdef_x@bpf", "trace_call_bpf", "perf_trace_run_bpf_submit",
	    "perf_trace_dma_fence", "dma_fence_init" },
	  4 },
	{ { "bpf_prog_0123456789abcdef_x@bpf", "perf_call_bpf_enter.isra.0", "perf_syscall_enter",
	    "syscall_trace_enter" },
	  3 },
	{ { "bpf_prog_0123456789abcdef_x@bpf", "bpf_dispatcher_nop_func", "main@/usr/bin/game" },
	  2 },
	/* never in the middle */
	{ { "drm_ioctl@drm", "bpf_trace_run2", "bpf_prog_0123456789abcdef_x@bpf" }, 0 },
	{ { "bpf_trace_run2", "drm_ioctl@drm", "bpf_trace_run2", "main@/usr/bin/game" }, 1 },
	{ { "bpf_trace_run2", "", "bpf_trace_run2", "main@/usr/bin/game" }, 1 },
	/* never all of it */
	{ { "bpf_prog_0123456789abcdef_x@bpf", "bpf_trace_run2" }, 0 },
	{ { "bpf_trace_run2" }, 0 },
	{ { NULL }, 0 },
	/* names that are only alike */
	{ { "bpf_prog_load", "main@/usr/bin/game" }, 0 },
	{ { "bpf_prog_0123456789abcde_x@bpf", "main@/usr/bin/game" }, 0 },
	{ { "bpf_trace_run", "main@/usr/bin/game" }, 0 },
	{ { "bpf_trace_run2x", "main@/usr/bin/game" }, 0 },
	{ { "__traceiter_", "main@/usr/bin/game" }, 0 },
	{ { "trace_call_bpf_x", "main@/usr/bin/game" }, 0 },
	/* a program's own */
	{ { "bpf_trace_run2@/usr/bin/game", "main@/usr/bin/game" }, 0 },
};

static uint32_t intern(struct xtr_tables *t, const char *text, size_t n)
{
	uint32_t id = 0;

	cr_assert(eq(int, xtr_tables_intern(t, text, n, &id), 0));
	return id;
}

static uint32_t frame(struct xtr_tables *t, const char *text)
{
	const char *at = strchr(text, '@');
	size_t n = at ? (size_t)(at - text) : strlen(text);
	const char *module = at ? at + 1 : "kernel";
	struct xtr_frame f = { .symbol = n ? intern(t, text, n) : 0,
			       .offset = 1,
			       .module = intern(t, module, strlen(module)) };
	uint32_t id = 0;

	cr_assert(eq(int, xtr_tables_intern_frame(t, &f, &id), 0));
	return id;
}

Test(stack_glue, the_leading_run_is_cut_and_nothing_else)
{
	struct xtr_tables *t = xtr_tables_new();
	uint32_t ids[DEEPEST];
	size_t n;

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		for (n = 0; n < DEEPEST && stacks[i].frame[n]; n++)
			ids[n] = frame(t, stacks[i].frame[n]);
		cr_expect(eq(sz, xtr_stack_glue(t, ids, n), stacks[i].cut), "stack %zu", i);
	}
	xtr_tables_free(t);
}

/* Frames whose definition was lost are no glue. */
Test(stack_glue, frames_that_are_not_in_the_file_stay)
{
	struct xtr_tables *t = xtr_tables_new();
	const uint32_t ids[] = { frame(t, "bpf_trace_run2"), 77, frame(t, "bpf_trace_run2") };

	cr_expect(eq(sz, xtr_stack_glue(t, ids, 3), 1));
	cr_expect(eq(sz, xtr_stack_glue(t, ids + 1, 2), 0));
	xtr_tables_free(t);
}
