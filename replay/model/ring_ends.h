/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last ends on a ring or device, in order of time. Most are noted in that order; the end of a
 * job that was reported late comes after those of jobs that ended later, and has to be put between
 * them.
 */
#ifndef XTR_ENDS_H
#define XTR_ENDS_H

#include "job.h"

#define XTR_ENDS_KEPT 8u /* a power of two */

struct xtr_end {
	uint64_t ns;
	struct xtr_job_name job;
	bool late; /* the job may have ended before ns */
};

struct xtr_ends { /* all zero: none */
	struct xtr_end kept[XTR_ENDS_KEPT];
	uint32_t n;     /* the last one is kept[(n - 1) % XTR_ENDS_KEPT]; goes round */
	bool forgotten; /* there are others, before those that are kept */
};

/* The last of all, all zero if there was none. Valid until the next one is noted. */
static inline struct xtr_end *xtr_ends_last(struct xtr_ends *e)
{
	return &e->kept[(e->n - 1) % XTR_ENDS_KEPT];
}

/* The last one at or before ns. NULL: none is kept. */
const struct xtr_end *xtr_ends_before(const struct xtr_ends *e, uint64_t ns);

/* Note an end; one that lies before all that are kept is forgotten at once. */
void xtr_ends_add(struct xtr_ends *e, const struct xtr_end *end);

#endif /* XTR_ENDS_H */
