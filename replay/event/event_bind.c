/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_bind.h"
#include "field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 256u

/* The next of the alternatives in *list, in name; false if there is none. Too long ones are "". */
static bool next_name(const char **list, char name[NAME_MAX_BYTES])
{
	size_t n;

	if (!*list || !**list)
		return false;
	n = strcspn(*list, "|");
	memcpy(name, *list, n < NAME_MAX_BYTES ? n : 0);
	name[n < NAME_MAX_BYTES ? n : 0] = '\0';
	*list += n + ((*list)[n] == '|');
	return true;
}

static const struct xtr_event_desc *find_event(const struct xtr_meta *meta, const char *names)
{
	const struct xtr_event_desc *d = NULL;
	char name[NAME_MAX_BYTES];

	while (meta && !d && next_name(&names, name))
		d = xtr_meta_event_by_name(meta, name);
	return d;
}

static const struct xtr_field *find_field(const struct xtr_event_desc *d, const char *names)
{
	const struct xtr_field *f = NULL;
	char name[NAME_MAX_BYTES];

	while (!f && next_name(&names, name))
		f = xtr_event_field(d, name);
	return f;
}

static bool is_integer(const struct xtr_field *f)
{
	return f->repr != XTR_REPR_BYTES && f->repr != XTR_REPR_STR &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static struct xtr_slot slot_of(const struct xtr_field *f)
{
	struct xtr_slot s = { .field = f };

	if (!f)
		return s;
	s.offset = f->offset;
	s.width = is_integer(f) ? (uint8_t)f->size : 0;
	if (s.width && xtr_repr_is_signed(f->repr))
		s.shift = (uint8_t)(64 - 8 * s.width);
	return s;
}

void xtr_bind_desc(struct xtr_bind *b, const struct xtr_event_desc *d,
		   const struct xtr_bind_spec *spec)
{
	*b = (struct xtr_bind){ .desc = d, .role = spec->role };
	if (!d)
		return;
	b->type = b->desc->type;
	for (uint32_t i = 0; i < XTR_BIND_FIELDS; i++)
		b->slot[i] = slot_of(find_field(b->desc, spec->fields[i]));
}

void xtr_bind_event(struct xtr_bind *b, const struct xtr_meta *meta,
		    const struct xtr_bind_spec *spec)
{
	xtr_bind_desc(b, find_event(meta, spec->event), spec);
}

/* Types of one section lie close together: an array from the lowest to the highest of them. */
static int make_index(struct xtr_binds *b)
{
	uint32_t last = 0;

	b->first = UINT32_MAX;
	for (size_t i = 0; i < b->n; i++) {
		const struct xtr_bind *e = &b->bind[i];

		if (!e->desc)
			continue;
		b->n_found++;
		b->first = e->type < b->first ? e->type : b->first;
		last = e->type > last ? e->type : last;
	}
	if (!b->n_found)
		return 0;
	b->index = calloc((size_t)(last - b->first) + 1, sizeof(*b->index));
	if (!b->index)
		return -ENOMEM;
	b->n_types = last - b->first + 1;
	for (size_t i = b->n; i-- > 0;)
		if (b->bind[i].desc)
			b->index[b->bind[i].type - b->first] = (uint16_t)(i + 1);
	return 0;
}

int xtr_binds_open(struct xtr_binds *b, const struct xtr_meta *meta,
		   const struct xtr_bind_spec *specs, size_t n)
{
	int err = -ENOMEM;

	memset(b, 0, sizeof(*b));
	if (n >= UINT16_MAX)
		return -EINVAL;
	b->bind = calloc(n + 1, sizeof(*b->bind));
	if (b->bind) {
		for (b->n = 0; b->n < n; b->n++)
			xtr_bind_event(&b->bind[b->n], meta, &specs[b->n]);
		err = make_index(b);
	}
	if (err)
		xtr_binds_close(b);
	return err;
}

void xtr_binds_close(struct xtr_binds *b)
{
	free(b->bind);
	free(b->index);
	memset(b, 0, sizeof(*b));
}

bool xtr_binds_any(const struct xtr_meta *meta, const struct xtr_bind_spec *specs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (find_event(meta, specs[i].event))
			return true;
	return false;
}

const char *xtr_bind_text(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev,
			  const struct xtr_tables *t, size_t *n)
{
	return xtr_field_string(b->slot[i].field, t, ev->rec, ev->size, n);
}

bool xtr_bind_text_is(const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev,
		      const struct xtr_tables *t, const char *want)
{
	size_t n;
	const char *s = xtr_bind_text(b, i, ev, t, &n);

	return s && n == strlen(want) && !memcmp(s, want, n);
}
