/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables with which the next piece of a rotated recording begins. What no later event can name
 * is left out, so that neither memory nor pieces grow with the length of the recording: names that
 * tasks had before, tasks that have ended, and strings.
 */
#ifndef XTR_RECORDER_NEXT_TABLES_H
#define XTR_RECORDER_NEXT_TABLES_H

#include "defs.h"

#include <stddef.h>
#include <stdint.h>

struct xtr_ended; /* a task that is no more, and when that was seen */

struct xtr_next_tables { /* all zero at first */
	struct xtr_ended *ended;
	size_t n, cap;
};

/*
 * Later events are not older than `watermark`; now: both in ns. Returns the new tables, or NULL: no
 * memory. d->tables stays as it is.
 */
struct xtr_tables *xtr_next_tables(struct xtr_next_tables *nt, const struct xtr_defs *d,
				   uint64_t watermark, uint64_t now);
void xtr_next_tables_free(struct xtr_next_tables *nt);

#endif /* XTR_RECORDER_NEXT_TABLES_H */
