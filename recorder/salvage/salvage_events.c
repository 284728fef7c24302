/* SPDX-License-Identifier: BSD-2-Clause */
#include "salvage_events.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>

/* No record is as long: what has this layout is not converted. */
static const struct xtr_event_desc unknown = { .name = "", .size = UINT32_MAX };

static const struct xtr_event_desc *desc_of(const struct xtr_meta *meta, uint32_t type)
{
	const struct xtr_event_desc *d = xtr_meta_event(meta, type);

	return d ? d : &unknown;
}

/* The strings in their order: those fields that are ids (generic.c, add_strings). */
static bool find_strings(struct xtr_generic *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->desc.n_fields; i++) {
		const struct xtr_field *f = &g->desc.fields[i];

		if (f->repr != XTR_REPR_STRID)
			continue;
		if (n == g->cfg.n_strs || f->size > sizeof(uint64_t) ||
		    f->offset + f->size > g->desc.size)
			return false;
		g->strs[n] = (struct xtr_generic_string){
			.offset = (uint16_t)f->offset,
			.width = (uint16_t)f->size,
			.hex = g->cfg.str[n].kind == XTR_STR_LOC_BYTES ||
			       g->cfg.str[n].kind == XTR_STR_REL_BYTES,
		};
		n++;
	}
	g->n_strs = n;
	return n == g->cfg.n_strs;
}

static void find_key(struct xtr_generic *g)
{
	for (uint32_t i = 0; g->cfg.key_width && i < g->desc.n_fields; i++) {
		const struct xtr_field *f = &g->desc.fields[i];

		if (f->offset == g->cfg.key_at - 8u + XTR_RECORD_HEADER_SIZE)
			g->key = f;
	}
}

static struct xtr_generic *generic(const struct xtr_meta *meta, const struct xtr_persistent *k,
				   uint32_t i)
{
	struct xtr_generic *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->desc = *desc_of(meta, XTR_TYPE_FIRST_DYNAMIC + i);
	g->cfg = k->generics[i];
	if (g->cfg.n_strs > XTR_STRS_MAX || g->cfg.fixed > XTR_FIXED_MAX ||
	    g->desc.size < XTR_RECORD_HEADER_SIZE + g->cfg.fixed + (g->cfg.stack ? 8 : 0) ||
	    !find_strings(g))
		g->desc = unknown;
	else
		find_key(g);
	g->name = (char *)(uintptr_t)g->desc.name;
	g->sample = g->cfg.sample;
	return g;
}

static uint32_t type_of(const struct xtr_probe_cfg *cfg)
{
	return cfg->slot >= XTR_SLOT_GENERIC ? cfg->slot - XTR_SLOT_GENERIC + XTR_TYPE_FIRST_DYNAMIC
					     : 0;
}

static struct xtr_probe *probe(const struct xtr_meta *meta, const struct xtr_persistent *k,
			       uint32_t i)
{
	struct xtr_probe *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->entry.cfg = k->probes[2 * i];
	p->ret.cfg = k->probes[2 * i + 1];
	p->entry.desc = *desc_of(meta, type_of(&p->entry.cfg));
	p->ret.desc = *desc_of(meta, type_of(&p->ret.cfg));
	p->entry.fields = (struct xtr_field *)(uintptr_t)p->entry.desc.fields;
	p->name = (char *)(uintptr_t)p->entry.desc.name;
	p->sample = p->entry.cfg.sample;
	return p;
}

int xtr_salvage_events(struct xtr_selection *sel, const struct xtr_meta *meta,
		       const struct xtr_persistent *k)
{
	const struct xtr_persistent_size *size = &k->head->size;
	uint32_t n = k->head->n_dynamic, events = n > size->n_generics ? n - size->n_generics : 0;

	*sel = (struct xtr_selection){ .n_dynamic = size->n_generics + events };
	sel->generics = calloc(size->n_generics + 1, sizeof(*sel->generics));
	sel->probes = calloc(size->n_probes + 1, sizeof(*sel->probes));
	sel->probe_events = calloc(events + 1, sizeof(*sel->probe_events));
	if (!sel->generics || !sel->probes || !sel->probe_events)
		return -ENOMEM;
	for (uint32_t i = 0; i < size->n_generics; i++) {
		sel->generics[i] = generic(meta, k, i);
		if (!sel->generics[i])
			return -ENOMEM;
		sel->n_generics++;
	}
	for (uint32_t i = 0; i < size->n_probes; i++) {
		sel->probes[i] = probe(meta, k, i);
		if (!sel->probes[i])
			return -ENOMEM;
		sel->n_probes++;
	}
	for (uint32_t i = 0; i < events; i++)
		sel->probe_events[i] = desc_of(meta, XTR_TYPE_FIRST_DYNAMIC + size->n_generics + i);
	return 0;
}

void xtr_salvage_events_free(struct xtr_selection *sel)
{
	for (size_t i = 0; i < sel->n_generics; i++)
		free(sel->generics[i]);
	for (size_t i = 0; i < sel->n_probes; i++)
		free(sel->probes[i]);
	free(sel->generics);
	free(sel->probes);
	free(sel->probe_events);
	*sel = (struct xtr_selection){ 0 };
}
