/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GEM objects from creation to destruction, and in which address spaces they are bound. What was
 * created before is not known, so memory is counted from the trace's (the window's) begin on. An
 * object of before becomes known when it is bound, without a size; its destruction ends that too,
 * so that its pointer may be another's.
 */
#include "i915_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE        XTR_MAP_NONE
#define FIRST_SLICE 1000000ull /* ns */

void i915_objects_free(struct i915_objects *o)
{
	free(o->object);
	free(o->pair);
	xtr_map_free(&o->by_ptr);
	xtr_map_free(&o->by_pair);
	xtr_map_free(&o->by_vm);
	xtr_map_free(&o->by_process);
}

/* --- what is held ----------------------------------------------------------------------------- */

static void fold_slices(struct i915_held *h)
{
	for (uint32_t i = 0; i < I915_SLICES / 2; i++) {
		uint64_t a = h->slice[2 * i].peak_bytes, b = h->slice[2 * i + 1].peak_bytes;

		h->slice[i].peak_bytes = a > b ? a : b;
		h->slice[i].bytes = h->slice[2 * i + 1].bytes;
	}
	h->n_slices = I915_SLICES / 2;
	h->width_ns *= 2;
}

/* Time has come to ts with as much held as there is: slices up to there exist. */
static void held_until(struct i915_held *h, uint64_t ts)
{
	if (!h->width_ns) {
		h->begin_ns = ts;
		h->width_ns = FIRST_SLICE;
	}
	while ((ts - h->begin_ns) / h->width_ns >= I915_SLICES) {
		while (h->n_slices < I915_SLICES) {
			h->slice[h->n_slices].peak_bytes = h->bytes;
			h->slice[h->n_slices++].bytes = h->bytes;
		}
		fold_slices(h);
	}
	while (h->n_slices <= (ts - h->begin_ns) / h->width_ns) {
		h->slice[h->n_slices].peak_bytes = h->bytes;
		h->slice[h->n_slices++].bytes = h->bytes;
	}
}

static void held_now(struct i915_held *h, uint64_t ts, uint64_t bytes, uint64_t objects)
{
	uint32_t last;

	held_until(h, ts);
	h->bytes = bytes;
	h->objects = objects;
	last = h->n_slices - 1;
	h->slice[last].bytes = bytes;
	if (bytes > h->slice[last].peak_bytes)
		h->slice[last].peak_bytes = bytes;
	if (bytes > h->peak_bytes) {
		h->peak_bytes = bytes;
		h->peak_ns = ts;
	}
	if (objects > h->peak_objects)
		h->peak_objects = objects;
}

/* --- arrays with free lists ------------------------------------------------------------------- */

static int64_t grow(void **array, uint32_t *n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (*n == *cap) {
		p = reallocarray(*array, more, size);
		if (!p)
			return -ENOMEM;
		*array = p;
		*cap = more;
	}
	return (*n)++;
}

/* Index, or -ENOMEM. */
static int64_t creator_of(struct i915 *g, const struct xtr_event *ev)
{
	struct i915_objects *o = &g->objects;
	uint32_t comm;
	uint64_t process = i915_process(g, ev, &comm);
	uint32_t i = xtr_map_index(&o->by_process, process, process ? 0 : comm);

	if (i != NONE)
		return i;
	if (o->n_creators == I915_CREATORS_MAX - 1)
		return I915_CREATORS_MAX - 1;
	if (xtr_map_put(&o->by_process, process, process ? 0 : comm, o->n_creators))
		return -ENOMEM;
	o->creator[o->n_creators] =
		(struct i915_creator){ .process = process, .comm = comm, .first_ns = ev->ts };
	return o->n_creators++;
}

/* A new object under this pointer. Index, NONE (too many), or -ENOMEM. */
static int64_t object_new(struct i915_objects *o, uint64_t ptr)
{
	int64_t i = o->free_object;

	if (i != NONE) {
		o->free_object = o->object[i].next_free;
	} else if (o->n_objects == I915_OBJECTS_MAX) {
		o->untracked++;
		return NONE;
	} else {
		i = grow((void **)&o->object, &o->n_objects, &o->cap_objects, sizeof(*o->object));
	}
	if (i < 0 || xtr_map_put(&o->by_ptr, ptr, 0, (uint32_t)i))
		return -ENOMEM;
	o->object[i] = (struct i915_object){ .ptr = ptr, .first_pair = NONE };
	return i;
}

/* --- bindings --------------------------------------------------------------------------------- */

/* The pair is over, or the trace: among the worst? */
static void judge_pair(struct i915_objects *o, const struct i915_pair *p)
{
	uint32_t i = o->n_worst;

	if (p->most >= I915_THRASH_REBINDS) {
		if (!o->thrashing++ || p->most_ns < o->thrashing_ns)
			o->thrashing_ns = p->most_ns;
	}
	while (i && o->worst[i - 1].rebinds < p->rebinds)
		i--;
	if (!p->rebinds || i == I915_WORST)
		return;
	o->n_worst += o->n_worst < I915_WORST;
	memmove(&o->worst[i + 1], &o->worst[i], (o->n_worst - 1 - i) * sizeof(*p));
	o->worst[i] = *p;
}

static void forget_pairs(struct i915_objects *o, struct i915_object *obj)
{
	uint32_t i = obj->first_pair, next;

	for (; i != NONE; i = next) {
		struct i915_pair *p = &o->pair[i];

		next = p->next;
		judge_pair(o, p);
		xtr_map_del(&o->by_pair, p->obj, p->vm);
		p->next = o->free_pair;
		o->free_pair = i;
	}
	obj->first_pair = NONE;
}

static uint32_t life_of(const struct i915_objects *o, uint64_t vm)
{
	uint32_t life = xtr_map_index(&o->by_vm, vm, 0);

	return life == NONE ? 0 : life;
}

int i915_space_end(struct i915 *g, uint64_t vm)
{
	struct i915_objects *o = &g->objects;
	uint32_t life = life_of(o, vm);

	if (!life && o->by_vm.n == I915_SPACES_MAX)
		return 0;
	return xtr_map_put(&o->by_vm, vm, 0, (life + 1) % NONE);
}

static int64_t pair_new(struct i915_objects *o, struct i915_object *obj, uint64_t vm)
{
	int64_t i = o->free_pair;

	if (i != NONE) {
		o->free_pair = o->pair[i].next;
	} else if (o->n_pairs == I915_OBJECTS_MAX) {
		o->untracked++;
		return NONE;
	} else {
		i = grow((void **)&o->pair, &o->n_pairs, &o->cap_pairs, sizeof(*o->pair));
	}
	if (i < 0 || xtr_map_put(&o->by_pair, obj->ptr, vm, (uint32_t)i))
		return -ENOMEM;
	o->pair[i] = (struct i915_pair){
		.obj = obj->ptr, .vm = vm, .life = life_of(o, vm), .next = obj->first_pair
	};
	obj->first_pair = (uint32_t)i;
	return i;
}

/* The pair of the event; one of an address space that ended is over. Index, NONE or -ENOMEM. */
static int64_t pair_of(struct i915_objects *o, uint64_t ptr, uint64_t vm)
{
	int64_t i = xtr_map_index(&o->by_pair, ptr, vm), k;
	struct i915_pair *p;

	if (i != NONE) {
		p = &o->pair[i];
		if (p->life == life_of(o, vm))
			return i;
		judge_pair(o, p);
		*p = (struct i915_pair){
			.obj = ptr, .vm = vm, .life = life_of(o, vm), .next = p->next
		};
		return i;
	}
	k = xtr_map_index(&o->by_ptr, ptr, 0);
	if (k == NONE)
		k = object_new(o, ptr); /* of before */
	return k < 0 || k == NONE ? k : pair_new(o, &o->object[k], vm);
}

static void rebound(struct i915_objects *o, struct i915_pair *p, uint64_t ts, bool inside)
{
	p->rebinds++;
	if (!inside)
		return;
	o->rebinds++;
	i915_add(&o->rebind_bytes, p->bytes);
	if (!p->burst || ts - p->burst_ns > I915_THRASH_NS) {
		p->burst = 0;
		p->burst_ns = ts;
	}
	if (++p->burst > p->most) {
		p->most = p->burst;
		p->most_ns = p->burst_ns;
	}
}

int i915_vma(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev, bool inside,
	     bool bind)
{
	struct i915_objects *o = &g->objects;
	uint64_t bytes = xtr_bind_u64(b, I915_F2, ev);
	int64_t i = pair_of(o, xtr_bind_u64(b, I915_F0, ev), xtr_bind_u64(b, I915_F1, ev));
	struct i915_pair *p;

	if (i < 0)
		return (int)i;
	if (inside) {
		*(bind ? &o->binds : &o->unbinds) += 1;
		i915_add(bind ? &o->bind_bytes : &o->unbind_bytes, bytes);
	}
	if (i == NONE)
		return 0;
	p = &o->pair[i];
	p->bytes = bytes;
	*(bind ? &p->binds : &p->unbinds) += 1;
	/* A binding may be given further flags, or the object be bound by parts: each unbind makes
	 * room for one bind that is again. */
	if (bind && p->unbinds > p->rebinds)
		rebound(o, p, ev->ts, inside);
	return 0;
}

/* --- objects ---------------------------------------------------------------------------------- */

static void object_end(struct i915_objects *o, uint32_t i, uint64_t ts, bool destroyed)
{
	struct i915_object *obj = &o->object[i];
	struct i915_creator *c = &o->creator[obj->creator];

	forget_pairs(o, obj);
	if (obj->counted) {
		held_now(&o->held, ts, o->held.bytes - obj->bytes, o->held.objects - 1);
		if (destroyed) {
			o->destroyed++;
			i915_add(&o->destroyed_bytes, obj->bytes);
		}
		c->destroyed++;
		i915_add(&c->destroyed_bytes, obj->bytes);
	}
	xtr_map_del(&o->by_ptr, obj->ptr, 0);
	obj->next_free = o->free_object;
	o->free_object = i;
}

int i915_object_create(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside)
{
	struct i915_objects *o = &g->objects;
	uint64_t ptr = xtr_bind_u64(b, I915_F0, ev), bytes = xtr_bind_u64(b, I915_F1, ev);
	uint32_t old = xtr_map_index(&o->by_ptr, ptr, 0);
	struct i915_creator *c;
	int64_t i, creator;

	if (old != NONE) {
		o->replaced += o->object[old].counted;
		object_end(o, old, ev->ts, false);
	}
	if (inside) {
		o->created++;
		i915_add(&o->created_bytes, bytes);
	}
	i = object_new(o, ptr);
	if (i < 0 || i == NONE)
		return i == NONE ? 0 : (int)i;
	/* The sum of sizes that no memory can have would wrap: such a size is not believed. */
	bytes = bytes > UINT64_MAX - o->held.bytes ? 0 : bytes;
	o->object[i].bytes = bytes;
	o->object[i].created_ns = ev->ts;
	o->object[i].counted = inside;
	if (!inside)
		return 0;
	creator = creator_of(g, ev);
	if (creator < 0)
		return (int)creator;
	o->object[i].creator = (uint32_t)creator;
	c = &o->creator[o->object[i].creator];
	c->first_ns = c->first_ns ? c->first_ns : ev->ts;
	c->created++;
	i915_add(&c->bytes, bytes);
	held_now(&o->held, ev->ts, o->held.bytes + bytes, o->held.objects + 1);
	return 0;
}

int i915_object_destroy(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
			bool inside)
{
	struct i915_objects *o = &g->objects;
	uint32_t i = xtr_map_index(&o->by_ptr, xtr_bind_u64(b, I915_F0, ev), 0);

	if (inside && (i == NONE || !o->object[i].counted))
		o->destroyed_unknown++;
	if (i != NONE)
		object_end(o, i, ev->ts, true);
	return 0;
}

/* --- the end ---------------------------------------------------------------------------------- */

static void leave(struct i915 *g, const struct i915_object *obj)
{
	struct i915_objects *o = &g->objects;
	struct i915_creator *c = &o->creator[obj->creator];
	uint64_t quarter = (g->last_ns - c->first_ns) / 4;
	uint64_t at = obj->created_ns - c->first_ns;

	o->left++;
	o->left_bytes += obj->bytes;
	c->left++;
	c->left_bytes += obj->bytes;
	if (!c->left_ns || obj->created_ns < c->left_ns)
		c->left_ns = obj->created_ns;
	if (at >= quarter && at < 3 * quarter)
		c->middle[at >= 2 * quarter]++;
}

static int by_left(const void *pa, const void *pb)
{
	const struct i915_creator *a = pa, *b = pb;

	if (a->left_bytes != b->left_bytes)
		return a->left_bytes < b->left_bytes ? 1 : -1;
	if (a->created != b->created)
		return a->created < b->created ? 1 : -1;
	return xtr_process_cmp(a->process, b->process);
}

void i915_objects_finish(struct i915 *g)
{
	struct i915_objects *o = &g->objects;
	const struct i915_creator others = o->creator[I915_CREATORS_MAX - 1];

	if (o->held.width_ns && g->last_ns > o->held.begin_ns)
		held_until(&o->held, g->last_ns);
	for (uint32_t i = 0; i < o->n_objects; i++) {
		struct i915_object *obj = &o->object[i];

		if (xtr_map_index(&o->by_ptr, obj->ptr, 0) != i)
			continue; /* on the free list */
		forget_pairs(o, obj);
		if (obj->counted)
			leave(g, obj);
	}
	if (others.created) {
		o->creator[o->n_creators++] = o->creator[I915_CREATORS_MAX - 1];
	}
	qsort(o->creator, o->n_creators, sizeof(*o->creator), by_left);
}
