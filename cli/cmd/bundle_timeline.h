/* SPDX-License-Identifier: BSD-2-Clause */
/* The last seconds of a trace as lines of text: when each ring had jobs on the hardware. */
#ifndef XTR_CLI_BUNDLE_TIMELINE_H
#define XTR_CLI_BUNDLE_TIMELINE_H

#include <stdio.h>

struct xtr_reader;

/*
 * Of the last section, up to TIMELINE_NS before its end: a line of TIMELINE_CELLS cells for each of
 * the TIMELINE_RINGS busiest rings, of how much of the cell's time the ring surely had a job on the
 * hardware: ' ' none, '.' up to a third, '-' up to two thirds, '#' more. Nothing where no ring has
 * jobs. 0 or -errno.
 */
int bundle_timeline(struct xtr_reader *r, FILE *f);

#endif /* XTR_CLI_BUNDLE_TIMELINE_H */
