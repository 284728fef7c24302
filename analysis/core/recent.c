/* SPDX-License-Identifier: BSD-2-Clause */
#include "recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_recent_init(struct xtr_recent *r, size_t size, uint32_t max)
{
	*r = (struct xtr_recent){ .size = size, .max = max, .slot = calloc(max, size) };
	return r->slot ? 0 : -ENOMEM;
}

void xtr_recent_free(struct xtr_recent *r)
{
	xtr_keymap_free(&r->map);
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
	uint32_t i = xtr_keymap_get(&r->map, a, b);

	return i == XTR_KEYMAP_NONE ? NULL : slot_at(r, i);
}

void *xtr_recent_victim(const struct xtr_recent *r)
{
	return xtr_recent_at(r, r->next);
}

void xtr_recent_forget(struct xtr_recent *r, void *entry)
{
	struct xtr_recent_entry *e = entry;

	xtr_keymap_del(&r->map, e->a, e->b);
	e->held = false;
}

void *xtr_recent_add(struct xtr_recent *r, uint64_t a, uint64_t b)
{
	struct xtr_recent_entry *e = xtr_recent_victim(r);

	if (e)
		xtr_recent_forget(r, e);
	if (xtr_keymap_put(&r->map, a, b, r->next))
		return NULL;
	e = slot_at(r, r->next);
	memset(e, 0, r->size);
	*e = (struct xtr_recent_entry){ .a = a, .b = b, .held = true };
	r->next = (r->next + 1) % r->max;
	return e;
}
