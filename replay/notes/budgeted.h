/* SPDX-License-Identifier: BSD-2-Clause */
/* What a budget for the cost of recording has left out of a section (spec/events.md). */
#ifndef XTR_BUDGETED_H
#define XTR_BUDGETED_H

#include "base/json.h"

#include "format/read/reader.h"

struct xtr_budgeted {
	uint64_t ppm;         /* of the machine, what recording was to cost at most */
	uint64_t first, last; /* ns: events were left out between these times; both 0: none were */
	uint64_t ns;          /* so long in all */
};

/* False: the section has none. */
bool xtr_budgeted_read(struct xtr_budgeted *b, const struct xtr_section *s);
#define XTR_BUDGETED_TYPES 65536u

/*
 * How many events of each type were left out on purpose, for whatever reason; the caller frees it.
 * NULL: the section has no budget, or there is no memory.
 */
uint64_t *xtr_budgeted_by_type(const struct xtr_section *s);
/* A line that says it; nothing if there is no budget. */
void xtr_budgeted_text(FILE *f, const struct xtr_section *s);
/* "budget": {...} in an open object; nothing if there is none. */
void xtr_budgeted_json(struct xtr_json *j, const struct xtr_section *s);

#endif /* XTR_BUDGETED_H */
