/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_impl.h"
#include "replay/event/field.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPEN  65536u
#define DEPTH_MAX 32u /* nothing real nests deeper: ends were lost */

static int bind_all(struct xtr_calls *c)
{
	size_t i, all = xtr_meta_n_events(c->o.meta);
	int err = 0;

	c->binding = calloc(all + 1, sizeof(*c->binding));
	if (!c->binding)
		return -ENOMEM;
	for (i = 0; i < all && !err; i++) {
		const struct xtr_event_desc *d = xtr_meta_event_at(c->o.meta, i);

		err = call_bind(&c->binding[c->n_bindings], c->o.meta, d);
		if (err == 1)
			err = xtr_map_put(&c->by_type, d->type, 0, (uint32_t)c->n_bindings++);
		else if (!err)
			err = call_marker_bind(c, d);
	}
	return err;
}

int xtr_calls_new(struct xtr_calls **out, const struct xtr_calls_opts *o)
{
	struct xtr_calls *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->o = *o;
	if (!c->o.max_open)
		c->o.max_open = MAX_OPEN;
	c->free = c->head = c->tail = NONE;
	err = bind_all(c);
	if (err) {
		xtr_calls_free(c);
		return err;
	}
	*out = c;
	return 0;
}

void xtr_calls_free(struct xtr_calls *c)
{
	if (!c)
		return;
	xtr_map_free(&c->by_type);
	xtr_map_free(&c->top);
	xtr_gaps_free(&c->gaps);
	xtr_gaps_free(&c->left_out);
	for (size_t i = 0; i < c->n_bindings; i++)
		call_unbind(&c->binding[i]);
	for (uint32_t i = c->head; c->open && i != NONE; i = c->open[i].next)
		free(c->open[i].text);
	free(c->binding);
	free(c->marker_event);
	free(c->open);
	free(c);
}

static uint64_t owner_key(enum call_owner owner, uint32_t id)
{
	return (uint64_t)owner << 32 | id;
}

uint32_t call_top(const struct xtr_calls *c, uint64_t owner)
{
	return xtr_map_index(&c->top, owner, 0);
}

static int set_top(struct xtr_calls *c, uint64_t owner, uint32_t i)
{
	if (i != NONE)
		return xtr_map_put(&c->top, owner, 0, i);
	xtr_map_del(&c->top, owner, 0);
	return 0;
}

/* Point each call from `call` outwards at the one around it: the array may have moved. */
static void link_outer(struct xtr_calls *c, struct xtr_call *call, uint32_t below)
{
	for (; below != NONE; below = c->open[below].below) {
		call->outer = &c->open[below].call;
		call = &c->open[below].call;
		if (!c->open[below].key)
			call->name = c->open[below].name;
		call->entry.rec = c->open[below].rec;
	}
	call->outer = NULL;
}

/*
 * Where events are left out, each by itself, the end that was found may be another call's. Calls of
 * functions are left out as a whole, and waits with their fence.
 */
static bool pair_is_sure(const struct xtr_calls *c, const struct xtr_call *call)
{
	return !c->left_out.n || !call->begin_ns || !call->end_ns || call->kind == XTR_CALL_WAIT ||
	       call->kind == XTR_CALL_FUNCTION || call->kind == XTR_CALL_API ||
	       !xtr_gaps_overlap(&c->left_out, call->begin_ns, call->end_ns);
}

int call_hand_out(struct xtr_calls *c, struct xtr_call *call, uint32_t below)
{
	uint64_t last = call->end_ns ? call->end_ns : c->now, ns;

	link_outer(c, call, below);
	if (!pair_is_sure(c, call))
		call->end_ns = 0;
	if (below != NONE && xtr_call_time(call, &ns))
		c->open[below].call.inner_ns += ns;
	call->gap = xtr_gaps_overlap(&c->gaps, call->begin_ns, last);
	return c->o.call(c->o.ctx, call);
}

/* Take call i off its owner's stack (everything inside it has been closed) and hand it out. */
int call_close(struct xtr_calls *c, uint32_t i, uint64_t end)
{
	struct open_call *o = &c->open[i];
	int err = set_top(c, o->owner, o->below);

	if (o->prev != NONE)
		c->open[o->prev].next = o->next;
	else
		c->head = o->next;
	if (o->next != NONE)
		c->open[o->next].prev = o->prev;
	else
		c->tail = o->prev;
	c->n_open--;
	o->call.end_ns = end;
	o->call.entry.rec = o->rec;
	if (!o->key)
		o->call.name = o->name;
	if (o->whole && !end)
		o->call.name = o->whole;
	if (!err)
		err = call_hand_out(c, &o->call, o->below);
	free(o->text);
	o->text = NULL;
	o->below = c->free;
	c->free = i;
	return err;
}

/* Close what this owner has open inside call `outer` (NONE: all), without an end. */
int call_close_inside(struct xtr_calls *c, uint64_t owner, uint32_t outer)
{
	uint32_t i;
	int err = 0;

	while (!err && (i = call_top(c, owner)) != outer)
		err = call_close(c, i, 0);
	return err;
}

/* Close the oldest call and the others of its owner, so that memory stays bounded. */
int call_evict(struct xtr_calls *c)
{
	return call_close_inside(c, c->open[c->head].owner, NONE);
}

int64_t call_alloc(struct xtr_calls *c)
{
	uint32_t i = c->free, cap = c->cap ? c->cap * 2 : 64;
	struct open_call *o;

	if (i != NONE) {
		c->free = c->open[i].below;
		return i;
	}
	if (c->n == c->cap) {
		o = realloc(c->open, (size_t)cap * sizeof(*o));
		if (!o)
			return -ENOMEM;
		c->open = o;
		c->cap = cap;
	}
	return c->n++;
}

void call_set_task(const struct xtr_calls *c, struct xtr_call *call, uint32_t tid, uint64_t ts)
{
	const struct xtr_task *task =
		tid && c->o.tables ? xtr_tables_task(c->o.tables, tid, ts) : NULL;

	call->tid = tid;
	call->pid = task ? task->pid : 0;
	call->nth = task ? task->nth : 0;
	call->comm = task ? task->comm : 0;
}

/* A function that was called in an interrupt belongs to the CPU, whatever thread it interrupted. */
static enum call_owner owner_kind(const struct call_binding *b, const struct xtr_event *ev)
{
	uint64_t context;

	if (xtr_field_get(b->context, ev->rec, ev->size, &context) &&
	    context >= XTR_CONTEXT_SOFTIRQ && context <= XTR_CONTEXT_NMI)
		return OWNER_CPU;
	return b->rule->owner;
}

static uint64_t owner_of(const struct call_binding *b, const struct xtr_event *ev)
{
	enum call_owner owner = owner_kind(b, ev);

	return owner_key(owner, owner == OWNER_THREAD ? ev->tid : ev->stream);
}

/* One half of a pair, as far as its record is kept. */
static struct xtr_call_half half_of(const struct call_binding *b, const struct xtr_event *ev)
{
	uint32_t size = ev->size < XTR_CALL_REC_MAX ? ev->size : XTR_CALL_REC_MAX;

	if (!b->rule->pair)
		return (struct xtr_call_half){ 0 };
	return (struct xtr_call_half){ .desc = b->desc, .rec = ev->rec, .size = size };
}

static void fill(const struct xtr_calls *c, struct open_call *o, const struct call_binding *b,
		 const struct xtr_event *ev, uint32_t tid)
{
	uint64_t v;

	*o = (struct open_call){
		.call = { .kind = b->rule->kind,
			  .name = b->name,
			  .module = b->module,
			  .stream = ev->stream,
			  .on_cpu = owner_kind(b, ev) != OWNER_THREAD },
		.key = b->key,
		.owner = owner_of(b, ev),
	};
	if (!b->name)
		call_field_name(o->name, c->o.tables, b->name_field, ev);
	call_set_task(c, &o->call, tid, ev->ts);
	if (xtr_field_get(b->ctx, ev->rec, ev->size, &v))
		o->call.ctx = v;
	if (xtr_field_get(b->seqno, ev->rec, ev->size, &v))
		o->call.seqno = v;
	/* A switch's stack is that of the thread that leaves. */
	if (b->side == SIDE_BEGIN)
		o->call.stack = xtr_field_stack_id(b->stack, ev->rec, ev->size);
}

/* The innermost call of the binding's kind that this owner has open; `any`: of any name. */
static uint32_t find_open(const struct xtr_calls *c, const struct call_binding *b, uint64_t owner,
			  bool any)
{
	uint32_t i = call_top(c, owner);

	while (i != NONE && (c->open[i].call.kind != b->rule->kind ||
			     (!any && b->rule->named && strcmp(c->open[i].key, b->key))))
		i = c->open[i].below;
	return i;
}

/* Before a call begins: close those whose end was lost, and the oldest if there are too many. */
static int make_room(struct xtr_calls *c, const struct call_binding *b, uint64_t owner)
{
	uint32_t top = call_top(c, owner);
	uint32_t lost = b->rule->alone ? find_open(c, b, owner, true) : NONE;
	int err = 0;

	if (lost != NONE)
		err = call_close_inside(c, owner, c->open[lost].below);
	else if (top != NONE && c->open[top].call.depth + 1 >= DEPTH_MAX)
		err = call_close_inside(c, owner, NONE);
	if (!err && c->n_open >= c->o.max_open)
		err = call_evict(c);
	return err;
}

int call_link(struct xtr_calls *c, uint32_t i)
{
	struct open_call *o = &c->open[i];

	o->below = call_top(c, o->owner);
	if (o->below != NONE) {
		o->call.depth = c->open[o->below].call.depth + 1;
		if (c->open[o->below].call.begin_ns == o->call.begin_ns)
			c->open[o->below].call.begins_with_inner = true;
	}
	o->next = NONE;
	o->prev = c->tail;
	if (c->tail != NONE)
		c->open[c->tail].next = i;
	else
		c->head = i;
	c->tail = i;
	c->n_open++;
	return set_top(c, o->owner, i);
}

static int begin(struct xtr_calls *c, const struct call_binding *b, const struct xtr_event *ev,
		 uint32_t tid)
{
	struct open_call *o;
	int64_t i;
	int err = make_room(c, b, owner_of(b, ev));

	if (err)
		return err;
	i = call_alloc(c);
	if (i < 0)
		return (int)i;
	o = &c->open[i];
	fill(c, o, b, ev, tid);
	o->call.begin_ns = ev->ts;
	o->call.entry = half_of(b, ev);
	if (o->call.entry.desc)
		memcpy(o->rec, ev->rec, o->call.entry.size);
	return call_link(c, (uint32_t)i);
}

static void set_return(struct xtr_call *call, const struct call_binding *b,
		       const struct xtr_event *ev)
{
	uint64_t v;

	call->ret_known = xtr_field_get(b->ret, ev->rec, ev->size, &v);
	call->ret = (int64_t)v;
}

/* An end without a begin: the call began before the trace, or its begin was lost. */
static int end_only(struct xtr_calls *c, const struct call_binding *b, const struct xtr_event *ev)
{
	struct open_call o;

	fill(c, &o, b, ev, ev->tid);
	if (!o.key)
		o.call.name = o.name;
	o.call.end_ns = ev->ts;
	o.call.exit = half_of(b, ev);
	set_return(&o.call, b, ev);
	return call_hand_out(c, &o.call, NONE);
}

/* What is inside the call that ends, and open, has lost its end. */
static int end(struct xtr_calls *c, const struct call_binding *b, const struct xtr_event *ev)
{
	uint64_t owner = owner_of(b, ev);
	uint32_t i = find_open(c, b, owner, false);
	int err;

	if (i == NONE)
		return end_only(c, b, ev);
	err = call_close_inside(c, owner, i);
	if (err)
		return err;
	set_return(&c->open[i].call, b, ev);
	c->open[i].call.exit = half_of(b, ev);
	return call_close(c, i, ev->ts);
}

/* The thread before leaves the CPU, the next one gets it; the idle task is none. */
static int switch_task(struct xtr_calls *c, const struct call_binding *b,
		       const struct xtr_event *ev)
{
	uint32_t i = call_top(c, owner_of(b, ev));
	uint64_t prev, next;
	bool same;
	int err = 0;

	if (!xtr_field_get(b->next_tid, ev->rec, ev->size, &next) ||
	    !xtr_field_get(b->prev_tid, ev->rec, ev->size, &prev))
		return 0;
	if (i != NONE) {
		same = c->open[i].call.tid == (uint32_t)prev;
		err = call_close(c, i, same ? ev->ts : 0);
	}
	if (!err && (uint32_t)next)
		err = begin(c, b, ev, (uint32_t)next);
	return err;
}

bool xtr_calls_take(const struct xtr_calls *c, uint32_t type)
{
	return !type || xtr_map_index(&c->by_type, type, 0) != NONE;
}

void xtr_calls_now(struct xtr_calls *c, uint64_t ts)
{
	if (ts > c->now)
		c->now = ts;
}

static int take_gap(struct xtr_calls *c, const struct xtr_gap *g)
{
	int err = xtr_gaps_add(&c->gaps, g->first, g->last);

	if (!err && xtr_gap_left_out(g))
		err = xtr_gaps_add(&c->left_out, g->first, g->last);
	return err;
}

int xtr_calls_event(struct xtr_calls *c, const struct xtr_event *ev)
{
	const struct call_binding *b;
	uint32_t i;
	int err;

	xtr_calls_now(c, ev->ts);
	if (ev->gap)
		return take_gap(c, ev->gap);
	i = xtr_map_index(&c->by_type, ev->type, 0);
	if (i == NONE)
		return 0;
	if (i >= CALL_MARKERS)
		return call_marker(c, &c->marker_event[i - CALL_MARKERS], ev);
	b = &c->binding[i];
	if (b->side == SIDE_SWITCH)
		err = switch_task(c, b, ev);
	else
		err = b->side == SIDE_BEGIN ? begin(c, b, ev, ev->tid) : end(c, b, ev);
	return err ? err : 1;
}

int xtr_calls_finish(struct xtr_calls *c)
{
	int err = 0;

	while (!err && c->head != NONE)
		err = call_evict(c);
	return err;
}
