/* SPDX-License-Identifier: BSD-2-Clause */
#include "field.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	RING_PART_MAX = 2000 /* bytes of a name */
};

static bool is_hex(enum xtr_repr r)
{
	return r == XTR_REPR_HEX8 || r == XTR_REPR_HEX16 || r == XTR_REPR_HEX32 ||
	       r == XTR_REPR_HEX64;
}

/* The bytes of a str or bytes field; NULL if it does not fit. A str ends at its first NUL. */
static const char *raw_bytes(const struct xtr_field *field, const uint8_t *rec, uint32_t size,
			     size_t *n)
{
	if (field->offset > size || field->size > size - field->offset)
		return NULL;
	*n = field->size;
	if (field->repr == XTR_REPR_STR)
		*n = strnlen((const char *)rec + field->offset, field->size);
	return (const char *)rec + field->offset;
}

/* Names are sorted by value. */
const char *xtr_field_value_name(const struct xtr_field *field, uint64_t v)
{
	uint32_t lo = 0, hi = field->n_names, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (field->names[mid].value < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < field->n_names && field->names[lo].value == v ? field->names[lo].name : NULL;
}

const char *xtr_field_string(const struct xtr_field *field, const struct xtr_tables *t,
			     const uint8_t *rec, uint32_t size, size_t *n)
{
	uint64_t id;

	*n = 0;
	if (!field)
		return NULL;
	if (field->repr == XTR_REPR_STR)
		return raw_bytes(field, rec, size, n);
	if (field->repr != XTR_REPR_STRID || !t || !xtr_field_get(field, rec, size, &id))
		return NULL;
	return id <= UINT32_MAX ? xtr_tables_string(t, (uint32_t)id, n) : NULL;
}

static bool needs_quotes(const char *s, size_t n)
{
	return !n || memchr(s, ' ', n) || memchr(s, '=', n);
}

static void put_string(FILE *f, const char *s, size_t n)
{
	bool quote = needs_quotes(s, n);

	if (quote)
		fputc('"', f);
	xtr_text_put(f, s, n);
	if (quote)
		fputc('"', f);
}

static void put_strid(FILE *f, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0;
	const char *s = id <= UINT32_MAX ? xtr_tables_string(t, (uint32_t)id, &n) : NULL;

	if (!id)
		fputc('-', f);
	else if (s)
		put_string(f, s, n);
	else
		fprintf(f, "?str:%" PRIu64, id);
}

static void put_ring(FILE *f, const struct xtr_tables *t, uint64_t id)
{
	const struct xtr_ring *ring = xtr_tables_ring(t, (uint32_t)id);

	if (!id) {
		fputc('-', f);
	} else if (!ring) {
		fprintf(f, "?ring:%" PRIu64, id);
	} else {
		put_strid(f, t, ring->device);
		fputc('/', f);
		put_strid(f, t, ring->name);
		fprintf(f, "#%" PRIu64, id);
	}
}

/* A string of the tables that says something, or NULL. */
static const char *text_of(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const char *s = id ? xtr_tables_string(t, id, n) : NULL;

	return s && *n ? s : NULL;
}

/* symbol+offset [module]; module+offset; or the bare address of what is in no known module. */
static void put_frame(FILE *f, const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_frame *frame = xtr_tables_frame(t, id);
	const char *symbol, *module;
	size_t n_symbol = 0, n_module = 0;

	if (!frame) {
		fprintf(f, "?frame:%u", id);
		return;
	}
	symbol = text_of(t, frame->symbol, &n_symbol);
	module = text_of(t, frame->module, &n_module);
	if (symbol)
		xtr_text_put(f, symbol, n_symbol);
	else if (module)
		xtr_text_put(f, module, n_module);
	fprintf(f, symbol || module ? "+0x%" PRIx64 : "0x%" PRIx64, frame->offset);
	if (symbol && module) {
		fputs(" [", f);
		xtr_text_put(f, module, n_module);
		fputc(']', f);
	} else if (!symbol && !module) {
		fputs(" [unknown]", f);
	}
}

void xtr_field_stack(FILE *f, const struct xtr_tables *t, const struct xtr_field *field,
		     const uint8_t *rec, uint32_t size)
{
	const uint32_t *frames;
	uint64_t id = 0;
	size_t n = 0, i;

	if (field->repr != XTR_REPR_STACK || !xtr_field_get(field, rec, size, &id) || !id)
		return;
	frames = xtr_tables_stack(t, (uint32_t)id, &n);
	if (!frames)
		fprintf(f, "%*s?stack:%" PRIu64 "\n", XTR_STACK_INDENT, "", id);
	for (i = 0; frames && i < n; i++) {
		fprintf(f, "%*s", XTR_STACK_INDENT, "");
		put_frame(f, t, frames[i]);
		fputc('\n', f);
	}
}

static void put_flag_names(FILE *f, const struct xtr_field *field, uint64_t v)
{
	const char *sep = "";
	uint32_t i;

	for (i = 0; i < field->n_names; i++) {
		uint64_t bit = field->names[i].value;

		if (!bit || (v & bit) != bit)
			continue;
		fputs(sep, f);
		xtr_text_put(f, field->names[i].name, strlen(field->names[i].name));
		sep = "|";
		v &= ~bit;
	}
	if (v || !*sep)
		fprintf(f, v ? "%s0x%" PRIx64 : "%s%" PRIu64, sep, v);
}

/* Units that change what a number means; a count of jobs is a number, and an errno has no unit. */
static bool is_measure(const char *unit)
{
	static const char *const measures[] = {
		"ns", "us", "ms", "s", "bytes", "KiB", "pages", "Hz"
	};
	size_t i;

	for (i = 0; unit && i < sizeof(measures) / sizeof(measures[0]); i++)
		if (!strcmp(unit, measures[i]))
			return true;
	return false;
}

static void put_integer(FILE *f, const struct xtr_field *field, uint64_t v)
{
	const char *name =
		field->names_kind == XTR_NAMES_ENUM ? xtr_field_value_name(field, v) : NULL;

	if (field->names_kind == XTR_NAMES_FLAGS)
		put_flag_names(f, field, v);
	else if (name)
		xtr_text_put(f, name, strlen(name));
	else if (is_hex(field->repr))
		fprintf(f, "0x%" PRIx64, v);
	else if (xtr_repr_is_signed(field->repr))
		fprintf(f, "%" PRId64, (int64_t)v);
	else
		fprintf(f, "%" PRIu64, v);
	if (is_measure(field->unit) && !name)
		xtr_text_put(f, field->unit, strlen(field->unit));
}

static void put_bytes(FILE *f, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		fprintf(f, "%02x", (unsigned char)s[i]);
}

bool xtr_field_text(FILE *f, const struct xtr_tables *t, const struct xtr_field *field,
		    const uint8_t *rec, uint32_t size)
{
	const char *bytes;
	uint64_t v = 0;
	size_t n;

	if (field->repr == XTR_REPR_STR || field->repr == XTR_REPR_BYTES) {
		bytes = raw_bytes(field, rec, size, &n);
		if (bytes && field->repr == XTR_REPR_STR)
			put_string(f, bytes, n);
		else if (bytes)
			put_bytes(f, bytes, n);
		return bytes;
	}
	if (!xtr_field_get(field, rec, size, &v))
		return false;
	switch (field->repr) {
	case XTR_REPR_STRID:
		put_strid(f, t, v);
		break;
	case XTR_REPR_RING:
		put_ring(f, t, v);
		break;
	default:
		put_integer(f, field, v);
	}
	return true;
}

static void json_strid(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0;
	const char *s = id <= UINT32_MAX ? xtr_tables_string(t, (uint32_t)id, &n) : NULL;
	char unknown[32];

	snprintf(unknown, sizeof(unknown), "?str:%" PRIu64, id);
	if (s)
		xtr_json_strn(j, s, n);
	else
		xtr_json_str(j, id ? unknown : NULL);
}

/* As put_strid, into at most cap bytes; returns their number. */
static size_t strid_text(char *buf, size_t cap, const struct xtr_tables *t, uint32_t id)
{
	size_t n = 0;
	const char *s = xtr_tables_string(t, id, &n), *quote;
	char name[RING_PART_MAX];

	if (!id)
		return (size_t)snprintf(buf, cap, "-");
	if (!s)
		return (size_t)snprintf(buf, cap, "?str:%" PRIu32, id);
	quote = needs_quotes(s, n) ? "\"" : "";
	return (size_t)snprintf(buf, cap, "%s%s%s", quote, xtr_text_name(name, sizeof(name), s, n),
				quote);
}

/* As put_ring; names are cut where they are longer than any device's. */
static void json_ring(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	const struct xtr_ring *ring = xtr_tables_ring(t, (uint32_t)id);
	char buf[2 * RING_PART_MAX + 64];
	size_t n;

	if (!id) {
		xtr_json_null(j);
		return;
	}
	if (ring) {
		n = strid_text(buf, sizeof(buf), t, ring->device);
		buf[n++] = '/';
		n += strid_text(buf + n, sizeof(buf) - n, t, ring->name);
		snprintf(buf + n, sizeof(buf) - n, "#%" PRIu64, id);
	} else {
		snprintf(buf, sizeof(buf), "?ring:%" PRIu64, id);
	}
	xtr_json_str(j, buf);
}

static void json_frame(struct xtr_json *j, const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_frame *frame = xtr_tables_frame(t, id);
	const char *symbol = NULL, *module = NULL;
	size_t n_symbol = 0, n_module = 0;
	char hex[24];

	xtr_json_begin_object(j);
	if (frame) {
		symbol = text_of(t, frame->symbol, &n_symbol);
		module = text_of(t, frame->module, &n_module);
		xtr_json_key(j, "symbol");
		xtr_json_strn(j, symbol, n_symbol);
		xtr_json_key(j, "module");
		xtr_json_strn(j, module, n_module);
		snprintf(hex, sizeof(hex), "0x%" PRIx64, frame->offset);
		xtr_json_kv_str(j, symbol || module ? "offset" : "address", hex);
	}
	xtr_json_end_object(j);
}

static void json_stack(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0, i;
	const uint32_t *frames = id ? xtr_tables_stack(t, (uint32_t)id, &n) : NULL;

	if (!frames) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_array(j);
	for (i = 0; i < n; i++)
		json_frame(j, t, frames[i]);
	xtr_json_end_array(j);
}

static void json_named(struct xtr_json *j, const struct xtr_field *field, uint64_t v)
{
	const char *name = xtr_field_value_name(field, v);
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "value", v);
	if (field->names_kind == XTR_NAMES_ENUM) {
		xtr_json_kv_str(j, "name", name);
	} else {
		xtr_json_kv_array(j, "flags");
		for (i = 0; i < field->n_names; i++)
			if (field->names[i].value &&
			    (v & field->names[i].value) == field->names[i].value)
				xtr_json_str(j, field->names[i].name);
		xtr_json_end_array(j);
	}
	xtr_json_end_object(j);
}

static void json_integer(struct xtr_json *j, const struct xtr_field *field, uint64_t v)
{
	char hex[24];

	if (field->names_kind != XTR_NAMES_NONE) {
		json_named(j, field, v);
	} else if (is_hex(field->repr)) {
		snprintf(hex, sizeof(hex), "0x%" PRIx64, v);
		xtr_json_str(j, hex);
	} else if (xtr_repr_is_signed(field->repr)) {
		xtr_json_s64(j, (int64_t)v);
	} else {
		xtr_json_u64(j, v);
	}
}

bool xtr_field_json(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_field *field,
		    const uint8_t *rec, uint32_t size)
{
	const char *bytes;
	uint64_t v = 0;
	size_t n;

	if (field->repr == XTR_REPR_STR || field->repr == XTR_REPR_BYTES) {
		bytes = raw_bytes(field, rec, size, &n);
		if (!bytes)
			return false;
		xtr_json_key(j, field->name);
		if (field->repr == XTR_REPR_STR)
			xtr_json_strn(j, bytes, n);
		else
			xtr_json_hex(j, (const uint8_t *)bytes, n);
		return true;
	}
	if (!xtr_field_get(field, rec, size, &v))
		return false;
	xtr_json_key(j, field->name);
	if (field->repr == XTR_REPR_STRID)
		json_strid(j, t, v);
	else if (field->repr == XTR_REPR_RING)
		json_ring(j, t, v);
	else if (field->repr == XTR_REPR_STACK)
		json_stack(j, t, v);
	else
		json_integer(j, field, v);
	return true;
}
