/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printed events: a name, and values with labels. What a label's type is in the kernel nobody knows
 * any more, so numbers take 8 bytes and everything else is a text. Events of one name may be
 * printed with other labels from time to time: each such shape is an event type of the same name.
 */
#include "import_priv.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES_MAX   16u /* of one name; then all values become one text */
#define NAME_MAX_    64u /* bytes of a label, a system or an event's name */
#define KERNEL_FIRST 0xff00000000000000u
#define ERROR_FIRST  0xfffffffffffff000u
#define JOIN_MAX     1024 /* bytes of all values as one text */

/* Of the record of a call: where its values begin, and context 4, unknown. */
#define CALL_VALUES     24u
#define CONTEXT_UNKNOWN 4u

struct import_shape {
	struct import_shape *next;    /* all */
	struct import_shape *variant; /* of the same name */
	char *name;
	struct xtr_event_desc desc;
	struct xtr_field *fields; /* desc.n_fields: lead, then those of the values in order */
	uint32_t lead;            /* 1 for a call: its context */
	bool refused;
	bool joined; /* one text for all values */
	bool stack;  /* a last field, behind those of the values */
};

static enum xtr_repr repr_of(const struct xtr_import_value *v)
{
	switch (v->kind) {
	case XTR_IMPORT_STR:
		return XTR_REPR_STRID;
	case XTR_IMPORT_HEX:
		return XTR_REPR_HEX64;
	case XTR_IMPORT_UINT:
		return v->num > INT64_MAX ? XTR_REPR_U64 : XTR_REPR_S64;
	default:
		return XTR_REPR_S64;
	}
}

/* What names a shape, but for its values. */
struct shape_key {
	const char *name, *target;
	const struct xtr_import_call *call;
	bool stack;
};

static bool same_shape(const struct import_shape *s, bool stack, const struct xtr_import_value *v,
		       size_t n)
{
	if (s->joined || s->stack != stack || s->desc.n_fields != s->lead + n + stack)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct xtr_field *f = &s->fields[s->lead + i];
		const char *name = f->name;
		size_t len = v[i].name_len < NAME_MAX_ ? v[i].name_len : NAME_MAX_;

		if (f->repr != repr_of(&v[i]) || strlen(name) != len ||
		    memcmp(name, v[i].name, len) != 0)
			return false;
	}
	return true;
}

/* Numbers first, texts behind them: nothing is left between. */
static void lay_out(struct import_shape *s)
{
	uint32_t at = XTR_RECORD_HEADER_SIZE;

	for (int texts = 0; texts < 2; texts++) {
		for (uint32_t i = 0; i < s->desc.n_fields; i++) {
			struct xtr_field *f = &s->fields[i];

			if ((f->repr == XTR_REPR_STRID) != texts)
				continue;
			f->offset = at;
			f->size = texts ? 4 : 8;
			at += f->size;
		}
	}
	s->desc.size = (at + 7) & ~7u;
}

/* Calls (spec/events.md): 8 bytes for each value; the place of `ret` is there without one. */
static void lay_out_call(struct import_shape *s, bool ret)
{
	uint32_t at = ret ? CALL_VALUES + 8 : CALL_VALUES;

	for (uint32_t i = s->lead; i < s->desc.n_fields; i++) {
		struct xtr_field *f = &s->fields[i];
		bool text = f->repr == XTR_REPR_STRID;
		bool is_ret = ret && !text && !strcmp(f->name, "ret");

		f->size = text ? 4 : 8;
		f->offset = is_ret ? CALL_VALUES : at;
		at += is_ret ? 0 : 8;
	}
	s->desc.size = at;
}

/* The texts are copies, as those of all event types are. */
static int add_context(struct import_shape *s)
{
	static const char *const contexts[] = { "task", "softirq", "hardirq", "nmi", "unknown" };
	const uint32_t n = sizeof(contexts) / sizeof(contexts[0]);
	struct xtr_value_name *names = calloc(n, sizeof(*names));
	struct xtr_field *f = s->fields;

	f->name = strdup("context");
	s->desc.n_fields = s->lead = 1;
	f->names = names;
	if (!names || !f->name)
		return -ENOMEM;
	f->offset = XTR_RECORD_HEADER_SIZE;
	f->size = 4;
	f->repr = XTR_REPR_U32;
	f->names_kind = XTR_NAMES_ENUM;
	for (; f->n_names < n; f->n_names++) {
		names[f->n_names].value = f->n_names;
		names[f->n_names].name = strdup(contexts[f->n_names]);
		if (!names[f->n_names].name)
			return -ENOMEM;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const struct xtr_value_name *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* "text=number|text=number": the names of a number. Of several with one number the first. */
static int add_names(struct xtr_field *f, const struct xtr_import_value *v)
{
	const char *p = v->names, *end = p + v->names_len, *sign;
	struct xtr_value_name *names = calloc(v->names_len / 2 + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	f->names = names;
	f->names_kind = v->flags ? XTR_NAMES_FLAGS : XTR_NAMES_ENUM;
	for (; p < end && (sign = memchr(p, '=', (size_t)(end - p))); p++) {
		uint64_t value = strtoull(sign + 1, NULL, 10);
		bool known = v->flags && !value; /* no bit */

		for (uint32_t i = 0; i < f->n_names; i++)
			known |= names[i].value == value;
		if (!known) {
			names[f->n_names].value = value;
			names[f->n_names].name = xtr_copy_text(p, (size_t)(sign - p));
			if (!names[f->n_names++].name)
				return -ENOMEM;
		}
		p = memchr(sign, '|', (size_t)(end - sign));
		if (!p)
			break;
	}
	qsort(names, f->n_names, sizeof(*names), by_value);
	return 0;
}

/* Behind all others, in 8 bytes. */
static int lay_out_stack(struct import_shape *s)
{
	struct xtr_field *f = &s->fields[s->desc.n_fields];

	f->name = strdup("stack");
	if (!f->name)
		return -ENOMEM;
	f->repr = XTR_REPR_STACK;
	f->size = 4;
	f->offset = s->desc.size;
	s->desc.n_fields++;
	s->desc.size += 8;
	s->stack = true;
	return 0;
}

static int fill_shape(struct import_shape *s, const struct shape_key *key,
		      const struct xtr_import_value *v, size_t n)
{
	const struct xtr_import_call *call = key->call;
	int err = 0;

	s->fields = calloc(n + 2, sizeof(*s->fields));
	if (!s->fields)
		return -ENOMEM;
	s->desc.fields = s->fields;
	if (call)
		err = add_context(s);
	for (size_t i = 0; i < n && !err; i++) {
		size_t len = v[i].name_len < NAME_MAX_ ? v[i].name_len : NAME_MAX_;
		struct xtr_field *f = &s->fields[s->desc.n_fields];

		f->name = xtr_copy_text(v[i].name, len);
		f->repr = repr_of(&v[i]);
		if (!f->name)
			return -ENOMEM;
		s->desc.n_fields++;
		if (v[i].names_len && f->repr != XTR_REPR_STRID)
			err = add_names(f, &v[i]);
	}
	if (err)
		return err;
	if (call)
		lay_out_call(s, call->ret);
	else
		lay_out(s);
	return key->stack ? lay_out_stack(s) : 0;
}

static void free_shape(struct import_shape *s)
{
	for (uint32_t i = 0; i < s->desc.n_fields; i++) {
		const struct xtr_field *f = &s->fields[i];

		for (uint32_t k = 0; k < f->n_names; k++)
			free((char *)f->names[k].name);
		free((struct xtr_value_name *)f->names);
		free((char *)f->name);
	}
	free(s->fields);
	free(s->name);
	free(s);
}

static int new_shape(struct xtr_import *im, const struct shape_key *key,
		     const struct xtr_import_value *v, size_t n, struct import_shape **out)
{
	struct import_shape *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->name = strdup(key->name);
	s->desc.name = s->name;
	if (s->name)
		err = fill_shape(s, key, v, n);
	if (!err)
		err = import_add_type_of(im, &s->desc, key->target);
	if (err == -E2BIG) {
		s->refused = true;
		err = 0;
	}
	if (err) {
		free_shape(s);
		return err;
	}
	s->next = im->shapes;
	im->shapes = s;
	*out = s;
	return 0;
}

/* The first shape of the name; *k: where it would be in the map. */
static struct import_shape *first_of(const struct xtr_import *im, const char *name, uint64_t hash,
				     uint64_t *k)
{
	const uint64_t *at;

	for (*k = 0; (at = xtr_map_get(&im->shape_by_name, hash, *k)); (*k)++) {
		struct import_shape *s = (struct import_shape *)(uintptr_t)*at;

		if (!strcmp(s->name, name))
			return s;
	}
	return NULL;
}

static int shape_of(struct xtr_import *im, const struct shape_key *key,
		    const struct xtr_import_value *v, size_t n, struct import_shape **out)
{
	static const struct xtr_import_value text = { .name = "text",
						      .name_len = 4,
						      .kind = XTR_IMPORT_STR };
	uint64_t k, hash = xtr_hash_bytes(key->name, strlen(key->name));
	struct import_shape *first = first_of(im, key->name, hash, &k), *s;
	unsigned int variants = 0;
	int err;

	for (s = first; s; s = s->variant, variants++) {
		if (same_shape(s, key->stack, v, n) || s->joined) {
			*out = s;
			return 0;
		}
	}
	if (variants + 1 < SHAPES_MAX)
		err = new_shape(im, key, v, n, &s);
	else
		err = new_shape(im, key, &text, 1, &s);
	if (err)
		return err;
	s->joined = variants + 1 >= SHAPES_MAX;
	*out = s;
	if (!first)
		return xtr_map_put(&im->shape_by_name, hash, k, (uint64_t)(uintptr_t)s);
	while (first->variant)
		first = first->variant;
	first->variant = s;
	return 0;
}

/*
 * A number as it is kept: an address of the kernel (the upper half of 48 bits or more) is hashed,
 * the same for the same address. The last 4,096 are errors.
 */
static uint64_t number_of(const struct xtr_import *im, const struct xtr_import_value *v)
{
	bool kernel = v->kind == XTR_IMPORT_HEX && v->num >= KERNEL_FIRST && v->num < ERROR_FIRST;

	return kernel && !im->o->keep_pointers ? xtr_siphash(&im->key, v->num) : v->num;
}

static int put_joined(struct xtr_import *im, const struct import_shape *s,
		      const struct xtr_import_value *v, size_t n, uint8_t *out)
{
	char text[JOIN_MAX];
	size_t len = 0;
	uint32_t id;
	int put, err;

	for (size_t i = 0; i < n && len < sizeof(text) - 1; i++) {
		put = snprintf(text + len, sizeof(text) - len, "%s%.*s=", i ? " " : "",
			       (int)v[i].name_len, v[i].name);
		len += put > 0 ? (size_t)put : 0;
		if (len >= sizeof(text) - 1)
			break;
		if (v[i].kind == XTR_IMPORT_STR)
			put = snprintf(text + len, sizeof(text) - len, "%.*s", (int)v[i].str_len,
				       v[i].str);
		else
			put = snprintf(text + len, sizeof(text) - len,
				       v[i].kind == XTR_IMPORT_HEX    ? "0x%" PRIx64
				       : v[i].kind == XTR_IMPORT_UINT ? "%" PRIu64
								      : "%" PRId64,
				       number_of(im, &v[i]));
		len += put > 0 ? (size_t)put : 0;
	}
	err = import_intern(im, text, len < sizeof(text) ? len : sizeof(text) - 1, &id);
	xtr_put_le32(out + s->fields[s->lead].offset, id);
	return err;
}

static int put_shape(struct xtr_import *im, const struct xtr_import_at *at,
		     const struct import_shape *s, const struct xtr_import_value *v, size_t n)
{
	uint8_t out[CALL_VALUES + 8 * XTR_IMPORT_VALUES + 16] = { 0 };
	uint32_t id;
	int err = 0;

	if (s->refused)
		return import_refuse(im, at);
	if (s->lead)
		xtr_put_le32(out + XTR_RECORD_HEADER_SIZE, CONTEXT_UNKNOWN);
	if (s->joined)
		err = put_joined(im, s, v, n, out);
	if (s->stack)
		xtr_put_le32(out + s->fields[s->desc.n_fields - 1].offset, at->stack);
	for (size_t i = 0; !err && !s->joined && i < n; i++) {
		const struct xtr_field *f = &s->fields[s->lead + i];

		if (v[i].kind == XTR_IMPORT_STR) {
			err = import_intern(im, v[i].str, v[i].str_len, &id);
			xtr_put_le32(out + f->offset, id);
		} else {
			xtr_put_le64(out + f->offset, number_of(im, &v[i]));
		}
	}
	return err ? err : import_put(im, at, s->desc.type, out, s->desc.size);
}

int import_values_put(struct xtr_import *im, const struct xtr_import_at *at, const char *name,
		      const char *target, const struct xtr_import_call *call,
		      const struct xtr_import_value *v, size_t n)
{
	const struct shape_key key = { name, target, call, at->stack && n < XTR_IMPORT_VALUES };
	struct import_shape *s;

	return shape_of(im, &key, v, n, &s) ?: put_shape(im, at, s, v, n);
}

/* --- what the values mean --------------------------------------------------------------------- */

static void fill_values(const struct import_event_map *map, const struct xtr_import_value *v,
			size_t n, struct import_values *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		enum import_role role =
			import_role_of(map, v[i].name, v[i].name_len, v[i].kind == XTR_IMPORT_STR);

		if (role == ROLES || out->have & ROLE_BIT(role))
			continue;
		out->have |= ROLE_BIT(role);
		out->num[role] = v[i].num;
		out->str[role] = v[i].str;
		out->len[role] = v[i].str_len;
	}
}

static const struct xtr_import_value *value_of(const struct xtr_import_value *v, size_t n,
					       const char *name, bool text)
{
	for (size_t i = 0; name && i < n; i++)
		if (strlen(name) == v[i].name_len && !memcmp(name, v[i].name, v[i].name_len) &&
		    (v[i].kind == XTR_IMPORT_STR) == text)
			return &v[i];
	return NULL;
}

static int see_tasks(struct xtr_import *im, const struct xtr_import_at *at, const char *event,
		     size_t event_len, const struct xtr_import_value *v, size_t n)
{
	const struct import_task_fields *of;
	int err = import_see(im, at);

	for (size_t i = 0; !err && (of = import_task_fields(event, event_len, i)); i++) {
		const struct xtr_import_value *tid = value_of(v, n, of->tid, false);
		const struct xtr_import_value *comm = value_of(v, n, of->comm, true);
		const struct xtr_import_value *flags = value_of(v, n, "clone_flags", false);
		uint32_t pid = 0;

		if (!tid || tid->num > UINT32_MAX)
			continue;
		if (of->pid == PID_IS_TID)
			pid = (uint32_t)tid->num;
		else if (of->pid == PID_BY_FLAGS && flags)
			pid = import_new_task_pid(im, at->tid, (uint32_t)tid->num, flags->num);
		if (of->born)
			err = import_born(im, at->ts, (uint32_t)tid->num);
		if (!err)
			err = xtr_import_task(im, at->ts, (uint32_t)tid->num, pid,
					      comm ? comm->str : NULL, comm ? comm->str_len : 0);
	}
	return err;
}

int xtr_import_event(struct xtr_import *im, const struct xtr_import_at *at, const char *system,
		     size_t system_len, const char *event, size_t event_len,
		     const struct xtr_import_value *v, size_t n)
{
	const struct import_event_map *map = NULL;
	struct import_values values;
	char name[2 * NAME_MAX_ + 2];
	int err, taken = 1;

	if (n > XTR_IMPORT_VALUES)
		n = XTR_IMPORT_VALUES;
	err = see_tasks(im, at, event, event_len, v, n);
	if (err)
		return err;
	while (taken == 1 && (map = import_map_find(map, system, system_len, event, event_len))) {
		fill_values(map, v, n, &values);
		if ((values.have & map->needs) == map->needs)
			taken = map->handle(im, at, map, &values);
	}
	if (taken != 1)
		return taken;
	if (!system_len) {
		system = "unknown";
		system_len = strlen(system);
	}
	snprintf(name, sizeof(name), "%.*s:%.*s",
		 (int)(system_len < NAME_MAX_ ? system_len : NAME_MAX_), system,
		 (int)(event_len < NAME_MAX_ ? event_len : NAME_MAX_), event);
	import_clean(name);
	return import_values_put(im, at, name, strchr(name, ':') + 1, NULL, v, n);
}

void import_shapes_free(struct xtr_import *im)
{
	struct import_shape *s;

	while ((s = im->shapes)) {
		im->shapes = s->next;
		free_shape(s);
	}
	xtr_map_free(&im->shape_by_name);
}
