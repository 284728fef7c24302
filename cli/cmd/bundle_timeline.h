/* SPDX-License-Identifier: BSD-2-Clause */
/* The last seconds of a trace: when each ring had jobs on the hardware, as text and as a picture.
 */
#ifndef XTR_CLI_BUNDLE_TIMELINE_H
#define XTR_CLI_BUNDLE_TIMELINE_H

#include <stdio.h>

struct xtr_reader;

/*
 * Of the last section, up to 10 s before its end, and of the eight rings that were busy for
 * longest: how much of each part of that time the ring surely had a job on the hardware. As text 60
 * columns: ' ' none, '.' up to a third, '-' up to two thirds, '#' more. As a picture (SVG) 600
 * cells, the darker the more. Nothing where no ring had jobs. 0 or -errno.
 */
int bundle_timeline(struct xtr_reader *r, FILE *text, FILE *picture);

#endif /* XTR_CLI_BUNDLE_TIMELINE_H */
