/* SPDX-License-Identifier: BSD-2-Clause */
#include "field.h"
#include "base/text.h"

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

static void put_string(struct xtr_line *l, const char *s, size_t n)
{
	bool quote = needs_quotes(s, n);

	if (quote)
		xtr_line_char(l, '"');
	xtr_line_text(l, s, n);
	if (quote)
		xtr_line_char(l, '"');
}

static void put_unknown(struct xtr_line *l, const char *what, uint64_t id)
{
	xtr_line_str(l, what);
	xtr_line_u64(l, id, 1);
}

static void put_strid(struct xtr_line *l, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0;
	const char *s = id <= UINT32_MAX ? xtr_tables_string(t, (uint32_t)id, &n) : NULL;

	if (!id)
		xtr_line_char(l, '-');
	else if (s)
		put_string(l, s, n);
	else
		put_unknown(l, "?str:", id);
}

static void put_ring(struct xtr_line *l, const struct xtr_tables *t, uint64_t id)
{
	const struct xtr_ring *ring = xtr_tables_ring(t, (uint32_t)id);

	if (!id) {
		xtr_line_char(l, '-');
	} else if (!ring) {
		put_unknown(l, "?ring:", id);
	} else {
		put_strid(l, t, ring->device);
		xtr_line_char(l, '/');
		put_strid(l, t, ring->name);
		put_unknown(l, "#", id);
	}
}

/* A string of the tables that says something, or NULL. */
static const char *text_of(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const char *s = id ? xtr_tables_string(t, id, n) : NULL;

	return s && *n ? s : NULL;
}

/* symbol+offset [module]; module+offset; or the bare address of what is in no known module. */
static void put_frame(struct xtr_line *l, const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_frame *frame = xtr_tables_frame(t, id);
	const char *symbol, *module;
	size_t n_symbol = 0, n_module = 0;

	if (!frame) {
		put_unknown(l, "?frame:", id);
		return;
	}
	symbol = text_of(t, frame->symbol, &n_symbol);
	module = text_of(t, frame->module, &n_module);
	if (symbol)
		xtr_line_text(l, symbol, n_symbol);
	else if (module)
		xtr_line_text(l, module, n_module);
	if (symbol || module)
		xtr_line_char(l, '+');
	xtr_line_hex(l, frame->offset);
	if (symbol && module) {
		xtr_line_str(l, " [");
		xtr_line_text(l, module, n_module);
		xtr_line_char(l, ']');
	} else if (!symbol && !module) {
		xtr_line_str(l, " [unknown]");
	}
}

const struct xtr_field *xtr_field_own_stack(const struct xtr_event_desc *d)
{
	const struct xtr_field *f = d ? xtr_event_field(d, "stack") : NULL;

	return f && f->repr == XTR_REPR_STACK ? f : NULL;
}

uint32_t xtr_field_stack_id(const struct xtr_field *f, const uint8_t *rec, uint32_t size)
{
	uint64_t id = 0;

	return f && xtr_field_get(f, rec, size, &id) ? (uint32_t)id : 0;
}

void xtr_field_stack(struct xtr_line *l, const struct xtr_tables *t, const struct xtr_field *field,
		     const uint8_t *rec, uint32_t size)
{
	const uint32_t *frames;
	uint64_t id = 0;
	size_t n = 0;

	if (field->repr != XTR_REPR_STACK || !xtr_field_get(field, rec, size, &id) || !id)
		return;
	frames = xtr_tables_stack(t, (uint32_t)id, &n);
	if (!frames) {
		xtr_line_fill(l, ' ', XTR_STACK_INDENT);
		put_unknown(l, "?stack:", id);
		xtr_line_char(l, '\n');
	}
	for (size_t i = 0; frames && i < n; i++) {
		xtr_line_fill(l, ' ', XTR_STACK_INDENT);
		put_frame(l, t, frames[i]);
		xtr_line_char(l, '\n');
	}
}

static void put_flag_names(struct xtr_line *l, const struct xtr_field *field, uint64_t v)
{
	const char *sep = "";

	for (uint32_t i = 0; i < field->n_names; i++) {
		uint64_t bit = field->names[i].value;

		if (!bit || (v & bit) != bit)
			continue;
		xtr_line_str(l, sep);
		xtr_line_text(l, field->names[i].name, strlen(field->names[i].name));
		sep = "|";
		v &= ~bit;
	}
	if (v) {
		xtr_line_str(l, sep);
		xtr_line_hex(l, v);
	} else if (!*sep) {
		xtr_line_char(l, '0');
	}
}

/* Units that change what a number means; a count of jobs is a number, and an errno has no unit. */
static bool is_measure(const char *unit)
{
	static const char *const measures[] = {
		"ns", "us", "ms", "s", "bytes", "KiB", "pages", "Hz"
	};

	for (size_t i = 0; unit && i < sizeof(measures) / sizeof(measures[0]); i++)
		if (*unit == *measures[i] && !strcmp(unit, measures[i]))
			return true;
	return false;
}

static void put_integer(struct xtr_line *l, const struct xtr_field *field, uint64_t v)
{
	const char *name =
		field->names_kind == XTR_NAMES_ENUM ? xtr_field_value_name(field, v) : NULL;

	if (field->names_kind == XTR_NAMES_FLAGS)
		put_flag_names(l, field, v);
	else if (name)
		xtr_line_text(l, name, strlen(name));
	else if (is_hex(field->repr))
		xtr_line_hex(l, v);
	else if (xtr_repr_is_signed(field->repr))
		xtr_line_s64(l, (int64_t)v);
	else
		xtr_line_u64(l, v, 1);
	if (is_measure(field->unit) && !name)
		xtr_line_text(l, field->unit, strlen(field->unit));
}

bool xtr_field_text(struct xtr_line *l, const struct xtr_tables *t, const struct xtr_field *field,
		    const uint8_t *rec, uint32_t size)
{
	const char *bytes;
	uint64_t v = 0;
	size_t n;

	if (field->repr == XTR_REPR_STR || field->repr == XTR_REPR_BYTES) {
		bytes = raw_bytes(field, rec, size, &n);
		if (bytes && field->repr == XTR_REPR_STR)
			put_string(l, bytes, n);
		else if (bytes)
			xtr_line_bytes(l, (const uint8_t *)bytes, n);
		return bytes;
	}
	if (!xtr_field_get(field, rec, size, &v))
		return false;
	switch (field->repr) {
	case XTR_REPR_STRID:
		put_strid(l, t, v);
		break;
	case XTR_REPR_RING:
		put_ring(l, t, v);
		break;
	default:
		put_integer(l, field, v);
	}
	return true;
}

static void json_strid(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0;
	const char *s = id <= UINT32_MAX ? xtr_tables_string(t, (uint32_t)id, &n) : NULL;
	char unknown[5 + XTR_DIGITS_MAX] = "?str:";

	if (s || !id)
		xtr_json_strn(j, s, n);
	else
		xtr_json_strn(j, unknown, (size_t)(xtr_digits_put(unknown + 5, id) - unknown));
}

/* "what" and id, to p; returns the byte behind. */
static char *copy_unknown(char *p, const char *what, uint64_t id)
{
	return xtr_digits_put(stpcpy(p, what), id);
}

/* As put_strid; what is longer than RING_PART_MAX is cut. */
static char *copy_strid(char *p, const struct xtr_tables *t, uint32_t id)
{
	size_t n = 0;
	const char *s = xtr_tables_string(t, id, &n);
	bool quote;

	if (!id)
		return stpcpy(p, "-");
	if (!s)
		return copy_unknown(p, "?str:", id);
	quote = needs_quotes(s, n);
	if (quote)
		*p++ = '"';
	p += strlen(xtr_text_name(p, RING_PART_MAX, s, n));
	if (quote)
		*p++ = '"';
	return p;
}

/* As put_ring; names are cut where they are longer than any device's. */
static void json_ring(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	const struct xtr_ring *ring = xtr_tables_ring(t, (uint32_t)id);
	char buf[2 * RING_PART_MAX + 64], *p = buf;

	if (!id) {
		xtr_json_null(j);
		return;
	}
	if (ring) {
		p = copy_strid(p, t, ring->device);
		*p++ = '/';
		p = copy_strid(p, t, ring->name);
		p = copy_unknown(p, "#", id);
	} else {
		p = copy_unknown(p, "?ring:", id);
	}
	xtr_json_strn(j, buf, (size_t)(p - buf));
}

static void json_frame(struct xtr_json *j, const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_frame *frame = xtr_tables_frame(t, id);
	const char *symbol = NULL, *module = NULL, *build_id;
	size_t n_symbol = 0, n_module = 0, n_build_id;

	xtr_json_begin_object(j);
	if (frame) {
		symbol = text_of(t, frame->symbol, &n_symbol);
		module = text_of(t, frame->module, &n_module);
		xtr_json_key(j, "symbol");
		xtr_json_strn(j, symbol, n_symbol);
		xtr_json_key(j, "module");
		xtr_json_strn(j, module, n_module);
		xtr_json_key(j, symbol || module ? "offset" : "address");
		xtr_json_hex_number(j, frame->offset);
		build_id = text_of(t, frame->build_id, &n_build_id);
		if (build_id) {
			xtr_json_key(j, "build_id");
			xtr_json_strn(j, build_id, n_build_id);
		}
	}
	xtr_json_end_object(j);
}

static void json_stack(struct xtr_json *j, const struct xtr_tables *t, uint64_t id)
{
	size_t n = 0;
	const uint32_t *frames = id ? xtr_tables_stack(t, (uint32_t)id, &n) : NULL;

	if (!frames) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_array(j);
	for (size_t i = 0; i < n; i++)
		json_frame(j, t, frames[i]);
	xtr_json_end_array(j);
}

static void json_named(struct xtr_json *j, const struct xtr_field *field, uint64_t v)
{
	const char *name = xtr_field_value_name(field, v);

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "value", v);
	if (field->names_kind == XTR_NAMES_ENUM) {
		xtr_json_kv_str(j, "name", name);
	} else {
		xtr_json_kv_array(j, "flags");
		for (uint32_t i = 0; i < field->n_names; i++)
			if (field->names[i].value &&
			    (v & field->names[i].value) == field->names[i].value)
				xtr_json_str(j, field->names[i].name);
		xtr_json_end_array(j);
	}
	xtr_json_end_object(j);
}

static void json_integer(struct xtr_json *j, const struct xtr_field *field, uint64_t v)
{
	if (field->names_kind != XTR_NAMES_NONE) {
		json_named(j, field, v);
	} else if (is_hex(field->repr)) {
		xtr_json_hex_number(j, v);
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
