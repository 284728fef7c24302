/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs that have ended, as far back as memory goes: what each ring's hardware had, and the
 * parts of each job's time, for jobs that waited for it. Bounded whatever the trace holds; what is
 * forgotten is not known.
 */
#ifndef XTR_BLAME_PAST_H
#define XTR_BLAME_PAST_H

#include "base/map.h"
#include "part.h"

#define XTR_PAST_JOBS  32768u
#define XTR_PAST_PARTS 131072u /* of all these jobs together */
#define XTR_PAST_RAN   256u    /* jobs kept of a ring */
#define XTR_PAST_RINGS 1024u   /* of more rings nothing is kept */
#define XTR_PAST_CTX   65536u  /* contexts of which the last job is known */

struct xtr_past_job {
	struct xtr_job_name name;
	uint64_t run_ns, done_ns; /* 0: not known */
	uint64_t who;
	uint64_t first;         /* number of its first part, of all that were ever kept */
	uint32_t n_parts, ring; /* ring: id */
	int32_t prio;           /* of its queue; valid if prio_known */
	bool prio_known;
};

struct xtr_past_ran { /* on the hardware from run to done; executed from exec to done */
	uint64_t run_ns, exec_ns, done_ns, who;
	struct xtr_job_name name;
	uint8_t quality;
};

struct xtr_past_ring {
	uint32_t id;
	uint32_t n; /* in all; the last XTR_PAST_RAN are kept, in order of their end but for few */
	uint32_t most; /* on the hardware at once, of those that were kept together */
	/* Until then it had a job of which it is not known since when. */
	uint64_t blind_ns;
	struct xtr_past_ran ran[XTR_PAST_RAN];
};

struct xtr_past;

/* NULL: no memory. */
struct xtr_past *xtr_past_new(void);
void xtr_past_free(struct xtr_past *p);
/* A job that is settled; parts: of its time, NULL: it was not divided. 0 or -ENOMEM. */
int xtr_past_add(struct xtr_past *p, const struct xtr_job *j, const struct xtr_job_parts *parts);
/* Events were lost, from first to last (ns, inclusive). 0 or -ENOMEM. */
int xtr_past_lost(struct xtr_past *p, uint64_t first, uint64_t last);
/* The first moment in that time at which some were; UINT64_MAX: none. */
uint64_t xtr_past_first_lost(const struct xtr_past *p, uint64_t from, uint64_t to);
/* NULL: none, or forgotten. */
const struct xtr_past_job *xtr_past_job(const struct xtr_past *p, uint64_t ctx, uint64_t seqno);
/* The last one before this seqno that ended in the context, if the last one is. */
const struct xtr_past_job *xtr_past_before(const struct xtr_past *p, uint64_t ctx, uint64_t seqno);
const struct xtr_past_ring *xtr_past_ring(const struct xtr_past *p, uint32_t id);
/* Its i-th part; NULL: there is none, or it is forgotten. */
const struct xtr_job_part *xtr_past_part(const struct xtr_past *p, const struct xtr_past_job *j,
					 uint32_t i);

#endif /* XTR_BLAME_PAST_H */
