// SPDX-License-Identifier: BSD-2-Clause
#include "budgeted.h"
#include "base/text.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

bool xtr_budgeted_read(struct xtr_budgeted *b, const struct xtr_section *s)
{
	const struct xtr_loss *l = xtr_section_loss(s);
	const struct xtr_gap *g;
	uint64_t since;

	*b = (struct xtr_budgeted){ 0 };
	if (!xtr_meta_config_u64(xtr_section_meta(s), "budget", &b->ppm))
		return false;
	for (size_t i = 0; (g = xtr_loss_gap_at(l, i)); i++) {
		if (!xtr_gap_left_out(g))
			continue;
		if (!b->last)
			b->first = g->first;
		since = g->first > b->last ? g->first : b->last; /* in order of first */
		if (g->last > since)
			b->ns += g->last - since;
		if (g->last > b->last)
			b->last = g->last;
	}
	return true;
}

uint64_t *xtr_budgeted_by_type(const struct xtr_section *s)
{
	const struct xtr_loss *l = xtr_section_loss(s);
	struct xtr_budgeted b;
	uint64_t *n = xtr_budgeted_read(&b, s) ? calloc(XTR_BUDGETED_TYPES, sizeof(*n)) : NULL;

	for (size_t i = 0; n && i < xtr_loss_n_entries(l); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(l, i);

		if (e->cause == XTR_LOSS_FILTERED && e->type < XTR_BUDGETED_TYPES)
			n[e->type] = xtr_sat_add(n[e->type], e->total);
	}
	return n;
}

void xtr_budgeted_text(FILE *f, const struct xtr_section *s)
{
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER], all[XTR_TEXT_NUMBER], n[XTR_TEXT_NUMBER];
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	struct xtr_budgeted b;

	if (!xtr_budgeted_read(&b, s))
		return;
	fprintf(f,
		"BUDGET: recording was to cost at most %" PRIu64 ".%04" PRIu64
		" %% of the machine: ",
		b.ppm / 10000, b.ppm % 10000);
	if (b.last)
		fprintf(f,
			"from %s to %s, %s in all, a sample or nothing was recorded; left out: %s. "
			"Figures are of what was recorded; 'xtr dump -e xtr:budget' shows the steps.\n",
			xtr_text_place(from, true, b.first), xtr_text_place(to, true, b.last),
			xtr_text_ns(all, b.ns), xtr_text_count(n, sum->filtered));
	else
		fputs(sum->closed
			      ? "all was recorded.\n"
			      : "the end of the recording is missing, what was left out is not known.\n",
		      f);
}

void xtr_budgeted_json(struct xtr_json *j, const struct xtr_section *s)
{
	struct xtr_budgeted b;

	if (!xtr_budgeted_read(&b, s))
		return;
	xtr_json_kv_object(j, "budget");
	xtr_json_kv_u64(j, "millionths", b.ppm);
	xtr_json_kv_u64(j, "left_out_from_ns", b.first);
	xtr_json_kv_u64(j, "left_out_to_ns", b.last);
	xtr_json_kv_u64(j, "left_out_ns", b.ns);
	xtr_json_end_object(j);
}
