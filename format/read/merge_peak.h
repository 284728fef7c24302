/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a merge holds at once. */
#ifndef XTR_MERGE_PEAK_H
#define XTR_MERGE_PEAK_H

#include "reader.h"

/*
 * The most chunks, and the most bytes of records, that overlap in time, by the headers of c[0..n)
 * in order of ts_min. 0 or -ENOMEM.
 */
int xtr_merge_peak(const struct xtr_chunk *const *c, size_t n, size_t *chunks, size_t *bytes);

#endif /* XTR_MERGE_PEAK_H */
