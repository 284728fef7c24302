/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_spans.h"

uint64_t source_spans_add(struct source_spans *s, uint32_t ring, uint64_t start, uint64_t end)
{
	uint32_t kept = s->n < SOURCE_SPANS_KEPT ? s->n : SOURCE_SPANS_KEPT, i;
	uint64_t others = 0;

	for (i = 0; i < kept; i++) {
		const struct source_span *o = &s->kept[i];
		uint64_t from = o->start > start ? o->start : start,
			 to = o->end < end ? o->end : end;

		if (o->ring != ring && from < to)
			others += to - from;
	}
	s->kept[s->n++ % SOURCE_SPANS_KEPT] = (struct source_span){ start, end, ring };
	return others;
}
