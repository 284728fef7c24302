/* SPDX-License-Identifier: BSD-2-Clause */
#include "generic.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES 8u /* behind the fixed part: an id, and 4 bytes of nothing */

static enum xtr_str_kind string_kind(enum xtr_tp_kind kind)
{
	static const enum xtr_str_kind kinds[] = {
		[XTR_TP_PTR] = XTR_STR_PTR,
		[XTR_TP_LOC_STR] = XTR_STR_LOC,
		[XTR_TP_REL_STR] = XTR_STR_REL,
		[XTR_TP_LOC_BYTES] = XTR_STR_LOC_BYTES,
		[XTR_TP_REL_BYTES] = XTR_STR_REL_BYTES,
	};

	return kinds[kind];
}

/* Note the strings: for BPF to copy, and for the conversion to look up. */
static void add_strings(struct xtr_generic *g, const struct xtr_tp_format *f)
{
	const struct xtr_tp_event *e = g->tp;
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->desc.n_fields; i++) {
		const struct xtr_tp_field *in = &f->fields[e->from[i]];

		if (e->text[i] == XTR_TP_NO_TEXT)
			continue;
		g->cfg.str[n].offset = (uint16_t)in->offset;
		g->cfg.str[n].kind = string_kind(in->kind);
		g->strs[n] = (struct xtr_generic_string){
			.offset = (uint16_t)e->fields[i].offset,
			.width = (uint16_t)in->size,
			.hex = e->text[i] == XTR_TP_HEX_TEXT,
		};
		n++;
	}
	g->cfg.n_strs = g->n_strs = n;
}

static bool needs_cleaning(const struct xtr_event_desc *desc)
{
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		const struct xtr_field *f = &desc->fields[i];

		if (f->repr == XTR_REPR_STR || f->sens == XTR_SENS_KPTR)
			return true;
	}
	return false;
}

int xtr_generic_new(struct xtr_generic **out, const char *system, const char *event,
		    const struct xtr_tp_format *f, uint32_t type, uint32_t slot)
{
	static const struct xtr_tp_limits limits = { .fixed = XTR_FIXED_MAX,
						     .texts = XTR_STRS_MAX,
						     .pointed_text = true };
	struct xtr_generic *g = calloc(1, sizeof(*g));
	int err = -ENOMEM;

	if (!g)
		return -ENOMEM;
	g->system = strdup(system);
	g->event = strdup(event);
	if (g->system && g->event)
		err = xtr_tp_event_new(&g->tp, system, event, f, type, &limits);
	if (err) {
		xtr_generic_free(g);
		return err;
	}
	add_strings(g, f);
	g->id = f->id;
	g->cfg.fixed = g->tp->fixed;
	g->cfg.type = type;
	g->cfg.slot = slot;
	g->name = g->tp->name;
	g->desc = g->tp->desc;
	g->clean = needs_cleaning(&g->desc);
	g->as_is = !g->clean && !g->n_strs;
	g->dropped = g->tp->dropped;
	*out = g;
	return 0;
}

void xtr_generic_free(struct xtr_generic *g)
{
	if (!g)
		return;
	xtr_tp_event_free(g->tp);
	free(g->system);
	free(g->event);
	free(g);
}

int xtr_generic_sample(struct xtr_generic *g, uint32_t of, const char *field)
{
	const struct xtr_field *f = field ? xtr_event_field(&g->desc, field) : NULL;

	if (field && !f)
		return -ENOENT;
	if (f && !xtr_repr_width(f->repr))
		return -EINVAL;
	g->cfg.sample = of;
	g->key = f;
	if (f) { /* the kernel's record has a header of 8 bytes */
		g->cfg.key_at = (__u16)(f->offset - XTR_RECORD_HEADER_SIZE + 8);
		g->cfg.key_width = (__u16)f->size;
	}
	return 0;
}

int xtr_generic_stack(struct xtr_generic *g)
{
	int err = xtr_tp_event_add_stack(g->tp);

	if (err)
		return err;
	g->desc = g->tp->desc;
	g->cfg.stack = 1;
	return 0;
}

/* Offset in the kernel's record of the low 32 bits of a number; 0: there is none of this name. */
static uint16_t number_at(const struct xtr_generic *g, const char *name)
{
	const struct xtr_field *f = xtr_event_field(&g->desc, name);

	if (!f || xtr_repr_width(f->repr) < 4)
		return 0;
	return (uint16_t)(f->offset - XTR_RECORD_HEADER_SIZE + 8);
}

void xtr_generic_find_job(struct xtr_generic *g)
{
	uint16_t ctx = number_at(g, "ctx"), seqno = number_at(g, "seqno");

	if (!ctx)
		ctx = number_at(g, "context");
	g->cfg.ctx_at = ctx && seqno ? ctx : 0;
	g->cfg.seqno_at = ctx && seqno ? seqno : 0;
}

/* Put the ids of the strings, which stand behind the fixed part, into their fields. */
static int convert_strings(const struct xtr_generic *g, struct xtr_tables *tables, uint8_t *rec,
			   uint32_t size)
{
	uint32_t pos = g->desc.size, id;
	uint64_t wide;
	uint16_t n;
	int err;

	for (uint32_t i = 0; i < g->n_strs; i++) {
		const struct xtr_generic_string *s = &g->strs[i];

		if (size - pos < sizeof(n))
			return -EBADMSG;
		memcpy(&n, rec + pos, sizeof(n));
		pos += sizeof(n);
		if (n > size - pos)
			return -EBADMSG;
		err = s->hex ? xtr_tp_intern_hex(tables, rec + pos, n, &id)
			     : xtr_tables_intern(tables, rec + pos, n, &id);
		if (err)
			return err;
		pos += n;
		wide = id;
		memcpy(rec + s->offset, &wide, s->width); /* little-endian, as the file */
	}
	return 0;
}

bool xtr_generic_as_is(const struct xtr_generic *g, uint32_t size)
{
	return g->as_is && size == g->desc.size;
}

int xtr_generic_convert(const struct xtr_generic *g, struct xtr_tables *tables,
			const struct xtr_siphash_key *key, uint8_t *rec, uint32_t size)
{
	uint32_t used = XTR_RECORD_HEADER_SIZE + g->cfg.fixed;
	uint32_t end = g->desc.size - (g->cfg.stack ? STACK_BYTES : 0);
	uint16_t whole = (uint16_t)g->desc.size;
	int err;

	if (size < g->desc.size)
		return -EBADMSG;
	err = g->n_strs ? convert_strings(g, tables, rec, size) : 0;
	if (err)
		return err;
	if (g->n_strs)
		memset(rec + used, 0, end - used);
	if (g->clean)
		xtr_tp_event_clean(&g->desc, key, rec);
	memcpy(rec + offsetof(struct xtr_rec, size), &whole, sizeof(whole));
	return (int)g->desc.size;
}
