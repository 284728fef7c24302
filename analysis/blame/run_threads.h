/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that run jobs, and when each waited for a CPU: of each job what its thread had waited
 * when the job was run. Only where the trace has sched_switch and sched_wakeup.
 */
#ifndef XTR_BLAME_RUN_THREADS_H
#define XTR_BLAME_RUN_THREADS_H

#include "format/meta/meta.h"
#include "format/read/merge.h"
#include "split.h"
#include "who.h"

struct xtr_run_threads;

/* *t is NULL where the trace does not tell. Both are borrowed. 0 or -ENOMEM. */
int xtr_run_threads_new(struct xtr_run_threads **t, const struct xtr_meta *meta,
			struct xtr_who *names);
void xtr_run_threads_free(struct xtr_run_threads *t);
/* Of events of this type, and of gaps (0). t may be NULL. */
bool xtr_run_threads_take(const struct xtr_run_threads *t, uint32_t type);
/* 0 or -ENOMEM. t may be NULL. */
int xtr_run_threads_event(struct xtr_run_threads *t, const struct xtr_event *ev);
/* Of a settled job; NULL: nothing is known. It holds until the next call. t may be NULL. */
const struct xtr_split_thread *xtr_run_threads_of(struct xtr_run_threads *t,
						  const struct xtr_job *j);

#endif /* XTR_BLAME_RUN_THREADS_H */
