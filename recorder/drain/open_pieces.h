/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pieces a recorder is writing, for whoever collects what it had not written when it was
 * killed: kept in what outlives it (persistent.h). Each step is made whole by one store.
 */
#ifndef XTR_RECORDER_OPEN_PIECES_H
#define XTR_RECORDER_OPEN_PIECES_H

#include "persistent.h"

#include "format/meta/loss.h"

enum xtr_open {
	XTR_OPEN_ONE,
	XTR_OPEN_TWO,  /* the one before it, too: for what is older than the border */
	XTR_OPEN_ENDS, /* the same, but that one has all events, and its losses are known */
	XTR_OPEN_LAST, /* of a flight recorder: the same, and there will be no other */
};

/*
 * Of a flight recorder the piece `being written` is the one that is gathered in memory. While it is
 * written to a file, that one is the next (ENDS, LAST): what was kept is in the file if that is
 * whole, else still in memory, and there is no next one.
 */

/* Number of the piece being written (0: it is the only file), and which are open. */
static inline uint64_t xtr_open_number(const struct xtr_persistent_head *h)
{
	return h->open >> 2;
}

static inline enum xtr_open xtr_open_state(const struct xtr_persistent_head *h)
{
	return (enum xtr_open)(h->open & 3);
}

/* The place of the piece with this number. */
static inline struct xtr_open_piece *xtr_open_piece(struct xtr_persistent_head *h, uint64_t number)
{
	return &h->piece[number % 2];
}

/* This piece is being written. state ONE: it is the only one, and nothing was lost before it if it
 * is the first; TWO: the one before it stays open. */
void xtr_open_begin(struct xtr_persistent *k, const struct xtr_open_piece *p, enum xtr_open state);
/*
 * The piece before the one being written ends: what was lost up to its end, what it told of gaps
 * (by CPU), and what the one being written says and leaves out from now on.
 */
void xtr_open_settle(struct xtr_persistent *k, const struct xtr_open_piece *p,
		     const struct xtr_loss *before, const struct xtr_gap_begun *begun);
/* It has ended. */
void xtr_open_ended(struct xtr_persistent *k);
/* Of a flight recorder, after _settle: the one that ends is the last; or it goes on, as its file
 * could not be written. */
void xtr_open_last(struct xtr_persistent *k);
void xtr_open_back(struct xtr_persistent *k);
/* What was lost before the piece with this number: set in l, which is empty. 0 or -ENOMEM. */
int xtr_open_lost(const struct xtr_persistent *k, uint64_t number, struct xtr_loss *l);

#endif /* XTR_RECORDER_OPEN_PIECES_H */
