/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of the kernel's `trace` and `trace_pipe` files, and of `trace-cmd report`: see
 * docs/import-text.md. One line is one event:
 *
 *	comm-pid ( tgid) [cpu] flags time: event: fields
 *
 * with tgid and flags only if they were asked for; the latency format has "cpuflags" and a time in
 * microseconds from the first event on.
 */
#ifndef XTR_IMPORT_FTRACE_H
#define XTR_IMPORT_FTRACE_H

#include "textin.h"

bool xtr_ftrace_detect(const uint8_t *head, size_t n);
int xtr_ftrace_run(struct xtr_import *im, struct xtr_io *in);

/* Parts, for tests. */

/* An event line; digits as in textin_time. */
bool ftrace_line(const char *line, size_t len, struct textin_event *e, unsigned int *digits);

#endif /* XTR_IMPORT_FTRACE_H */
