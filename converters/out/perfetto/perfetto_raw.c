/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every event as ftrace, with a description of its own: a field of the ftrace event that no schema
 * knows (65536 and up), whose layout stands as a DescriptorProto before its first use. An importer
 * keeps fields of the numbers 1 to 31, so those are what an event has here.
 */
#include "perfetto.h"

#include "replay/sources/driver_sources.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define FIELD_LAST ((1u << 29) - 1)
#define FIELDS_MAX 31u
#define TEXT_MAX   4096u /* bytes of one field */

static enum pf_field_type type_of(const struct xtr_field *f)
{
	switch (f->repr) {
	case XTR_REPR_STR:
	case XTR_REPR_STRID:
	case XTR_REPR_RING:
	case XTR_REPR_STACK:
	case XTR_REPR_BYTES:
		return PF_FIELD_STRING;
	default:
		return xtr_repr_is_signed(f->repr) ? PF_FIELD_INT64 : PF_FIELD_UINT64;
	}
}

/* --- the description -------------------------------------------------------------------------- */

static void put_layout(struct pf *pf, const struct xtr_event_desc *d, const char *name)
{
	struct xtr_buf *b = &pf->out.block;
	size_t at;

	pf_put_text(b, PF_MESSAGE_NAME, pf_text(pf, name, strlen(name)));
	for (uint32_t i = 0; i < d->n_fields && i < FIELDS_MAX; i++) {
		const char *field = d->fields[i].name;

		at = pf_message(b, PF_MESSAGE_FIELD);
		pf_put_text(b, PF_FIELD_NAME, pf_text(pf, field, strlen(field)));
		pf_put_uint(b, PF_FIELD_NUMBER, i + 1);
		pf_put_uint(b, PF_FIELD_LABEL, PF_LABEL_OPTIONAL);
		pf_put_uint(b, PF_FIELD_TYPE, type_of(&d->fields[i]));
		pf_message_end(b, at);
	}
}

static int describe(struct pf *pf, const struct xtr_event *ev, uint32_t id)
{
	const struct xtr_event_desc *d = ev->desc;
	const char *colon = strchr(d->name, ':'), *name = colon ? colon + 1 : d->name;
	struct xtr_buf *b = &pf->out.block;
	size_t at, event;

	pf_ftrace_bundle(pf, ev->stream);
	at = pf_message(b, PF_BUNDLE_DESCRIPTORS);
	pf_put_uint(b, PF_DESCRIPTOR_ID, id);
	event = pf_message(b, PF_DESCRIPTOR_EVENT);
	put_layout(pf, d, name);
	pf_message_end(b, event);
	if (colon)
		pf_put_text(b, PF_DESCRIPTOR_GROUP,
			    pf_textf(pf, "%.*s", (int)(colon - d->name), d->name));
	pf_message_end(b, at);
	return pf_ftrace_bundle_end(pf);
}

/* The number of the event's field, described if it was not. */
static int64_t field_of(struct pf *pf, const struct xtr_event *ev)
{
	uint32_t id = xtr_map_index(&pf->raw_types, ev->type, 0);

	if (id != XTR_MAP_NONE)
		return id;
	if (pf->n_raw > FIELD_LAST - PF_FTRACE_RAW_FIRST)
		return -ENOSPC;
	id = PF_FTRACE_RAW_FIRST + pf->n_raw++;
	return describe(pf, ev, id) ?: xtr_map_put(&pf->raw_types, ev->type, 0, id) ?: (int64_t)id;
}

/* --- the event -------------------------------------------------------------------------------- */

static void put_text(struct pf *pf, uint32_t number, const char *s, size_t n)
{
	const char *text = pf_text(pf, s, n < TEXT_MAX ? n : TEXT_MAX);

	pf_put_text(&pf->out.block, number, text);
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
	const char *text =
		pf_textf(pf, "%s/%s#%" PRIu64, device ? device : "", name ? name : "", id);

	put_text(pf, number, id ? text : "", id ? strlen(text) : 0);
}

/* Symbols, innermost first, with ';' between. */
static void put_stack(struct pf *pf, uint32_t number, uint64_t id)
{
	char text[TEXT_MAX];
	size_t n = 0, len = 0;
	const uint32_t *frames = xtr_tables_stack(pf->s->tables, (uint32_t)id, &n);
	const struct xtr_frame *f;
	const char *s;

	text[0] = '\0';
	for (size_t i = 0; frames && i < n && len < sizeof(text); i++) {
		f = xtr_tables_frame(pf->s->tables, frames[i]);
		s = f && f->symbol ? xtr_tables_string(pf->s->tables, f->symbol, NULL) : NULL;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s+0x%" PRIx64,
					i ? ";" : "", s ? s : "", f ? f->offset : 0);
	}
	put_text(pf, number, text, strlen(text));
}

static void put_number(struct pf *pf, uint32_t number, const struct xtr_field *f, uint64_t v)
{
	if (f->repr == XTR_REPR_STRID)
		put_string_id(pf, number, v);
	else if (f->repr == XTR_REPR_RING)
		put_ring(pf, number, v);
	else if (f->repr == XTR_REPR_STACK)
		put_stack(pf, number, v);
	else
		pf_put_uint(&pf->out.block, number, v);
}

static void put_bytes(struct pf *pf, uint32_t number, const uint8_t *p, size_t n)
{
	char hex[2 * 256 + 1];

	xtr_text_hex(hex, sizeof(hex), p, n);
	pf_put_text(&pf->out.block, number, hex);
}

static void put_str(struct pf *pf, uint32_t number, const uint8_t *p, size_t n)
{
	const char *text = pf_chars(pf, p, n);

	pf_put_text(&pf->out.block, number, text);
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
	size_t at;

	if (id < 0)
		return id == -ENOSPC ? 0 : (int)id;
	pf_ftrace_begin(pf, ev->stream, ev->ts, ev->tid);
	at = pf_message(&pf->out.block, (uint32_t)id);
	for (uint32_t i = 0; i < ev->desc->n_fields && i < FIELDS_MAX; i++)
		put_field(pf, i + 1, &ev->desc->fields[i], ev);
	pf_message_end(&pf->out.block, at);
	return pf_ftrace_end(pf);
}
