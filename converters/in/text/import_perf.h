/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of `perf script`: see docs/import-text.md. One line is one event, and a call stack may
 *follow it up to an empty line:
 *
 *	comm pid/tid [cpu] time: period system:event: fields
 *
 * where pid, cpu and period are there if perf was asked for them.
 */
#ifndef XTR_IMPORT_PERF_H
#define XTR_IMPORT_PERF_H

#include "textin.h"

bool xtr_perf_detect(const uint8_t *head, size_t n);
int xtr_perf_run(struct xtr_import *im, struct xtr_io *in);

/* Parts, for tests. */

#define PERF_NO_TID 1u
#define PERF_NO_CPU 2u

/*
 * An event line; digits as in textin_time, *missing: PERF_*, what the line does not have (it is 0
 * in e). The name of perf's own records is that: "PERF_RECORD_LOST".
 */
bool perf_line(const char *line, size_t len, struct textin_event *e, unsigned int *digits,
	       unsigned int *missing);

#endif /* XTR_IMPORT_PERF_H */
