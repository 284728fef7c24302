/* SPDX-License-Identifier: BSD-2-Clause */
#include "i915_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void i915_state_init(struct i915_state *s)
{
	*s = (struct i915_state){ .free_request = I915_NONE,
				  .oldest = I915_NONE,
				  .youngest = I915_NONE };
}

void i915_state_free(struct i915_state *s)
{
	for (uint32_t i = 0; i < I915_ENGINES_MAX; i++)
		free(s->engine[i].notified);
	xtr_map_free(&s->youngest_of);
	xtr_map_free(&s->by_name);
	xtr_map_free(&s->by_engine);
	free(s->request);
}

uint32_t i915_find(const struct i915_state *s, uint64_t key, uint64_t seqno)
{
	return xtr_map_index(&s->by_name, key, seqno);
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

/* A request of its context is there: what replaces it in the map cannot fail. */
static void leave_context(struct i915_state *s, const struct i915_request *r)
{
	if (r->older != I915_NONE)
		s->request[r->older].younger = r->younger;
	if (r->younger != I915_NONE)
		s->request[r->younger].older = r->older;
	else if (r->older != I915_NONE)
		xtr_map_put(&s->youngest_of, r->key, 0, r->older);
	else
		xtr_map_del(&s->youngest_of, r->key, 0);
}

static int join_context(struct i915_state *s, uint32_t i)
{
	struct i915_request *r = &s->request[i];

	r->older = xtr_map_index(&s->youngest_of, r->key, 0);
	r->younger = I915_NONE;
	if (xtr_map_put(&s->youngest_of, r->key, 0, i))
		return -ENOMEM;
	if (r->older != I915_NONE)
		s->request[r->older].younger = i;
	return 0;
}

void i915_request_forget(struct i915_state *s, uint32_t i)
{
	struct i915_request *r = &s->request[i];

	i915_guc_leave(s, r);
	leave_context(s, r);
	xtr_map_del(&s->by_name, r->key, r->seqno);
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
	if (join_context(s, (uint32_t)i) || xtr_map_put(&s->by_name, key, seqno, (uint32_t)i))
		return -ENOMEM;
	return i;
}

/* Where one has ended by then all older ones have, so each is walked over once. */
void i915_request_ended(struct i915_state *s, struct i915_request *r, uint64_t ts)
{
	while (!r->ended_ns || ts < r->ended_ns) {
		r->ended_ns = ts;
		if (r->older == I915_NONE)
			break;
		r = &s->request[r->older];
	}
}

int i915_notified(struct i915_engine *e, uint64_t ts, uint32_t number)
{
	if (!e->notified)
		e->notified = calloc(I915_NOTIFIED_MAX, sizeof(*e->notified));
	if (!e->notified)
		return -ENOMEM;
	if (e->n_notified > e->first_notified) {
		uint32_t last = e->notified[(e->n_notified - 1) % I915_NOTIFIED_MAX].number;

		if (number == last)
			return 0;
		if ((int32_t)(number - last) < 0) /* counts anew */
			e->first_notified = e->n_notified;
	}
	e->notified[e->n_notified++ % I915_NOTIFIED_MAX] =
		(struct i915_notified){ .ts = ts, .number = number };
	if (e->n_notified - e->first_notified > I915_NOTIFIED_MAX)
		e->first_notified = e->n_notified - I915_NOTIFIED_MAX;
	return 0;
}

uint64_t i915_notified_at(const struct i915_engine *e, uint32_t number, uint64_t from, bool *own)
{
	uint64_t lo = e->first_notified, hi = e->n_notified;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		const struct i915_notified *n = &e->notified[mid % I915_NOTIFIED_MAX];

		if (n->ts < from || (int32_t)(n->number - number) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*own = lo < e->n_notified && e->notified[lo % I915_NOTIFIED_MAX].number == number;
	return lo < e->n_notified ? e->notified[lo % I915_NOTIFIED_MAX].ts : 0;
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

/* --- i915 engine ------------------------------------------------------------------------------ */

/* enum drm_i915_gem_engine_class of include/uapi/drm/i915_drm.h; not xe's order. */
static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };
#define CLASSES (sizeof(classes) / sizeof(classes[0]))

#define CLASS_NONE 65535u /* I915_ENGINE_CLASS_INVALID: not for users, as the GSC engine */

#define CLASS_NUMBER 254u /* the driver's number is all that is known */

/* Below the ids that the model gives itself, far above those of a recorder. */
#define RING_BASE  0xa0000000u
#define RING_OTHER (RING_BASE | 0xfffffffu)

const char *i915_engine_name(char buf[I915_ENGINE_NAME], uint32_t class, uint32_t instance)
{
	if (class < CLASSES)
		snprintf(buf, I915_ENGINE_NAME, "%s%" PRIu32, classes[class], instance);
	else if (class == CLASS_NUMBER)
		snprintf(buf, I915_ENGINE_NAME, "ring%" PRIu32, instance);
	else
		snprintf(buf, I915_ENGINE_NAME, "class%" PRIu32 ".%" PRIu32, class, instance);
	return buf;
}

/* enum intel_engine_id of intel_ringbuffer.h, Linux 4.9 to 4.17. */
void i915_engine_by_number(uint32_t number, bool contexts, uint32_t *class, uint32_t *instance)
{
	static const struct {
		uint8_t class, instance;
	} engines[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 }, { 3, 0 } };
	bool known = number < sizeof(engines) / sizeof(engines[0]) && (contexts || !number);

	*class = known ? engines[number].class : CLASS_NUMBER;
	*instance = known ? engines[number].instance : number;
}

const char *i915_device_name(const struct xtr_meta *meta, uint32_t dev, char buf[I915_ENGINE_NAME])
{
	snprintf(buf, I915_ENGINE_NAME, "card%" PRIu32, dev);
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		for (size_t k = 0; d->driver && !strcmp(d->driver, "i915") && k < d->n_nodes; k++)
			if (!strcmp(d->nodes[k], buf))
				return d->name;
	}
	return buf;
}

uint32_t i915_ring_id(uint32_t dev, uint32_t class, uint32_t instance, bool *known)
{
	uint32_t c = class == CLASS_NONE ? 255 : class;

	*known = dev < 255 && c < 256 && (c < 255 || class == CLASS_NONE) && instance < 4096;
	return *known ? RING_BASE | dev << 20 | c << 12 | instance : RING_OTHER;
}
