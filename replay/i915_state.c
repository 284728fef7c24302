/* SPDX-License-Identifier: BSD-2-Clause */
#include "i915_state.h"

#include <errno.h>
#include <stdlib.h>

void i915_state_init(struct i915_state *s)
{
	*s = (struct i915_state){ .free_request = I915_NONE,
				  .oldest = I915_NONE,
				  .youngest = I915_NONE };
}

void i915_state_free(struct i915_state *s)
{
	xtr_keymap_free(&s->by_name);
	xtr_keymap_free(&s->by_engine);
	free(s->request);
}

uint32_t i915_find(const struct i915_state *s, uint64_t key, uint64_t seqno)
{
	return xtr_keymap_get(&s->by_name, key, seqno);
}

static int64_t alloc(struct i915_state *s)
{
	uint32_t i = s->free_request, more = s->cap_requests ? s->cap_requests * 2 : 64;
	struct i915_request *p;

	if (i != I915_NONE) {
		s->free_request = s->request[i].next;
		return i;
	}
	if (s->n_requests == s->cap_requests) {
		p = reallocarray(s->request, more, sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->request = p;
		s->cap_requests = more;
	}
	return s->n_requests++;
}

static void append(struct i915_state *s, uint32_t i)
{
	s->request[i].next = I915_NONE;
	s->request[i].prev = s->youngest;
	if (s->youngest != I915_NONE)
		s->request[s->youngest].next = i;
	else
		s->oldest = i;
	s->youngest = i;
	s->n_open++;
}

static void unlink_request(struct i915_state *s, uint32_t i)
{
	const struct i915_request *r = &s->request[i];

	if (r->prev != I915_NONE)
		s->request[r->prev].next = r->next;
	else
		s->oldest = r->next;
	if (r->next != I915_NONE)
		s->request[r->next].prev = r->prev;
	else
		s->youngest = r->prev;
	s->n_open--;
}

void i915_request_forget(struct i915_state *s, uint32_t i)
{
	struct i915_request *r = &s->request[i];

	i915_guc_leave(s, r);
	xtr_keymap_del(&s->by_name, r->key, r->seqno);
	unlink_request(s, i);
	r->next = s->free_request;
	s->free_request = i;
}

int64_t i915_request_new(struct i915_state *s, uint64_t key, uint64_t ctx, uint64_t seqno,
			 uint32_t engine)
{
	uint32_t old = i915_find(s, key, seqno);
	int64_t i;

	if (old != I915_NONE)
		i915_request_forget(s, old);
	if (s->n_open >= I915_REQUESTS_MAX)
		i915_request_forget(s, s->oldest);
	i = alloc(s);
	if (i < 0)
		return i;
	s->request[i] =
		(struct i915_request){ .ctx = ctx, .seqno = seqno, .key = key, .engine = engine };
	append(s, (uint32_t)i);
	return xtr_keymap_put(&s->by_name, key, seqno, (uint32_t)i) ? -ENOMEM : i;
}

void i915_guc_enter(struct i915_state *s, struct i915_request *r)
{
	struct i915_engine *e = &s->engine[r->engine];

	if (r->on_guc)
		return;
	r->on_guc = true;
	if (!e->n_guc++)
		e->mixed = false;
	else if (e->guc_ctx != r->ctx)
		e->mixed = true;
	e->guc_ctx = r->ctx;
	r->shared = e->mixed;
}

void i915_guc_leave(struct i915_state *s, struct i915_request *r)
{
	struct i915_engine *e = &s->engine[r->engine];

	if (!r->on_guc)
		return;
	r->on_guc = false;
	r->shared |= e->mixed;
	e->n_guc--;
}
