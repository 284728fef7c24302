/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of packets, one for each writer. What a sequence has said once it refers to later:
 * interned data and defaults, until it says that they are gone (sequence_flags).
 */
#include "pftrace_core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Fields of TracePacket and of TracePacketDefaults */
#define F_FLAGS          13u
#define F_INTERNED       12u
#define F_CLEARED        41u /* before there were flags */
#define F_DROPPED        42u
#define F_DEFAULTS       59u
#define F_DEFAULTS_CLOCK 58u
#define F_IID            1u /* of every interned entry */

struct blob {
	uint32_t n;
	uint8_t p[];
};

static void forget_interned(struct pftrace *p, struct pft_seq *seq)
{
	const struct xtr_map_slot *slot;
	size_t i = 0;

	while ((slot = xtr_map_next(&seq->interned, &i))) {
		struct blob *b = (struct blob *)(uintptr_t)slot->value;

		p->kept -= sizeof(*b) + b->n;
		free(b);
	}
	xtr_map_free(&seq->interned);
}

static void forget_defaults(struct pftrace *p, struct pft_seq *seq)
{
	p->kept -= seq->n_defaults;
	free(seq->defaults);
	seq->defaults = NULL;
	seq->n_defaults = 0;
	seq->clock = 0;
}

struct pft_seq *pft_seq_of(struct pftrace *p, uint32_t id)
{
	const uint64_t *known = xtr_map_get(&p->seqs, id, 0);
	struct pft_seq *seq;

	if (known)
		return (struct pft_seq *)(uintptr_t)*known;
	if (p->seqs.n >= PFT_SEQS_MAX) /* the rest are taken for one */
		id = 0;
	known = xtr_map_get(&p->seqs, id, 0);
	if (known)
		return (struct pft_seq *)(uintptr_t)*known;
	seq = calloc(1, sizeof(*seq));
	if (!seq)
		return NULL;
	seq->id = id;
	if (xtr_map_put(&p->seqs, id, 0, (uint64_t)(uintptr_t)seq)) {
		free(seq);
		return NULL;
	}
	return seq;
}

/* Room for so many bytes more of what sequences say? */
static bool has_room(const struct pftrace *p, size_t n)
{
	return n <= PFT_KEPT_BYTES && p->kept <= PFT_KEPT_BYTES - n;
}

static int set_defaults(struct pftrace *p, struct pft_seq *seq, const struct pft_field *f)
{
	struct pft_msg m = pft_sub(f);
	struct pft_field in;

	forget_defaults(p, seq);
	if (!has_room(p, f->n)) {
		xtr_import_damage(p->im, "sequences say more than there is room for");
		return 0;
	}
	seq->defaults = malloc(f->n ? f->n : 1);
	if (!seq->defaults)
		return -ENOMEM;
	if (f->n)
		memcpy(seq->defaults, f->p, f->n);
	seq->n_defaults = f->n;
	p->kept += f->n;
	while (pft_next(&m, &in))
		if (in.num == F_DEFAULTS_CLOCK)
			seq->clock = (uint32_t)in.v;
	return 0;
}

static int intern(struct pftrace *p, struct pft_seq *seq, const struct pft_field *entry)
{
	struct pft_msg m = pft_sub(entry);
	struct pft_field f;
	struct blob *b;
	uint64_t iid = 0;
	bool has_iid = false;

	while (!has_iid && pft_next(&m, &f)) {
		has_iid = f.num == F_IID && f.wire == 0;
		iid = f.v;
	}
	/* A second entry of a number is the first one again. */
	if (!has_iid || xtr_map_get(&seq->interned, entry->num, iid))
		return 0;
	if (!has_room(p, sizeof(*b) + entry->n)) {
		xtr_import_damage(p->im, "sequences say more than there is room for");
		return 0;
	}
	b = malloc(sizeof(*b) + entry->n);
	if (!b)
		return -ENOMEM;
	b->n = (uint32_t)entry->n;
	memcpy(b->p, entry->p, entry->n);
	if (xtr_map_put(&seq->interned, entry->num, iid, (uint64_t)(uintptr_t)b)) {
		free(b);
		return -ENOMEM;
	}
	p->kept += sizeof(*b) + b->n;
	return 0;
}

static int intern_all(struct pftrace *p, struct pft_seq *seq, struct pft_msg m)
{
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f))
		if (f.wire == 2)
			err = intern(p, seq, &f);
	return err;
}

int pft_seq_take(struct pftrace *p, struct pft_packet *packet)
{
	struct pft_msg m = pft_msg(packet->p, packet->n);
	struct pft_seq *seq = packet->seq;
	struct pft_field f, defaults = { 0 }, interned = { 0 };
	bool cleared = packet->flags & PFT_SEQ_CLEARED, dropped = false;
	int err = 0;

	while (pft_next(&m, &f)) {
		cleared |= f.num == F_CLEARED && f.v;
		dropped |= f.num == F_DROPPED && f.v;
		if (f.num == F_DEFAULTS)
			defaults = f;
		else if (f.num == F_INTERNED)
			interned = f;
	}
	if (dropped && seq->seen)
		seq->valid = false;
	if (cleared) {
		forget_interned(p, seq);
		forget_defaults(p, seq);
		seq->valid = true;
	}
	seq->seen = true;
	if (defaults.wire == 2)
		err = set_defaults(p, seq, &defaults);
	if (!err && interned.wire == 2)
		err = intern_all(p, seq, pft_sub(&interned));
	return err;
}

bool pft_interned(const struct pft_seq *seq, uint32_t field, uint64_t iid, struct pft_msg *m)
{
	const uint64_t *known = seq ? xtr_map_get(&seq->interned, field, iid) : NULL;
	const struct blob *b;

	if (!known)
		return false;
	b = (const struct blob *)(uintptr_t)*known;
	*m = pft_msg(b->p, b->n);
	return true;
}

struct pft_msg pft_defaults(const struct pft_seq *seq)
{
	static const uint8_t none[1];

	return seq && seq->defaults ? pft_msg(seq->defaults, seq->n_defaults) : pft_msg(none, 0);
}

void pft_seqs_free(struct pftrace *p)
{
	const struct xtr_map_slot *slot;
	size_t i = 0;

	while ((slot = xtr_map_next(&p->seqs, &i))) {
		struct pft_seq *seq = (struct pft_seq *)(uintptr_t)slot->value;

		forget_interned(p, seq);
		forget_defaults(p, seq);
		free(seq);
	}
	xtr_map_free(&p->seqs);
}
