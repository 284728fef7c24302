/* SPDX-License-Identifier: BSD-2-Clause */
/* From one piece of a rotated recording to the next, between two chunks. */
#ifndef XTR_RECORDER_NEXT_PIECE_H
#define XTR_RECORDER_NEXT_PIECE_H

#include "sink.h"

/*
 * Finish the piece with its losses and the end mark, and let the next one begin with what is needed
 * to read it alone. Events stay in the queue meanwhile. 0, or -errno: the piece goes on if the next
 * one could not be made; if it could not be finished, its writer has the error.
 */
int xtr_sink_next_piece(struct xtr_sink *s);

/* Inside: all losses up to now, those before this piece and its own. NULL: no memory. */
struct xtr_loss *xtr_sink_losses(const struct xtr_sink *s);
/* Inside: a piece begins; what was lost before it (s->before) is not lost in it. */
void xtr_sink_set_base(struct xtr_sink *s);

#endif /* XTR_RECORDER_NEXT_PIECE_H */
