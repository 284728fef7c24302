/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings of the other clocks between two readings of the event clock (spec 6.3). */
#ifndef XTR_RECORDER_CLOCK_H
#define XTR_RECORDER_CLOCK_H

#include "format/write/writer.h"

/* Take a snapshot and write it. 0 or -errno. */
int xtr_clock_write(struct xtr_writer *w);

#endif /* XTR_RECORDER_CLOCK_H */
