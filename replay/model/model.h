/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The job model: takes the events of one section in time order and hands out each job once, when no
 * later event can change it. Memory is bounded by the jobs that are open at one time (at most
 * max_open) and by the number of rings and devices.
 *
 * Jobs come in order of their last event: done, or the fence's signal where there is no done event;
 * those that never ended come at xtr_model_finish (or when they are closed early) in order of
 * their first event.
 */
#ifndef XTR_MODEL_H
#define XTR_MODEL_H

#include "format/read/merge.h"
#include "job.h"
#include "replay/event/record.h"
#include "ring.h"

/*
 * Two jobs of a ring whose done events lie closer together than this on one CPU, both of which were
 * on the hardware at the earlier done, completed in one interrupt: where one ended and the other
 * began is not known. Handling one completion costs a driver a few microseconds.
 */
#define XTR_BATCH_NS 10000u
/*
 * From the end of the hardware to the report of it: an interrupt and its handler. No event tells
 * how long that takes, so ends are known, and bounds hold, up to this.
 */
#define XTR_REPORT_NS 50000u
/* A finished job is held back for its fence's signal, which follows in the same call chain. */
#define XTR_HOLD_NS  1000000u
#define XTR_MAX_OPEN (1u << 19)

struct xtr_model;

struct xtr_model_opts {
	size_t sz;                       /* sizeof(struct xtr_model_opts) */
	const struct xtr_meta *meta;     /* may be NULL: drivers are not known */
	const struct xtr_tables *tables; /* may be NULL: names are not known */
	/* Called for each job; it and what it points to are gone afterwards. Not 0: stop. May be
	 * NULL. */
	int (*job)(void *ctx, const struct xtr_job *job);
	/*
	 * Called in order of time when the number of jobs in a ring's software queues or on its
	 * hardware has changed: ring->queued and ring->on_hw at ts (ns). Jobs of which the model
	 * has seen no event are not in it. Not 0: stop. May be NULL.
	 */
	int (*depth)(void *ctx, const struct xtr_model_ring *ring, uint64_t ts);
	void *ctx;
	/*
	 * A job of a job source (job_source.h) was queued, or run: r has its type, ring and, as
	 * job_count, the jobs of the ring that wait to be run, this one not counted. Of the
	 * scheduler's events for it, which tell the queue's depth themselves, it is the event, and
	 * nothing of the model has changed yet. Not 0: stop. May be NULL.
	 */
	int (*step)(void *ctx, const struct xtr_gpu_record *r, uint64_t ts);
	/*
	 * An earlier pass over the same section: its rings tell which ones are out of order from
	 * the first job on. NULL: all in-order but those whose driver says otherwise.
	 */
	const struct xtr_model *verdict;
	uint32_t max_open; /* 0: XTR_MAX_OPEN */
};

/* What was seen and could not be made sense of. */
struct xtr_model_counts {
	uint64_t jobs;       /* handed out */
	uint64_t malformed;  /* records too short for their type */
	uint64_t duplicates; /* done for a job that was done already */
	uint64_t recycled;   /* queue or run for a job that was open already */
	uint64_t evicted;    /* jobs closed because too many were open */
};

int xtr_model_new(struct xtr_model **m, const struct xtr_model_opts *opts);
void xtr_model_free(struct xtr_model *m);

/*
 * The types of events that say something about jobs in this section; `order`: those that a first
 * pass needs, which is only to tell which rings are out of order. Valid as long as the model.
 */
const uint32_t *xtr_model_types(const struct xtr_model *m, bool order, size_t *n);
/* True of gaps, and of events that say something. Others need not be given to the model. */
bool xtr_model_takes(const struct xtr_model *m, const struct xtr_event *ev);
/* 0, -ENOMEM, or what the job callback returned. Events of other types are ignored. */
int xtr_model_event(struct xtr_model *m, const struct xtr_event *ev);
/*
 * Events that the model does not take (their type is not in xtr_model_types) only tell it the time.
 * Those before xtr_model_due may be left out, if xtr_model_passed gets the time of the last of them
 * (ns) before the next event; what else comes of the model is the same.
 */
uint64_t xtr_model_due(const struct xtr_model *m);
void xtr_model_passed(struct xtr_model *m, uint64_t ts);
/*
 * It is ts (ns) or later, and no event before that comes any more: hand out what is due by then. Of
 * jobs that ended, those are that ended more than XTR_HOLD_NS before. 0, or what the callback
 * returned.
 */
int xtr_model_advance(struct xtr_model *m, uint64_t ts);
/* No more events: hand out what is left. */
int xtr_model_finish(struct xtr_model *m);

/*
 * The section of `to` is the piece behind that of `from` (both in one recording), and nothing was
 * given to it yet: jobs that have not ended go on in it. 0 or -ENOMEM.
 */
int xtr_model_carry(struct xtr_model *to, const struct xtr_model *from);

/* A job that was not handed out yet, by what is known now. */
struct xtr_model_open {
	const struct xtr_job *job; /* owner, ring and times; what settles later is not set */
	/*
	 * Nothing that runs before it on its ring is open: if the ring executes in order, it is
	 * the one that executes, from `serial_ns` on (else 0).
	 */
	bool first;
	uint64_t serial_ns;
	/*
	 * It may have gone further than its times say, or have ended: events were lost since the
	 * last of them, a ring that executes in order completed a younger one, or ends of the
	 * ring's jobs are told of late.
	 */
	bool unsure;
};
/*
 * Each job whose first event was seen and that was not handed out; those that ended, and wait to
 * be, have done_ns. 0, or what cb returned, which stops.
 */
int xtr_model_each_open(const struct xtr_model *m,
			int (*cb)(void *ctx, const struct xtr_model_open *open), void *ctx);

const struct xtr_model_counts *xtr_model_counts(const struct xtr_model *m);
/* Rings in order of first appearance; the first is "unknown", id 0. */
size_t xtr_model_n_rings(const struct xtr_model *m);
const struct xtr_model_ring *xtr_model_ring(const struct xtr_model *m, size_t i);
/* The ring with this id; NULL: none has appeared. */
const struct xtr_model_ring *xtr_model_ring_by_id(const struct xtr_model *m, uint32_t id);
/* Index of the ring with this id, made if need be; -errno. */
int64_t xtr_model_ring_index(struct xtr_model *m, uint32_t id);
size_t xtr_model_n_devices(const struct xtr_model *m);
const struct xtr_model_device *xtr_model_device(const struct xtr_model *m, size_t i);
/*
 * Of a piece of a recording: the times (ns) between which it has all events of all CPUs, but for
 * those that were lost; 0: from its beginning, to its end.
 */
void xtr_model_piece(const struct xtr_model *m, uint64_t *from, uint64_t *to);
/* Time of the oldest first event of all jobs not handed out yet, or of the last event. */
uint64_t xtr_model_horizon(const struct xtr_model *m);

#endif /* XTR_MODEL_H */
