/* SPDX-License-Identifier: BSD-2-Clause */
/* Perfetto's traces: protobuf, a sequence of TracePackets. */
#ifndef XTR_PFTRACE_H
#define XTR_PFTRACE_H

#include "converters/in/core/import.h"

bool xtr_pftrace_detect(const uint8_t *head, size_t n);
int xtr_pftrace_run(struct xtr_import *im, struct xtr_io *in);

#endif /* XTR_PFTRACE_H */
