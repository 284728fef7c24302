/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a tracepoint without a type of its own stands in an .xtr file: made from its tracefs `format`
 * by the recorder, and by the importers for the same events recorded by others.
 *
 * The file record is the kernel's record from byte 8 on (behind its common fields), behind xtr's
 * header, so offsets move by 8. Texts, which stand elsewhere, are replaced in their place by a
 * string id: 4 bytes wide for __data_loc, __rel_loc and trailing arrays, 8 for pointers. Dynamic
 * arrays of something else than text become a string of hexadecimal digits. A field whose name an
 * earlier one has is called NAME_2.
 */
#ifndef XTR_TPEVENT_H
#define XTR_TPEVENT_H

#include "schema.h"
#include "base/siphash.h"
#include "tables.h"
#include "tpformat.h"

#define XTR_TP_COMMON  8u   /* bytes: struct trace_entry, which is not recorded */
#define XTR_TP_HEX_MAX 256u /* bytes of a dynamic array that become hexadecimal digits */

enum xtr_tp_text {
	XTR_TP_NO_TEXT,  /* the kernel's bytes */
	XTR_TP_TEXT,     /* id of the text */
	XTR_TP_HEX_TEXT, /* id of the bytes as hexadecimal digits */
};

/* What can be had; larger or more is left out or stays a number. */
struct xtr_tp_limits {
	uint32_t fixed;    /* bytes of the kernel's record behind its common fields */
	uint32_t texts;    /* texts of one event */
	bool pointed_text; /* texts behind `const char *` */
	bool tails;        /* trailing arrays without a length of their own */
};

struct xtr_tp_event {
	char *name; /* "sched:sched_switch" */
	struct xtr_event_desc desc;
	struct xtr_field *fields; /* desc.n_fields of them, as the three below */
	uint32_t *from;           /* index in the format's fields */
	enum xtr_tp_text *text;
	uint32_t fixed;   /* bytes of the kernel's record that are used, common fields excluded */
	uint32_t n_texts; /* fields that are not XTR_TP_NO_TEXT */
	uint32_t dropped; /* fields past the limit, left out */
};

/* Lay out. 0 or -ENOMEM. The provider is the caller's to set. f is not needed afterwards. */
int xtr_tp_event_new(struct xtr_tp_event **e, const char *system, const char *event,
		     const struct xtr_tp_format *f, uint32_t type, const struct xtr_tp_limits *l);
void xtr_tp_event_free(struct xtr_tp_event *e);
/*
 * The recorder takes the current stack with the event: a last field `stack`, an id in table stacks,
 * in 8 bytes behind what the kernel's record takes. 0; -EEXIST: there is a field of this name;
 * -ENOMEM. desc.fields moves.
 */
int xtr_tp_event_add_stack(struct xtr_tp_event *e);

/* Zero what lies behind the end of texts in a record, and hash kernel addresses (key NULL: keep).
 */
void xtr_tp_event_clean(const struct xtr_event_desc *desc, const struct xtr_siphash_key *key,
			uint8_t *rec);

/* Intern n bytes as hexadecimal digits. 0, -EBADMSG past XTR_TP_HEX_MAX bytes, or -ENOMEM. */
int xtr_tp_intern_hex(struct xtr_tables *tables, const uint8_t *p, size_t n, uint32_t *id);

#endif /* XTR_TPEVENT_H */
