/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of a tracepoint's record as its `format` file in tracefs gives it. The text comes from
 * the running kernel or from another tool's trace file; the parser trusts nothing in it.
 */
#ifndef XTR_TPFORMAT_H
#define XTR_TPFORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a field of a tracepoint's record is, by its declaration. */
enum xtr_tp_kind {
	XTR_TP_INT,       /* 1, 2, 4 or 8 bytes */
	XTR_TP_PTR,       /* a pointer, "const char *" too */
	XTR_TP_CHARS,     /* char[16] */
	XTR_TP_BYTES,     /* any other array or structure */
	XTR_TP_LOC_STR,   /* __data_loc char[] */
	XTR_TP_REL_STR,   /* __rel_loc char[] */
	XTR_TP_LOC_BYTES, /* __data_loc of anything else */
	XTR_TP_REL_BYTES,
	XTR_TP_TAIL_STR,   /* char[] of size 0: to the end of the record */
	XTR_TP_TAIL_BYTES, /* any other array of size 0 */
};

/* Where the common fields that a record is told by stand. Sizes are 0 if there is none. */
struct xtr_tp_common {
	uint32_t type_offset, type_size, pid_offset, pid_size;
};

struct xtr_tp_field {
	char *name, *type;     /* "prev_comm", "char[16]" */
	uint32_t offset, size; /* bytes, in the kernel's record */
	bool is_signed;
	bool is_char_ptr; /* kind PTR: to char */
	enum xtr_tp_kind kind;
};

struct xtr_tp_format {
	char *name;
	uint32_t id;
	struct xtr_tp_common common;
	struct xtr_tp_field *fields; /* without the common_ ones */
	size_t n_fields;
	char *print_fmt;
};

/* Parse a format file's text. 0, -ENOMEM, or -EINVAL if it is not one. */
int xtr_tp_format_parse(struct xtr_tp_format **f, const char *text, size_t n);
void xtr_tp_format_free(struct xtr_tp_format *f);

#endif /* XTR_TPFORMAT_H */
