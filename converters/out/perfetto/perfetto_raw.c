/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every event as ftrace, with a description of its own: a field of the ftrace event that no schema
 * knows (65536 and up), whose layout stands as a DescriptorProto before its first use. An importer
 * keeps fields of the numbers 1 to 31, so those are what an event has here.
 */
#include "perfetto.h"

#include "replay/sources/source_told.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FIELD_FIRST 65536u
#define FIELD_LAST  ((1u << 29) - 1)
#define FIELDS_MAX  31u
#define TEXT_MAX    4096u /* bytes of one field */

/* Types of google.protobuf.FieldDescriptorProto. */
#define TYPE_INT64  3
#define TYPE_UINT64 4
#define TYPE_STRING 9

static int type_of(const struct xtr_field *f)
{
	switch (f->repr) {
	case XTR_REPR_STR:
	case XTR_REPR_STRID:
	case XTR_REPR_RING:
	case XTR_REPR_STACK:
	case XTR_REPR_BYTES:
		return TYPE_STRING;
	default:
		return xtr_repr_is_signed(f->repr) ? TYPE_INT64 : TYPE_UINT64;
	}
}

/* --- the description -------------------------------------------------------------------------- */

struct layout {
	Pf__DescriptorProto packet;
	Pf__DescriptorProto__Field field[FIELDS_MAX], *ptr[FIELDS_MAX];
};

static void fill_layout(struct pf *pf, struct layout *l, const struct xtr_event_desc *d,
			const char *name)
{
	uint32_t i;

	pf__descriptor_proto__init(&l->packet);
	l->packet.name = pf_text(pf, name, strlen(name));
	l->packet.field = l->ptr;
	for (i = 0; i < d->n_fields && i < FIELDS_MAX; i++) {
		Pf__DescriptorProto__Field *f = &l->field[i];

		pf__descriptor_proto__field__init(f);
		f->name = pf_text(pf, d->fields[i].name, strlen(d->fields[i].name));
		f->has_number = f->has_label = f->has_type = true;
		f->number = (int32_t)i + 1;
		f->label = 1;
		f->type = type_of(&d->fields[i]);
		l->ptr[i] = f;
	}
	l->packet.n_field = i;
}

static int describe(struct pf *pf, const struct xtr_event *ev, uint32_t id)
{
	const struct xtr_event_desc *d = ev->desc;
	const char *colon = strchr(d->name, ':'), *name = colon ? colon + 1 : d->name;
	Pf__FtraceEventBundle__Descriptor desc = PF__FTRACE_EVENT_BUNDLE__DESCRIPTOR__INIT;
	Pf__FtraceEventBundle__Descriptor *ptr = &desc;
	struct layout l;

	pf_ftrace_begin(pf, ev->stream, ev->ts, 0);
	fill_layout(pf, &l, d, name);
	pf->raw.n = 0;
	if (!xtr_buf_room(&pf->raw, pf__descriptor_proto__get_packed_size(&l.packet)))
		return pf->raw.err;
	desc.has_field_id = desc.has_event_descriptor = true;
	desc.field_id = (int32_t)id;
	desc.event_descriptor.len = pf__descriptor_proto__pack(&l.packet, pf->raw.p);
	desc.event_descriptor.data = pf->raw.p;
	if (colon)
		desc.group_name = pf_textf(pf, "%.*s", (int)(colon - d->name), d->name);
	pf->bundle.n_event = 0;
	pf->bundle.generic_event_descriptors = &ptr;
	pf->bundle.n_generic_event_descriptors = 1;
	return pf_send(pf);
}

/* The number of the event's field, described if it was not. */
static int64_t field_of(struct pf *pf, const struct xtr_event *ev)
{
	uint32_t id = xtr_keymap_get(&pf->raw_types, ev->type, 0);
	int ret;

	if (id != XTR_KEYMAP_NONE)
		return id;
	if (pf->n_raw > FIELD_LAST - FIELD_FIRST)
		return -ENOSPC;
	id = FIELD_FIRST + pf->n_raw++;
	ret = describe(pf, ev, id);
	if (!ret)
		ret = xtr_keymap_put(&pf->raw_types, ev->type, 0, id);
	return ret ? ret : (int64_t)id;
}

/* --- the event -------------------------------------------------------------------------------- */

static void put_clean(struct pf *pf, uint32_t number, const char *clean, size_t n)
{
	uint8_t *p = pf_room(pf, PF_WIRE_NUMBER + n);

	if (p)
		pf_wrote(pf, pf_wire_bytes(p, number, clean, n));
}

static void put_text(struct pf *pf, uint32_t number, const char *s, size_t n)
{
	const char *text = pf_text(pf, s, n < TEXT_MAX ? n : TEXT_MAX);

	put_clean(pf, number, text, strlen(text));
}

static void put_string_id(struct pf *pf, uint32_t number, uint64_t id)
{
	size_t n = 0;
	const char *s =
		id && id <= UINT32_MAX ? xtr_tables_string(pf->s->tables, (uint32_t)id, &n) : NULL;

	put_text(pf, number, s ? s : "", n);
}

/* As `xtr dump` has it: several rings may have one name. */
static void put_ring(struct pf *pf, uint32_t number, uint64_t id)
{
	const struct xtr_tables *t = pf->s->tables;
	const struct xtr_ring *r = xtr_tables_ring(t, (uint32_t)id);
	const char *device = r ? xtr_tables_string(t, r->device, NULL) : NULL;
	const char *name = r ? xtr_tables_string(t, r->name, NULL) : NULL;
	char *text = pf_textf(pf, "%s/%s#%" PRIu64, device ? device : "", name ? name : "", id);

	put_text(pf, number, id ? text : "", id ? strlen(text) : 0);
}

/* Symbols, innermost first, with ';' between. */
static void put_stack(struct pf *pf, uint32_t number, uint64_t id)
{
	char text[TEXT_MAX];
	size_t n = 0, i, len = 0;
	const uint32_t *frames = xtr_tables_stack(pf->s->tables, (uint32_t)id, &n);
	const struct xtr_frame *f;
	const char *s;

	text[0] = '\0';
	for (i = 0; frames && i < n && len < sizeof(text); i++) {
		f = xtr_tables_frame(pf->s->tables, frames[i]);
		s = f && f->symbol ? xtr_tables_string(pf->s->tables, f->symbol, NULL) : NULL;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s+0x%" PRIx64,
					i ? ";" : "", s ? s : "", f ? f->offset : 0);
	}
	put_text(pf, number, text, strlen(text));
}

static void put_number(struct pf *pf, uint32_t number, const struct xtr_field *f, uint64_t v)
{
	uint8_t *p;

	if (f->repr == XTR_REPR_STRID) {
		put_string_id(pf, number, v);
	} else if (f->repr == XTR_REPR_RING) {
		put_ring(pf, number, v);
	} else if (f->repr == XTR_REPR_STACK) {
		put_stack(pf, number, v);
	} else {
		p = pf_room(pf, PF_WIRE_NUMBER);
		if (p)
			pf_wrote(pf, pf_wire_uint(p, number, v));
	}
}

static void put_bytes(struct pf *pf, uint32_t number, const uint8_t *p, size_t n)
{
	char hex[2 * 256 + 1];

	xtr_text_hex(hex, sizeof(hex), p, n);
	put_clean(pf, number, hex, strlen(hex));
}

static void put_str(struct pf *pf, uint32_t number, const uint8_t *p, size_t n)
{
	const char *text = pf_chars(pf, p, n);

	put_clean(pf, number, text, strlen(text));
}

static void put_field(struct pf *pf, uint32_t number, const struct xtr_field *f,
		      const struct xtr_event *ev)
{
	const uint8_t *p = ev->rec + f->offset;
	uint64_t v;

	if (xtr_field_get(f, ev->rec, ev->size, &v))
		put_number(pf, number, f, v);
	else if (f->offset > ev->size || f->size > ev->size - f->offset)
		return;
	else if (f->repr == XTR_REPR_STR)
		put_str(pf, number, p, f->size);
	else if (f->repr == XTR_REPR_BYTES)
		put_bytes(pf, number, p, f->size);
}

int pf_raw_event(struct pf *pf, const struct xtr_event *ev)
{
	/* Of a told job the job is all there is. */
	int64_t id = source_told_plain(ev->desc) ? -ENOSPC : field_of(pf, ev);
	uint32_t i;
	size_t at;

	if (id < 0)
		return id == -ENOSPC ? 0 : (int)id;
	pf_straight_ftrace(pf, ev->stream, ev->ts, ev->tid);
	at = pf_message(pf, (uint32_t)id);
	for (i = 0; i < ev->desc->n_fields && i < FIELDS_MAX; i++)
		put_field(pf, i + 1, &ev->desc->fields[i], ev);
	pf_message_end(pf, at);
	return pf_end_ftrace(pf);
}
