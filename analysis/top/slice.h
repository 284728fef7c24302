/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording in slices of time, for `xtr top`: what devices, rings and processes did in each, one
 * after the other, while events come in. Definitions are those of job.h and stats.h, cut to the
 * slice: a job that spans a border counts in each slice with its part in it, so that the slices add
 * up to what the statistics of the whole say. Memory is bounded by the jobs open at one time and by
 * the limits below, however long the recording is.
 *
 * A slice [begin, end) is handed out once the events are XTR_HOLD_NS past its end: then all of its
 * jobs are known. After XTR_SLICE_QUIET slices without an event one slice takes the whole time up
 * to the next event, so that no time stamp makes more of them than there are events.
 */
#ifndef XTR_SLICE_H
#define XTR_SLICE_H

#include "analysis/core/hist.h"
#include "replay/model/model.h"
#include "replay/play/select.h"

#define XTR_SLICE_MIN_NS        10000000u /* of an interval */
#define XTR_SLICE_QUIET         60u
#define XTR_SLICE_RINGS_MAX     4096u /* in one slice; jobs of others are not counted there */
#define XTR_SLICE_PROCESSES_MAX 1024u /* beyond, jobs count as of an unknown process */
#define XTR_SLICE_COUNTERS_MAX  32u
#define XTR_SLICE_KEPT          10u /* slices for which a ring is shown that has nothing to do */
#define XTR_SLICE_FEW           64u /* rings of which all are always shown */

enum xtr_slice_by {
	XTR_SLICE_DEVICE,
	XTR_SLICE_RING,
	XTR_SLICE_PROCESS,
	XTR_SLICE_BY_COUNT
};

/* A device, ring or process in one slice; what does not apply is 0 or NULL. */
struct xtr_slice_row {
	const struct xtr_model_ring *ring;
	const struct xtr_model_device *device;
	uint64_t process; /* replay/event/process.h */
	uint32_t comm;    /* string id of its first thread's name, if that is known */
	bool known;       /* rings, devices: always */
	/*
	 * Time with at least one job, never a sum: on the hardware (devices, rings) or executing
	 * (processes; on bounded rings: on the hardware). Jobs that have not ended count until the
	 * end of the slice, those that are unsure do not count.
	 */
	uint64_t busy_ns;
	uint64_t jobs;                       /* ended in the slice */
	uint64_t errors;                     /* of them, with an error */
	uint64_t quality[XTR_QUALITY_COUNT]; /* of them, by how the execution is known */
	struct xtr_hist exec;       /* ns, of them: execution, or its upper bound (bounded) */
	struct xtr_hist queue_wait; /* ns, of them: run - queue */
	bool bounded;               /* some of exec are upper bounds */
	/* At the end of the slice: in software queues, on the hardware, and those of which events
	 * may be lost, which are in neither. */
	uint64_t queued, in_flight, unsure;
	/* Processes: waits for fences that ended in the slice, their whole times, the longest. */
	uint64_t waits, wait_ns, wait_max_ns;
	uint64_t allocs, alloc_bytes; /* processes: NPU buffers created, bytes asked for */
};

/* A counter that events tell of: a frequency, memory. */
struct xtr_slice_counter {
	char track[64];   /* "GPU frequency 0"; a stranger's bytes */
	const char *unit; /* "kHz"; NULL: none */
	uint64_t value;   /* the last one in or before the slice */
};

struct xtr_slice {
	uint64_t number;     /* from 0 */
	uint64_t begin, end; /* ns on the event clock */
	bool last;           /* the recording ends here: end is part of it */
	uint64_t events;     /* in the slice, of any type */
	uint64_t lost;       /* events known to be lost in gaps that begin in it */
	const struct xtr_slice_row *const *row[XTR_SLICE_BY_COUNT]; /* in no order */
	size_t n[XTR_SLICE_BY_COUNT];
	const struct xtr_slice_counter *counter;
	size_t n_counters;
};

struct xtr_slices;

struct xtr_slices_opts {
	const struct xtr_meta *meta;     /* never NULL; with these, what they name must stay */
	const struct xtr_tables *tables; /* may be NULL */
	struct xtr_select select;        /* from: where the first slice begins, 0: first event */
	uint64_t interval_ns;            /* at least XTR_SLICE_MIN_NS */
	/* It and what it points to are gone afterwards. Not 0: stop. */
	int (*slice)(void *ctx, const struct xtr_slice *slice);
	void *ctx;
};

/* 0, -EINVAL or -ENOMEM. */
int xtr_slices_new(struct xtr_slices **s, const struct xtr_slices_opts *o);
void xtr_slices_free(struct xtr_slices *s);
/* Events in order of time. 0, -errno, or what the callback returned. */
int xtr_slices_event(struct xtr_slices *s, const struct xtr_event *ev);
/* No event before ts (ns) comes any more: hand out what can be. As xtr_slices_event. */
int xtr_slices_advance(struct xtr_slices *s, uint64_t ts);
/*
 * `before` has the piece before this one, and has handed out all of it; nothing was given to s yet.
 * Its jobs go on, and its time: at ts (ns). 0 or -ENOMEM.
 */
int xtr_slices_go_on(struct xtr_slices *s, const struct xtr_slices *before, uint64_t ts);
/* No more events: hand out the rest, up to the last event. As xtr_slices_event. */
int xtr_slices_finish(struct xtr_slices *s);

/* How the execution of a row's jobs is known: the worst of them; XTR_QUALITY_COUNT: no job ended,
 * and XTR_QUALITY_OPEN: none ended, some are in flight. */
enum xtr_quality xtr_slice_known_as(const struct xtr_slice_row *row);

#endif /* XTR_SLICE_H */
