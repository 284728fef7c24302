/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest jobs of a file: gathered in one pass, asked for in the next. */
#ifndef XTR_TOP_H
#define XTR_TOP_H

#include "replay/model/job.h"

struct xtr_top_job {
	uint64_t ns; /* how long: execution, or its upper bound */
	uint64_t section, ctx, seqno, done_ns;
};

struct xtr_top { /* zero but for `most`: empty */
	struct xtr_top_job *job;
	size_t n, most;
	bool sorted;
};

/* Take a job into account; jobs of unknown length are not. 0 or -ENOMEM. */
int xtr_top_add(struct xtr_top *t, size_t section, const struct xtr_job *j);
/* After the last xtr_top_add: is this job one of the longest? Of equally long ones the first are.
 */
bool xtr_top_has(struct xtr_top *t, size_t section, const struct xtr_job *j);
void xtr_top_free(struct xtr_top *t);

#endif /* XTR_TOP_H */
