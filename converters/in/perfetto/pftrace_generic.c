/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that Perfetto's protos do not know. Newer recorders describe them in a bundle: a number
 * from 65536 up, and the fields as a DescriptorProto. Older ones write each with the names of its
 * fields (GenericFtraceEvent), and not whose it is: that the name has to tell.
 */
#include "pftrace_core.h"

#include "replay/event/print_format.h"

#include <errno.h>
#include <string.h>

/* Fields of GenericEventDescriptor, DescriptorProto and FieldDescriptorProto */
#define F_NUMBER     1u
#define F_DESCRIPTOR 2u
#define F_GROUP      3u
#define F_NAME       1u
#define F_FIELD      2u
#define F_FIELD_NO   3u
#define F_FIELD_TYPE 5u

/* Of GenericFtraceEvent.Field */
#define F_STR  3u
#define F_INT  4u
#define F_UINT 5u

#define FIRST_DESCRIBED 65536u

/* By FieldDescriptorProto.Type: the letter of a field; '\0': no value of a tracepoint. */
static char kind_of(uint64_t type)
{
	static const char kinds[] = {
		[3] = 'd', [4] = 'u',  [5] = 'd',  [6] = 'u',  [7] = 'u',  [8] = 'u',
		[9] = 's', [12] = 's', [13] = 'u', [14] = 'd', [15] = 'd', [16] = 'd'
	};

	return type < sizeof(kinds) ? kinds[type] : '\0';
}

static bool add_field(struct pft_type *t, struct pft_msg m)
{
	struct pft_field f, name = { 0 };
	uint64_t number = 0, type = 0;

	while (pft_next(&m, &f)) {
		if (f.num == F_NAME && f.wire == 2)
			name = f;
		else if (f.num == F_FIELD_NO)
			number = f.v;
		else if (f.num == F_FIELD_TYPE)
			type = f.v;
	}
	if (!name.n || !kind_of(type) || !number || number > UINT32_MAX)
		return true;
	return pft_type_add(t, (const char *)name.p, name.n, (uint32_t)number, kind_of(type));
}

static bool add_fields(struct pft_type *t, struct pft_msg m)
{
	struct pft_field f;

	t->described = true;
	while (pft_next(&m, &f))
		if (f.num == F_FIELD && f.wire == 2 && !add_field(t, pft_sub(&f)))
			return false;
	return true;
}

static struct pft_field name_in(struct pft_msg m)
{
	struct pft_field f, name = { 0 };

	while (pft_next(&m, &f))
		if (f.num == F_NAME && f.wire == 2)
			name = f;
	return name;
}

/* Is the number described like this already? Another recorder may mean another event by it. */
static bool is_known(const struct pft_type *t, const struct pft_field *event,
		     const struct pft_field *group)
{
	return t->described && strlen(t->event) == event->n &&
	       !memcmp(t->event, event->p, event->n) &&
	       (!group->n ||
		(strlen(t->system) == group->n && !memcmp(t->system, group->p, group->n)));
}

static int describe(struct pftrace *p, uint32_t number, const struct pft_field *group,
		    struct pft_msg m)
{
	struct pft_ftrace *ft = p->ftrace;
	const struct pft_field event = name_in(m);
	const uint64_t *known = xtr_map_get(&ft->by_number, number, 0);
	struct pft_type *t;
	uint32_t index;
	int err;

	if (!event.n || (known && is_known(ft->types[*known], &event, group)))
		return 0;
	t = pft_type_new(group->n ? (const char *)group->p : "unknown", group->n ? group->n : 7,
			 (const char *)event.p, event.n);
	if (!t)
		return -ENOMEM;
	if (!add_fields(t, m)) {
		pft_type_free(t);
		return -ENOMEM;
	}
	if (known && !ft->types[*known]->described) {
		/* Its events came before this. */
		pft_type_free(ft->types[*known]);
		ft->types[*known] = t;
		return 0;
	}
	err = pft_type_add_to(p, t, &index);
	return err || index == UINT32_MAX ? err : xtr_map_put(&ft->by_number, number, 0, index);
}

int pft_take_description(struct pftrace *p, struct pft_msg m)
{
	struct pft_field f, group = { 0 }, descriptor = { 0 };
	uint64_t number = 0;

	while (pft_next(&m, &f)) {
		if (f.num == F_NUMBER)
			number = f.v;
		else if (f.num == F_GROUP && f.wire == 2)
			group = f;
		else if (f.num == F_DESCRIPTOR && f.wire == 2)
			descriptor = f;
	}
	if (number < FIRST_DESCRIBED || number > UINT32_MAX / 8 || !descriptor.num)
		return 0;
	return describe(p, (uint32_t)number, &group, pft_sub(&descriptor));
}

/* --- events with names ------------------------------------------------------------------------ */

/* The field of this name and kind, added if it is new; PFT_FIELDS: there is no room. */
static int field_named(struct pft_type *t, const struct pft_field *name, char kind, uint32_t *hint,
		       uint32_t *index)
{
	for (uint32_t k = 0; k < t->n_fields; k++) {
		uint32_t i = *hint + k < t->n_fields ? *hint + k : *hint + k - t->n_fields;
		const struct pft_event_field *f = &t->fields[i];

		if (f->kind == kind && strlen(f->name) == name->n &&
		    !memcmp(f->name, name->p, name->n)) {
			*hint = i + 1;
			*index = i;
			return 0;
		}
	}
	*index = t->n_fields;
	if (t->n_fields == PFT_FIELDS)
		return 0;
	*hint = t->n_fields + 1;
	return pft_type_add(t, (const char *)name->p, name->n, 0, kind) ? 0 : -ENOMEM;
}

static int read_field(struct pft_type *t, struct pft_msg m, uint32_t *hint, struct pft_values *v)
{
	struct pft_field f, name = { 0 }, value = { 0 };
	uint32_t i;
	int err;

	while (pft_next(&m, &f)) {
		if (f.num == F_NAME && f.wire == 2)
			name = f;
		else if (f.num >= F_STR && f.num <= F_UINT && (f.wire == 2) == (f.num == F_STR))
			value = f;
	}
	if (!name.n || !value.num)
		return 0;
	err = field_named(t, &name,
			  value.num == F_STR   ? 's'
			  : value.num == F_INT ? 'd'
					       : 'u',
			  hint, &i);
	if (err || i == PFT_FIELDS)
		return err;
	v->have |= 1ull << i;
	v->num[i] = value.v;
	v->p[i] = value.p;
	v->n[i] = value.n;
	return 0;
}

static int generic_type(struct pftrace *p, const struct pft_field *name, struct pft_type **t)
{
	const char *event = (const char *)name->p;
	const char *system;
	uint32_t index;
	int err;

	system = xtr_print_system(event, name->n);
	if (!system)
		system = "unknown";
	err = pft_type_named(p, system, strlen(system), event, name->n, &index);
	*t = !err && index != UINT32_MAX ? p->ftrace->types[index] : NULL;
	p->ftrace->left_out += !err && !*t;
	return err;
}

int pft_give_generic(struct pftrace *p, const struct xtr_import_at *at, struct pft_msg m)
{
	const struct pft_field name = name_in(m);
	struct pft_values v = { 0 };
	struct pft_type *t;
	struct pft_field f;
	uint32_t hint = 0;
	int err = name.n ? generic_type(p, &name, &t) : 0;

	if (err || !name.n || !t)
		return err;
	while (!err && pft_next(&m, &f))
		if (f.num == F_FIELD && f.wire == 2)
			err = read_field(t, pft_sub(&f), &hint, &v);
	return err ? err : pft_type_give(p, t, at, &v);
}

int pft_give_kprobe(struct pftrace *p, const struct xtr_import_at *at, struct pft_msg m)
{
	static const struct pft_field label = { .p = (const uint8_t *)"type", .n = 4 };
	const struct pft_field name = name_in(m);
	struct pft_values v = { 0 };
	struct pft_field f;
	struct pft_type *t;
	uint32_t index, hint = 0, i;
	int err;

	if (!name.n)
		return 0;
	err = pft_type_named(p, "kprobes", 7, (const char *)name.p, name.n, &index);
	if (err || index == UINT32_MAX)
		return err;
	t = p->ftrace->types[index];
	err = field_named(t, &label, 'u', &hint, &i);
	while (!err && pft_next(&m, &f)) {
		if (f.num != 2 || f.wire)
			continue;
		v.have |= 1ull << i;
		v.num[i] = f.v;
	}
	return err ? err : pft_type_give(p, t, at, &v);
}
