// SPDX-License-Identifier: BSD-2-Clause
#include "generic.h"
#include "printfmt.h"
#include "util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_HEADER 8 /* bytes: struct trace_entry, which a program cannot read */

static uint32_t file_offset(uint32_t kernel_offset)
{
	return kernel_offset - KERNEL_HEADER + XTR_RECORD_HEADER_SIZE;
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

/* Note a string: for BPF to copy, and for the conversion to look up. */
static bool add_string(struct xtr_generic *g, const struct xtr_tp_field *f, enum xtr_str_kind kind,
		       bool hex)
{
	uint32_t i = g->n_strs;

	if (i == XTR_STRS_MAX)
		return false;
	g->cfg.str[i].offset = (uint16_t)f->offset;
	g->cfg.str[i].kind = kind;
	g->strs[i] = (struct xtr_generic_string){ .offset = (uint16_t)file_offset(f->offset),
						  .width = (uint16_t)f->size,
						  .hex = hex };
	g->cfg.n_strs = g->n_strs = i + 1;
	return true;
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

/* What the field becomes. In `syscalls` pointers are the caller's, and a program sees no dynamic
 * part. */
static int lay_field(struct xtr_generic *g, struct xtr_field *out, const struct xtr_tp_field *f,
		     const char *print_fmt)
{
	static const enum xtr_str_kind kinds[] = {
		[XTR_TP_LOC_STR] = XTR_STR_LOC,
		[XTR_TP_REL_STR] = XTR_STR_REL,
		[XTR_TP_LOC_BYTES] = XTR_STR_LOC_BYTES,
		[XTR_TP_REL_BYTES] = XTR_STR_REL_BYTES,
	};
	bool user = strcmp(g->system, "syscalls") == 0, text;

	switch (f->kind) {
	case XTR_TP_INT:
		return lay_int(out, f, print_fmt);
	case XTR_TP_PTR:
		text = f->is_char_ptr && !user && f->size == 8 &&
		       xtr_printfmt_conv(print_fmt, f->name) == 's';
		if (text && add_string(g, f, XTR_STR_PTR, false)) {
			out->repr = XTR_REPR_STRID;
			out->sens = text_sens(f->name);
		} else {
			out->repr = int_repr(f->size, false, true);
			out->sens = user ? XTR_SENS_UPTR : XTR_SENS_KPTR;
		}
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
		out->repr = XTR_REPR_HEX32;
		text = f->kind == XTR_TP_LOC_STR || f->kind == XTR_TP_REL_STR;
		if (!user && add_string(g, f, kinds[f->kind], !text))
			out->repr = XTR_REPR_STRID;
		return 0;
	}
}

static int lay_out(struct xtr_generic *g, const struct xtr_tp_format *f)
{
	uint32_t end = KERNEL_HEADER, n = 0;
	int err;

	g->fields = calloc(f->n_fields + 1, sizeof(*g->fields));
	if (!g->fields)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_fields; i++) {
		const struct xtr_tp_field *in = &f->fields[i];
		struct xtr_field *out = &g->fields[n];

		if (in->offset < KERNEL_HEADER || in->size > XTR_FIXED_MAX ||
		    in->offset + in->size > KERNEL_HEADER + XTR_FIXED_MAX) {
			g->dropped++;
			continue;
		}
		out->name = strdup(in->name);
		out->offset = file_offset(in->offset);
		out->size = in->size;
		g->desc.n_fields = ++n;
		err = out->name ? lay_field(g, out, in, f->print_fmt) : -ENOMEM;
		if (err)
			return err;
		if (in->offset + in->size > end)
			end = in->offset + in->size;
	}
	g->cfg.fixed = end - KERNEL_HEADER;
	return 0;
}

int xtr_generic_new(struct xtr_generic **out, const char *system, const char *event,
		    const struct xtr_tp_format *f, uint32_t type, uint32_t slot)
{
	struct xtr_generic *g = calloc(1, sizeof(*g));
	int err = -ENOMEM;

	if (!g)
		return -ENOMEM;
	g->system = strdup(system);
	g->event = strdup(event);
	if (asprintf(&g->name, "%s:%s", system, event) < 0)
		g->name = NULL;
	if (g->name && g->system && g->event)
		err = lay_out(g, f);
	if (err) {
		xtr_generic_free(g);
		return err;
	}
	g->id = f->id;
	g->cfg.type = type;
	g->cfg.slot = slot;
	g->desc.name = g->name;
	g->desc.type = type;
	g->desc.size = XTR_RECORD_HEADER_SIZE + round8(g->cfg.fixed);
	g->desc.fields = g->fields;
	*out = g;
	return 0;
}

void xtr_generic_free(struct xtr_generic *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->desc.n_fields; i++) {
		for (uint32_t j = 0; j < g->fields[i].n_names; j++)
			free((char *)g->fields[i].names[j].name);
		free((struct xtr_value_name *)g->fields[i].names);
		free((char *)g->fields[i].name);
	}
	free(g->fields);
	free(g->name);
	free(g->system);
	free(g->event);
	free(g);
}

static int intern_hex(struct xtr_tables *tables, const uint8_t *p, uint32_t n, uint32_t *id)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * 512];

	if (n > sizeof(text) / 2)
		return -EBADMSG;
	for (uint32_t i = 0; i < n; i++) {
		text[2 * i] = digits[p[i] >> 4];
		text[2 * i + 1] = digits[p[i] & 15];
	}
	return xtr_tables_intern(tables, text, 2 * (size_t)n, id);
}

/* Put the ids of the strings, which stand behind the fixed part, into their fields. */
static int convert_strings(const struct xtr_generic *g, struct xtr_tables *tables, uint8_t *rec,
			   uint32_t size)
{
	uint32_t pos = g->desc.size, id;
	uint64_t wide;
	uint16_t n;
	int err;

	for (uint32_t i = 0; i < g->n_strs; i++) {
		const struct xtr_generic_string *s = &g->strs[i];

		if (size - pos < sizeof(n))
			return -EBADMSG;
		memcpy(&n, rec + pos, sizeof(n));
		pos += sizeof(n);
		if (n > size - pos)
			return -EBADMSG;
		err = s->hex ? intern_hex(tables, rec + pos, n, &id)
			     : xtr_tables_intern(tables, rec + pos, n, &id);
		if (err)
			return err;
		pos += n;
		wide = id;
		memcpy(rec + s->offset, &wide, s->width); /* little-endian, as the file */
	}
	return 0;
}

/* Nothing behind the end of a text, no addresses. */
static void clean_fields(const struct xtr_generic *g, const struct xtr_siphash_key *key,
			 uint8_t *rec)
{
	for (uint32_t i = 0; i < g->desc.n_fields; i++) {
		const struct xtr_field *f = &g->fields[i];
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

int xtr_generic_convert(const struct xtr_generic *g, struct xtr_tables *tables,
			const struct xtr_siphash_key *key, uint8_t *rec, uint32_t size)
{
	uint32_t used = XTR_RECORD_HEADER_SIZE + g->cfg.fixed;
	struct xtr_rec h;
	int err;

	if (size < g->desc.size)
		return -EBADMSG;
	err = convert_strings(g, tables, rec, size);
	if (err)
		return err;
	memset(rec + used, 0, g->desc.size - used);
	clean_fields(g, key, rec);
	memcpy(&h, rec, sizeof(h));
	h.size = (__u16)g->desc.size;
	memcpy(rec, &h, sizeof(h));
	return (int)g->desc.size;
}
