/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From one piece of a rotated recording to the next. A piece ends at one time on all CPUs, its
 * border. As CPUs are read one after the other, events that are older than the border come after
 * the next piece was begun: so for a time both are open, and each record goes where its time stamp
 * belongs. A round mark says when nothing older than the border can come: then the first one ends.
 */
#ifndef XTR_RECORDER_NEXT_PIECE_H
#define XTR_RECORDER_NEXT_PIECE_H

#include "sink.h"

/*
 * Begin the next piece with what is needed to read it alone. border: ns, 0: behind all that is in
 * the piece by now. Nothing newer is in it. 0, or -errno: the piece goes on, as the next one could
 * not be made.
 */
int xtr_sink_next_piece(struct xtr_sink *s, uint64_t border);
/*
 * Write a batch of one CPU, into both pieces where there are two. 0, or -errno: what is older than
 * *from (ns) was written. -EINVAL as xtr_writer_events.
 */
int xtr_sink_write(struct xtr_sink *s, const struct xtr_batch *b, uint64_t *from);
/*
 * Nothing older than the border comes any more: the last piece gets its losses and the end mark.
 * 0, or -errno: it could not be finished.
 */
int xtr_sink_end_piece(struct xtr_sink *s);
/* Let go of the last piece as it is, if there is one. 0, or what closing its file said. */
int xtr_sink_drop_last(struct xtr_sink *s);

/* Inside: there is a last piece: give it the names that the tables have by now. 0 or -ENOMEM. */
int xtr_sink_last_tables(struct xtr_sink *s);
/* Inside: all losses up to now, those before this piece and its own. NULL: no memory. */
struct xtr_loss *xtr_sink_losses(const struct xtr_sink *s, const struct xtr_loss *own);
/* Inside: a piece begins; what was lost before it (s->before) is not lost in it. */
void xtr_sink_set_base(struct xtr_sink *s);

#endif /* XTR_RECORDER_NEXT_PIECE_H */
