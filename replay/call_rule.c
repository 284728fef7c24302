/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Events that begin and end calls. A name that ends in '*' is a prefix, and the rest of the event's
 * name is the call's name; else a field gives it, or `fixed` is it. Ends match begins of the same
 * kind with the same name (`named`), or the innermost of the kind.
 *
 * Tracepoints: include/trace/events/{syscalls,irq,sched}.h; dma_fence: spec/events.md.
 */
static const struct call_rule rules[] = {
	{ "syscalls:sys_enter_*", SIDE_BEGIN, OWNER_THREAD, XTR_CALL_SYSCALL, NULL, NULL, true,
	  true },
	{ "syscalls:sys_exit_*", SIDE_END, OWNER_THREAD, XTR_CALL_SYSCALL, NULL, NULL, true, true },
	{ "dma_fence:dma_fence_wait_start", SIDE_BEGIN, OWNER_THREAD, XTR_CALL_WAIT, "fence wait",
	  NULL, false, false },
	{ "dma_fence:dma_fence_wait_end", SIDE_END, OWNER_THREAD, XTR_CALL_WAIT, "fence wait", NULL,
	  false, false },
	{ "irq:irq_handler_entry", SIDE_BEGIN, OWNER_CPU, XTR_CALL_IRQ, NULL, "name", false,
	  false },
	{ "irq:irq_handler_exit", SIDE_END, OWNER_CPU, XTR_CALL_IRQ, "irq", NULL, false, false },
	{ "irq:softirq_entry", SIDE_BEGIN, OWNER_CPU, XTR_CALL_SOFTIRQ, NULL, "vec", false, false },
	{ "irq:softirq_exit", SIDE_END, OWNER_CPU, XTR_CALL_SOFTIRQ, NULL, "vec", false, false },
	{ "sched:sched_switch", SIDE_SWITCH, OWNER_CPU_TASK, XTR_CALL_RUNNING, NULL, "next_comm",
	  false, false },
};

static const struct call_rule *find_rule(const char *event)
{
	size_t i, n;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		n = strlen(rules[i].event) - 1;
		if (rules[i].event[n] == '*' ? !strncmp(event, rules[i].event, n) && event[n]
					     : !strcmp(event, rules[i].event))
			return &rules[i];
	}
	return NULL;
}

bool call_bind(struct call_binding *b, const struct xtr_event_desc *d)
{
	const struct call_rule *rule = find_rule(d->name);

	if (!rule)
		return false;
	*b = (struct call_binding){
		.rule = rule,
		.name = rule->named ? d->name + strlen(rule->event) - 1 : rule->fixed,
		.name_field = rule->name_field ? xtr_event_field(d, rule->name_field) : NULL,
		.ret = rule->kind == XTR_CALL_SYSCALL ? xtr_event_field(d, "ret") : NULL,
		.next_tid = xtr_event_field(d, "next_pid"),
		.prev_tid = xtr_event_field(d, "prev_pid"),
		.ctx = xtr_event_field(d, "ctx"),
		.seqno = xtr_event_field(d, "seqno"),
	};
	return true;
}

/* "TIMER" instead of 1, if META has a name for it. Names are sorted by value. */
static void enum_name(char *name, const struct xtr_field *f, uint64_t v)
{
	uint32_t lo = 0, hi = f->n_names, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->names[mid].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < f->n_names && f->names[lo].value == v)
		snprintf(name, CALL_NAME_MAX, "%s", f->names[lo].name);
}

void call_field_name(char name[CALL_NAME_MAX], const struct xtr_tables *t,
		     const struct xtr_field *f, const struct xtr_event *ev)
{
	const char *s = NULL;
	size_t n = 0;
	uint64_t v;

	name[0] = '\0';
	if (!f)
		return;
	if (f->repr == XTR_REPR_STR && f->offset <= ev->size && f->size <= ev->size - f->offset) {
		s = (const char *)ev->rec + f->offset;
		n = strnlen(s, f->size);
	} else if (xtr_field_get(f, ev->rec, ev->size, &v)) {
		if (f->repr == XTR_REPR_STRID && t)
			s = xtr_tables_string(t, (uint32_t)v, &n);
		else
			snprintf(name, CALL_NAME_MAX, "%" PRIu64, v);
		if (f->names_kind == XTR_NAMES_ENUM)
			enum_name(name, f, v);
	}
	if (!s)
		return;
	n = n < CALL_NAME_MAX ? n : CALL_NAME_MAX - 1;
	memcpy(name, s, n);
	name[n] = '\0';
}

static const char *const kind_names[] = {
#define KIND_NAME(id, text, help) [XTR_CALL_##id] = text,
	XTR_CALL_KINDS(KIND_NAME)
#undef KIND_NAME
};
static const char *const kind_helps[] = {
#define KIND_HELP(id, text, help) [XTR_CALL_##id] = help,
	XTR_CALL_KINDS(KIND_HELP)
#undef KIND_HELP
};

const char *xtr_call_kind_name(unsigned int kind)
{
	return kind < XTR_CALL_KIND_COUNT ? kind_names[kind] : NULL;
}

const char *xtr_call_kind_help(unsigned int kind)
{
	return kind < XTR_CALL_KIND_COUNT ? kind_helps[kind] : NULL;
}
