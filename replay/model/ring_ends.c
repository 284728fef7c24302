/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring_ends.h"

static struct xtr_end *back(struct xtr_ends *e, uint32_t k)
{
	return &e->kept[(e->n - k) % XTR_ENDS_KEPT];
}

const struct xtr_end *xtr_ends_before(const struct xtr_ends *e, uint64_t ns)
{
	uint32_t k;

	for (k = 1; k <= XTR_ENDS_KEPT; k++) {
		const struct xtr_end *end = &e->kept[(e->n - k) % XTR_ENDS_KEPT];

		if (end->ns && end->ns <= ns)
			return end;
	}
	return NULL;
}

void xtr_ends_add(struct xtr_ends *e, const struct xtr_end *end)
{
	uint32_t k = 0;

	while (k < XTR_ENDS_KEPT && back(e, k + 1)->ns > end->ns)
		k++;
	/* The slot behind the last one is the oldest one's. */
	e->forgotten |= back(e, 0)->ns != 0;
	if (k == XTR_ENDS_KEPT)
		return;
	for (uint32_t i = 0; i < k; i++)
		*back(e, i) = *back(e, i + 1);
	*back(e, k) = *end;
	e->n++;
}
