/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a section's sequence and what they intern. An importer takes interned ids only from a
 * sequence whose state was declared clear once, and drops without a word what refers to more; so
 * the first packet says "cleared" and all others "needed". When the tables have grown large they
 * are forgotten on both sides.
 */
#include "perfetto.h"

#include "replay/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_CLEARED 1u
#define FLAG_NEEDED  2u

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
	size_t i = 0, len;

	for (; i < n; i += len) {
		len = xtr_utf8_len(s + i, n - i);
		if (!len || !s[i])
			return false;
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

void pf_forget(struct pf_intern *in)
{
	xtr_keymap_free(&in->iids);
	xtr_keymap_free(&in->owners);
	memset(in->next, 0, sizeof(in->next));
	in->cleared = true;
}

Pf__TracePacket *pf_packet(struct pf *pf)
{
	struct pf_intern *in = &pf->intern;

	if (in->iids.n > PF_INTERNED_MAX || in->owners.n > PF_INTERNED_MAX)
		pf_forget(in);
	pf->arena_used = 0;
	in->n_names = 0;
	pf__interned_data__init(&in->data);
	in->data.event_categories = in->category;
	in->data.event_names = in->event;
	in->data.debug_annotation_names = in->note;
	in->data.gpu_specifications = in->spec_ptr;
	pf__trace_packet__init(&pf->packet);
	pf->packet.has_trusted_packet_sequence_id = true;
	pf->packet.trusted_packet_sequence_id = (uint32_t)(2 * pf->s->index + 1);
	pf->packet.has_machine_id = pf_machine(pf)->id != 0;
	pf->packet.machine_id = pf_machine(pf)->id;
	return &pf->packet;
}

Pf__TracePacket *pf_packet_at(struct pf *pf, uint64_t ts)
{
	Pf__TracePacket *p = pf_packet(pf);

	p->has_timestamp = true;
	if (ts >= pf->clock.base) {
		p->timestamp = ts - pf->clock.base;
	} else {
		p->timestamp = ts;
		p->has_timestamp_clock_id = true;
		p->timestamp_clock_id = PF_CLOCK_EVENT;
	}
	return p;
}

int pf_send(struct pf *pf)
{
	static Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
	struct pf_intern *in = &pf->intern;
	Pf__TracePacket *p = &pf->packet;
	Pf__InternedData *d = &in->data;

	if (d->n_event_categories || d->n_event_names || d->n_debug_annotation_names ||
	    d->n_graphics_contexts || d->n_gpu_specifications)
		p->interned_data = d;
	p->has_sequence_flags = true;
	p->sequence_flags = FLAG_NEEDED;
	if (in->cleared) {
		defaults.has_timestamp_clock_id = true;
		defaults.timestamp_clock_id = PF_CLOCK_RELATIVE;
		p->trace_packet_defaults = &defaults;
		p->sequence_flags = FLAG_CLEARED | FLAG_NEEDED;
		in->cleared = false;
	}
	return pf->err ? pf->err : pf_out_packet(&pf->out, p);
}

/* The id of key in a table; *is_new says that it must be told. */
static uint64_t iid_of(struct pf *pf, enum pf_table table, uint64_t key, bool *is_new)
{
	struct pf_intern *in = &pf->intern;
	uint32_t iid = xtr_keymap_get(&in->iids, key, table);

	*is_new = iid == XTR_KEYMAP_NONE;
	if (!*is_new)
		return iid;
	iid = in->next[table] + 1;
	if (xtr_keymap_put(&in->iids, key, table, iid)) {
		pf->err = -ENOMEM;
		return 0;
	}
	in->next[table] = iid;
	return iid;
}

uint64_t pf_intern_name(struct pf *pf, enum pf_table table, uint64_t key, const char *text,
			size_t n)
{
	struct pf_intern *in = &pf->intern;
	Pf__InternedData__Name *name;
	uint64_t iid;
	bool is_new;

	if (in->n_names == PF_NEW_MAX)
		return 0;
	iid = iid_of(pf, table, key, &is_new);
	if (!is_new)
		return iid;
	name = &in->name[in->n_names++];
	pf__interned_data__name__init(name);
	name->has_iid = true;
	name->iid = iid;
	name->name = pf_text(pf, text, n);
	if (table == PF_CATEGORIES)
		in->category[in->data.n_event_categories++] = name;
	else if (table == PF_EVENT_NAMES)
		in->event[in->data.n_event_names++] = name;
	else
		in->note[in->data.n_debug_annotation_names++] = name;
	return iid;
}

/* Ids of strings are 32 bits: these keys do not meet them. */
uint64_t pf_intern_text(struct pf *pf, enum pf_table table, const char *text)
{
	size_t n = strlen(text);

	return pf_intern_name(pf, table, pf_hash_text(text, n) | 1ull << 63, text, n);
}

uint64_t pf_intern_comm(struct pf *pf, uint32_t comm)
{
	size_t n = 0;
	const char *s = comm ? xtr_tables_string(pf->s->tables, comm, &n) : NULL;

	return s && n ? pf_intern_name(pf, PF_EVENT_NAMES, comm, s, n) : 0;
}

static Pf__GpuSpecification *new_spec(struct pf_intern *in, uint64_t iid)
{
	Pf__GpuSpecification *s;

	if (in->data.n_gpu_specifications == 2)
		return NULL;
	s = &in->spec[in->data.n_gpu_specifications];
	in->spec_ptr[in->data.n_gpu_specifications++] = s;
	pf__gpu_specification__init(s);
	s->has_iid = true;
	s->iid = iid;
	return s;
}

/* Queues and stages share one number space: odd and even. A queue's number is for ever. */
Pf__GpuSpecification *pf_intern_queue(struct pf *pf, uint32_t ring, uint64_t *iid)
{
	bool is_new;

	*iid = 2 * (uint64_t)ring + 1;
	iid_of(pf, PF_QUEUES, ring, &is_new);
	return is_new ? new_spec(&pf->intern, *iid) : NULL;
}

Pf__GpuSpecification *pf_intern_stage(struct pf *pf, uint64_t key, uint64_t *iid)
{
	bool is_new;

	*iid = 2 * iid_of(pf, PF_STAGES, key, &is_new);
	return is_new ? new_spec(&pf->intern, *iid) : NULL;
}

Pf__GraphicsContext *pf_intern_context(struct pf *pf, uint64_t iid)
{
	struct pf_intern *in = &pf->intern;

	bool is_new;

	iid_of(pf, PF_CONTEXTS, iid, &is_new);
	if (!is_new)
		return NULL;
	pf__graphics_context__init(&in->context);
	in->context.has_iid = true;
	in->context.iid = iid;
	in->context_ptr = &in->context;
	in->data.graphics_contexts = &in->context_ptr;
	in->data.n_graphics_contexts = 1;
	return &in->context;
}
