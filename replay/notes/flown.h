/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flight recorder's section says of itself (spec/xtr.md 6.2), for people and programs. */
#ifndef XTR_FLOWN_H
#define XTR_FLOWN_H

#include "base/json.h"

#include "format/read/reader.h"

/* A line on why it was written and what was not kept; nothing if it is of no flight recorder. */
void xtr_flown_text(FILE *f, const struct xtr_section *s);
/* "flight": {...} in an open object; nothing if it is of none. */
void xtr_flown_json(struct xtr_json *j, const struct xtr_section *s);

#endif /* XTR_FLOWN_H */
