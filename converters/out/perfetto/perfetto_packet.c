/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of a section's sequence, put behind those before them in the output's block. */
#include "perfetto.h"

#define CLOCK_ID_BYTES 3u /* of a clock's field in the defaults */
#define OWN_MAX        (4 * PF_WIRE_NUMBER + 3 + CLOCK_ID_BYTES)

void pf_message_end_long(struct xtr_buf *b, size_t at)
{
	size_t n = b->n - at, more = pf_wire_varint_size(n) - 1;

	if (!at || !pf_room(b, more))
		return;
	memmove(b->p + at + more, b->p + at, n);
	xtr_varint_put(b->p + at - 1, n);
	b->n += more;
}

void pf_begin(struct pf *pf)
{
	pf_intern_begin(&pf->intern);
	pf->arena_used = 0;
}

void pf_packet(struct pf *pf)
{
	pf_begin(pf);
	pf->packet = (struct pf_packet){ .at = pf_message(&pf->out.block, PF_TRACE_PACKET) };
}

/* Its time and sequence, at p; they are all that stands before a packet's event. */
static uint8_t *put_time(struct pf *pf, uint8_t *p, uint64_t ts)
{
	pf->packet.early = ts < pf->clock.base;
	pf->packet.put = PF_PACKET_SEQUENCE;
	p = pf_wire_uint(p, PF_PACKET_TIMESTAMP, pf->packet.early ? ts : ts - pf->clock.base);
	return pf_wire_uint(p, PF_PACKET_SEQUENCE, PF_SEQUENCE(pf));
}

void pf_packet_at(struct pf *pf, uint64_t ts)
{
	uint8_t *p;

	pf_packet(pf);
	p = pf_room(&pf->out.block, 2 * PF_WIRE_NUMBER);
	if (p)
		pf_wrote(&pf->out.block, put_time(pf, p, ts));
}

static uint32_t sequence_flags(struct pf *pf)
{
	bool cleared = pf->intern.cleared;

	pf->intern.cleared = false;
	return cleared ? PF_FLAG_CLEARED | PF_FLAG_NEEDED : PF_FLAG_NEEDED;
}

/* The clock of its time, at p, and of all after it if what was known of the sequence is cleared. */
static uint8_t *put_clock(const struct pf *pf, uint8_t *p)
{
	if (pf->packet.early)
		p = pf_wire_uint(p, PF_PACKET_CLOCK_ID, PF_CLOCK_EVENT);
	if (pf->packet.flags & PF_FLAG_CLEARED) {
		p = pf_wire_tag(p, PF_PACKET_DEFAULTS, PF_WIRE_BYTES);
		*p++ = CLOCK_ID_BYTES;
		p = pf_wire_uint(p, PF_DEFAULTS_CLOCK_ID, PF_CLOCK_RELATIVE);
	}
	return p;
}

static uint8_t *put_machine(const struct pf *pf, uint8_t *p)
{
	if (pf->packet.first)
		p = pf_wire_uint(p, PF_PACKET_FIRST, true);
	if (pf->machine[pf->m].id)
		p = pf_wire_uint(p, PF_PACKET_MACHINE_ID, pf->machine[pf->m].id);
	return p;
}

/* What a packet says of itself before this field, and has not said. */
static inline void put_own(struct pf *pf, uint32_t field)
{
	struct xtr_buf *b = &pf->out.block;
	uint32_t put = pf->packet.put;
	uint8_t *p;

	pf->packet.put = field;
	if (put < PF_PACKET_SEQUENCE && field > PF_PACKET_SEQUENCE)
		pf_put_uint(b, PF_PACKET_SEQUENCE, PF_SEQUENCE(pf));
	if (field <= PF_PACKET_FLAGS)
		return;
	if (put < PF_PACKET_INTERNED && pf->intern.has_new)
		pf_put_interned(pf);
	p = pf_room(b, OWN_MAX);
	if (!p)
		return;
	if (put < PF_PACKET_FLAGS) {
		pf->packet.flags = sequence_flags(pf);
		p = pf_wire_uint(p, PF_PACKET_FLAGS, pf->packet.flags);
	}
	if (put < PF_PACKET_DEFAULTS && field > PF_PACKET_DEFAULTS)
		p = put_clock(pf, p);
	if (put < PF_PACKET_MACHINE_ID && field > PF_PACKET_MACHINE_ID)
		p = put_machine(pf, p);
	pf_wrote(b, p);
}

size_t pf_in_packet(struct pf *pf, uint32_t field)
{
	put_own(pf, field);
	return pf_message(&pf->out.block, field);
}

int pf_packet_end(struct pf *pf)
{
	struct xtr_buf *b = &pf->out.block;

	put_own(pf, UINT32_MAX);
	if (b->err || pf->err)
		return pf->err ? pf->err : b->err;
	pf_message_end(b, pf->packet.at);
	return pf_out_added(&pf->out);
}

int pf_packet_end_with(struct pf *pf, size_t message)
{
	pf_message_end(&pf->out.block, message);
	return pf_packet_end(pf);
}

int pf_short_packet(struct pf *pf, uint64_t ts, uint32_t field, const uint8_t *message, size_t n)
{
	struct xtr_buf *b = &pf->out.block;
	uint8_t *p, *begin;

	pf_begin(pf);
	p = pf_room(b, 3 * PF_WIRE_NUMBER + OWN_MAX + PF_SHORT);
	if (!p || pf->err)
		return pf->err ? pf->err : b->err;
	p = pf_wire_tag(p, PF_TRACE_PACKET, PF_WIRE_BYTES) + 1;
	begin = p;
	p = put_time(pf, p, ts);
	p = pf_wire_bytes(p, field, message, n);
	pf->packet.flags = sequence_flags(pf);
	pf->packet.first = false;
	p = pf_wire_uint(p, PF_PACKET_FLAGS, pf->packet.flags);
	p = put_machine(pf, put_clock(pf, p));
	begin[-1] = (uint8_t)(p - begin);
	pf_wrote(b, p);
	return pf_out_added(&pf->out);
}
