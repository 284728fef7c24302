/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The critical path to the end of a job: backwards in time, at each moment what the next step could
 * not have begun without. From a job it leads to the job that it waited for last, from a job that
 * waited for nothing to the thread that submitted it, and from there to the wait that the thread
 * had come out of, or to its job before.
 */
#ifndef XTR_BLAME_PATH_H
#define XTR_BLAME_PATH_H

#include "past.h"
#include "submits.h"

#define XTR_PATH_MAX 256u

/* Beside the kinds of parts: */
enum xtr_path_kind {
	XTR_PATH_SUBMITTER = XTR_PART_KIND_COUNT, /* the thread, up to its submission */
	XTR_PATH_WAIT, /* the thread waited for a fence that is no job's */
	XTR_PATH_KIND_COUNT
};

struct xtr_path_step {
	uint64_t from_ns, to_ns;
	struct xtr_job_name job; /* whose step it is; of the thread: that it submitted then */
	uint64_t who;            /* 0: not known */
	uint32_t ring;           /* id; of the thread's steps 0 */
	uint32_t tid;            /* of the thread's steps */
	uint8_t kind;            /* of a part, or enum xtr_path_kind */
};

struct xtr_path {
	struct xtr_path_step step[XTR_PATH_MAX]; /* in order of time, without a gap */
	uint32_t n;
	bool cut; /* there are earlier ones: too many, or forgotten */
};

/* To the end of a job that has just been added to the past; submits: NULL where not known. */
void xtr_path_to(const struct xtr_past *past, const struct xtr_submits *submits,
		 const struct xtr_job_name *job, struct xtr_path *out);
/* The same, but no further back than to the step in which `since` (ns) is. */
void xtr_path_since(const struct xtr_past *past, const struct xtr_submits *submits,
		    const struct xtr_job_name *job, uint64_t since, struct xtr_path *out);
const char *xtr_path_name(unsigned int kind);

#endif /* XTR_BLAME_PATH_H */
