/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs: where it is, which events it has, and the layout of one (its `format` file). The text
 * comes from the running kernel, but the parser trusts nothing in it.
 */
#ifndef XTR_RECORDER_TRACEFS_H
#define XTR_RECORDER_TRACEFS_H

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
	struct xtr_tp_field *fields; /* without the common_ ones */
	size_t n_fields;
	char *print_fmt;
};

/* Parse a format file's text. 0, -ENOMEM, or -EINVAL if it is not one. */
int xtr_tp_format_parse(struct xtr_tp_format **f, const char *text, size_t n);
void xtr_tp_format_free(struct xtr_tp_format *f);

/*
 * Directory of tracefs, mounted at its usual place if it is not (and we may). NULL if there is
 * none; *err is then -errno.
 */
const char *xtr_tracefs_dir(int *err);
/* Read and parse events/SYSTEM/EVENT/format. -ENOENT if there is no such event. */
int xtr_tracefs_format(const char *system, const char *event, struct xtr_tp_format **f);
/* Is there such an event? 0, -ENOENT, or why it is unknown: -EACCES, or -EPERM: no tracefs. */
int xtr_tracefs_look(const char *system, const char *event);
bool xtr_tracefs_has(const char *system, const char *event);
/* Call fn for each event in order of system and name, until it returns non-zero, which is returned.
 * -errno if unreadable. */
int xtr_tracefs_each(int (*fn)(void *ctx, const char *system, const char *event), void *ctx);

#endif /* XTR_RECORDER_TRACEFS_H */
