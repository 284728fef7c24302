/* SPDX-License-Identifier: BSD-2-Clause */
/* What a frame's time went into, and which of it was the reason that it was late. */
#ifndef XTR_FRAMES_REASON_H
#define XTR_FRAMES_REASON_H

#include "frame.h"

#define XTR_FRAME_PARTNERS 16u /* processes that have part in a frame */

struct xtr_frame_usual { /* what the frames of a screen took that were in time; all zero: none */
	uint64_t n, of[XTR_CAUSES];
};

/*
 * f: all but of and the cause is set, and MISSED may become LATE_START. path: to its last job;
 * NULL: not known. committer: who asked for the flip, 0: not known; partner: clients, and whose its
 * last job is.
 */
void xtr_frame_divide(struct xtr_shown *f, const struct xtr_path *path, uint64_t committer,
		      const uint64_t *partner, uint32_t n_partners,
		      const struct xtr_frame_usual *usual);
/* One more that was in time. */
void xtr_frame_usually(struct xtr_frame_usual *u, const struct xtr_shown *f);

#endif /* XTR_FRAMES_REASON_H */
