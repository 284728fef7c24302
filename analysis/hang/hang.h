/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hangs of a trace (docs/hang.md): each job that timed out, or that a trigger names, with the jobs
 * that were around it. What the events do not suffice for is not known, and says so: no job is
 * guilty because it is likely.
 *
 * Memory is bounded: so many triggers, jobs that may belong to a hang, and rings.
 */
#ifndef XTR_HANG_H
#define XTR_HANG_H

#include "format/meta/tables.h"
#include "replay/event/event_bind.h"
#include "replay/model/loss_gaps.h"
#include "replay/model/model.h"

#define HANG_TRIGGERS_MAX 64u
#define HANG_JOBS_MAX     2048u /* that ended with an error, not at all, or were there at a trigger */
#define HANG_RINGS_MAX    256u
#define HANG_GOOD         3u   /* jobs of a ring kept that ended well before a trigger */
#define HANG_FENCES       256u /* of jobs that were done last, as their drivers number them */
#define HANG_LISTED_MAX   64u  /* jobs of one hang that are listed; all are counted */
/* Fences are signalled one after the other: so much before the guilty one's, or what fired, may be
 * that of a job that is killed with it; and so much later. */
#define HANG_EARLY_NS    10000000ull
#define HANG_TOGETHER_NS 1000000000ull
/* A reset follows a timeout by no more than this. */
#define HANG_APART_NS 10000000000ull

/* Identifier, text in output, what the job was. In the order in which they are listed. */
#define XTR_HANG_ROLES(X)                                                                       \
	X(GUILTY, "guilty", "the job that hung")                                                \
	X(KILLED, "killed", "ended with another error, together with it")                       \
	X(WAITING, "waiting", "not ended then: behind it, or waits for its fence")              \
	X(RUNNING, "on-hardware", "on the hardware of the device then, for reasons of its own") \
	X(GOOD, "before", "ended well on the ring before it, the last one first")

enum xtr_hang_role {
#define XTR_HANG_ENUM(id, name, help) XTR_HANG_##id,
	XTR_HANG_ROLES(XTR_HANG_ENUM)
#undef XTR_HANG_ENUM
	XTR_HANG_ROLE_COUNT
};

/* How it is known which job hung. */
#define XTR_HANG_GUILTS(X)                                                            \
	X(EXACT, "exact", "its fence says timeout, or the trigger names it")          \
	X(INFERRED, "inferred", "of the only ring with jobs on it, the one in front") \
	X(UNKNOWN, "not-known", "the events do not tell")

enum xtr_hang_guilt {
#define XTR_HANG_ENUM(id, name, help) XTR_HANG_##id,
	XTR_HANG_GUILTS(XTR_HANG_ENUM)
#undef XTR_HANG_ENUM
	XTR_HANG_GUILT_COUNT
};

const char *xtr_hang_role_name(unsigned int role);
const char *xtr_hang_guilt_name(unsigned int guilt);

struct xtr_hang_job {
	enum xtr_hang_role role;
	struct xtr_job_name name;
	struct xtr_job_name waits_for;      /* all 0: not known, or the ring itself */
	uint64_t process;                   /* replay/event/process.h; 0: not known */
	uint64_t first_ns, run_ns, done_ns; /* ns; 0: not known, or not in the trace */
	uint32_t comm, stack, ring_id;      /* ids; 0: not known */
	int32_t error;                      /* of its fence; valid if error_known */
	bool error_known, lost, hw_known;   /* lost: events were lost while it was in flight */
	uint64_t hw_seqno;                  /* of the fence that its driver gave; if hw_known */
	uint8_t kind;                       /* enum xtr_job_kind */
	const char *ring;                   /* its name, of the trace; "" not known */
};

struct xtr_hang {
	uint64_t at_ns;   /* when it was told first */
	const char *told; /* by what: "timeout", the trigger as it was given, an event's name */
	char device[64], driver[32], ring[64]; /* "" not known */
	enum xtr_hang_guilt guilt;
	const char *why;                 /* a text, why it is not known; NULL: it is */
	bool lost;                       /* events were lost meanwhile: there may be more jobs */
	uint64_t n[XTR_HANG_ROLE_COUNT]; /* jobs by role */
	struct xtr_hang_job *job;        /* n_jobs, by role; the guilty one first */
	uint32_t n_jobs;
};

struct xtr_hangs;

/* meta and tables are borrowed; 0 or -ENOMEM. */
int xtr_hangs_new(struct xtr_hangs **h, const struct xtr_meta *meta,
		  const struct xtr_tables *tables);
void xtr_hangs_free(struct xtr_hangs *h);
/* Of events of this type, and of gaps (0). */
bool xtr_hangs_take(const struct xtr_hangs *h, uint32_t type);
/* Events in order of time. 0 or -ENOMEM. */
int xtr_hangs_event(struct xtr_hangs *h, const struct xtr_event *ev);
/* A job of the model, before the events behind which it is known. 0 or -ENOMEM. */
int xtr_hangs_job(struct xtr_hangs *h, const struct xtr_job *j);
/* No more of both. 0 or -ENOMEM. */
int xtr_hangs_finish(struct xtr_hangs *h);

/* After finish: in order of time. */
size_t xtr_hangs_n(const struct xtr_hangs *h);
const struct xtr_hang *xtr_hangs_at(const struct xtr_hangs *h, size_t i);
/* Jobs and triggers for which there was no room: there may be more hangs. */
uint64_t xtr_hangs_left_out(const struct xtr_hangs *h);
/* The guilty job; NULL: it is not known. */
const struct xtr_hang_job *xtr_hang_guilty(const struct xtr_hang *h);
/* The last job of that role that is listed first; NULL: there is none. */
const struct xtr_hang_job *xtr_hang_first(const struct xtr_hang *h, enum xtr_hang_role role);

#endif /* XTR_HANG_H */
