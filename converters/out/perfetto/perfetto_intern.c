/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What packets of a section's sequence intern. An importer takes interned ids only from a sequence
 * whose state was declared clear once, and drops without a word what refers to more; so the first
 * packet says "cleared" and all others "needed". When the tables have grown large they are
 * forgotten on both sides.
 */
#include "perfetto.h"

#include <errno.h>
#include <string.h>

void pf_forget(struct pf_intern *in)
{
	xtr_keymap_free(&in->iids);
	xtr_keymap_free(&in->owners);
	memset(in->fixed, 0, sizeof(in->fixed));
	memset(in->next, 0, sizeof(in->next));
	in->cleared = in->has_new = true;
	in->times_forgotten++;
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
	in->has_new = true;
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

/* Where the address may stand: from a place that its bits choose, a few on. */
uint64_t pf_intern_fixed(struct pf *pf, enum pf_table table, const char *text)
{
	struct pf_intern *in = &pf->intern;
	size_t home = (size_t)(((uintptr_t)text + table) * 0x9e3779b97f4a7c15u >> 56), i;
	struct pf_fixed *f = NULL;
	uint64_t iid;

	for (i = 0; i < 4; i++) {
		f = &in->fixed[(home + i) & (PF_FIXED_MAX - 1)];
		if (!f->text)
			break;
		if (f->text == text && f->table == table)
			return f->iid;
	}
	iid = pf_intern_text(pf, table, text);
	if (iid && i < 4)
		*f = (struct pf_fixed){ .text = text, .table = table, .iid = (uint32_t)iid };
	return iid;
}

uint64_t pf_intern_comm(struct pf *pf, uint32_t comm)
{
	uint32_t known = xtr_keymap_get(&pf->intern.iids, comm, PF_EVENT_NAMES);
	size_t n = 0;
	const char *s;

	if (known != XTR_KEYMAP_NONE)
		return known;
	s = comm ? xtr_tables_string(pf->s->tables, comm, &n) : NULL;
	return s && n ? pf_intern_name(pf, PF_EVENT_NAMES, comm, s, n) : 0;
}

static Pf__GpuSpecification *new_spec(struct pf_intern *in, uint64_t iid)
{
	Pf__GpuSpecification *s;

	if (in->data.n_gpu_specifications == 2)
		return NULL;
	in->has_new = true;
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
	struct pf_ring *r = &pf_machine(pf)->ring[ring];
	bool is_new;

	*iid = 2 * (uint64_t)ring + 1;
	if (r->told == pf->intern.times_forgotten)
		return NULL;
	r->told = pf->intern.times_forgotten;
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
	in->has_new = true;
	pf__graphics_context__init(&in->context);
	in->context.has_iid = true;
	in->context.iid = iid;
	in->context_ptr = &in->context;
	in->data.graphics_contexts = &in->context_ptr;
	in->data.n_graphics_contexts = 1;
	return &in->context;
}
