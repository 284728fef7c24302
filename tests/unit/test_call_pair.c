/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of kernel functions and libraries: from entry and return events, and the analysis of them.
 */
#include "named.h"
#include "format/xtr_format.h"
#include "analysis/core/analysis.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOT_MAX 64u

static struct named n;
static struct xtr_calls *calls;

/* What was handed out, with the call around it by name. */
static struct {
	struct xtr_call call;
	char name[64], module[64], outer[64], outest[64];
	uint64_t size, handle;
	bool has_size, has_handle;
} got[GOT_MAX];
static size_t n_got;

static int take(void *ctx, const struct xtr_call *c)
{
	const struct xtr_call *outest = c;

	cr_assert(ctx == &n && n_got < GOT_MAX);
	got[n_got].call = *c;
	snprintf(got[n_got].name, 64, "%s", c->name);
	snprintf(got[n_got].module, 64, "%s", c->module ? c->module : "-");
	snprintf(got[n_got].outer, 64, "%s", c->outer ? c->outer->name : "-");
	while (outest->outer)
		outest = outest->outer;
	snprintf(got[n_got].outest, 64, "%s", outest->name);
	got[n_got].has_size = xtr_call_value(c, "size", &got[n_got].size);
	got[n_got].has_handle = xtr_call_value(c, "handle", &got[n_got].handle);
	n_got++;
	return 0;
}

#define ENTRY "context:u32:4 pad:u32:4 "
#define EXIT  "context:u32:4 pad:u32:4 ret:s32:4 hi:u32:4 "

static void setup(void)
{
	struct xtr_calls_opts o = { .sz = sizeof(o), .call = take, .ctx = &n };

	named_init(&n);
	named_describe(&n, "api:libze_loader.so.1:zeMemAllocHost", ENTRY "size:u64:8");
	named_describe(&n, "api:libze_loader.so.1:zeMemAllocHost:ret", EXIT);
	named_describe(&n, "func:intel_vpu:ivpu_bo_create_ioctl", ENTRY "size:u64:8");
	named_describe(&n, "func:intel_vpu:ivpu_bo_create_ioctl:ret", EXIT "handle:u32:4");
	named_describe(&n, "func:intel_vpu:ivpu_hw_irq_handler", ENTRY);
	named_describe(&n, "func:intel_vpu:ivpu_hw_irq_handler:ret", EXIT);
	named_describe(&n, "func:intel_vpu:ivpu_open", ENTRY);
	named_describe(&n, "func:intel_vpu:ivpu_late:ret", EXIT);
	named_describe(&n, "syscalls:sys_enter_ioctl", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_ioctl", "nr:s32:4 ret:s64:8");
	named_task(&n, 7, 5, "infer");
	o.meta = n.meta;
	o.tables = n.tables;
	n_got = 0;
	cr_assert(!xtr_calls_new(&calls, &o));
}

static void teardown(void)
{
	xtr_calls_free(calls);
	named_free(&n);
}

TestSuite(call_pair, .init = setup, .fini = teardown);

static int give(const char *name, uint64_t ts, uint32_t tid, uint32_t cpu)
{
	return xtr_calls_event(calls, named_emit(&n, name, ts, tid, cpu));
}

static int give_with(const char *name, uint64_t ts, const char *field, uint64_t value)
{
	named_emit(&n, name, ts, 7, 1);
	named_set(&n, field, value);
	return xtr_calls_event(calls, &n.ev);
}

Test(call_pair, an_api_call_its_system_call_and_the_function_in_it)
{
	cr_expect(give_with("api:libze_loader.so.1:zeMemAllocHost", 10, "size", 4096) == 1);
	cr_expect(give("syscalls:sys_enter_ioctl", 20, 7, 1) == 1);
	cr_expect(give_with("func:intel_vpu:ivpu_bo_create_ioctl", 30, "size", 4097) == 1);
	cr_expect(give_with("func:intel_vpu:ivpu_bo_create_ioctl:ret", 45, "handle", 3) == 1);
	cr_expect(give("syscalls:sys_exit_ioctl", 50, 7, 1) == 1);
	cr_expect(give_with("api:libze_loader.so.1:zeMemAllocHost:ret", 70, "ret", 0x78000001) ==
		  1);
	cr_assert(n_got == 3);

	cr_expect((int)got[0].call.kind == XTR_CALL_FUNCTION && got[0].call.depth == 2);
	cr_expect(!strcmp(got[0].name, "ivpu_bo_create_ioctl"));
	cr_expect(!strcmp(got[0].module, "intel_vpu"));
	cr_expect(!strcmp(got[0].outer, "ioctl") && !strcmp(got[0].outest, "zeMemAllocHost"));
	cr_expect(got[0].has_size && got[0].size == 4097 && got[0].has_handle &&
		  got[0].handle == 3);
	cr_expect(got[0].call.ret_known && got[0].call.ret == 0 && got[0].call.inner_ns == 0);

	cr_expect(!strcmp(got[1].name, "ioctl") && got[1].call.inner_ns == 15);
	cr_expect(!got[1].has_size, "a system call captures nothing");

	cr_expect((int)got[2].call.kind == XTR_CALL_API && !strcmp(got[2].name, "zeMemAllocHost"));
	cr_expect(!strcmp(got[2].module, "libze_loader.so.1") && !strcmp(got[2].outer, "-"));
	cr_expect(got[2].size == 4096 && !got[2].has_handle && got[2].call.inner_ns == 30);
	cr_expect(got[2].call.ret == 0x78000001 && got[2].call.pid == 5);
}

Test(call_pair, an_entry_alone_is_no_call)
{
	cr_expect(give("func:intel_vpu:ivpu_open", 10, 7, 0) == 0);
	cr_expect(xtr_calls_finish(calls) == 0 && n_got == 0);
}

Test(call_pair, a_return_alone_ends_a_call_that_is_not_seen_to_begin)
{
	cr_expect(give("func:intel_vpu:ivpu_late:ret", 10, 7, 0) == 1);
	cr_assert(n_got == 1);
	cr_expect(!strcmp(got[0].name, "ivpu_late") && !got[0].call.begin_ns);
	cr_expect(got[0].call.exit.desc && !got[0].call.entry.desc && got[0].call.ret_known);
}

/* It interrupts thread 7 on CPU 1, in the middle of a call that is none of its business. */
Test(call_pair, a_function_in_an_interrupt_belongs_to_the_cpu)
{
	give("syscalls:sys_enter_ioctl", 10, 7, 1);
	give_with("func:intel_vpu:ivpu_hw_irq_handler", 20, "context", XTR_CONTEXT_HARDIRQ);
	give_with("func:intel_vpu:ivpu_hw_irq_handler:ret", 30, "context", XTR_CONTEXT_HARDIRQ);
	give("syscalls:sys_exit_ioctl", 40, 7, 1);
	cr_assert(n_got == 2);
	cr_expect(got[0].call.on_cpu && got[0].call.depth == 0 && !strcmp(got[0].outer, "-"));
	cr_expect(!got[1].call.on_cpu && got[1].call.inner_ns == 0);
	/* Where the context is not known, the thread is all there is. */
	give_with("func:intel_vpu:ivpu_hw_irq_handler", 50, "context", XTR_CONTEXT_UNKNOWN);
	give_with("func:intel_vpu:ivpu_hw_irq_handler:ret", 60, "context", XTR_CONTEXT_UNKNOWN);
	cr_assert(n_got == 3);
	cr_expect(!got[2].call.on_cpu);
}

Test(call_pair, recursion_and_a_return_that_is_missing)
{
	const char *in = "func:intel_vpu:ivpu_bo_create_ioctl";
	const char *out = "func:intel_vpu:ivpu_bo_create_ioctl:ret";

	give(in, 10, 7, 0);
	give(in, 20, 7, 0);
	give(out, 30, 7, 0);
	give(out, 40, 7, 0);
	cr_assert(n_got == 2);
	cr_expect(got[0].call.begin_ns == 20 && got[0].call.end_ns == 30);
	cr_expect(got[1].call.begin_ns == 10 && got[1].call.inner_ns == 10);
	/* exit(2) within the call: the library's call never returns. */
	give("api:libze_loader.so.1:zeMemAllocHost", 50, 7, 0);
	cr_expect(xtr_calls_finish(calls) == 0);
	cr_assert(n_got == 3);
	cr_expect(got[2].call.begin_ns == 50 && !got[2].call.end_ns);
}

/* More calls open than the array first holds: it moves, and names and records with it. */
Test(call_pair, many_open_calls_keep_their_records)
{
	for (uint32_t tid = 100; tid < 400; tid++) {
		named_emit(&n, "api:libze_loader.so.1:zeMemAllocHost", tid, tid, 0);
		named_set(&n, "size", tid);
		xtr_calls_event(calls, &n.ev);
	}
	for (uint32_t tid = 100; tid < 100 + GOT_MAX; tid++) {
		give("api:libze_loader.so.1:zeMemAllocHost:ret", 1000 + tid, tid, 0);
		cr_expect(got[tid - 100].size == tid && got[tid - 100].call.tid == tid);
	}
	cr_expect(n_got == GOT_MAX);
	n_got = 0;
	/* A record that is longer than what is kept of it, and one that is cut short. */
	named_emit(&n, "api:libze_loader.so.1:zeMemAllocHost", 2000, 7, 0);
	named_cut(&n, 24);
	xtr_calls_event(calls, &n.ev);
	give("api:libze_loader.so.1:zeMemAllocHost:ret", 2001, 7, 0);
	cr_expect(!got[0].has_size);
	n_got = 0; /* the others come at teardown, unseen */
}

static char *analysed(const struct xtr_select *select, const char *const *events, size_t n_events)
{
	struct xtr_analyses *a;
	struct xtr_json j;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	cr_assert(!xtr_analyses_new(&a, n.meta, n.tables, select, ~0u, 10));
	for (size_t i = 0; i < n_events; i++) {
		named_emit(&n, events[i], 100 + 10 * i, 7, 1);
		cr_assert(!xtr_analyses_event(a, &n.ev));
	}
	cr_assert(!xtr_analyses_finish(a, 1000));
	xtr_json_init(&j, f, false);
	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (!strcmp(xtr_analyses[i]->name, "calls")) {
			cr_assert(xtr_analyses_has(a, i));
			xtr_analyses_json(a, i, &j);
		}
	fclose(f);
	xtr_analyses_free(a);
	return text;
}

static const char *const story[] = {
	"api:libze_loader.so.1:zeMemAllocHost",     /* 100 */
	"func:intel_vpu:ivpu_bo_create_ioctl",      /* 110 */
	"func:intel_vpu:ivpu_bo_create_ioctl:ret",  /* 120 */
	"func:intel_vpu:ivpu_open",                 /* 130: entries only */
	"api:libze_loader.so.1:zeMemAllocHost:ret", /* 140 */
	"func:intel_vpu:ivpu_late:ret",             /* 150: returns only */
	"func:intel_vpu:ivpu_bo_create_ioctl",      /* 160: never returns */
};

Test(call_pair, analysis_counts_and_times_each_function)
{
	char *text = analysed(&(struct xtr_select){ 0 }, story, 7);

	cr_expect(strstr(text, "{\"calls\":5,\"open\":1,\"self_ns\":40,"), "%s", text);
	cr_expect(strstr(text, "{\"call\":\"api:libze_loader.so.1:zeMemAllocHost\",\"calls\":1,"
			       "\"returns_recorded\":true,\"open\":0,\"self_ns\":30,\"total_ns\":"
			       "{\"n\":1,\"sum\":40,"),
		  "%s", text);
	cr_expect(strstr(text, "{\"call\":\"func:intel_vpu:ivpu_bo_create_ioctl\",\"calls\":2,"
			       "\"returns_recorded\":true,\"open\":1,\"self_ns\":10,"),
		  "%s", text);
	cr_expect(strstr(text, "{\"call\":\"func:intel_vpu:ivpu_open\",\"calls\":1,"
			       "\"returns_recorded\":false,\"open\":0,"),
		  "%s", text);
	cr_expect(strstr(text, "{\"call\":\"func:intel_vpu:ivpu_late\",\"calls\":1,"), "%s", text);
	free(text);
}

Test(call_pair, analysis_keeps_to_the_window_and_the_process)
{
	uint32_t mine = 5;
	char *text = analysed(&(struct xtr_select){ .from = 125, .to = 145 }, story, 7);

	/* The library's call touches it, the first function does not. */
	cr_expect(strstr(text, "{\"calls\":2,"), "%s", text);
	free(text);
	text = analysed(&(struct xtr_select){ .pids = &mine, .n_pids = 1 }, story, 7);
	cr_expect(strstr(text, "{\"calls\":5,"), "%s", text);
	free(text);
}
