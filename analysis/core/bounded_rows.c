/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of bounded size by a key of two numbers, whatever a file holds: counted, the most recent,
 * and those that wait for an answer. */
#include "bounded_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- counted rows ----------------------------------------------------------------------------- */

void xtr_counted_init(struct xtr_counted *r, size_t size, uint32_t max)
{
	*r = (struct xtr_counted){ .size = size, .max = max };
}

void xtr_counted_free(struct xtr_counted *r)
{
	xtr_map_free(&r->map);
	free(r->row);
	r->row = NULL;
	r->n = r->cap = 0;
}

void *xtr_counted_at(const struct xtr_counted *r, uint32_t i)
{
	return r->row + i * r->size;
}

static int grow(struct xtr_counted *r)
{
	uint32_t cap = r->cap ? r->cap * 2 : 16;
	uint8_t *more;

	cap = cap < r->max ? cap : r->max;
	more = reallocarray(r->row, cap, r->size);
	if (!more)
		return -ENOMEM;
	r->row = more;
	r->cap = cap;
	return 0;
}

int xtr_counted_get(struct xtr_counted *r, uint64_t a, uint64_t b, void *row)
{
	uint32_t i = xtr_map_index(&r->map, a, b);
	struct xtr_counted_row *new = NULL;
	int err;

	if (i != XTR_MAP_NONE) {
		*(void **)row = xtr_counted_at(r, i);
		return 0;
	}
	*(void **)row = NULL;
	if (r->n == r->max) {
		r->left_out++;
		return 0;
	}
	err = r->n == r->cap ? grow(r) : 0;
	if (!err)
		err = xtr_map_put(&r->map, a, b, r->n);
	if (err)
		return err;
	new = xtr_counted_at(r, r->n++);
	memset(new, 0, r->size);
	new->a = a;
	new->b = b;
	*(void **)row = new;
	return 0;
}

static int by_count(const void *pa, const void *pb)
{
	const struct xtr_counted_row *x = pa, *y = pb;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

void xtr_counted_sort(struct xtr_counted *r)
{
	if (r->n)
		qsort(r->row, r->n, r->size, by_count);
}

/* --- recent ----------------------------------------------------------------------------------- */

int xtr_recent_init(struct xtr_recent *r, size_t size, uint32_t max)
{
	*r = (struct xtr_recent){ .size = size, .max = max, .slot = calloc(max, size) };
	return r->slot ? 0 : -ENOMEM;
}

void xtr_recent_free(struct xtr_recent *r)
{
	xtr_map_free(&r->map);
	free(r->slot);
	*r = (struct xtr_recent){ 0 };
}

static void *slot_at(const struct xtr_recent *r, uint32_t i)
{
	return r->slot + i * r->size;
}

void *xtr_recent_at(const struct xtr_recent *r, uint32_t i)
{
	struct xtr_recent_entry *e = slot_at(r, i);

	return e->held ? e : NULL;
}

void *xtr_recent_get(const struct xtr_recent *r, uint64_t a, uint64_t b)
{
	uint32_t i = xtr_map_index(&r->map, a, b);

	return i == XTR_MAP_NONE ? NULL : slot_at(r, i);
}

void *xtr_recent_victim(const struct xtr_recent *r)
{
	return xtr_recent_at(r, r->next);
}

void xtr_recent_forget(struct xtr_recent *r, void *entry)
{
	struct xtr_recent_entry *e = entry;

	xtr_map_del(&r->map, e->a, e->b);
	e->held = false;
}

void *xtr_recent_add(struct xtr_recent *r, uint64_t a, uint64_t b)
{
	struct xtr_recent_entry *e = xtr_recent_victim(r);

	if (e)
		xtr_recent_forget(r, e);
	if (xtr_map_put(&r->map, a, b, r->next))
		return NULL;
	e = slot_at(r, r->next);
	memset(e, 0, r->size);
	*e = (struct xtr_recent_entry){ .a = a, .b = b, .held = true };
	r->next = (r->next + 1) % r->max;
	return e;
}

/* --- pending ---------------------------------------------------------------------------------- */

#define NONE XTR_MAP_NONE

void xtr_pending_init(struct xtr_pending *p)
{
	*p = (struct xtr_pending){ .free = NONE, .head = NONE, .tail = NONE };
}

void xtr_pending_free(struct xtr_pending *p)
{
	free(p->slot);
	xtr_map_free(&p->by_key);
	xtr_pending_init(p);
}

static void out(struct xtr_pending *p, uint32_t i, struct xtr_request *r)
{
	struct xtr_request *s = &p->slot[i];

	*r = *s;
	xtr_map_del(&p->by_key, s->a, s->b);
	if (s->prev != NONE)
		p->slot[s->prev].next = s->next;
	else
		p->head = s->next;
	if (s->next != NONE)
		p->slot[s->next].prev = s->prev;
	else
		p->tail = s->prev;
	s->next = p->free;
	p->free = i;
}

bool xtr_pending_take(struct xtr_pending *p, uint64_t a, uint64_t b, struct xtr_request *r)
{
	uint32_t i = xtr_map_index(&p->by_key, a, b);

	if (i == NONE)
		return false;
	out(p, i, r);
	return true;
}

int xtr_pending_add(struct xtr_pending *p, const struct xtr_request *r, struct xtr_request *old)
{
	int err = xtr_pending_take(p, r->a, r->b, old);
	uint32_t i;

	if (!p->slot)
		p->slot = calloc(XTR_PENDING_MAX, sizeof(*p->slot));
	if (!p->slot)
		return -ENOMEM;
	if (p->free == NONE && p->n == XTR_PENDING_MAX) {
		out(p, p->head, old);
		p->evicted++;
		err = 2;
	}
	i = p->free;
	if (i != NONE)
		p->free = p->slot[i].next;
	else
		i = p->n++;
	p->slot[i] = *r;
	p->slot[i].next = NONE;
	p->slot[i].prev = p->tail;
	if (p->tail != NONE)
		p->slot[p->tail].next = i;
	else
		p->head = i;
	p->tail = i;
	return xtr_map_put(&p->by_key, r->a, r->b, i) ? -ENOMEM : err;
}

const struct xtr_request *xtr_pending_next(const struct xtr_pending *p, const struct xtr_request *r)
{
	uint32_t i = r ? r->next : p->head;

	return i != NONE ? &p->slot[i] : NULL;
}
