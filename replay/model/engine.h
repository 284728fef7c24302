/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the model. A job lives in a slot; slots are named by index, so that the array may move.
 *
 *   OPEN  first event seen, not ended: on the open list (in order of first event)
 *   HELD  ended: on the held list (in order of end) until XTR_HOLD_NS have passed
 *
 * A slot is found by (ctx, seqno) through `jobs` unless another job has taken that key since. A job
 * on the hardware that nothing has overtaken is on its ring's run list; a job that waits for a
 * fence is on the list that `waiters` has for that fence.
 */
#ifndef XTR_ENGINE_H
#define XTR_ENGINE_H

#include "loss_gaps.h"
#include "job_source.h"
#include "model.h"
#include "replay/event/record.h"

#include "format/meta/tables.h"
#include "format/xtr_format.h"

#define NONE XTR_MAP_NONE

enum slot_state {
	SLOT_FREE,
	SLOT_OPEN,
	SLOT_HELD
};

/* Where a job is, for the depth of its ring. */
enum slot_place {
	PLACE_NOWHERE,
	PLACE_QUEUED,
	PLACE_ON_HW
};

struct slot {
	struct xtr_job job;
	uint64_t first_ns;     /* time of the first event */
	uint64_t held_ns;      /* time of the event that closed it, or of the last one of all */
	uint64_t prev_done;    /* done of the ring's job before this one */
	uint64_t batch_base;   /* as prev_done, before the batch that this job is in */
	uint64_t overtaken_at; /* done of the job that overtook this one; 0: none */
	uint64_t active_ns;    /* of a measured job: it had the engine for so long */
	uint64_t wait_ctx, wait_seqno, wait_from;
	uint32_t overtaken_on; /* CPU of that done event */
	uint32_t n_overtook;   /* jobs that this one overtook and that had not ended before it */
	uint32_t run_tid;      /* thread of the scheduler's run event, 0: none */
	uint32_t ring;
	uint32_t next, prev;           /* open list, or held list, or (next) free list */
	uint32_t older, younger;       /* all that are not free, in order of first event */
	uint32_t run_next, run_prev;   /* ring's run list */
	uint32_t wait_next, wait_prev; /* others that wait for the same fence */
	uint32_t deps, last_dep;       /* in the dependency pool */
	uint32_t wait_dep;             /* where the present wait is noted, or NONE */
	uint64_t client, moves;        /* on a ring by client: whose it is; ring's moves at run */
	uint8_t state, place;
	bool mapped, on_ring, waiting, wait_scheduled;
	bool told;      /* all of it is known, nothing is concluded (told_jobs.c) */
	bool sourced;   /* a source said that it is done; the scheduler may say it again */
	bool passed;    /* its run is missing: it was queued before a job that was run */
	bool prev_late; /* prev_done is later than that job's end, or not known */
};

struct slot_list {
	uint32_t head, tail;
};

struct dep_node {
	struct xtr_dep dep;
	uint32_t next;
};

/* Of a piece: from when to when it has all events (piece_border.c); all 0: the section is none. */
struct border {
	uint64_t from, to; /* ns; 0: from its beginning, to its end */
	bool flight;
	bool runs, queues; /* these events of all jobs were recorded */
};

struct xtr_model {
	struct xtr_model_opts o;
	struct border border;
	struct xtr_rings rings;
	struct xtr_model_counts counts;
	struct xtr_gaps gaps;
	struct xtr_map jobs, waiters;
	struct xtr_map on_hw; /* (ring, client) -> jobs on the hardware; of rings by client */
	struct xtr_job_sources *sources; /* NULL: none */
	uint32_t *types[2];              /* what the model takes; what its verdicts need */
	size_t n_types[2];
	struct slot *slot;
	uint32_t n_slots, cap_slots, free_slots, n_open;
	struct slot_list open, held, all; /* all: open and held ones, in order of first event */
	struct dep_node *dep;
	uint32_t n_deps, cap_deps, free_deps;
	struct xtr_dep scratch[XTR_JOB_DEPS_MAX];
	uint64_t now;           /* ns: time of the last event */
	uint64_t due;           /* ns: until then the first job held need not be looked at */
	bool told;              /* jobs are told as a whole, by a source */
	bool ended;             /* xtr_model_finish: nothing more can come */
	bool keys_inferred;     /* an importer made up the jobs' keys (spec/events.md) */
	bool no_error_in_fence; /* the records of fences do not tell their error */
	bool error_kept_back;   /* a job's fence may lack the error that the hardware's had */
	int stopped;            /* what the depth callback returned, if not 0 */
	struct xtr_task_cache tasks;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* xtr_model_ring_index, for who asks often. */
static inline int64_t ring_index(struct xtr_model *m, uint32_t id)
{
	int64_t i = xtr_rings_cached(&m->rings, id);

	return i >= 0 ? i : xtr_model_ring_index(m, id);
}

/* model.c: what an event means for a job, now; s: the step of a source that it is, or NULL. */
int job_queued(struct xtr_model *m, const struct xtr_gpu_record *r);
/* Thread r->tid queued the job at ts (ns). */
void job_submitter(struct xtr_model *m, struct xtr_job *j, const struct xtr_gpu_record *r,
		   uint64_t ts);
int job_run(struct xtr_model *m, const struct xtr_gpu_record *r, const struct xtr_job_step *s);
int job_done(struct xtr_model *m, const struct xtr_gpu_record *r);
/* An event of the scheduler or of fences, now (model.c). */
int job_record(struct xtr_model *m, const struct xtr_gpu_record *r);

/* job_end.c: the job's end was reported, now; it was at ts (ns), or then at the latest. */
void job_ended(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t stream);
/*
 * When the job ended whose end the scheduler reports with r, now: sets the flags that say how this
 * is known. ns.
 */
uint64_t job_end_of(const struct xtr_model *m, struct slot *s, const struct xtr_gpu_record *r);

/* steps.c: a step of a job source. 0 or -errno. */
int job_step(struct xtr_model *m, const struct xtr_job_step *s);
/* What it says of the job's fence, and its flags. */
void step_result(struct xtr_model *m, const struct xtr_job_step *s);
/* told_jobs.c: the step of this kind; and settle's part of such a job. */
int step_measured(struct xtr_model *m, const struct xtr_job_step *s);
void measured_bounds(struct slot *s);
/* told_jobs.c: steps of jobs that are told as a whole; and settle's part of such a job. */
int step_told(struct xtr_model *m, const struct xtr_job_step *s);
int step_waited(struct xtr_model *m, const struct xtr_job_step *s);
void told_settle(struct slot *s);
/* The step's client is the job's, if it is known and the job has none. */
static inline void step_client(struct xtr_job *j, const struct xtr_job_step *s)
{
	if (j->client_known || !(s->r.flags & XTR_JOB_CLIENT_KNOWN))
		return;
	j->client_known = true;
	j->client_id = s->r.client_id;
}

/* shared_hardware.c: the job came to the hardware of its ring, or left it. */
int share_enter(struct xtr_model *m, uint32_t i);
void share_leave(struct xtr_model *m, uint32_t i);

/* job_slots.c */
static inline uint32_t slot_find(const struct xtr_model *m, uint64_t ctx, uint64_t seqno)
{
	return xtr_map_index(&m->jobs, ctx, seqno);
}
/*
 * A new open slot under this key; `old`, what slot_find gives, loses it. Index, or -errno.
 */
int64_t slot_new(struct xtr_model *m, const struct xtr_gpu_record *r, uint32_t ring, uint32_t old);
/* Move an open slot to the end of the held list. */
void slot_hold(struct xtr_model *m, uint32_t i);
/* Take the first slot off the held list, hand it out, free it. 0 or -errno or the callback's. */
int slot_release(struct xtr_model *m);
/* The job is now at this place of its (present) ring; tells the depth callback. */
void slot_place(struct xtr_model *m, uint32_t i, enum slot_place place);
void run_list_add(struct xtr_model *m, uint32_t i);
void run_list_del(struct xtr_model *m, uint32_t i);

/* dependency_waits.c */
int wait_begin(struct xtr_model *m, uint32_t i, const struct xtr_gpu_record *r, uint64_t ts);
/* A wait that is over: for d. 0 or -ENOMEM. */
int wait_add(struct xtr_model *m, uint32_t i, const struct xtr_dep *d);
/* The job is no longer waiting (it runs, ended, or looks at its next dependency). */
void wait_end(struct xtr_model *m, uint32_t i, uint64_t ts, uint32_t blocker_ring);
/* This fence was signalled, or, with scheduled_only, its job was handed to the hardware. */
void wait_wake_all(struct xtr_model *m, uint64_t ctx, uint64_t seqno, uint64_t ts,
		   bool scheduled_only, uint32_t ring_id);
static inline void wait_wake(struct xtr_model *m, uint64_t ctx, uint64_t seqno, uint64_t ts,
			     bool scheduled_only, uint32_t ring_id)
{
	if (m->waiters.n)
		wait_wake_all(m, ctx, seqno, ts, scheduled_only, ring_id);
}
/* Copy the slot's dependencies to m->scratch and free them. */
void wait_collect(struct xtr_model *m, uint32_t i);

/* job_quality.c */
/* All that can be concluded about a job that ended or never will: quality, start, bounds. */
void settle(struct xtr_model *m, uint32_t i);

#endif /* XTR_ENGINE_H */
