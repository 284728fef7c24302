/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia_track.h"

#include "format/xtr_format.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_KEYMAP_NONE

int nv_track_open(struct nv_track *t, const struct xtr_meta *meta, const struct xtr_tables *tables)
{
	t->tables = tables;
	t->free = NONE;
	return nv_bind(&t->b, meta);
}

void nv_track_free(struct nv_track *t)
{
	nv_unbind(&t->b);
	xtr_keymap_free(&t->open);
	free(t->call);
}

static uint64_t owner_of(const struct nv_step *s)
{
	return s->on_cpu ? nv_cpu_owner(s->cpu) : s->tid;
}

/* A free call, or NONE if there are too many; -ENOMEM. */
static int64_t call_new(struct nv_track *t)
{
	uint32_t i = t->free;
	struct nv_call *more;

	if (i != NONE) {
		t->free = t->call[i].next_free;
		return i;
	}
	i = t->n_calls;
	if (i == NV_OPEN_CALLS_MAX)
		return NONE;
	if (!(i & (i - 1))) {
		more = reallocarray(t->call, i ? (size_t)i * 2 : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->call = more;
	}
	t->n_calls++;
	return i;
}

/* nvidia_isr_msix calls nvidia_isr for the same interrupt. */
static bool is_nested(const struct nv_track *t, const struct nv_step *s)
{
	uint32_t i = s->role == NV_ISR ? xtr_keymap_get(&t->open, owner_of(s), NV_ISR_MSIX) : NONE;

	return i != NONE && t->call[i].epoch == t->epoch &&
	       t->call[i].v[NV_V_DEVICE] == s->v[NV_V_DEVICE];
}

static int enter(struct nv_track *t, struct nv_step *s, bool inside)
{
	uint64_t owner = owner_of(s);
	int64_t i = xtr_keymap_get(&t->open, owner, s->role);
	struct nv_call *c;

	s->nested = is_nested(t, s);
	if (!s->paired)
		return 0;
	if (i == NONE) {
		i = call_new(t);
		if (i < 0)
			return (int)i;
		if (i == NONE)
			return 0;
		if (xtr_keymap_put(&t->open, owner, s->role, (uint32_t)i))
			return -ENOMEM;
	}
	c = &t->call[i];
	*c = (struct nv_call){ .owner = owner,
			       .begin_ns = s->ts,
			       .epoch = t->epoch,
			       .nested = s->nested,
			       .inside = inside };
	memcpy(c->v, s->v, sizeof(c->v));
	memcpy(c->has, s->has, sizeof(c->has));
	return 0;
}

static void leave(struct nv_track *t, struct nv_step *s)
{
	uint64_t owner = owner_of(s);
	uint32_t i = xtr_keymap_get(&t->open, owner, s->role);
	struct nv_call *c;

	if (i == NONE)
		return;
	c = &t->call[i];
	xtr_keymap_del(&t->open, owner, s->role);
	c->next_free = t->free;
	t->free = i;
	/* After a loss the entry may be that of an earlier call. */
	if (c->epoch != t->epoch)
		return;
	s->entered = true;
	s->begin_ns = c->begin_ns;
	s->begun_inside = c->inside;
	s->nested = c->nested;
	memcpy(s->v, c->v, sizeof(s->v));
	memcpy(s->has, c->has, sizeof(s->has));
}

static void fill(const struct nv_track *t, const struct xtr_event *ev, struct nv_step *s)
{
	const struct xtr_bind *b = s->binding;
	const struct xtr_task *task = NULL;
	uint64_t v;
	uint32_t i;

	s->ts = ev->ts;
	s->tid = ev->tid;
	s->cpu = ev->stream;
	s->on_cpu = xtr_bind_get(b, NV_F_CONTEXT, ev, &v) && v >= XTR_CONTEXT_SOFTIRQ &&
		    v <= XTR_CONTEXT_NMI;
	if (t->tables && ev->tid)
		task = xtr_tables_task(t->tables, ev->tid, ev->ts);
	if (task) {
		s->process = xtr_process_of(task);
		s->comm = xtr_process_comm(t->tables, s->process, ev->ts, task->comm);
	}
	s->ret_known = s->end && xtr_bind_get(b, NV_F_RET, ev, &v);
	s->ret = s->ret_known ? (int64_t)v : 0;
	for (i = 0; i < NV_VALUES; i++)
		s->has[i] = xtr_bind_get(b, i, ev, &s->v[i]);
}

bool nv_track_takes(const struct nv_track *t, uint32_t type)
{
	enum nv_role role;
	bool end;

	return !type || nv_bound(&t->b, type, &role, &end);
}

int nv_track_event(struct nv_track *t, const struct xtr_event *ev, bool inside, struct nv_step *s)
{
	const struct xtr_bind *b;
	enum nv_role role;
	int ret = 0;
	bool end;

	if (ev->gap) {
		t->epoch++;
		return 0;
	}
	b = nv_bound(&t->b, ev->type, &role, &end);
	if (!b)
		return 0;
	*s = (struct nv_step){
		.role = role, .end = end, .paired = t->b.timed[role], .binding = b, .event = ev
	};
	fill(t, ev, s);
	if (end)
		leave(t, s);
	else
		ret = enter(t, s, inside);
	return ret ? ret : 1;
}
