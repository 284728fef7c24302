/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a dump, or what the log says, speak of a hang of the trace? */
#ifndef XTR_HANG_JOIN_H
#define XTR_HANG_JOIN_H

#include "dumps/dump.h"
#include "hang.h"

#define HANG_JOIN_TIME_NS 30000000000ull /* so far may two clocks be apart, and a driver late */

enum xtr_hang_join {
	XTR_JOIN_UNKNOWN, /* nothing of it can be compared */
	XTR_JOIN_SAME,    /* what can be compared is the same */
	XTR_JOIN_OTHER,   /* something is not */
};

/*
 * By ring, process, or device and time; one that differs is enough for another hang. renamed: the
 * trace is redacted, and its processes have other numbers and names. by: what was the same, "ring,
 * pid", or what was not, "ring sdma0".
 */
enum xtr_hang_join xtr_hang_join(const struct xtr_hang *h, const struct xtr_dump *d,
				 const struct xtr_meta *meta, char by[96]);

#endif /* XTR_HANG_JOIN_H */
