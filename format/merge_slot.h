/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One chunk of a merge: its records in time order, decoded whole or, when many chunks overlap and
 * memory is short, a window at a time.
 */
#ifndef XTR_MERGE_SLOT_H
#define XTR_MERGE_SLOT_H

#include "reader.h"

#include <stdbool.h>

struct xtr_slot {
	const struct xtr_chunk *chunk;
	uint8_t *buf;    /* records in the order they are given out */
	size_t cap, len; /* bytes allocated and used in buf */
	size_t pos;      /* of the current record in buf */
	uint64_t ts;     /* of the current record */
	uint32_t size;   /* of the current record, bytes */
	uint32_t given;  /* records of the chunk before buf's first */
	uint32_t held;   /* records in buf */
	uint32_t at;     /* number of the current record in buf */
	bool windowed;   /* buf holds a part of the chunk */
	int err;         /* 0 or why the chunk cannot be read; why says more */
	struct xtr_err why;
};

/*
 * Decode the chunk whole into s->buf, in time order, and step to its first record. Errors are left
 * in s->err: -EBADMSG, -ENOMEM or an I/O error. Thread-safe for different slots.
 */
void xtr_slot_load(struct xtr_slot *s, const struct xtr_reader *r, const struct xtr_chunk *c);

/*
 * The same, but keep only as many records as fit into window bytes (at least one); scratch is a
 * buffer that may be used again for other slots.
 */
void xtr_slot_load_window(struct xtr_slot *s, const struct xtr_reader *r, const struct xtr_chunk *c,
			  size_t window, uint8_t **scratch, size_t *scratch_cap);

/* Step to the next record. True if there is one; false at the end, or if s->err was set. */
bool xtr_slot_step(struct xtr_slot *s, const struct xtr_reader *r, size_t window, uint8_t **scratch,
		   size_t *scratch_cap);

#endif /* XTR_MERGE_SLOT_H */
