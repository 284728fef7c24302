/* SPDX-License-Identifier: BSD-2-Clause */
/* How the filter divides records of one type and size into fields (spec 5.2). */
#ifndef XTR_LAYOUT_H
#define XTR_LAYOUT_H

#include "format/meta/schema.h"
#include "format/xtr_format.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_layout_field {
	uint16_t end;  /* offset from the record's start of the byte after the field */
	uint8_t width; /* as in the payload: 1, 2, 4, 8, or 0x80 + bytes */
	uint8_t shift; /* integers: 64 - bits */
};

struct xtr_layout {
	uint16_t type, size; /* of the records */
	uint32_t n;
	bool has_bytes; /* some field is not an integer */
	struct xtr_layout_field fields[XTR_LAYOUT_FIELDS_MAX];
};

/*
 * Add a field of this width (as in the payload) after those that are there; *end is where they end.
 * False if the width is not one of spec 5.2, there are too many fields, or it passes the record's
 * end.
 */
bool xtr_layout_add(struct xtr_layout *l, uint32_t *end, uint8_t width);

/*
 * Read what stands before a layout's widths in a payload (spec 5.2): type, size, and *n, the number
 * of widths, one byte each, which all lie before end. *l is then without fields. Returns where the
 * widths begin; NULL if it is not well-formed.
 */
const uint8_t *xtr_layout_read(struct xtr_layout *l, const uint8_t *p, const uint8_t *end,
			       uint32_t *n);

/*
 * Lay out records of a type and size: by ev's fields (NULL: none known) as far as they fit, gaps as
 * integers, falling back to coarser fields if they are too many. False if no layout can do it.
 */
bool xtr_layout_make(struct xtr_layout *l, const struct xtr_event_desc *ev, uint32_t type,
		     uint32_t size);

#endif /* XTR_LAYOUT_H */
