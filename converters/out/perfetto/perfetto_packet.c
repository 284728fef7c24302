/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of a section's sequence as messages of protobuf-c, and the texts in them. */
#include "perfetto.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

uint64_t pf_hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u ^ b;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

/* FNV-1a. */
uint64_t pf_hash_text(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

/* Room for n bytes and a NUL, or NULL. */
static char *arena(struct pf *pf, size_t n)
{
	char *p = pf->arena + pf->arena_used;

	if (n >= PF_ARENA - pf->arena_used)
		return NULL;
	pf->arena_used += n + 1;
	return p;
}

static bool is_clean(const char *s, size_t n)
{
	size_t i, len;

	for (i = xtr_utf8_plain(s, n, '\\'); i < n; i += xtr_utf8_plain(s + i, n - i, '\\')) {
		len = xtr_utf8_len(s + i, n - i);
		if (!len || !s[i])
			return false;
		i += len;
	}
	return !s[n];
}

/* What is no character becomes U+FFFD; what is too long for the arena is cut. */
char *pf_text(struct pf *pf, const char *s, size_t n)
{
	static char none[] = "";
	size_t i = 0, len, used = 0, room;
	char *p;

	/* protobuf-c does not write to its strings. */
	if (is_clean(s, n))
		return (char *)(uintptr_t)s;
	room = n > (PF_ARENA - 1) / 3 ? PF_ARENA - 1 : n * 3;
	if (room > PF_ARENA - 1 - pf->arena_used)
		room = PF_ARENA - 1 - pf->arena_used;
	p = arena(pf, room);
	if (!p)
		return none;
	for (; i < n && used + 4 <= room + 1; i += len) {
		len = s[i] ? xtr_utf8_len(s + i, n - i) : 0;
		memcpy(p + used, len ? s + i : "\xef\xbf\xbd", len ? len : 3);
		used += len ? len : 3;
		len = len ? len : 1;
	}
	p[used] = '\0';
	return p;
}

char *pf_chars(struct pf *pf, const uint8_t *p, size_t n)
{
	char *copy;

	n = strnlen((const char *)p, n);
	copy = arena(pf, n);
	if (!copy)
		return pf_text(pf, "", 0);
	memcpy(copy, p, n);
	copy[n] = '\0';
	return pf_text(pf, copy, n);
}

char *pf_textf(struct pf *pf, const char *format, ...)
{
	char text[512];
	char *p;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	p = arena(pf, (size_t)n);
	if (!p)
		return pf_text(pf, "", 0);
	memcpy(p, text, (size_t)n);
	p[n] = '\0';
	return pf_text(pf, p, (size_t)n);
}

/* Where there was nothing new, nothing has changed since the packet before. */
static void clear_interned(struct pf_intern *in)
{
	in->has_new = false;
	in->n_names = 0;
	pf__interned_data__init(&in->data);
	in->data.event_categories = in->category;
	in->data.event_names = in->event;
	in->data.debug_annotation_names = in->note;
	in->data.gpu_specifications = in->spec_ptr;
}

void pf_begin(struct pf *pf)
{
	struct pf_intern *in = &pf->intern;

	if (in->iids.n > PF_INTERNED_MAX || in->owners.n > PF_INTERNED_MAX)
		pf_forget(in);
	if (in->has_new)
		clear_interned(in);
	pf->arena_used = 0;
}

Pf__TracePacket *pf_packet(struct pf *pf)
{
	pf_begin(pf);
	pf__trace_packet__init(&pf->packet);
	pf->packet.has_trusted_packet_sequence_id = true;
	pf->packet.trusted_packet_sequence_id = PF_SEQUENCE(pf);
	pf->packet.has_machine_id = pf_machine(pf)->id != 0;
	pf->packet.machine_id = pf_machine(pf)->id;
	return &pf->packet;
}

uint32_t pf_sequence_flags(struct pf *pf)
{
	bool cleared = pf->intern.cleared;

	pf->intern.cleared = false;
	return cleared ? PF_FLAG_CLEARED | PF_FLAG_NEEDED : PF_FLAG_NEEDED;
}

int pf_send(struct pf *pf)
{
	static Pf__TracePacketDefaults defaults = {
		.base = PROTOBUF_C_MESSAGE_INIT(&pf__trace_packet_defaults__descriptor),
		.has_timestamp_clock_id = true,
		.timestamp_clock_id = PF_CLOCK_RELATIVE,
	};
	Pf__TracePacket *p = &pf->packet;

	if (pf->intern.has_new)
		p->interned_data = &pf->intern.data;
	p->has_sequence_flags = true;
	p->sequence_flags = pf_sequence_flags(pf);
	if (p->sequence_flags & PF_FLAG_CLEARED)
		p->trace_packet_defaults = &defaults;
	return pf->err ? pf->err : pf_out_packet(&pf->out, p);
}
