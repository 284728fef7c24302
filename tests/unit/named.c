/* SPDX-License-Identifier: BSD-2-Clause */
#include "named.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 8u

void named_init(struct named *n)
{
	*n = (struct named){ .meta = xtr_meta_new(),
			     .tables = xtr_tables_new(),
			     .next_type = XTR_TYPE_FIRST_DYNAMIC };
	cr_assert(n->meta && n->tables);
	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		cr_assert(!xtr_meta_add_event(n->meta, &xtr_builtin_events[i]));
}

void named_free(struct named *n)
{
	xtr_meta_free(n->meta);
	xtr_tables_free(n->tables);
	free(n->rec);
}

static enum xtr_repr repr_of(const char *text)
{
	int i;

	for (i = 0; i < XTR_REPR_COUNT; i++)
		if (!strcmp(xtr_repr_name((enum xtr_repr)i), text))
			break;
	cr_assert(i < XTR_REPR_COUNT, "%s", text);
	return (enum xtr_repr)i;
}

void named_describe(struct named *n, const char *name, const char *fields)
{
	char names[FIELDS_MAX][32], repr[16];
	struct xtr_field f[FIELDS_MAX] = { 0 };
	struct xtr_event_desc d = { .name = name, .type = n->next_type++, .size = 16, .fields = f };
	int used;

	for (; sscanf(fields, " %31[^:]:%15[^:]:%u%n", names[d.n_fields], repr, &f[d.n_fields].size,
		      &used) == 3;
	     fields += used) {
		f[d.n_fields].name = names[d.n_fields];
		f[d.n_fields].repr = repr_of(repr);
		f[d.n_fields].offset = d.size;
		d.size += f[d.n_fields++].size;
		cr_assert(d.n_fields < FIELDS_MAX);
	}
	d.size = (d.size + 7) & ~7u;
	cr_assert(!xtr_meta_add_event(n->meta, &d), "%s", name);
}

uint32_t named_string(struct named *n, const char *text)
{
	uint32_t id;

	cr_assert(!xtr_tables_intern(n->tables, text, strlen(text), &id));
	return id;
}

void named_task(struct named *n, uint32_t tid, uint32_t pid, const char *comm)
{
	struct xtr_task t = { .tid = tid, .pid = pid, .comm = named_string(n, comm) };

	cr_assert(!xtr_tables_add_task(n->tables, &t));
}

struct xtr_event *named_emit(struct named *n, const char *name, uint64_t ts, uint32_t tid,
			     uint32_t cpu)
{
	const struct xtr_event_desc *d = xtr_meta_event_by_name(n->meta, name);

	cr_assert(d, "%s", name);
	free(n->rec);
	n->rec = calloc(1, d->size);
	cr_assert(n->rec);
	n->ev = (struct xtr_event){ .ts = ts,
				    .type = d->type,
				    .size = d->size,
				    .tid = tid,
				    .stream = cpu,
				    .rec = n->rec,
				    .desc = d };
	xtr_put_le64(n->rec, ts);
	xtr_put_le16(n->rec + 8, (uint16_t)d->type);
	xtr_put_le16(n->rec + 10, (uint16_t)d->size);
	xtr_put_le32(n->rec + 12, tid);
	return &n->ev;
}

static const struct xtr_field *field(const struct named *n, const char *name)
{
	const struct xtr_field *f = xtr_event_field(n->ev.desc, name);

	cr_assert(f, "%s of %s", name, n->ev.desc->name);
	return f;
}

void named_set(struct named *n, const char *name, uint64_t value)
{
	const struct xtr_field *f = field(n, name);

	for (uint32_t i = 0; i < f->size; i++)
		n->rec[f->offset + i] = (uint8_t)(value >> 8 * i);
}

void named_text(struct named *n, const char *name, const char *text, size_t len)
{
	const struct xtr_field *f = field(n, name);

	cr_assert(len <= f->size);
	memcpy(n->rec + f->offset, text, len);
}

void named_cut(struct named *n, uint32_t size)
{
	uint8_t *less = malloc(size);

	cr_assert(less && size <= n->ev.size);
	memcpy(less, n->rec, size);
	free(n->rec);
	n->ev.rec = n->rec = less;
	n->ev.size = size;
}

struct xtr_event *named_gap(struct named *n, uint64_t first, uint64_t last)
{
	n->gap = (struct xtr_gap){ .first = first, .last = last, .count = 1 };
	n->ev = (struct xtr_event){ .ts = first, .gap = &n->gap };
	return &n->ev;
}
