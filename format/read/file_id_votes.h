/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which file_id most chunk headers carry, from any place of a region to its end (spec 3: sections
 * with a damaged header). Headers are added once, in order; then the winner at any place costs no
 * second look at the region, however many sections begin in it. 16 bytes a header.
 */
#ifndef XTR_VOTES_H
#define XTR_VOTES_H

#include <stddef.h>
#include <stdint.h>

struct xtr_vote {
	uint64_t at; /* offset of the header */
	uint64_t id; /* its file_id; once counted: the winner from here to the region's end */
};

/* A zeroed structure is an empty one. */
struct xtr_votes {
	struct xtr_vote *v;
	size_t n, cap;
};

/* Add a header behind all that were added. 0 or -ENOMEM. */
int xtr_votes_add(struct xtr_votes *v, uint64_t at, uint64_t id);
/* All were added: count them. 0 or -ENOMEM. */
int xtr_votes_count(struct xtr_votes *v);
/* The file_id that most headers at and behind an offset carry, the first of equals; 0: none. */
uint64_t xtr_votes_winner(const struct xtr_votes *v, uint64_t from);
void xtr_votes_free(struct xtr_votes *v);

#endif /* XTR_VOTES_H */
