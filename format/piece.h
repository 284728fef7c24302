/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section that is a piece of a rotated recording says of itself in META's config (spec 6.2).
 */
#ifndef XTR_PIECE_H
#define XTR_PIECE_H

#include "meta.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_piece {
	uint64_t number;        /* from 1 */
	uint64_t of;            /* random, the same in all pieces of a recording */
	uint64_t began;         /* ns: when the first piece began */
	uint64_t events_before; /* in all earlier pieces, also in those that were removed */
	uint64_t lost_before;   /* as they were lost there */
};

/* False: the section is no piece (or one that was cut, and so is a part of one). */
bool xtr_piece_read(struct xtr_piece *p, const struct xtr_meta *m);
/* 0 or -ENOMEM. */
int xtr_piece_write(const struct xtr_piece *p, struct xtr_meta *m);

#endif /* XTR_PIECE_H */
