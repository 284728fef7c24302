/* SPDX-License-Identifier: BSD-2-Clause */
#include "grid_cell.h"
#include "base/text.h"

void xtr_grid_count(struct xtr_grid *t, uint64_t n)
{
	xtr_grid_value(t, true, xtr_text_count, n);
}

void xtr_grid_ns(struct xtr_grid *t, bool known, uint64_t ns)
{
	xtr_grid_value(t, known, xtr_text_ns, ns);
}

void xtr_grid_percent(struct xtr_grid *t, uint64_t part, uint64_t whole)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, xtr_text_percent(buf, part, whole));
}

void xtr_grid_value(struct xtr_grid *t, bool known, char *(*format)(char *, uint64_t), uint64_t v)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, known ? format(buf, v) : "-");
}

void xtr_grid_times(struct xtr_grid *t, const struct xtr_hist *h)
{
	xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 500));
	xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 990));
	xtr_grid_ns(t, h->n, h->max);
}
