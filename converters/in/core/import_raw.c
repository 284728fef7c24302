/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binary records of tracepoints, laid out by their tracefs format: in the byte order of the machine
 * that recorded them, with texts behind the fixed part. Each becomes the record that xtr itself
 * would have made of it (format/meta/tpevent.h), or one of spec/events.md.
 */
#include "import_priv.h"

#include "base/bytes.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIXED_MAX 16384u /* bytes of one record's fixed part */
#define TEXTS_MAX 64u    /* of one event */

struct xtr_import_type {
	struct xtr_import_type *next;
	char *system;
	const struct xtr_tp_format *f;
	bool big; /* endian */
	const struct import_event_map *map;
	uint32_t role_field[ROLES]; /* index in f->fields + 1; 0: none */
	struct {
		uint32_t tid, comm, flags; /* the same */
		bool pid_is_tid, by_flags, born;
	} tasks[2];
	struct xtr_tp_event *e; /* NULL: not used yet */
	bool refused;           /* no room in META */
	bool stacks;            /* its events may have one */
	uint32_t stack_at;      /* offset of that field; 0: none */
};

/* --- reading a record ------------------------------------------------------------------------- */

static uint64_t load(const uint8_t *p, uint32_t size, bool big)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return big ? __builtin_bswap16(xtr_le16(p)) : xtr_le16(p);
	case 4:
		return big ? __builtin_bswap32(xtr_le32(p)) : xtr_le32(p);
	case 8:
		return big ? __builtin_bswap64(xtr_le64(p)) : xtr_le64(p);
	default:
		return 0;
	}
}

/* A number of 1, 2, 4 or 8 bytes; 0 if the record ends before it. */
static uint64_t number(const struct xtr_import_type *t, const struct xtr_tp_field *f,
		       const uint8_t *rec, size_t n)
{
	uint64_t v;

	if (!f->size || f->size > 8 || !xtr_fits(f->offset, f->size, n))
		return 0;
	v = load(rec + f->offset, f->size, t->big);
	if (f->is_signed && f->size < 8 && v >> (8 * f->size - 1))
		v |= ~0ull << (8 * f->size);
	return v;
}

struct span {
	const uint8_t *p;
	size_t n;
};

static struct span until_nul(struct span s)
{
	s.n = strnlen((const char *)s.p, s.n);
	return s;
}

/* Where a dynamic field's bytes are. n 0: nowhere. */
static struct span dynamic(const struct xtr_import_type *t, const struct xtr_tp_field *f,
			   const uint8_t *rec, size_t n)
{
	uint32_t loc = (uint32_t)load(rec + f->offset, 4, t->big);
	uint64_t off = loc & 0xffff, len = loc >> 16;

	if (f->kind == XTR_TP_REL_STR || f->kind == XTR_TP_REL_BYTES)
		off += f->offset + f->size;
	if (!xtr_fits(off, len, n))
		return (struct span){ rec, 0 };
	return (struct span){ rec + off, len };
}

/* The bytes that a field of text or of an array stands for. */
static struct span bytes_of(struct xtr_import *im, const struct xtr_import_type *t,
			    const struct xtr_tp_field *f, const uint8_t *rec, size_t n)
{
	struct span none = { (const uint8_t *)"", 0 }, s;
	size_t len = 0;

	if (!xtr_fits(f->offset, f->size, n))
		return none;
	switch (f->kind) {
	case XTR_TP_LOC_STR:
	case XTR_TP_REL_STR:
		return until_nul(dynamic(t, f, rec, n));
	case XTR_TP_LOC_BYTES:
	case XTR_TP_REL_BYTES:
		return dynamic(t, f, rec, n);
	case XTR_TP_TAIL_STR:
		return until_nul((struct span){ rec + f->offset, n - f->offset });
	case XTR_TP_TAIL_BYTES:
		return (struct span){ rec + f->offset, n - f->offset };
	case XTR_TP_CHARS:
		return until_nul((struct span){ rec + f->offset, f->size });
	case XTR_TP_PTR:
		s.p = im->resolve ? (const uint8_t *)im->resolve(im->resolve_ctx,
								 number(t, f, rec, n), &len)
				  : NULL;
		s.n = len;
		return s.p ? s : none;
	default:
		return none;
	}
}

static bool is_bytes(const struct xtr_tp_field *f)
{
	return f->kind != XTR_TP_INT && f->kind != XTR_TP_PTR && f->kind != XTR_TP_BYTES;
}

/* --- events of spec/events.md ----------------------------------------------------------------- */

/* The fields that are what the map wants: the roles that are there, as bits. */
static uint32_t find_roles(struct xtr_import_type *t)
{
	uint32_t have = 0;

	memset(t->role_field, 0, sizeof(t->role_field));
	for (size_t i = 0; i < t->f->n_fields; i++) {
		const struct xtr_tp_field *f = &t->f->fields[i];
		enum import_role role =
			import_role_of(t->map, f->name, strlen(f->name), is_bytes(f));

		if (role == ROLES || t->role_field[role])
			continue;
		t->role_field[role] = (uint32_t)i + 1;
		have |= ROLE_BIT(role);
	}
	return have;
}

static void find_map(struct xtr_import_type *t)
{
	const char *name = t->f->name;

	do
		t->map = import_map_find(t->map, t->system, strlen(t->system), name, strlen(name));
	while (t->map && (find_roles(t) & t->map->needs) != t->map->needs);
}

static void fill_values(struct xtr_import *im, const struct xtr_import_type *t, const uint8_t *rec,
			size_t n, struct import_values *v)
{
	const struct xtr_tp_field *f;
	struct span s;

	memset(v, 0, sizeof(*v));
	for (unsigned int role = 0; role < ROLES; role++) {
		if (!t->role_field[role])
			continue;
		f = &t->f->fields[t->role_field[role] - 1];
		v->have |= ROLE_BIT(role);
		if (!is_bytes(f)) {
			v->num[role] = number(t, f, rec, n);
			continue;
		}
		s = bytes_of(im, t, f, rec, n);
		v->str[role] = (const char *)s.p;
		v->len[role] = s.n;
	}
}

/* --- any other event -------------------------------------------------------------------------- */

static void put_number(const struct xtr_field *to, uint64_t v, uint8_t *out)
{
	switch (to->size) {
	case 8:
		xtr_put_le64(out + to->offset, v);
		break;
	case 4:
		xtr_put_le32(out + to->offset, (uint32_t)v);
		break;
	default:
		for (uint32_t k = 0; k < to->size && k < 8; k++)
			out[to->offset + k] = (uint8_t)(v >> (8 * k));
	}
}

static int put_field(struct xtr_import *im, const struct xtr_import_type *t, uint32_t i,
		     const uint8_t *rec, size_t n, uint8_t *out)
{
	const struct xtr_tp_field *f = &t->f->fields[t->e->from[i]];
	const struct xtr_field *to = &t->e->fields[i];
	uint32_t id = 0;
	struct span s;
	int err;

	if (t->e->text[i] == XTR_TP_NO_TEXT) {
		if (to->repr != XTR_REPR_BYTES && to->repr != XTR_REPR_STR)
			put_number(to, number(t, f, rec, n), out);
		else if (xtr_fits(f->offset, f->size, n))
			memcpy(out + to->offset, rec + f->offset, f->size);
		return 0;
	}
	s = bytes_of(im, t, f, rec, n);
	if (t->e->text[i] == XTR_TP_TEXT)
		err = import_intern(im, s.p, s.n, &id);
	else
		err = xtr_tp_intern_hex(im->tables, s.p,
					s.n < XTR_TP_HEX_MAX ? s.n : XTR_TP_HEX_MAX, &id);
	put_number(to, id, out);
	return err;
}

static int describe(struct xtr_import *im, struct xtr_import_type *t)
{
	struct xtr_tp_limits limits = { .fixed = FIXED_MAX,
					.texts = TEXTS_MAX,
					.pointed_text = im->resolve != NULL,
					.tails = true };
	int err = xtr_tp_event_new(&t->e, t->system, t->f->name, t->f, 0, &limits), added;

	if (!err && t->stacks) {
		/* A field of that name is the kernel's own (-EEXIST): then the stack goes. */
		added = xtr_tp_event_add_stack(t->e);
		if (!added)
			t->stack_at = t->e->fields[t->e->desc.n_fields - 1].offset;
		else if (added != -EEXIST)
			err = added;
	}
	if (!err)
		err = import_add_type(im, &t->e->desc);
	if (err != -E2BIG)
		return err;
	t->refused = true;
	return 0;
}

static int put_generic(struct xtr_import *im, const struct xtr_import_at *at,
		       struct xtr_import_type *t, const uint8_t *rec, size_t n)
{
	uint8_t out[XTR_RECORD_HEADER_SIZE + FIXED_MAX + 16];
	uint32_t n_fields;
	int err = 0;

	if (!t->e)
		err = describe(im, t);
	if (err || t->refused)
		return err ? err : import_refuse(im, at);
	memset(out, 0, t->e->desc.size);
	n_fields = t->e->desc.n_fields - (t->stack_at != 0);
	for (uint32_t i = 0; !err && i < n_fields; i++)
		err = put_field(im, t, i, rec, n, out);
	if (err)
		return err;
	if (t->stack_at)
		xtr_put_le32(out + t->stack_at, at->stack);
	xtr_tp_event_clean(&t->e->desc, im->o->keep_pointers ? NULL : &im->key, out);
	return import_put(im, at, t->e->desc.type, out, t->e->desc.size);
}

/* --- threads that an event names -------------------------------------------------------------- */

static uint32_t field_index(const struct xtr_tp_format *f, const char *name)
{
	for (size_t i = 0; name && i < f->n_fields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return (uint32_t)i + 1;
	return 0;
}

static void find_tasks(struct xtr_import_type *t)
{
	const struct import_task_fields *of;

	for (size_t i = 0; i < sizeof(t->tasks) / sizeof(t->tasks[0]); i++) {
		of = import_task_fields(t->f->name, strlen(t->f->name), i);
		if (!of)
			return;
		t->tasks[i].tid = field_index(t->f, of->tid);
		t->tasks[i].comm = field_index(t->f, of->comm);
		t->tasks[i].pid_is_tid = of->pid == PID_IS_TID;
		t->tasks[i].by_flags = of->pid == PID_BY_FLAGS;
		t->tasks[i].born = of->born;
		t->tasks[i].flags = field_index(t->f, "clone_flags");
	}
}

static int see_tasks(struct xtr_import *im, const struct xtr_import_at *at,
		     const struct xtr_import_type *t, const uint8_t *rec, size_t n)
{
	const struct xtr_tp_field *fields = t->f->fields;
	struct span comm = { NULL, 0 };
	uint32_t tid, pid;
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(t->tasks) / sizeof(t->tasks[0]); i++) {
		if (!t->tasks[i].tid)
			continue;
		tid = (uint32_t)number(t, &fields[t->tasks[i].tid - 1], rec, n);
		if (t->tasks[i].comm)
			comm = bytes_of(im, t, &fields[t->tasks[i].comm - 1], rec, n);
		pid = t->tasks[i].pid_is_tid ? tid : 0;
		if (t->tasks[i].by_flags && t->tasks[i].flags)
			pid = import_new_task_pid(
				im, at->tid, tid,
				number(t, &fields[t->tasks[i].flags - 1], rec, n));
		if (t->tasks[i].born)
			err = import_born(im, at->ts, tid);
		if (!err)
			err = xtr_import_task(im, at->ts, tid, pid, (const char *)comm.p, comm.n);
	}
	return err;
}

/* --- for parsers ------------------------------------------------------------------------------ */

void xtr_import_resolver(struct xtr_import *im,
			 const char *(*resolve)(void *ctx, uint64_t addr, size_t *len), void *ctx)
{
	im->resolve = resolve;
	im->resolve_ctx = ctx;
}

int xtr_import_type(struct xtr_import *im, const char *system, const struct xtr_tp_format *f,
		    bool big_endian, struct xtr_import_type **type)
{
	struct xtr_import_type *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->system = strdup(system);
	if (!t->system) {
		free(t);
		return -ENOMEM;
	}
	t->f = f;
	t->big = big_endian;
	find_map(t);
	find_tasks(t);
	t->next = im->types;
	im->types = t;
	*type = t;
	return 0;
}

void xtr_import_type_stacks(struct xtr_import *im, struct xtr_import_type *type)
{
	im->stacks.wanted = true;
	type->stacks = true;
}

int xtr_import_raw(struct xtr_import *im, const struct xtr_import_at *at, struct xtr_import_type *t,
		   const uint8_t *rec, size_t n)
{
	struct import_values v;
	int err = import_see(im, at), taken = 1;

	if (!err && t->tasks[0].tid)
		err = see_tasks(im, at, t, rec, n);
	if (err)
		return err;
	if (t->map) {
		fill_values(im, t, rec, n, &v);
		if ((v.have & t->map->needs) == t->map->needs)
			taken = t->map->handle(im, at, t->map, &v);
	}
	return taken == 1 ? put_generic(im, at, t, rec, n) : taken;
}

void import_types_free(struct xtr_import *im)
{
	struct xtr_import_type *t;

	while ((t = im->types)) {
		im->types = t->next;
		xtr_tp_event_free(t->e);
		free(t->system);
		free(t);
	}
}
