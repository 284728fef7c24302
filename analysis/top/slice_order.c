/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order the rows of a slice are shown. */
#include "slice_view.h"

#include "replay/event/process.h"

#include <stdlib.h>
#include <string.h>

const struct xtr_slice_sort_row xtr_slice_sorts[XTR_SLICE_SORT_COUNT] = {
#define SORT_ROW(id, name, key, help) { name, key, help },
	XTR_SLICE_SORTS(SORT_ROW)
#undef SORT_ROW
};

static uint64_t figure(const struct xtr_slice_row *r, enum xtr_slice_sort sort)
{
	switch (sort) {
	case XTR_SLICE_SORT_JOBS:
		return r->jobs;
	case XTR_SLICE_SORT_QUEUED:
		return r->queued;
	case XTR_SLICE_SORT_RUNNING:
		return r->in_flight;
	case XTR_SLICE_SORT_EXEC:
		return xtr_hist_quantile(&r->exec, 990);
	case XTR_SLICE_SORT_WAIT:
		return xtr_hist_quantile(&r->queue_wait, 990);
	case XTR_SLICE_SORT_BUSY:
		return r->busy_ns;
	default:
		return 0;
	}
}

static int by_name(const struct xtr_slice_row *a, const struct xtr_slice_row *b)
{
	int cmp = 0;

	if (a->ring)
		cmp = strcmp(a->ring->device_name, b->ring->device_name);
	if (a->ring && !cmp)
		cmp = strcmp(a->ring->name, b->ring->name);
	if (a->device)
		cmp = strcmp(a->device->name, b->device->name);
	if (!cmp)
		cmp = xtr_process_cmp(a->process, b->process);
	if (!cmp && a->ring && a->ring->id != b->ring->id)
		cmp = a->ring->id < b->ring->id ? -1 : 1;
	return cmp;
}

/* Equal ones by name, so that rows do not jump about. */
static int compare(const void *pa, const void *pb)
{
	const struct xtr_slice_sorted *a = pa, *b = pb;

	if (a->figure != b->figure)
		return a->figure > b->figure ? -1 : 1;
	return by_name(a->r, b->r);
}

void xtr_slice_sort(struct xtr_slice_sorted *to, const struct xtr_slice_row *const *row, size_t n,
		    enum xtr_slice_sort sort)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (struct xtr_slice_sorted){ row[i], figure(row[i], sort) };
	qsort(to, n, sizeof(*to), compare);
}

#define ROWS_COMPARED 256u /* of more, names are taken to be shared: looking would be quadratic */

bool xtr_slice_names_shared(const struct xtr_slice_sorted *rows, size_t n)
{
	for (size_t i = 1; i < n && n <= ROWS_COMPARED; i++)
		for (size_t k = 0; k < i; k++) {
			const struct xtr_model_ring *a = rows[i].r->ring, *b = rows[k].r->ring;

			if (a && b && a->device != b->device && !strcmp(a->name, b->name))
				return true;
		}
	return n > ROWS_COMPARED;
}
