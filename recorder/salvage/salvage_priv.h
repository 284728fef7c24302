/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of salvaging: salvage.c opens and drops, salvage_write.c appends, salvage_bufs.c
 * looks at the batches. */
#ifndef XTR_RECORDER_SALVAGE_PRIV_H
#define XTR_RECORDER_SALVAGE_PRIV_H

#include "recorder/drain/open_pieces.h"
#include "recorder/attach/loader.h"
#include "recorder/ftrace/tring.h"
#include "pin.h"
#include "salvage.h"

/* A batch that is live. */
struct xtr_left_buf {
	const struct xtr_ring_batch *b;
	uint32_t len, n; /* of what holds */
	uint32_t counted;
	uint64_t pos;
	uint64_t page; /* of the trace ring: its number, and how far it is in the batch, bytes */
	uint32_t place;
};

struct xtr_salvage {
	struct xtr_pin pin;
	struct xtr_persistent keep; /* spoilt and unwritten are a copy that may be counted on */
	struct xtr_persistent_head head; /* as it was found */
	uint64_t *counters;
	struct xtr_bpf bpf;
	struct xtr_left_buf *bufs; /* in their order */
	size_t n_bufs;
	uint64_t number; /* of the piece that is collected */
	bool earlier;    /* it is the one before that being written */
	/* Of that: what the one being written begins with, once this one is safe. NULL: not known.
	 */
	struct xtr_loss *next_lost;
	struct xtr_piece next;
};

/*
 * Find the live batches, finish the count that was under way, in the copy, and set the places from
 * which the rings have to be read. 0, -ENOMEM or -EBADMSG.
 */
int xtr_left_find(struct xtr_salvage *s);
/*
 * The trace ring, at what neither a batch nor the file has; sel: its events, NULL: only to be
 * counted. NULL: there is none. 0 or -errno. Ends with xtr_tring_leave.
 */
int xtr_left_ring(const struct xtr_salvage *s, const struct xtr_selection *sel,
		  struct xtr_tring **t);
/*
 * Bring what is in the trace ring into free batches of what was left, each step of which is whole:
 * reading the ring empties it, so a collector that is killed must leave it there. What finds no
 * batch stays in the ring. sel: its events. 0 or -errno.
 */
int xtr_left_move(struct xtr_salvage *s, const struct xtr_selection *sel);
/* The number of events: neither definitions nor gaps. */
uint64_t xtr_left_events(struct xtr_salvage *s);

#endif /* XTR_RECORDER_SALVAGE_PRIV_H */
