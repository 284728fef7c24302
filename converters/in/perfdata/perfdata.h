/* SPDX-License-Identifier: BSD-2-Clause */
/* perf record's perf.data, in a file or as a pipe wrote it (docs/import.md). */
#ifndef XTR_PERFDATA_H
#define XTR_PERFDATA_H

#include "converters/in/core/import.h"

bool xtr_perfdata_detect(const uint8_t *head, size_t n);
int xtr_perfdata_run(struct xtr_import *im, struct xtr_io *in);

#endif /* XTR_PERFDATA_H */
