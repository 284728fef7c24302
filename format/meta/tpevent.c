/* SPDX-License-Identifier: BSD-2-Clause */
#include "tpevent.h"
#include "printfmt.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t file_offset(uint32_t kernel_offset)
{
	return kernel_offset - XTR_TP_COMMON + XTR_RECORD_HEADER_SIZE;
}

static uint32_t round8(uint32_t n)
{
	return (n + 7) & ~7u;
}

static enum xtr_repr int_repr(uint32_t size, bool is_signed, bool hex)
{
	static const enum xtr_repr reprs[3][4] = {
		{ XTR_REPR_U8, XTR_REPR_U16, XTR_REPR_U32, XTR_REPR_U64 },
		{ XTR_REPR_S8, XTR_REPR_S16, XTR_REPR_S32, XTR_REPR_S64 },
		{ XTR_REPR_HEX8, XTR_REPR_HEX16, XTR_REPR_HEX32, XTR_REPR_HEX64 },
	};
	int width = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	return reprs[hex ? 2 : is_signed][width];
}

static bool ends_with(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n >= m && strcmp(s + n - m, with) == 0;
}

static enum xtr_sens text_sens(const char *name)
{
	return strstr(name, "path") || strstr(name, "file") ? XTR_SENS_PATH : XTR_SENS_NAME;
}

static enum xtr_sens int_sens(const struct xtr_tp_field *f)
{
	if (strcmp(f->type, "pid_t") == 0 || ends_with(f->name, "pid") || ends_with(f->name, "tid"))
		return XTR_SENS_PID;
	return XTR_SENS_NONE;
}

static int lay_int(struct xtr_field *out, const struct xtr_tp_field *f, const char *print_fmt)
{
	char conv = xtr_printfmt_conv(print_fmt, f->name);
	struct xtr_printfmt_names names;
	int err;

	out->repr = int_repr(f->size, f->is_signed, conv == 'x' || conv == 'X' || conv == 'p');
	out->sens = conv == 'p' && f->size == 8 ? XTR_SENS_KPTR : int_sens(f);
	err = xtr_printfmt_names(print_fmt, f->name, &names);
	if (err)
		return err;
	out->names_kind = names.kind;
	out->names = names.v;
	out->n_names = names.n;
	return 0;
}

/* A place in the record for the id of a text, if there may be one more. */
static bool add_text(struct xtr_tp_event *e, uint32_t i, enum xtr_tp_text text,
		     const struct xtr_tp_limits *l)
{
	if (e->n_texts == l->texts)
		return false;
	e->n_texts++;
	e->text[i] = text;
	e->fields[i].repr = XTR_REPR_STRID;
	return true;
}

static bool is_text(enum xtr_tp_kind kind)
{
	return kind == XTR_TP_LOC_STR || kind == XTR_TP_REL_STR || kind == XTR_TP_TAIL_STR;
}

/* What field i becomes. In `syscalls` pointers are the caller's, and a program sees no dynamic
 * part. */
static int lay_field(struct xtr_tp_event *e, uint32_t i, const struct xtr_tp_field *f,
		     const char *print_fmt, bool user, const struct xtr_tp_limits *l)
{
	struct xtr_field *out = &e->fields[i];

	switch (f->kind) {
	case XTR_TP_INT:
		return lay_int(out, f, print_fmt);
	case XTR_TP_PTR:
		out->sens = text_sens(f->name);
		if (l->pointed_text && f->is_char_ptr && !user && f->size == 8 &&
		    xtr_printfmt_conv(print_fmt, f->name) == 's' && add_text(e, i, XTR_TP_TEXT, l))
			return 0;
		out->repr = int_repr(f->size, false, true);
		out->sens = user ? XTR_SENS_UPTR : XTR_SENS_KPTR;
		return 0;
	case XTR_TP_CHARS:
		out->repr = XTR_REPR_STR;
		out->sens = text_sens(f->name);
		return 0;
	case XTR_TP_BYTES:
		out->repr = XTR_REPR_BYTES;
		return 0;
	default:
		out->sens = text_sens(f->name);
		if (user || !add_text(e, i, is_text(f->kind) ? XTR_TP_TEXT : XTR_TP_HEX_TEXT, l))
			out->repr = XTR_REPR_HEX32;
		return 0;
	}
}

static bool is_tail(const struct xtr_tp_field *f)
{
	return f->kind == XTR_TP_TAIL_STR || f->kind == XTR_TP_TAIL_BYTES;
}

/* Bytes that the field takes in the file's record; 0: it is left out. */
static uint32_t room_for(const struct xtr_tp_field *f, const struct xtr_tp_limits *l)
{
	uint32_t size = is_tail(f) ? 4 : f->size;

	if (f->offset < XTR_TP_COMMON || size > l->fixed ||
	    f->offset + size > XTR_TP_COMMON + l->fixed)
		return 0;
	return size;
}

/* The field's name; NAME_2 where another one has it already (`ring` of amdgpu_vm_grab_id). */
static char *name_of(const struct xtr_tp_event *e, const char *name)
{
	char *text = strdup(name), *next;
	unsigned int i = 1;

	while (text && xtr_event_field(&e->desc, text)) {
		if (asprintf(&next, "%s_%u", name, ++i) < 0)
			next = NULL;
		free(text);
		text = next;
	}
	return text;
}

static int lay_out(struct xtr_tp_event *e, const struct xtr_tp_format *f, bool user,
		   const struct xtr_tp_limits *l)
{
	uint32_t end = XTR_TP_COMMON, n = 0, size;
	int err;

	for (size_t i = 0; i < f->n_fields; i++) {
		const struct xtr_tp_field *in = &f->fields[i];
		struct xtr_field *out = &e->fields[n];

		if (is_tail(in) && !l->tails)
			continue;
		size = room_for(in, l);
		if (!size) {
			e->dropped++;
			continue;
		}
		out->name = name_of(e, in->name);
		out->offset = file_offset(in->offset);
		out->size = size;
		e->from[n] = (uint32_t)i;
		e->desc.n_fields = n + 1;
		err = out->name ? lay_field(e, n, in, f->print_fmt, user, l) : -ENOMEM;
		if (err)
			return err;
		n++;
		if (in->offset + size > end)
			end = in->offset + size;
	}
	e->fixed = end - XTR_TP_COMMON;
	return 0;
}

int xtr_tp_event_new(struct xtr_tp_event **out, const char *system, const char *event,
		     const struct xtr_tp_format *f, uint32_t type, const struct xtr_tp_limits *l)
{
	struct xtr_tp_event *e = calloc(1, sizeof(*e));
	int err = -ENOMEM;

	if (!e)
		return -ENOMEM;
	if (asprintf(&e->name, "%s:%s", system, event) < 0)
		e->name = NULL;
	e->fields = calloc(f->n_fields + 1, sizeof(*e->fields));
	e->from = calloc(f->n_fields + 1, sizeof(*e->from));
	e->text = calloc(f->n_fields + 1, sizeof(*e->text));
	e->desc.fields = e->fields;
	if (e->name && e->fields && e->from && e->text)
		err = lay_out(e, f, strcmp(system, "syscalls") == 0, l);
	if (err) {
		xtr_tp_event_free(e);
		return err;
	}
	e->desc.name = e->name;
	e->desc.type = type;
	e->desc.size = XTR_RECORD_HEADER_SIZE + round8(e->fixed);
	*out = e;
	return 0;
}

void xtr_tp_event_free(struct xtr_tp_event *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; e->fields && i < e->desc.n_fields; i++) {
		for (uint32_t j = 0; j < e->fields[i].n_names; j++)
			free((char *)e->fields[i].names[j].name);
		free((struct xtr_value_name *)e->fields[i].names);
		free((char *)e->fields[i].name);
	}
	free(e->fields);
	free(e->from);
	free(e->text);
	free(e->name);
	free(e);
}

int xtr_tp_event_add_stack(struct xtr_tp_event *e)
{
	uint32_t n = e->desc.n_fields;
	struct xtr_field *more;

	if (xtr_event_field(&e->desc, "stack"))
		return -EEXIST;
	more = reallocarray(e->fields, n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	e->desc.fields = e->fields = more;
	more[n] = (struct xtr_field){ .name = strdup("stack"),
				      .offset = e->desc.size,
				      .size = 4,
				      .repr = XTR_REPR_STACK,
				      .sens = XTR_SENS_PLAIN };
	if (!more[n].name)
		return -ENOMEM;
	e->desc.n_fields = n + 1;
	e->desc.size += 8;
	return 0;
}

void xtr_tp_event_clean(const struct xtr_event_desc *desc, const struct xtr_siphash_key *key,
			uint8_t *rec)
{
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		const struct xtr_field *f = &desc->fields[i];
		uint64_t word = 0;
		size_t len;

		if (f->repr == XTR_REPR_STR) {
			len = strnlen((char *)rec + f->offset, f->size);
			memset(rec + f->offset + len, 0, f->size - len);
		} else if (f->sens == XTR_SENS_KPTR && key && f->size <= 8) {
			memcpy(&word, rec + f->offset, f->size);
			if (!word)
				continue;
			word = xtr_siphash(key, word);
			memcpy(rec + f->offset, &word, f->size);
		}
	}
}

int xtr_tp_intern_hex(struct xtr_tables *tables, const uint8_t *p, size_t n, uint32_t *id)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * XTR_TP_HEX_MAX];

	if (n > XTR_TP_HEX_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[p[i] >> 4];
		text[2 * i + 1] = digits[p[i] & 15];
	}
	return xtr_tables_intern(tables, text, 2 * n, id);
}
