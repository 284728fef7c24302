/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a section that was cut out of another one says of itself in META's config (spec 6.2): what
 * it is about, and what the whole said of its rings.
 */
#ifndef XTR_CUT_NOTE_H
#define XTR_CUT_NOTE_H

#include "format/meta/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_id_range {
	uint32_t first, last;
};

struct xtr_ids { /* all zero: empty; ranges in order, none touches another */
	struct xtr_id_range *range;
	size_t n, cap;
};

/* Add an id: fast if ids come in order. 0 or -ENOMEM. */
int xtr_ids_add(struct xtr_ids *s, uint32_t id);
bool xtr_ids_have(const struct xtr_ids *s, uint32_t id);
/* to must be empty. 0 or -ENOMEM. */
int xtr_ids_copy(struct xtr_ids *to, const struct xtr_ids *from);
void xtr_ids_free(struct xtr_ids *s);

struct xtr_cut_note { /* all zero: not a cut */
	bool is_cut;
	uint64_t from, to;          /* ns, inclusive; to 0: no end */
	bool some_rings, some_pids; /* only jobs of these rings; only those of these processes */
	struct xtr_ids rings, pids;
	struct xtr_ids out_of_order, batched, parallel; /* rings that were; others: in order */
};

/* 0 or -ENOMEM; what cannot be understood is left out. *n is set in any case. */
int xtr_cut_note_read(struct xtr_cut_note *n, const struct xtr_meta *m);
/* Set the entries of META that _read reads; `of`: the file_id of the section it was cut from. */
int xtr_cut_note_write(const struct xtr_cut_note *n, struct xtr_meta *m, uint64_t of);
/* Only the window of it: ns, inclusive; from 0: no beginning, to 0: no end. */
void xtr_cut_note_window(const struct xtr_meta *m, uint64_t *from, uint64_t *to);
void xtr_cut_note_free(struct xtr_cut_note *n);

#endif /* XTR_CUT_NOTE_H */
