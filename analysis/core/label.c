/* SPDX-License-Identifier: BSD-2-Clause */
#include "label.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct xtr_labels *l, uint32_t i, const char *s, size_t n)
{
	return !memcmp(l->name[i], s, n) && !l->name[i][n];
}

int64_t xtr_label(struct xtr_labels *l, const char *s, size_t n, uint32_t max)
{
	void *more;

	if (!s || !n)
		s = "(unknown)", n = strlen(s);
	n = strnlen(s, n < XTR_LABEL_LEN - 1 ? n : XTR_LABEL_LEN - 1);
	if (l->last < l->n && is(l, l->last, s, n))
		return l->last;
	for (uint32_t i = 0; i < l->n; i++)
		if (is(l, i, s, n))
			return l->last = i;
	if (l->n == max)
		return max - 1;
	if (l->n == max - 1)
		s = "(others)", n = strlen(s);
	more = realloc(l->name, (l->n + 1) * sizeof(*l->name));
	if (!more)
		return -ENOMEM;
	l->name = more;
	memset(l->name[l->n], 0, sizeof(l->name[0]));
	memcpy(l->name[l->n], s, n);
	return l->last = l->n++;
}

void xtr_labels_free(struct xtr_labels *l)
{
	free(l->name);
	*l = (struct xtr_labels){ 0 };
}

/* --- event counts ----------------------------------------------------------------------------- */

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
	xtr_json_kv_object(j, "events");
	for (size_t i = 0; i < xtr_meta_n_events(c->meta); i++)
		if (c->n[i])
			xtr_json_kv_u64(j, xtr_meta_event_at(c->meta, i)->name, c->n[i]);
	xtr_json_end_object(j);
}

bool xtr_event_counts_any(const struct xtr_meta *meta, const char *prefix)
{
	for (size_t i = 0; meta && i < xtr_meta_n_events(meta); i++)
		if (!strncmp(xtr_meta_event_at(meta, i)->name, prefix, strlen(prefix)))
			return true;
	return false;
}
