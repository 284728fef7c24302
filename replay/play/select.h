/* SPDX-License-Identifier: BSD-2-Clause */
/* Which jobs a question is about. */
#ifndef XTR_SELECT_H
#define XTR_SELECT_H

#include "replay/calls/call.h"
#include "replay/model/job.h"
#include "replay/model/ring.h"

struct xtr_select {                 /* all zero: everything; strings are borrowed */
	const char *const *devices; /* shell patterns; any of them */
	size_t n_devices;
	const char *const *rings;
	size_t n_rings;
	const uint32_t *pids;
	size_t n_pids;
	uint64_t from, to; /* ns, inclusive: when the job ended; to 0: no end */
};

bool xtr_select_ring(const struct xtr_select *s, const struct xtr_model_ring *ring);
/*
 * The ring is looked at too. A job that never ended is taken to end at `to` or later. Jobs that a
 * cut is not about never are selected.
 */
bool xtr_select_job(const struct xtr_select *s, const struct xtr_job *j);
/* Is a job that ended and is not to be shown (xtr_job.others) on a ring and in the time selected?
 */
bool xtr_select_others(const struct xtr_select *s, const struct xtr_job *j);
/*
 * A call that touches the window, of a selected process. What belongs to a CPU (but the thread that
 * runs on it) belongs to no process. Devices and rings say nothing about calls.
 */
bool xtr_select_call(const struct xtr_select *s, const struct xtr_call *c);

#endif /* XTR_SELECT_H */
