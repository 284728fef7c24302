/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of one field of a record, whatever its representation (spec 6.2). */
#ifndef XTR_FIELD_H
#define XTR_FIELD_H

#include "format/meta/schema.h"
#include "format/meta/tables.h"
#include "base/json.h"
#include "base/line.h"

#define XTR_STACK_INDENT 8 /* columns */

/*
 * The text of a str or strid field and its length in bytes, not terminated; NULL: the field is
 * neither (or NULL), does not fit into the record, or names no string (t may be NULL).
 */
const char *xtr_field_string(const struct xtr_field *field, const struct xtr_tables *t,
			     const uint8_t *rec, uint32_t size, size_t *n);
/* META's name for a value of an enum or flags field, NULL if there is none. */
const char *xtr_field_value_name(const struct xtr_field *field, uint64_t v);

/* Nothing is printed for a field that does not fit into the record. Return true if something was.
 */
bool xtr_field_text(struct xtr_line *l, const struct xtr_tables *t, const struct xtr_field *field,
		    const uint8_t *rec, uint32_t size);
/*
 * The field that holds the stack of the thread that the event is of, as a recorder took it; NULL:
 * it has none (or d is NULL).
 */
const struct xtr_field *xtr_field_own_stack(const struct xtr_event_desc *d);
/* The id in it, 0: none taken, or f is NULL. */
uint32_t xtr_field_stack_id(const struct xtr_field *f, const uint8_t *rec, uint32_t size);
/* The frames of a stack field, innermost first, a line each; nothing if it is no stack, or none. */
void xtr_field_stack(struct xtr_line *l, const struct xtr_tables *t, const struct xtr_field *field,
		     const uint8_t *rec, uint32_t size);
/* Key and value; a stack is an array of frames. Ids are resolved; numbers with names become
 * {"value", "name"} or {"value", "flags"}. */
bool xtr_field_json(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_field *field,
		    const uint8_t *rec, uint32_t size);

#endif /* XTR_FIELD_H */
