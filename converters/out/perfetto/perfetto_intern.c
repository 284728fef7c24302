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

/* The field of InternedData that tells a table's entries. */
static const uint32_t field_of[PF_TABLES] = {
	[PF_CATEGORIES] = PF_INTERNED_CATEGORIES, [PF_EVENT_NAMES] = PF_INTERNED_EVENT_NAMES,
	[PF_NOTE_NAMES] = PF_INTERNED_NOTE_NAMES, [PF_CONTEXTS] = PF_INTERNED_CONTEXTS,
	[PF_QUEUES] = PF_INTERNED_SPECS,          [PF_STAGES] = PF_INTERNED_SPECS,
};

void pf_forget(struct pf_intern *in)
{
	for (size_t i = 0; i < PF_TABLES; i++)
		xtr_buf_free(&in->told[i]);
	xtr_map_free(&in->iids);
	xtr_map_free(&in->owners);
	memset(in->fixed, 0, sizeof(in->fixed));
	memset(in->next, 0, sizeof(in->next));
	in->cleared = in->has_new = true;
	in->times_forgotten++;
}

/* Where there was nothing new, nothing has changed since the packet before. */
void pf_intern_begin(struct pf_intern *in)
{
	if (in->iids.n > PF_INTERNED_MAX || in->owners.n > PF_INTERNED_MAX)
		pf_forget(in);
	for (size_t i = 0; in->has_new && i < PF_TABLES; i++)
		in->told[i].n = 0;
	in->has_new = false;
	in->n_names = 0;
}

void pf_put_interned(struct pf *pf)
{
	struct xtr_buf *b = &pf->out.block;
	size_t n = 0;
	uint8_t *p;

	for (size_t i = 0; i < PF_TABLES; i++) {
		n += pf->intern.told[i].n;
		if (pf->intern.told[i].err)
			pf->err = pf->intern.told[i].err;
	}
	p = pf_room(b, PF_WIRE_NUMBER + n);
	if (!p)
		return;
	p = xtr_varint_put(pf_wire_tag(p, PF_PACKET_INTERNED, PF_WIRE_BYTES), n);
	for (size_t i = 0; i < PF_TABLES; i++)
		if (pf->intern.told[i].n)
			p = mempcpy(p, pf->intern.told[i].p, pf->intern.told[i].n);
	pf_wrote(b, p);
}

/* The id of key in a table; *is_new says that it must be told. */
static uint64_t iid_of(struct pf *pf, enum pf_table table, uint64_t key, bool *is_new)
{
	struct pf_intern *in = &pf->intern;
	uint32_t iid = xtr_map_index(&in->iids, key, table);

	*is_new = iid == XTR_MAP_NONE;
	if (!*is_new)
		return iid;
	iid = in->next[table] + 1;
	if (xtr_map_put(&in->iids, key, table, iid)) {
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
	struct xtr_buf *b = &in->told[table];
	uint64_t iid;
	bool is_new;
	size_t at;

	if (in->n_names == PF_NEW_MAX)
		return 0;
	iid = iid_of(pf, table, key, &is_new);
	if (!is_new)
		return iid;
	in->has_new = true;
	in->n_names++;
	at = pf_message(b, field_of[table]);
	pf_put_uint(b, PF_NAME_IID, iid);
	pf_put_text(b, PF_NAME_TEXT, pf_text(pf, text, n));
	pf_message_end(b, at);
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
	uint32_t known = xtr_map_index(&pf->intern.iids, comm, PF_EVENT_NAMES);
	size_t n = 0;
	const char *s;

	if (known != XTR_MAP_NONE)
		return known;
	s = comm ? xtr_tables_string(pf->s->tables, comm, &n) : NULL;
	return s && n ? pf_intern_name(pf, PF_EVENT_NAMES, comm, s, n) : 0;
}

/* Queues and stages share one number space: odd and even. A queue's number is for ever. */
bool pf_intern_queue(struct pf *pf, uint32_t ring, uint64_t *iid)
{
	struct pf_ring *r = &pf_machine(pf)->ring[ring];
	bool is_new;

	*iid = 2 * (uint64_t)ring + 1;
	if (r->told == pf->intern.times_forgotten)
		return false;
	r->told = pf->intern.times_forgotten;
	iid_of(pf, PF_QUEUES, ring, &is_new);
	return is_new;
}

bool pf_intern_stage(struct pf *pf, uint64_t key, uint64_t *iid)
{
	bool is_new;

	*iid = 2 * iid_of(pf, PF_STAGES, key, &is_new);
	return is_new;
}

void pf_tell_spec(struct pf *pf, enum pf_table table, uint64_t iid, const char *name,
		  const char *description, enum pf_category category)
{
	struct xtr_buf *b = &pf->intern.told[table];
	size_t at = pf_message(b, field_of[table]);

	pf->intern.has_new = true;
	pf_put_uint(b, PF_SPEC_IID, iid);
	pf_put_text(b, PF_SPEC_NAME, name);
	pf_put_text(b, PF_SPEC_DESCRIPTION, description);
	pf_put_uint(b, PF_SPEC_CATEGORY, category);
	pf_message_end(b, at);
}

void pf_intern_context(struct pf *pf, uint64_t iid, const uint32_t *pid)
{
	struct xtr_buf *b = &pf->intern.told[PF_CONTEXTS];
	bool is_new;
	size_t at;

	iid_of(pf, PF_CONTEXTS, iid, &is_new);
	if (!is_new)
		return;
	pf->intern.has_new = true;
	at = pf_message(b, field_of[PF_CONTEXTS]);
	pf_put_uint(b, PF_CONTEXT_IID, iid);
	if (pid)
		pf_put_int32(b, PF_CONTEXT_PID, (int32_t)*pid);
	pf_message_end(b, at);
}
