/* SPDX-License-Identifier: BSD-2-Clause */
/* Track events, written as they come: category and notes at once, all else when they are sent. */
#include "perfetto.h"

#include "base/text.h"

#include <string.h>

#define TAIL_MAX (8 * PF_WIRE_NUMBER)

void pf_event(struct pf *pf, enum pf_type type, uint64_t track, uint64_t ts)
{
	pf_packet_at(pf, ts);
	pf->event = (struct pf_event){ .type = type, .track = track };
	pf->event.at = pf_in_packet(pf, PF_PACKET_EVENT);
}

static void put_category(struct pf *pf, const char *category)
{
	uint64_t iid = category ? pf_intern_fixed(pf, PF_CATEGORIES, category) : 0;

	if (iid)
		pf_put_uint(&pf->out.block, PF_EVENT_CATEGORY, iid);
}

void pf_name(struct pf *pf, const char *category, const char *name)
{
	put_category(pf, category);
	pf->event.name = pf_intern_fixed(pf, PF_EVENT_NAMES, name);
}

void pf_name_text(struct pf *pf, const char *category, const char *name)
{
	put_category(pf, category);
	pf->event.name = pf_intern_text(pf, PF_EVENT_NAMES, name);
}

void pf_name_comm(struct pf *pf, const char *category, uint32_t comm, const char *other)
{
	uint64_t iid = pf_intern_comm(pf, comm);

	put_category(pf, category);
	pf->event.name = iid ? iid : pf_intern_fixed(pf, PF_EVENT_NAMES, other);
}

/* The id of the next note's name; 0 if it must be left out. */
static uint64_t note_name(struct pf *pf, const char *name)
{
	if (pf->event.n_notes == PF_NOTES_MAX)
		return 0;
	return pf_intern_fixed(pf, PF_NOTE_NAMES, name);
}

/* A note up to its value, which takes n bytes with its tag; NULL: no memory. */
static uint8_t *put_note(struct pf *pf, uint64_t iid, size_t n)
{
	uint8_t *p = pf_room(&pf->out.block, 2 * PF_WIRE_NUMBER + n);

	if (!p)
		return NULL;
	pf->event.n_notes++;
	p = pf_wire_tag(p, PF_EVENT_NOTE, PF_WIRE_BYTES);
	p = xtr_varint_put(p, 1 + pf_wire_varint_size(iid) + n);
	return pf_wire_uint(p, PF_NOTE_NAME, iid);
}

static void note_number(struct pf *pf, const char *name, uint32_t field, uint64_t v)
{
	uint64_t iid = note_name(pf, name);
	uint8_t *p = iid ? put_note(pf, iid, 1 + pf_wire_varint_size(v)) : NULL;

	if (p)
		pf_wrote(&pf->out.block, pf_wire_uint(p, field, v));
}

void pf_note_u64(struct pf *pf, const char *name, uint64_t v)
{
	note_number(pf, name, PF_NOTE_UINT, v);
}

void pf_note_s64(struct pf *pf, const char *name, int64_t v)
{
	note_number(pf, name, PF_NOTE_INT, (uint64_t)v);
}

void pf_note_hex(struct pf *pf, const char *name, uint64_t v)
{
	note_number(pf, name, PF_NOTE_HEX, v);
}

static void put_text(struct pf *pf, uint64_t iid, const char *s, size_t n)
{
	uint8_t *p = put_note(pf, iid, 1 + pf_wire_varint_size(n) + n);

	if (p)
		pf_wrote(&pf->out.block, pf_wire_bytes(p, PF_NOTE_TEXT, s, n));
}

void pf_note_text(struct pf *pf, const char *name, const char *s, size_t n)
{
	uint64_t iid = note_name(pf, name);
	const char *text;

	if (!iid)
		return;
	text = pf_text(pf, s, n);
	put_text(pf, iid, text, text == s ? n : strlen(text));
}

void pf_note_hex_bytes(struct pf *pf, const char *name, const uint8_t *p, size_t n)
{
	char hex[2 * PF_NOTE_BYTES + 1];
	uint64_t iid = note_name(pf, name);

	if (n > PF_NOTE_BYTES)
		n = PF_NOTE_BYTES;
	if (iid)
		put_text(pf, iid, xtr_text_hex(hex, sizeof(hex), p, n), 2 * n);
}

void pf_flow(struct pf *pf, uint64_t id, bool ends)
{
	pf->event.flow = id;
	pf->event.flow_field = ends ? PF_EVENT_FLOW_ENDS : PF_EVENT_FLOW;
}

void pf_submits(struct pf *pf)
{
	pf->event.correlated = pf->event.flow;
	pf->event.correlation = PF_CORRELATION_SUBMISSION;
}

void pf_waits_for(struct pf *pf, uint64_t id)
{
	pf->event.correlated = id;
	pf->event.correlation = PF_CORRELATION_WAIT;
}

void pf_path_flow(struct pf *pf, uint64_t id)
{
	pf->event.path_flow = id;
}

static uint8_t *put_correlation(uint8_t *p, uint32_t what, uint64_t id)
{
	p = pf_wire_tag(p, PF_EVENT_CORRELATION, PF_WIRE_BYTES);
	*p++ = (uint8_t)(1 + pf_wire_varint_size(id));
	return pf_wire_uint(p, what, id);
}

int pf_event_send(struct pf *pf)
{
	const struct pf_event *e = &pf->event;
	uint8_t *p = pf_room(&pf->out.block, TAIL_MAX);

	if (p) {
		p = pf_wire_uint(p, PF_EVENT_TYPE, e->type);
		if (e->name)
			p = pf_wire_uint(p, PF_EVENT_NAME, e->name);
		p = pf_wire_uint(p, PF_EVENT_TRACK, e->track);
		if (e->path_flow)
			p = pf_wire_fixed64(p, PF_EVENT_FLOW, e->path_flow);
		if (e->flow_field)
			p = pf_wire_fixed64(p, e->flow_field, e->flow);
		if (e->correlation)
			p = put_correlation(p, e->correlation, e->correlated);
		pf_wrote(&pf->out.block, p);
	}
	return pf_packet_end_with(pf, e->at);
}

int pf_end(struct pf *pf, uint64_t track, uint64_t ts)
{
	uint8_t event[PF_SHORT], *p = event;

	p = pf_wire_uint(p, PF_EVENT_TYPE, PF_SLICE_END);
	p = pf_wire_uint(p, PF_EVENT_TRACK, track);
	return pf_short_packet(pf, ts, PF_PACKET_EVENT, event, (size_t)(p - event));
}

int pf_counter_signed(struct pf *pf, uint64_t track, uint64_t ts, int64_t value)
{
	uint8_t event[PF_SHORT], *p = event;

	p = pf_wire_uint(p, PF_EVENT_TYPE, PF_COUNTER);
	p = pf_wire_uint(p, PF_EVENT_TRACK, track);
	p = pf_wire_uint(p, PF_EVENT_COUNTER, (uint64_t)value);
	return pf_short_packet(pf, ts, PF_PACKET_EVENT, event, (size_t)(p - event));
}

int pf_counter(struct pf *pf, uint64_t track, uint64_t ts, uint64_t value)
{
	return pf_counter_signed(pf, track, ts, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}
