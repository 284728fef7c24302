/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_event_counts_open(struct xtr_event_counts *c, const struct xtr_meta *meta)
{
	c->meta = meta;
	c->n = calloc(xtr_meta_n_events(meta) + 1, sizeof(*c->n));
	return c->n ? 0 : -ENOMEM;
}

void xtr_event_counts_close(struct xtr_event_counts *c)
{
	free(c->n);
	c->n = NULL;
}

/* META has its events in order of type. */
void xtr_event_counts_add(struct xtr_event_counts *c, const struct xtr_event *ev)
{
	size_t lo = 0, hi = xtr_meta_n_events(c->meta), mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (xtr_meta_event_at(c->meta, mid)->type < ev->type)
			lo = mid + 1;
		else
			hi = mid;
	}
	c->n[lo]++;
}

void xtr_event_counts_json(const struct xtr_event_counts *c, struct xtr_json *j)
{
	size_t i;

	xtr_json_kv_object(j, "events");
	for (i = 0; i < xtr_meta_n_events(c->meta); i++)
		if (c->n[i])
			xtr_json_kv_u64(j, xtr_meta_event_at(c->meta, i)->name, c->n[i]);
	xtr_json_end_object(j);
}

bool xtr_event_counts_any(const struct xtr_meta *meta, const char *prefix)
{
	size_t i;

	for (i = 0; meta && i < xtr_meta_n_events(meta); i++)
		if (!strncmp(xtr_meta_event_at(meta, i)->name, prefix, strlen(prefix)))
			return true;
	return false;
}
