/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What single jobs waited for (docs/why.md), as whoever knows it hands it to an exporter: the
 * critical path to a job's end, and the parts of its own time.
 */
#ifndef XTR_EXPORT_PATH_H
#define XTR_EXPORT_PATH_H

#include "replay/model/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_export_step {
	uint64_t from_ns, to_ns; /* to is behind from */
	const char *kind;        /* static text: "execution", "submitter" */
	const char *cause;       /* of a part: what was at the end of the chain; static text */
	/* Whose step it is; of a thread's step: that it submitted then; of a part: that it waited
	 * for. All 0: none. */
	struct xtr_job_name job;
	uint64_t process; /* whose it is (replay/event/process.h); 0: not known */
	char *who;        /* its name and number; "": not known */
	uint32_t ring_id; /* 0: none */
	uint32_t tid;     /* of a thread's step, else 0 */
};

struct xtr_export_steps { /* in order of time, without a gap */
	struct xtr_export_step *step;
	uint32_t n;
};

struct xtr_export_path {
	struct xtr_job_name job;
	struct xtr_export_steps path, parts;
	bool cut;    /* there is more before the path */
	bool folded; /* the first parts are put together */
	uint64_t ns; /* of the job, from submission to end */
};

struct xtr_export_paths { /* the longest job first */
	struct xtr_export_path *path;
	size_t n;
};

/* Is it the first step of its job on this path? Of a job's own steps, not of a thread's. */
bool xtr_export_step_first(const struct xtr_export_steps *s, uint32_t i);
/* The first step of this job; NULL: the path does not come by it. */
const struct xtr_export_step *xtr_export_step_of(const struct xtr_export_steps *s, uint64_t ctx,
						 uint64_t seqno);
/* The one that is drawn; NULL: none. */
static inline const struct xtr_export_steps *xtr_export_drawn(const struct xtr_export_paths *p)
{
	return p && p->n ? &p->path[0].path : NULL;
}

#endif /* XTR_EXPORT_PATH_H */
