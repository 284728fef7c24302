/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack_glue.h"

#include <string.h>

enum rest {
	NOTHING, /* the name ends here, but for what a compiler adds (".isra.0") */
	DIGITS,  /* one or more */
	TAG,     /* 16 hexadecimal digits, then anything */
	SOME,    /* anything, but not nothing */
};

/* Names of the kernel, Linux 5.8 to 6.17, and where they come from. */
static const struct {
	const char *text;
	enum rest rest;
} rules[] = {
	{ "bpf_prog_", TAG },          /* bpf_get_prog_name(), kernel/bpf/core.c */
	{ "bpf_dispatcher_", SOME },   /* DEFINE_BPF_DISPATCHER, include/linux/bpf.h */
	{ "bpf_trampoline_", DIGITS }, /* bpf_trampoline_ksym_add(), kernel/bpf/trampoline.c */
	{ "bpf_get_stack", NOTHING },  /* kernel/bpf/stackmap.c, as the next two */
	{ "bpf_get_stackid", NOTHING },
	{ "__bpf_get_stack", NOTHING },
	{ "bpf_get_stack_raw_tp", NOTHING }, /* kernel/trace/bpf_trace.c, as the next five */
	{ "bpf_get_stack_tp", NOTHING },
	{ "bpf_get_stackid_raw_tp", NOTHING },
	{ "bpf_get_stackid_tp", NOTHING },
	{ "bpf_trace_run", DIGITS },
	{ "trace_call_bpf", NOTHING },
	{ "__bpf_trace_", SOME },                 /* __DECLARE_TRACE, include/trace/bpf_probe.h */
	{ "__traceiter_", SOME },                 /* DEFINE_TRACE_FN, include/linux/tracepoint.h */
	{ "perf_trace_run_bpf_submit", NOTHING }, /* kernel/events/core.c */
	{ "perf_trace_", SOME },                  /* DECLARE_EVENT_CLASS, include/trace/perf.h */
	{ "perf_call_bpf_enter", NOTHING }, /* kernel/trace/trace_syscalls.c, as the next three */
	{ "perf_call_bpf_exit", NOTHING },
	{ "perf_syscall_enter", NOTHING },
	{ "perf_syscall_exit", NOTHING },
};

/* Of a name: what follows the text of a rule. */
static bool rest_is(const char *s, size_t n, enum rest rest)
{
	static const char digits[] = "0123456789", hex[] = "0123456789abcdef";
	size_t i = 0, most = rest == TAG ? 16 : n;
	const char *of = rest == TAG ? hex : digits;

	if (rest == NOTHING)
		return !n || *s == '.';
	if (rest == SOME)
		return n;
	while (i < n && i < most && strchr(of, s[i]) && s[i])
		i++;
	if (rest == TAG)
		return i == 16;
	return i && rest_is(s + i, n - i, NOTHING);
}

/* Code of a file on disk is a program's, whatever its name. */
static bool of_kernel(const struct xtr_tables *t, const struct xtr_frame *f)
{
	size_t n = 0;
	const char *module = f->module ? xtr_tables_string(t, f->module, &n) : NULL;

	return !module || !memchr(module, '/', n);
}

static bool is_glue(const struct xtr_tables *t, const struct xtr_frame *f)
{
	size_t n = 0, len;
	const char *s = f && f->symbol ? xtr_tables_string(t, f->symbol, &n) : NULL;

	if (!s || !of_kernel(t, f))
		return false;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		len = strlen(rules[i].text);
		if (n >= len && !memcmp(s, rules[i].text, len) &&
		    rest_is(s + len, n - len, rules[i].rest))
			return true;
	}
	return false;
}

size_t xtr_stack_glue(const struct xtr_tables *t, const uint32_t *frames, size_t n)
{
	size_t i = 0;

	while (i < n && is_glue(t, xtr_tables_frame(t, frames[i])))
		i++;
	return i < n ? i : 0;
}
