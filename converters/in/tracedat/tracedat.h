/* SPDX-License-Identifier: BSD-2-Clause */
/* trace-cmd's trace.dat, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)). */
#ifndef XTR_TRACEDAT_H
#define XTR_TRACEDAT_H

#include "converters/in/core/import.h"

bool xtr_tracedat_detect(const uint8_t *head, size_t n);
int xtr_tracedat_run(struct xtr_import *im, struct xtr_io *in);

#endif /* XTR_TRACEDAT_H */
