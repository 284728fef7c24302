// SPDX-License-Identifier: BSD-2-Clause
#include "merge_peak.h"

#include <errno.h>
#include <stdlib.h>

/* A chunk that is open, in a heap by the end of its time. */
struct end {
	uint64_t ts;
	size_t bytes;
};

static void end_push(struct end *h, size_t *n, struct end e)
{
	size_t i = (*n)++;

	for (; i && e.ts < h[(i - 1) / 2].ts; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = e;
}

static size_t end_pop(struct end *h, size_t *n)
{
	size_t bytes = h[0].bytes, i = 0, child;
	struct end e = h[--*n];

	while ((child = 2 * i + 1) < *n) {
		if (child + 1 < *n && h[child + 1].ts < h[child].ts)
			child++;
		if (e.ts <= h[child].ts)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = e;
	return bytes;
}

int xtr_merge_peak(const struct xtr_chunk *const *c, size_t n, size_t *chunks, size_t *bytes)
{
	struct end *open = malloc(n * sizeof(*open) + 1);
	size_t n_open = 0, held = 0;

	if (!open)
		return -ENOMEM;
	*chunks = *bytes = 0;
	for (size_t i = 0; i < n; i++) {
		while (n_open && open[0].ts < c[i]->ts_min)
			held -= end_pop(open, &n_open);
		end_push(open, &n_open, (struct end){ c[i]->ts_max, c[i]->rec_len });
		held += c[i]->rec_len;
		*chunks = n_open > *chunks ? n_open : *chunks;
		*bytes = held > *bytes ? held : *bytes;
	}
	free(open);
	return 0;
}
