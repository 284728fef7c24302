/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs that are on the hardware, by their fence, for triggers on how long they take. Records
 * come batch by batch, not in order of time: they are kept until the watermark has passed them, and
 * then taken in order. Memory is fixed; what finds no room is counted and not watched.
 */
#ifndef XTR_RECORDER_JOB_WATCH_H
#define XTR_RECORDER_JOB_WATCH_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What happened to a job: a drm_sched event of it. */
struct xtr_watch_step {
	uint64_t ts, ctx, seqno;
	uint32_t tid;  /* current thread */
	uint32_t type; /* XTR_EV_JOB_QUEUE, _RUN or _DONE; others are ignored */
};

/* A job given to the hardware (run) and not known to be done. */
struct xtr_watched {
	uint64_t ctx, seqno; /* of its finished fence */
	uint64_t run;        /* ns: the first one */
	uint32_t tid;        /* of the submitter, 0: not known */
	uint32_t told;       /* for the caller: bits, 0 at first */
	bool used;
};

/* now: ns, when it was done, or up to when it is known not to be (done false). */
typedef void xtr_job_watch_fn(void *ctx, struct xtr_watched *job, uint64_t now, bool done);

struct xtr_submitter;

struct xtr_job_watch {
	struct xtr_map by_fence; /* -> index in job */
	struct xtr_watched *job;
	uint32_t *spare; /* indices of job that are free, the last one next */
	uint32_t n_spare;
	struct xtr_watch_step *step;
	size_t n_steps;
	bool mixed;               /* they are not in order of time */
	struct xtr_submitter *by; /* of the jobs queued last */
	uint64_t unwatched;       /* jobs, or steps of jobs, for which there was no room */
};

#define XTR_WATCHED_MAX   8192u
#define XTR_JOB_STEPS_MAX 65536u

/* 0 or -ENOMEM. */
int xtr_job_watch_open(struct xtr_job_watch *w);
void xtr_job_watch_close(struct xtr_job_watch *w);
/* Something happened, maybe before what was told last. */
void xtr_job_watch_step(struct xtr_job_watch *w, const struct xtr_watch_step *s);
/*
 * No step older than watermark (ns) will come: call fn for each job that is done and was seen to
 * run, in order of time, then for each that is on the hardware at that time.
 */
void xtr_job_watch_round(struct xtr_job_watch *w, uint64_t watermark, xtr_job_watch_fn *fn,
			 void *ctx);

#endif /* XTR_RECORDER_JOB_WATCH_H */
