/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of ftrace's events. What a message has becomes a record as the kernel would have made it of
 * these fields, so that it goes the way of all binary records: a set of fields is a type of the
 * import, and a field that a message lacks is none of the type's.
 */
#include "pftrace_core.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "format/meta/tpevent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_     64u   /* bytes */
#define TEXT_MAX      4096u /* bytes of one text */
#define RECORD_MAX    60000u
#define TYPES_MAX     ((size_t)4096)
#define FORMATS_BYTES ((size_t)32 << 20) /* of all types' formats */
#define FORMAT_PIECE  96u /* bytes that a field takes in one half of its print format */

/* --- types ------------------------------------------------------------------------------------ */

struct pft_type *pft_type_new(const char *system, size_t system_len, const char *event,
			      size_t event_len)
{
	struct pft_type *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->system = xtr_copy_text(system, system_len < NAME_MAX_ ? system_len : NAME_MAX_);
	t->event = xtr_copy_text(event, event_len < NAME_MAX_ ? event_len : NAME_MAX_);
	if (t->system && t->event)
		return t;
	pft_type_free(t);
	return NULL;
}

bool pft_type_add(struct pft_type *t, const char *name, size_t len, uint32_t number, char kind)
{
	struct pft_event_field *more;

	if (t->n_fields == PFT_FIELDS)
		return true;
	more = realloc(t->fields, (t->n_fields + 1) * sizeof(*more));
	if (!more)
		return false;
	t->fields = more;
	more[t->n_fields] = (struct pft_event_field){
		.name = xtr_copy_text(name, len < NAME_MAX_ ? len : NAME_MAX_),
		.number = number,
		.kind = kind == 'l' ? 's' : kind,
		.line = kind == 'l',
	};
	return more[t->n_fields++].name;
}

bool pft_type_fill(struct pft_type *t, const struct pft_row *row)
{
	const char *p = row->fields;
	uint32_t number = 1;
	size_t n;

	t->described = true;
	for (; *p; p += n + (p[n] == ' '), number++) {
		n = strcspn(p, " ");
		if (*p != '-' && !pft_type_add(t, p + 2, n - 2, number, *p))
			return false;
	}
	return true;
}

static void free_format(struct xtr_tp_format *f)
{
	if (!f)
		return;
	free(f->fields);
	free(f->print_fmt);
	free(f);
}

void pft_type_free(struct pft_type *t)
{
	for (uint32_t i = 0; i < t->n_variants; i++)
		free_format(t->variants[i].format);
	for (uint32_t i = 0; i < t->n_fields; i++)
		free(t->fields[i].name);
	free(t->fields);
	free(t->system);
	free(t->event);
	free(t);
}

/* --- types by number and name ----------------------------------------------------------------- */

int pft_type_add_to(struct pftrace *p, struct pft_type *t, uint32_t *index)
{
	struct pft_ftrace *f = p->ftrace;

	if (f->n >= TYPES_MAX) {
		pft_type_free(t);
		*index = UINT32_MAX;
		return 0;
	}
	if (xtr_grow_array(&f->types, &f->cap, f->n + 1, sizeof(*f->types))) {
		pft_type_free(t);
		return -ENOMEM;
	}
	*index = (uint32_t)f->n;
	f->types[f->n++] = t;
	return 0;
}

static int find_numbered(struct pftrace *p, uint32_t number, uint32_t *index)
{
	struct pft_ftrace *f = p->ftrace;
	const uint64_t *known = xtr_map_get(&f->by_number, number, 0);
	const struct pft_row *row;
	struct pft_type *t;
	char name[32];
	int err;

	if (known) {
		*index = (uint32_t)*known;
		return 0;
	}
	row = pft_row(number);
	if (row) {
		const char *colon = strchr(row->name, ':');

		t = pft_type_new(row->name, (size_t)(colon - row->name), colon + 1,
				 strlen(colon + 1));
	} else {
		snprintf(name, sizeof(name), "event_%u", number);
		t = pft_type_new("unknown", 7, name, strlen(name));
	}
	if (!t)
		return -ENOMEM;
	if (row && !pft_type_fill(t, row)) {
		pft_type_free(t);
		return -ENOMEM;
	}
	err = pft_type_add_to(p, t, index);
	return err || *index == UINT32_MAX ? err : xtr_map_put(&f->by_number, number, 0, *index);
}

int pft_type_numbered(struct pftrace *p, uint32_t number, uint32_t *index)
{
	uint32_t *direct = p->ftrace->direct;
	const bool small = number < sizeof(p->ftrace->direct) / sizeof(*direct);
	int err;

	if (small && direct[number]) {
		*index = direct[number] - 1;
		return 0;
	}
	err = find_numbered(p, number, index);
	if (!err && small)
		direct[number] = *index + 1;
	return err;
}

static bool is_named(const struct pft_type *t, const char *system, size_t system_len,
		     const char *event, size_t event_len)
{
	return strlen(t->system) == system_len && strlen(t->event) == event_len &&
	       !memcmp(t->system, system, system_len) && !memcmp(t->event, event, event_len);
}

int pft_type_named(struct pftrace *p, const char *system, size_t system_len, const char *event,
		   size_t event_len, uint32_t *index)
{
	struct pft_ftrace *f = p->ftrace;
	const uint64_t *known;
	struct pft_type *t;
	uint64_t hash, k;
	int err;

	system_len = system_len < NAME_MAX_ ? system_len : NAME_MAX_;
	event_len = event_len < NAME_MAX_ ? event_len : NAME_MAX_;
	hash = xtr_hash_bytes(event, event_len);
	for (k = 0; (known = xtr_map_get(&f->by_name, hash, k)); k++) {
		if (is_named(f->types[*known], system, system_len, event, event_len)) {
			*index = (uint32_t)*known;
			return 0;
		}
	}
	t = pft_type_new(system, system_len, event, event_len);
	if (!t)
		return -ENOMEM;
	err = pft_type_add_to(p, t, index);
	return err || *index == UINT32_MAX ? err : xtr_map_put(&f->by_name, hash, k, *index);
}

/* --- reading ---------------------------------------------------------------------------------- */

uint32_t pft_type_field(const struct pft_type *t, uint32_t number, uint32_t *hint)
{
	for (uint32_t k = 0; k < t->n_fields; k++) {
		uint32_t i = *hint + k;

		i = i < t->n_fields ? i : i - t->n_fields;
		if (t->fields[i].number == number) {
			*hint = i + 1;
			return i;
		}
	}
	return PFT_FIELDS;
}

/* Bytes that are a text? */
static bool is_text(const struct pft_field *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->p[i] < 0x20 && f->p[i] != '\n' && f->p[i] != '\t')
			return false;
	return true;
}

static int find_field(struct pft_type *t, const struct pft_field *f, uint32_t *hint, uint32_t *i)
{
	char name[24];
	bool number = f->wire == 0;

	*i = pft_type_field(t, f->num, hint);
	if (*i != PFT_FIELDS || t->described || t->n_fields == PFT_FIELDS ||
	    (!number && (f->wire != 2 || !is_text(f))))
		return 0;
	snprintf(name, sizeof(name), "field_%u", f->num);
	if (!pft_type_add(t, name, strlen(name), f->num, number ? 'd' : 's'))
		return -ENOMEM;
	*i = t->n_fields - 1;
	return 0;
}

int pft_type_read(struct pft_type *t, struct pft_msg m, struct pft_values *v)
{
	struct pft_field f;
	uint32_t hint = 0, i;
	int err;

	v->have = 0;
	while (pft_next(&m, &f)) {
		err = find_field(t, &f, &hint, &i);
		if (err)
			return err;
		if (i == PFT_FIELDS || (t->fields[i].kind == 's') != (f.wire == 2))
			continue;
		v->have |= 1ull << i;
		v->num[i] = f.v;
		v->p[i] = f.p;
		v->n[i] = f.n;
		if (t->fields[i].line && f.n && f.p[f.n - 1] == '\n')
			v->n[i]--;
	}
	return 0;
}

/* --- giving ----------------------------------------------------------------------------------- */

/* The print format says which numbers are hexadecimal, and which are addresses. */
static char *print_format(const struct pft_type *t, uint64_t mask)
{
	const size_t cap = (size_t)FORMAT_PIECE * 2 * (t->n_fields + 1);
	char *text = malloc(cap), *fitting;
	size_t n = 1;

	if (!text)
		return NULL;
	text[0] = '"';
	for (uint32_t i = 0; i < t->n_fields; i++) {
		const struct pft_event_field *f = &t->fields[i];

		if (!(mask >> i & 1))
			continue;
		n += (size_t)snprintf(text + n, cap - n, "%s%s=%s", n > 1 ? " " : "", f->name,
				      f->kind == 'x'   ? "0x%llx"
				      : f->kind == 'p' ? "%p"
				      : f->kind == 's' ? "%s"
				      : f->kind == 'u' ? "%llu"
						       : "%lld");
	}
	text[n++] = '"';
	for (uint32_t i = 0; i < t->n_fields; i++)
		if (mask >> i & 1)
			n += (size_t)snprintf(text + n, cap - n, ", REC->%s", t->fields[i].name);
	text[n] = '\0';
	fitting = realloc(text, n + 1);
	return fitting ? fitting : text;
}

static struct xtr_tp_format *format_of(const struct pft_type *t, uint64_t mask)
{
	struct xtr_tp_format *f = calloc(1, sizeof(*f));
	uint32_t at = XTR_TP_COMMON;

	if (!f)
		return NULL;
	f->name = t->event;
	f->print_fmt = print_format(t, mask);
	f->fields = calloc(t->n_fields + 1, sizeof(*f->fields));
	if (!f->print_fmt || !f->fields) {
		free_format(f);
		return NULL;
	}
	for (uint32_t i = 0; i < t->n_fields; i++) {
		struct xtr_tp_field *to = &f->fields[f->n_fields];
		const bool text = t->fields[i].kind == 's';

		if (!(mask >> i & 1))
			continue;
		to->name = t->fields[i].name;
		to->type = (char *)(text ? "__data_loc char[]" : "u64");
		to->offset = at;
		to->size = text ? 4 : 8;
		to->is_signed = t->fields[i].kind == 'd';
		to->kind = text ? XTR_TP_LOC_STR : XTR_TP_INT;
		at += to->size;
		f->n_fields++;
	}
	return f;
}

/* The variant with these fields; behind the last one that there may be, all are one.
 * NULL: there is no room for another kind. */
static int variant_of(struct pftrace *p, struct pft_type *t, uint64_t mask,
		      const struct pft_variant **out)
{
	struct pft_variant *v;
	int err;

	for (uint32_t i = 0; i < t->n_variants; i++) {
		if (t->variants[i].mask == mask) {
			*out = &t->variants[i];
			return 0;
		}
	}
	*out = t->n_variants ? &t->variants[t->n_variants - 1] : NULL;
	if (t->n_variants == PFT_VARIANTS || p->ftrace->format_bytes > FORMATS_BYTES)
		return 0;
	v = &t->variants[t->n_variants];
	if (t->n_variants == PFT_VARIANTS - 1)
		mask = t->n_fields < 64 ? (1ull << t->n_fields) - 1 : UINT64_MAX;
	v->mask = mask;
	v->format = format_of(t, mask);
	if (!v->format)
		return -ENOMEM;
	err = xtr_import_type(p->im, t->system, v->format, false, &v->type);
	if (err) {
		free_format(v->format);
		return err;
	}
	t->n_variants++;
	p->ftrace->format_bytes += strlen(v->format->print_fmt) + 1024 +
				   v->format->n_fields * sizeof(*v->format->fields);
	*out = v;
	return 0;
}

/* The record: numbers and places of texts, then the texts. */
static size_t put_record(const struct pft_variant *var, const struct pft_type *t,
			 const struct pft_values *v, uint8_t *rec)
{
	size_t at = XTR_TP_COMMON, end = XTR_TP_COMMON;

	for (uint32_t i = 0; i < t->n_fields; i++)
		if (var->mask >> i & 1)
			end += t->fields[i].kind == 's' ? 4 : 8;
	for (uint32_t i = 0; i < t->n_fields; i++) {
		const bool there = v->have >> i & 1;
		size_t n = there ? v->n[i] : 0;

		if (!(var->mask >> i & 1))
			continue;
		if (t->fields[i].kind != 's') {
			xtr_put_le64(rec + at, there ? v->num[i] : 0);
			at += 8;
			continue;
		}
		n = n < TEXT_MAX ? n : TEXT_MAX;
		n = n < RECORD_MAX - end ? n : RECORD_MAX - end;
		xtr_put_le32(rec + at, (uint32_t)(n << 16 | end));
		if (n)
			memcpy(rec + end, v->p[i], n);
		end += n;
		at += 4;
	}
	return end;
}

int pft_type_give(struct pftrace *p, struct pft_type *t, const struct xtr_import_at *at,
		  const struct pft_values *v)
{
	const struct pft_variant *var;
	uint8_t rec[RECORD_MAX];
	int err = variant_of(p, t, v->have, &var);

	if (!err && !var)
		p->ftrace->left_out++;
	if (err || !var)
		return err;
	memset(rec, 0, XTR_TP_COMMON);
	return xtr_import_raw(p->im, at, var->type, rec, put_record(var, t, v, rec));
}
