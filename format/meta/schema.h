/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event looks like: types, names, fields. Built-in events come from one table (schema.c),
 * others are laid out at record time; a reader gets all of them from META and never looks at the
 * table.
 */
#ifndef XTR_SCHEMA_H
#define XTR_SCHEMA_H

#include "base/bytes.h"
#include "format/builtin_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Field representations, spec 6.2: identifier, text in META, width in bytes (0: given by size). */
#define XTR_REPRS(X)         \
	X(U8, "u8", 1)       \
	X(U16, "u16", 2)     \
	X(U32, "u32", 4)     \
	X(U64, "u64", 8)     \
	X(S8, "s8", 1)       \
	X(S16, "s16", 2)     \
	X(S32, "s32", 4)     \
	X(S64, "s64", 8)     \
	X(HEX8, "hex8", 1)   \
	X(HEX16, "hex16", 2) \
	X(HEX32, "hex32", 4) \
	X(HEX64, "hex64", 8) \
	X(BYTES, "bytes", 0) \
	X(STR, "str", 0)     \
	X(STRID, "strid", 0) \
	X(RING, "ring", 4)   \
	X(STACK, "stack", 4)

enum xtr_repr {
#define XTR_REPR_ENUM(id, text, width) XTR_REPR_##id,
	XTR_REPRS(XTR_REPR_ENUM)
#undef XTR_REPR_ENUM
	XTR_REPR_COUNT
};

enum xtr_sens {
	XTR_SENS_NONE,
	XTR_SENS_PLAIN,
	XTR_SENS_KPTR,
	XTR_SENS_UPTR,
	XTR_SENS_PID,
	XTR_SENS_NAME,
	XTR_SENS_PATH,
	XTR_SENS_USER_DATA,
	XTR_SENS_COUNT
};

enum xtr_names_kind {
	XTR_NAMES_NONE,
	XTR_NAMES_ENUM,
	XTR_NAMES_FLAGS
};

struct xtr_value_name {
	uint64_t value;
	const char *name;
};

struct xtr_field {
	const char *name;
	const char *unit; /* "ns", "bytes", "pages", ... or NULL */
	uint32_t offset;  /* bytes from the record's start */
	uint32_t size;    /* bytes */
	enum xtr_repr repr;
	enum xtr_sens sens;
	enum xtr_names_kind names_kind;
	uint32_t n_names;
	const struct xtr_value_name *names; /* sorted by value */
};

struct xtr_event_desc {
	const char *name; /* "system:event" */
	uint32_t type;
	uint32_t size; /* bytes of the record, header included, a multiple of 8 */
	uint32_t provider;
	uint32_t n_fields;
	const struct xtr_field *fields;
};

/* The events of spec/events.md, in order of type. */
extern const struct xtr_event_desc xtr_builtin_events[];
extern const size_t xtr_builtin_event_count;
const struct xtr_event_desc *xtr_builtin_event(uint32_t type); /* NULL if there is none */
/* The same as recorded with stacks: dma_fence_init and _wait_start have one, too (spec/events.md).
 */
const struct xtr_event_desc *xtr_builtin_event_stack(uint32_t type);

/* Width in bytes of a representation, 0 if the field's size says it. */
uint32_t xtr_repr_width(enum xtr_repr repr);
const char *xtr_repr_name(enum xtr_repr repr);
const char *xtr_sens_name(enum xtr_sens sens);
bool xtr_repr_is_signed(enum xtr_repr repr);

/* Field by name, or NULL. */
const struct xtr_field *xtr_event_field(const struct xtr_event_desc *ev, const char *name);

/*
 * The value of an integer field (sign-extended for s*) in a record of rec_size bytes. Returns false
 * and sets *v to 0 if f is NULL, is not an integer field, or does not fit into this (shorter)
 * record.
 */
bool xtr_field_get(const struct xtr_field *f, const uint8_t *rec, uint32_t rec_size, uint64_t *v);

/*
 * A field of a built-in event's record, by the record's and the field's name in builtin_events.h,
 * as an unsigned number; the record must reach to XTR_REC_END(record, field).
 */
#define XTR_REC_GET(rec, record, field)                                                  \
	(XTR_REC_BYTES(record, field) == 8 ? xtr_le64((rec) + XTR_REC_AT(record, field)) \
					   : xtr_le32((rec) + XTR_REC_AT(record, field)))
#define XTR_REC_PUT(rec, record, field, v)                            \
	(XTR_REC_BYTES(record, field) == 8                            \
		 ? xtr_put_le64((rec) + XTR_REC_AT(record, field), v) \
		 : xtr_put_le32((rec) + XTR_REC_AT(record, field), (uint32_t)(v)))

#endif /* XTR_SCHEMA_H */
