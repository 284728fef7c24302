/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of salvaging: salvage.c opens and drops, salvage_write.c appends, salvage_bufs.c
 * looks at the batches, salvage_flight.c at what a flight recorder kept. */
#ifndef XTR_RECORDER_SALVAGE_PRIV_H
#define XTR_RECORDER_SALVAGE_PRIV_H

#include "recorder/drain/open_pieces.h"
#include "recorder/attach/loader.h"
#include "recorder/flight/kept_file.h"
#include "recorder/ftrace/trace_ring.h"
#include "pin.h"
#include "salvage.h"

#include "format/write/writer.h"

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
	/* Of a flight recorder: what it kept. */
	bool flight;
	bool held; /* of the piece that is collected, not of the one before, which is a file */
	struct xtr_kept_file kept;
	struct xtr_chunk_ring ring;
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

/*
 * Open what a flight recorder kept, if it is one: head says then which piece is to be collected, or
 * that nothing is. 0; -EBADMSG; or -errno.
 */
int xtr_left_flight(struct xtr_salvage *s);
void xtr_left_flight_close(struct xtr_salvage *s);
/* What it kept, as a trace. */
int xtr_salvage_image(struct xtr_salvage *s, struct xtr_reader **image);
/* Bytes of the file. */
uint64_t xtr_left_memory(const struct xtr_salvage *s);
/* Of a flight recorder: events that it kept; of a CPU, those that came; from when on (ns) all are
 * there. Else 0. */
uint64_t xtr_left_kept(const struct xtr_salvage *s);
uint64_t xtr_left_ordinal(const struct xtr_salvage *s, uint32_t cpu);
uint64_t xtr_left_from(const struct xtr_salvage *s);
/* Leave out of a batch in order of time what is older than that, and count it as aged. 0 or
 * -ENOMEM. */
int xtr_left_age(const struct xtr_salvage *s, struct xtr_loss *loss, struct xtr_batch *b);
/* Of a flight recorder META says why there is a piece: its last moment, `at` (ns). 0 or -ENOMEM. */
int xtr_left_say(const struct xtr_salvage *s, struct xtr_meta *meta, uint64_t at);

#endif /* XTR_RECORDER_SALVAGE_PRIV_H */
