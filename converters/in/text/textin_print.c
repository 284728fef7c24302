/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of events by the kernel's print formats (replay/event/print_format.h), so that an event has
 * the fields that it would have had if it had been recorded. A text that no format fits, of a
 * kernel that prints other fields or of a tool that prints all by their names, is taken apart by
 * its labels: then the format still says which field is behind a label, and what kind of value it
 * is.
 */
#include "textin.h"

#include "base/map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 64u /* ends that are tried for the texts of one format */

struct match {
	struct textin_values *out;
	unsigned int tries;
};

/* A part of a format. */
struct part {
	const char *p, *end;
};

static bool match_from(struct match *m, struct part f, struct textin_at a, const char **end);

/* %s: up to where the rest of the format fits, the shortest first. */
static bool match_text(struct match *m, struct part f, struct textin_at a, const char **end,
		       struct xtr_import_value *v)
{
	const char *stop = memchr(f.p, '%', (size_t)(f.end - f.p)), *hit;
	size_t n = (size_t)((stop ? stop : f.end) - f.p), before = m->out->n;

	v->kind = XTR_IMPORT_STR;
	v->str = a.p;
	if (!n) { /* the end of the format: all that is left */
		v->str_len = (size_t)(a.end - a.p);
		textin_add_value(m->out, v);
		*end = a.end;
		return true;
	}
	for (const char *from = a.p; m->tries; from = hit + 1) {
		hit = memmem(from, (size_t)(a.end - from), f.p, n);
		if (!hit)
			return false;
		m->tries--;
		v->str_len = (size_t)(hit - v->str);
		textin_add_value(m->out, v);
		if (match_from(m, f, (struct textin_at){ hit, a.end }, end))
			return true;
		m->out->n = before;
	}
	return false;
}

/* A text without blanks and commas. */
static bool take_word(struct textin_at *a, struct xtr_import_value *v)
{
	v->kind = XTR_IMPORT_STR;
	v->str = a->p;
	while (a->p < a->end && *a->p != ' ' && *a->p != ',')
		a->p++;
	v->str_len = (size_t)(a->p - v->str);
	return v->str_len;
}

/* Digits, or what is printed instead; the name of a symbol stays a text. */
static bool take_pointer(struct textin_at *a, struct xtr_import_value *v)
{
	struct textin_at b = *a;

	v->kind = XTR_IMPORT_HEX;
	v->num = 0;
	if (textin_text(a, "(null)") || textin_text(a, "(nil)"))
		return true;
	if (textin_hex(&b, &v->num) &&
	    (b.p == b.end || !(isalnum((unsigned char)*b.p) || *b.p == '_'))) {
		*a = b;
		return true;
	}
	b = *a; /* tools that print fields by their names have it in decimal */
	if (textin_u64(&b, &v->num) && b.p == b.end) {
		*a = b;
		return true;
	}
	return take_word(a, v);
}

static bool take_decimal(char kind, struct textin_at *a, struct xtr_import_value *v)
{
	bool minus = (kind == 'd' || kind == 'w') && textin_char(a, '-');

	if (kind == 'd' && !minus)
		textin_char(a, '+');
	v->kind = minus ? XTR_IMPORT_SINT : XTR_IMPORT_UINT;
	if (!minus && a->end - a->p > 2 && a->p[0] == '0' && a->p[1] == 'x') {
		v->kind = XTR_IMPORT_HEX;
		return textin_hex(a, &v->num);
	}
	if (!textin_u64(a, &v->num))
		return false;
	v->num = minus ? -v->num : v->num;
	if (minus && kind == 'w') { /* 32 bits without a sign */
		v->kind = XTR_IMPORT_UINT;
		v->num = (uint32_t)v->num;
	}
	return true;
}

static bool take_letter(char kind, struct textin_at *a, struct xtr_import_value *v)
{
	if (a->p == a->end || !isupper((unsigned char)*a->p))
		return false;
	v->kind = XTR_IMPORT_UINT;
	v->num = (uint64_t)(kind == 'C' ? *a->p : *a->p - 'A');
	a->p++;
	return true;
}

static bool take_nine(struct textin_at *a, struct xtr_import_value *v)
{
	const char *p = a->p;

	v->kind = XTR_IMPORT_UINT;
	return textin_u64(a, &v->num) && a->p - p == 9;
}

/*
 * The longest of "text=number|text=number" that is at a. With `empty` one without a text may be it.
 */
static bool take_name(struct textin_at *a, const char *names, size_t len, bool empty, uint64_t *num)
{
	const char *p = names, *end = names + len, *best = NULL;
	size_t best_n = 0;

	while (p < end) {
		const char *sign = memchr(p, '=', (size_t)(end - p));
		const char *next = memchr(p, '|', (size_t)(end - p));
		size_t n = sign ? (size_t)(sign - p) : 0;

		if (!sign)
			break;
		if ((n ? n > best_n : empty && !best) && (size_t)(a->end - a->p) >= n &&
		    !memcmp(a->p, p, n)) {
			best = sign + 1;
			best_n = n;
		}
		p = next ? next + 1 : end;
	}
	if (!best)
		return false;
	*num = strtoull(best, NULL, 10);
	a->p += best_n;
	return true;
}

/* Names of bits, and in hexadecimal those that have none. */
static bool take_flags(struct textin_at *a, const struct xtr_print_value *pv, uint64_t *num)
{
	uint64_t bit;
	bool any = false;

	*num = 0;
	for (;; any = true, *num |= bit) {
		struct textin_at b = *a;

		if (any)
			textin_char(&b, '|');
		if (!take_name(&b, pv->names, pv->names_len, false, &bit) &&
		    !(textin_text(&b, "0x") && textin_hex(&b, &bit)))
			return any;
		*a = b;
	}
}

/* A value that ends by itself. */
static bool take(const struct xtr_print_value *pv, struct textin_at *a, struct xtr_import_value *v)
{
	v->kind = XTR_IMPORT_UINT;
	switch (pv->kind) {
	case 'p':
		return take_pointer(a, v);
	case 'x':
		v->kind = XTR_IMPORT_HEX;
		return textin_hex(a, &v->num);
	case 'r':
		if (!textin_hex(a, &v->num))
			return false;
		v->kind = v->num > INT64_MAX ? XTR_IMPORT_SINT : XTR_IMPORT_UINT;
		return true;
	case 't':
		return take_word(a, v);
	case 'e':
		return take_name(a, pv->names, pv->names_len, true, &v->num);
	case 'n':
		v->names = pv->names;
		v->names_len = pv->names_len;
		return take_name(a, pv->names, pv->names_len, false, &v->num);
	case 'f':
		v->names = pv->names;
		v->names_len = pv->names_len;
		v->flags = true;
		return take_flags(a, pv, &v->num);
	case 'c':
	case 'C':
		return take_letter(pv->kind, a, v);
	case '9':
		return take_nine(a, v);
	default:
		return take_decimal(pv->kind, a, v);
	}
}

/* %h: the upper half of a value that was taken before. */
static bool add_upper(struct textin_values *out, const struct xtr_print_value *pv,
		      struct textin_at *a)
{
	uint64_t num;

	if (!textin_hex(a, &num))
		return false;
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].name_len == pv->field_len &&
		    !memcmp(out->v[i].name, pv->field, pv->field_len))
			out->v[i].num |= num << 32;
	return true;
}

/* What only some kernels print; *f is behind its %( and is moved behind its %). */
static bool match_group(struct match *m, struct part *f, struct textin_at *a)
{
	const char *close = f->p, *end;
	size_t before = m->out->n;

	while ((close = memchr(close, '%', (size_t)(f->end - close))) && close[1] != ')')
		close++;
	if (!close)
		return false;
	if (match_from(m, (struct part){ f->p, close }, *a, &end))
		a->p = end;
	else
		m->out->n = before;
	f->p = close + 2;
	return true;
}

static bool match_from(struct match *m, struct part f, struct textin_at a, const char **end)
{
	while (f.p < f.end) {
		struct xtr_import_value v = { 0 };
		struct xtr_print_value pv;

		if (*f.p != '%') {
			if (!textin_char(&a, *f.p++))
				return false;
			continue;
		}
		if (f.p[1] == '(' || f.p[1] == '_') {
			f.p += 2;
			if (f.p[-1] == '(' ? !match_group(m, &f, &a) : !textin_u64(&a, &v.num))
				return false;
			continue;
		}
		if (!xtr_print_next(&f.p, f.end, &pv))
			return false;
		v.name = pv.field;
		v.name_len = pv.field_len;
		if (pv.kind == 's')
			return match_text(m, f, a, end, &v);
		if (pv.kind == 'h' ? !add_upper(m->out, &pv, &a) : !take(&pv, &a, &v))
			return false;
		if (pv.kind != 'h')
			textin_add_value(m->out, &v);
	}
	*end = a.p;
	return true;
}

size_t textin_print(struct textin_values *out, const char *text, size_t len)
{
	for (size_t i = 0; i < out->event->n; i++) {
		const struct xtr_print *row = out->event->rows[i];
		struct match m = { .out = out, .tries = TRIES };
		struct textin_at a = { text, text + len };
		struct part f = { row->format, row->format + strlen(row->format) };
		const char *end;

		/* A format is the whole text, or a comma or blank follows. */
		if (match_from(&m, f, a, &end) && (end == a.end || *end == ',' || *end == ' ')) {
			out->system = row->system;
			return (size_t)(end - text);
		}
		out->n = 0;
	}
	return 0;
}

/* --- by labels -------------------------------------------------------------------------------- */

/* A tool that prints fields by their names prints all numbers in decimal. */
static bool take_by_name(struct textin_values *out, const struct xtr_print_value *pv,
			 struct xtr_import_value *v, const char *text, size_t len)
{
	struct textin_at a = { text, text + len }, b = a;

	v->name = pv->field;
	v->name_len = pv->field_len;
	if (pv->kind == 's' || pv->kind == 't') {
		v->kind = XTR_IMPORT_STR;
		v->str = text;
		v->str_len = len;
		return true;
	}
	if (strchr("px", pv->kind) && out->decimal && textin_u64(&b, &v->num) && b.p == b.end) {
		v->kind = XTR_IMPORT_HEX;
		return true;
	}
	if (take(pv, &a, v) && a.p == a.end)
		return true;
	a.p = text;
	return take_decimal('d', &a, v) && a.p == a.end;
}

bool textin_by_label(struct textin_values *out, const char *label, size_t label_len,
		     const char *text, size_t len)
{
	const struct textin_event_kind *e = out->event;
	struct match m = { .out = out, .tries = TRIES };
	struct xtr_import_value v = { 0 };
	struct xtr_print_value pv;
	size_t before = out->n;
	const char *end;

	if (!out->by_name && xtr_print_value(e->rows, e->n, label, label_len, true, &pv)) {
		if (match_from(&m, (struct part){ pv.piece, pv.end },
			       (struct textin_at){ text, text + len }, &end) &&
		    end == text + len)
			return true;
		out->n = before;
	}
	if (!xtr_print_value(e->rows, e->n, label, label_len, false, &pv) ||
	    !take_by_name(out, &pv, &v, text, len))
		return false;
	textin_add_value(out, &v);
	return true;
}

/* --- events by name --------------------------------------------------------------------------- */

static void look_up(struct textin_event_kind *e, const char *name, size_t len)
{
	e->n = xtr_prints(name, len, e->rows);
	e->system = xtr_print_system(name, len);
}

const struct textin_event_kind *textin_kind_of(struct textin_kinds *k, const char *name, size_t len)
{
	struct textin_event_kind *e = &k->other;

	if (len && len < sizeof(e->name)) {
		e = &k->kind[xtr_hash_bytes(name, len) % TEXTIN_KINDS];
		if (e->len == len && !memcmp(e->name, name, len))
			return e;
		memcpy(e->name, name, len);
		e->len = len;
	}
	look_up(e, name, len);
	return e;
}

/*
 * Marks of user space: what it wrote is behind the name of the event, or behind the function's that
 * wrote it, which is a number where the kernel has no name for it.
 */
bool textin_mark(const struct textin_event *e, const char **text, size_t *len)
{
	static const char direct[] = "tracing_mark_write";
	static const char *const behind[] = { "print", "bprint", "bputs" };
	const char *colon;
	size_t i;

	if (e->call || (e->system && (e->system_len != 6 || memcmp(e->system, "ftrace", 6) != 0)))
		return false;
	*text = e->text;
	*len = e->text_len;
	if ((e->name_len == sizeof(direct) - 1 && !memcmp(direct, e->name, e->name_len)) ||
	    (e->name_len && isdigit((unsigned char)*e->name)))
		return true;
	for (i = 0; i < 3; i++)
		if (strlen(behind[i]) == e->name_len && !memcmp(behind[i], e->name, e->name_len))
			break;
	if (i == 3)
		return false;
	colon = memchr(e->text, ':', e->text_len);
	if (!colon || memchr(e->text, ' ', (size_t)(colon - e->text)))
		return true;
	*text = colon + 1;
	*len = (size_t)(e->text + e->text_len - *text);
	if (*len && **text == ' ') {
		++*text;
		--*len;
	}
	return true;
}
