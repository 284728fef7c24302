/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a section's sequence without messages in between: the bytes that pf_send would make,
 * put behind those of the packets before. A message's length stands before it and is known after
 * it: one byte is kept for it, and what was written moves where that is not enough.
 */
#include "perfetto.h"

#include <string.h>

/* Fields of Trace and TracePacket. */
#define PACKET        1u
#define FTRACE        1u
#define TIMESTAMP     8u
#define SEQUENCE_ID   10u
#define INTERNED_DATA 12u
#define FLAGS         13u
#define CLOCK_ID      58u
#define DEFAULTS      59u
#define MACHINE_ID    98u

/* Fields of FtraceEventBundle and FtraceEvent. */
#define BUNDLE_CPU   1u
#define BUNDLE_EVENT 2u
#define EVENT_TIME   1u
#define EVENT_TID    2u

#define CLOCK_ID_BYTES 3u /* of a clock's field in the defaults */
#define BEGIN_MAX      (2 + 2 * PF_WIRE_NUMBER)
#define END_MAX        (3 * PF_WIRE_NUMBER + 3 + CLOCK_ID_BYTES)

void pf_message_end_long(struct pf *pf, size_t at)
{
	struct xtr_buf *b = &pf->out.block;
	size_t n = b->n - at, more = pf_wire_varint_size(n) - 1;

	if (!at || !pf_room(pf, more))
		return;
	memmove(b->p + at + more, b->p + at, n);
	xtr_varint_put(b->p + at - 1, n);
	b->n += more;
}

void pf_straight(struct pf *pf, uint64_t ts)
{
	uint8_t *p;

	pf_begin(pf);
	pf->straight.early = ts < pf->clock.base;
	pf->straight.at = pf_message(pf, PACKET);
	p = pf_room(pf, BEGIN_MAX);
	if (!p)
		return;
	p = pf_wire_uint(p, TIMESTAMP, pf->straight.early ? ts : ts - pf->clock.base);
	pf_wrote(pf, pf_wire_uint(p, SEQUENCE_ID, PF_SEQUENCE(pf)));
}

void pf_straight_ftrace(struct pf *pf, uint32_t cpu, uint64_t ts, uint32_t tid)
{
	uint8_t *p;

	pf_begin(pf);
	pf->straight.early = false;
	pf->straight.at = pf_message(pf, PACKET);
	pf->straight.bundle = pf_message(pf, FTRACE);
	p = pf_room(pf, PF_WIRE_NUMBER);
	if (p)
		pf_wrote(pf, pf_wire_uint(p, BUNDLE_CPU, cpu));
	pf->straight.event = pf_message(pf, BUNDLE_EVENT);
	p = pf_room(pf, 2 * PF_WIRE_NUMBER);
	if (!p)
		return;
	p = pf_wire_uint(p, EVENT_TIME, pf_clock_boot(&pf->clock, ts));
	pf_wrote(pf, pf_wire_uint(p, EVENT_TID, tid));
}

int pf_end_ftrace(struct pf *pf)
{
	uint8_t *p;

	pf_message_end(pf, pf->straight.event);
	pf_message_end(pf, pf->straight.bundle);
	p = pf_room(pf, PF_WIRE_NUMBER);
	if (p)
		pf_wrote(pf, pf_wire_uint(p, SEQUENCE_ID, PF_SEQUENCE(pf)));
	pf_middle(pf);
	return pf_end_packet(pf);
}

static void put_interned(struct pf *pf)
{
	const Pf__InternedData *data = &pf->intern.data;
	size_t n = pf__interned_data__get_packed_size(data);
	uint8_t *p = pf_room(pf, PF_WIRE_NUMBER + n);

	if (!p)
		return;
	p = xtr_varint_put(pf_wire_tag(p, INTERNED_DATA, PF_WIRE_BYTES), n);
	pf_wrote(pf, p + pf__interned_data__pack(data, p));
}

void pf_middle(struct pf *pf)
{
	uint8_t *p;

	if (pf->intern.has_new)
		put_interned(pf);
	p = pf_room(pf, PF_WIRE_NUMBER);
	if (!p)
		return;
	pf->straight.flags = pf_sequence_flags(pf);
	pf_wrote(pf, pf_wire_uint(p, FLAGS, pf->straight.flags));
}

/* What stands behind all messages; p has room for END_MAX bytes. */
static uint8_t *put_end(const struct pf *pf, uint8_t *p)
{
	if (pf->straight.early)
		p = pf_wire_uint(p, CLOCK_ID, PF_CLOCK_EVENT);
	if (pf->straight.flags & PF_FLAG_CLEARED) {
		p = pf_wire_tag(p, DEFAULTS, PF_WIRE_BYTES);
		*p++ = CLOCK_ID_BYTES;
		p = pf_wire_uint(p, CLOCK_ID, PF_CLOCK_RELATIVE);
	}
	if (pf->machine[pf->m].id)
		p = pf_wire_uint(p, MACHINE_ID, pf->machine[pf->m].id);
	return p;
}

int pf_short_packet(struct pf *pf, uint64_t ts, uint32_t field, const uint8_t *message, size_t n)
{
	uint8_t *p, *begin;

	pf_begin(pf);
	pf->straight.early = ts < pf->clock.base;
	pf->straight.flags = pf_sequence_flags(pf);
	p = pf_room(pf, BEGIN_MAX + END_MAX + PF_SHORT);
	if (!p || pf->err)
		return pf->err ? pf->err : pf->out.block.err;
	p = pf_wire_tag(p, PACKET, PF_WIRE_BYTES) + 1;
	begin = p;
	p = pf_wire_uint(p, TIMESTAMP, pf->straight.early ? ts : ts - pf->clock.base);
	p = pf_wire_uint(p, SEQUENCE_ID, PF_SEQUENCE(pf));
	p = pf_wire_bytes(p, field, message, n);
	p = pf_wire_uint(p, FLAGS, pf->straight.flags);
	p = put_end(pf, p);
	begin[-1] = (uint8_t)(p - begin);
	pf_wrote(pf, p);
	return pf_out_added(&pf->out);
}

int pf_end_packet(struct pf *pf)
{
	uint8_t *p = pf_room(pf, END_MAX);

	if (!p || pf->err)
		return pf->err ? pf->err : pf->out.block.err;
	p = put_end(pf, p);
	pf_wrote(pf, p);
	pf_message_end(pf, pf->straight.at);
	return pf_out_added(&pf->out);
}
