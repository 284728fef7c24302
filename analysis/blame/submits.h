/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the thread that submitted a job had done before: the wait for a fence that ended last, and
 * its job before this one. Where fences' waits are recorded.
 */
#ifndef XTR_BLAME_SUBMITS_H
#define XTR_BLAME_SUBMITS_H

#include "format/meta/meta.h"
#include "format/read/merge.h"
#include "replay/model/job.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_submit {
	uint32_t tid;
	/* The thread's wait that ended last, since its job before; to_ns 0: none. */
	uint64_t from_ns, to_ns;
	struct xtr_job_name fence; /* that it waited for */
	uint64_t before_ns;        /* when it submitted its job before; 0: it is the first */
	struct xtr_job_name before;
};

struct xtr_submits;

/* Borrows meta. 0 or -ENOMEM. */
int xtr_submits_new(struct xtr_submits **s, const struct xtr_meta *meta);
void xtr_submits_free(struct xtr_submits *s);
/* Of events of this type, and of gaps (0). */
bool xtr_submits_take(const struct xtr_submits *s, uint32_t type);
/* 0 or -ENOMEM. */
int xtr_submits_event(struct xtr_submits *s, const struct xtr_event *ev);
/* NULL: not known, or forgotten: as many are kept as of the past (past.h). */
const struct xtr_submit *xtr_submits_of(const struct xtr_submits *s, uint64_t ctx, uint64_t seqno);

#endif /* XTR_BLAME_SUBMITS_H */
