/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside analysis/hang: what hang_gather.c keeps and hang_decide.c makes hangs of. */
#ifndef XTR_HANG_IMPL_H
#define XTR_HANG_IMPL_H

#include "hang.h"

/* What said that something hung. */
struct hang_trigger {
	uint64_t at; /* ns */
	const char *told;
	const char *driver;      /* NULL: any */
	char device[64];         /* "" not known */
	struct xtr_job_name job; /* that it names; all 0: none */
	bool foreign; /* what it names is the fence of no job of the trace: the hardware's, say */
	struct hang_ring *ring; /* n_rings: as they were then */
	uint32_t n_rings;
};

/* A job that may belong to a hang. */
struct hang_job {
	struct xtr_hang_job j;
	uint32_t ring; /* index of the model's */
	uint32_t n_deps;
	bool timed_out, in_order, taken;
	char device[64], driver[32];
	struct xtr_job_name dep[XTR_JOB_DEPS_MAX];
};

/* The last jobs of a ring that ended well, in no order. */
struct hang_ring {
	struct xtr_hang_job good[HANG_GOOD];
	uint32_t n;
};

struct xtr_hangs {
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	struct xtr_binds binds;
	struct xtr_gaps gaps;
	uint64_t end_ns; /* of the last event or job */
	struct {
		struct xtr_job_name job;
		uint64_t hw_seqno;
	} fence[HANG_FENCES]; /* a circle */
	uint64_t n_fences;
	struct hang_trigger trigger[HANG_TRIGGERS_MAX];
	uint32_t n_triggers;
	struct hang_job *job;
	size_t n_jobs, cap_jobs;
	struct hang_ring *ring; /* by the model's index */
	uint32_t n_rings;
	uint64_t left_out;
	struct xtr_hang *hang;
	size_t n_hangs, cap_hangs;
};

/* hang_gather.c */
/* Note that something fired. 0 or -ENOMEM; where there is no room it is counted. */
int hang_trigger_add(struct xtr_hangs *h, const struct hang_trigger *t);

/* hang_decide.c: 0 or -ENOMEM. */
int hang_decide(struct xtr_hangs *h);

static inline bool hang_was_there(const struct hang_job *k, uint64_t at)
{
	return k->j.first_ns <= at && (!k->j.done_ns || k->j.done_ns > at);
}

/* On the hardware at that time. */
static inline bool hang_was_running(const struct hang_job *k, uint64_t at)
{
	return k->j.run_ns && k->j.run_ns <= at && (!k->j.done_ns || k->j.done_ns > at);
}

#endif /* XTR_HANG_IMPL_H */
