/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of xtr_tables_task that are kept for who asks for few threads many times: each with the
 * stretch of time in which it holds. Tables that have grown since are looked at anew.
 */
#ifndef XTR_TASK_CACHE_H
#define XTR_TASK_CACHE_H

#include "tables.h"

#define XTR_TASK_CACHE_SLOTS 64u

struct xtr_task_cache { /* all zero: empty; of one struct xtr_tables */
	const void *rows;
	size_t n; /* tasks of the tables that the answers are about */
	struct xtr_task_answer {
		const struct xtr_task *task; /* NULL: the tables do not know the thread */
		uint64_t first, last;        /* ns, inclusive; last 0: empty */
		uint32_t tid;
	} slot[XTR_TASK_CACHE_SLOTS];
};

/* What xtr_tables_task(t, tid, ts) gives; t may be NULL. */
const struct xtr_task *xtr_task_cache_get(struct xtr_task_cache *c, const struct xtr_tables *t,
					  uint32_t tid, uint64_t ts);

#endif /* XTR_TASK_CACHE_H */
