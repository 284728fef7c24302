/* SPDX-License-Identifier: BSD-2-Clause */
#include "whatif_impl.h"
#include "base/buf.h"

static bool before(const struct whatif_event *a, const struct whatif_event *b)
{
	if (a->level != b->level)
		return a->level < b->level;
	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->order != b->order)
		return a->order < b->order;
	return a->what < b->what;
}

int whatif_heap_put(struct whatif_heap *h, const struct whatif_event *e)
{
	size_t i = h->n;
	int err = xtr_grow_array(&h->v, &h->cap, h->n + 1, sizeof(*h->v));

	if (err)
		return err;
	h->n++;
	for (; i && before(e, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = *e;
	return 0;
}

struct whatif_event whatif_heap_take(struct whatif_heap *h)
{
	struct whatif_event first = h->v[0], last = h->v[--h->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && before(&h->v[child + 1], &h->v[child]))
			child++;
		if (!before(&h->v[child], &last))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = last;
	return first;
}
