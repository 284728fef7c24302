/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring as people name it. */
#ifndef XTR_RING_TEXT_H
#define XTR_RING_TEXT_H

#include "replay/model/ring.h"

#define XTR_RING_TEXT 128u

/*
 * "0000:03:00.0/gfx_0.0.0", "gfx_0.0.0" without a device, with `none` in place of a name that is
 * not known; safe for a terminal. ring NULL: `none`. Returns buf.
 */
char *xtr_ring_text(const struct xtr_model_ring *ring, const char *none, char *buf, size_t cap);

#endif /* XTR_RING_TEXT_H */
