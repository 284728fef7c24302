/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_impl.h"
#include "replay/event/field.h"
#include "replay/event/func_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Events that begin and end calls. A name that ends in '*' is a prefix, and the rest of the event's
 * name is the call's name; else a field gives it, or `fixed` is it. Ends match begins of the same
 * kind with the same name (`named`), or the innermost of the kind.
 *
 * Tracepoints: include/trace/events/{syscalls,irq,sched}.h; dma_fence, func, api: spec/events.md.
 */
static const struct call_rule rules[] = {
	{ .event = "syscalls:sys_enter_*",
	  SIDE_BEGIN,
	  .kind = XTR_CALL_SYSCALL,
	  .named = true,
	  .alone = true },
	{ .event = "syscalls:sys_exit_*",
	  SIDE_END,
	  .kind = XTR_CALL_SYSCALL,
	  .named = true,
	  .alone = true },
	{ .event = "dma_fence:dma_fence_wait_start",
	  SIDE_BEGIN,
	  .kind = XTR_CALL_WAIT,
	  .fixed = "fence wait" },
	{ .event = "dma_fence:dma_fence_wait_end",
	  SIDE_END,
	  .kind = XTR_CALL_WAIT,
	  .fixed = "fence wait" },
	{ .event = "irq:irq_handler_entry",
	  SIDE_BEGIN,
	  OWNER_CPU,
	  XTR_CALL_IRQ,
	  .name_field = "name" },
	{ .event = "irq:irq_handler_exit", SIDE_END, OWNER_CPU, XTR_CALL_IRQ, .fixed = "irq" },
	{ .event = "irq:softirq_entry",
	  SIDE_BEGIN,
	  OWNER_CPU,
	  XTR_CALL_SOFTIRQ,
	  .name_field = "vec" },
	{ .event = "irq:softirq_exit", SIDE_END, OWNER_CPU, XTR_CALL_SOFTIRQ, .name_field = "vec" },
	{ .event = "sched:sched_switch",
	  SIDE_SWITCH,
	  OWNER_CPU_TASK,
	  XTR_CALL_RUNNING,
	  .name_field = "next_comm" },
	{ .event = "func:*", SIDE_BEGIN, .kind = XTR_CALL_FUNCTION, .named = true, .pair = true },
	{ .event = "api:*", SIDE_BEGIN, .kind = XTR_CALL_API, .named = true, .pair = true },
};

static const struct call_rule *find_rule(const char *event)
{
	size_t n;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		n = strlen(rules[i].event) - 1;
		if (rules[i].event[n] == '*' ? !strncmp(event, rules[i].event, n) && event[n]
					     : !strcmp(event, rules[i].event))
			return &rules[i];
	}
	return NULL;
}

/*
 * func:MODULE:NAME begins a call that func:MODULE:NAME:ret ends. Sets side, and name, module and
 * key, all in one allocation: "MODULE\0NAME" behind the key "MODULE:NAME".
 */
static int bind_pair(struct call_binding *b, const struct xtr_meta *meta)
{
	struct func_event f;
	int err = func_event(&f, meta, b->desc);
	size_t n;

	if (err <= 0)
		return err;
	if (!f.other && !f.ret)
		return 0;
	b->side = f.ret ? SIDE_END : SIDE_BEGIN;
	n = f.module_len + 1 + f.name_len;
	b->owned = malloc(2 * n + 2);
	if (!b->owned)
		return -ENOMEM;
	snprintf(b->owned, n + 1, "%s", f.module);
	memcpy(b->owned + n + 1, b->owned, n + 1);
	b->key = b->owned;
	b->module = b->owned + n + 1;
	b->owned[n + 1 + f.module_len] = '\0';
	b->name = b->module + f.module_len + 1;
	return 1;
}

int call_bind(struct call_binding *b, const struct xtr_meta *meta, const struct xtr_event_desc *d)
{
	const struct call_rule *rule = find_rule(d->name);

	if (!rule)
		return 0;
	*b = (struct call_binding){
		.rule = rule,
		.desc = d,
		.side = rule->side,
		.name = rule->named ? d->name + strlen(rule->event) - 1 : rule->fixed,
		.name_field = rule->name_field ? xtr_event_field(d, rule->name_field) : NULL,
		.ret = rule->named ? xtr_event_field(d, "ret") : NULL,
		.next_tid = xtr_event_field(d, "next_pid"),
		.prev_tid = xtr_event_field(d, "prev_pid"),
		.ctx = xtr_event_field(d, "ctx"),
		.seqno = xtr_event_field(d, "seqno"),
		.stack = xtr_field_own_stack(d),
	};
	b->key = b->name;
	if (!rule->pair)
		return 1;
	b->context = xtr_event_field(d, "context");
	b->ctx = b->seqno = NULL;
	return bind_pair(b, meta);
}

void call_unbind(struct call_binding *b)
{
	free(b->owned);
	b->owned = NULL;
}

void call_field_name(char name[CALL_NAME_MAX], const struct xtr_tables *t,
		     const struct xtr_field *f, const struct xtr_event *ev)
{
	const char *s;
	size_t n;
	uint64_t v;

	name[0] = '\0';
	s = xtr_field_string(f, t, ev->rec, ev->size, &n);
	if (!s && xtr_field_get(f, ev->rec, ev->size, &v)) {
		/* "TIMER" instead of 1, if META has a name for it. */
		s = f->names_kind == XTR_NAMES_ENUM ? xtr_field_value_name(f, v) : NULL;
		n = s ? strlen(s) : 0;
		if (!s && f->repr != XTR_REPR_STRID)
			snprintf(name, CALL_NAME_MAX, "%" PRIu64, v);
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

const char *xtr_call_kind_name(unsigned int kind)
{
	return kind < XTR_CALL_KIND_COUNT ? kind_names[kind] : NULL;
}

bool xtr_call_value(const struct xtr_call *c, const char *field, uint64_t *v)
{
	const struct xtr_call_half *const half[] = { &c->entry, &c->exit };
	const struct xtr_field *f;

	*v = 0;
	for (size_t i = 0; i < sizeof(half) / sizeof(half[0]); i++) {
		f = half[i]->desc ? xtr_event_field(half[i]->desc, field) : NULL;
		if (f)
			return xtr_field_get(f, half[i]->rec, half[i]->size, v);
	}
	return false;
}

bool xtr_call_captured(const struct xtr_field *f)
{
	return strcmp(f->name, "context") != 0 && strcmp(f->name, "ret") != 0;
}

bool xtr_call_time(const struct xtr_call *c, uint64_t *ns)
{
	bool known = c->begin_ns && c->end_ns;

	*ns = known ? c->end_ns - c->begin_ns : 0;
	return known;
}
