/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choosing lines of the kernel's log: records as /dev/kmsg gives them (Documentation/ABI/testing/
 * dev-kmsg of the kernel), one or more at a time.
 */
#ifndef XTR_BUNDLE_KMSG_H
#define XTR_BUNDLE_KMSG_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct xtr_kmsg {
	uint64_t from, to;   /* us, of the log's clock: all lines of this span */
	char (*drivers)[64]; /* and those of other times that have one of these words */
	size_t n_drivers;
	bool xids;            /* only lines of NVIDIA's errors, of any time */
	uint64_t taken, seen; /* lines; filled */
};

/* One record, without the line feed at its end: written to f as dmesg -r prints it, if it is
 * chosen. */
void xtr_kmsg_record(struct xtr_kmsg *k, const char *line, size_t n, FILE *f);
/* All of the log of the machine, of which lines are chosen, added to b. 0 or -errno. */
int gather_log(const char *root, struct xtr_kmsg *k, struct xtr_buf *b);
/*
 * The span of the log's clock that certainly covers a recording: the log is stamped by a clock that
 * nobody steers (local_clock()), the recording by CLOCK_MONOTONIC. ns in, us out.
 */
void xtr_kmsg_span(struct xtr_kmsg *k, uint64_t from, uint64_t to);

#endif /* XTR_BUNDLE_KMSG_H */
