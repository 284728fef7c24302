/* SPDX-License-Identifier: BSD-2-Clause */
#include "pending.h"

#include <errno.h>
#include <stdlib.h>

#define NONE XTR_KEYMAP_NONE

void xtr_pending_init(struct xtr_pending *p)
{
	*p = (struct xtr_pending){ .free = NONE, .head = NONE, .tail = NONE };
}

void xtr_pending_free(struct xtr_pending *p)
{
	free(p->slot);
	xtr_keymap_free(&p->by_key);
	xtr_pending_init(p);
}

static void out(struct xtr_pending *p, uint32_t i, struct xtr_request *r)
{
	struct xtr_request *s = &p->slot[i];

	*r = *s;
	xtr_keymap_del(&p->by_key, s->a, s->b);
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
	uint32_t i = xtr_keymap_get(&p->by_key, a, b);

	if (i == NONE)
		return false;
	out(p, i, r);
	return true;
}

int xtr_pending_add(struct xtr_pending *p, const struct xtr_request *r, struct xtr_request *old)
{
	int ret = xtr_pending_take(p, r->a, r->b, old);
	uint32_t i;

	if (!p->slot)
		p->slot = calloc(XTR_PENDING_MAX, sizeof(*p->slot));
	if (!p->slot)
		return -ENOMEM;
	if (p->free == NONE && p->n == XTR_PENDING_MAX) {
		out(p, p->head, old);
		p->evicted++;
		ret = 2;
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
	return xtr_keymap_put(&p->by_key, r->a, r->b, i) ? -ENOMEM : ret;
}

const struct xtr_request *xtr_pending_next(const struct xtr_pending *p, const struct xtr_request *r)
{
	uint32_t i = r ? r->next : p->head;

	return i != NONE ? &p->slot[i] : NULL;
}
