// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events of META by name. The first search sorts all of them; an index in order needs no hash that
 * a file could be made against.
 */
#include "meta_priv.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *pa, const void *pb, void *ctx)
{
	const struct xtr_meta *m = ctx;
	uint16_t a = *(const uint16_t *)pa, b = *(const uint16_t *)pb;
	int cmp = strcmp(xtr_meta_of_type(m, a)->name, xtr_meta_of_type(m, b)->name);

	return cmp ? cmp : (int)a - b;
}

/* False: no memory. */
static bool sort(const struct xtr_meta *m, struct xtr_name_index *x)
{
	x->types = malloc(m->n_events * sizeof(*x->types));
	if (!x->types)
		return false;
	memcpy(x->types, m->types, m->n_events * sizeof(*x->types));
	qsort_r(x->types, m->n_events, sizeof(*x->types), by_name, (void *)(uintptr_t)m);
	return true;
}

static const struct xtr_event_desc *search(const struct xtr_meta *m, const char *name)
{
	for (size_t i = 0; i < m->n_events; i++)
		if (!strcmp(xtr_meta_event_at(m, i)->name, name))
			return xtr_meta_event_at(m, i);
	return NULL;
}

void xtr_name_index_free(struct xtr_name_index *x)
{
	if (!x)
		return;
	free(x->types);
	x->types = NULL;
}

const struct xtr_event_desc *xtr_meta_event_by_name(const struct xtr_meta *m, const char *name)
{
	const struct xtr_event_desc *d;
	size_t low = 0, high = m->n_events, mid;

	if (!high)
		return NULL;
	if (!m->names->types && !sort(m, m->names))
		return search(m, name);
	while (low < high) { /* the first whose name is not before this one */
		mid = low + (high - low) / 2;
		if (strcmp(xtr_meta_of_type(m, m->names->types[mid])->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	d = low < m->n_events ? xtr_meta_of_type(m, m->names->types[low]) : NULL;
	return d && !strcmp(d->name, name) ? d : NULL;
}
